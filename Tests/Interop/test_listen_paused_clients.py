"""`wsx listen` notices a client's departure even while it does not read from the client."""

import fcntl
import json
import os
import socket
import struct
import subprocess
import termios

import pytest

import wire
from processes import Listener, wait_until

MEBIBYTE = 1 << 20
# Without the fix, departures go unnoticed for far longer: everything that pauses the clients lasts an hour.
NOTICED = 20


def open_client(server, *fields):
    """Opens a raw connection to the server."""
    if server.port:
        sock = socket.create_connection(("127.0.0.1", server.port), 30)
    else:
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(60)
        sock.connect(server.url.removeprefix("ws+unix:"))
    stream = wire.Stream(sock)
    stream.send(wire.upgrade_request(server.port or 80, "/", *fields))
    assert b" 101 " in stream.read_head()
    return stream


def fill(stream):
    """Sends until the server accepts nothing more."""
    message = wire.frame(wire.BINARY, bytes(MEBIBYTE), is_masked=True)
    stream.sock.settimeout(1)
    with pytest.raises(TimeoutError):
        for _ in range(400):
            stream.send(message)
    stream.sock.settimeout(60)


def socket_count(pid):
    """Returns the number of a process's open sockets."""
    links = []
    for entry in os.scandir(f"/proc/{pid}/fd"):
        try:
            links.append(os.readlink(entry.path))
        except FileNotFoundError:
            pass
    return sum(link.startswith("socket:") for link in links)


def unsent_bytes(stream):
    """Returns the number of bytes the server's kernel has not acknowledged."""
    return struct.unpack("i", fcntl.ioctl(stream.sock, termios.TIOCOUTQ, bytes(4)))[0]


def reset(stream):
    """Leaves like a program that is killed with unread data."""
    stream.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    stream.sock.close()


def leave(stream):
    """Leaves with a FIN."""
    stream.sock.close()


@pytest.mark.parametrize("way", [reset, leave])
@pytest.mark.parametrize("place", ["tcp", "unix"])
def test_a_client_that_left_with_pending_answers_is_noticed(way, place, tmp_path):
    address = "0" if place == "tcp" else f"unix:{tmp_path}/s"
    with Listener("--echo", "--delay", "1h", "--compress=off", "--max-message-size", "4M", address=address) as server:
        before = socket_count(server.pid)
        client = open_client(server)
        fill(client)
        way(client)
        server.wait_for("Client 1 disconnected: 1006", timeout=NOTICED)
        wait_until(lambda: socket_count(server.pid) == before, NOTICED)


def test_a_connected_client_with_pending_answers_gets_pings():
    with Listener("--echo", "--delay", "1h", "--compress=off", "--max-message-size", "4M") as server:
        gone, idle = open_client(server), open_client(server)
        for client in gone, idle:
            fill(client)
        reset(gone)
        server.wait_for("Client 1 disconnected: 1006", timeout=NOTICED)
        assert [idle.read_frame().opcode for _ in range(2)] == [wire.PING] * 2
        assert "Client 2 disconnected" not in server.err


def test_a_client_that_closed_its_sending_side_is_answered_normally():
    count = 20
    with Listener("--echo", "--delay", "3s", "--compress=off", "--max-message-size", "4M") as server:
        client = open_client(server)
        for number in range(count):
            client.send(wire.frame(wire.BINARY, bytes([number]) * MEBIBYTE, is_masked=True))
        client.send(wire.close(1000, is_masked=True))
        client.end_sending()
        payloads = []
        while True:
            frame = client.read_frame()
            if frame.opcode == wire.CLOSE:
                break
            if frame.opcode == wire.BINARY:
                payloads.append(frame.payload[0])
        # Answers pending when the close frame is read are discarded. It is read after half of the others have been
        # sent.
        assert payloads == list(range(len(payloads)))
        assert len(payloads) >= 8


@pytest.mark.parametrize("way", [reset, leave])
def test_a_client_that_left_an_idle_program_is_noticed(way):
    with Listener("--exec-grace", "100ms", program=["sleep", "1000"]) as server:
        client = open_client(server)
        fill(client)
        way(client)
        server.wait_for("Client 1 disconnected: 1006", timeout=NOTICED)


def test_a_throttled_client_that_left_is_noticed():
    # The 64 KiB already read from it are still delivered at the throttled rate.
    with Listener("--throttle", "100000", "--output", "json", stdin=subprocess.PIPE) as server:
        client = open_client(server)
        fill(client)
        reset(client)
        server.wait_for("Client 1 disconnected: 1006", timeout=NOTICED)


def test_messages_of_a_client_that_left_are_written_when_the_output_resumes():
    # More than the output holds. The rest fits into the smallest receive buffer.
    count = 115
    reading, writing = os.pipe()
    with Listener("--output", "json", stdin=subprocess.PIPE, stdout=writing) as server:
        os.close(writing)
        before = socket_count(server.pid)
        sender, silent = open_client(server), open_client(server)
        for number in range(count):
            sender.send(wire.text(f"{number} " + "x" * 10_000, is_masked=True))
        # A reset discards data that has not arrived.
        wait_until(lambda: unsent_bytes(sender) == 0)
        reset(sender)
        # This client has no pending messages, so it need not wait for the output.
        leave(silent)
        server.wait_for("Client 2 disconnected: 1006", timeout=NOTICED)
        events = []
        with open(reading, "rb") as stream:
            for line in stream:
                events.append(json.loads(line))
                if events[-1]["type"] == "close" and events[-1]["client"] == 1:
                    break
            wait_until(lambda: socket_count(server.pid) == before, NOTICED)
        numbers = [int(event["data"].split()[0]) for event in events if event["type"] == "message"]
        assert numbers == list(range(count))
