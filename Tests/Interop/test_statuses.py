"""The exit status of every kind of end. `make test-heavy` repeats each many times to detect races."""

import collections
import concurrent.futures
import os
import random

import pytest

import wire
from processes import shell, wsx
from scripted_server import ScriptedServer

# For a longer run of some minutes, set WSX_TEST_ENDS=10000.
ENDS = int(os.environ.get("WSX_TEST_ENDS", "300"))
PARALLEL = 4


def closing(peer):
    """Reads up to the client's close frame, and answers it or not. Both are normal."""
    received = peer.read_until_close()
    if received is not None and random.random() < 0.7:
        peer.send(wire.frame(wire.CLOSE, received.payload))


def quiet(peer):
    """Answers only the close frame."""
    peer.upgrade()
    closing(peer)


def echoing(peer):
    """Echoes every message."""
    peer.upgrade()
    while (received := peer.read_next()).opcode != wire.CLOSE:
        peer.send(wire.frame(received.opcode, received.payload))
    peer.send(wire.frame(wire.CLOSE, received.payload))


def saying(*messages, then=b"", reads=0):
    """Returns a script that reads some messages, sends others, and then waits for the close.

    `then` is sent together with the messages or in a separate write.
    """

    def script(peer):
        peer.upgrade()
        for _ in range(reads):
            peer.read_frame()
        data = b"".join(wire.text(message) for message in messages)
        if random.random() < 0.5:
            peer.send(data + then)
        else:
            peer.send(data)
            peer.send(then)
        closing(peer)

    return script


def dropping(reads, messages=(), how="end"):
    """Returns a script that ends the connection without a close frame."""

    def script(peer):
        peer.upgrade(then=b"".join(wire.text(message) for message in messages))
        for _ in range(reads):
            peer.read_frame()
        if how == "reset":
            peer.reset()
        else:
            peer.end_sending()
            peer.read_to_end()

    return script


def never(peer):
    """Never answers the upgrade request."""
    peer.read_to_end()


LINES = b"".join(b'{"id":%d}\n' % number for number in range(5))
# The ways a run can end: the server's script, the arguments, the standard input, and the status.
CASES = {
    "stdin ends, replies came": (echoing, ["--linger", "20ms"], LINES, 0),
    "stdin ends before any reply": (quiet, ["--linger", "0"], LINES, 0),
    "stdin is empty": (quiet, ["--linger", "0"], b"", 0),
    "count": (echoing, ["-n", "3"], LINES, 0),
    "count, and the peer closes with it": (saying("a", "b", then=wire.close(1011)), ["-n", "2", "--no-stdin"], b"", 0),
    "count, not reached": (echoing, ["-n", "9", "--linger", "20ms"], LINES, 6),
    "until": (echoing, ["--until", "3"], LINES, 0),
    "until, and a violation after it": (saying("x", then=b"\xff\xff"), ["--until", "x"], b"", 0),
    "until, and the peer closes before": (saying("a", then=wire.close(1000)), ["--until", "x"], b"", 7),
    "until, and the time is over": (quiet, ["--until", "x", "--timeout", "100ms"], b"", 6),
    "expect, met": (echoing, ["--expect", "3", "--linger", "50ms"], LINES, 0),
    "expect, not met": (echoing, ["--expect", "9", "--linger", "20ms"], LINES, 7),
    "expect, met by the last message of until": (echoing, ["--expect", "3", "--until", "3"], LINES, 0),
    "expect, not met until": (echoing, ["--expect", "4", "--until", "3"], LINES, 7),
    "expect, and the peer closes": (saying("a", then=wire.close(1000)), ["--expect", "x", "--no-stdin"], b"", 7),
    "expect, and the peer closes with 1011": (saying("a", then=wire.close(1011)), ["--expect", "x", "--no-stdin"], b"", 1),
    "expect, and the time is over": (quiet, ["--expect", "x", "--no-stdin", "--timeout", "100ms"], b"", 7),
    "expect, and the connection is reset": (dropping(1, how="reset"), ["--expect", "x"], LINES, 1),
    "the peer closes with 1000": (saying("a", then=wire.close(1000)), ["--no-stdin"], b"", 0),
    "the peer closes with 1001": (saying(then=wire.close(1001)), ["--no-stdin"], b"", 0),
    "the peer closes without a code": (saying(then=wire.close(None)), ["--no-stdin"], b"", 0),
    "the peer closes with 4000": (saying("a", then=wire.close(4000)), ["--no-stdin"], b"", 1),
    "the peer ends the connection": (dropping(0, ["a"]), ["--no-stdin"], b"", 1),
    "the peer resets the connection": (dropping(1, ["a"], how="reset"), ["--linger", "forever"], b"x\n", 1),
    "the peer violates the protocol": (saying("a", then=b"\xff\xff"), ["--no-stdin"], b"", 5),
    "timeout": (saying("a"), ["--no-stdin", "--timeout", "80ms"], b"", 6),
    "timeout before the connection is open": (never, ["--timeout", "80ms"], b"", 6),
    "timeout, and the peer keeps sending": (echoing, ["--timeout", "150ms", "--linger", "forever"], LINES, 6),
    "the close is not answered": (
        lambda peer: (peer.upgrade(), peer.read_to_end()), ["--linger", "0", "--close-timeout", "80ms"], b"", 6),
    "all requests are answered, one by one": (echoing, ["--request"], LINES, 0),
    "all requests are answered, in any order": (echoing, ["--correlate", "id"], LINES, 0),
    "all calls are answered": (
        saying(*('{"id":%d,"result":1}' % id for id in (1, 2, 3)), reads=3), ["--json-rpc"], b"a\nb 1\nc x=1\n", 0),
    "calls are echoed, which is no reply": (
        echoing, ["--json-rpc", "--reply-timeout", "80ms"], b"a\nb 1\nc x=1\n", 6),
    "no reply to the first request": (quiet, ["--request", "--reply-timeout", "80ms"], LINES, 6),
    "no reply to one of many": (
        saying('{"id":0}', '{"id":2}', reads=2), ["--correlate", "id", "--reply-timeout", "80ms"], LINES, 6),
    "the peer closes with requests unanswered": (
        saying('{"id":0}', then=wire.close(1000), reads=2), ["--correlate", "id"], LINES, 1),
    "the peer closes before a reply": (saying(then=wire.close(1000), reads=1), ["--request"], LINES, 1),
    "the connection is lost before a reply": (dropping(1), ["--request"], LINES, 1),
    "the connection is reset before a reply": (dropping(1, how="reset"), ["--request"], LINES, 1),
    "a request times out, and something was expected": (
        quiet, ["--correlate", "id", "--reply-timeout", "80ms", "--expect", "x"], LINES, 6),
    "all requests are answered, and something was expected": (echoing, ["--request", "--expect", "x"], LINES, 7),
    "until, with requests in flight": (
        saying("x", then=wire.close(1000), reads=1), ["--correlate", "id", "--until", "x"], LINES, 0),
    "bad input": (quiet, ["--linger", "0"], b"\xff\n", 2),
    "a line that is no call": (quiet, ["--json-rpc"], b"m 'a\n", 2),
}


