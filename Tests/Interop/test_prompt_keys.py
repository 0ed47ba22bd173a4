"""Regression tests of keys, locales, and editing modes at the prompt."""

import pathlib
import signal
import threading

import pytest

from processes import wait_until
from scripted_server import ScriptedServer
from terminal import RawTerminal, Screen
from test_repl import content, repl, screen  # noqa: F401, the fixtures


def state_of(process):
    """Returns the state of a process, such as "T" if it is stopped."""
    return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]


def test_ctrl_c_during_a_history_search_sends_nothing(repl):
    repl.enter("héllo")
    repl.press("C-r")
    repl.type("hé")
    repl.wait_for("reverse-i-search")
    repl.press("C-c")
    repl.wait_for_last_line(">")
    repl.enter("after")
    repl.wait_for("← after")
    assert content(repl, "→") == ["héllo", "after"]


def test_ctrl_c_discards_only_what_was_typed_before_it_even_if_all_keys_wait():
    with RawTerminal("connect", "echo:", NO_COLOR="1") as terminal:
        terminal.wait_for(b"> ")
        terminal.type("before")
        terminal.wait_for(b"before")
        terminal.signal(signal.SIGSTOP)
        wait_until(lambda: state_of(terminal.process.pid) == "T", 60, "the stop")
        terminal.type(b"\x03after\r")
        terminal.signal(signal.SIGCONT)
        terminal.wait_for("#2 ← after".encode())
        assert b"beforeafter" not in terminal.output
        terminal.type(b"\x04")
        assert terminal.wait() == 0


def test_ctrl_c_during_a_failed_history_search_does_not_exit(repl):
    repl.press("C-r")
    repl.type("zzz")
    # The terminal discards what it has not passed on when Ctrl-C is typed.
    repl.wait_for("failed reverse-i-search\\)`zzz")
    repl.press("C-c")
    repl.wait_for_last_line(">")
    repl.enter("still here")
    repl.wait_for("← still here")


def test_in_vi_mode_each_line_starts_in_insert_mode(screen, tmp_path):
    (tmp_path / "inputrc").write_text("set editing-mode vi\n")
    screen.enter(f"INPUTRC={tmp_path}/inputrc $WSX connect echo:")
    screen.wait_for_last_line(">")
    screen.type("abc")
    screen.press("Escape")
    screen.enter("x")
    screen.wait_for("← ab$")
    screen.enter("def")
    screen.wait_for("← def$")


@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_a_locale_without_utf_8_loses_no_character(screen, locale):
    screen.enter(f"LC_ALL={locale} $WSX connect echo:")
    screen.wait_for_last_line(">")
    screen.enter("é€x")
    screen.wait_for("[←<] é€x$")


def test_a_resize_draws_one_prompt():
    with Screen(width=60, height=12) as screen:
        screen.enter("$WSX connect echo:")
        screen.wait_for_last_line(">")
        screen.type("abc")
        screen.wait_for_last_line("> abc")
        screen.resize(90, 12)
        screen.resize(70, 12)
        screen.type("d")
        screen.wait_for_last_line("> abcd")
        assert screen.text.count("> abc") == 1


def test_a_line_typed_while_closing_is_not_lost_silently(screen):
    release = threading.Event()

    def serve(peer):
        peer.upgrade()
        peer.read_until_close()
        release.wait(60)

    with ScriptedServer(serve) as server:
        screen.enter(f"$WSX connect --close-timeout 20s {server.url}")
        screen.wait_for_last_line(">")
        screen.enter("/close")
        screen.enter("too late")
        screen.wait_for("^wsx: the message was not sent: the connection is closing")
        release.set()
