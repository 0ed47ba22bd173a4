"""Timing of `wsx bench`: rates, warm-up, ramps, several threads, and start times, also against servers that stall."""

import signal
import threading
import time
from datetime import datetime, timedelta, timezone

import pytest

import wire
from processes import BINARY, Running, assert_fails, wait_until_caught, wsx
from scripted_server import ScriptedServer
from test_bench import bench, faults


@pytest.mark.parametrize("options", [["-c", "7"], ["-c", "7", "-t", "3"], ["-c", "1"]], ids=" ".join)
def test_messages_are_sent_at_the_requested_rate(wsx_echo, options):
    # The number of messages is fixed, so a busy machine may take longer. The last is due after 1399/700 s.
    result, results = bench(wsx_echo.url, "-r", "700", "-n", "1400", *options)
    assert result.status == 0
    assert results["messages"]["sent"] == 1400 and results["messages"]["unsent"] == 0
    assert (results["rate_asked"], results["in_flight"]) == (700, None)
    assert sum(row["sent"] for row in results["per_second"]) == 1400
    assert results["duration_s"] >= 1.99


def test_warm_up_messages_are_sent_but_not_counted():
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
        result, results = bench(server.url, "-c", "4", "-r", "200", "--warmup", "1s", "-n", "200")
    assert result.status == 0
    assert sum(counts) == 400
    assert results["messages"]["sent"] == results["messages"]["received"] == 200
    # The last message is due after 199/200 s.
    assert results["duration_s"] >= 0.99
    # Bytes count from the moment the end of the warm-up is noticed.
    assert 0 < results["bytes"]["sent"] < 400 * 20


def test_messages_that_the_server_does_not_accept_are_unsent():
    are_there = threading.Barrier(2)

    def script(peer):
        peer.upgrade()
        are_there.wait(60)
        # The load takes 300 ms and does not begin before both connections are open.
        time.sleep(2)
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            peer.send(wire.text(message.payload))
        peer.send(wire.frame(wire.CLOSE, message.payload))

    with ScriptedServer(script, receive_buffer=4096) as server:
        result, results = bench(
            server.url, "-c", "2", "-r", "1000", "--size", "64k", "-d", "300ms", "--close-timeout", "60s",
            "--reply-timeout", "60s")
    messages = results["messages"]
    assert messages["unsent"] > 0
    assert messages["sent"] + messages["unsent"] == 300
    assert messages["sent"] == messages["received"]


def test_connections_are_opened_at_the_requested_rate():
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
    # The sixth connection is due one second after the first. Without a rate, all would open at once.
    assert max(begins) - min(begins) >= 0.5


def test_a_run_begins_at_the_start_time(wsx_echo):
    moment = datetime.now(timezone.utc) + timedelta(seconds=2)
    result, results = bench(wsx_echo.url, "-n", "10", "--start-at", moment.isoformat().replace("+00:00", "Z"))
    assert (result.status, result.err) == (0, "")
    started = datetime.fromisoformat(results["start_time"].replace("Z", "+00:00"))
    # The run may not start early, apart from rounding in the text. How late it starts depends on the machine.
    assert timedelta(milliseconds=-1) <= started - moment < timedelta(minutes=2)
    assert datetime.now(timezone.utc) >= moment


def test_a_start_time_in_the_past_gets_a_warning(wsx_echo):
    result, results = bench(wsx_echo.url, "-n", "10", "--start-at", "2020-01-01T00:00:00Z")
    assert result.status == 0
    assert "--start-at passed" in result.err
    assert results["messages"]["received"] == 10


def test_a_signal_ends_the_wait_for_the_start_time(wsx_echo):
    with Running([BINARY, "bench", wsx_echo.url, "-c", "2", "--start-at", "+1h"]) as client:
        wait_until_caught(client.pid, signal.SIGINT)
        client.signal(signal.SIGINT)
        assert client.wait() == 130


def test_timeout_limits_the_whole_run(wsx_echo):
    result, results = bench(wsx_echo.url, "-c", "2", "-d", "1h", "--timeout", "2s")
    assert_fails(result, 6, "timed out after 2 s (--timeout)")
    assert results["messages"]["received"] > 0 and not faults(results)


def test_connections_use_source_addresses_in_rotation():
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


def test_more_connections_than_ports_are_rejected_before_the_run():
    low, high = map(int, open("/proc/sys/net/ipv4/ip_local_port_range").read().split())
    ports = high - low + 1
    # The limit on open files may be lower than the number of ports; then bench reports that first.
    result = wsx("bench", "ws://127.0.0.1:1", "-c", str(ports + 1))
    assert result.status == 2
    assert f"one address has only {ports} local ports" in result.err or "ulimit -n" in result.err
