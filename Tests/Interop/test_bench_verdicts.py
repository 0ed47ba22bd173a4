"""The verdicts of `wsx bench`: passed, failed, and inconclusive, and their reasons."""

import itertools
import json
import threading
import time
import xml.etree.ElementTree as xml

import pytest

import wire
from processes import assert_fails, wsx
from scripted_server import ScriptedServer
from test_bench import bench

STEPS = '{"type":"message","direction":"out","data":"a"}\n{"type":"message","direction":"in","match":"a","name":"echo"}\n'


def slow_once(peer):
    """Answers the first message after the end of the test, so that the others are not sent."""
    peer.upgrade()
    first = True
    while (message := peer.read_frame()).opcode != wire.CLOSE:
        if first:
            time.sleep(0.5)
            first = False
        peer.send(wire.text(message.payload))
    peer.send(wire.frame(wire.CLOSE, message.payload))


def silent(peer):
    peer.upgrade()
    message = peer.read_frame()
    peer.send(wire.frame(wire.CLOSE, message.payload))


@pytest.fixture
def overload(tmp_path):
    """The arguments of a run that cannot send most of its load."""
    steps = tmp_path / "steps.jsonl"
    steps.write_text(STEPS)
    with ScriptedServer(slow_once) as server:
        yield [server.url, "-c", "1", "-r", "1000", "-d", "300ms", "--scenario", str(steps)]


def test_a_load_that_did_not_take_place_is_inconclusive(overload, tmp_path):
    junit, summary, report = (tmp_path / name for name in ("junit.xml", "summary.md", "page.html"))
    result, results = bench(
        *overload, "--threshold", "errors=0", "--junit", str(junit), "--summary", str(summary), "--report", str(report))
    assert results["messages"]["unsent"] > 200
    verdict = results["result"]
    assert (verdict["verdict"], verdict["passed"], len(verdict["reasons"])) == ("inconclusive", False, 1)
    assert "of the iterations were not started, and no threshold limits 'unsent'" in verdict["reasons"][0]
    assert result.status == 7 and result.error_lines[-1] == f"wsx: inconclusive: {verdict['reasons'][0]}"
    suite = xml.parse(junit).getroot()[0]
    assert (suite.get("failures"), suite.get("errors")) == ("0", "1")
    assert suite[0].find("error").get("message") == verdict["reasons"][0] and suite[1].find("error") is None
    assert ": inconclusive" in summary.read_text().splitlines()[0]
    assert '"verdict":"inconclusive"' in report.read_text()


def test_an_inconclusive_run_can_be_accepted(overload):
    result, results = bench(*overload, "--accept-inconclusive")
    assert (result.status, results["result"]["verdict"], results["result"]["passed"]) == (0, "inconclusive", False)
    assert "warning: inconclusive: " in result.err


def test_a_threshold_on_unsent_messages_decides(overload):
    result, results = bench(*overload, "--threshold", "unsent<100k")
    assert (result.status, results["result"]["verdict"]) == (0, "passed")
    result, results = bench(*overload, "--threshold", "unsent=0")
    assert (result.status, results["result"]["verdict"]) == (7, "failed")
    # A share is one of all that were due.
    result, results = bench(*overload, "--threshold", "unsent<=100%")
    sent, unsent = (results["messages"][name] for name in ("sent", "unsent"))
    assert results["thresholds"][0]["value"] == pytest.approx(unsent / (sent + unsent), abs=1e-8)
    assert result.status == 0


def test_a_failed_run_is_not_inconclusive(overload):
    _, results = bench(*overload, "--threshold", "received>9")
    assert results["result"]["verdict"] == "failed"
    assert results["result"]["reasons"] == ["received is 1, limit at least 9"]


def test_a_run_that_measured_nothing_is_inconclusive(tmp_path):
    with ScriptedServer(silent) as server:
        result = wsx("bench", server.url, "--mode", "receive", "-c", "1", "-d", "100ms")
    assert_fails(result, 7, "inconclusive: nothing was measured")
    assert result.out.startswith(b"inconclusive: nothing was measured\n")


def test_a_sum_with_an_inconclusive_run_is_inconclusive(overload, tmp_path):
    part = tmp_path / "part.json"
    result = wsx("bench", "--output", "json", *overload)
    part.write_bytes(result.out)
    result = wsx("bench", "merge", "--output", "json", str(part))
    verdict = json.loads(result.out)["result"]
    assert verdict["verdict"] == "inconclusive" and verdict["reasons"][0].startswith(f"{part}: ")
    assert_fails(result, 7)
    assert len(verdict["reasons"]) == 1
    assert wsx("bench", "merge", "--accept-inconclusive", str(part)).status == 0
    # The thresholds of the sum decide.
    result = wsx("bench", "merge", "--output", "json", "--threshold", "unsent<100k", str(part))
    assert (result.status, json.loads(result.out)["result"]["verdict"]) == (0, "passed")


def test_a_sum_keeps_the_warnings_of_its_runs(overload, tmp_path):
    parts = [tmp_path / name for name in ("a.json", "b.json")]
    for part in parts:
        part.write_bytes(wsx("bench", "--output", "json", *overload).out)
    merged = json.loads(wsx("bench", "merge", "--output", "json", *parts).out)
    for part in parts:
        kept = [text for text in json.loads(part.read_bytes())["warnings"] if "leave out" not in text]
        assert any("were busy" in text for text in kept)
        assert [text for text in merged["warnings"] if text.startswith(f"{part}: ")] == [f"{part}: {text}" for text in kept]
    sums = [text for text in merged["warnings"] if "leave out" in text]
    assert len(sums) == 1 and f"{merged['messages']['unsent']} iterations" in sums[0]


