"""Messages travel byte for byte through every pair of input and output formats."""

import base64
import json
import random

import pytest

from processes import Listener, assert_fails, wsx
from scripted_server import ScriptedServer
import wire

ALL_BYTES = bytes(range(256))
MESSAGES = [ALL_BYTES, b"", b"a", b"\n", b"\0", b"\r\n\0", ALL_BYTES[::-1] * 1000, b'{"x":"\xc3\xa9"}']


def event(payload, **members):
    return json.dumps({"type": "message", "base64": base64.b64encode(payload).decode(), **members}).encode() + b"\n"


def without(byte):
    return [message.replace(byte, b"") for message in MESSAGES]


# How each input format encodes messages, and the messages it can represent.
INPUTS = {
    "lines": (lambda messages: b"".join(message + b"\n" for message in messages), without(b"\n")),
    "nul": (lambda messages: b"".join(message + b"\0" for message in messages), without(b"\0")),
    "message": (b"".join, [ALL_BYTES * 300]),
    "hex": (lambda messages: b"".join(message.hex().encode() + b"\n" for message in messages), MESSAGES),
    "base64": (lambda messages: b"".join(base64.b64encode(message) + b"\n" for message in messages), MESSAGES),
    "json": (lambda messages: b"".join(map(event, messages)), MESSAGES),
}


def read_json(out):
    events = [json.loads(line) for line in out.decode().splitlines()]
    messages = [event for event in events if event["type"] == "message"]
    payloads = [
        event["data"].encode() if "data" in event else base64.b64decode(event["base64"], validate=True)
        for event in messages
    ]
    assert [event["bytes"] for event in messages] == list(map(len, payloads))
    assert all(event["opcode"] == "binary" for event in messages)
    return payloads


def joined(end):
    return lambda messages: b"".join(message + end for message in messages)


# How each output format encodes messages.
OUTPUTS = {
    "text": joined(b"\n"),
    "raw": joined(b""),
    "nul": joined(b"\0"),
    "hex": lambda messages: b"".join(message.hex().encode() + b"\n" for message in messages),
    "base64": lambda messages: b"".join(base64.b64encode(message) + b"\n" for message in messages),
}


def run(url, *arguments, stdin=b"", count=None):
    ending = ("--linger", "500ms") if count is None else ("-n", str(count))
    result = wsx("connect", *ending, *arguments, url, stdin=stdin)
    assert (result.status, result.err) == (0, ""), result
    return result.out


# The unit tests of RecordSplitter, InputDecoder, and EventWriter have more messages of each format.
@pytest.mark.parametrize("given, wanted", zip(INPUTS, [*OUTPUTS, "json"]))
def test_each_format_of_input_and_output_is_byte_exact(wsx_echo, given, wanted):
    encode, messages = INPUTS[given]
    out = run(
        wsx_echo.url, "--binary", "--input", given, "--output", wanted, stdin=encode(messages), count=len(messages))
    if wanted == "json":
        assert read_json(out) == messages
    else:
        assert out == OUTPUTS[wanted](messages)


@pytest.mark.parametrize("wanted", OUTPUTS)
def test_chunks_are_byte_exact_in_every_format(wsx_echo, wanted):
    stream = random.randbytes(300_000)
    out = run(wsx_echo.url, "--input", "chunks", "--output", wanted, stdin=stream)
    if wanted == "raw":
        assert out == stream
    elif wanted == "hex":
        assert bytes.fromhex(out.replace(b"\n", b"").decode()) == stream
    elif wanted == "base64":
        assert b"".join(base64.b64decode(line, validate=True) for line in out.splitlines()) == stream
    else:
        assert out.startswith(stream[:1000])


def test_large_messages_can_be_encoded_as_text(wsx_echo):
    message = random.randbytes(5_000_000)
    line = message.hex().encode() + b"\n"
    assert run(wsx_echo.url, "--input", "hex", "--output", "hex", stdin=line, count=1) == line
    line = base64.b64encode(message) + b"\n"
    assert run(wsx_echo.url, "--input", "base64", "--output", "base64", stdin=line, count=1) == line
    assert read_json(run(wsx_echo.url, "--input", "json", "--output", "json", stdin=event(message), count=1)) == [message]


def kinds_of(*arguments, stdin):
    """Returns the opcodes and payloads of the messages a server receives."""
    def script(peer):
        peer.upgrade()
        received = []
        while (frame := peer.read_frame()).opcode != wire.CLOSE:
            received.append((frame.opcode, frame.payload))
        peer.send(wire.frame(wire.CLOSE, frame.payload))
        return received

    with ScriptedServer(script) as server:
        result = wsx("connect", "--compress=off", "--linger", "0", *arguments, server.url, stdin=stdin)
        assert (result.status, result.err) == (0, ""), result
    return server.results[0]


