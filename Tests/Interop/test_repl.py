"""The prompt in a real terminal."""

import contextlib
import os
import re
import signal
import subprocess
import threading

import pytest

import wire
from processes import BINARY, Listener, Running, wait_until, wsx
from scripted_server import ScriptedServer
from test_listen_once import Client
from terminal import RawTerminal, Screen


@pytest.fixture
def screen():
    with Screen() as screen:
        yield screen


@pytest.fixture
def repl(screen):
    """A prompt connected to an echo server."""
    screen.enter("$WSX connect echo:")
    screen.wait_for_last_line(">")
    return screen


def content(screen, arrow):
    """Returns the content of the text messages on the screen in one direction."""
    pattern = re.compile(rf"^ *#\d+ (?:@\d+ )?{arrow} (?!binary )(.*)$")
    return [match.group(1) for line in screen.lines if (match := pattern.match(line))]


class Conversation:
    """A server that sends messages on request and keeps the frames it receives."""

    def __init__(self):
        self.frames = []
        self.peer = None
        self._open = threading.Event()
        self._server = ScriptedServer(self._serve)

    def __enter__(self):
        self._server.__enter__()
        self.url = self._server.url
        return self

    def __exit__(self, *arguments):
        self._server.__exit__(*arguments)

    def send(self, data):
        assert self._open.wait(60)
        self.peer.send(data)

    def wait_for_frame(self, opcode=wire.TEXT):
        wait_until(lambda: any(frame.opcode == opcode for frame in self.frames), what=f"a frame {opcode}")
        return next(frame for frame in self.frames if frame.opcode == opcode)

    def _serve(self, peer):
        peer.upgrade()
        self.peer = peer
        self._open.set()
        while frame := peer.read_frame():
            self.frames.append(frame)
            if frame.opcode == wire.PING:
                peer.send(wire.frame(wire.PONG, frame.payload))
            if frame.opcode == wire.CLOSE:
                # A prompt whose terminal has gone does not wait for the answer.
                with contextlib.suppress(ConnectionError):
                    peer.send(wire.frame(wire.CLOSE, frame.payload))
                return


def test_a_half_typed_line_stays_intact_while_a_hundred_messages_arrive(screen):
    with Conversation() as server:
        screen.enter(f"$WSX connect {server.url}")
        screen.wait_for_last_line(">")
        screen.type("half typed")
        screen.wait_for_last_line("> half typed")
        # Half of the messages arrive at once, and half one by one.
        server.send(b"".join(wire.text(f"message {number}") for number in range(50)))
        for number in range(50, 100):
            server.send(wire.text(f"message {number}"))
        screen.wait_for("message 99$")
        screen.wait_for_last_line("> half typed")
        assert content(screen, "←") == [f"message {number}" for number in range(100)]
        assert sum("half" in line for line in screen.lines) == 1
        screen.type(", then whole")
        screen.press("Enter")
        assert server.wait_for_frame().payload == b"half typed, then whole"
        screen.wait_for_last_line(">")
        assert content(screen, "→") == ["half typed, then whole"]
        screen.press("C-d")
        screen.wait_for_last_line("shell$")


def test_the_cursor_keeps_its_position_while_messages_arrive(screen):
    with Conversation() as server:
        screen.enter(f"$WSX connect {server.url}")
        screen.wait_for_last_line(">")
        screen.type("ac")
        screen.press("Left")
        server.send(wire.text("meanwhile"))
        screen.wait_for("meanwhile$")
        screen.press("b", "Enter")
        assert server.wait_for_frame().payload == b"abc"
        screen.press("C-d")


def test_typed_lines_are_sent_and_incoming_messages_are_shown(repl):
    repl.enter("hello")
    repl.wait_for("← hello$")
    repl.enter("zwölf 水 🎈")
    repl.wait_for("← zwölf 水 🎈$")
    assert content(repl, "→") == ["hello", "zwölf 水 🎈"]
    assert repl.last_line == ">"
    repl.press("C-d")
    repl.wait_for(r"^Disconnected after .*: 2 sent, 2 received; closed with 1000\.$")
    repl.wait_for_last_line("shell$")


