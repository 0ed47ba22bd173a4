"""`wsx bench` against servers that lose or add replies: each latency is one, or is left out."""

import pytest

import wire
from processes import assert_fails, wsx
from scripted_server import ScriptedServer
from test_bench import bench, check, faults

COUNT = 20
LOST = 5
HINT = "it is unknown which message a reply answers"
IDENTIFIED = ["-m", '{"id":{{seq}}}']


def losing(answers=lambda message: [message]):
    """A server that answers each message but number `LOST` of a connection."""
    def script(peer):
        peer.upgrade()
        number = 0
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            number += 1
            parts = answers(message.payload)
            for part in parts[:-1] if number == LOST else parts:
                peer.send(wire.text(part))
        peer.send(wire.frame(wire.CLOSE, message.payload))

    return ScriptedServer(script)


def lossy_bench(server, *arguments):
    result, results = bench(server.url, "-c", "1", "-n", str(COUNT), "--reply-timeout", "300ms", *arguments)
    assert faults(results) == {"lost": 1} and results["messages"]["received"] == COUNT - 1
    # It counts the same in all modes, and with any number of messages in flight.
    assert results["errors"]["timeout"] == 1
    assert_fails(result, 7)
    assert any(HINT in warning for warning in results["warnings"]) == (results["latency_omitted"] > 0)
    return results


@pytest.mark.parametrize("options", [
    ["-m", "hello"], ["-m", "a", "-m", "b"], ["--size", "2"], ["--mode", "request", "-m", "hello"]],
    ids=["echo", "two", "tiny", "request"])
def test_replies_after_a_lost_one_have_no_latency_without_an_identity(options):
    with losing() as server:
        results = lossy_bench(server, *options)
        assert results["latency_omitted"] == COUNT - LOST
        assert sum(second["received"] for second in results["per_second"]) == COUNT - 1
        # Nobody knows which of them was lost, so none has a latency.
        results = lossy_bench(server, *options, "--in-flight", "4")
    assert results["latency_omitted"] == COUNT - 1 or options[0] == "--size" or options.count("-m") == 2
    assert results["latency_omitted"] >= COUNT - LOST


@pytest.mark.parametrize("options", [
    [], IDENTIFIED, ["--mode", "request", "--correlate", "id", *IDENTIFIED]], ids=["generated", "seq", "correlate"])
@pytest.mark.parametrize("pace", [[], ["--in-flight", "4"], ["-r", "200"]], ids=["one", "four", "rate"])
def test_messages_with_an_identity_keep_their_latencies(options, pace):
    with losing() as server:
        results = lossy_bench(server, *options, *pace)
    assert results["latency_omitted"] == 0


def test_a_reply_of_several_messages_without_its_end_is_lost():
    with losing(lambda message: [b"part", b"done"]) as server:
        results = lossy_bench(server, "--mode", "request", "-m", "hello", "--reply-end", "done")
    assert results["latency_omitted"] == COUNT - LOST


def test_a_request_with_the_id_of_a_lost_one_leaves_later_latencies_out():
    with losing() as server:
        results = lossy_bench(server, "--mode", "request", "--correlate", "id", "-m", '{"id":1}')
    assert results["latency_omitted"] == COUNT - LOST


def surplus(peer):
    """Answers each message, and number `LOST` of a connection twice."""
    peer.upgrade()
    number = 0
    while (message := peer.read_frame()).opcode != wire.CLOSE:
        number += 1
        peer.send(wire.text(message.payload) * (2 if number == LOST else 1))
    peer.send(wire.frame(wire.CLOSE, message.payload))


REQUEST = ["--mode", "request"]


@pytest.mark.parametrize("options, count", [
    (["-m", "hello"], "duplicated"), ([*REQUEST, "-m", "hello"], "pushes"),
    ([*REQUEST, "-m", "hello", "-r", "100"], "pushes"), ([*REQUEST, "-m", "hello", "--reply-end", "hello"], "pushes"),
    ([*REQUEST, "-m", '{"id":1}', "--correlate", "id"], "pushes")],
    ids=["echo", "request", "rate", "reply-end", "same-id"])
def test_a_surplus_reply_leaves_latencies_out_without_an_identity(options, count):
    with ScriptedServer(surplus) as server:
        _, results = bench(server.url, "-c", "1", "-n", str(COUNT), *options, "--threshold", "p99<1h")
    assert (results["messages"]["received"], results["messages"][count]) == (COUNT, 1)
    # It may have been taken for any of them.
    assert results["latency_omitted"] == COUNT and results["result"]["verdict"] != "passed"
    [second, *_] = results["per_second"]
    assert (second["received"] > 0, second["p50_us"], second["max_us"]) == (True, None, None)
    assert any(f"{COUNT} of {COUNT} replies: after a surplus one, {HINT}" in warning for warning in results["warnings"])


def test_a_surplus_reply_does_not_matter_with_an_identity():
    with ScriptedServer(surplus) as server:
        _, results = bench(server.url, "-c", "1", "-n", str(COUNT), *REQUEST, "--correlate", "id", *IDENTIFIED)
    assert (results["messages"]["pushes"], results["latency_omitted"]) == (1, 0)


def test_an_abort_because_of_latencies_that_are_left_out_later_is_inconclusive():
    with ScriptedServer(surplus) as server:
        result, results = bench(server.url, "-c", "1", "-d", "30s", *REQUEST, "-m", "hello", "--abort", "p99<1us")
    assert results["duration_s"] < 30 and results["latency_omitted"] == results["messages"]["received"] > 0
    assert results["result"]["verdict"] == "inconclusive"
    assert results["result"]["reasons"] == ["stopped by --abort: nothing was measured for p99"]
    assert_fails(result, 7, "inconclusive: stopped by --abort")


def test_results_without_any_latency_can_be_merged_and_shown(tmp_path):
    part, summary = tmp_path / "part.json", tmp_path / "summary.md"
    with ScriptedServer(surplus) as server:
        part.write_bytes(wsx("bench", server.url, "-c", "1", "-n", str(COUNT), *REQUEST, "-m", "hello", "--output", "json").out)
    with losing() as server:
        result = wsx(
            "bench", server.url, "-c", "1", "-n", str(COUNT), *REQUEST, "-m", "hello", "--reply-timeout", "300ms",
            "--summary", str(summary))
    result_of_sum = wsx("bench", "merge", "--output", "json", part)
    assert result_of_sum.status == 0 and check(result_of_sum.out)["latency_us"] is None
    few = f"{LOST - 1} of {COUNT - 1} replies"
    assert f"latencies of {few}" in result.lines and f"({few})" in summary.read_text()
