"""The progress of large messages on a terminal, without a prompt."""

import threading

import pytest

import wire
from scripted_server import ScriptedServer
from terminal import Screen


@pytest.mark.parametrize("options", ["", "--reconnect"])
def test_sending_and_receiving_show_their_progress_and_leave_no_trace(tmp_path, options):
    path = tmp_path / "large"
    path.write_bytes(b"x" * (64 << 20))
    may_read, may_reply = threading.Event(), threading.Event()

    def script(peer):
        peer.upgrade()
        assert may_read.wait(60)
        # One frame, which takes long to unmask here.
        peer.read_exactly(2 + 8 + 4 + path.stat().st_size)
        reply = wire.text("y" * (2 << 20))
        peer.send(reply[:-10])
        assert may_reply.wait(60)
        peer.send(reply[-10:])
        peer.read_until_close()

    with ScriptedServer(script) as server, Screen(width=60) as screen:
        screen.enter(f"$WSX -1 {options} --compress=off --file {path} {server.url} > {tmp_path}/reply; echo status $?")
        screen.wait_for(r"^Sending 64.0 MiB: \d+ %$")
        may_read.set()
        screen.wait_for(r"^Receiving [0-9.]+ MiB of 2.0 MiB$")
        may_reply.set()
        screen.wait_for("^status 0")
        assert "Sending 64" not in screen.text and "Receiving" not in screen.text
    assert (tmp_path / "reply").read_bytes() == b"y" * (2 << 20) + b"\n"


def test_an_interrupt_leaves_no_progress_on_the_line(tmp_path):
    path = tmp_path / "large"
    path.write_bytes(b"x" * (64 << 20))
    may_read = threading.Event()

    def script(peer):
        peer.upgrade()
        assert may_read.wait(60)

    with ScriptedServer(script) as server, Screen(width=60) as screen:
        screen.enter(f"$WSX -1 --compress=off --file {path} {server.url}; echo status $?")
        screen.wait_for(r"^Sending 64.0 MiB: \d+ %$")
        screen.press("C-c", "C-c")
        screen.wait_for(r"^status 130", timeout=60)
        assert "Sending" not in screen.text
        may_read.set()


def test_a_quiet_run_shows_no_progress(tmp_path):
    path = tmp_path / "large"
    path.write_bytes(b"x" * (64 << 20))
    may_read = threading.Event()

    def script(peer):
        peer.upgrade()
        assert may_read.wait(60)
        peer.read_until_close()

    with ScriptedServer(script) as server, Screen(width=60) as screen:
        screen.enter(f"$WSX -q -1 --compress=off --timeout 2s --file {path} {server.url}; echo status $?")
        screen.wait_for(r"^status 6", timeout=60)
        assert "Sending" not in screen.text
        may_read.set()