def test_lines_can_be_edited_and_recalled(repl):
    repl.type("aböx")
    repl.press("BSpace", "BSpace")
    repl.type("水c")
    repl.press("Left", "Left", "BSpace", "Enter")
    repl.wait_for("← a水c$")
    repl.enter("second")
    repl.wait_for("← second$")
    repl.press("Up", "Up")
    repl.wait_for_last_line("> a水c")
    repl.press("Down")
    repl.wait_for_last_line("> second")
    repl.press("C-a")
    repl.type("the ")
    repl.press("C-e", "!", "Enter")
    repl.wait_for("← the second!$")
    repl.press("Up")
    repl.wait_for_last_line("> the second!")
    repl.press("C-u")
    repl.wait_for_last_line(">")
    repl.press("C-d")
    repl.wait_for_last_line("shell$")


def test_a_line_that_wraps_is_one_message_and_leaves_no_trace(screen):
    line = "word " * 50 + "end"
    with Conversation() as server:
        screen.enter(f"$WSX connect {server.url}")
        screen.wait_for_last_line(">")
        screen.type(line)
        screen.wait_for("end$")
        for number in range(20):
            server.send(wire.text(f"message {number}"))
        screen.wait_for("message 19$")
        wait_until(lambda: screen.text.endswith("end"))
        assert content(screen, "←") == [f"message {number}" for number in range(20)]
        assert screen.text.count("> word") == 1
        screen.press("Enter")
        assert server.wait_for_frame().payload == line.encode()
        screen.wait_for_last_line(">")
        assert screen.text.count("> word") == 0
        screen.press("C-d")


def test_the_window_can_be_resized_while_a_line_is_typed(screen):
    with Conversation() as server:
        screen.enter(f"$WSX connect {server.url}")
        screen.wait_for_last_line(">")
        screen.type("a" * 60)
        screen.wait_for_last_line("> " + "a" * 60)
        screen.resize(40, 20)
        server.send(wire.text("narrow"))
        screen.wait_for("narrow$")
        screen.resize(120, 40)
        server.send(wire.text("wide"))
        screen.wait_for("wide$")
        screen.type("b")
        screen.press("Enter")
        assert server.wait_for_frame().payload == b"a" * 60 + b"b"
        screen.wait_for_last_line(">")
        screen.press("C-d")
        screen.wait_for_last_line("shell$")


@pytest.mark.parametrize("width", [25, 33, 40, 60])
def test_resizing_leaves_no_fragments_of_the_line(screen, width):
    text = "half a line that is quite long to see"
    screen.enter("$WSX connect echo:")
    screen.wait_for_last_line(">")
    screen.type(text)
    screen.wait_for_last_line("> " + text)
    for columns in [width, 100]:
        screen.resize(columns, 30)
        # tmux omits trailing spaces, so a space may be missing where the line wraps.
        wait_until(lambda: "".join(screen.text.split()).endswith(">" + text.replace(" ", "")), what="the line")
        assert screen.text.count("> half a") == 1
    screen.press("Enter")
    screen.wait_for("← half a line")


def test_a_filter_in_the_prompt_fits_a_narrow_window_and_leaves_no_fragments(screen):
    # On an almost empty screen, tmux moves rows into its history when the window becomes narrower.
    screen.enter("seq 40; $WSX connect echo:")
    screen.wait_for_last_line(">")
    screen.enter("/filter a-quite-long-pattern")
    screen.enter("hello")
    label = "[/a-quite-long-pattern/ 1 hidden]"
    screen.wait_for_last_line(f"{label} >")
    screen.type("half a line")
    for columns, prompt in [(40, "[/a-quite-long-pattern/] >"), (24, "[/a-quite-long…] >"), (100, f"{label} >")]:
        screen.resize(columns, 30)
        wait_until(lambda: "".join(screen.text.split()).endswith(f"{prompt}half a line".replace(" ", "")), what=prompt)
        assert screen.text.count("[/") == 1
    screen.press("Enter")
    screen.wait_for("→ half a line")


# Commands


@pytest.mark.parametrize("command", ["/close", "/quit"])
def test_closing_commands_close_with_1000(screen, command):
    with Conversation() as server:
        screen.enter(f"$WSX connect {server.url}; echo status $?")
        screen.wait_for_last_line(">")
        screen.enter(command)
        assert server.wait_for_frame(wire.CLOSE).close_code == 1000
        if command == "/close":
            screen.wait_for_last_line("(disconnected) >")
            screen.press("C-d")
        screen.wait_for("^status 0$")


