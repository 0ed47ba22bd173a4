"""The prompt of `wsx relay`, as rendered by a terminal."""

import contextlib
import json

import pytest

import wire
from processes import Listener
from terminal import Screen
from test_relay import connect


@pytest.fixture
def screen():
    with Screen(width=100, height=40) as screen:
        yield screen


class Prompt:
    """A relay in front of an echo server, with a prompt and two clients."""

    def __init__(self, screen, *options):
        self.screen = screen
        self.stack = contextlib.ExitStack()
        echo = self.stack.enter_context(Listener("--echo"))
        screen.enter(f"$WSX relay --timestamps off --color never {' '.join(options)} 0 {echo.url}")
        self.port = int(screen.wait_for(r"Listening on ws://127\.0\.0\.1:(\d+)/").group(1))
        screen.wait_for_last_line(">")
        self.clients = []
        for number in (1, 2):
            self.clients.append(connect(self))
            screen.wait_for(f"@{number} connected from ")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.screen.press("C-d")
        for client in self.clients:
            client.sock.close()
        self.screen.wait_for_last_line("shell$")
        self.stack.close()

    def exchange(self, number, message):
        """Sends a text or binary message as a client, and waits for its echo, which is the same."""
        client = self.clients[number - 1]
        payload = message.encode() if isinstance(message, str) else message
        opcode = wire.TEXT if isinstance(message, str) else wire.BINARY
        client.send(wire.frame(opcode, payload, is_masked=True))
        echo = client.read_message()
        assert (echo.opcode, echo.payload) == (opcode, payload)


@pytest.fixture
def prompt(screen):
    with Prompt(screen) as prompt:
        yield prompt


@pytest.mark.parametrize("words, mark, expected", [
    ("", "", ["@1 ← a", "@1 → a", "@2 ← b", "@2 → b"]), ("2", "[only @2] ", ["@2 ← b", "@2 → b"]),
    ("@1", "[only @1] ", ["@1 ← a", "@1 → a"]), ("client", "[only client] ", ["@1 ← a", "@2 ← b"]),
    ("server", "[only server] ", ["@1 → a", "@2 → b"]), ("2 client", "[only @2 client] ", ["@2 ← b"]),
    ("server 1", "[only @1 server] ", ["@1 → a"]), ("7", "[only @7] ", [])])
def test_only_shows_the_messages_of_a_client_or_side(screen, prompt, words, mark, expected):
    screen.enter("/only 8 server")
    screen.enter(f"/only {words}")
    screen.wait_for_last_line(f"{mark}>")
    prompt.exchange(1, "a")
    prompt.exchange(2, "b")
    screen.enter("/only")
    screen.wait_for_last_line(">")
    prompt.exchange(1, "end")
    screen.wait_for("@1 → end$")
    lines = [line.strip().split(" ", 1)[1] for line in screen.lines if line.strip().startswith("#")]
    assert lines == [*expected, "@1 ← end", "@1 → end"]


def test_typed_messages_are_shown_and_recorded_whatever_only_hides(screen, prompt, tmp_path):
    path = tmp_path / "session.jsonl"
    screen.enter(f"/record {path}")
    screen.enter("/only 1 server")
    screen.enter("/to 2 server to the server")
    assert prompt.clients[1].read_message().payload == b"to the server"
    screen.enter("/to 2 client to the client")
    assert prompt.clients[1].read_message().payload == b"to the client"
    screen.wait_for("@2 . to the client$")
    screen.enter("/to 2 client /close 4000 bye")
    closing = prompt.clients[1].read_frame()
    assert (closing.close_code, closing.payload[2:]) == (4000, b"bye")
    screen.enter("/record")
    screen.wait_for("^Recorded to")
    events = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(event["direction"], event["data"], event.get("injected", False)) for event in events
            if event["type"] == "message"] == [
        ("in", "to the server", True), ("out", "to the server", False), ("out", "to the client", True)]


@pytest.mark.parametrize("line", ["/only x", "/only 0", "/only client server", "/only 1 2"])
def test_a_mistake_of_only_is_explained(screen, prompt, line):
    screen.enter(line)
    screen.wait_for("^wsx: /only: write a client, a side, or both, as in '/only 3', '/only client', or '/only 3 server';$")


def test_peers_cannot_control_the_terminal(screen, prompt):
    prompt.exchange(1, "\x1b[2J\x1b]0;title\x07\u009b1mx\u202e")
    screen.wait_for(r"@1 → \\u\{1B\}\[2J\\u\{1B\}\]0;title\\u\{7\}\\u\{9B\}1mx\\u\{202E\}$")


# MARK: Decoded messages

