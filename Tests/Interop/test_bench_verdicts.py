"""The verdicts of `wsx bench`: passed, failed, and inconclusive."""

import json
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


def test_a_failed_run_is_not_inconclusive(overload):
    _, results = bench(*overload, "--threshold", "received>9")
    assert results["result"]["verdict"] == "failed"
    assert len(results["result"]["reasons"]) == 2


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
    assert wsx("bench", "merge", "--accept-inconclusive", str(part)).status == 0
