"""Editing at the prompt: history, multi-line input, pasting, completion, and the external editor."""

import json
import os
import pathlib
import re
import signal
import tempfile
import threading
import time

import pytest

import wire
from processes import wait_a_moment, wait_until
from terminal import RawTerminal, Screen
from test_repl import Conversation, content


@pytest.fixture
def server():
    with Conversation() as server:
        yield server


@pytest.fixture
def screen(server):
    with Screen() as screen:
        yield screen


@pytest.fixture
def prompt(screen, server):
    """A prompt connected to the conversation."""
    connect(screen, server)
    return screen


def connect(screen, server, *options):
    screen.enter(" ".join(["$WSX connect", *options, server.url]))
    screen.wait_for_last_line(">")


def leave(screen):
    screen.press("C-d")
    screen.wait_for_last_line("shell$")


def texts(server):
    return [frame.payload.decode() for frame in server.frames if frame.opcode == wire.TEXT]


def wait_for_texts(server, *expected):
    wait_until(lambda: len(texts(server)) >= len(expected), what=f"{expected!r}")
    assert texts(server) == list(expected)


def history_file(screen):
    """Returns the path of the only history file."""
    [path] = (screen.state / "wsx" / "history").iterdir()
    return path


def stored(path):
    """Returns the lines of a history file without timestamps."""
    return [line for line in path.read_text().splitlines() if not re.fullmatch(r"#\d+", line)]


def script(tmp_path, text, name="editor"):
    """Creates an executable script and returns its path."""
    path = tmp_path / name
    path.write_text("#!/bin/bash\n" + text)
    path.chmod(0o700)
    return path


# History


def test_no_history_neither_reads_nor_writes_the_file(screen, server):
    connect(screen, server)
    screen.enter("before")
    wait_for_texts(server, "before")
    leave(screen)
    path = history_file(screen)
    connect(screen, server, "--no-history")
    screen.press("Up")
    screen.enter("after")
    wait_for_texts(server, "before", "after")
    leave(screen)
    assert stored(path) == ["before"]


def test_history_sets_the_file(screen, server, tmp_path):
    connect(screen, server, "--history", f"{tmp_path}/new/file")
    screen.enter("a line")
    wait_for_texts(server, "a line")
    assert stored(tmp_path / "new" / "file") == ["a line"]
    assert not (screen.state / "wsx").exists()


def test_a_discarded_line_does_not_reappear(prompt, server):
    prompt.enter("sent")
    prompt.type("left")
    prompt.press("Up")
    prompt.wait_for_last_line("> sent")
    prompt.press("Enter")
    wait_for_texts(server, "sent", "sent")
    prompt.press("Up", "Down")
    prompt.enter("new")
    wait_for_texts(server, "sent", "sent", "new")


def test_bindings_in_inputrc_apply(screen, server, tmp_path):
    (tmp_path / "inputrc").write_text('$if wsx\n"\\C-t": "from inputrc"\n$endif\n$if other\n"\\C-t": "wrong"\n$endif\n')
    screen.enter(f"export INPUTRC={tmp_path}/inputrc")
    connect(screen, server)
    screen.press("C-t", "Enter")
    wait_for_texts(server, "from inputrc")


def test_control_o_sends_a_line_and_recalls_the_next_one(prompt, server):
    for line in ("one", "two", "three"):
        prompt.enter(line)
    wait_for_texts(server, "one", "two", "three")
    prompt.press("Up", "Up", "Up")
    prompt.wait_for_last_line("> one")
    prompt.press("C-o")
    prompt.wait_for_last_line("> two")
    prompt.press("C-o")
    prompt.wait_for_last_line("> three")
    wait_for_texts(server, "one", "two", "three", "one", "two")
    # None follows a new line.
    prompt.press("C-c")
    prompt.wait_for_last_line(">")
    prompt.type("four")
    prompt.press("C-o")
    prompt.wait_for_last_line(">")
    wait_for_texts(server, "one", "two", "three", "one", "two", "four")


