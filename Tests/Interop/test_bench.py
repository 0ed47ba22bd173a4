"""`wsx bench` against correct and faulty echo servers."""

import json
import signal
import threading
import time

import pytest

import wire
from processes import BINARY, PEERS, PEERS_PYTHON, Listener, Running, assert_fails, environment, run, wait_until, wsx
from scripted_server import ScriptedServer
from terminal import RawTerminal

TIMES = ["min", "mean", "stddev", "p50", "p75", "p90", "p95", "p99", "p999", "p9999", "p99999", "max"]
PERCENTILES = TIMES[3:-1]


def bench(*arguments, check_sum=True, **options):
    """Runs bench and returns its result and results, after checking everything that always holds."""
    result = wsx("bench", "--output", "json", *arguments, **options)
    return result, check(result.out, check_sum)


def check(out, check_sum=True):
    """Parses the JSON results and checks everything that always holds, including the sums if `check_sum`."""
    assert out.count(b"\n") == 1 and out.endswith(b"\n")
    results = json.loads(out)
    logins = ["login_us", "login_histogram"] if "login_us" in results else []
    replies = [name for name in ("stream", "clock") if name in results]
    steps = ["steps"] if results["mode"] == "scenario" else []
    stages = ["stages"] if "stages" in results else []
    services = ["service_us", "service_histogram"] if "service_us" in results else []
    lags = ["lag_us", "lag_histogram"] if "lag_us" in results else []
    notes = [name for name in ("title", "labels") if name in results]
    http2 = ["http2"] if "http2" in results else []
    streams = ["streams_per_connection"] if "streams_per_connection" in results else []
    assert list(results) == [
        "result", *notes, "environment", "mode", "url", "connections", "threads", "duration_s", "rate_per_second",
        "messages", "errors", "causes", "bytes", "load_bytes", "tls", *http2,
        "latency_us", "handshake_us", "per_second", "timeline", "cpu_s", "histogram", "handshake_histogram", "version", "start_time",
        "message", "in_flight", "rate_asked", "tls_resume", *streams, "load_cpu_s", "busiest_cpu_s", "run_queue_s",
        "handshake_phases_us", "handshake_phase_histograms", "delay_us", "delay_histogram", "waited", "latency_omitted", "samples_omitted", "retry_after_s", *logins, *services, *lags, *replies, *steps, *stages,
        "warnings", "thresholds", "baseline"]
    messages = results["messages"]
    assert list(messages) == ["sent", "received", "lost", "mismatched", "duplicated", "reordered", "pushes", "unsent", "interrupted"]
    if check_sum:
        outcomes = ("received", "lost", "mismatched", "interrupted")
        assert messages["sent"] == sum(messages[outcome] for outcome in outcomes)
    assert list(results["errors"]) == ["connect", "handshake", "login", "protocol", "closed", "application", "timeout"]
    assert list(results["load_bytes"]) == ["sent", "received"]
    assert all(results["load_bytes"][name] <= results["bytes"][name] for name in results["load_bytes"])
    assert 0 <= results["tls"]["resumed"] <= results["tls"]["handshakes"]
    assert list(results["bytes"]) == ["sent", "received", "wire_sent", "wire_received"]
    received = messages["received"]
    assert (results["latency_us"] is None) == (received > 0 and results["latency_omitted"] == received)
    for times in filter(None, (results["latency_us"], results["handshake_us"])):
        assert list(times) == [*TIMES, "sum"]
        ordered = [times[name] for name in ["min", *TIMES[3:]]]
        assert ordered == sorted(ordered)
        assert times["min"] <= times["mean"] <= times["max"]
    counted = "sent" if results["mode"] == "send" else "received"
    in_time = sum(second[counted] for second in results["per_second"])
    assert in_time <= messages[counted]
    if results["duration_s"]:
        assert results["rate_per_second"] == pytest.approx(in_time / results["duration_s"], rel=0.01, abs=0.06)
    return results


class Pause:
    """Stops a server for a second, one second after this many clients have connected."""

    def __init__(self, server, clients):
        self.seconds = None
        self._thread = threading.Thread(target=self._run, args=(server, clients), daemon=True)
        self._thread.start()

    def join(self):
        """Waits for the end of the pause. Then `seconds` is a lower bound of its length."""
        self._thread.join(60)
        assert self.seconds

    def _run(self, server, clients):
        wait_until(lambda: server.err.count(" connected from ") >= clients)
        time.sleep(1)
        server.signal(signal.SIGSTOP)
        begin = time.monotonic()
        time.sleep(1)
        self.seconds = time.monotonic() - begin
        server.signal(signal.SIGCONT)


