"""Memory for clients is bounded, and returned after many of them have left."""

import contextlib
import random
import socket

import pytest

import wire
from processes import Listener, memory_limit, peak_resident_bytes, resident_bytes, wait_until
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
        message = wire.frame(wire.BINARY, random.randbytes(60_000), is_masked=True)
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
    (tmp_path / "large").write_bytes(random.randbytes(8 * MEBIBYTE))
    with Listener("--serve", tmp_path) as server:
        before = resident_bytes(server.pid)
        with contextlib.ExitStack() as stack:
            downloads = []
            for number in range(500):
                download = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=60))
                download.sendall(f"GET /large HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
                downloads.append(download)
                # Some clients leave early, which fragments the free memory.
                if number > 50 and number % 3 == 0:
                    downloads.pop(0).close()
            for download in downloads:
                assert download.recv(1000)
        assert_returned(server, before)


def leave_unfinished(port):
    """Sends 3 KB that inflate to 3 MiB, without the end of the message."""
    client = Client(port, wire.EXTENSIONS + b": permessage-deflate")
    data = wire.Deflater()(b"a" * (3 * MEBIBYTE))
    client.send(wire.frame(wire.BINARY, data, is_final=False, reserved=wire.RSV1, is_masked=True))
    return client


def leave_unread(port):
    """Sends messages that the server echoes, and reads none of them."""
    client = Client(port)
    client.sock.setblocking(False)
    message = wire.frame(wire.BINARY, b"a" * MEBIBYTE, is_masked=True)
    with contextlib.suppress(BlockingIOError):
        for _ in range(16):
            client.send(message)
    return client


@pytest.mark.parametrize("attack", [leave_unfinished, pytest.param(leave_unread, marks=pytest.mark.heavy)])
def test_clients_that_hold_memory_without_progress_are_closed_and_legal_ones_are_served(attack):
    with Listener("--echo", "--max-memory", "8M", "--max-message-size", "4M") as server:
        before = resident_bytes(server.pid)
        with contextlib.ExitStack() as stack:
            for _ in range(20):
                stack.enter_context(attack(server.port))
            legal = stack.enter_context(Client(server.port))
            legal.send(wire.frame(wire.BINARY, b"b" * (3 * MEBIBYTE), is_masked=True))
            assert legal.read_message().payload == b"b" * (3 * MEBIBYTE)
            server.wait_for(r"Client \d+ holds \d.* of scarce memory and makes no progress: closed with 1013\n")
            assert peak_resident_bytes(server.pid) < before + memory_limit(32 * MEBIBYTE)
            legal.send(wire.text("hello", is_masked=True))
            assert legal.read_message().payload == b"hello"
        assert "Client 21 holds" not in server.err


def test_uploads_of_many_clients_beyond_the_memory_limit_finish():
    with Listener("--answer", "^ => done", "--max-memory", "8M", "--max-message-size", "4M") as server:
        frame = wire.frame(wire.BINARY, random.randbytes(3 * MEBIBYTE), is_masked=True)
        with contextlib.ExitStack() as stack:
            clients = [stack.enter_context(Client(server.port)) for _ in range(10)]
            rest = dict.fromkeys(clients, memoryview(frame))
            # Each client sends as much as the server takes, in turn.
            while any(rest.values()):
                for client in clients:
                    client.sock.setblocking(False)
                    with contextlib.suppress(BlockingIOError):
                        rest[client] = rest[client][client.sock.send(rest[client][:64 << 10]):]
            for client in clients:
                client.sock.settimeout(60)
                # Clients that wait for long are pinged.
                assert client.read_message().payload == b"done"
        assert "1013" not in server.err
