"""`wsx bench` and other load generators, all with `wsx listen --echo` as the server."""

import contextlib
import json
import subprocess
import sys
import time

from contest import Contest, Figure
from contests.servers import CONNECTION_COUNT, LOAD_S, MESSAGE_BYTES, READER_COUNT, allow_many_descriptors, echo_rate
from machine import CLIENT_CORE, K6, RECORD, SCRIPTS, WSX, echo_server, pinned
from processes import peak_resident_bytes

# How long the 10,000 connections of a load stay open.
HOLD_S = 2


def bench_results(url, *words, core=CLIENT_CORE):
    """Runs `wsx bench` on the client's core, or on the given ones, and returns its results."""
    command = [WSX, "bench", url, "-c", CONNECTION_COUNT, "-d", f"{LOAD_S}s", "--output", "json", *words]
    return json.loads(subprocess.run(pinned(core, command), stdout=subprocess.PIPE, check=True).stdout)


def bench_rate(*words):
    """Returns the replies per second that `wsx bench` receives from an echo server."""
    with echo_server() as server:
        return bench_results(server.url, *words)["rate_per_second"]


def k6_rate(script, url, **variables):
    """Returns the rate that a k6 script measures on as many connections."""
    variables = {"URL": url, "CONNECTIONS": CONNECTION_COUNT, "SECONDS": LOAD_S, **variables}
    words = [word for name, value in variables.items() for word in ("--env", f"{name}={value}")]
    command = [K6, "run", "--quiet", "--no-usage-report", *words, SCRIPTS / script]
    return float(subprocess.run(pinned(CLIENT_CORE, command), stdout=subprocess.PIPE, check=True).stdout)


def k6_echo_rate(script):
    with echo_server() as server:
        return k6_rate(script, server.url)


def record_seconds():
    """Returns the seconds it takes to record a latency."""
    return float(subprocess.run(pinned(CLIENT_CORE, [RECORD]), stdout=subprocess.PIPE, check=True).stdout) * 1e-9


def many_connections():
    """Returns the seconds `wsx bench` takes to open and close 10,000 connections, and its peak memory in bytes."""
    with echo_server() as server:
        command = [
            WSX, "bench", server.url, "--mode", "idle", "-c", READER_COUNT, "-d", f"{HOLD_S}s", "--heartbeat",
            f"{HOLD_S}s"]
        begin = time.monotonic()
        process = subprocess.Popen(pinned(CLIENT_CORE, command), stdout=subprocess.DEVNULL)
        # The usage that the kernel reports at the end includes this process's memory at the fork.
        peak_bytes = 0
        while process.poll() is None:
            with contextlib.suppress(OSError, AttributeError):
                peak_bytes = peak_resident_bytes(process.pid)
            time.sleep(0.01)
        if process.returncode != 0:
            sys.exit(f"bench: not all of {READER_COUNT} connections were opened, answered and closed as they should be")
        return time.monotonic() - begin - HOLD_S, peak_bytes


def contests():
    allow_many_descriptors()
    what = f"bench: verified echoes of {MESSAGE_BYTES} bytes on {CONNECTION_COUNT} connections"
    yield Contest(
        (Figure(f"{what}, one in flight", "k/s", 1e3),),
        {"wsx": bench_rate, "bare epoll loop in C": lambda: echo_rate(1), "k6": lambda: k6_echo_rate("echo_k6.js")})
    yield Contest(
        (Figure(f"{what}, 64 in flight", "k/s", 1e3),),
        {"wsx": lambda: bench_rate("--in-flight", 64), "bare epoll loop in C": lambda: echo_rate(64)})
    yield Contest((Figure(f"{what}, 1,024 in flight", "k/s", 1e3),), {"wsx": lambda: bench_rate("--in-flight", 1024)})
    yield Contest(
        (Figure(f"bench: {READER_COUNT:,} connections opened and closed", "s"), Figure("its peak resident memory", "MiB", 1 << 20)),
        {"wsx": many_connections}, rounds=3)
    yield Contest((Figure("bench: recording a latency", "ns", 1e-9),), {"wsx": record_seconds})
