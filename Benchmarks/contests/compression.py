"""Echo servers that decompress and compress every message."""

import subprocess

from contest import Contest, Figure
from contests.clients import json_line, text_file
from contests.servers import CONNECTION_COUNT, LOAD_S
from machine import CLIENT_CORE, DEFLATE, UWEBSOCKETS_ECHO, WS_ECHO, echo_server, pinned

ROUNDS = 3
# More connections than wsx has zlib streams.
MANY_COUNT = 1000
# wsx always compresses at zlib's level 4 with a window of 16 KiB, and uWebSockets at level 6.
WS_OPTIONS = '{"threshold":0,"zlibDeflateOptions":{"level":3}}'


def figures(connection_count, context, lines, script=None, *options):
    """Returns the echoes per second, the server's processor seconds for each, and the size after compression."""
    with echo_server(script, *options) as server:
        command = [DEFLATE, server.port, connection_count, LOAD_S, server.pid, context, lines]
        process = subprocess.run(pinned(CLIENT_CORE, command), stdout=subprocess.PIPE, check=True, text=True)
    rate, microseconds, size = map(float, process.stdout.split())
    return rate, microseconds * 1e-6, size


def uwebsockets_compresses():
    """Whether uWebSockets was given, and built with zlib."""
    return UWEBSOCKETS_ECHO is not None and subprocess.run(
        [UWEBSOCKETS_ECHO, "features"], stdout=subprocess.PIPE, check=True).stdout == b"zlib\n"


def contest(what, connection_count, context, lines):
    how = "in one stream" if context == "takeover" else "each on its own"
    programs = {"wsx": lambda: figures(connection_count, context, lines)}
    if uwebsockets_compresses():
        programs["uWebSockets"] = lambda: figures(connection_count, context, lines, UWEBSOCKETS_ECHO, context)
    programs["ws, level 3"] = lambda: figures(connection_count, context, lines, WS_ECHO, WS_OPTIONS)
    return Contest(
        (Figure(f"server: {what} of JSON on {connection_count:,} connections, compressed {how}", "k/s", 1e3),
         Figure("the server's CPU time for each", "us", 1e-6), Figure("the compressed size", "%", 1e-2)),
        programs, rounds=ROUNDS)


def contests():
    small, large = "messages of 136 bytes", "messages of 3.3 KiB"
    with text_file(json_line(number) for number in range(1000)) as lines:
        for connection_count in CONNECTION_COUNT, MANY_COUNT:
            yield contest(small, connection_count, "takeover", lines)
        yield contest(small, CONNECTION_COUNT, "no-takeover", lines)
    arrays = (
        "[" + ",".join(json_line(number * 25 + offset) for offset in range(25)) + "]" for number in range(200))
    with text_file(arrays) as lines:
        for context in "takeover", "no-takeover":
            yield contest(large, CONNECTION_COUNT, context, lines)
