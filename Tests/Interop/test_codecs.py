"""Codecs of `wsx connect`: `--decode` and `--encode`. Payloads are written out, so no codec is needed here."""

import json
import os
import signal
import sys
import zlib

import pytest

import wire
from processes import BINARY, RECONNECT, Running, assert_fails, wait_until, wsx
from scripted_server import ScriptedServer
from terminal import Screen
from test_repl import Conversation

# The same value in each format.
TEXT = '{"id":7,"ok":true}'
MSGPACK = bytes.fromhex("82a2696407a26f6bc3")
CBOR = bytes.fromhex("a262696407626f6bf5")


class Service:
    """Sends binary messages, then answers each message with itself until the client closes."""

    def __init__(self, *messages):
        self.messages = messages
        self.received = []

    def __call__(self, peer):
        peer.upgrade()
        for message in self.messages:
            peer.send(wire.frame(wire.BINARY, message))
        while (frame := peer.read_frame()).opcode != wire.CLOSE:
            if frame.opcode == wire.PING:
                peer.send(wire.frame(wire.PONG, frame.payload))
                continue
            self.received.append((frame.opcode, frame.payload))
            peer.send(wire.frame(frame.opcode, frame.payload))
        peer.send(wire.frame(wire.CLOSE, frame.payload))


def received(*messages, options=(), status=0):
    """Returns the result of a run that receives these binary messages."""
    with ScriptedServer(Service(*messages)) as server:
        result = wsx("connect", "--count", str(len(messages)), *options, server.url, "--no-stdin")
    assert result.status == status, result
    return result


@pytest.mark.parametrize("codec, message", [("msgpack", MSGPACK), ("cbor", CBOR), ("auto", MSGPACK), ("auto", CBOR),
                                            ("json", TEXT.encode()), ("gzip", zlib.compress(TEXT.encode())),
                                            ("deflate", zlib.compress(TEXT.encode())[2:-4]), ("text", TEXT.encode())])
def test_binary_messages_are_written_as_json(codec, message):
    assert received(message, message, options=["--decode", codec]).out.decode() == f"{TEXT}\n" * 2


def test_events_tell_that_a_message_was_binary_and_decoded():
    result = received(MSGPACK, b"\xc1", options=["--decode", "msgpack", "--output", "json"])
    first, second = [event for event in map(json.loads, result.out.splitlines()) if event["type"] == "message"]
    assert (first["opcode"], first["bytes"], first["data"], first["decoded"]) == ("binary", 9, TEXT, "msgpack")
    assert (second["opcode"], second["bytes"], second["base64"]) == ("binary", 1, "wQ==")
    assert second["decode_error"].startswith("msgpack: ") and "decoded" not in second


@pytest.mark.parametrize("output, expected", [("raw", MSGPACK), ("hex", MSGPACK.hex().encode() + b"\n"),
                                              ("nul", TEXT.encode() + b"\0")])
def test_byte_formats_keep_the_original_bytes(output, expected):
    assert received(MSGPACK, options=["--decode", "msgpack", "--output", output]).out == expected


def test_recordings_keep_the_original_bytes_and_replay(tmp_path):
    path = tmp_path / "session.jsonl"
    with ScriptedServer(Service()) as server:
        wsx("connect", "--encode", "msgpack", "--decode", "msgpack", "-1", "--record", path, server.url, TEXT)
    events = [json.loads(line) for line in path.read_text().splitlines()]
    messages = [event for event in events if event["type"] == "message"]
    assert [(event["direction"], event["opcode"], event["bytes"]) for event in messages] == [
        ("out", "binary", 9), ("in", "binary", 9)]
    service = Service()
    with ScriptedServer(service) as server:
        result = wsx("connect", "--input", "json", "--decode", "msgpack", server.url, stdin=path.read_bytes())
    assert service.received == [(wire.BINARY, MSGPACK)]
    assert result.out.decode() == f"{TEXT}\n"


