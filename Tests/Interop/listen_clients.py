"""Clients of `wsx listen` that stop reading or writing when a test wants them to."""

import contextlib
import fcntl
import socket
import struct
import termios

import wire


def connect(listener):
    stream = wire.Stream(socket.create_connection(("127.0.0.1", listener.port), timeout=60))
    stream.send(wire.upgrade_request(listener.port))
    assert b" 101 " in stream.read_head()
    return stream


def close_as_client(stream):
    """Starts the closing handshake and keeps the connection open after it."""
    stream.send(wire.close(1000, is_masked=True))
    assert stream.read_until_close().close_code == 1000


def fill(stream):
    """Sends until the server accepts nothing more."""
    stream.sock.settimeout(1)
    with contextlib.suppress(TimeoutError):
        while True:
            stream.send(wire.text("x" * 100_000, is_masked=True))
    stream.sock.settimeout(60)


def pipe_is_empty(stream):
    return struct.unpack("i", fcntl.ioctl(stream, termios.FIONREAD, bytes(4)))[0] == 0