def faults(results):
    return {name: count for name, count in results["messages"].items() if count and name not in ("sent", "received")}


def errors(results):
    return {name: count for name, count in results["errors"].items() if count}


@pytest.mark.parametrize("options", [
    [], ["--in-flight", "16"], ["--binary", "--size", "100"], ["--size", "1"], ["--size", "70k", "--in-flight", "3"],
    ["--fragment-size", "7"], ["-m", "good day"], ["--compress", "--size", "1k"]], ids=" ".join)
def test_every_echo_returns(echo_server, options):
    result, results = bench(echo_server.url, "-c", "7", "-n", "500", *options)
    assert (result.status, result.err) == (0, "")
    assert results["messages"]["sent"] == results["messages"]["received"] == 500
    assert not faults(results) and not errors(results)
    assert results["bytes"]["sent"] == results["bytes"]["received"] > 0
    assert results["bytes"]["wire_received"] > 0
    assert (results["connections"], results["threads"], results["mode"]) == (7, 1, "echo")
    assert results["latency_us"]["min"] > 0 and results["handshake_us"]["min"] > 0


def test_the_results_have_a_row_per_second(wsx_echo):
    result, results = bench(wsx_echo.url, "-c", "3", "-d", "2500ms")
    assert result.status == 0
    assert results["duration_s"] == 2.5
    assert [row["second"] for row in results["per_second"]] == [0, 1, 2]
    assert all(row["received"] > 0 and row["p99_us"] > 0 for row in results["per_second"])
    assert results["cpu_s"] > 0


def test_the_default_output_is_a_table(wsx_echo):
    result = wsx("bench", wsx_echo.url, "-c", "3", "-n", "1200", "--size", "5")
    assert (result.status, result.err) == (0, "")
    assert result.lines[:2] == ["passed", ""]
    assert result.lines[2].startswith("Echo test with 5-byte text messages for ")
    assert result.lines[3] == "3 connections, 1 in flight each"
    assert "1,200 sent, 1,200 received, all correct" in result.out.decode()
    start = result.lines.index("latencies")
    labels = [line.split()[::3] for line in result.lines[start + 1:start + 5]]
    assert labels == [
        ["min", "p50", "p99"], ["mean", "p75", "p99.9"], ["stddev", "p90", "p99.99"], ["max", "p95", "p99.999"]]
    chart = result.lines[start + 6:]
    assert sum(int(line.split("│")[1].split()[-3].replace(",", "")) for line in chart if line.endswith("%")) == 1200
    assert all(len(line) <= 80 for line in result.lines)
    assert b"\x1b" not in result.out


@pytest.mark.parametrize("columns", [40, 60])
def test_the_histogram_and_the_table_do_not_wrap_on_a_narrow_terminal(columns, tmp_path):
    earlier = tmp_path / "earlier.json"
    earlier.write_bytes(wsx("bench", "echo:", "-n", "1000", "--output", "json").out)
    words = ["-q", "--color", "never", "--threshold", "p99.999<1h", "--baseline", earlier]
    with RawTerminal("bench", "echo:", "-n", "1000", *words, width=columns) as terminal:
        assert terminal.wait(60) == 0
        lines = terminal.output.decode().replace("\r", "").splitlines()
    assert lines[0] == "passed" and any(line.startswith("Echo test with") for line in lines)
    assert any("█" in line and line.endswith(" %") for line in lines)
    assert any("too few seconds to tell" in line for line in lines)
    assert [line for line in lines if len(line) > columns] == []


@pytest.mark.parametrize("locale", ["C", "POSIX", "de_DE.ISO-8859-1", "de_DE"])
def test_outputs_are_drawn_in_ascii_if_the_character_set_is_not_utf_8(locale):
    result = wsx("bench", "-n", "100", "echo:", env=environment(LC_ALL=locale))
    assert result.status == 0 and result.out.isascii() and "###" in result.out.decode(), result
    # Text of a peer stays as it is.
    words = ["-v", "-n", "1", "--first-message", "5 → 6", "--ready", "6", "echo:", "hi"]
    result = wsx(*words, env=environment(LC_ALL=locale))
    assert "5 → 6" in result.err and result.err.replace("5 → 6", "").isascii() and " < text " in result.err, result


def test_the_echo_url_tests_the_built_in_server():
    result, results = bench("echo:", "-n", "1k")
    assert (result.status, results["url"], results["messages"]["received"]) == (0, "echo:", 1000)