@pytest.mark.parametrize("options, expected", [
    (["--until", '"id":7'], TEXT), (["--expect", "^{", "-n1"], TEXT), (["--pick", ".id", "-n1"], "7"),
    (["--correlate", "id", "-1"], TEXT), (["--answer", '"id":(7) => {"got":$1}', "-n2"], TEXT + '\n{"got":7}'),
    (["--template", "-n1"], TEXT)], ids=lambda value: value[0] if isinstance(value, list) else "")
def test_everything_that_inspects_messages_sees_the_json(options, expected):
    with ScriptedServer(Service()) as server:
        result = wsx("connect", "--encode=msgpack", "--decode=msgpack", *options, server.url, TEXT)
    assert (result.status, result.out.decode(), result.err) == (0, expected + "\n", "")


def test_all_messages_that_are_sent_are_encoded():
    service = Service()
    with ScriptedServer(service) as server:
        wsx("connect", "--encode=msgpack", "--first-message=1", "-n3", server.url, stdin=b"2\n[3]\n")
    assert service.received == [(wire.BINARY, b"\x01"), (wire.BINARY, b"\x02"), (wire.BINARY, b"\x91\x03")]


def test_json_rpc_calls_are_encoded():
    with ScriptedServer(Service()) as server:
        result = wsx("connect", "--encode=cbor", "--decode=cbor", "--json-rpc", "--reply-timeout", "200ms", server.url, "sum 1 2")
    # An echo is no reply.
    assert result.status == 6
    assert json.loads(result.out) == {"jsonrpc": "2.0", "method": "sum", "params": [1, 2], "id": 1}


def test_undecodable_messages_are_written_unchanged_with_a_reason():
    result = received(*[b"\xc1\xff"] * 15, MSGPACK, options=["--decode", "msgpack"])
    assert result.out == b"\xc1\xff\n" * 15 + TEXT.encode() + b"\n"
    lines = result.err.splitlines()
    assert len(lines) == 11
    assert lines[0].startswith("wsx: a message was not decoded: msgpack: ")
    assert lines[-1] == "wsx: further messages that cannot be decoded are not reported"


# Programs


DECODER = """
import base64, sys
for line in sys.stdin:
    print(base64.b64decode(line).decode().upper(), flush=True)
"""


@pytest.fixture
def decoder(tmp_path):
    path = tmp_path / "decoder.py"
    path.write_text(DECODER)
    return f"exec:{sys.executable} {path}"


def test_the_answers_of_a_program_may_have_another_codec(decoder):
    result = received(zlib.compress(b'[ "a" ]'), options=["--decode=gzip", "--decode", decoder, "--decode=json"])
    assert result.out == b'["A"]\n'


def test_a_program_that_answers_nothing_does_not_block_the_end(tmp_path):
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nexec sleep 1000\n")
    program.chmod(0o755)
    service = Service(b"1")
    with ScriptedServer(service) as server:
        result = wsx("connect", "--decode", f"exec:{program}", "--close-timeout", "200ms", server.url, "x")
    assert (result.status, result.out) == (1, b"1\nx\n")
    assert result.err == "wsx: program did not answer in time (--decode)\n"


def test_a_line_that_answers_no_message_is_an_error():
    result = received(b"1", options=["--decode", "exec:echo -e 1\\n2\\n3"], status=1)
    assert "a line that answers no message" in result.err or "exited" in result.err


# Programs that encode


ENCODER = """\
import base64, sys
for line in sys.stdin:
    text = line.rstrip("\\n")
    print("" if text == "bad" else base64.b64encode(text.upper().encode()).decode() or " ", flush=True)
"""


@pytest.fixture
def encoder(tmp_path):
    path = tmp_path / "encoder.py"
    path.write_text(ENCODER)
    return f"exec:{sys.executable} {path}"


