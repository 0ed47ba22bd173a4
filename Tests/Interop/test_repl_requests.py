"""Requests and replies at the prompt, in a real terminal."""

import pytest

import wire
from processes import wait_until
from services import free_ports
from terminal import Screen
from test_repl import Conversation, content


@pytest.fixture
def screen():
    with Screen(width=140) as screen:
        yield screen


def test_requests_wait_for_earlier_replies_and_timeouts_do_not_end_the_session(screen):
    with Conversation() as server:
        screen.enter(f"$WSX connect --request --reply-timeout 400ms {server.url}; echo status $?")
        screen.wait_for_last_line(">")
        screen.enter("first")
        screen.enter("second")
        screen.wait_for("… second$")
        screen.wait_for("wsx: request 1: no reply within 400 ms")
        screen.wait_for("→ second$")
        screen.wait_for("wsx: request 2: no reply within 400 ms")
        server.send(wire.text("late"))
        screen.wait_for("late")
        assert content(screen, "←") == ["late"]
        screen.enter("/quit")
        screen.wait_for("status 0")
        assert [frame.payload for frame in server.frames if frame.opcode == wire.TEXT] == [b"first", b"second"]


def test_requests_unanswered_at_the_close_are_reported_and_the_prompt_stays(screen):
    with Conversation() as server:
        screen.enter(f"$WSX connect --correlate id {server.url}")
        screen.wait_for_last_line(">")
        screen.enter('{"id":1}')
        server.wait_for_frame()
        server.send(wire.close(1000))
        screen.wait_for("wsx: 1 request was not answered")
        screen.wait_for_last_line("(disconnected) >")
        screen.enter("/quit")
        screen.wait_for_last_line("shell$")


def test_lines_wait_until_the_peer_is_ready(screen):
    """Without an application protocol, too."""
    with Conversation() as server:
        screen.enter(f"$WSX connect --first-message hello --ready ^welcome {server.url}")
        screen.wait_for_last_line(">")
        assert server.wait_for_frame().payload == b"hello"
        screen.enter("early")
        screen.wait_for("… early$")
        assert len([frame for frame in server.frames if frame.opcode == wire.TEXT]) == 1
        server.send(wire.text("welcome"))
        wait_until(lambda: [frame.payload for frame in server.frames if frame.opcode == wire.TEXT] == [b"hello", b"early"])
        screen.enter("/quit")
        screen.wait_for_last_line("shell$")


def test_requests_without_a_connection_are_reported(screen):
    [port] = free_ports(1)
    screen.enter(f"$WSX connect --request --reconnect --reconnect-delay 1h ws://127.0.0.1:{port}/; echo status $?")
    screen.wait_for(r"\(reconnecting in \d+ s\) >$")
    screen.enter("one")
    screen.enter("two")
    screen.wait_for("… two$")
    screen.enter("/quit")
    screen.wait_for("2 requests were not sent")
    screen.wait_for("status [1-9]")


def test_the_prompt_continues_after_a_program_that_encodes_has_failed(screen, tmp_path):
    """The failed one may exit later than the next one starts."""
    program = tmp_path / "encode.py"
    program.write_text(
        "import sys, base64\n"
        "for line in sys.stdin:\n"
        "    print('???' if line == 'junk\\n' else base64.b64encode(line.strip().encode()).decode(), flush=True)\n")
    with Conversation() as server:
        screen.enter(f"$WSX connect --encode 'exec:python3 {program}' {server.url}; echo status $?")
        screen.wait_for_last_line(">")
        for number in range(3):
            screen.enter("junk")
            screen.wait_for("wrote a line that is not Base64")
            screen.enter(f"fine {number}")
            wait_until(lambda: f"fine {number}".encode() in [frame.payload for frame in server.frames])
        screen.enter("/quit")
        screen.wait_for("status 0")
