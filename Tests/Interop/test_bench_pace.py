"""When `wsx bench` sends: at a rate, after a warm-up, on several threads, at a moment; and what it says of servers that
stand still."""

import signal
import threading
import time
from datetime import datetime, timedelta, timezone

import pytest

import wire
from processes import BINARY, Listener, Running, assert_fails, wsx
from scripted_server import ScriptedServer
from test_bench import bench, errors, faults


@pytest.mark.parametrize("options", [["-c", "7"], ["-c", "7", "-t", "3"], ["-c", "1"]], ids=" ".join)
def test_the_rate_that_is_asked_for_is_the_rate_that_is_sent(wsx_echo, options):
    result, results = bench(wsx_echo.url, "-r", "700", "-d", "2s", *options)
    assert result.status == 0
    assert results["messages"]["sent"] == 1400 and results["messages"]["unsent"] == 0
    assert (results["rate_asked"], results["in_flight"]) == (700, None)
    assert sum(row["sent"] for row in results["per_second"]) == 1400


def test_a_number_of_messages_is_divided_among_the_threads(wsx_echo):
    result, results = bench(wsx_echo.url, "-c", "7", "-t", "3", "-n", "1003")
    assert result.status == 0
    assert (results["messages"]["received"], results["threads"], results["connections"]) == (1003, 3, 7)


def test_messages_of_a_warm_up_are_sent_and_do_not_count():
    counts = []

    def script(peer):
        peer.upgrade()
        count = 0
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            peer.send(wire.text(message.payload))
            count += 1
        counts.append(count)
        peer.send(wire.frame(wire.CLOSE, message.payload))

    with ScriptedServer(script) as server:
        result, results = bench(server.url, "-c", "4", "-r", "200", "--warmup", "1s", "-d", "1s")
    assert result.status == 0
    assert sum(counts) == 400
    assert results["messages"]["sent"] == results["messages"]["received"] == 200
    assert results["duration_s"] == 1
    # Bytes are counted from when the warm-up was found to be over.
    assert results["bytes"]["sent"] <= 200 * 20


def test_a_warm_up_ends_in_a_closed_loop_too(wsx_echo):
    result, results = bench(wsx_echo.url, "-c", "4", "-n", "300", "--warmup", "500ms")
    assert result.status == 0
    assert results["messages"]["sent"] == results["messages"]["received"] == 300


def test_a_ramp_sends_half_of_what_the_rate_would(wsx_echo):
    result, results = bench(wsx_echo.url, "-c", "4", "-r", "1000", "--ramp", "1s", "-d", "1s")
    assert result.status == 0
    assert results["messages"]["sent"] == 500


def test_a_ramp_has_connections_begin_one_after_the_other():
    begins = []

    def script(peer):
        peer.upgrade()
        is_first = True
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            if is_first:
                begins.append(time.monotonic())
            is_first = False
            peer.send(wire.text(message.payload))
        peer.send(wire.frame(wire.CLOSE, message.payload))

    with ScriptedServer(script) as server:
        result, _ = bench(server.url, "-c", "4", "--ramp", "2s", "-d", "2s")
    assert result.status == 0
    assert len(begins) == 4
    # The last one begins after three quarters of the ramp.
    assert max(begins) - min(begins) >= 1


def test_a_server_that_stands_still_is_seen_to_keep_everybody_waiting():
    """In a closed loop one message a connection would have noticed: here it is all that were due meanwhile."""
    with Listener("--echo") as server:
        threading.Timer(1, server.signal, [signal.SIGSTOP]).start()
        threading.Timer(2, server.signal, [signal.SIGCONT]).start()
        result, results = bench(server.url, "-c", "10", "-r", "500", "-d", "3s")
    assert result.status == 0
    assert results["messages"]["sent"] == results["messages"]["received"] == 1500
    # A third of them waited, half a second in the middle.
    assert results["latency_us"]["p75"] > 150_000
    assert results["latency_us"]["p95"] > 700_000
    assert results["latency_us"]["max"] > 900_000


def test_what_a_server_does_not_take_is_told():
    may_read = threading.Event()

    def script(peer):
        peer.upgrade()
        may_read.wait(30)
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            peer.send(wire.text(message.payload))
        peer.send(wire.frame(wire.CLOSE, message.payload))

    timer = threading.Timer(1.5, may_read.set)
    timer.start()
    with ScriptedServer(script, receive_buffer=4096) as server:
        result, results = bench(
            server.url, "-c", "2", "-r", "1000", "--size", "64k", "-d", "1s", "--close-timeout", "60s",
            "--reply-timeout", "60s")
    messages = results["messages"]
    assert messages["unsent"] > 0
    assert messages["sent"] + messages["unsent"] == 1000
    assert messages["sent"] == messages["received"]


