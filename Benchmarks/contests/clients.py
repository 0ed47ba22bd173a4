"""`wsx connect` and other clients: startup and lines of text."""

import contextlib
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

from contest import Contest, Figure
from machine import CLIENT_CORE, CORES, NODE_ENVIRONMENT, SCRATCH, WEBSOCAT, WS_ECHO, WSX, echo_server, pinned

STARTS = 100
LINE_COUNT = 1_000_000
JSON_LINE_COUNT = 30_000
# wscat takes about a second for this many.
WSCAT_LINE_COUNT = 5_000
# Longer than a client takes to notice that it is connected.
NOTICING_S = 1
CONNECT = [WSX, "connect", "--linger", "forever"]


def startup_seconds(program):
    """Returns the mean duration of `program --version`."""
    os.sched_setaffinity(0, {CLIENT_CORE})
    begin = time.monotonic()
    for _ in range(STARTS):
        subprocess.run([program, "--version"], stdout=subprocess.DEVNULL, check=True)
    seconds = time.monotonic() - begin
    os.sched_setaffinity(0, CORES)
    return seconds / STARTS


def json_line(number):
    return (
        f'{{"id":{number},"user":"user{number * 7919 % 1000}","price":{number * 104729 % 50000 / 100},"ok":true,'
        f'"tags":["alpha","beta"],"note":"some words that repeat and some that do not: {number * 15485863 % 99991:x}"}}')


@contextlib.contextmanager
def text_file(lines):
    """A file with these lines."""
    path = SCRATCH / "lines.txt"
    path.write_text("".join(f"{line}\n" for line in lines))
    yield path
    path.unlink()


def line_count(path):
    with path.open("rb") as file:
        return sum(1 for _ in file)


def round_trip(command, lines, expected_bytes=None):
    """Returns the lines per second until every line has returned, and the peak resident memory in bytes."""
    left = expected_bytes or lines.stat().st_size
    with lines.open("rb") as source:
        begin = time.monotonic()
        process = subprocess.Popen(
            pinned(CLIENT_CORE, command), stdin=source, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        while left > 0:
            piece = os.read(process.stdout.fileno(), 1 << 20)
            if not piece:
                sys.exit(f"bench: {command[0]} ended with {left} bytes to come")
            left -= len(piece)
        seconds = time.monotonic() - begin
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    peak_kib = int(re.search(r"VmHWM:\s+(\d+)", status).group(1))
    process.kill()
    process.stdout.close()
    process.wait()
    return line_count(lines) / seconds, peak_kib * 1024


def event_rate(lines):
    """Returns the lines per second until every line has returned as a JSON event."""
    with echo_server() as server, lines.open("rb") as source:
        begin = time.monotonic()
        process = subprocess.Popen(
            pinned(CLIENT_CORE, [*CONNECT, "--output", "json", server.url]), stdin=source, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        # The first event is that of the open connection.
        left = LINE_COUNT + 1
        while left > 0:
            left -= os.read(process.stdout.fileno(), 1 << 20).count(b"\n")
        seconds = time.monotonic() - begin
    process.kill()
    process.stdout.close()
    process.wait()
    return LINE_COUNT / seconds


def fed_rate(command, lines):
    """Returns the lines per second of a client that gets its input after connecting. The input stays open."""
    with echo_server() as server:
        client = subprocess.Popen(
            pinned(CLIENT_CORE, [*command, server.url]), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=NODE_ENVIRONMENT)
        server.wait_for(r"connected from")
        # wscat discards input until it notices the connection.
        time.sleep(NOTICING_S)
        text = lines.read_bytes()
        count = left = text.count(b"\n")
        begin = time.monotonic()
        feeder = threading.Thread(target=lambda: (client.stdin.write(text), client.stdin.flush()))
        feeder.start()
        # wscat prints a prompt even without a terminal, so count lines rather than bytes.
        while left > 0:
            piece = os.read(client.stdout.fileno(), 1 << 20)
            if not piece:
                sys.exit(f"bench: {command[0]} ended with {left} of {count} lines to come")
            left -= piece.count(b"\n")
        seconds = time.monotonic() - begin
        feeder.join()
        client.kill()
        client.wait()
        client.stdin.close()
        client.stdout.close()
        return count / seconds


def echoed(command, lines, script=None, *options):
    """Returns the figures of ``round_trip`` with an echo server."""
    with echo_server(script, *options) as server:
        return round_trip([*command, server.url], lines)


def contests():
    yield Contest(
        (Figure("startup: `--version`", "ms", 1e-3),),
        {"wsx": lambda: startup_seconds(WSX), "websocat": lambda: startup_seconds(WEBSOCAT)})

    with text_file(f"line {number}" for number in range(LINE_COUNT)) as lines:
        yield Contest(
            (Figure(f"client: {LINE_COUNT:,} lines echoed", "k/s", 1e3), Figure("its peak resident memory", "MiB", 1 << 20)),
            {"wsx": lambda: echoed(CONNECT, lines), "websocat": lambda: echoed([WEBSOCAT, "--text", "--no-close"], lines)})
        yield Contest(
            (Figure(f"client: {LINE_COUNT:,} lines echoed, as JSON events", "k/s", 1e3),),
            {"wsx": lambda: event_rate(lines), "as plain lines": lambda: echoed(CONNECT, lines)[0]})

    with text_file(f"line {number}" for number in range(WSCAT_LINE_COUNT)) as lines:
        yield Contest(
            (Figure(f"client: {WSCAT_LINE_COUNT:,} lines echoed, sent after the connection is open", "k/s", 1e3),),
            {"wsx": lambda: fed_rate([WSX, "connect"], lines), "wscat": lambda: fed_rate(["wscat", "--connect"], lines)})

    with text_file(json_line(number) for number in range(JSON_LINE_COUNT)) as lines:
        yield Contest(
            (Figure(f"server: {JSON_LINE_COUNT:,} compressed lines of JSON echoed", "k/s", 1e3),),
            {"wsx": lambda: echoed(CONNECT, lines)[0],
             "ws": lambda: echoed(CONNECT, lines, WS_ECHO, '{"threshold":0}')[0]})
