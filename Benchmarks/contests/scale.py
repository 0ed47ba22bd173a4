"""Many connections, large messages, and several threads. This takes about a quarter of an hour, so the default run omits
it.

A process cannot have more connections than its limit on open files. Above that, several servers and as many generators
share the connections. All servers run on one core, and all generators on the other.
"""

import contextlib
import dataclasses
import itertools
import os
import resource
import statistics
import subprocess
import time

from contest import Contest, Figure, shown
from contests.generators import bench_results
from contests.servers import CONNECTION_COUNT, IDLE_S, LOAD_S, MESSAGE_BYTES, READER_COUNT, load
from machine import (
    CLIENT_CORE, CORES, LOAD, PLAIN_WS_ECHO, UWEBSOCKETS, UWEBSOCKETS_ECHO, WS_BROADCAST, Listener, Peer, echo_server,
    pinned)
from processes import peak_resident_bytes, resident_bytes

IDLE_COUNT = 100_000
ACTIVE_COUNT = 10_000
# Connections of each server before the first measurement of memory: they load code and fill caches.
FIRST_COUNT = 1_000
# Descriptors of a process that are no connections.
OTHER_DESCRIPTORS = 100
CONNECTION_COUNTS = [1, 10, 100, 1_000, 10_000, 100_000]
MESSAGE_SIZES = {
    "20 B": 20, "1 KiB": 1 << 10, "64 KiB": 64 << 10, "1 MiB": 1 << 20, "16 MiB": 16 << 20, "64 MiB": 64 << 20}
# The total rate at which latencies are compared: a fifth of what a server reaches.
PACED_RATE = 20_000
PACED_S = 5
# In the table of threads.
IN_FLIGHT = 64


def descriptor_limit():
    """Raises the limit on open files as far as possible, and returns it."""
    wanted = IDLE_COUNT + FIRST_COUNT + OTHER_DESCRIPTORS
    hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard_limit < wanted:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, wanted))
            hard_limit = wanted
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard_limit, hard_limit))
    return hard_limit


