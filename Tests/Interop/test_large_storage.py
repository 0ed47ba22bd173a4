"""The storage of large messages is reused while they keep coming, bounded, and returned afterwards."""

import contextlib

import pytest

import wire
from processes import Listener, memory_limit, resident_bytes, wait_until
from sanitizer import SANITIZER
from test_listen_once import Client

MEBIBYTE = 1 << 20
# Of an echo server, while no client sends anything.
IDLE_BYTES = 8 * MEBIBYTE


def page_faults(pid):
    """The number of page faults that needed no disk access."""
    with open(f"/proc/{pid}/stat") as status:
        return int(status.read().rpartition(")")[2].split()[7])


def connected(stack, port):
    client = stack.enter_context(Client(port))
    # An echo of this size does not fit into the kernel's buffers.
    client.sock.settimeout(60)
    return client


def echo(client, message, times=1):
    request = wire.frame(wire.BINARY, message, is_masked=True)
    for _ in range(times):
        client.send(request)
        assert client.read_frame().payload == message


@pytest.mark.skipif(bool(SANITIZER), reason="sanitizers do not reuse memory")
def test_echoing_messages_of_1_mib_needs_few_new_pages():
    with Listener("--echo", "--compress=off") as server, contextlib.ExitStack() as stack:
        client = connected(stack, server.port)
        message = bytes(range(256)) * (MEBIBYTE // 256)
        echo(client, message, times=10)
        before = page_faults(server.pid)
        echo(client, message, times=50)
        # Without reuse, each message takes 900. A pause of a second releases the storage, which may happen on a slow
        # machine.
        assert page_faults(server.pid) - before < 50 * 100


def test_storage_is_returned_after_large_messages():
    with Listener("--echo", "--compress=off") as server, contextlib.ExitStack() as stack:
        client = connected(stack, server.port)
        echo(client, b"warm")
        before = resident_bytes(server.pid)
        echo(client, bytes(16 * MEBIBYTE), times=3)
        wait_until(
            lambda: resident_bytes(server.pid) < before + memory_limit(IDLE_BYTES),
            what=f"the memory's return to {before >> 20} MiB")
        echo(client, b"still open")


def test_many_clients_with_large_messages_share_a_bounded_amount_of_free_storage():
    with Listener("--echo", "--compress=off") as server, contextlib.ExitStack() as stack:
        clients = [connected(stack, server.port) for _ in range(40)]
        echo(clients[0], b"warm")
        before = resident_bytes(server.pid)
        for client in clients:
            echo(client, bytes(4 * MEBIBYTE))
        # All of them are idle. If each kept its storage, it would be 160 MiB.
        assert resident_bytes(server.pid) < before + memory_limit(96 * MEBIBYTE)
        wait_until(
            lambda: resident_bytes(server.pid) < before + memory_limit(IDLE_BYTES),
            what=f"the memory's return to {before >> 20} MiB")


def test_announcing_large_messages_takes_no_memory():
    with Listener("--echo", "--compress=off") as server, contextlib.ExitStack() as stack:
        other = connected(stack, server.port)
        echo(other, bytes(16 * MEBIBYTE))
        before = resident_bytes(server.pid)
        start = wire.frame(wire.BINARY, bytes(200_000), is_masked=True, claimed_length=16 * MEBIBYTE)
        for _ in range(100):
            client = connected(stack, server.port)
            client.send(start)
        echo(other, b"the server has read them")
        assert resident_bytes(server.pid) < before + memory_limit(64 * MEBIBYTE)