@pytest.mark.parametrize("keys", [["C-o"], ["M-#"], ["C-x", "a"]], ids=["C-o", "M-#", "inputrc"])
def test_every_key_that_sends_a_line_leaves_neither_the_line_nor_a_status_line(server, tmp_path, keys):
    (tmp_path / "inputrc").write_text('"\\C-xa": accept-line\n')
    with Screen(INPUTRC=tmp_path / "inputrc") as screen:
        connect(screen, server)
        screen.wait_for("↑ 0 ↓ 0")
        screen.type("one")
        screen.press(*keys)
        screen.wait_for("→ #?one$")
        screen.wait_for_last_line(">")
        screen.wait_for("↑ 1 ↓ 0")
        assert screen.text.count(" ↑ ") == 1
        assert "> " not in screen.text.split("Connected", 1)[1]
        leave(screen)


# Multi-line input


def test_control_c_discards_all_lines(prompt, server):
    prompt.enter('{"a":')
    prompt.enter("1,")
    prompt.wait_for('^> {"a":\n1,$')
    prompt.press("C-c")
    prompt.wait_for_last_line(">")
    prompt.enter("after")
    wait_for_texts(server, "after")


def test_multi_line_input_survives_messages_and_resizes(prompt, server):
    prompt.enter('{"first":')
    prompt.enter('"second",')
    prompt.type('"third')
    prompt.wait_for('^> {"first":\n"second",\n"third$')
    server.send(b"".join(wire.text(f"message {number}") for number in range(100)))
    prompt.wait_for("message 99$")
    prompt.wait_for('message 99\nws.*\n> {"first":\n"second",\n"third$')
    assert content(prompt, "←") == [f"message {number}" for number in range(100)]
    assert prompt.text.count('{"first":') == 1
    prompt.resize(60, 20)
    server.send(wire.text("narrow"))
    prompt.wait_for('narrow\nws.*\n> {"first":\n"second",\n"third$')
    prompt.resize(120, 40)
    server.send(wire.text("wide"))
    prompt.wait_for('wide\nws.*\n> {"first":\n"second",\n"third$')
    prompt.enter('":3}')
    wait_for_texts(server, '{"first":\n"second",\n"third":3}')


def test_multi_line_input_survives_control_z(prompt, server):
    prompt.enter("[1,")
    prompt.type("2")
    prompt.wait_for(r"^> \[1,\n2$")
    prompt.press("C-z")
    prompt.wait_for("Stopped")
    prompt.wait_for_last_line("shell$")
    prompt.enter("fg")
    prompt.wait_for(r"^> \[1,\n2$")
    prompt.enter("]")
    wait_for_texts(server, "[1,\n2]")


# Pasting


LINES = "".join(f"line {number}: \t{{\"x\": '\\\\'}} zwölf 水\n" for number in range(100))


@pytest.mark.parametrize("newline", ["\r", "\n"], ids=["CR", "LF"])
def test_a_paste_of_a_hundred_lines_can_be_one_message(prompt, server, newline):
    prompt.paste(LINES, newline=newline)
    prompt.wait_for("^Paste of 100 messages: ")
    prompt.press("Enter")
    prompt.wait_for("line 99: ")
    for number in range(10):
        server.send(wire.text(f"message {number}"))
    prompt.wait_for("message 9\n")
    prompt.wait_for("^line 99: ")
    assert content(prompt, "←") == [f"message {number}" for number in range(10)]
    assert texts(server) == []
    prompt.press("Enter")
    wait_for_texts(server, LINES.rstrip("\n"))


@pytest.mark.parametrize("pasted", ["hello\n", "hello\n\n", "hello"], ids=["newline", "empty line", "no newline"])
def test_a_paste_does_not_send_its_trailing_newline(prompt, server, pasted):
    prompt.paste(pasted)
    prompt.wait_for("^> hello$")
    prompt.press("Enter")
    wait_for_texts(server, "hello")


def test_a_paste_into_a_line_keeps_its_newlines(prompt, server):
    prompt.type("[]")
    prompt.press("Left")
    prompt.paste("1,\n2\n")
    prompt.wait_for("^]$")
    prompt.press("Enter")
    wait_for_texts(server, "[1,\n2\n]")


def test_a_paste_in_vi_command_mode_is_inserted_as_text(screen, server, tmp_path):
    inputrc = tmp_path / "inputrc"
    inputrc.write_text("set editing-mode vi\n")
    screen.enter(f"INPUTRC={inputrc} $WSX connect {server.url}")
    screen.wait_for(">$")
    screen.type("abc")
    screen.press("Escape")
    # After an Escape, readline waits for the rest of a key sequence.
    time.sleep(1)
    screen.paste("XY\n")
    screen.wait_for("^> abcXY$")
    screen.press("Enter")
    wait_for_texts(server, "abcXY")


