"""`wsx bench` and `wsx listen --echo` over HTTP/1.1, and over HTTP/2 with 1, 10, and 100 WebSockets on each connection.

HTTP/1.1 is in the columns of wsx, and the others are its peers.
"""

import contextlib
import datetime
import json
import subprocess
import time

from contest import Contest, Figure
from contests.generators import bench_results
from contests.scale import processor_seconds
from contests.servers import FIRST_COUNT, IDLE_S, MESSAGE_BYTES, READER_COUNT, allow_many_descriptors
from machine import CLIENT_CORE, WSX, Listener, pinned
from processes import resident_bytes, wait_until

CONNECTION_COUNT = 100
STREAM_COUNTS = (1, 10, 100)


def server(is_secure, streams):
    """An echo server; 0 streams are HTTP/1.1."""
    return Listener(
        "--echo", "--compress=off", *["--tls-self-signed"] * is_secure, *["--http2"] * bool(streams),
        stdout=subprocess.DEVNULL)


def options(is_secure, streams):
    """The options of `wsx bench`."""
    return ["--compress=off", *["--insecure"] * is_secure, *(["--http2", "--streams", streams] if streams else [])]


def echo_figures(is_secure, streams):
    """Returns the echoes per second, and the processor time of the server and of the generator for each."""
    with server(is_secure, streams) as listener:
        words = ["-c", CONNECTION_COUNT, *options(is_secure, streams)]
        before = processor_seconds(listener.pid)
        results = bench_results(listener.url, *words)
        count = results["messages"]["received"]
        return (results["rate_per_second"], (processor_seconds(listener.pid) - before) / count,
                results["cpu_s"] / count)


@contextlib.contextmanager
def idle(listener, is_secure, streams, count):
    """Idle WebSockets of `wsx bench`. Yields a list, which contains the seconds until all were open after the end."""
    command = [WSX, "bench", "--mode", "idle", "-c", count, "-d", "1h", "--heartbeat", "1h", "--output", "json",
               *options(is_secure, streams), listener.url]
    begin = datetime.datetime.now(datetime.timezone.utc)
    process = subprocess.Popen(pinned(CLIENT_CORE, command), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    seconds = []
    try:
        yield seconds
    finally:
        process.terminate()
        output = process.communicate()[0]
    start = datetime.datetime.fromisoformat(json.loads(output)["start_time"].replace("Z", "+00:00"))
    seconds.append((start - begin).total_seconds())


def idle_figures(is_secure, streams):
    """Returns the server's resident memory for each of 10,000 idle WebSockets, and the seconds to open them."""
    with server(is_secure, streams) as listener:
        def settled(count):
            wait_until(lambda: listener.err.count("connected from") >= count, timeout=300, what=f"{count} clients")
            time.sleep(IDLE_S)
            return resident_bytes(listener.pid)

        with idle(listener, is_secure, streams, FIRST_COUNT):
            first = settled(FIRST_COUNT)
            with idle(listener, is_secure, streams, READER_COUNT) as seconds:
                added = settled(FIRST_COUNT + READER_COUNT) - first
        return added / READER_COUNT, seconds[0]


def contests():
    allow_many_descriptors()
    variants = {"HTTP/1.1": 0, **{f"HTTP/2, streams: {count}": count for count in STREAM_COUNTS}}
    for is_secure in (False, True):
        scheme = "wss" if is_secure else "ws"
        what = f"{scheme}: echoes of {MESSAGE_BYTES} bytes on {CONNECTION_COUNT} WebSockets, one in flight"
        yield Contest(
            (Figure(what, "k/s", 1e3), Figure("the server's CPU time for each", "us", 1e-6),
             Figure("the generator's CPU time for each", "us", 1e-6)),
            {name: lambda count=count: echo_figures(is_secure, count) for name, count in variants.items()})
        what = f"{scheme}: each of {READER_COUNT:,} idle WebSockets, resident memory of the server"
        yield Contest(
            (Figure(what, "KiB", 1 << 10), Figure(f"time to open {READER_COUNT:,}", "s")),
            {name: lambda count=count: idle_figures(is_secure, count) for name, count in variants.items()}, rounds=2)