def head_case(server):
    """Runs wsx with a reader that reads one of many lines."""
    script = '"$WSX" connect --no-stdin "$1" 2>/dev/null | head -1; exit ${PIPESTATUS[0]}'
    return shell(script, server.url)


def chatty(peer):
    """Sends more than any pipe can hold, until the client disconnects."""
    peer.upgrade()
    try:
        while True:
            peer.send(wire.text("x" * 1000) * 200)
    except OSError:
        pass


def many(case, count):
    """Runs a case `count` times, several runs in parallel, and counts pairs of status and unexpected error output."""
    script, arguments, stdin, _ = case
    with ScriptedServer(lambda peer: run_quietly(script, peer)) as server:

        def once(_):
            result = wsx("connect", *arguments, server.url, stdin=stdin)
            return result.status, result.err if result.status != case[3] else ""

        with concurrent.futures.ThreadPoolExecutor(PARALLEL) as pool:
            return collections.Counter(pool.map(once, range(count)))


def run_quietly(script, peer):
    """Runs a script, and ignores that the client may leave before the script ends."""
    try:
        script(peer)
    except (OSError, EOFError, AssertionError):
        pass


RUNS = max(1, -(-ENDS // (len(CASES) + 1)))


@pytest.mark.parametrize("name", CASES)
def test_every_end_has_its_status(name):
    assert many(CASES[name], 1) == {(CASES[name][3], ""): 1}


@pytest.mark.heavy
@pytest.mark.parametrize("name", CASES)
def test_every_end_always_has_the_same_status(name):
    assert many(CASES[name], RUNS) == {(CASES[name][3], ""): RUNS}


@pytest.mark.heavy
def test_a_reader_that_leaves_always_ends_the_run_normally():
    with ScriptedServer(chatty) as server:
        with concurrent.futures.ThreadPoolExecutor(PARALLEL) as pool:
            results = list(pool.map(lambda _: head_case(server), range(RUNS)))
    assert collections.Counter(result.status for result in results) == {0: RUNS}
    assert all(result.out == b"x" * 1000 + b"\n" for result in results)
