"""`wsx bench` against servers that are late, stall, or stop reading, and with messages before and beside the load: no
correct reply counts as wrong, and nothing is waited for indefinitely."""

import json
import signal
import threading
import time

import pytest

import wire
from processes import BINARY, Listener, Running
from scripted_server import ScriptedServer
from test_bench import Pause, bench, check, errors, faults


def test_bytes_received_before_the_load_do_not_count():
    def script(peer):
        peer.upgrade(then=wire.text(b"x" * 50_000))
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            peer.send(wire.text(message.payload))
        peer.send(wire.frame(wire.CLOSE, message.payload))

    with ScriptedServer(script) as server:
        _, results = bench(server.url, "-c", "3", "-n", "30", "--size", "20", "--connect-rate", "5", check_sum=False)
    assert (results["bytes"]["received"], results["bytes"]["sent"]) == (600, 600)


def test_attempts_during_the_warm_up_are_not_lost():
    has_come = threading.Event()

    def script(peer):
        peer.read_request()
        has_come.set()
        peer.read_until_close()

    with ScriptedServer(script) as server:
        words = ["bench", server.url, "--mode", "connect", "-c", "4", "--warmup", "1h", "-d", "1h", "--output", "json"]
        with Running([BINARY, *words]) as client:
            has_come.wait(60)
            client.signal(signal.SIGINT)
            assert client.wait() == 130
            results = check(client.out)
    assert set(results["messages"].values()) == {0} and not errors(results)


def test_messages_queued_on_a_lost_connection_are_not_waited_for():
    def script(peer):
        peer.upgrade()
        # The server does not read until all messages are due and queued.
        threading.Event().wait(1.5)
        peer.reset()

    with ScriptedServer(script) as server:
        _, results = bench(server.url, "-c", "1", "-r", "1000", "-n", "500", "--size", "64k", "--reply-timeout", "1h",
                           timeout=60)
    assert results["messages"]["sent"] + results["messages"]["unsent"] == 500
    assert results["messages"]["unsent"] > 0 and errors(results) == {"closed": 1}


# Send mode waits for 20 s, which no option shortens.
@pytest.mark.parametrize(
    "options", [["-r", "4000"], pytest.param(["--mode", "send"], marks=pytest.mark.heavy)], ids=" ".join)
def test_a_number_of_messages_ends_even_if_the_server_does_not_read(options):
    may_end = threading.Event()

    def script(peer):
        peer.upgrade()
        may_end.wait(60)

    timeout = [] if "--mode" in options else ["--reply-timeout", "300ms"]
    with ScriptedServer(script) as server:
        result, results = bench(
            server.url, "-c", "2", "-n", "1000", "--size", "64k", "--close-timeout", "300ms", *timeout, *options, timeout=60,
            check_sum=False)
        may_end.set()
    assert 0 < results["messages"]["sent"] < 1000
    assert result.status == 6


def test_a_number_of_messages_is_sent_completely_to_a_slow_server():
    def script(peer):
        peer.upgrade()
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            time.sleep(0.01)
        peer.send(wire.frame(wire.CLOSE, message.payload))

    with ScriptedServer(script) as server:
        result, results = bench(
            server.url, "--mode", "send", "-c", "1", "-n", "200", "--size", "64k", "--warmup", "200ms", timeout=60,
            check_sum=False)
    assert (result.status, results["messages"]["sent"]) == (0, 200)


def test_a_large_subscription_is_sent_once(tmp_path):
    received = []
    subscription = tmp_path / "subscription"
    subscription.write_bytes(b"x" * 8_000_000)

    def script(peer):
        peer.upgrade()
        # Bytes beyond the kernel's buffers wait until this end reads.
        threading.Event().wait(0.3)
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            received.append(len(message.payload))
        peer.send(wire.frame(wire.CLOSE, message.payload))

    with ScriptedServer(script) as server:
        result, _ = bench(server.url, "--mode", "receive", "-c", "1", "-f", subscription, "-d", "1s", check_sum=False)
    # No message was received, so nothing was measured.
    assert (result.status, received) == (7, [8_000_000])


def test_a_second_signal_is_not_reported_as_a_server_error():
    has_come = threading.Event()

    def script(peer):
        peer.upgrade()
        peer.read_frame()
        has_come.set()
        peer.read_until_close()

    with ScriptedServer(script) as server:
        with Running([BINARY, "bench", server.url, "-c", "3", "-d", "1h", "--output", "json"]) as client:
            has_come.wait(60)
            client.signal(signal.SIGINT)
            time.sleep(0.2)
            client.signal(signal.SIGINT)
            assert client.wait() == 130
            results = check(client.out)
    assert errors(results) == {}
    assert results["messages"]["lost"] == results["messages"]["sent"] > 0


def test_a_pause_of_the_server_is_reported_in_full_and_only_once():
    """The server pauses for 1 s of 4 s, so a quarter of the messages waits for between zero and one pause."""
    with Listener("--echo") as server:
        pause = Pause(server, clients=20)
        for_all = ["-c", "10", "-r", "500", "-n", "2000", "--reply-timeout", "300ms"]
        with Running([BINARY, "bench", server.url, *for_all, "-m", "hello", "--output", "json"]) as other:
            _, results = bench(server.url, *for_all)
            other.wait()
        pause.join()
    for results in (results, json.loads(other.out)):
        assert results["messages"]["received"] == results["messages"]["sent"] == 2000 and not faults(results)
        latency = results["latency_us"]
        # A busy machine makes the pause longer. Counted twice, it would be at least two seconds for all waiting
        # messages.
        pause_us = pause.seconds * 1e6
        assert 750_000 < latency["p95"] < pause_us * 1.9
        assert 900_000 < latency["max"] < pause_us * 5
        assert latency["p50"] < latency["p95"] / 2