class Receiver:
    """Keeps the messages of a client, and closes after some."""

    def __init__(self, close_after=None):
        self.frames = []
        self.close_after = close_after

    def __call__(self, peer):
        peer.upgrade()
        while frame := peer.read_frame():
            self.frames.append((frame.opcode, frame.payload))
            if frame.opcode == wire.PING:
                peer.send(wire.frame(wire.PONG, frame.payload))
            if frame.opcode == wire.CLOSE or len(self.frames) == self.close_after:
                peer.send(wire.close(1000))
                return


def sent(*arguments, stdin=b"", close_after=None):
    """Returns the result of a run, and the frames that the server has received."""
    receiver = Receiver(close_after)
    with ScriptedServer(receiver) as server:
        result = wsx("connect", *arguments[:-1], server.url, *arguments[-1], stdin=stdin)
    return result, receiver.frames


def test_a_program_encodes_many_messages_in_order(encoder):
    lines = [b"message %d" % number for number in range(10_000)]
    result, frames = sent("--encode", encoder, "--linger", "0", [], stdin=b"\n".join(lines))
    assert (result.status, result.err) == (0, "")
    assert frames[:-1] == [(wire.BINARY, line.upper()) for line in lines]
    assert frames[-1][0] == wire.CLOSE


def test_a_program_encodes_operands_first_messages_and_empty_messages(encoder):
    result, frames = sent("--encode", encoder, "--first-message", "login", "--linger", "0", ["a", "", "b"])
    assert (result.status, result.err) == (0, "")
    assert frames[:-1] == [(wire.BINARY, text) for text in (b"LOGIN", b"A", b"", b"B")]


def test_requests_are_encoded_by_a_program_and_matched_in_their_text(encoder):
    def serve(peer):
        peer.upgrade()
        for _ in range(2):
            assert peer.read_frame().opcode == wire.BINARY
        peer.send(wire.text('{"id":2}') + wire.text('{"id":1}'))
        peer.answer_close()

    with ScriptedServer(serve) as server:
        result = wsx("connect", "--encode", encoder, "--correlate", "id", "--output", "json", server.url, '{"id":1}', '{"id":2}')
    assert (result.status, result.err) == (0, "")
    assert [event["request"] for event in map(json.loads, result.lines) if event["type"] == "message"] == [2, 1]


def test_a_recording_has_each_message_once_as_a_program_has_encoded_it(encoder, tmp_path):
    (tmp_path / "file").write_bytes(b"\xff")
    result, _ = sent(
        "--encode", encoder, "--linger", "0", "--record", tmp_path / "r", "--input", "json", [],
        stdin=b'{"type":"message","data":"a"}\n{"type":"message","opcode":"binary","data":"/w==","encoding":"base64"}\n')
    assert (result.status, result.err) == (0, "")
    events = [json.loads(line) for line in (tmp_path / "r").read_text().splitlines()]
    assert [(event["opcode"], event["data"]) for event in events if event["type"] == "message"] == [
        ("binary", "A"), ("binary", "/w==")]


def test_a_message_that_a_program_refuses_is_an_error(encoder):
    result, frames = sent("--encode", encoder, "--linger", "0", [], stdin=b"good\nbad\nbetter\n")
    assert_fails(result, 2, "input message 2: exec: ", "answered with an empty line")
    assert [frame for frame in frames if frame[0] == wire.BINARY] == [(wire.BINARY, b"GOOD")]
    result = wsx("connect", "--encode", encoder, "ws://127.0.0.1:1", "good", "bad")
    assert_fails(result, 2, "message 2: exec: ", "answered with an empty line")


def test_a_message_with_a_line_break_is_an_error_for_a_program(encoder):
    result = wsx("connect", "--encode", encoder, "ws://127.0.0.1:1", "a\nb")
    assert_fails(result, 2, "message 1: exec: ", "line break")


