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


def late_echo(delay_s, until):
    """Returns a script that delays the first `until` replies by `delay_s`, in order, and sends all others at once."""
    def script(peer):
        peer.upgrade()
        queue, has_come, is_over = [], threading.Condition(), False

        def answer():
            count = 0
            while True:
                with has_come:
                    has_come.wait_for(lambda: queue or is_over)
                    if not queue:
                        return
                    due, payload = queue.pop(0)
                if count < until:
                    time.sleep(max(0, due - time.monotonic()))
                count += 1
                peer.send(wire.text(payload))

        thread = threading.Thread(target=answer)
        thread.start()
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            with has_come:
                queue.append((time.monotonic() + delay_s, message.payload))
                has_come.notify()
        with has_come:
            is_over = True
            has_come.notify()
        thread.join()
        peer.send(wire.frame(wire.CLOSE, message.payload))
    return script


@pytest.mark.parametrize("message", [[], ["-m", "hello"], ["-m", "{{seq}}"]], ids=" ".join)
def test_replies_after_the_timeout_count_with_their_latency(message):
    with ScriptedServer(late_echo(1, 1 << 30)) as server:
        result, results = bench(server.url, "-c", "1", "-r", "5", "-n", "5", "--reply-timeout", "400ms", *message)
    assert (results["messages"]["sent"], results["messages"]["received"]) == (5, 5)
    assert not faults(results)
    assert results["latency_us"]["min"] >= 999_000, "each reply is a second late"
    assert result.status == 6 and errors(results)["timeout"] > 0, "each reply timed out first"


def test_the_requested_number_of_messages_is_in_flight():
    """The server answers only when all are in flight, which are more than a connection sends in one turn."""
    def script(peer):
        peer.upgrade()
        for _ in range(2):
            payloads = [peer.read_frame().payload for _ in range(600)]
            for payload in payloads:
                peer.send(wire.text(payload))
        peer.send(wire.frame(wire.CLOSE, peer.read_frame().payload))

    with ScriptedServer(script) as server:
        result, results = bench(server.url, "-c", "1", "--in-flight", "600", "-n", "1200", "--reply-timeout", "5s")
    assert result.status == 0 and results["messages"]["received"] == 1200, results


@pytest.mark.parametrize("message", [[], ["-m", "hello"], ["-m", "{{seq}}"]], ids=" ".join)
def test_replies_after_a_late_one_keep_their_full_latency(message):
    with ScriptedServer(late_echo(1, 1)) as server:
        _, results = bench(server.url, "-c", "1", "-n", "8", "--reply-timeout", "500ms", *message)
    assert results["messages"]["received"] == 8 and not faults(results)
    # The second message waits behind the first.
    assert results["latency_us"]["max"] >= 999_000
    assert results["latency_us"]["p90"] >= 300_000


def test_a_lost_reply_among_identical_messages_is_lost_once():
    def script(peer):
        peer.upgrade()
        peer.read_frame()
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            peer.send(wire.text(message.payload))
        peer.send(wire.frame(wire.CLOSE, message.payload))

    with ScriptedServer(script) as server:
        # If the other replies timed out one by one, the run would take longer than its limit here.
        _, results = bench(server.url, "-c", "1", "-n", "300", "-m", "hello", "--reply-timeout", "1s", timeout=120)
    assert (results["messages"]["received"], faults(results)) == (299, {"lost": 1})


def test_unsolicited_pongs_are_not_faults():
    def script(peer):
        peer.upgrade(then=wire.frame(wire.PONG, b""))
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            peer.send(wire.frame(wire.PONG, b"alive") + wire.frame(wire.PONG, message.payload) + wire.frame(wire.PONG, b""))
        peer.send(wire.frame(wire.CLOSE, message.payload))

    with ScriptedServer(script) as server:
        result, results = bench(server.url, "--mode", "idle", "-c", "2", "-d", "500ms", "--heartbeat", "100ms")
    assert result.status == 0 and set(faults(results)) <= {"unsent"}
    assert results["messages"]["received"] == results["messages"]["sent"] > 0
    assert results["messages"]["sent"] + results["messages"]["unsent"] == 10


def test_concurrent_runs_with_other_publishers_or_messages_are_ignored():
    with Listener("--broadcast", "--no-stdin") as server:
        words = [server.url, "--mode", "broadcast", "-r", "100", "-n", "200", "--output", "json"]
        others = [["-c", "5", "--publishers", "3"], ["-c", "3", "--binary"]]
        with Running([BINARY, "bench", *words, *others[0]]) as one, Running([BINARY, "bench", *words, *others[1]]) as two:
            _, results = bench(*words, "-c", "3", check_sum=False)
            assert one.wait() == two.wait() == 0
    for results in (results, json.loads(one.out), json.loads(two.out)):
        assert results["messages"]["received"] == 400 and not faults(results)


def test_bytes_received_before_the_load_do_not_count():
    def script(peer):
        peer.upgrade(then=wire.text(b"x" * 50_000))
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            peer.send(wire.text(message.payload))
        peer.send(wire.frame(wire.CLOSE, message.payload))

    with ScriptedServer(script) as server:
        _, results = bench(server.url, "-c", "3", "-n", "30", "--size", "20", "--connect-rate", "5", check_sum=False)
    assert (results["bytes"]["received"], results["bytes"]["sent"]) == (600, 600)


def test_a_run_interrupted_during_its_warm_up_counts_nothing():
    with Listener("--echo") as server:
        with Running([BINARY, "bench", server.url, "-c", "2", "--warmup", "1h", "--output", "json"]) as client:
            server.wait_for("(?s)connected.*connected")
            with pytest.raises(Exception):
                client.process.wait(0.5)
            client.signal(signal.SIGINT)
            assert client.wait() == 130
            results = check(client.out)
    assert set(results["messages"].values()) == {0}
    assert results["bytes"]["wire_sent"] < 200, "more than close frames and messages in flight"


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
    assert (result.status, received) == (0, [8_000_000])


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
