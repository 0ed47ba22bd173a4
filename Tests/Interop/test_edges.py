"""Regression tests at the edges of the system: descriptors, socket files, and inherited sockets."""

import fcntl
import re
import resource
import signal
import socket
import subprocess
import time

import pytest

import wire
from processes import BINARY, Listener, Running, assert_fails, run, shell, wait_until, wsx
from scripted_server import ScriptedServer


def test_a_socket_file_of_a_killed_server_is_replaced(tmp_path):
    path = tmp_path / "server.sock"
    with Running([BINARY, "listen", "--echo", f"unix:{path}"]) as server:
        server.wait_for("Listening")
        server.signal(9)
        server.wait()
    assert path.exists()
    with Running([BINARY, "listen", "--echo", f"unix:{path}"]) as server:
        server.wait_for("Listening")
        assert wsx("connect", "--linger", "200ms", f"ws+unix:{path}", "hello").out == b"hello\n"


def test_a_file_that_is_not_a_socket_is_not_replaced(tmp_path):
    path = tmp_path / "precious"
    path.write_text("precious")
    result = wsx("listen", f"unix:{path}")
    assert result.status == 3
    assert path.read_text() == "precious"


def test_a_socket_file_in_use_is_not_replaced(tmp_path):
    path = tmp_path / "server.sock"
    with Running([BINARY, "listen", "--echo", f"unix:{path}"]) as server:
        server.wait_for("Listening")
        assert wsx("listen", f"unix:{path}").status == 3
        assert wsx("connect", "--linger", "200ms", f"ws+unix:{path}", "hello").out == b"hello\n"


def test_beyond_the_descriptor_limit_clients_wait_for_others_to_leave():
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))  # noqa: E731
    with Listener("--echo", preexec_fn=limit) as server:
        clients = [Running([BINARY, "connect", "--no-stdin", server.url, "hello"]) for _ in range(20)]
        try:
            wait_until(lambda: sum(client.out == b"hello\n" for client in clients) >= 8, what="eight served clients")
            server.wait_for("the limit on open files is reached with")
            served = [client for client in clients if client.out]
            for client in served:
                client.signal(15)
            wait_until(lambda: sum(bool(client.out) for client in clients) > len(served), what="a waiting client")
        finally:
            for client in clients:
                client.__exit__()


@pytest.mark.parametrize("limit", [6, 7, 8])
def test_without_descriptors_for_signals_a_run_does_not_start(limit):
    result = shell('ulimit -n "$1"; exec "$WSX" listen 127.0.0.1:0', str(limit))
    assert_fails(result, 1, "starting: too many open files")


def test_an_inherited_socket_gets_its_blocking_mode_back():
    ours, theirs = socket.socketpair()
    before = fcntl.fcntl(theirs, fcntl.F_GETFL)
    process = subprocess.Popen(
        [BINARY, "connect", "--linger", "100ms", "echo:"], stdin=theirs, stdout=theirs, stderr=subprocess.PIPE)
    ours.sendall(b"hello\n")
    ours.shutdown(socket.SHUT_WR)
    assert process.wait(60) == 0, process.stderr.read()
    process.stderr.close()
    assert ours.recv(100) == b"hello\n"
    assert fcntl.fcntl(theirs, fcntl.F_GETFL) == before


def test_a_failed_write_of_the_version_is_reported():
    result = shell(f'"{BINARY}" --version > /dev/full')
    assert result.status == 1
    assert result.err.startswith("wsx: writing standard output: ")


def test_a_dash_as_a_file_name_reads_standard_input():
    result = run([BINARY, "connect", "--linger", "200ms", "--binary", "-f", "-", "--output", "raw", "echo:"], b"\x00a\nb")
    assert (result.status, result.out) == (0, b"\x00a\nb")


def test_a_slow_reader_without_other_clients_is_not_disconnected(tmp_path):
    lines = tmp_path / "lines"
    count = 30_000
    with open(lines, "wb") as file:
        for number in range(count):
            file.write(b"%d " % number + b"x" * 1000 + b"\n")
    with open(lines, "rb") as source, Listener(stdin=source) as server:
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            stream = wire.Stream(connection)
            stream.send(wire.upgrade_request(server.port))
            stream.read_head()
            # Over twice the limit for a client that others wait for.
            time.sleep(2.5)
            for number in range(count):
                assert stream.read_frame().payload.startswith(b"%d " % number)


def flood_and_close(peer):
    peer.upgrade()
    peer.send(wire.text(b"x" * 1000) * 400 + wire.close(1000))
    peer.read_until_close()


@pytest.mark.parametrize("end, status", [("timeout", 6), ("interrupt", 130), ("terminate", 143)])
def test_a_run_ends_after_the_peer_closed_even_if_its_output_is_not_read(end, status):
    limit = ["--timeout", "1s"] if end == "timeout" else []
    with ScriptedServer(flood_and_close) as server:
        process = subprocess.Popen(
            [BINARY, "connect", "--no-stdin", "-v", *limit, server.url],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            # wsx has read the peer's close frame. Only pending output is left.
            while "← close" not in process.stderr.readline().decode():
                assert process.poll() is None
            if end != "timeout":
                process.send_signal({"interrupt": signal.SIGINT, "terminate": signal.SIGTERM}[end])
            assert process.wait(60) == status
        finally:
            process.kill()
            process.communicate()


def test_listen_ends_after_its_clients_left_even_if_its_output_is_not_read(tmp_path):
    (tmp_path / "large").write_bytes(b"x" * 400_000)
    process = subprocess.Popen(
        [BINARY, "listen", "--close-timeout", "1s", "0"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        port = re.search(rb":(\d+)/", process.stderr.readline()).group(1).decode()
        assert wsx("connect", "--linger", "300ms", "-f", str(tmp_path / "large"), f":{port}").status == 0
        process.send_signal(signal.SIGTERM)
        # The message is lost.
        assert process.wait(60) == 1
    finally:
        process.kill()
        process.communicate()