WRONG_ACCEPT = (
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n")


def failing(endings):
    """A server that ends connections in turn in these ways."""
    numbers, lock = itertools.count(), threading.Lock()

    def script(peer):
        peer.read_request()
        with lock:
            ending = endings[next(numbers) % len(endings)]
        if ending == "silence":
            return peer.read_to_end()
        if isinstance(ending, bytes):
            return peer.send(ending)
        peer.upgrade()
        peer.read_frame()
        if ending == "violation":
            peer.send(wire.frame(wire.TEXT, b"x", reserved=1))
            peer.read_to_end()
        else:
            peer.send(wire.close(ending))
            peer.read_until_close()

    return ScriptedServer(script)


REFUSED = b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"
WORDS = {
    b"": "closed before a response", b"HTTP/1.1 101": "closed within the response", b"SSH-2.0\r\n\r\n": "no HTTP response",
    WRONG_ACCEPT: "wrong Sec-WebSocket-Accept", REFUSED: "HTTP 503 Service Unavailable", 1011: "close 1011 internal error",
    "violation": "reserved-bits", "silence": "upgrade timed out"}


@pytest.mark.parametrize("endings, status", [
    ([b"", REFUSED, REFUSED, 1011, 1011, 1011], 1), ([1011, WRONG_ACCEPT, "violation"], 1), (["violation", REFUSED], 4),
    (["silence", "silence", 1011], 1), ([b"HTTP/1.1 101", b"SSH-2.0\r\n\r\n"], 3)],
    ids=["refused", "violations", "refused-late", "silence", "responses"])
@pytest.mark.parametrize("threads", ["1", "2"])
def test_the_reasons_are_all_kinds_of_failures_by_their_number(endings, status, threads):
    count = len(endings) * 2
    with failing(endings) as server:
        result, results = bench(
            server.url, "-c", str(count), "-t", threads, "-n", str(count), "--connect-timeout", "2s", "--output", "json",
            check_sum=False)
    counts = {WORDS[ending]: 2 * endings.count(ending) for ending in endings}
    expected = [f"{number} × {words}" for words, number in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    assert [reason for reason in results["result"]["reasons"] if "messages" not in reason] == expected
    assert sum(cause["count"] for cause in results["causes"]) == count
    # It depends on what failed, not on what failed first.
    assert result.status == status


def test_the_status_is_the_lowest_even_of_many_kinds_of_failures():
    with failing([b"HTTP/1.1 %d No\r\nContent-Length: 0\r\n\r\n" % code for code in range(420, 490)] + [1011]) as server:
        result, results = bench(server.url, "-c", "71", "-n", "71", "--output", "json", check_sum=False)
    assert len(results["causes"]) == 71 and "1 × close 1011 internal error" in results["result"]["reasons"]
    assert result.status == 1


def test_the_answer_of_a_proxy_is_not_that_of_the_server():
    def script(peer):
        peer.read_request()
        peer.send(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")

    with ScriptedServer(script) as proxy:
        result, results = bench(
            "ws://server.invalid/", "-c", "2", "-n", "2", "--proxy", f"http://127.0.0.1:{proxy.port}", check_sum=False)
    assert results["result"]["reasons"] == ["2 × proxy: HTTP 403 Forbidden"]
    assert [(cause["kind"], cause["code"]) for cause in results["causes"]] == [("proxy", 403)]
    assert result.status == 3


def test_results_are_merged_once_and_compared(tmp_path):
    first, second = (tmp_path / name for name in ("a.json", "b.json"))
    for path in (first, second):
        path.write_bytes(wsx("bench", "echo:", "-n", "50", "--output", "json").out)
    assert_fails(wsx("bench", "merge", first, first), 2, f"{first}: it is given twice")
    (tmp_path / "again.json").write_text(json.dumps(json.loads(first.read_text()), indent=1))
    assert_fails(wsx("bench", "merge", first, tmp_path / "again.json"), 2, "it is the same result as")
    copy = tmp_path / "copy.json"
    copy.write_bytes(first.read_bytes())
    assert_fails(wsx("bench", "merge", first, second, copy), 2, f"{copy}: it is the same result as {first}")
    result = wsx("bench", "merge", second, "--baseline", first, "--baseline", copy)
    assert_fails(result, 2, f"--baseline {copy}: it is the same result as --baseline {first}")
    warnings = json.loads(wsx("bench", "merge", "--output", "json", first, second).out)["warnings"]
    assert warnings[0].startswith(f"The runs were not simultaneous: {second} began ")
    assert warnings[-1].startswith("2 runs shared the processors of ")


def test_lines_of_seconds_have_the_counts_at_their_end():
    def script(peer):
        peer.upgrade()
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            peer.send(wire.text(message.payload))
        peer.send(wire.frame(wire.CLOSE, message.payload))

    with ScriptedServer(script) as server:
        result = wsx("bench", server.url, "-c", "2", "-t", "2", "-r", "500", "-d", "3s", "--output", "jsonl", timeout=60)
    *seconds, results = [json.loads(line) for line in result.lines]
    assert len(seconds) == 3
    for name in ("sent", "received"):
        sums = list(itertools.accumulate(second[name] for second in results["per_second"]))
        counts = [second["messages"][name] for second in seconds]
        # A message that is due before the end and sent after it belongs to the last second.
        assert counts[:-1] == sums[:-1] and counts[-1] <= sums[-1]
