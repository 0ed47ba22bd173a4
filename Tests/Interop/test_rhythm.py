"""The pace of the input of `wsx connect`, and what is around it: --input chunks:SIZE, --every, --wrap, --last-message."""

import contextlib
import json
import os
import threading
import time

import pytest

import wire
from processes import BINARY, ROOT, Listener, Running, assert_fails, wsx
from scripted_server import ScriptedServer
from terminal import Screen


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
    (["--input", "chunks:3", "--protocol", "mqtt"], ["--input chunks with --protocol", "--wrap"]),
    (["--input", "hex", "--encode", "cbor"], ["--input hex with --encode", "--wrap"]),
    (["--input", "chunks:3", "--wrap", "{{input}}", "--binary", "--protocol", "mqtt"], ["--binary", "--protocol"]),
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
        while peer.read_next():
            has_begun.set()

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


# --wrap


@pytest.mark.parametrize("options, stdin, messages", [
    (["--wrap", '{"a":"{{input | base64}}"}', "--input", "chunks:2"], b"\0\xffc", ['{"a":"AP8="}', '{"a":"Yw=="}']),
    (["--wrap", '{"t":{{json:input}}}'], b'a"b\n\n', ['{"t":"a\\"b"}', '{"t":""}']),
    (["--wrap", "{{seq}}:{{input}}", "--input", "nul"], b"a\nb\0c\0", ["1:a\nb", "2:c"]),
    (["--wrap", "<{{input}}>", "--input", "hex"], b"6162\n63\n", ["<ab>", "<c>"]),
    (["--wrap", "<{{input}}>", "--input", "message"], b"a\nb\n", ["<a\nb\n>"]),
    (["--wrap", "{{input}}{{seq}}", "--template"], b"{{x}}\n{{{{\n", ["{{x}}1", "{{{{2"]),
    (["--wrap", "{{input}} {{name}}", "--param", "name=n"], b"a\n", ["a n"]),
    (["--wrap", "<{{input}}>", "-x", "first", "-i"], b"a\n", ["first", "<a>"]),
    (["--wrap", "{{input | hex}}", "--every", "1ms", "--input", "chunks:1"], b"ab", ["61", "62"]),
], ids=str)
def test_a_text_is_around_each_message_of_the_input(options, stdin, messages):
    assert sent(*options, stdin=stdin) == texts(*messages)


@pytest.mark.parametrize("options, stdin, messages", [
    (["--wrap", "<{{input}}>"], b"a\xff\n", [b"<a\xff>"]),
    (["--wrap", "{{input | unbase64}}!"], b"AP8=\n", [b"\0\xff!"]),
    (["--wrap", ".{{input}}", "--input", "chunks:1"], b"\xff\xfe", [b".\xff", b".\xfe"]),
], ids=str)
def test_with_binary_the_result_may_be_any_bytes(options, stdin, messages):
    assert sent("--binary", *options, stdin=stdin) == [(wire.BINARY, message) for message in messages]