def test_after_the_connection_ends_the_prompt_stays_and_the_status_reflects_the_end(screen):
    with Conversation() as server:
        screen.enter(f"$WSX connect {server.url}; echo status $?")
        screen.wait_for_last_line(">")
        screen.type("half typed")
        server.send(wire.close(4001, b"enough"))
        screen.wait_for('^Disconnected after .*: 0 sent, 0 received; the peer closed it: 4001 "enough"\\.$')
        screen.wait_for_last_line("(disconnected) > half typed")
        screen.press("Enter")
        screen.wait_for("^wsx: the message was not sent: not connected; /reconnect connects again$")
        for line, what in [("/ping", "ping"), ("/close", "close frame")]:
            screen.enter(line)
            screen.wait_for(f"^wsx: the {what} was not sent: not connected; /reconnect connects again$")
        screen.press("C-c")
        screen.wait_for("^status 1$")
        # Messages about the end are not repeated.
        assert screen.text.count("the peer closed") == 1
        assert screen.text.count("Disconnected after") == 1


# Exiting


def test_control_c_clears_the_line_and_closes_on_an_empty_one(screen):
    with Conversation() as server:
        screen.enter(f"$WSX connect {server.url}; echo status $?")
        screen.wait_for_last_line(">")
        screen.type("never sent")
        screen.wait_for_last_line("> never sent")
        screen.press("C-c")
        screen.wait_for_last_line(">")
        screen.press("C-c")
        screen.wait_for(r"^status \d+$")
        assert [frame.opcode for frame in server.frames] == [wire.CLOSE]


@pytest.mark.parametrize("leave", ["C-d", "C-c", "/quit", "kill", "peer"])
def test_the_terminal_is_restored(screen, leave):
    screen.enter("stty -a > /dev/null; B=$(stty -g)")
    with Conversation() as server:
        screen.enter(f"$WSX connect {server.url}")
        screen.wait_for_last_line(">")
        if leave == "kill":
            screen.press("C-z")
            screen.wait_for_last_line("shell$")
            screen.enter("kill %1; fg")
            screen.wait_for("^Disconnected after")
        elif leave == "peer":
            server.send(wire.close(1000))
            screen.wait_for_last_line("(disconnected) >")
            screen.press("C-d")
        elif leave == "/quit":
            screen.enter(leave)
        else:
            screen.press(leave)
        screen.wait_for_last_line("shell$")
        screen.enter('[ "$B" = "$(stty -g)" ] && echo same as before')
        screen.wait_for("^same as before$")


def test_control_d_leaves_neither_the_prompt_nor_the_status_line(screen):
    screen.enter("clear; $WSX connect echo:")
    screen.wait_for("↑ 0 ↓ 0")
    screen.wait_for_last_line(">")
    screen.press("C-d")
    screen.wait_for_last_line("shell$")
    assert len(screen.lines) == 3
    assert screen.lines[1].startswith("Disconnected after ")


def test_control_z_returns_to_the_shell_and_fg_resumes(screen):
    with Conversation() as server:
        screen.enter("B=$(stty -g)")
        screen.enter(f"$WSX connect {server.url}")
        screen.wait_for_last_line(">")
        screen.type("half")
        screen.wait_for_last_line("> half")
        screen.press("C-z")
        screen.wait_for("Stopped")
        screen.wait_for_last_line("shell$")
        screen.enter('[ "$B" = "$(stty -g)" ] && echo same as before')
        screen.wait_for("^same as before$")
        server.send(wire.text("while stopped"))
        screen.enter("fg")
        screen.wait_for("while stopped$")
        screen.wait_for_last_line("> half")
        # No status line remains above the one in use.
        assert len(re.findall("^ws://.* · ", screen.text, re.MULTILINE)) == 1
        screen.type(" typed")
        screen.press("Enter")
        assert server.wait_for_frame().payload == b"half typed"
        screen.press("C-d")
        screen.wait_for_last_line("shell$")


