"""The pace of the input of `wsx connect`, and what is around it: --input chunks:SIZE, --every, --wrap, --last-message."""

import base64
import contextlib
import json
import os
import threading
import time

import pytest

import wire
from processes import BINARY, Listener, Running, assert_fails, wsx
from scripted_server import ScriptedServer


def collect(peer, count=None):
    """Reads messages until a close frame, which it answers, or `count` of them. Returns their times and the messages."""
    messages = []
    while count is None or len(messages) < count:
        frame = peer.read_next()
        if frame.opcode == wire.CLOSE:
            peer.send(wire.frame(wire.CLOSE, frame.payload))
            break
        if frame.opcode == wire.PING:
            peer.send(wire.frame(wire.PONG, frame.payload))
        else:
            messages.append((time.monotonic(), frame.opcode, frame.payload))
    return messages


def collector():
    """A server that returns the messages it receives with their opcodes."""

    def script(peer):
        peer.upgrade()
        return [(opcode, payload) for _, opcode, payload in collect(peer)]

    return ScriptedServer(script)


def sent(*options, stdin=b"", status=0):
    """What a server receives from a run."""
    with collector() as server:
        result = wsx("connect", "--linger", "0", *options, server.url, stdin=stdin)
        assert (result.status, result.err) == (status, "")
    return server.results[0]


def texts(*lines):
    return [(wire.TEXT, line.encode()) for line in lines]


# Chunks


@pytest.mark.parametrize("writes", [[8192], [1] * 100, [641] * 5, [640] * 5, [1, 1279, 700]], ids=str)
def test_chunks_have_their_size_whatever_the_writes(writes):
    data = os.urandom(sum(writes))
    with collector() as server:
        arguments = [BINARY, "connect", "--linger", "0", "--input", "chunks:640", server.url]
        with Running(arguments, stdin=-1) as client:
            start = 0
            for size in writes:
                client.send(data[start:start + size])
                start += size
            client.process.stdin.close()
            assert client.wait() == 0
    expected = [data[start:start + 640] for start in range(0, len(data), 640)]
    assert server.results[0] == [(wire.BINARY, chunk) for chunk in expected]


def test_chunks_of_a_size_may_be_larger_than_reads_and_empty_input_sends_nothing():
    data = os.urandom(300_000)
    pieces = sent("--input", "chunks:128k", stdin=data)
    assert [len(payload) for _, payload in pieces] == [131072, 131072, 300_000 - 262144]
    assert b"".join(payload for _, payload in pieces) == data
    assert sent("--input", "chunks:128k") == []


def test_a_server_sends_chunks_of_a_size():
    with Listener("--input", "chunks:3", stdin=-1) as server:
        with Running([BINARY, "connect", "--no-stdin", "--output", "hex", "-n", "3", server.url]) as client:
            server.wait_for("connected from")
            server.send(b"abcdefgh")
            server.process.stdin.close()
            assert client.wait() == 0
    assert client.out == b"616263\n646566\n6768\n"


@pytest.mark.parametrize("options, words", [
    (["--input", "chunks:0"], ["chunks:0", "1 to"]),
    (["--input", "chunks:x"], ["chunks:x", "--input"]),
    (["--input", "chunks:2M", "--max-message-size", "1M"], ["--input chunks:2097152", "--max-message-size"]),
    (["--input", "chunks:3", "--crlf"], ["--crlf", "--input=chunks"]),
    (["--input", "chunks:3", "--protocol", "mqtt"], ["--protocol", "--input=chunks"]),
], ids=str)
def test_bad_chunks_are_usage_errors(options, words):
    assert_fails(wsx("connect", *options, "echo:"), 2, *words)


# Pace


def test_no_message_is_sent_before_its_time():
    interval, count = 0.02, 25

    def script(peer):
        peer.upgrade()
        return [moment for moment, _, _ in collect(peer)]

    with ScriptedServer(script) as server:
        start = time.monotonic()
        result = wsx("connect", "--input", "chunks:100", "--every", "20ms", server.url, stdin=bytes(100 * count - 1))
        assert (result.status, result.err) == (0, "")
    times = server.results[0]
    assert len(times) == count
    for number, moment in enumerate(times):
        assert moment - start >= number * interval


def test_input_is_not_read_ahead():
    def script(peer):
        peer.upgrade()
        frame = peer.read_next()
        has_begun.set()
        return frame.payload, collect(peer)

    has_begun = threading.Event()
    with ScriptedServer(script) as server:
        arguments = [BINARY, "connect", "--input", "chunks:1k", "--every", "1h", server.url]
        with Running(arguments, stdin=-1) as client:
            client.send(bytes(1024))
            assert has_begun.wait(60)
            os.set_blocking(client.process.stdin.fileno(), False)
            written = 0
            for _ in range(20):
                with contextlib.suppress(BlockingIOError):
                    while written < 8 << 20:
                        written += os.write(client.process.stdin.fileno(), bytes(65536))
                time.sleep(0.01)
            # A read of one buffer, and what the pipe holds.
            assert written < 4 << 20


def test_the_last_line_without_its_end_keeps_the_schedule_and_its_end_of_line():
    start = time.monotonic()
    assert sent("--every", "50ms", "--eol", "crlf", stdin=b"a\nb\nc") == texts("a\r\n", "b\r\n", "c\r\n")
    assert time.monotonic() - start >= 0.1


def test_requests_keep_the_schedule_and_wait_for_replies():
    start = time.monotonic()
    result = wsx("connect", "--request", "--every", "50ms", "echo:", stdin=b"a\nb\nc\n")
    assert (result.status, result.lines) == (0, ["a", "b", "c"])
    assert time.monotonic() - start >= 0.1


def test_lines_of_a_lost_connection_are_not_sent_in_a_burst():
    interval, count = 0.05, 12

    def script(peer):
        begin = time.monotonic()
        peer.upgrade()
        # The first connection is lost without a pong.
        if len(peers) == 0:
            peers.append(peer)
            messages = []
            while len(messages) < 4:
                frame = peer.read_next()
                if frame.opcode == wire.TEXT:
                    messages.append((time.monotonic(), frame.payload))
            return begin, messages
        return begin, [(moment, payload) for moment, _, payload in collect(peer)]

    peers = []
    lines = [b"%d" % number for number in range(count)]
    with ScriptedServer(script) as server:
        result = wsx(
            "connect", "--reconnect", "--reconnect-delay", "1ms", "--every", "50ms", server.url,
            stdin=b"\n".join(lines))
        assert result.status == 0
    (_, first), (begin, second) = server.results[0], server.results[1]
    assert [payload for _, payload in first] == lines[:4]
    # What may not have arrived is sent again, in order and without repetition.
    payloads = [payload for _, payload in second]
    assert payloads == lines[count - len(payloads):] and len(payloads) >= count - 4
    for number, (moment, _) in enumerate(second):
        assert moment - begin >= number * interval


@pytest.mark.parametrize("options, words", [
    (["--every", "0"], ["--every"]),
    (["--every", "1s", "--input", "json"], ["--every", "--input=json"]),
    (["--every", "1s", "--no-stdin"], ["--every", "standard input is not read"]),
    (["--every", "1s", "-x", "a"], ["--every", "--interactive"]),
    (["--every", "1s", "--scenario", "/dev/null"], ["--scenario", "--every"]),
], ids=str)
def test_a_pace_without_input_is_a_usage_error(options, words):
    assert_fails(wsx("connect", *options, "echo:"), 2, *words)
