"""Servers that violate RFC 6455 after the upgrade: status 5, one line, and the right close code."""

import pytest

import wire
from processes import assert_fails, wsx
from scripted_server import ScriptedServer


def violated(data, *arguments):
    """Sends `data` after the upgrade. Returns the result of connect and the close code it sends."""

    def script(peer):
        peer.upgrade()
        peer.send(wire.text("before") + data)
        received = peer.read_until_close()
        peer.read_to_end()
        return received and received.close_code

    with ScriptedServer(script) as server:
        result = wsx("connect", "--no-stdin", *arguments, server.url)
    assert result.out == b"before\n"
    return result, server.results[0]


@pytest.mark.parametrize(
    "data, words",
    [
        (wire.text("x", reserved=4), "RSV1"),
        (wire.text("x", is_masked=True), "masked"),
        (wire.frame(wire.BINARY, claimed_length=1 << 63), "2^63"),
        (wire.frame(wire.PING, is_final=False), "fragmented"),
        (wire.frame(wire.CONTINUATION, b"x"), "continuation"),
        (wire.frame(wire.CLOSE, b"\x03"), "one byte"),
    ],
    ids=lambda value: value if isinstance(value, str) else "")
def test_a_protocol_violation_exits_5_and_closes_with_1002(data, words):
    result, close_code = violated(data)
    assert_fails(result, 5, words, "closed with 1002")
    assert close_code == 1002


@pytest.mark.parametrize(
    "data",
    [
        wire.text(b"\xff"),
        wire.text(b"\xe6\xb0", is_final=False) + wire.frame(wire.CONTINUATION, b"x"),
        wire.text(b"\xff", is_final=False),
    ],
    ids=repr)
def test_text_that_is_not_utf8_exits_5_and_closes_with_1007(data):
    result, close_code = violated(data)
    assert_fails(result, 5, "UTF-8", "closed with 1007")
    assert close_code == 1007


@pytest.mark.parametrize("length", [(1 << 63) - 1, (64 << 20) + 1])
def test_a_length_over_the_limit_exits_1_and_closes_with_1009_without_waiting_for_the_payload(length):
    result, close_code = violated(wire.frame(wire.BINARY, b"only this", claimed_length=length))
    assert_fails(result, 1, "larger than 67108864 bytes; raise --max-message-size to accept it", "closed with 1009")
    assert close_code == 1009


def test_fragments_over_the_limit_exit_1_and_name_the_option():
    data = wire.text("x" * 600, is_final=False) + wire.frame(wire.CONTINUATION, b"x" * 600, is_final=False)
    result, close_code = violated(data, "--max-message-size", "1k")
    assert_fails(result, 1, "larger than 1024 bytes; raise --max-message-size to accept it (message-too-big")
    assert close_code == 1009


def test_too_many_fragments_exit_1_and_close_with_1008():
    data = wire.text("", is_final=False) + wire.frame(wire.CONTINUATION, is_final=False) * 200_000
    result, close_code = violated(data)
    assert_fails(result, 1, "more than 131072 fragments; raise --max-fragments to accept it", "closed with 1008")
    assert close_code == 1008


@pytest.mark.parametrize("count", [1, 9])
def test_a_truncated_frame_and_the_end_of_the_stream_exits_1(count):
    data = wire.frame(wire.BINARY, b"y" * 70_000)[:count]

    with ScriptedServer(lambda peer: peer.upgrade(then=wire.text("before") + data)) as server:
        result = wsx("connect", "--no-stdin", server.url)
    assert_fails(result, 1, "lost")
    assert result.out == b"before\n"


@pytest.mark.parametrize("count", [2, 20])
def test_a_truncated_frame_and_silence_exits_6_if_the_close_is_not_answered(count):
    def script(peer):
        peer.upgrade(then=wire.text("before") + wire.text("x" * 100)[:count])
        return peer.read_until_close().close_code, peer.read_to_end()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--linger", "100ms", "--close-timeout", "200ms", server.url)
    assert_fails(result, 6, "no answer from the peer within 200 ms")
    assert (result.out, server.results) == (b"before\n", [(1000, b"")])


def test_unusual_but_valid_frames_are_accepted():
    data = (
        wire.text("a", is_final=False) + wire.frame(wire.PING, b"x") + wire.frame(wire.CONTINUATION, is_final=False)
        + wire.frame(wire.PONG, b"y" * 125) + wire.frame(wire.CONTINUATION, b"\xc3", is_final=False)
        + wire.frame(wire.CONTINUATION, b"\xa9") + wire.text("") + wire.close(1000, b"z" * 123))

    def script(peer):
        peer.upgrade(then=data)
        return peer.read_frame().opcode, peer.read_until_close().close_code

    with ScriptedServer(script) as server:
        result = wsx("connect", "--no-stdin", server.url)
    assert (result.status, result.out, result.err) == (0, "aé\n\n".encode(), "")
    assert server.results == [(wire.PONG, 1000)]


def test_a_violation_is_also_reported_as_an_event():
    def script(peer):
        peer.upgrade(then=wire.text("x", reserved=4))
        peer.read_to_end()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--no-stdin", "--output", "json", server.url)
    assert_fails(result, 5)
    assert b'"type":"error"' in result.out and b'"kind":"protocol"' in result.out