def wait_for_stop(screen):
    screen.wait_for_last_line("shell$")
    # The shell reports it only before a prompt.
    screen.enter('until jobs | grep -q St"o"pped; do sleep 0.1; done; clear; jobs')
    screen.wait_for(r"^\[1\]\+  Stopped")
    screen.wait_for_last_line("shell$")


@pytest.mark.parametrize("way", ["background", "stopped", "listen", "password", "SIGSTOP"])
def test_a_prompt_in_the_background_ends_with_sigterm(screen, way, tmp_path):
    command = {"listen": "$WSX listen 0", "password": "$WSX connect -a user echo:"}.get(way, "$WSX connect echo:")
    screen.enter("B=$(stty -g)")
    if way == "stopped":
        screen.enter(command)
        screen.wait_for_last_line(">")
        screen.press("C-z")
    elif way == "SIGSTOP":
        screen.enter(f"sh -c 'echo $$ > {tmp_path}/pid; exec {command}'")
        screen.wait_for_last_line(">")
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGSTOP)
    else:
        screen.enter(f"{command} &")
    wait_for_stop(screen)
    screen.enter("kill %1; while jobs %1 >&- 2>&-; do sleep 0.1; done; echo it is g'o'ne")
    screen.wait_for("^it is gone$")
    screen.enter('[ "$B" = "$(stty -g)" ] && echo same as b"e"fore')
    screen.wait_for("^same as before$")


def test_a_prompt_started_in_the_background_works_when_it_gets_the_terminal(screen):
    # A shell takes the ampersand of an unquoted URL for the end of the command.
    with Conversation() as server:
        screen.enter(f"$WSX {server.url}?a=1&b=2")
        wait_for_stop(screen)
        screen.enter("fg")
        screen.wait_for_last_line(">")
        screen.enter("hello")
        assert server.wait_for_frame().payload == b"hello"
        screen.press("C-z")
        screen.wait_for_last_line("shell$")
        screen.enter("bg")
        wait_for_stop(screen)
        screen.enter("fg")
        screen.wait_for_last_line(">")
        screen.press("C-d")
        screen.wait_for_last_line("shell$")


# Redirected standard streams


def test_messages_go_to_a_file_while_the_prompt_stays_on_the_terminal(screen, tmp_path):
    path = tmp_path / "out"
    with Conversation() as server:
        screen.enter(f"$WSX connect {server.url} > {path}")
        screen.wait_for_last_line(">")
        screen.type("half")
        server.send(wire.text("one") + wire.text("\x1b[31mtwo"))
        wait_until(lambda: path.read_bytes() == b"one\n\x1b[31mtwo\n")
        screen.wait_for_last_line("> half")
        screen.press("Enter")
        assert server.wait_for_frame().payload == b"half"
        screen.press("C-d")
        screen.wait_for_last_line("shell$")
        assert "\n".join(screen.lines).count("one") == 0
    assert path.read_bytes() == b"one\n\x1b[31mtwo\n"


def test_a_reader_of_standard_output_that_leaves_ends_the_prompt(screen):
    with Conversation() as server:
        screen.enter(f"$WSX connect {server.url} | head -1; echo ${{PIPESTATUS[0]}} again")
        screen.wait_for_last_line(">")
        server.send(wire.text("one"))
        screen.wait_for("one$")
        screen.wait_for("^0 again$")


def test_redirected_standard_input_disables_the_prompt(screen):
    screen.enter("echo hello | $WSX connect echo:; echo done")
    screen.wait_for("^hello$")
    screen.wait_for("^done$")
    assert ">" not in screen.text


# The prompt of listen


def test_lines_typed_in_listen_go_to_every_client(screen):
    screen.enter("$WSX listen 0")
    url = screen.wait_for(r"Listening on (ws://\S+/)[.;]").group(1)
    screen.wait_for_last_line(">")
    with Running([BINARY, "connect", "-i", "-x", "hi server", url], stdin=subprocess.PIPE) as client:
        screen.wait_for("#1 @1 ← hi server$")
        screen.enter("to all")
        client.wait_for("to all\n", "out")
        screen.press("C-d")
        assert client.wait() == 0
    screen.wait_for_last_line("shell$")


