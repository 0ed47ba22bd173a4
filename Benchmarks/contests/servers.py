"""`wsx listen` and other servers with many connections. A generator in C loads servers with one thread each."""

import contextlib
import resource
import socket
import subprocess
import sys
import time
import zlib

import wire
from contest import Contest, Figure
from contests.clients import json_line
from machine import (
    CLIENT_CORE, LOAD, PICOWS_ECHO, PLAIN_WS_ECHO, UWEBSOCKETS, UWEBSOCKETS_ECHO, UWEBSOCKETS_LOAD, WEBSOCAT,
    WEBSOCKETS_ECHO, WS_ECHO, Listener, echo_server, pinned)
from processes import resident_bytes

CONNECTION_COUNT = 50
MESSAGE_BYTES = 20
LOAD_S = 2
READER_COUNT = 10_000
# Connections before the first measurement of memory: they load code and fill caches.
FIRST_COUNT = 1_000
# Longer than any program waits before it releases the unused memory of an idle connection.
IDLE_S = 4
# uWebSockets' generator prints a rate every four seconds. The first interval is shorter, so the second one counts.
UWEBSOCKETS_LOAD_S = 9.5


def load(*words):
    """Runs the generator in C and returns the figure it prints."""
    process = subprocess.run(pinned(CLIENT_CORE, [LOAD, *words]), stdout=subprocess.PIPE, check=True, text=True)
    return float(process.stdout)


def echo_rate(in_flight, script=None, message_bytes=MESSAGE_BYTES, connection_count=CONNECTION_COUNT):
    """Returns the echoed messages per second."""
    with echo_server(script, *(["serve"] if script == LOAD else [])) as server:
        return load("echo", server.port, connection_count, message_bytes, in_flight, LOAD_S)


def uwebsockets_load_rate(script=None):
    """Returns the echoed messages per second under the generator of uWebSockets."""
    # The generator always names the same host, which wsx would refuse.
    with echo_server(script, *([] if script else ["--origin", "http://server.example.com"])) as server:
        command = [UWEBSOCKETS_LOAD, CONNECTION_COUNT, "127.0.0.1", server.port, 0, 0, MESSAGE_BYTES]
        process = subprocess.run(
            ["timeout", str(UWEBSOCKETS_LOAD_S), "stdbuf", "-oL", *pinned(CLIENT_CORE, command)],
            stdout=subprocess.PIPE, text=True)
        return [float(line.split()[1]) for line in process.stdout.splitlines() if line.startswith("Msg/sec:")][-1]


def idle_bytes(is_compressed, script=None, *options):
    """Returns the resident memory that each of 10,000 idle connections adds. The memory of the first 1,000 does not count.

    With compression, each connection has exchanged one compressed message in each direction.
    """
    with echo_server(script, *options) as server, contextlib.ExitStack() as streams:
        resident = []
        for count in FIRST_COUNT, READER_COUNT:
            for _ in range(count):
                streams.enter_context(idle_stream(server.port, is_compressed))
            time.sleep(IDLE_S)
            resident.append(resident_bytes(server.pid))
        return (resident[1] - resident[0]) / READER_COUNT


@contextlib.contextmanager
def idle_stream(port, is_compressed):
    """A connection that has exchanged one message in each direction if it is compressed, and otherwise none."""
    with socket.create_connection(("127.0.0.1", port)) as sock:
        stream = wire.Stream(sock)
        fields = [b"Sec-WebSocket-Extensions: permessage-deflate"] if is_compressed else []
        stream.send(wire.upgrade_request(port, "/", *fields))
        assert stream.read_head().startswith(b"HTTP/1.1 101")
        if is_compressed:
            compressor = zlib.compressobj(wbits=-15)
            data = (compressor.compress(json_line(1).encode()) + compressor.flush(zlib.Z_SYNC_FLUSH))[:-4]
            stream.send(wire.frame(wire.TEXT, data, reserved=4, is_masked=True))
            assert stream.read_frame().reserved == 4
        yield


def fan_out_seconds():
    """Returns the seconds until a message of 100 bytes has reached 10,000 readers."""
    with Listener("--broadcast", "--no-stdin", stdout=subprocess.DEVNULL) as server:
        return load("fan-out", server.port, READER_COUNT, 100, 31) / 1e3


def allow_many_descriptors():
    hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard_limit < READER_COUNT + FIRST_COUNT + 100:
        sys.exit(f"bench: {READER_COUNT + FIRST_COUNT} connections need as many descriptors; the limit is {hard_limit}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard_limit, hard_limit))


def contests():
    allow_many_descriptors()
    peers = {
        "wsx": None, **UWEBSOCKETS, "bare epoll loop in C": LOAD, "picows": PICOWS_ECHO, "websocat": WEBSOCAT,
        "ws": PLAIN_WS_ECHO, "websockets": WEBSOCKETS_ECHO}
    for in_flight, name in ((1, "one in flight"), (32, "32 in flight")):
        yield Contest(
            (Figure(f"server: messages of {MESSAGE_BYTES} bytes on {CONNECTION_COUNT} connections, {name}", "k/s", 1e3),),
            {peer: lambda script=script: echo_rate(in_flight, script) for peer, script in peers.items()})
    if UWEBSOCKETS and UWEBSOCKETS_LOAD:
        yield Contest(
            (Figure("server: the same, one in flight, under uWebSockets' generator", "k/s", 1e3),),
            {"wsx": uwebsockets_load_rate, "uWebSockets": lambda: uwebsockets_load_rate(UWEBSOCKETS_ECHO)}, rounds=3)
    yield Contest(
        (Figure("server: messages of 1 MiB on one connection, one in flight", "/s"),),
        {peer: lambda script=script: echo_rate(1, script, 1 << 20, 1)
         for peer, script in {"wsx": None, **UWEBSOCKETS, "ws": PLAIN_WS_ECHO}.items()})
    yield Contest(
        (Figure(f"server: each of {READER_COUNT:,} idle connections, resident memory", "KiB", 1 << 10),),
        {peer: lambda script=script: idle_bytes(False, script)
         for peer, script in {"wsx": None, **UWEBSOCKETS, "ws": WS_ECHO}.items()},
        rounds=1)
    yield Contest(
        (Figure("server: the same, after a compressed message in each direction", "KiB", 1 << 10),),
        {"wsx": lambda: idle_bytes(True), "ws": lambda: idle_bytes(True, WS_ECHO, '{"threshold":0}')},
        rounds=1)
    yield Contest(
        (Figure(f"server: one message of 100 bytes to {READER_COUNT:,} readers", "ms", 1e-3),), {"wsx": fan_out_seconds})