def test_enter_on_an_empty_prompt_sends_nothing_but_send_can_send_an_empty_message(prompt, server):
    prompt.press("Enter", "Enter")
    prompt.enter('/send ""')
    prompt.enter("/send   spaces stay")
    wait_for_texts(server, "", "  spaces stay")


def test_a_paste_can_be_edited_before_it_is_sent(prompt, server):
    prompt.paste("one\ntwo\nthree")
    prompt.wait_for("^Paste of 3 messages: ")
    prompt.press("Enter")
    prompt.wait_for("^three$")
    prompt.press("BSpace", "BSpace", "C-a")
    prompt.type(">")
    prompt.press("Enter")
    wait_for_texts(server, ">one\ntwo\nthr")


def test_without_bracketed_paste_each_pasted_line_is_a_message(prompt, server):
    prompt.paste("one\ntwo\n", is_bracketed=False)
    wait_for_texts(server, "one", "two")


def test_input_higher_than_the_screen_is_shown_around_the_cursor(prompt, server):
    prompt.paste("\n".join(f"line {number}" for number in range(100)))
    prompt.wait_for("^Paste of 100 messages: ")
    prompt.press("Enter")
    prompt.wait_for("^> … 74 lines above\nline 74\n")
    prompt.wait_for_last_line("line 99")
    prompt.press("C-a")
    server.send(wire.text("meanwhile"))
    prompt.wait_for("meanwhile\n.*\n> line 0\n")
    prompt.wait_for_last_line("… 74 lines below")
    prompt.resize(100, 20)
    prompt.wait_for_last_line("… 84 lines below")


def test_a_pasted_line_taller_than_the_screen_does_not_garble_the_prompt(prompt, server):
    line = "".join(f"{number:04} " for number in range(1000)).strip()
    prompt.paste(line)
    # The window has rows of 100 columns, two of which the prompt takes.
    prompt.wait_for("^> … [0-9]+ lines above\n")
    prompt.wait_for_last_line("9")
    for number in range(5):
        server.send(wire.text(f"meanwhile {number}"))
        prompt.wait_for(f"meanwhile {number}$")
    prompt.wait_for_last_line("9")
    assert prompt.text.count("lines above") == 1
    prompt.press("C-a")
    prompt.wait_for_last_line("… 25 lines below")
    assert prompt.text.count("> 0000 0001") == 1
    prompt.type("x")
    prompt.press("Enter")
    wait_for_texts(server, "x" + line)


# Completion


@pytest.fixture
def short_directory():
    """A directory whose path fits the window, whatever TMPDIR is."""
    with tempfile.TemporaryDirectory(dir="/tmp") as path:
        yield pathlib.Path(path)


def test_file_names_are_completed(prompt, server, short_directory):
    tmp_path = short_directory
    (tmp_path / "a directory").mkdir()
    (tmp_path / "a directory" / "wörds.txt").write_text("contents")
    prompt.type(f"/file text {tmp_path}/a\t")
    prompt.wait_for_last_line(f"> /file text {tmp_path}/a directory/")
    prompt.press("Tab", "Enter")
    wait_for_texts(server, "contents")


def test_candidates_are_listed_above_the_line(prompt, server):
    server.send(wire.text("alpha1 alpha2 " + " ".join(f"alpha3_{number}" for number in range(300))))
    prompt.wait_for("/1 shows all$")
    prompt.type("x alph\t\t")
    prompt.wait_for("^… and 102 more\nws.*\n> x alpha$")
    prompt.enter("1")
    wait_for_texts(server, "x alpha1")


# External editor


def test_the_editor_opens_the_last_line_and_its_result_returns_to_the_prompt(server, tmp_path):
    editor = script(tmp_path, f"""
stat -c %a "$1" > {tmp_path}/mode; echo "$1" > {tmp_path}/name; cat "$1" > {tmp_path}/given
printf 'first\\nsecond\\n' > "$1"
""")
    with Screen(EDITOR=editor, TMPDIR=tmp_path) as screen:
        connect(screen, server)
        screen.enter("a line")
        screen.enter("/edit")
        screen.wait_for("^> first\nsecond$")
        assert (tmp_path / "given").read_text() == "a line\n"
        assert (tmp_path / "mode").read_text() == "600\n"
        name = (tmp_path / "name").read_text().strip()
        assert name.startswith(f"{tmp_path}/wsx-") and not os.path.exists(name)
        screen.press("Enter")
        wait_for_texts(server, "a line", "first\nsecond")