def test_a_line_typed_after_the_close_is_reported_as_not_sent(screen):
    screen.enter("$WSX listen --close-timeout 1h 0")
    port = int(screen.wait_for(r"Listening on ws://127\.0\.0\.1:(\d+)/[.;]").group(1))
    screen.wait_for_last_line(">")
    # These clients never answer close frames.
    with Client(port) as first, Client(port) as second:
        screen.wait_for("@2 connected from ")
        screen.enter("@1 /close 4000")
        assert first.read_frame().close_code == 4000
        screen.enter("@1 to the first")
        screen.wait_for("the message was not sent: client 1 is being closed; /clients lists the clients$")
        screen.enter("to those left")
        assert second.read_frame().payload == b"to those left"
        screen.enter("/close")
        assert second.read_frame().close_code == 1000
        screen.enter("to nobody")
        screen.wait_for("the message was not sent: every client is being closed; wait for another$")
        screen.enter("/quit")
        screen.enter("too late")
        screen.wait_for("the message was not sent: the server is stopping; start it again$")
        assert [line for line in screen.lines if "→" in line and "close" not in line and "to those left" not in line] == []
    screen.wait_for_last_line("shell$")


# Hostile peers


HOSTILE = "\x1b[31mred\x1b]0;title\x07\x1bP+q\x1b\\ \x9b31m\x9d \x08\x7f\rCR \u202eRTL\u2066 \u200bzero \x00nul \x0e\x0f \u2028LS"


def peer_sequences(output):
    """Returns the parts of the hostile text that appear in the raw output of a terminal."""
    forbidden = [
        b"\x1b[31m", b"\x1b]0;title", b"\x1bP", b"\xc2\x9b", b"\xc2\x9d", b"\x9b31m", b"\x08\x7f", b"\rCR", "\u202e".encode(),
        "\u2066".encode(), "\u200b".encode(), b"\x00", b"\x0e", b"\x0f", "\u2028".encode()]
    return [sequence for sequence in forbidden if sequence in output]


def test_a_client_cannot_control_the_terminal_of_listen():
    with RawTerminal("listen", "0") as terminal:
        terminal.wait_for(b"Listening on ws://")
        port = int(re.search(rb"Listening on ws://127.0.0.1:(\d+)/", terminal.output).group(1))
        result = wsx(
            "connect", "--linger", "0", "--close-reason", "\x1b[31m\u202e", "-s", "chat", f":{port}/?%1b", HOSTILE.replace("\x00", ""))
        assert result.status == 0
        terminal.wait_for(b"@1 disconnected")
        terminal.type(b"\x04")
        assert terminal.wait() == 0
        assert peer_sequences(terminal.output) == []


def test_sigterm_restores_the_terminal():
    with Listener("--echo") as server:
        with RawTerminal("connect", server.url) as terminal:
            terminal.wait_for(b"> ")
            assert terminal.attributes != terminal.attributes_before
            terminal.signal()
            assert terminal.wait() == 143
            assert terminal.attributes == terminal.attributes_before


@pytest.mark.parametrize("keys, status", [([b"\x03"] * 3, 130), ([b"\x1c", b"\x03"], 131)], ids=["ctrl-c", "ctrl-backslash"])
def test_the_terminal_is_restored_if_the_peer_answers_no_close(keys, status):
    def script(peer):
        peer.upgrade()
        peer.read_until_close()
        release.wait(60)

    release = threading.Event()
    with ScriptedServer(script) as server:
        with RawTerminal("connect", server.url) as terminal:
            terminal.wait_for(b"> ")
            for key in keys:
                terminal.type(key)
                wait_until(lambda: (terminal.read(), b"(closing) > " in terminal.output)[1], what="our close frame")
            assert terminal.wait() == status
            assert terminal.attributes == terminal.attributes_before
        release.set()


def test_the_status_of_a_signal_overrides_that_of_the_connection():
    with ScriptedServer(lambda peer: (peer.upgrade(then=wire.close(1011)), peer.read_until_close())) as server:
        with RawTerminal("connect", server.url) as terminal:
            terminal.wait_for(b"(disconnected) > ")
            terminal.signal()
            assert terminal.wait() == 143


def test_a_terminal_that_disappears_ends_the_run():
    with Listener("--echo") as server:
        screen = Screen()
        with screen:
            screen.enter(f"exec $WSX connect {server.url}")
            screen.wait_for_last_line(">")
        server.wait_for("Client 1 disconnected")