# How a server treats the messages, counted from 0, and the faults that bench reports.
def echoing(change):
    """A server that answers each message with a list of messages: `change(number, payload)`."""

    def script(peer):
        peer.upgrade()
        number = 0
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            for answer in change(number, message.payload):
                peer.send(wire.text(answer))
            number += 1
        peer.send(wire.frame(wire.CLOSE, message.payload))

    return ScriptedServer(script)


def each_hundredth(change):
    return lambda number, message: change(message) if number % 100 == 50 else [message]


@pytest.mark.parametrize("change, found", [
    (lambda message: [], {"lost": 10}),
    (lambda message: [message, message], {"duplicated": 10}),
    (lambda message: [message[:-1] + b"?"], {"mismatched": 10}),
    (lambda message: [b"?" + message[1:]], {"mismatched": 10}),
    (lambda message: [message[:12]], {"mismatched": 10}),
    (lambda message: [b""], {"mismatched": 10}),
    (lambda message: [message + b"?"], {"mismatched": 10}),
], ids=["drops", "duplicates", "damages the end", "damages the number", "shortens", "empties", "lengthens"])
def test_a_fault_in_every_hundredth_message_is_reported(change, found):
    with echoing(each_hundredth(change)) as server:
        result, results = bench(
            server.url, "-c", "1", "-n", "1000", "--in-flight", "8", "--reply-timeout", "3s")
    assert results["messages"]["sent"] == 1000
    assert faults(results) == found
    assert_fails(result, 7, "the replies: " + ", ".join(f"{count} {name}" for name, count in found.items()))


def test_a_connection_closed_by_the_server_is_an_error_and_the_others_continue():
    numbers = iter(range(4))

    def script(peer):
        number = next(numbers)
        peer.upgrade()
        count = 0
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            if number == 2 and count == 5:
                peer.send(wire.close(1011, b"enough"))
                return
            peer.send(wire.text(message.payload))
            count += 1
        peer.send(wire.frame(wire.CLOSE, message.payload))

    with ScriptedServer(script) as server:
        result, results = bench(server.url, "-c", "4", "-n", "400")
    assert errors(results) == {"closed": 1}
    assert faults(results) == {"lost": 1}
    assert results["messages"]["sent"] == 400
    assert_fails(result, 1, 'the peer closed the connection: 1011 (internal error) "enough"')


def test_a_protocol_violation_is_counted_separately():
    def script(peer):
        peer.upgrade()
        peer.read_frame()
        peer.send(wire.frame(wire.TEXT, b"x", reserved=1))
        peer.read_to_end()

    with ScriptedServer(script) as server:
        result, results = bench(server.url, "-c", "1", "-d", "1h", timeout=60)
    assert errors(results) == {"protocol": 1}
    assert result.status == 5


def test_a_message_beyond_the_own_limit_is_not_blamed_on_the_peer(wsx_echo):
    result, results = bench(wsx_echo.url, "-c", "1", "-n", "1", "--size", "4k", "--max-message-size", "1k")
    assert errors(results) == {"closed": 1}
    assert_fails(result, 1, "raise --max-message-size")


