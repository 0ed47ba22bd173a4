"""The commands of the prompt that send, connect, and inspect, in a real terminal."""

import json
import os
import re
import select
import signal
import threading

import pytest

import wire
from processes import RECONNECT_LATER, Listener, wait_until, wsx
from scripted_server import ScriptedServer
from services import free_ports
from terminal import Screen
from test_repl import Conversation, content


@pytest.fixture
def screen():
    with Screen(width=140) as screen:
        yield screen


@pytest.fixture
def conversation(screen):
    """A prompt connected to a server that keeps every frame."""
    with Conversation() as server:
        screen.enter(f"$WSX connect {server.url}")
        screen.wait_for_last_line(">")
        yield server
        screen.press("C-c")
        screen.wait_for_last_line("shell$")


def messages(server):
    return [(frame.opcode, frame.payload) for frame in server.frames if frame.opcode in (wire.TEXT, wire.BINARY)]


def test_file_sends_a_whole_file_as_text_or_binary(screen, conversation, tmp_path):
    (tmp_path / "text file").write_bytes("zwölf\nlines\n".encode())
    (tmp_path / "bytes").write_bytes(bytes(range(256)))
    screen.enter(f"/file {tmp_path}/text file")
    screen.enter(f"/file {tmp_path}/bytes")
    screen.enter(f"/file binary {tmp_path}/text file")
    wait_until(lambda: len(messages(conversation)) == 3)
    assert messages(conversation) == [
        (wire.TEXT, "zwölf\nlines\n".encode()), (wire.BINARY, bytes(range(256))),
        (wire.BINARY, "zwölf\nlines\n".encode())]
    screen.enter(f"/file text {tmp_path}/bytes")
    screen.wait_for("/bytes: it is not UTF-8 text; use /file binary")
    screen.enter(f"/file {tmp_path}/none")
    screen.wait_for("/none: no such file or directory$")
    screen.enter("/file")
    screen.wait_for("^wsx: /file: the file name is missing; usage: /file ")
    assert len(messages(conversation)) == 3


