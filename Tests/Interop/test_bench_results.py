"""How `wsx bench` uses results: thresholds, baselines, and `wsx bench merge`."""

import json
from xml.etree import ElementTree

import pytest

from processes import PEERS, PEERS_PYTHON, assert_fails, run, wsx


def measured(path, *arguments):
    """Writes the results of a short run to a file and returns its path."""
    result = wsx("bench", "echo:", "-n", "100", "--output", "json", *arguments)
    assert (result.status, result.err) == (0, "")
    path.write_bytes(result.out)
    return path


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    return [measured(folder / f"{count}.json", "-c", str(count)) for count in (1, 2, 3)]


def merged(*arguments, **options):
    result = wsx("bench", "merge", "--output", "json", *arguments, **options)
    assert (result.status, result.err) == (0, "")
    return result.out


def test_merging_one_run_changes_nothing(results):
    assert merged(results[2]) == results[2].read_bytes()


def test_a_merge_prints_the_same_table_as_a_run(results):
    result = wsx("bench", "merge", *results)
    assert (result.status, result.err) == (0, "")
    assert "300 sent, 300 received, all correct" in result.out.decode()
    assert result.lines[3].startswith("6 connections")


def test_merged_histograms_are_readable_by_other_implementations(results):
    out = merged(*results)
    theirs = json.loads(
        run([PEERS_PYTHON, PEERS / "read_histograms.py", "-"], stdin=json.loads(out)["histogram"].encode()).out)
    assert theirs["count"] == 300
    ours = json.loads(out)["latency_us"]
    assert min(theirs["p99"] / 1000, ours["max"]) == pytest.approx(ours["p99"], abs=0.002)


def test_standard_input_may_contain_several_results(results):
    lines = b"".join(path.read_bytes() for path in results)
    # The warnings name the files.
    sums = [json.loads(merged("-", stdin=lines)), json.loads(merged(*results))]
    for total in sums:
        del total["warnings"], total["environment"]
    assert sums[0] == sums[1]
    pretty = json.dumps(json.loads(results[0].read_bytes()), indent=2).encode()
    assert merged("-", stdin=pretty) == results[0].read_bytes()


def test_a_merge_can_write_a_histogram_log(results, tmp_path):
    log = tmp_path / "all.hlog"
    merged(*results, "--hdr", log)
    intervals = json.loads(run([PEERS_PYTHON, PEERS / "read_histograms.py", "--log", log]).out)["intervals"]
    assert sum(interval["count"] for interval in intervals) == 300


def test_results_of_different_modes_are_rejected(results, tmp_path):
    other = tmp_path / "send.json"
    other.write_bytes(results[0].read_bytes().replace(b'"mode":"echo"', b'"mode":"send"', 1))
    assert_fails(wsx("bench", "merge", results[0], other), 2, f"{other}: it is a result of --mode send")


