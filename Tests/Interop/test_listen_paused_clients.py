"""`wsx listen` notices that a client has gone also while nothing is read from it."""

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
# Sooner than this the fault would not have been noticed either way: all that holds the clients lasts an hour.
NOTICED = 20


def open_client(server, *fields):
    """A raw client of the server, upgraded."""
    if server.port:
        sock = socket.create_connection(("127.0.0.1", server.port), 30)
    else:
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(30)
        sock.connect(server.url.removeprefix("ws+unix:"))
    stream = wire.Stream(sock)
    stream.send(wire.upgrade_request(server.port or 80, "/", *fields))
    assert b" 101 " in stream.read_head()
    return stream


def fill(stream):
    """Sends until nothing more is taken."""
    message = wire.frame(wire.BINARY, bytes(MEBIBYTE), is_masked=True)
    stream.sock.settimeout(1)
    with pytest.raises(TimeoutError):
        for _ in range(400):
            stream.send(message)
    stream.sock.settimeout(30)


def socket_count(pid):
    """The number of sockets that a process has open."""
    links = []
    for entry in os.scandir(f"/proc/{pid}/fd"):
        try:
            links.append(os.readlink(entry.path))
        except FileNotFoundError:
            pass
    return sum(link.startswith("socket:") for link in links)


def unsent_bytes(stream):
    """What the server's system has not acknowledged."""
    return struct.unpack("i", fcntl.ioctl(stream.sock, termios.TIOCOUTQ, bytes(4)))[0]


def reset(stream):
    """Leaves as a program that is killed with unread data does."""
    stream.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    stream.sock.close()


def leave(stream):
    """Leaves with a FIN."""
    stream.sock.close()


@pytest.mark.parametrize("way", [reset, leave])
@pytest.mark.parametrize("place", ["tcp", "unix"])
def test_a_client_whose_answers_wait_is_noticed_when_it_has_gone(way, place, tmp_path):
    address = "0" if place == "tcp" else f"unix:{tmp_path}/s"
    with Listener("--echo", "--delay", "1h", "--compress=off", "--max-message-size", "4M", address=address) as server:
        before = socket_count(server.pid)
        client = open_client(server)
        fill(client)
        way(client)
        server.wait_for("Client 1 disconnected: 1006", timeout=NOTICED)
        wait_until(lambda: socket_count(server.pid) == before, NOTICED)


def test_a_client_that_is_still_there_gets_a_ping_now_and_then_while_its_answers_wait():
    with Listener("--echo", "--delay", "1h", "--compress=off", "--max-message-size", "4M") as server:
        gone, idle = open_client(server), open_client(server)
        for client in gone, idle:
            fill(client)
        reset(gone)
        server.wait_for("Client 1 disconnected: 1006", timeout=NOTICED)
        assert [idle.read_frame().opcode for _ in range(2)] == [wire.PING] * 2
        assert "Client 2 disconnected" not in server.err


def test_a_client_that_has_closed_its_side_is_answered_like_any_other():
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
        # Those that wait when the close frame is read are sent no more. It is not read before half of the rest has left.
        assert payloads == list(range(len(payloads)))
        assert len(payloads) >= 8


@pytest.mark.parametrize("way", [reset, leave])
def test_a_client_whose_program_takes_nothing_is_noticed_when_it_has_gone(way):
    with Listener("--exec-grace", "100ms", program=["sleep", "1000"]) as server:
        client = open_client(server)
        fill(client)
        way(client)
        server.wait_for("Client 1 disconnected: 1006", timeout=NOTICED)


def test_a_client_that_is_throttled_is_noticed_when_it_has_gone():
    # What has been read from it, 64 KiB, still comes through in its time.
    with Listener("--throttle", "20000", "--output", "json", stdin=subprocess.PIPE) as server:
        client = open_client(server)
        fill(client)
        reset(client)
        server.wait_for("Client 1 disconnected: 1006", timeout=NOTICED)


def test_what_a_client_sent_before_it_had_gone_is_written_when_the_output_goes_on():
    count = 150
    reading, writing = os.pipe()
    with Listener("--output", "json", stdin=subprocess.PIPE, stdout=writing) as server:
        os.close(writing)
        before = socket_count(server.pid)
        sender, silent = open_client(server), open_client(server)
        for number in range(count):
            sender.send(wire.text(f"{number} " + "x" * 10_000, is_masked=True))
        # A reset takes with it what has not arrived.
        wait_until(lambda: unsent_bytes(sender) == 0)
        reset(sender)
        # Nothing of this one waits: it need not wait for the output.
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
