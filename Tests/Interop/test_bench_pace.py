"""When `wsx bench` sends: at a rate, after a warm-up, on several threads, at a moment; and what it says of servers that
stand still."""

import signal
import threading
import time
from datetime import datetime, timedelta, timezone

import pytest

import wire
from processes import BINARY, Listener, Running, assert_fails, wait_until_caught, wsx
from scripted_server import ScriptedServer
from test_bench import Pause, bench, errors, faults


@pytest.mark.parametrize("options", [["-c", "7"], ["-c", "7", "-t", "3"], ["-c", "1"]], ids=" ".join)
def test_the_rate_that_is_asked_for_is_the_rate_that_is_sent(wsx_echo, options):
    # A number of messages, for which a busy machine may take longer; the last is due after 1399/700 s.
    result, results = bench(wsx_echo.url, "-r", "700", "-n", "1400", *options)
    assert result.status == 0
    assert results["messages"]["sent"] == 1400 and results["messages"]["unsent"] == 0
    assert (results["rate_asked"], results["in_flight"]) == (700, None)
    assert sum(row["sent"] for row in results["per_second"]) == 1400
    assert results["duration_s"] >= 1.99


@pytest.mark.parametrize("options", [["-c", "7"], ["-c", "7", "-t", "3"]], ids=" ".join)
def test_a_duration_has_as_many_messages_as_the_rate_has_in_it(wsx_echo, options):
    result, results = bench(wsx_echo.url, "-r", "700", "-d", "2s", *options)
    # Those that a busy machine does not come to before the end are unsent.
    assert result.status == 0
    assert results["messages"]["sent"] + results["messages"]["unsent"] == 1400
    assert sum(row["sent"] for row in results["per_second"]) == results["messages"]["sent"] > 0
    assert results["duration_s"] == 2


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
        result, results = bench(server.url, "-c", "4", "-r", "200", "--warmup", "1s", "-n", "200")
    assert result.status == 0
    assert sum(counts) == 400
    assert results["messages"]["sent"] == results["messages"]["received"] == 200
    # The last is due after 199/200 s.
    assert results["duration_s"] >= 0.99
    # Bytes are counted from when the warm-up was found to be over.
    assert 0 < results["bytes"]["sent"] < 400 * 20


def test_a_warm_up_ends_in_a_closed_loop_too(wsx_echo):
    result, results = bench(wsx_echo.url, "-c", "4", "-n", "300", "--warmup", "500ms")
    assert result.status == 0
    assert results["messages"]["sent"] == results["messages"]["received"] == 300


def test_a_ramp_sends_half_of_what_the_rate_would(wsx_echo):
    result, results = bench(wsx_echo.url, "-c", "4", "-r", "1000", "--ramp", "1s", "-d", "1s")
    assert result.status == 0
    assert results["messages"]["sent"] + results["messages"]["unsent"] == 500


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
        pause = Pause(server, clients=10)
        result, results = bench(server.url, "-c", "10", "-r", "500", "-n", "1500")
        pause.join()
    assert result.status == 0
    assert results["messages"]["sent"] == results["messages"]["received"] == 1500
    # A third of them waited, half a second in the middle.
    assert results["latency_us"]["p75"] > 150_000
    assert results["latency_us"]["p95"] > 700_000
    assert results["latency_us"]["max"] > 900_000


def test_what_a_server_does_not_take_is_told():
    are_there = threading.Barrier(2)

    def script(peer):
        peer.upgrade()
        are_there.wait(30)
        # The load takes a second, and does not begin before both are there.
        time.sleep(3)
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            peer.send(wire.text(message.payload))
        peer.send(wire.frame(wire.CLOSE, message.payload))

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
        result, results = bench(server.url, "-c", "4", "-r", "400", "-n", "400")
    assert results["messages"]["sent"] == 400
    assert errors(results) == {"closed": 1}
    # What was on its way when the connection ended; if the others got none of its messages, 95 would be missing.
    assert list(faults(results)) == ["lost"] and faults(results)["lost"] < 80
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
    # The sixth is due a second after the first; they would come at once without a rate.
    assert max(begins) - min(begins) >= 0.5


def test_a_run_begins_at_a_moment(wsx_echo):
    moment = datetime.now(timezone.utc) + timedelta(seconds=5)
    result, results = bench(wsx_echo.url, "-n", "10", "--start-at", moment.isoformat().replace("+00:00", "Z"))
    assert (result.status, result.err) == (0, "")
    started = datetime.fromisoformat(results["start_time"].replace("Z", "+00:00"))
    # Not before the moment, but for the rounding of the text; how much later is the machine's to say.
    assert timedelta(milliseconds=-1) <= started - moment < timedelta(seconds=30)
    assert datetime.now(timezone.utc) >= moment


def test_a_moment_that_is_over_is_told(wsx_echo):
    result, results = bench(wsx_echo.url, "-n", "10", "--start-at", "2020-01-01T00:00:00Z")
    assert result.status == 0
    assert "--start-at passed" in result.err
    assert results["messages"]["received"] == 10


def test_a_signal_ends_the_wait_for_a_moment(wsx_echo):
    with Running([BINARY, "bench", wsx_echo.url, "-c", "2", "--start-at", "+1h"]) as client:
        wait_until_caught(client.pid, signal.SIGINT)
        client.signal(signal.SIGINT)
        assert client.wait() == 130


@pytest.mark.parametrize("time", ["soon", "5s", "12:00", "+soon"])
def test_a_moment_that_is_none_is_refused(time):
    assert_fails(wsx("bench", "echo:", "--start-at", time), 2, "--start-at")


def test_a_run_may_be_limited_as_a_whole(wsx_echo):
    result, results = bench(wsx_echo.url, "-c", "2", "-d", "1h", "--timeout", "3s")
    assert_fails(result, 6, "timed out after 3 s (--timeout)")
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
    assert f"one address has only {ports} local ports" in result.err or "ulimit -n" in result.err
