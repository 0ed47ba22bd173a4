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

    def exchange(self, number, text):
        """Sends a message as a client, and waits for its echo."""
        client = self.clients[number - 1]
        client.send(wire.text(text, is_masked=True))
        assert client.read_message().payload == text.encode()


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