@pytest.mark.parametrize("contents, message", [
    (b"", "it is not JSON"), (b"{}", "it is not a result of 'wsx bench --output json'"), (b"\xff", "not UTF-8"),
    (b'{"mode":"echo","version":2}', "version 2"), (b'{"mode":"echo","version":1}', "'url' is missing"),
], ids=["empty", "object", "bytes", "version", "member"])
def test_input_that_is_not_results_is_rejected(contents, message, tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes(contents)
    result = wsx("bench", "merge", path)
    assert result.out == b""
    assert_fails(result, 2, f"{path}: ", message)


def test_the_line_number_of_damaged_results_is_reported(results):
    lines = results[0].read_bytes() + results[1].read_bytes().replace(b"HISTFAAAA", b"HISTFAAAB")
    assert_fails(wsx("bench", "merge", "-", stdin=lines), 2, "standard input, line 2: 'per_second.histogram'")


@pytest.mark.parametrize("keep, words", [
    (lambda text: b"", "empty"), (lambda text: text[:-500], "cut off"),
    (lambda text: b'{"type":"second","second":0}\n{"type":"second","second":1}\n', "only the first seconds"),
    (lambda text: b'{"type":"second","second":0}\n' + text[:1000], "cut off"), (None, "no such file"),
], ids=["empty", "cut", "seconds", "cut-after-seconds", "missing"])
def test_the_results_of_a_lost_worker_are_named(results, keep, words, tmp_path):
    lost = tmp_path / "lost.json"
    if keep:
        lost.write_bytes(keep(results[1].read_bytes()))
    reason = f"1 of 3 results is missing: {lost} ({words})"
    result = wsx("bench", "merge", results[0], lost, results[2], "--output", "json", "--report", tmp_path / "page.html")
    total = json.loads(result.out)
    assert total["result"] == {"passed": False, "reasons": [reason], "verdict": "failed"}
    assert total["messages"]["received"] == 200 and total["connections"] == 4
    assert result.status == 7 and result.error_lines[-1] == f"wsx: {reason}"
    assert reason in (tmp_path / "page.html").read_text()
    # Merged with others, the sum stays failed.
    (tmp_path / "sum.json").write_bytes(result.out)
    again = json.loads(wsx("bench", "merge", tmp_path / "sum.json", results[1], "--output", "json").out)
    assert again["result"]["reasons"] == [f"{tmp_path / 'sum.json'}: {reason}"]
    # Without any results, there is nothing to judge.
    assert_fails(wsx("bench", "merge", lost), 2, f"{lost}: ")


def test_results_that_are_cut_off_between_others_are_named(results):
    lines = b"".join([results[0].read_bytes()[:-9] + b"\n", results[1].read_bytes(), results[2].read_bytes()])
    result = wsx("bench", "merge", "-", stdin=lines)
    assert result.lines[0] == "failed: 1 of 3 results is missing: standard input, line 1 (cut off)"
    assert result.status == 7


def test_merge_has_help():
    for words in (["bench", "merge", "--help"], ["help", "bench", "merge"]):
        result = wsx(*words)
        assert result.status == 0 and result.lines[0] == "wsx bench merge: Merge the results of several load tests"


def test_each_threshold_that_is_not_met_prints_a_line():
    result = wsx(
        "bench", "echo:", "-n", "100", "--output", "json", "--threshold", "p50<1us", "--threshold", "received=100",
        "--threshold", "rate > 1G")
    assert result.status == 7
    assert len(result.error_lines) == 2
    assert "--threshold 'p50<1us' is not met: " in result.error_lines[0]
    assert "--threshold 'rate > 1G' is not met: " in result.error_lines[1]
    results = json.loads(result.out)
    assert [(row["expression"], row["met"]) for row in results["thresholds"]] == [
        ("p50<1us", False), ("received=100", True), ("rate > 1G", False)]
    assert [row["value"] for row in results["thresholds"]] == [
        results["latency_us"]["p50"], 100, results["rate_per_second"]]


def test_thresholds_apply_to_merged_results(results):
    result = wsx("bench", "merge", *results, "--threshold", "received=299")
    assert_fails(result, 7, "--threshold 'received=299' is not met: 300")


def test_a_baseline_of_a_short_run_gives_no_verdict(results):
    result = wsx("bench", "echo:", "-n", "100", "-c", "1", "--output", "json", "--baseline", results[0])
    assert (result.status, result.err) == (0, "")
    baseline = json.loads(result.out)["baseline"]
    assert baseline["start_time"] == json.loads(results[0].read_bytes())["start_time"]
    assert (baseline["seconds"], baseline["seconds_now"]) == (0, 0)
    assert [(row["metric"], row["verdict"]) for row in baseline["metrics"]] == [
        ("rate_per_second", "unknown"), ("p50_us", "unknown"), ("p99_us", "unknown")]


def test_a_baseline_of_a_different_test_is_rejected_before_the_run(results, tmp_path):
    result = wsx("bench", "ws://127.0.0.1:1/", "-c", "1", "--size", "21", "--baseline", results[0])
    assert_fails(
        result, 2, f"--baseline {results[0]}: it used 20-byte text messages, but this run uses 21-byte text messages")
    other = tmp_path / "send.json"
    other.write_bytes(results[0].read_bytes().replace(b'"mode":"echo"', b'"mode":"send"', 1))
    assert_fails(wsx("bench", "ws://127.0.0.1:1/", "--baseline", other), 2, "it used --mode send")
    assert_fails(wsx("bench", "ws://127.0.0.1:1/", "--baseline", tmp_path / "x"), 2, "--baseline", "no such file")
    other.write_bytes(b"{}")
    assert_fails(wsx("bench", "ws://127.0.0.1:1/", "--baseline", other), 2, "not a result of 'wsx bench --output json'")


def test_a_baseline_with_a_different_number_of_connections_gets_a_warning(results):
    result = wsx("bench", "echo:", "-n", "100", "-c", "5", "--baseline", results[0])
    assert result.status == 0
    assert result.err == "wsx: warning: the baseline had 1 connection instead of 5\n"


def test_the_verdict_agrees_with_the_exit_status(tmp_path):
    passing = wsx("bench", "echo:", "-n", "100", "--output", "json", "--title", "Good", "--label", "b=2", "--label", "a=1")
    results = json.loads(passing.out)
    assert (passing.status, results["result"]) == (0, {"passed": True, "reasons": [], "verdict": "passed"})
    assert (results["title"], results["labels"]) == ("Good", {"a": "1", "b": "2"})
    assert results["environment"]["command"].startswith("wsx bench echo: -n 100 ")
    failing = wsx("bench", "echo:", "-n", "100", "--output", "json", "--threshold", "received<50", "--threshold", "p99<1us")
    results = json.loads(failing.out)
    assert failing.status == 7 and not results["result"]["passed"]
    assert results["result"]["reasons"][0] == "received is 100, limit 50"
    assert results["thresholds"][0]["margin"] == -1 and results["thresholds"][0]["unit"] == "count"
    refused = wsx("bench", "ws://127.0.0.1:1/", "-c", "2", "--output", "json")
    results = json.loads(refused.out)
    assert refused.status == 3 and not results["result"]["passed"]
    assert results["causes"] == [{"kind": "system", "code": 111, "name": "connection refused", "count": 2}]
    (tmp_path / "a.json").write_bytes(passing.out)
    (tmp_path / "b.json").write_bytes(failing.out)
    merged = wsx("bench", "merge", tmp_path / "a.json", tmp_path / "b.json", "--output", "json", "--title", "Both")
    results = json.loads(merged.out)
    assert merged.status == 7 and results["title"] == "Both"
    assert results["result"]["reasons"][0] == f"{tmp_path / 'b.json'}: received is 100, limit 50"
    assert_fails(merged, 7, "received is 100, limit 50")
    assert merged_again(tmp_path / "a.json") == passing.out


def merged_again(path):
    return wsx("bench", "merge", path, "--output", "json").out


def test_secrets_of_the_command_line_are_masked():
    result = wsx("bench", "echo:", "-n", "10", "--bearer", "s3cr3t-token", "--output", "json")
    command = json.loads(result.out)["environment"]["command"]
    assert "s3cr3t-token" not in result.out.decode() and "--bearer" in command


def test_verdicts_are_written_for_ci_systems(tmp_path):
    junit, summary = tmp_path / "r.xml", tmp_path / "s.md"
    result = wsx(
        "bench", "echo:", "-n", "100", "--title", "a | b", "--threshold", "p99<1h", "--threshold", "received<50",
        "--junit", junit, "--summary", summary)
    assert result.status == 7
    suite = ElementTree.parse(junit).getroot().find("testsuite")
    assert suite.attrib == {"name": "a | b", "tests": "3", "failures": "1", "skipped": "0"}
    assert [case.attrib["name"] for case in suite] == ["run", "p99<1h", "received<50"]
    assert suite[2].find("failure").attrib["message"] == "received is 100, limit 50"
    lines = summary.read_text().splitlines()
    assert lines[0] == "### a \\| b: failed ❌"
    assert "- received is 100, limit 50" in lines
    assert "| `received<50` | 100 | 50 | -100.0 % | **not met** |" in lines
    assert any(line.startswith("| latency | p50 ") for line in lines)


def test_the_files_of_results_differ(tmp_path):
    path = tmp_path / "x"
    result = wsx("bench", "echo:", "--junit", path, "--summary", path)
    assert_fails(result, 2, f"--summary {path}: --junit writes to the same file; choose another")
