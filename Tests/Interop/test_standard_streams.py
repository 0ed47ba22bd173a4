"""Connect in pipelines and jobs: readers that leave, closed descriptors, and no terminal."""

import fcntl
import os
import pty
import socket
import subprocess

import pytest

import wire
from processes import BINARY, assert_fails, shell, wait_until, wsx
from scripted_server import ScriptedServer


def flooding(peer):
    """Sends messages until the client stops accepting them."""
    peer.upgrade()
    try:
        while True:
            peer.send(wire.text("line") * 100)
    except OSError:
        return "client left"


def closing_after_a_message(peer):
    peer.upgrade(then=wire.text("hello") + wire.close(1000))
    peer.read_until_close()


def echoing_one(peer):
    peer.upgrade()
    peer.send(wire.text(peer.read_message().payload))
    peer.answer_close()


@pytest.mark.parametrize("options", ["", "--no-stdin", "--linger forever"])
def test_a_reader_that_leaves_ends_the_run_normally(options):
    with ScriptedServer(flooding) as server:
        result = shell(f'"$WSX" connect {options} "$1" | head -1; echo "${{PIPESTATUS[0]}}"', server.url)
    assert (result.lines, result.err) == (["line", "0"], "")


def test_a_reader_that_leaves_ends_a_run_without_further_messages():
    def script(peer):
        peer.upgrade(then=wire.text("one"))
        return peer.answer_close().close_code

    with ScriptedServer(script) as server:
        result = shell('"$WSX" connect --no-stdin "$1" | head -1; echo "${PIPESTATUS[0]}"', server.url)
    assert (result.lines, result.err) == (["one", "0"], "")
    assert server.results == [1000]


def test_closed_standard_input_counts_as_empty():
    with ScriptedServer(closing_after_a_message) as server:
        result = shell('"$WSX" connect "$1" <&-', server.url)
    assert (result.status, result.out, result.err) == (0, b"hello\n", "")


@pytest.mark.parametrize("command", ["connect --output json", "connect", "connect --output raw"])
def test_writing_to_a_closed_standard_output_is_an_error(command):
    with ScriptedServer(closing_after_a_message) as server:
        result = shell(f'"$WSX" {command} "$1" >&-', server.url)
    assert_fails(result, 1, "writing standard output: it is closed")


@pytest.mark.parametrize("arguments", ["--version", "--help", "bench -n 10 -c 1 echo:"])
def test_printing_a_result_to_a_closed_standard_output_fails(arguments):
    assert_fails(shell(f'"$WSX" {arguments} >&-'), 1, "writing standard output: it is closed")


def test_a_closed_standard_output_is_harmless_if_nothing_is_written():
    with ScriptedServer(lambda peer: (peer.upgrade(), peer.answer_close())) as server:
        result = shell('"$WSX" connect --linger 0 "$1" hello >&-', server.url)
    assert (result.status, result.err) == (0, "")


def test_all_three_descriptors_may_be_closed():
    with ScriptedServer(closing_after_a_message) as server:
        result = shell('"$WSX" connect "$1" <&- >&- 2>&-', server.url)
    assert result.status == 1
    assert server.connection_count == 1


def test_standard_input_may_be_the_null_device():
    with ScriptedServer(closing_after_a_message) as server:
        result = wsx("connect", server.url, stdin=subprocess.DEVNULL)
    assert (result.status, result.out, result.err) == (0, b"hello\n", "")


def test_a_fifo_that_its_writer_has_closed_is_read_to_its_end(tmp_path):
    path = tmp_path / "fifo"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        writer = os.open(path, os.O_WRONLY)
        os.write(writer, b"hello\n")
        os.close(writer)
        result = wsx("connect", "-q", "echo:", stdin=reader)
    finally:
        os.close(reader)
    assert (result.status, result.out, result.err) == (0, b"hello\n", "")


def test_appending_to_a_file_keeps_its_contents(tmp_path):
    path = tmp_path / "out"
    path.write_bytes(b"before\n")
    with ScriptedServer(closing_after_a_message) as server:
        assert shell('"$WSX" connect "$1" >>"$2"', server.url, path).status == 0
    assert path.read_bytes() == b"before\nhello\n"


def test_a_full_disk_exits_1_with_the_reason():
    with ScriptedServer(closing_after_a_message) as server:
        result = shell('"$WSX" connect "$1" >/dev/full', server.url)
    assert (result.status, result.err) == (1, "wsx: writing standard output: no space left on device\n")


def test_it_runs_under_nohup(tmp_path):
    with ScriptedServer(closing_after_a_message) as server:
        result = shell('nohup "$WSX" connect "$1" >"$2" 2>&1; echo $?; cat "$2"', server.url, tmp_path / "out")
    assert result.lines[0] == "0"
    assert result.lines[-1] == "hello"


def test_a_socket_that_ended_sending_still_gets_the_output():
    ours, theirs = socket.socketpair()
    with ScriptedServer(echoing_one) as server:
        ours.sendall(b"through a socket\n")
        ours.shutdown(socket.SHUT_WR)
        result = wsx("connect", server.url, stdin=theirs, stdout=theirs)
        theirs.close()
        received = b"".join(iter(lambda: ours.recv(4096), b""))
        ours.close()
    assert (result.status, received) == (0, b"through a socket\n")


def is_nonblocking(descriptor):
    return bool(fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_NONBLOCK)


def test_shared_pipes_stay_in_blocking_mode():
    seen = []

    def script(peer):
        peer.upgrade(then=wire.text("hello"))
        # The client has sent a message, so both streams are in use.
        peer.read_frame()
        seen.extend(map(is_nonblocking, (stdin_ours, stdout_ours, stderr_ours)))
        peer.answer_close()

    stdin_ours, stdin_far = os.pipe()
    stdout_far, stdout_ours = os.pipe()
    stderr_far, stderr_ours = os.pipe()
    with ScriptedServer(script) as server:
        os.write(stdin_far, b"a\n")
        process = subprocess.Popen(
            [BINARY, "connect", server.url], stdin=stdin_ours, stdout=stdout_ours, stderr=stderr_ours)
        wait_until(lambda: seen)
        os.close(stdin_far)
        assert process.wait(60) == 0
        seen.extend(map(is_nonblocking, (stdin_ours, stdout_ours, stderr_ours)))
    assert os.read(stdout_far, 100) == b"hello\n"
    for descriptor in (stdin_ours, stdout_far, stdout_ours, stderr_far, stderr_ours):
        os.close(descriptor)
    assert seen == [False] * 6


@pytest.mark.parametrize("end", ["normally", "killed"])
def test_a_terminal_stays_in_blocking_mode_for_the_shell(end):
    seen = []

    def script(peer):
        peer.upgrade(then=wire.text("hello"))
        frame = peer.read_frame()
        seen.append(is_nonblocking(terminal))
        if frame:
            peer.answer_close()

    main, terminal = pty.openpty()
    with ScriptedServer(script) as server:
        process = subprocess.Popen([BINARY, "connect", server.url], stdin=terminal, stdout=terminal, stderr=terminal)
        os.write(main, b"a line\r")
        wait_until(lambda: seen)
        if end == "killed":
            process.kill()
            process.wait(60)
        else:
            os.write(main, b"\x04")
            assert process.wait(60) == 0
        seen.append(is_nonblocking(terminal))
    os.close(main)
    os.close(terminal)
    assert seen == [False, False]