def test_refused_connections_are_reported_once_and_the_others_continue(tmp_path):
    numbers = iter(range(5))

    def script(peer):
        if next(numbers) < 2:
            peer.read_request()
            peer.send(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
            return
        peer.upgrade()
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            peer.send(wire.text(message.payload))
        peer.send(wire.frame(wire.CLOSE, message.payload))

    with ScriptedServer(script) as server:
        result, results = bench(server.url, "-c", "5", "-n", "30")
    assert errors(results) == {"handshake": 2}
    assert results["messages"]["received"] == 30
    assert_fails(result, 4, "503", "3 of 5 connections")


def test_without_any_connection_only_the_reason_is_printed():
    result = wsx("bench", "ws://127.0.0.1:1", "-c", "50")
    assert result.out == b""
    assert_fails(result, 3, "connection refused", "is the server running?")


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_run_early_with_its_results(number, status):
    # Wait for some echoes, so the results have something to report.
    has_echoed = threading.Event()

    def script(peer):
        peer.upgrade()
        count = 0
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            peer.send(wire.text(message.payload))
            count += 1
            if count == 10:
                has_echoed.set()
        peer.send(wire.frame(wire.CLOSE, message.payload))

    with ScriptedServer(script) as server:
        with Running([BINARY, "bench", "--output", "json", server.url, "-c", "20", "-d", "1h"]) as client:
            assert has_echoed.wait(60)
            client.signal(number)
            assert client.wait() == status
            results = check(client.out)
    assert results["messages"]["received"] > 0
    assert not faults(results) and not errors(results)


def test_all_connections_end_with_the_requested_close_frame():
    def script(peer):
        peer.upgrade()
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            peer.send(wire.text(message.payload))
        peer.send(wire.frame(wire.CLOSE, message.payload))
        return message.payload

    with ScriptedServer(script) as server:
        result, _ = bench(server.url, "-c", "30", "-n", "300", "--close-code", "3001", "--close-reason", "done")
    assert result.status == 0
    assert server.results == [b"\x0b\xb9done"] * 30


def test_unanswered_close_frames_share_one_timeout():
    def script(peer):
        peer.upgrade()
        peer.send(wire.text(peer.read_frame().payload))
        peer.read_to_end()

    with ScriptedServer(script) as server:
        result, results = bench(server.url, "-c", "3", "-n", "3", "--close-timeout", "300ms")
    assert errors(results) == {"timeout": 3}
    assert_fails(result, 6, "--close-timeout")


def test_the_connection_options_of_connect_work_with_bench(certificates):
    options = ["--auth", "u:p", "--tls-cert", certificates.good.chain, "--tls-key", certificates.good.key]
    with Listener("--echo", *options) as server:
        url = f"wss://localhost:{server.port}/"
        result, results = bench(url, "-c", "3", "-n", "30", "-a", "u:p", "--ca", certificates.root)
        assert (result.status, results["messages"]["received"]) == (0, 30)
        result = wsx("bench", url, "-n", "30", "--ca", certificates.root)
        assert (result.status, result.out) == (4, b"")
        assert "401 Unauthorized" in result.error_lines[0] and "This server requires credentials." in result.err


def assert_agree(theirs, results):
    """Asserts that another implementation reads the same figures from the histogram."""
    ours = results["latency_us"]
    theirs = {name: value if name == "count" else value / 1000 for name, value in theirs.items()}
    assert theirs["count"] == results["messages"]["received"]
    # The format stores counts only. Its minimum and maximum are bucket bounds, accurate to a thousandth, and its mean
    # is computed from bucket centers. Ours are exact.
    for name in "min", "mean", "max":
        assert theirs[name] == pytest.approx(ours[name], rel=0.001), name
    assert theirs["min"] <= ours["min"] + 0.0005 and ours["max"] <= theirs["max"] + 0.0005
    assert theirs["stddev"] == pytest.approx(ours["stddev"], abs=0.002)
    for name in PERCENTILES:
        assert min(theirs[name], ours["max"]) == pytest.approx(ours[name], abs=0.002), name


def test_histograms_are_readable_by_other_implementations(wsx_echo, tmp_path):
    log = tmp_path / "latencies.hlog"
    result, results = bench(wsx_echo.url, "-c", "5", "-d", "2500ms", "--hdr", log)
    assert result.status == 0

    theirs = json.loads(run([PEERS_PYTHON, PEERS / "read_histograms.py", "-"], stdin=results["histogram"].encode()).out)
    assert_agree(theirs, results)

    intervals = json.loads(run([PEERS_PYTHON, PEERS / "read_histograms.py", "--log", log]).out)
    seconds = results["per_second"]
    counts = [interval["count"] for interval in intervals["intervals"]]
    assert counts[:len(seconds)] == [row["received"] for row in seconds]
    assert [min(interval["p99"], row["max_us"] * 1000) for interval, row in zip(intervals["intervals"], seconds)] == [
        pytest.approx(row["p99_us"] * 1000, abs=1) for row in seconds]
    # Including the messages after the last full second, the intervals cover the whole run.
    assert sum(counts) == results["messages"]["received"]
    assert_agree(intervals["total"], results)
    maxima = [float(line.split(",")[2]) for line in log.read_text().splitlines()[5:]]
    assert maxima[:len(seconds)] == [pytest.approx(row["max_us"] / 1000, abs=1e-6) for row in seconds]
    assert log.read_text().splitlines()[1] == "#[Histogram log format version 1.3]"


@pytest.mark.parametrize("words, message", [
    (["-c", "0"], "-c"), (["-n", "0"], "-n"), (["-d", "0"], "-d"), (["-d", "1s", "-n", "1"], "-n"),
    (["--size", "0"], "--size"), (["-m", ""], "-m"), (["-m", "a", "--size", "1"], "--size"),
    (["--in-flight", "0"], "--in-flight"), (["--hdr", "/nowhere/x"], "--hdr /nowhere/x"),
    (["-c", "1M"], "--connections 1000000: the limit on open files allows"),
    (["--output", "hex"], "--output")], ids=" ".join)
def test_invalid_option_values_are_rejected(words, message):
    assert_fails(wsx("bench", "echo:", *words), 2, message)
