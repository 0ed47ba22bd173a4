"""`wsx bench --mode request`: servers that reply, but do not echo."""

import json
import time

import pytest

import wire
from processes import assert_fails, wsx
from scripted_server import ScriptedServer
from test_bench import bench, errors, faults


def answering(answer):
    """Returns a server that passes each message to `answer(peer, request)`, with the message parsed as JSON."""

    def serve(peer):
        peer.upgrade()
        while (frame := peer.read_frame()).opcode != wire.CLOSE:
            answer(peer, json.loads(frame.payload))
        peer.send(wire.frame(wire.CLOSE, frame.payload))

    return serve


def reply(peer, request, **members):
    peer.send(wire.text(json.dumps({"id": request["id"], "ok": True, **members}).encode()))


NUMBERED = ["-m", '{"id":{{seq}},"op":"list"}']


def requests(server, *arguments, **options):
    """Runs a load of numbered requests, and returns its result and its JSON results."""
    return bench(server.url, "--mode", "request", *NUMBERED, *arguments, **options)


@pytest.mark.parametrize("matching", [[], ["--correlate", "id"], ["--correlate", "/id"]], ids=" ".join)
@pytest.mark.parametrize("pace", [[], ["--in-flight", "8"], ["-r", "500"]], ids=" ".join)
def test_replies_need_not_be_echoes(matching, pace):
    with ScriptedServer(answering(reply)) as server:
        result, results = requests(server, "-c", "3", "-n", "90", "--expect", '"ok": true', *matching, *pace)
    assert (result.status, faults(results), errors(results)) == (0, {}, {})
    assert results["messages"]["received"] == 90


@pytest.mark.parametrize("option, status", [(["--expect", "^(a+)+$"], 7), (["--answer", "^(a+)+$ => x"], 0)])
def test_a_search_that_takes_too_many_steps_is_reported(wsx_echo, option, status):
    result = wsx(
        "bench", "--mode", "request", "-m", "a" * 40 + "b", "-n", "4", "-c", "2", "-t", "2", *option, wsx_echo.url)
    assert result.status == status
    assert result.err.count("wsx: searching '^(a+)+$': some text needs too many steps ") == 1


def test_a_wrong_reply_is_a_mismatch():
    def answer(peer, request):
        reply(peer, request, ok=request["id"] % 10 != 0)

    with ScriptedServer(answering(answer)) as server:
        result, results = requests(server, "-c", "1", "-n", "40", "--expect", '"ok": true')
    assert faults(results) == {"mismatched": 4}
    assert_fails(
        result, 7,
        "the replies: 4 mismatched; each request must have one reply, which is no error and matches every --expect; "
        'the first mismatched reply: {"id": 10, "ok": false}\n')


def test_the_table_shows_requests_and_pushes():
    def answer(peer, request):
        reply(peer, request)
        peer.send(wire.text(b"push"))

    with ScriptedServer(answering(answer)) as server:
        result = wsx("bench", "--mode", "request", *NUMBERED, "-c", "1", "-n", "5", "--correlate", "id", server.url)
    assert result.status == 0
    table = result.out.decode()
    assert "Request test with text messages" in table
    assert "requests    5 sent, 5 answered" in table
    assert "pushes      5 messages answered no request" in table


@pytest.mark.parametrize(
    "words, message",
    [
        ([], "--mode request: no request is given; add --message or --file"),
        (["-m", '{"id":1}', "--correlate", "id", "--in-flight", "2"], "requests in flight would have the same value 1"),
    ],
)
def test_invalid_requests_are_rejected_before_connecting(words, message):
    assert_fails(wsx("bench", "--mode", "request", *words, "ws://127.0.0.1:1/"), 2, message)


def test_a_server_that_does_not_echo_is_reported_within_a_second():
    with ScriptedServer(answering(reply)) as server:
        begin = time.monotonic()
        result, _ = bench(server.url, *NUMBERED, "-c", "1", "-d", "2s", timeout=60)
    assert time.monotonic() - begin >= 2
    hint = "no reply was an echo; if this server does not echo, use --mode request"
    lines = [line for line in result.err.splitlines() if hint in line]
    # Once during the run, and once as the reason of the status.
    assert len(lines) == 2 and lines[0].startswith("wsx: warning: ")
    assert result.status == 7
