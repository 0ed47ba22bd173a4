"""`wsx bench --find-rate`: the highest rate at which conditions hold. The servers count messages, and measure no time."""

import json

import pytest

import wire
from processes import assert_fails, wsx
from report_page import ReportPage
from scripted_server import ScriptedServer
from test_bench_report import data
from test_schemas import check

# A step sends as many messages as 0.6 s of its rate.
STEP = ["-c", "1", "--warmup", "100ms", "-d", "500ms"]
GOAL = ["--find-rate", "mismatched=0"]


def limited(count):
    """A server that echoes the first messages of each connection, and then answers wrongly."""
    def script(peer):
        peer.upgrade()
        number = 0
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            number += 1
            peer.send(wire.text(message.payload if number <= count else b"wrong"))
        peer.send(wire.frame(wire.CLOSE, message.payload))
    return ScriptedServer(script)


def search(server, *arguments):
    """Runs a search, and returns its result and results."""
    result = wsx("bench", "--json", *STEP, *GOAL, *arguments, server.url)
    results, = check("bench-results", result.lines)
    return result, results


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """A search against a server with a capacity of 100 messages per second, and its files."""
    folder = tmp_path_factory.mktemp("found")
    files = ["--report", folder / "page.html", "--summary", folder / "summary.md", "--junit", folder / "junit.xml"]
    with limited(60) as server:
        result, results = search(server, "-r", "20", "--threshold", "sent>0", *files)
    return result, results, folder


def test_the_highest_rate_is_found_and_repeated(found):
    result, results, _ = found
    found, steps = results["rate_search"], results["rate_search"]["steps"]
    assert (result.status, results["result"]["verdict"], found["complete"]) == (0, "passed", True)
    assert (found["expressions"], found["limit"]) == (["mismatched=0"], "server")
    # A busy machine may make steps miss by chance, but none that is over the capacity holds.
    assert 40 <= found["rate"] <= 102
    assert found["spread_low"] <= found["rate"] < found["spread_high"]
    held = [step["rate_asked"] for step in steps if step["outcome"] == "held"]
    assert steps[0]["rate_asked"] == 20 and max(held) <= 102
    assert held.count(found["rate"]) >= 3
    over = [step for step in steps if step["rate_asked"] > 102]
    assert over and all(step["outcome"] == "missed" and step["limit"] == "server" for step in over)
    assert any("mismatched is" in reason for step in over for reason in step["reasons"])


def test_the_results_are_those_of_the_best_rate(found):
    _, results, _ = found
    rate = results["rate_search"]["rate"]
    assert results["rate_asked"] == rate
    last = [step for step in results["rate_search"]["steps"] if step["rate_asked"] == rate][-1]
    for name in ["messages", "latency_us", "delay_us", "waited", "rate_per_second", "busiest_cpu_s"]:
        assert results[name] == last[name], name
    assert results["messages"]["mismatched"] == 0 and results["thresholds"][0]["met"]


def test_each_step_is_a_line_of_progress(found):
    result, results, _ = found
    lines = [line for line in result.error_lines if line.startswith("wsx: step ")]
    steps = results["rate_search"]["steps"]
    assert len(lines) == len(steps)
    for number, (line, step) in enumerate(zip(lines, steps), 1):
        assert line.startswith(f"wsx: step {number}: {step['rate_asked']} per second: {step['outcome']}")


def test_files_contain_the_rates(found):
    _, results, folder = found
    summary = (folder / "summary.md").read_text()
    assert f"highest rate: {results['rate_search']['rate']} messages per second" in summary
    assert "| rate | achieved | p50 | p99 | held |" in summary
    assert data(folder / "page.html")["results"]["rate_search"] == results["rate_search"]
    assert 'failures="0"' in (folder / "junit.xml").read_text()


def test_results_of_a_search_cannot_be_merged_but_are_a_baseline(found):
    result, _, folder = found
    path = folder / "found.json"
    path.write_bytes(result.out)
    assert_fails(wsx("bench", "merge", path), 2, "do not add up")
    assert wsx("bench", "--json", *STEP, "-r", "20", "--baseline", path, "echo:").status == 0


