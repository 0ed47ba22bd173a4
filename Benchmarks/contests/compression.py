"""Echo servers that decompress and compress every message."""

import subprocess

from contest import Contest, Figure
from contests.clients import json_line, text_file
from contests.servers import CONNECTION_COUNT, LOAD_S
from machine import CLIENT_CORE, DEFLATE, UWEBSOCKETS_ECHO, WS_ECHO, echo_server, pinned

ROUNDS = 3
# wsx always compresses at zlib's level 3, and uWebSockets at level 6.
WS_OPTIONS = '{"threshold":0,"zlibDeflateOptions":{"level":3}}'


def figures(context, lines, script=None, *options):
    """Returns the echoes per second, the server's processor seconds for each, and the size after compression."""
    with echo_server(script, *options) as server:
        command = [DEFLATE, server.port, CONNECTION_COUNT, LOAD_S, server.pid, context, lines]
        process = subprocess.run(pinned(CLIENT_CORE, command), stdout=subprocess.PIPE, check=True, text=True)
    rate, microseconds, ratio = map(float, process.stdout.split())
    return rate, microseconds * 1e-6, ratio


def uwebsockets_compresses():
    """Whether uWebSockets was built, and with zlib."""
    return UWEBSOCKETS_ECHO.exists() and subprocess.run(
        [UWEBSOCKETS_ECHO, "features"], stdout=subprocess.PIPE, check=True).stdout == b"zlib\n"


def contests():
    workloads = [
        ("136 bytes of JSON", (json_line(number) for number in range(1000))),
        ("3.3 KiB of JSON", (
            "[" + ",".join(json_line(number * 25 + offset) for offset in range(25)) + "]" for number in range(200))),
    ]
    for what, messages in workloads:
        with text_file(messages) as lines:
            for context, how in ("takeover", "in one stream"), ("no-takeover", "each on its own"):
                programs = {"wsx": lambda: figures(context, lines)}
                if uwebsockets_compresses():
                    programs["uWebSockets"] = lambda: figures(context, lines, UWEBSOCKETS_ECHO, context)
                programs["ws, level 3"] = lambda: figures(context, lines, WS_ECHO, WS_OPTIONS)
                yield Contest(
                    (Figure(f"server: echoes of {what}, compressed {how}", "k/s", 1e3),
                     Figure("the server's CPU time for each", "µs", 1e-6),
                     Figure("the compressed size", "%", 1e-2)),
                    programs, rounds=ROUNDS)