def test_json_events_become_messages_and_control_frames():
    events = b"""
        {"type":"message","data":"h\\u00e9"}
        {"type":"message","opcode":"binary","data":"x","unknown":[{}]}
        {"type":"listening"}
        {"type":"ping","data":"a"}
        {"type":"message","base64":"_w"}
        {"type":"pong","base64":"/w=="}
        {"type":"error","kind":"lost"}
    """
    assert kinds_of("--input", "json", stdin=events) == [
        (wire.TEXT, "hé".encode()), (wire.BINARY, b"x"), (wire.PING, b"a"), (wire.BINARY, b"\xff"), (wire.PONG, b"\xff")]


@pytest.mark.parametrize("members, payload", [
    (b'"code":4000,"reason":"bye"', b"\x0f\xa0bye"), (b'"code":1005,"reason":""', b""),
    (b'"code":1006', b"\x03\xe8"), (b'"code":1015', b"\x03\xe8")])
def test_a_close_event_starts_the_closing_handshake_and_ends_the_input(members, payload):
    def script(peer):
        peer.upgrade()
        first = peer.read_frame()
        closing = peer.read_frame()
        peer.send(wire.frame(wire.CLOSE, closing.payload))
        return first.payload, closing.opcode, closing.payload

    events = b'{"type":"message","data":"x"}\n{"type":"close",' + members + b'}\n{"type":"message","data":"late"}\nno'
    with ScriptedServer(script) as server:
        result = wsx("connect", "--compress=off", "--linger", "100ms", "--input", "json", server.url, stdin=events)
        assert (result.status, result.err) == (0, ""), result
    assert server.results == [(b"x", wire.CLOSE, payload)]


@pytest.mark.parametrize("given, stdin, words", [
    ("hex", b"00\n0g\n", ("input message 2", "byte 2 is not a hexadecimal digit")),
    ("hex", b"000\n", ("input message 1", "odd number of hexadecimal digits")),
    ("base64", b"AA==\nAA=\n", ("input message 2", "padding")),
    ("base64", b"A*==\n", ("input message 1", "byte 2")),
    ("json", b'["message"]\n', ("input line 1", "not a JSON object")),
    ("json", b'{"type":"message","data":"\\ud800"}\n', ("input line 1", "surrogate")),
    ("json", b'{"type":"\x1b[31m"\n', ("input line 1", "byte 10")),
    ("json", b'{"type":"message","data":"\xff"}\n', ("input line 1", "UTF-8")),
    ("json", b'{"type":"close","code":70000}\n', ("input line 1", "'code'")),
])
def test_bad_input_ends_the_run_with_a_reason(wsx_echo, given, stdin, words):
    assert_fails(wsx("connect", "--input", given, wsx_echo.url, stdin=stdin), 2, *words)


def test_json_output_is_valid_json_input(wsx_echo):
    first = run(wsx_echo.url, "--output", "json", stdin="ä\n\n\x1b]0;x\x07\n".encode(), count=3)
    second = run(wsx_echo.url, "--input", "json", stdin=first)
    assert second == "ä\n\n\x1b]0;x\x07\n".encode()


def test_events_of_a_server_go_to_all_clients_or_to_one():
    with Listener("--input", "json", "--output", "json", stdin=-1) as listener:
        first = Client(listener.url)
        listener.wait_for(r'"type":"open".*"client":1', "out")
        second = Client(listener.url)
        listener.wait_for(r'"type":"open".*"client":2', "out")
        with first, second:
            for line in (
                '{"type":"message","data":"both"}', '{"type":"message","data":"one","client":2}',
                '{"type":"message","data":"nobody","client":9}', "x", '{"type":"close","client":2,"code":4000}',
                '{"type":"message","data":"still"}',
            ):
                listener.send(line.encode() + b"\n")
            first.wait_for("both\nstill\n", "out")
            second.wait()
            assert (first.out, second.out) == (b"both\nstill\n", b"both\none\n")
            assert "4000" in second.err
        assert "input line 3 was not sent: there is no client 9" in listener.err
        assert "input line 4 was not sent: it is not valid JSON: unexpected character at byte 1" in listener.err


def Client(url):
    from processes import BINARY, Running

    return Running([BINARY, "connect", "--no-stdin", url])