def test_a_key_opens_the_editor_with_the_typed_text(server, tmp_path):
    editor = script(tmp_path, "tr a-z A-Z < \"$1\" > \"$1.new\"; mv \"$1.new\" \"$1\"")
    with Screen(EDITOR=editor) as screen:
        connect(screen, server)
        screen.enter('{"a":')
        screen.type("1}")
        screen.press("C-x", "C-e")
        screen.wait_for('^> {"A":\n1}$')
        screen.press("Enter")
        wait_for_texts(server, '{"A":\n1}')


@pytest.mark.parametrize("editor, words", [
    ("false", "'false' exited with status 1"), ("no-such-editor", "'no-such-editor' exited with status 127")])
def test_a_failed_editor_leaves_the_line_unchanged(server, editor, words):
    with Screen(EDITOR=editor) as screen:
        connect(screen, server)
        screen.type("typed")
        screen.press("C-x", "C-e")
        screen.wait_for(f"^wsx: /edit: {words}$")
        screen.wait_for_last_line("> typed")


def test_the_connection_stays_alive_while_the_editor_runs(server, tmp_path):
    editor = script(tmp_path, f"echo begun > {tmp_path}/begun; read; echo changed > \"$1\"")
    with Screen(EDITOR=editor) as screen:
        connect(screen, server)
        screen.enter("/edit x")
        wait_until(lambda: (tmp_path / "begun").exists())
        server.send(wire.frame(wire.PING, b"alive?") + wire.text("held"))
        assert server.wait_for_frame(wire.PONG).payload == b"alive?"
        assert "held" not in screen.text
        screen.press("Enter")
        screen.wait_for("held\n.*\n> changed$")
        screen.press("Enter")
        wait_for_texts(server, "changed")


def test_control_c_handled_by_the_editor_does_not_reach_the_prompt(server, tmp_path):
    editor = script(tmp_path, f"trap 'echo taken > {tmp_path}/taken' INT; echo > {tmp_path}/begun; "
                    f"until [ -e {tmp_path}/taken ]; do sleep 0.05; done; echo changed > \"$1\"")
    with Screen(EDITOR=editor) as screen:
        connect(screen, server)
        screen.enter("/edit")
        wait_until(lambda: (tmp_path / "begun").exists())
        screen.press("C-c")
        screen.wait_for_last_line("> changed")
        screen.press("Enter")
        wait_for_texts(server, "changed")


def test_an_interrupt_while_the_editor_runs_does_not_reach_the_prompt_after_its_exit(server, tmp_path):
    editor = script(tmp_path, f"echo $$ > {tmp_path}/begun; until [ -e {tmp_path}/end ]; do sleep 0.05; done; "
                    "echo changed > \"$1\"")
    with RawTerminal("connect", server.url, EDITOR=editor) as terminal:
        terminal.wait_for(b"/help")
        terminal.type("/edit\r")
        wait_until(lambda: (tmp_path / "begun").exists() and (tmp_path / "begun").read_text())
        # wsx finds the signal and the exit at the same time.
        terminal.signal(signal.SIGSTOP)
        terminal.signal(signal.SIGINT)
        (tmp_path / "end").touch()
        status = pathlib.Path("/proc", (tmp_path / "begun").read_text().strip(), "status")
        wait_until(lambda: "State:\tZ" in status.read_text())
        terminal.signal(signal.SIGCONT)
        terminal.wait_for(b"changed")
        terminal.type("\r")
        wait_for_texts(server, "changed")


def test_the_editor_can_be_stopped_and_resumed(server):
    with Screen(EDITOR="vi") as screen:
        connect(screen, server)
        screen.enter("/edit some text")
        screen.wait_for("^some text$")
        screen.press("C-z")
        screen.wait_for_last_line("shell$")
        screen.enter("fg")
        screen.wait_for("^some text$\n~")
        screen.resize(80, 20)
        screen.press("A")
        screen.type(" and more")
        screen.press("Escape")
        screen.enter(":wq")
        screen.wait_for_last_line("> some text and more")
        screen.press("Enter")
        wait_for_texts(server, "some text and more")
        leave(screen)


