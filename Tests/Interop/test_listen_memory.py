"""Memory is returned after many clients have left."""

import contextlib
import os
import socket

import wire
from processes import Listener, memory_limit, resident_bytes, wait_until
from test_listen_once import Client

MEBIBYTE = 1 << 20


def assert_returned(server, before, kept=6 * MEBIBYTE):
    """Asserts that a server's memory drops to its previous value, plus `kept`."""
    wait_until(
        lambda: resident_bytes(server.pid) < before + memory_limit(kept),
        what=f"the memory's return to {before >> 20} MiB")


def test_throttled_clients_release_their_memory():
    with Listener("--echo", "--throttle", "64k", "--compress=off") as server:
        with Client(server.port) as client:
            client.send(wire.text("warm", is_masked=True))
            assert client.read_frame().payload == b"warm"
        before = resident_bytes(server.pid)
        message = wire.frame(wire.BINARY, os.urandom(60_000), is_masked=True)
        with contextlib.ExitStack() as stack:
            clients = [stack.enter_context(Client(server.port)) for _ in range(300)]
            for client in clients:
                client.sock.setblocking(False)
                with contextlib.suppress(BlockingIOError):
                    client.sock.send(message)
            wait_until(
                lambda: resident_bytes(server.pid) > before + 12 * MEBIBYTE, what="memory for throttled clients")
        assert_returned(server, before)


def test_aborted_downloads_release_their_memory(tmp_path):
    (tmp_path / "large").write_bytes(os.urandom(8 * MEBIBYTE))
    with Listener("--serve", tmp_path) as server:
        before = resident_bytes(server.pid)
        with contextlib.ExitStack() as stack:
            downloads = []
            for number in range(500):
                download = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=30))
                download.sendall(f"GET /large HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
                downloads.append(download)
                # Some clients leave early, which fragments the free memory.
                if number > 50 and number % 3 == 0:
                    downloads.pop(0).close()
            for download in downloads:
                assert download.recv(1000)
        assert_returned(server, before)