def pack(text):
    """{"t": text} in MessagePack."""
    data = text.encode()
    return b"\x81\xa1t\xd9" + bytes([len(data)]) + data


@pytest.fixture
def decoding(screen):
    with Prompt(screen, "--decode", "msgpack") as prompt:
        yield prompt


def test_binary_messages_of_both_sides_are_shown_decoded(screen, decoding, tmp_path):
    screen.enter(f"/record {tmp_path / 'session.jsonl'}")
    screen.wait_for("^Recording to")
    decoding.exchange(1, pack("tea"))
    decoding.exchange(2, pack("milk"))
    decoding.exchange(2, '{"t":"text"}')
    screen.wait_for(r"#6 @2 → \{\"t\":\"text\"\}$")
    assert [line.strip() for line in screen.lines if line.strip().startswith("#")] == [
        '#1 @1 ← {"t":"tea"}', '#2 @1 → {"t":"tea"}', '#3 @2 ← {"t":"milk"}', '#4 @2 → {"t":"milk"}',
        '#5 @2 ← {"t":"text"}', '#6 @2 → {"t":"text"}']
    screen.enter("/record")
    screen.wait_for("^Recorded to")
    # The recording has what was sent.
    events = [json.loads(line) for line in (tmp_path / "session.jsonl").read_text().splitlines()]
    assert [(event["opcode"], event.get("data")) for event in events if event["type"] == "message"][-2:] == [
        ("text", '{"t":"text"}')] * 2
    assert all("data" not in event or event["opcode"] == "binary" for event in events[:-2] if event["type"] == "message")


def test_decoded_messages_are_found_filtered_and_shown(screen, decoding):
    for text in ("tea", "milk"):
        decoding.exchange(1, pack(text))
    screen.wait_for('#4 @1 → {"t":"milk"}$')
    screen.enter("/find cream")
    screen.wait_for("^Found 0 messages")
    screen.enter("/find tea")
    screen.wait_for("^Found 2 messages")
    screen.enter("/show 3")
    screen.wait_for(r'#3 @1 ← text, 12 B, .*\n\{\n  "t": "milk"\n\}$')
    screen.enter("/show 4 | tr a-z A-Z")
    screen.wait_for('^{"T":"MILK"}$')
    screen.enter("/filter cream")
    screen.enter("/where .t==cream")
    screen.wait_for_last_line("[/cream/] [where .t==cream] >")
    decoding.exchange(2, pack("sugar"))
    decoding.exchange(2, pack("cream"))
    screen.wait_for('#8 @2 → {"t":"cream"}$')
    assert "sugar" not in screen.text
    screen.enter("/pick .t")
    screen.wait_for(r"\[pick \.t\] >$")
    decoding.exchange(2, pack("cream"))
    screen.wait_for("#10 @2 → cream$")


def test_decoded_peer_data_cannot_control_the_terminal(screen, decoding):
    decoding.exchange(1, pack("\x1b[2J\x07\x9b1mx\u202e"))
    escaped = r"\\u001b\[2J\\u0007\\u009b1mx\\u202e"
    screen.wait_for(f'#2 @1 → {{"t":"{escaped}"}}$')
    screen.enter("/show 2")
    screen.wait_for(f'^  "t": "{escaped}"$')


def test_a_message_of_another_format_is_shown_with_the_reason(screen, decoding):
    decoding.exchange(1, b"\xc1\x1b")
    for mark in "←→":
        screen.wait_for(fr"@1 {mark} \(msgpack: invalid data at byte 1\) binary 2 B  c1 1b  \.\.$")


def test_typed_messages_are_encoded_and_shown_as_typed(screen, tmp_path):
    path = tmp_path / "session.jsonl"
    with Prompt(screen, "--decode", "msgpack", "--encode", "msgpack", "--record", str(path)) as prompt:
        client = prompt.clients[0]
        screen.enter('/to 1 server {"t": "tea"}')
        assert client.read_message().payload == b"\x81\xa1t\xa3tea"
        screen.enter('@1 ["milk"]')
        assert client.read_message().payload == b"\x91\xa4milk"
        screen.wait_for(r'#1 @1 ← {"t":"tea"}\n *#2 @1 → {"t":"tea"}\n *#3 @1 → \["milk"\]$')
        screen.enter("/to 1 server tea")
        screen.wait_for("^wsx: the line was not sent: msgpack: not JSON: ")
    messages = [event for event in map(json.loads, path.read_text().splitlines()) if event["type"] == "message"]
    assert [(event["direction"], event["opcode"], event.get("injected", False)) for event in messages] == [
        ("in", "binary", True), ("out", "binary", False), ("out", "binary", True)]