def test_messages_during_editing_are_kept_and_none_is_lost(server, tmp_path):
    editor = script(tmp_path, f"echo > {tmp_path}/begun; until [ -e {tmp_path}/end ]; do sleep 0.05; done")
    with Screen(EDITOR=editor) as screen:
        screen.enter(f"$WSX connect {server.url}")
        screen.wait_for_last_line(">")
        screen.enter("/edit text")
        wait_until(lambda: (tmp_path / "begun").exists())
        for number in range(5000):
            server.send(wire.text(f"message {number} " + "x" * 1000))
        assert "message" not in screen.text
        (tmp_path / "end").touch()
        screen.wait_for(r"^… [\d,]+ more messages in \S+ s; /tail shows the latest$")
        screen.press("C-u")
        screen.enter("/tail 1")
        screen.wait_for("^#5000 ← message 4999$")
        screen.enter("/find ^message 2500 ")
        screen.wait_for("^Found 1 message.$")
        screen.press("C-u", "C-d")
        screen.wait_for_last_line("shell$")


def test_pongs_during_editing_are_buffered_up_to_a_limit(server, tmp_path):
    editor = script(tmp_path, f"echo > {tmp_path}/begun; until [ -e {tmp_path}/end ]; do sleep 0.05; done")
    with Screen(EDITOR=editor) as screen:
        screen.enter(f"$WSX connect -v {server.url}")
        screen.wait_for_last_line(">")
        screen.enter("/edit text")
        wait_until(lambda: (tmp_path / "begun").exists())
        sent = []

        def flood():
            try:
                for number in range(20_000):
                    server.send(wire.frame(wire.PONG, b"p" * 100) * 50)
                    sent.append(number)
            except OSError:
                # The connection may end before everything is sent.
                pass

        thread = threading.Thread(target=flood, daemon=True)
        thread.start()
        wait_until(lambda: (count := len(sent)) and not wait_a_moment(lambda: len(sent) > count))
        count = len(sent)
        assert count < 20_000
        (tmp_path / "end").touch()
        wait_until(lambda: len(sent) > count)
    thread.join(60)


# Exiting

# A message that is higher than the screen when it is shown in full.
LONG_MESSAGE = wire.text(json.dumps(list(range(300))))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
@pytest.mark.parametrize("state", ["prompt", "several lines", "editor", "pager"])
def test_the_terminal_is_restored_after_a_signal(server, tmp_path, number, state):
    editor = script(tmp_path, "stty raw -echo < /dev/tty; echo > $0.begun; sleep 30 & wait")
    with RawTerminal("connect", server.url, EDITOR=editor, PAGER=editor) as terminal:
        terminal.wait_for(b"> ")
        if state == "several lines":
            terminal.type("[1,\r2")
            terminal.wait_for(b"2")
        elif state in ("editor", "pager"):
            if state == "pager":
                server.send(LONG_MESSAGE)
                terminal.wait_for(b"/1 shows all")
            terminal.type("/edit\r" if state == "editor" else "/1\r")
            wait_until(lambda: (tmp_path / "editor.begun").exists())
            if number == signal.SIGQUIT:
                # This key belongs to the program that has the terminal.
                return
        terminal.signal(number)
        assert terminal.wait() == 128 + number
        assert terminal.attributes == terminal.attributes_before


def test_a_signal_also_ends_less_as_the_pager(server):
    with RawTerminal("connect", "--color", "never", server.url, PAGER="less") as terminal:
        terminal.wait_for(b"> ")
        server.send(LONG_MESSAGE)
        terminal.wait_for(b"/1 shows all")
        terminal.type("/1\r")
        terminal.wait_for(b"  10,")
        terminal.signal(signal.SIGTERM)
        assert terminal.wait() == 128 + signal.SIGTERM
        assert terminal.attributes == terminal.attributes_before
        wait_until(lambda: not terminal.session, what="the end of less")


def test_a_hangup_of_the_terminal_ends_the_program(server):
    with RawTerminal("connect", server.url) as terminal:
        terminal.wait_for(b"> ")
        os.close(terminal.terminal)
        os.close(terminal.main)
        assert terminal.process.wait(60) == 129


def test_a_hangup_of_the_terminal_ends_the_program_even_if_the_signal_is_ignored(server):
    with RawTerminal("connect", server.url, ignores=signal.SIGHUP) as terminal:
        terminal.wait_for(b"> ")
        os.close(terminal.terminal)
        os.close(terminal.main)
        assert terminal.process.wait(60) == 0