def test_a_file_is_one_piece_and_messages_are_not_wrapped(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(b"\0\xff\n")
    assert sent("--wrap", "<{{input | hex}}>", "-x", "plain", "-f", path) == texts("plain", "<00ff0a>")
    with collector() as server:
        result = wsx("connect", "--wrap", "<{{input}}>", "-f", path, server.url)
        assert_fails(result, 2, "--wrap", "UTF-8", "base64")
        # The run has ended before it connects.
        assert wsx("connect", server.url, "x").status == 0
    assert server.results == [texts("x")]


@pytest.mark.parametrize("options", [
    ["--wrap", "<{{input}}>"], ["--wrap", "<{{json:input}}>"], ["--wrap", "<{{json:input}}>", "--binary"],
    ["--wrap", "<{{input | append:input}}>"],
], ids=str)
def test_input_that_must_be_text_ends_the_run(options):
    with collector() as server:
        result = wsx("connect", *options, server.url, stdin=b"a\n\xff\nb\n")
        assert_fails(result, 2, "input message 2", "UTF-8")
    assert len(server.results[0]) == 1


def test_wrapped_lines_are_requests_that_insert_values_of_replies():
    result = wsx(
        "connect", "--request", "--wrap", "[{{last:. | default:none}} {{input}}]", "--last-message", "end {{last:.}}",
        "echo:", stdin=b"a\nb\n")
    assert (result.status, result.lines, result.err) == (0, ["[none a]", "[[none a] b]", "end [[none a] b]"], "")


def test_wrapped_lines_are_calls_and_are_encoded():
    def script(peer):
        peer.upgrade()
        calls = []
        while (frame := peer.read_next()).opcode != wire.CLOSE:
            calls.append(json.loads(frame.payload))
            peer.send(wire.text(json.dumps({"jsonrpc": "2.0", "id": calls[-1]["id"], "result": 1})))
        peer.send(wire.frame(wire.CLOSE, frame.payload))
        return [(call["method"], call["params"]) for call in calls]

    with ScriptedServer(script) as server:
        result = wsx("connect", "--json-rpc", "--wrap", 'say {"t":{{json:input}}}', server.url, stdin=b"a\nb\n")
        assert (result.status, result.err) == (0, "")
    assert server.results[0] == [("say", {"t": "a"}), ("say", {"t": "b"})]
    options = ["--encode", "cbor", "--input", "chunks:1", "--wrap", '["{{input | hex}}"]']
    assert sent(*options, stdin=b"a\xff") == [(wire.BINARY, b"\x81\x6261"), (wire.BINARY, b"\x81\x62ff")]


def test_wrapped_lines_and_the_last_message_are_lines_of_a_protocol():
    def script(peer):
        peer.upgrade()
        lines = []
        while (frame := peer.read_next()).opcode != wire.CLOSE:
            lines.append(frame.payload.decode())
            peer.send(wire.text(json.dumps(["EOSE", json.loads(frame.payload)[1]])))
        peer.send(wire.frame(wire.CLOSE, frame.payload))
        return lines

    protocol = f"@{ROOT}/docs/protocols/nostr.json"
    with ScriptedServer(script) as server:
        result = wsx(
            "connect", "--protocol", protocol, "--request", "--input", "chunks:1", "--wrap", '["COUNT","{{input}}"]',
            "--last-message", '["COUNT","end"]', server.url, stdin=b"ab")
        assert (result.status, result.err) == (0, "")
    assert server.results[0] == ['["COUNT","a"]', '["COUNT","b"]', '["COUNT","end"]']


def test_a_line_that_is_sent_again_stays_the_same():
    def script(peer):
        peer.upgrade()
        first = peer.read_next()
        while first.opcode != wire.TEXT:
            first = peer.read_next()
        connections.append(first.payload)
        if len(connections) > 1:
            peer.answer_close()

    connections = []
    with ScriptedServer(script) as server:
        result = wsx(
            "connect", "--reconnect", "--reconnect-delay", "1ms", "--wrap", "{{input}} {{uuid}}", server.url,
            stdin=b"a\n")
        assert result.status == 0, result.err
    assert connections[0] == connections[1]


@pytest.mark.parametrize("options, words", [
    (["--wrap", "x"], ["--wrap", "{{input}}"]),
    (["--wrap", "{{input"], ["--wrap", "}}"]),
    (["--wrap", "{{inptu}}"], ["--wrap", "did you mean '{{input}}'?"]),
    (["--wrap", "{{input | base46}}"], ["--wrap", "did you mean 'base64'?"]),
    (["--wrap", "{{input}}", "--param", "input=1"], ["--wrap", "'input'"]),
    (["--wrap", "{{input}}", "-x", "a"], ["--wrap", "--interactive"]),
    (["--wrap", "{{input}}", "--no-stdin"], ["--wrap", "standard input is not read"]),
    (["--wrap", "{{input}}", "--input", "json"], ["--wrap", "--input=json"]),
    (["--wrap", "{{input}}", "--eol", "lf"], ["--wrap", "--eol"]),
    (["--wrap", "{{input}}", "--scenario", "/dev/null"], ["--wrap", "--scenario"]),
    (["--template", "-x", "{{input}}"], ["unknown placeholder '{{input}}'"]),
    (["--last-message", ""], ["--last-message", "got nothing"]),
    (["--last-message", "a", "--no-stdin"], ["--last-message", "--no-stdin"]),
    (["--last-message", "{{nam}}"], ["--last-message", "unknown placeholder '{{nam}}'"]),
    (["--last-message", "@/nonexistent"], ["--last-message", "/nonexistent"]),
    (["--last-message", "a", "--scenario", "/dev/null"], ["--last-message", "--scenario"]),
], ids=str)
def test_options_without_effect_and_bad_templates_are_usage_errors(options, words):
    assert_fails(wsx("connect", *options, "echo:"), 2, *words)


@pytest.mark.parametrize("option", ["--every=1s", "--wrap={{input}}", "--last-message=a"])
def test_a_program_and_a_load_do_not_take_them(option):
    name = option.split("=")[0]
    assert_fails(wsx("connect", option, "--exec", "echo:", "--", "cat"), 2, name, "--exec")
    assert_fails(wsx("bench", option, "echo:"), 2, name)


# --last-message


@pytest.mark.parametrize("options, stdin, messages", [
    ([], b"a\nb", ["a", "b", "end"]),
    ([], b"", ["end"]),
    (["-x", "a"], b"", ["a", "end"]),
    (["--wrap", "<{{input}}>"], b"a\n", ["<a>", "end"]),
    (["--every", "20ms"], b"a\nb\n", ["a", "b", "end"]),
    (["--reconnect"], b"a\n", ["a", "end"]),
], ids=str)
def test_the_last_message_follows_the_input(options, stdin, messages):
    assert sent("--last-message", "end", *options, stdin=stdin) == texts(*messages)


def test_the_last_message_is_text_also_with_binary_and_may_be_a_file_with_placeholders(tmp_path):
    path = tmp_path / "last"
    path.write_text("end {{name}}\n")
    assert sent("--binary", "--param", "name=n", "--last-message", f"@{path}", stdin=b"a\n") == [
        (wire.BINARY, b"a"), (wire.TEXT, b"end n")]


def test_the_reply_to_the_last_message_counts():
    result = wsx("connect", "-1", "--last-message", "end", "echo:", stdin=b"a\nb\n")
    assert (result.status, result.lines, result.err) == (0, ["a", "b", "end"], "")


def test_the_last_message_is_sent_once_per_run():
    def script(peer):
        peer.upgrade()
        messages = collect(peer, 2 if not connections else None)
        connections.append([payload for _, _, payload in messages])

    connections = []
    with ScriptedServer(script) as server:
        result = wsx(
            "connect", "--reconnect", "--reconnect-delay", "1ms", "--last-message", "end", server.url,
            stdin=b"a\nb\nc\n")
        assert result.status == 0, result.err
    assert connections[0] == [b"a", b"b"]
    assert connections[1][-1] == b"end" and connections[1].count(b"end") == 1


def test_a_last_message_that_is_not_sent_fails_the_run():
    def script(peer):
        peer.upgrade()
        payload = peer.read_next().payload
        peer.send(wire.close(1000))
        peer.read_next()
        return payload

    with ScriptedServer(script) as server:
        with Running([BINARY, "connect", "--last-message", "end", server.url], stdin=-1) as client:
            client.send(b"a\n")
            assert client.wait() == 1
            assert client.err == "wsx: closed with 1000 before 1 message was sent\n"
        # Without it, the server decides that it is done.
        with Running([BINARY, "connect", server.url], stdin=-1) as client:
            client.send(b"a\n")
            assert client.wait() == 0


def test_a_goal_that_is_met_before_does_not_need_the_last_message():
    with Running([BINARY, "connect", "--last-message", "end", "-n", "1", "echo:"], stdin=-1) as client:
        client.send(b"a\n")
        assert client.wait() == 0
    assert client.out == b"a\n"


# Audio that comes back


def test_only_audio_is_written():
    messages = [{"audio": "AAEC"}, {"audio": None}, {"text": "x"}, {"audio": "/w=="}]

    def script(peer):
        peer.upgrade(then=b"".join(wire.text(json.dumps(message)) for message in messages))
        peer.answer_close()

    for form, out in (("{data.audio | unbase64}", b"\0\1\2\xff"), ("{data.audio}", b"AAEC/w==")):
        with ScriptedServer(script) as server:
            result = wsx("connect", "--no-stdin", "-n", "4", "--output", "raw", "--format", form, server.url)
        assert (result.status, result.out, result.err) == (0, out, "")


# The prompt


def test_what_the_prompt_sends_is_wrapped(tmp_path):
    path = tmp_path / "f.txt"
    path.write_text("file")
    with Screen(width=100, height=30) as screen, collector() as server:
        screen.enter(
            "$WSX connect --timestamps off --color never --wrap '<{{input}}>' --define saved=s -x plain " + f"-i {server.url}")
        screen.wait_for_last_line(">")
        for line, shown in (("a", "<a>"), ("/binary hex 6263", "<bc>"), (f"/file {path}", "<file>"), ("/call saved", "<s>"),
                            ("/repeat 1", r"(?s)<s>.*<s>")):
            screen.enter(line)
            screen.wait_for(shown)
        screen.enter("/binary hex ff")
        screen.wait_for("not sent: it is not UTF-8")
        screen.enter("/connect ws://127.0.0.1:1/")
        screen.wait_for("/connect: --wrap: it may contain secrets")
        screen.press("C-d")
    assert server.results[0] == texts("plain", "<a>", "<bc>", "<file>", "<s>", "<s>")


@pytest.mark.parametrize("option", ["--every 1s", "--last-message a"])
def test_a_pace_and_an_end_need_a_pipe(option):
    with Screen(width=100, height=10) as screen:
        screen.enter(f"$WSX connect {option} echo:")
        screen.wait_for("standard input is a terminal")
