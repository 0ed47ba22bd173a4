"""Standard error that is read late, slowly, or never: nothing blocks on it, and lost lines are counted."""

import fcntl
import os
import re
import signal
import socket
import subprocess
import threading

import pytest

import wire
from processes import BINARY, end
from scripted_server import ScriptedServer
from test_listen_once import Client

PIPE_BYTES = 65536


class Unread:
    """`wsx` with a pipe as standard error, which is read only on request."""

    def __init__(self, *arguments, stderr=None, **options):
        far, near = stderr or os.pipe()
        self.file = os.fdopen(far, "rb", buffering=0)
        self.process = subprocess.Popen(
            [BINARY, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=near, **options)
        self.near = near

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end(self.process)
        self.close_near()
        self.file.close()

    def close_near(self):
        """Closes our copy of the write end, so the pipe can reach its end."""
        if self.near is not None:
            os.close(self.near)
        self.near = None

    def read_line(self):
        line = b""
        while not line.endswith(b"\n"):
            line += self.file.read(1)
        return line.decode()

    def read_port(self):
        return int(re.search(r"Listening on ws://127\.0\.0\.1:(\d+)/\n", self.read_line()).group(1))

    def read_rest(self):
        self.close_near()
        return b"".join(iter(lambda: self.file.read(PIPE_BYTES), b"")).decode()


def get(port, path="/x"):
    """Requests a page, which writes a line to the log."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as sock:
        sock.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        return b"".join(iter(lambda: sock.recv(4096), b""))


def echo(port):
    with Client(port) as client:
        client.send(wire.text("hello", is_masked=True))
        assert client.read_frame().payload == b"hello"
        client.close(1000)


@pytest.mark.parametrize("options", [["--echo"], ["--echo", "--threads", "2"]])
def test_clients_are_served_and_signals_handled_if_the_log_is_not_read(options):
    with Unread("listen", *options, 0) as server:
        port = server.read_port()
        path = "/" + "x" * 100
        count = 2 * PIPE_BYTES // 150
        for _ in range(count):
            assert b" 426 " in get(port, path)
        echo(port)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 0
        text = server.read_rest()
        assert text.endswith("\n") and len(text) > PIPE_BYTES - 4096
        assert {line.split(",")[0] for line in text.splitlines()} == {"Answered GET: 426"}


def test_a_log_that_is_read_late_is_complete():
    with Unread("listen", "--echo", 0) as server:
        port = server.read_port()
        for number in range(1500):
            get(port, f"/{number}")
        server.process.send_signal(signal.SIGTERM)
        server.close_near()
        paths = re.findall(r'path "/(\d+)"', server.read_rest())
        assert paths == [str(number) for number in range(1500)]
        assert server.process.wait(60) == 0


def test_lost_lines_are_counted():
    complaint = "x" * 999
    count = 3000
    script = f"yes {complaint} | head -n {count} >&2; echo done; read line"
    with Unread("listen", "--exec", "0", "--", "sh", "-c", script) as server:
        port = server.read_port()
        with Client(port) as client:
            # The program's output is sent even though its standard error is not read.
            assert client.read_frame().payload == b"done"
            get(port, "/lost")
            lines = []
            while not lines or "lost" not in lines[-1]:
                lines.append(server.read_line())
        assert lines[0].startswith("Client 1 connected")
        complaints = [line for line in lines if line == f"Client 1 | {complaint}\n"]
        assert len(complaints) == len(lines) - 2
        lost = count - len(complaints) + 1
        assert lines[-1] == f"wsx: {lost:,} log lines were lost: nothing was reading standard error\n"
        # From now on, the log is read.
        get(port, "/found")
        while "/found" not in server.read_line():
            pass


def test_a_program_pauses_while_its_standard_error_is_read_slowly():
    count = 4000
    script = f"yes {'x' * 999} | head -n {count} >&2; echo done; read line"
    with Unread("listen", "--exec", "0", "--", "sh", "-c", script) as server:
        port = server.read_port()
        with Client(port) as client:
            text, seen = b"", 0
            while text.count(b"\n") < count + 1:
                text += server.file.read(16384)
                # Read more slowly than the program writes.
                threading.Event().wait(0.002)
            assert client.read_frame().payload == b"done"
        assert b"lost" not in text


def full_pipe():
    """Returns both ends of a full pipe."""
    far, near = os.pipe()
    flags = fcntl.fcntl(near, fcntl.F_GETFL)
    fcntl.fcntl(near, fcntl.F_SETFL, flags | os.O_NONBLOCK)
    try:
        while True:
            os.write(near, b"-" * 4095 + b"\n")
    except BlockingIOError:
        pass
    fcntl.fcntl(near, fcntl.F_SETFL, flags)
    return far, near


@pytest.mark.parametrize(
    "arguments, status", [(["connect", "ws://127.0.0.1:1/"], 3), (["connect", "--nonsense"], 2), (["listen", "-1"], 2)])
def test_a_full_pipe_does_not_prevent_the_end_or_change_the_status(arguments, status):
    with Unread(*arguments, stderr=full_pipe()) as run:
        assert run.process.wait(60) == status


def test_a_final_error_is_written_if_the_pipe_is_read_in_time():
    far, near = full_pipe()
    with Unread("connect", "ws://127.0.0.1:1/", stderr=(far, near)) as run:
        assert run.read_rest().splitlines()[-1].startswith("wsx: connecting")
        assert run.process.wait(60) == 3


def test_a_shared_pipe_stays_in_blocking_mode():
    with Unread("listen", "--echo", 0) as server:
        get(server.read_port())
        assert not fcntl.fcntl(server.near, fcntl.F_GETFL) & os.O_NONBLOCK


def test_a_socket_as_standard_error_stays_in_blocking_mode_and_blocks_nothing():
    far, near = socket.socketpair()
    with Unread("listen", "--echo", 0, stderr=(far.detach(), near.detach())) as server:
        port = server.read_port()
        path = "/" + "x" * 100
        for _ in range(2500):
            get(port, path)
        assert not fcntl.fcntl(server.near, fcntl.F_GETFL) & os.O_NONBLOCK
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 0


def test_a_reader_that_leaves_does_not_end_the_server():
    with Unread("listen", "--echo", 0) as server:
        port = server.read_port()
        server.close_near()
        server.file.close()
        for _ in range(10):
            get(port)
        echo(port)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 0


def test_every_frame_is_shown_to_a_slow_reader():
    count = 4000

    def script(peer):
        peer.upgrade(then=b"".join(wire.text(f"{number} " + "x" * 200) for number in range(count)) + wire.close(1000))
        peer.read_until_close()

    with ScriptedServer(script) as scripted:
        with Unread("connect", "-vv", "--no-stdin", "--compress=off", scripted.url) as client:
            client.close_near()
            text = b""
            while piece := client.file.read(16384):
                text += piece
                threading.Event().wait(0.001)
            assert client.process.wait(60) == 0
    assert b"lost" not in text
    assert len(text) > 3 << 20
    assert text.count(b"FIN text 2") == count