def script(path, text):
    """Writes a shell script, and returns its path."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    "text, words",
    [("exit 1", "exited with status 1"), ("exec sleep 1000", "did not answer in time"),
     ("read -r line; echo '?!'; exec sleep 1000", "wrote a line that is not Base64"),
     ("exec yes", "program wrote a line that"), ("exec cat /dev/zero", "wrote a line of more than"),
     ("read -r line; printf 'QQ==\\nQQ==\\n'; exec sleep 1000", "wrote a line that answers no message")])
@pytest.mark.parametrize("is_operand", [True, False])
def test_a_program_that_does_not_encode_ends_the_run(tmp_path, text, words, is_operand):
    program = script(tmp_path / "program", text)
    result, frames = sent(
        "--encode", f"exec:{program}", "--close-timeout", "500ms", "--max-message-size", "100k",
        ["x", "y"] if is_operand else [], stdin=b"" if is_operand else b"x\ny\n")
    assert (result.status, result.err.endswith(" (--encode)\n"), words in result.err) == (1, True, True), result
    assert wire.BINARY not in [opcode for opcode, _ in frames], frames


def test_a_program_that_writes_much_and_logs_much_does_not_block_the_run(tmp_path):
    program = script(
        tmp_path / "program",
        "while read -r line; do head -c 300000 /dev/zero | tr '\\0' x >&2; echo >&2; printf %s \"$line\" | base64 -w0; echo; done")
    lines = [bytes([65 + number]) * 1_000_000 for number in range(3)]
    result, frames = sent("--encode", f"exec:{program}", "--linger", "0", [], stdin=b"\n".join(lines))
    assert (result.status, frames[:-1]) == (0, [(wire.BINARY, line) for line in lines]), result.err[-300:]


@pytest.mark.parametrize("operands", [["x"], []])
def test_ctrl_c_ends_the_wait_for_a_program(tmp_path, operands):
    started = tmp_path / "started"
    program = script(tmp_path / "program", f"echo $$ > {started}.new; mv {started}.new {started}; exec sleep 1000")
    with Running([BINARY, "connect", "--encode", f"exec:{program}", "--close-timeout", "1000s", "echo:", *operands],
                 stdin=-1) as client:
        client.send(b"x\n")
        wait_until(started.exists)
        client.signal(signal.SIGINT)
        assert client.wait() == 130
    wait_until(lambda: not os.path.exists(f"/proc/{int(started.read_text())}"))


@pytest.mark.parametrize("operands", [["x"], []])
def test_the_time_limit_of_the_run_ends_the_wait_for_a_program(tmp_path, operands):
    program = script(tmp_path / "program", "exec sleep 1000")
    result = wsx("connect", "--encode", f"exec:{program}", "--close-timeout", "1000s", "--timeout", "300ms", "echo:",
                 *operands, stdin=b"x\n")
    assert_fails(result, 6, "300 ms", "--timeout")


@pytest.mark.parametrize("option", ["--encode", "--decode"])
def test_no_program_outlives_the_run(tmp_path, option):
    program = script(tmp_path / "program", f"trap '' TERM HUP INT; echo $$ > {tmp_path}/pid; while :; do sleep 0.1; done")
    kind = ["--binary"] if option == "--decode" else []
    result = wsx("connect", option, f"exec:{program}", "--close-timeout", "300ms", "--linger", "0", *kind, "echo:", "x")
    assert (result.status, "did not answer in time" in result.err) == (1, True), result
    wait_until((tmp_path / "pid").exists)
    wait_until(lambda: not os.path.exists(f"/proc/{int((tmp_path / 'pid').read_text())}"))


def test_a_program_encodes_messages_again_after_a_reconnect(encoder):
    frames = []

    def serve(peer):
        peer.upgrade()
        frames.append(peer.read_frame().payload)
        if len(frames) > 1:
            peer.answer_close()

    with ScriptedServer(serve) as server:
        result = wsx("connect", *RECONNECT, "--encode", encoder, "--linger", "0", server.url, stdin=b"a\n")
    assert (result.status, frames) == (0, [b"A", b"A"]), result


def test_a_program_that_encodes_is_checked_before_connecting():
    result = wsx("connect", "--encode", "exec:/nonexistent/program", "ws://127.0.0.1:1", "x")
    assert_fails(result, 2, "--encode exec", "/nonexistent/program")
    assert_fails(wsx("bench", "--mode", "request", "--encode", "exec:cat", "-m", "x", "echo:"), 2, "msgpack", "cbor")


# The prompt and changes


@pytest.fixture
def screen():
    with Screen(width=100, height=40) as screen:
        yield screen


def test_the_prompt_shows_json_and_reasons(screen):
    with Conversation() as server:
        screen.enter(f"$WSX connect --color never --encode msgpack --decode msgpack {server.url}")
        screen.wait_for_last_line(">")
        server.send(wire.frame(wire.BINARY, MSGPACK) + wire.frame(wire.BINARY, b"\x81"))
        screen.wait_for(r'#1 ← {"id":7,"ok":true}')
        screen.wait_for(r"#2 ← \(msgpack: the data is incomplete\) binary")
        screen.enter("hello")
        screen.wait_for("the line was not sent: msgpack: not JSON")
        screen.enter("/find id")
        screen.wait_for("Found 1 message")
        screen.press("C-d")


def test_the_prompt_shows_changes(screen):
    with Conversation() as server:
        screen.enter(f"$WSX connect --color never {server.url}")
        screen.wait_for_last_line(">")
        screen.enter("/diff")
        screen.wait_for("Showing only changes")
        for number in (1, 2):
            server.send(wire.text('{"type":"tick","price":%d,"name":"x"}' % number))
        screen.wait_for("#2 ← tick: .price 1 → 2")
        screen.enter("/show 2")
        screen.wait_for('"price": 2')
        screen.enter("/diff off")
        screen.wait_for("Showing whole messages.")
        server.send(wire.text('{"type":"tick","price":3}'))
        screen.wait_for('#3 ← {"type":"tick","price":3}')
        screen.press("C-d")


def test_changes_are_written_to_a_pipe(python_echo):
    lines = b'{"type":"a","x":1}\n{"type":"b","x":1}\n{"type":"a","x":2,"y":[1]}\nno JSON\n{"type":"a","x":2}\n'
    result = wsx("connect", "--diff", python_echo.url, stdin=lines)
    assert result.out.decode().splitlines() == [
        '{"type":"a","x":1}', '{"type":"b","x":1}', "a: .x 1 → 2  +.y [1]", "no JSON", "a: -.y"]
    result = wsx("connect", "--diff=/s", python_echo.url, stdin=b'{"s":1,"x":1}\n{"s":2,"x":1}\n{"s":1,"x":3}\n')
    assert result.out.decode().splitlines()[2] == "1: .x 1 → 3"
    result = wsx("connect", "--diff", "--output=json", "echo:", "x")
    assert (result.status, json.loads(result.err)["option"]) == (2, "--diff")


def test_the_prompt_continues_after_a_line_that_a_program_does_not_encode(screen, encoder, tmp_path):
    path = tmp_path / "encoder.py"
    path.write_text(path.read_text().replace("    print", "    if text == 'exit': sys.exit(3)\n    print"))
    with Conversation() as server:
        screen.enter(f"$WSX connect --color never --encode '{encoder}' {server.url}; echo status $?")
        screen.wait_for_last_line(">")
        screen.enter("bad")
        screen.wait_for("the line was not sent: exec: .* answered with an empty line")
        screen.enter("good")
        assert server.wait_for_frame(wire.BINARY).payload == b"GOOD"
        screen.enter("exit")
        screen.wait_for(r"the line was not sent: exec: .* exited with status 3 \(--encode\)")
        screen.enter("more")
        wait_until(lambda: any(frame.payload == b"MORE" for frame in server.frames))
        screen.press("C-d")
        screen.wait_for("status 0")