def server_count(connection_count):
    """Returns the number of servers that the connections take."""
    return -(-connection_count // (descriptor_limit() - OTHER_DESCRIPTORS - FIRST_COUNT))


def quiet_echo_server(script=None):
    """An echo server that does not report clients, and accepts the largest message."""
    options = [] if script else ["--quiet", "--max-message-size", "128M"]
    return echo_server(script, *options, *(["serve"] if script == LOAD else []))


@contextlib.contextmanager
def servers(connection_count, script=None):
    """Echo servers with their shares of the connections."""
    count = server_count(connection_count)
    shares = [connection_count // count + (number < connection_count % count) for number in range(count)]
    with contextlib.ExitStack() as stack:
        yield [(stack.enter_context(quiet_echo_server(script)), share) for share in shares]


class Generator:
    """The generator in C in a mode that waits when all connections are open."""

    def __init__(self, *words):
        self.process = subprocess.Popen(
            pinned(CLIENT_CORE, [LOAD, *words]), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def wait_until_ready(self):
        assert self.process.stdout.readline() == "ready\n"

    def go_on(self):
        self.process.stdin.close()

    def figures(self):
        """Waits for the end and returns the printed figures."""
        words = self.process.stdout.read().split()
        self.process.stdout.close()
        assert self.process.wait() == 0
        return [float(word) for word in words]


def resident_total(group):
    """Returns the resident memory of servers."""
    return sum(resident_bytes(server.pid) for server, _ in group)


def idle_figures(script=None):
    """Returns the resident memory that each of 100,000 idle connections adds, and how many are opened per second."""
    with servers(IDLE_COUNT, script) as group:
        first = [Generator("hold", server.port, FIRST_COUNT) for server, _ in group]
        for generator in first:
            generator.wait_until_ready()
        time.sleep(IDLE_S)
        resident = resident_total(group)
        begin = time.monotonic()
        rest = [Generator("hold", server.port, share) for server, share in group]
        for generator in rest:
            generator.wait_until_ready()
        seconds = time.monotonic() - begin
        time.sleep(IDLE_S)
        resident = resident_total(group) - resident
        for generator in first + rest:
            generator.go_on()
            generator.figures()
        return resident / IDLE_COUNT, IDLE_COUNT / seconds


@dataclasses.dataclass
class Cost:
    """The cost of echoes. Durations are in seconds."""

    rate: float
    processor: float
    median: float
    percentile_99: float
    resident: int
    peak: int


def cost(connection_count, script=None, message_bytes=MESSAGE_BYTES, seconds=LOAD_S):
    """Measures echoes with one message in flight on each connection."""
    with servers(connection_count, script) as group:
        generators = [
            Generator("cost", server.port, share, message_bytes, 1, seconds, server.pid) for server, share in group]
        for generator in generators:
            generator.wait_until_ready()
        if connection_count >= FIRST_COUNT:
            time.sleep(IDLE_S)
        resident = resident_total(group)
        for generator in generators:
            generator.go_on()
        rates, processors, medians, percentiles = zip(*(generator.figures() for generator in generators))
        peak = sum(peak_resident_bytes(server.pid) for server, _ in group)
    return Cost(
        sum(rates), statistics.mean(processors) * 1e-6, statistics.median(medians) * 1e-3, max(percentiles) * 1e-3, resident,
        peak)


def active_figures(script=None):
    result = cost(ACTIVE_COUNT, script)
    return result.rate, result.processor, result.peak


def paced_latencies(script=None):
    """Returns the median and the 99th percentile of the latencies at a fixed total rate, in seconds."""
    with quiet_echo_server(script) as server:
        latency = bench_results(
            server.url, "-c", ACTIVE_COUNT, "-r", PACED_RATE, "-d", f"{PACED_S}s")["latency_us"]
    return latency["p50"] * 1e-6, latency["p99"] * 1e-6


def bench_rate():
    """Returns the echoes per second that `wsx bench` verifies."""
    with quiet_echo_server() as server:
        return bench_results(server.url, "-c", ACTIVE_COUNT)["rate_per_second"]


def fan_out_seconds(make_server):
    """Returns the seconds until a message of 100 bytes has reached 10,000 readers."""
    with make_server() as server:
        return load("fan-out", server.port, READER_COUNT, 100, 31) / 1e3


def contests():
    descriptor_limit()
    count = server_count(IDLE_COUNT)
    on = "" if count == 1 else f", on {count} servers"
    peers = {"wsx": None, **UWEBSOCKETS, "ws": PLAIN_WS_ECHO}
    yield Contest(
        (Figure(f"server: each of {IDLE_COUNT:,} idle connections{on}, resident memory", "KiB", 1 << 10),
         Figure(f"connections opened per second, up to {IDLE_COUNT:,}", "k/s", 1e3)),
        {peer: lambda script=script: idle_figures(script) for peer, script in peers.items()}, rounds=1)
    yield Contest(
        (Figure(f"server: messages of {MESSAGE_BYTES} bytes on {ACTIVE_COUNT:,} connections, one in flight", "k/s", 1e3),
         Figure("the server's CPU time for each", "us", 1e-6), Figure("the server's peak resident memory", "MiB", 1 << 20)),
        {peer: lambda script=script: active_figures(script)
         for peer, script in {**peers, "bare epoll loop in C": LOAD}.items()})
    what = f"server: latency of {PACED_RATE:,} messages per second on {ACTIVE_COUNT:,} connections"
    yield Contest(
        (Figure(f"{what}, p50", "ms", 1e-3), Figure(f"{what}, p99", "ms", 1e-3)),
        {peer: lambda script=script: paced_latencies(script) for peer, script in peers.items()})
    yield Contest(
        (Figure(f"bench: verified echoes of {MESSAGE_BYTES} bytes on {ACTIVE_COUNT:,} connections, one in flight", "k/s", 1e3),),
        {"wsx": bench_rate, "bare epoll loop in C": lambda: cost(ACTIVE_COUNT).rate})
    publishers = {
        "wsx": lambda: Listener("--broadcast", "--no-stdin", "--quiet", stdout=subprocess.DEVNULL),
        **({"uWebSockets": lambda: Peer(UWEBSOCKETS_ECHO, "broadcast")} if UWEBSOCKETS else {}),
        "ws": lambda: Peer(WS_BROADCAST)}
    yield Contest(
        (Figure(f"server: one message of 100 bytes to {READER_COUNT:,} readers", "ms", 1e-3),),
        {peer: lambda make=make: fan_out_seconds(make) for peer, make in publishers.items()})


def duration(seconds):
    """Returns a duration with a unit."""
    for unit, scale in ("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3):
        if seconds < 1000 * scale:
            return f"{shown(seconds / scale)} {unit}"
    return f"{shown(seconds)} s"


def amount(byte_count):
    return f"{shown(byte_count / (1 << 20))} MiB"


def connection_table():
    lines = [
        f"Echoes of {MESSAGE_BYTES} bytes, one in flight on each connection:", "",
        "| connections | servers | messages/s | p50 | p99 | CPU per message | memory, idle | memory, active, at its peak |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for count in CONNECTION_COUNTS:
        # Long enough for several messages on each connection.
        result = cost(count, seconds=max(LOAD_S, count / 10_000))
        lines.append(
            f"| {count:,} | {server_count(count)} | {shown(result.rate)} | {duration(result.median)} "
            f"| {duration(result.percentile_99)} | {duration(result.processor)} | {amount(result.resident)} "
            f"| {amount(result.peak)} |")
    return "\n".join(lines)


def message_table():
    programs = {"wsx": None, **UWEBSOCKETS}
    lines = [
        "Echoes on one connection, one in flight:", "",
        "| message | program | messages/s | MiB/s | p50 | CPU per message | peak memory |",
        "| --- | --- | --- | --- | --- | --- | --- |"]
    for name, size in MESSAGE_SIZES.items():
        for program, script in programs.items():
            result = cost(1, script, size, LOAD_S if size < 1 << 24 else 5 * LOAD_S)
            lines.append(
                f"| {name} | {program} | {shown(result.rate)} | {shown(result.rate * size / (1 << 20))} "
                f"| {duration(result.median)} | {duration(result.processor)} | {amount(result.peak)} |")
    return "\n".join(lines)


def processor_seconds(pid):
    """Returns the processor time of a process."""
    # Linux's number of the clock of a process: clock_getcpuclockid(3).
    return time.clock_gettime(~pid << 3 | 2)


def thread_table():
    """Client and server may use all cores here."""
    cores = ",".join(map(str, CORES))
    counts = [1 << power for power in range(len(CORES).bit_length())]
    lines = [
        f"Echoes of {MESSAGE_BYTES} bytes on {CONNECTION_COUNT} connections, {IN_FLIGHT} in flight, by threads, on "
        f"{len(CORES)} cores without pinning:", "",
        "| listen | bench | messages/s | CPU of listen per message | CPU of bench per message |",
        "| --- | --- | --- | --- | --- |"]
    for server_threads, bench_threads in itertools.product(counts, counts):
        with Listener("--echo", "--threads", server_threads, core=cores) as server:
            own = os.times()
            results = bench_results(
                server.url, "--in-flight", IN_FLIGHT, "--threads", bench_threads, core=cores)
            children = os.times()
            used = children.children_user + children.children_system - own.children_user - own.children_system
            messages = results["messages"]["received"]
            lines.append(
                f"| {server_threads} | {bench_threads} | {shown(results['rate_per_second'])} "
                f"| {duration(processor_seconds(server.pid) / messages)} | {duration(used / messages)} |")
    return "\n".join(lines)


def tables():
    yield connection_table()
    yield message_table()
    yield thread_table()