def test_the_messages_of_a_connection_that_has_ended_fall_to_the_others():
    numbers = iter(range(4))

    def script(peer):
        number = next(numbers)
        peer.upgrade()
        count = 0
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            if number == 2 and count == 5:
                return
            peer.send(wire.text(message.payload))
            count += 1
        peer.send(wire.frame(wire.CLOSE, message.payload))

    with ScriptedServer(script) as server:
        result, results = bench(server.url, "-c", "4", "-r", "400", "-d", "1s")
    assert results["messages"]["sent"] == 400
    assert errors(results) == {"closed": 1}
    assert 1 <= faults(results)["lost"] <= 10
    assert result.status == 1


def test_connections_are_opened_at_a_rate():
    begins = []

    def script(peer):
        begins.append(time.monotonic())
        peer.upgrade()
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            peer.send(wire.text(message.payload))
        peer.send(wire.frame(wire.CLOSE, message.payload))

    with ScriptedServer(script) as server:
        result, _ = bench(server.url, "-c", "6", "-t", "2", "--connect-rate", "5", "-n", "6")
    assert result.status == 0
    # The sixth is due a second after the first.
    assert max(begins) - min(begins) >= 0.9


def test_a_run_begins_at_a_moment(wsx_echo):
    moment = datetime.now(timezone.utc) + timedelta(seconds=2)
    result, results = bench(wsx_echo.url, "-n", "10", "--start-at", moment.isoformat().replace("+00:00", "Z"))
    assert (result.status, result.err) == (0, "")
    started = datetime.fromisoformat(results["start_time"].replace("Z", "+00:00"))
    assert abs(started - moment) < timedelta(seconds=1)
    assert datetime.now(timezone.utc) >= moment


def test_a_moment_that_is_over_is_told(wsx_echo):
    result, results = bench(wsx_echo.url, "-n", "10", "--start-at", "2020-01-01T00:00:00Z")
    assert result.status == 0
    assert "--start-at is over by" in result.err
    assert results["messages"]["received"] == 10


def test_a_signal_ends_the_wait_for_a_moment(wsx_echo):
    with Running([BINARY, "bench", wsx_echo.url, "-c", "2", "--start-at", "+1h"]) as client:
        with pytest.raises(Exception):
            client.process.wait(1)
        client.signal(signal.SIGINT)
        assert client.wait() == 130


@pytest.mark.parametrize("time", ["soon", "5s", "12:00", "+soon"])
def test_a_moment_that_is_none_is_refused(time):
    assert_fails(wsx("bench", "echo:", "--start-at", time), 2, "--start-at")


def test_a_run_may_be_limited_as_a_whole(wsx_echo):
    result, results = bench(wsx_echo.url, "-c", "2", "-d", "1h", "--timeout", "1s")
    assert_fails(result, 6, "timed out after 1 s (--timeout)")
    assert results["messages"]["received"] > 0 and not faults(results)


def test_connections_take_source_addresses_in_turn():
    sources = []

    def script(peer):
        sources.append(peer.sock.getpeername()[0])
        peer.upgrade()
        peer.send(wire.text(peer.read_frame().payload))
        peer.answer_close()

    options = [word for number in (2, 3, 4) for word in ("--source-ip", f"127.0.0.{number}")]
    with ScriptedServer(script) as server:
        result, _ = bench(server.url, "-c", "6", "-t", "2", "-n", "6", *options)
    assert result.status == 0
    assert sorted(sources) == ["127.0.0.2"] * 2 + ["127.0.0.3"] * 2 + ["127.0.0.4"] * 2


def test_more_connections_than_there_are_ports_are_refused_before_the_run():
    low, high = map(int, open("/proc/sys/net/ipv4/ip_local_port_range").read().split())
    ports = high - low + 1
    # Descriptors may be fewer: that is told first then.
    result = wsx("bench", "ws://127.0.0.1:1", "-c", str(ports + 1))
    assert result.status == 2
    assert f"there are {ports} ports for connections from one address" in result.err or "ulimit -n" in result.err