def test_file_does_not_block_on_pipes_or_devices(screen, conversation, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, why in [(tmp_path / "pipe", "invalid argument"), ("/dev/zero", "invalid argument"),
                      (tmp_path, "illegal operation on a directory")]:
        screen.enter(f"/file {path}")
        screen.wait_for(f"^wsx: /file: {path}: {why}$")


def test_repeat_pauses_if_the_peer_does_not_read(screen, tmp_path):
    (tmp_path / "large").write_bytes(b"\xff" * (4 << 20))
    release = threading.Event()

    def script(peer):
        peer.upgrade()
        release.wait(60)
        while peer.read_frame().opcode != wire.CLOSE:
            frames.append(1)

    frames = []
    with ScriptedServer(script) as server:
        screen.enter(f"$WSX connect --compress=off {server.url}")
        screen.wait_for_last_line(">")
        screen.enter(f"/file {tmp_path}/large")
        screen.wait_for("→ binary")
        screen.enter("/repeat 40 1ms")
        # The queue holds 16 MiB, plus the kernel's buffers and the message that exceeds the limit.
        screen.wait_for("→ binary.*(\n.*)*→ binary.*(\n.*)*→ binary")
        screen.enter("/info")
        screen.wait_for(r"^queued +\d+\.\d MiB$")
        assert screen.text.count("→ binary") < 12
        release.set()
        wait_until(lambda: len(frames) == 41, timeout=60)
        screen.press("C-d")
        screen.wait_for_last_line("shell$")


def test_binary_sends_bytes_given_as_digits(screen, conversation):
    screen.enter("/binary hex 00ff 7A")
    screen.enter("/binary base64 AP96")
    screen.enter("/binary hex")
    wait_until(lambda: len(messages(conversation)) == 3)
    assert messages(conversation) == [(wire.BINARY, b"\x00\xff\x7a")] * 2 + [(wire.BINARY, b"")]
    for line, why in [
        ("00ff", "expected hex or base64 and the bytes"), ("hex 0g", "invalid hex at character 2"),
        ("hex 000", "incomplete hex"), ("base64 A", "incomplete base64")]:
        screen.enter(f"/binary {line}")
        screen.wait_for(f"^wsx: /binary: {why}; usage: /binary ")
    assert len(messages(conversation)) == 3


def test_record_starts_and_stops_a_recording_that_can_be_replayed(screen, tmp_path):
    with Listener("--echo") as server:
        screen.enter(f"clear; $WSX connect {server.url}")
        screen.wait_for_last_line(">")
        screen.enter("/record")
        screen.wait_for("^wsx: /record: not recording; /record FILE starts a recording$")
        screen.enter("/record /nonexistent/file")
        screen.wait_for("^wsx: /record: /nonexistent/file: no such file or directory; check the path$")
        screen.enter("before")
        screen.wait_for("← before$")
        screen.enter(f"/record {tmp_path}/session")
        screen.enter("one")
        screen.wait_for("← one$")
        screen.enter("/binary hex ff")
        screen.wait_for("← binary 1 B  ff")
        screen.enter("/record")
        screen.enter("after")
        screen.wait_for("← after$")
        screen.press("C-d")
        screen.wait_for_last_line("shell$")
        events = [json.loads(line) for line in (tmp_path / "session").read_text().splitlines()]
        assert [(event["type"], event.get("direction"), event.get("data") or event.get("base64")) for event in events] == [
            ("recording", None, None), ("message", "out", "one"), ("message", "in", "one"), ("message", "out", "/w=="),
            ("message", "in", "/w==")]
        replayed = wsx("connect", "--input", "json", "--output", "hex", server.url, input=(tmp_path / "session").read_bytes())
        assert (replayed.status, replayed.out) == (0, b"6f6e65\nff\n")


def test_record_does_not_overwrite_a_file_and_ends_the_previous_recording(screen, conversation, tmp_path):
    (tmp_path / "there").write_text("kept\n")
    screen.enter(f"/record {tmp_path}/first")
    screen.wait_for("^Recording to .*/first; /record stops it.$")
    screen.enter(f"/record {tmp_path}/there")
    screen.wait_for("^Recorded to .*/first.$")
    screen.wait_for("^wsx: /record: .*/there: file already exists; use another name$")
    assert (tmp_path / "there").read_text() == "kept\n"
    screen.enter("one")
    wait_until(lambda: len(messages(conversation)) == 1)
    screen.enter("/record")
    screen.wait_for("^wsx: /record: not recording; /record FILE starts a recording$")
    assert [json.loads(line)["type"] for line in (tmp_path / "first").read_text().splitlines()] == ["recording"]


def test_record_ends_an_unread_recording_and_the_session_continues(screen, tmp_path):
    def script(peer):
        peer.upgrade()
        for _ in range(4000):
            peer.send(wire.text("x" * 1000))
        peer.send(wire.text("last"))
        return peer.answer_close().close_code

    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with ScriptedServer(script) as server:
            # A relative name keeps the error on one line.
            screen.enter(f"cd {tmp_path}; $WSX connect --output raw --record pipe {server.url} > /dev/null")
            screen.wait_for("^Connected ")
            screen.wait_for_last_line(">")
            # While the server is paused, the recording is full.
            wait_until(lambda: is_full(path))
            screen.enter("/record")
            screen.wait_for("^wsx: recording to pipe: the end is missing because the pipe's reader was too slow$")
            screen.press("C-d")
            screen.wait_for_last_line("shell$")
        assert server.results == [1000]
    finally:
        os.close(reader)


def is_full(path):
    """Whether a pipe takes no more. Each write begins a new page, so the number of bytes says nothing."""
    writer = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    try:
        return not select.select([], [writer], [], 0)[1]
    finally:
        os.close(writer)


def test_send_json_sends_valid_json_unchanged_and_nothing_else(screen, conversation):
    screen.enter('/send-json {"a" : [1.0, "\\u00e9"]}')
    assert conversation.wait_for_frame().payload == b'{"a" : [1.0, "\\u00e9"]}'
    for line, why in [
        ("{'a':1}", "unexpected character at byte 2"), ("1 2", "unexpected character at byte 3"),
        ("tru", "the text is incomplete")]:
        screen.enter(f"/send-json {line}")
        screen.wait_for(f"^wsx: /send-json: invalid JSON: {why}; usage: /send-json JSON$")
    assert len(messages(conversation)) == 1


def test_repeat_sends_the_last_message_again(screen, conversation):
    screen.enter("/repeat 2")
    screen.wait_for("^wsx: /repeat: no message has been sent yet$")
    screen.enter("one")
    screen.enter("/repeat 250")
    wait_until(lambda: len(messages(conversation)) == 251)
    screen.enter("two")
    screen.enter("/repeat 3 10ms")
    wait_until(lambda: len(messages(conversation)) == 255)
    assert messages(conversation) == [(wire.TEXT, b"one")] * 251 + [(wire.TEXT, b"two")] * 4


def test_control_c_ends_repeat_but_not_the_run(screen, conversation):
    screen.enter("again")
    screen.enter("/repeat 1000 1h")
    screen.type("half")
    screen.wait_for_last_line("> half")
    screen.press("C-c")
    screen.wait_for("^Repeated 0 times\\.$")
    screen.wait_for_last_line("> half")
    screen.press("C-u")
    screen.enter("on")
    wait_until(lambda: len(messages(conversation)) == 2)


def test_info_and_headers_describe_the_connection(screen):
    with Listener("--echo", "-s", "chat") as server:
        screen.enter(f"clear; $WSX connect -s chat -a me:hidden {server.url}")
        screen.wait_for_last_line(">")
        screen.enter("x" * 100)
        screen.wait_for("← xxx")
        screen.enter("/info")
        screen.wait_for(rf"^URL +{re.escape(server.url)}$")
        screen.wait_for(rf"^address +127\.0\.0\.1:{server.port}$")
        screen.wait_for("^subprotocol +chat$")
        screen.wait_for(r"^compression +permessage-deflate; sent: \d\d % saved, received: \d\d % saved$")
        screen.wait_for(r"^sent +1 message, 100 B, \d+ B on the wire$")
        screen.wait_for(r"^round trip +not measured yet; /ping measures it$")
        screen.enter("/ping")
        screen.wait_for("← pong")
        screen.enter("/info")
        screen.wait_for(r"^round trip +\d[\d.]* [mu]?s$")
        screen.enter("/headers")
        screen.wait_for("^→ GET / HTTP/1.1$")
        screen.wait_for("^→ Authorization: •••$")
        screen.wait_for("^← HTTP/1.1 101 Switching Protocols$")
        screen.press("C-d")
        screen.wait_for_last_line("shell$")
        assert "hidden" not in screen.text.replace("me:hidden", "")


def test_connect_opens_another_server_without_the_credentials_of_the_first(screen):
    heads = []

    def script(peer):
        heads.append(str(peer.read_request()))
        peer.upgrade()
        peer.answer_close()

    with ScriptedServer(script) as first, ScriptedServer(script) as second:
        screen.enter(
            "$WSX connect -i -a me:hidden -b k=v -H 'X-API-Key: hidden' -H 'X-Plain: shown' -H 'Accept-Language: de' "
            f"-s hidden -o https://app.example {first.url} hello")
        screen.wait_for("→ hello")
        screen.enter("/connect ws://:x")
        screen.wait_for("^wsx: /connect: URL 'ws://:x': ")
        for url in (second.url, first.url + "again"):
            screen.enter(f"/connect {url}")
            screen.wait_for(f"^Connected to {re.escape(url)} ")
        screen.press("C-d")
        screen.wait_for_last_line("shell$")
    to_first, to_second, back = heads
    for head in (to_first, back):
        assert "Basic " in head and "k=v" in head and "X-API-Key" in head
    for secret in ("Authorization", "Cookie", "X-API-Key", "hidden"):
        assert secret not in to_second
    assert all("X-Plain" in head and "Sec-WebSocket-Protocol: hidden" in head for head in (to_first, back))
    assert "X-Plain" not in to_second and "Sec-WebSocket-Protocol" not in to_second
    for head in heads:
        assert "Accept-Language: de" in head and "Origin: https://app.example" in head
    # The operand is sent to the first server only, and only once.
    assert content(screen, "→") == ["hello"]


def test_connect_opens_the_built_in_echo_server_repeatedly(screen):
    screen.enter("$WSX connect echo:; echo status $?")
    screen.wait_for_last_line(">")
    for number in range(3):
        screen.enter("/connect echo:")
        screen.wait_for(rf"^Disconnected(.*\n)*(.*Disconnected(.*\n)*){{{number}}}Connected to echo:")
        screen.wait_for_last_line(">")
        screen.enter(f"message {number}")
        screen.wait_for(f"← message {number}$")
    screen.press("C-d")
    screen.wait_for("^status 0$")


def test_a_long_repeat_shows_replies_and_ends_with_control_c(screen):
    screen.enter("$WSX connect echo:; echo status $?")
    screen.wait_for_last_line(">")
    screen.enter("again")
    screen.enter("/repeat 10000000")
    # A flood shows ten samples per second.
    wait_until(lambda: screen.text.count("← again") > 5)
    screen.press("C-c")
    screen.wait_for(r"^Repeated \d+ times\.$", timeout=60)
    screen.press("C-d")
    screen.wait_for("^status 0$", timeout=60)


def test_after_a_failed_connection_the_prompt_stays(screen):
    with Listener("--echo") as server:
        screen.enter(f"$WSX connect {server.url}")
        screen.wait_for_last_line(">")
        screen.enter("/connect ws://127.0.0.1:1/")
        screen.wait_for("^wsx: connecting to ws://127.0.0.1:1/: ")
        screen.wait_for_last_line("(disconnected) >")
        screen.enter("/info")
        screen.wait_for("^state +disconnected$")
        screen.enter(f"/connect {server.url}")
        screen.wait_for_last_line(">")
        screen.enter("back")
        screen.wait_for("← back$")
        screen.press("C-d")
        screen.wait_for_last_line("shell$")


def test_leaving_the_prompt_during_the_countdown_has_the_status_of_the_lost_connection(screen):
    with Listener("--echo") as server:
        screen.enter(f"clear; $WSX connect {' '.join(RECONNECT_LATER)} {server.url}; echo status $?")
        screen.wait_for("^Connected to")
        screen.wait_for_last_line(">")
        server.signal(signal.SIGKILL)
        screen.wait_for(r"^\(reconnecting in \d+ s\) >$")
        screen.press("C-d")
        screen.wait_for("^status 1$")


def test_with_reconnect_the_prompt_opens_before_the_server_runs(screen):
    [port] = free_ports(1)
    screen.enter(f"clear; $WSX connect {' '.join(RECONNECT_LATER)} :{port}; echo status $?")
    screen.wait_for("connection refused")
    screen.wait_for(r"^\(reconnecting in \d+ s\) >$")
    screen.enter("early")
    screen.wait_for("… early$")
    # The line has started an attempt.
    screen.wait_for(r"\(attempt 2\)")
    screen.wait_for(r"↑ 0 \(1 waiting\) ↓ 0")
    with Listener("--echo", address=f"127.0.0.1:{port}"):
        screen.enter("/reconnect")
        screen.wait_for("^Sending 1 message that waited for the connection.$")
        screen.wait_for("← early$")
        screen.wait_for("↑ 1 ↓ 1")
        screen.press("C-d")
        screen.wait_for("^status 0$")


def test_the_prompt_counts_down_to_the_next_attempt(screen):
    with Listener("--echo") as server:
        screen.enter(f"clear; $WSX connect {' '.join(RECONNECT_LATER)} {server.url}")
        screen.wait_for("^Connected to")
        screen.wait_for_last_line(">")
        screen.type("half")
        screen.wait_for_last_line("> half")
        server.signal(signal.SIGKILL)
        screen.wait_for(r"^\(reconnecting in \d+ s\) > half$")
        screen.press("C-c")
        screen.wait_for(r"^\(reconnecting in \d+ s\) >$")
        screen.press("C-c")
        screen.wait_for_last_line("shell$")


def test_the_prompt_shows_the_progress_of_a_connection_attempt(screen):
    may_go_on = threading.Event()

    def script(peer):
        peer.read_request()
        may_go_on.wait(60)
        peer.upgrade()
        peer.read_until_close()

    with ScriptedServer(script) as server:
        screen.enter("$WSX connect echo:")
        screen.wait_for_last_line(">")
        screen.enter(f"/connect {server.url}")
        screen.type("half")
        screen.wait_for(r"^\(WebSocket handshake, \d+ s\) > half$")
        may_go_on.set()
        screen.wait_for_last_line("> half")
        screen.press("C-c")
        screen.wait_for_last_line(">")
        screen.press("C-d")
        screen.wait_for_last_line("shell$")


def test_the_prompt_shows_the_progress_of_an_incoming_message(screen):
    with Conversation() as server:
        screen.enter(f"$WSX connect {server.url}")
        screen.wait_for_last_line(">")
        screen.type("half")
        message = wire.frame(wire.BINARY, bytes(8 << 20))
        server.send(message[:4 << 20])
        screen.wait_for(r"^\(receiving 3\.9 MiB of 8\.0 MiB\) > half$")
        server.send(message[4 << 20:])
        screen.wait_for_last_line("> half")
        screen.press("C-u")
        screen.press("C-d")
        screen.wait_for_last_line("shell$")


def test_the_prompt_shows_the_progress_of_an_outgoing_message(screen, tmp_path):
    (tmp_path / "large").write_bytes(b"\xff" * (40 << 20))
    release = threading.Event()

    def script(peer):
        peer.upgrade()
        release.wait(60)
        peer.read_frame()
        peer.answer_close()

    with ScriptedServer(script) as server:
        screen.enter(f"$WSX connect --compress=off {server.url}")
        screen.wait_for_last_line(">")
        screen.enter(f"/file {tmp_path}/large")
        screen.wait_for(r"^\(sending 40\.0 MiB: \d+ %\) >$")
        release.set()
        screen.wait_for_last_line(">")
        screen.press("C-d")
        screen.wait_for_last_line("shell$")