def test_the_page_has_a_curve_of_latency_over_rate(browser, found):
    _, results, folder = found
    steps = results["rate_search"]["steps"]
    with ReportPage(browser, folder / "page.html") as page:
        assert page.charts()[0] == "rates"
        rates = {step["rate_asked"] for step in steps if step["latency_us"]["max"]}
        assert [len(line) for line in page.paths("rates")][:2] == [len(rates)] * 2
        assert [row[0] for row in page.table("#search")] == [str(rate) for rate in sorted(step["rate_asked"] for step in steps)]
        assert page.problems == []


def test_without_a_rate_that_holds_the_run_fails():
    def script(peer):
        peer.upgrade()
        number = 0
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            number += 1
            peer.send(wire.text(message.payload if number % 2 else b"wrong"))
        peer.send(wire.frame(wire.CLOSE, message.payload))

    with ScriptedServer(script) as server:
        result = wsx("bench", *STEP, *GOAL, "-d", "1100ms", "-r", "4", server.url)
    assert result.status == 7
    assert result.lines[0].startswith("failed: no rate holds: at 1 per second, ")
    assert result.error_lines[-1].startswith("wsx: no rate holds: at 1 per second, ")
    assert not any(line.startswith("highest rate") for line in result.lines)


def test_a_server_that_answers_nothing_holds_no_rate():
    with limited(0) as server:
        result, results = search(server, "-r", "4")
    found = results["rate_search"]
    assert (result.status, found["rate"], found["steps"][-1]["rate_asked"]) == (7, None, 1)
    assert "no rate holds" in result.err


def test_a_server_that_is_gone_ends_the_search_with_its_status():
    def script(peer):
        if server.connection_count > 2:
            peer.read_request()
            return peer.send(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
        peer.upgrade()
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            peer.send(wire.text(message.payload))
        peer.send(wire.frame(wire.CLOSE, message.payload))

    with ScriptedServer(script) as server:
        result, results = search(server, "-r", "20")
    found = results["rate_search"]
    assert (result.status, results["result"]["verdict"], found["complete"], found["limit"]) == (4, "failed", False, None)
    assert len(found["steps"]) == 2 and "503" in results["result"]["reasons"][0]


def test_a_time_limit_ends_the_search_with_the_results_so_far():
    result = wsx("bench", "--json", *STEP, *GOAL, "-r", "20", "--timeout", "4s", "echo:")
    results = json.loads(result.out)
    assert (result.status, results["result"]["verdict"]) == (6, "failed")
    assert not results["rate_search"]["complete"]


@pytest.mark.parametrize("arguments, words", [
    (["--rate", "10@1s"], "--rate: --find-rate starts with one rate; give a number, such as 100"),
    (["--find-rate", "rate>5"], "the rate is what is searched"),
    (["--find-rate", "stage1.p99<1s"], "a search has no stages"),
    (["--find-rate", "step.p99<1s"], "of a step of --scenario"),
    (["--find-rate", "p99<20"], "expected a time with a unit"),
    (["--mode", "send", "--find-rate", "p99<1s"], "--mode send measures no latencies"),
    (["--mode", "idle"], "cannot be used with '--mode=idle'"),
    (["--mode", "receive"], "cannot be used with '--mode=receive'"),
    (["--stages", "5@1s"], "cannot be used with '--stages'"),
    (["--messages", "5"], "cannot be used with '--messages'"),
    (["--in-flight", "5"], "cannot be used with '--in-flight'"),
    (["--ramp", "1s"], "cannot be used with '--ramp'"),
    (["--start-at", "+1s"], "cannot be used with '--start-at'"),
    (["--abort", "errors=0"], "cannot be used with '--abort'"),
    (["--baseline", "x.json"], "cannot be used with '--baseline'"),
    (["--data", "x.csv"], "cannot be used with '--data'"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_what_a_search_cannot_do_is_a_usage_error(arguments, words):
    assert_fails(wsx("bench", *STEP[:2], *GOAL, *arguments, "echo:"), 2, words)


def test_lines_of_seconds_are_a_usage_error():
    result = wsx("bench", *GOAL, "--output", "jsonl", "echo:")
    assert (result.status, json.loads(result.err)["option"]) == (2, "--find-rate")
