"""`--plain`: a terminal to which lines are only appended."""

import re

import wire
from processes import wsx
from terminal import RawTerminal
from test_repl import Conversation


def test_a_plain_prompt_only_appends_lines():
    with Conversation() as server, RawTerminal("connect", "--plain", "--color", "never", server.url) as terminal:
        terminal.wait_for(b"Connected to ")
        terminal.type("typed\n")
        assert server.wait_for_frame().payload == b"typed"
        server.send(wire.text('{"a":[1,2]}') + wire.text("\x1b[2Jhostile"))
        terminal.wait_for(b"[2Jhostile")
        terminal.type("/find hostile\n")
        terminal.wait_for(b"Found 1 message")
        terminal.type("/bogus\n")
        terminal.wait_for(b"unknown command")
        # Ctrl-D
        terminal.type("\x04")
        assert terminal.wait() == 0
        assert b"\x1b" not in terminal.output
        assert not re.search(rb"\r(?!\n)", terminal.output)


def test_an_interrupt_ends_a_plain_prompt():
    with Conversation() as server, RawTerminal("connect", "--plain", server.url) as terminal:
        terminal.wait_for(b"Connected to ")
        terminal.type("\x03")
        terminal.wait()
        assert server.frames[-1].opcode == wire.CLOSE


def test_a_plain_server_prompt_has_commands():
    with RawTerminal("listen", "--plain", "--color", "never", "--once", "127.0.0.1:0") as terminal:
        terminal.wait_for(b"ws://127.0.0.1:")
        terminal.type("/help\n")
        terminal.wait_for(b"/clients")
        port = re.search(rb"ws://127.0.0.1:(\d+)", terminal.output).group(1).decode()
        assert wsx("connect", "--linger", "0", f"ws://127.0.0.1:{port}/", "hello").status == 0
        terminal.wait()
        assert b"hello" in terminal.output and b"\x1b" not in terminal.output


def test_plain_bench_shows_no_progress_line():
    with RawTerminal("bench", "--plain", "--color", "never", "-n", "10", "echo:") as terminal:
        assert terminal.wait() == 0
        assert b"\x1b" not in terminal.output and not re.search(rb"\r(?!\n)", terminal.output)


def test_colors_can_be_changed():
    with RawTerminal("connect", "--one", "echo:", "[1]", WSX_COLORS="number=33") as terminal:
        assert terminal.wait() == 0
        assert b"\x1b[33m1" in terminal.output
    with RawTerminal("connect", "--one", "echo:", "x", WSX_COLORS="numbr=33") as terminal:
        assert terminal.wait() == 0
        assert b"WSX_COLORS: unknown name 'numbr'; expected sent, " in terminal.output
