"""Standard input of `wsx listen` waits while no client can receive it."""

import json
import os
import socket
import struct
import subprocess
import time

import pytest

import wire
from listen_clients import close_as_client, connect, fill, pipe_is_empty
from processes import Listener, wait_until

LINES = [b"line %d" % number for number in range(1000)]


def messages(stream, count):
    return [stream.read_message().payload for _ in range(count)]


def test_input_waits_while_every_client_is_closing():
    with Listener(stdin=subprocess.PIPE) as listener:
        clients = [connect(listener) for _ in range(2)]
        for client in clients:
            close_as_client(client)
        listener.send(b"\n".join(LINES) + b"\n")
        assert messages(connect(listener), len(LINES)) == LINES
        listener.send(b"the last\n")


def test_input_waits_while_a_closed_client_does_not_answer():
    with Listener("--close-after", "1", "--close-timeout", "1h", stdin=subprocess.PIPE) as listener:
        client = connect(listener)
        client.send(wire.text("the only one", is_masked=True))
        client.read_until_close()
        listener.send(b"\n".join(LINES) + b"\n")
        assert messages(connect(listener), len(LINES)) == LINES


def test_input_waits_after_an_event_that_closes_every_client():
    events = [{"type": "message", "data": "first"}, {"type": "close", "code": 1000}]
    events += [{"type": "message", "data": line.decode()} for line in LINES]
    with Listener("--input", "json", "--close-timeout", "1h", stdin=subprocess.PIPE) as listener:
        client = connect(listener)
        # In one piece, if the pipe takes it.
        listener.send("".join(json.dumps(event) + "\n" for event in events).encode())
        assert client.read_message().payload == b"first"
        assert client.read_until_close().close_code == 1000
        assert messages(connect(listener), len(LINES)) == LINES


@pytest.mark.parametrize("format", ["lines", "message"])
def test_the_end_of_the_input_waits_while_every_client_is_closing(format):
    with Listener("--input", format, stdin=subprocess.PIPE) as listener:
        close_as_client(connect(listener))
        listener.send(b"without a delimiter")
        listener.process.stdin.close()
        client = connect(listener)
        assert client.read_message().payload == b"without a delimiter"
        # It is sent once.
        client.send(wire.frame(wire.PING, b"?", is_masked=True))
        assert client.read_frame().opcode == wire.PONG


def test_input_waits_while_the_only_client_is_lost():
    reading, writing = os.pipe()
    with Listener("--compress=off", stdin=subprocess.PIPE, stdout=writing) as listener:
        os.close(writing)
        client = connect(listener)
        # It is paused for standard output, with unread messages that keep the connection after its loss.
        fill(client)
        client.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.sock.close()
        # Writing to it fails at some point. From then on, lines stay in the pipe.
        numbers = iter(range(1000))

        def is_waiting():
            listener.send(b"%d\n" % next(numbers))
            time.sleep(0.1)
            return not pipe_is_empty(listener.process.stdin)

        wait_until(is_waiting)
        last = next(numbers) - 1
        other = connect(listener)
        first = int(other.read_message().payload)
        assert messages(other, last - first) == [b"%d" % number for number in range(first + 1, last + 1)]
        os.close(reading)
