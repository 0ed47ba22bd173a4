"""How runs of `wsx bench` end if servers close, stall, or send unexpected messages: every message that was sent or due
is accounted for, and nothing is waited for in vain."""

import collections
import errno
import itertools
import json
import signal
import threading

import pytest

import wire
from processes import BINARY, PEERS, PEERS_PYTHON, Running, assert_fails, run, wait_until
from scripted_server import ScriptedServer
from test_bench import bench, check, errors, faults


def latency_count(results):
    """Returns the number of latencies that another implementation reads from the histogram."""
    reader = run([PEERS_PYTHON, PEERS / "read_histograms.py", "-"], stdin=results["histogram"].encode())
    return json.loads(reader.out)["count"]


def echo(peer):
    """Echoes all messages and the close frame."""
    while (message := peer.read_frame()).opcode != wire.CLOSE:
        peer.send(wire.text(message.payload))
    peer.send(wire.frame(wire.CLOSE, message.payload))


class Refuser:
    """A server that passes its first client to `refuse` and echoes to the others."""

    def __init__(self, refuse):
        self.refuse, self._lock, self._count = refuse, threading.Lock(), 0

    def __call__(self, peer):
        with self._lock:
            is_first, self._count = self._count == 0, self._count + 1
        if is_first:
            return self.refuse(peer)
        peer.upgrade()
        echo(peer)


def refuse(peer):
    peer.read_request()
    peer.send(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")


def leave(peer):
    """Closes the connection right after the upgrade."""
    peer.upgrade(then=wire.close(1008, b"who are you?"))
    peer.read_until_close()


@pytest.mark.parametrize("mode", ["echo", "send", "broadcast"])
@pytest.mark.parametrize("amount", [["-n", "100"], ["-n", "100", "-r", "50"], ["-d", "1h"]], ids=" ".join)
def test_a_server_that_closes_every_connection_is_not_waited_for(mode, amount):
    with ScriptedServer(leave) as server:
        timeout = [] if mode == "send" else ["--reply-timeout", "1h"]
        result, results = bench(
            server.url, "--mode", mode, "-c", "3", *amount, *timeout, timeout=60, check_sum=False)
    assert errors(results) == {"closed": 3}
    assert results["messages"]["sent"] == results["messages"]["received"] == 0
    assert_fails(result, 1, '1008 (policy violation) "who are you?"')


@pytest.mark.parametrize("refusal", [refuse, leave])
def test_a_thread_without_connections_does_not_delay_the_end(refusal):
    with ScriptedServer(Refuser(refusal)) as server:
        _, results = bench(server.url, "-t", "2", "-c", "2", "-n", "10", timeout=60)
    # The other thread sends its share.
    assert results["messages"]["sent"] == results["messages"]["received"] == 5


def test_readers_do_not_wait_for_a_publisher_that_left():
    with ScriptedServer(Refuser(leave)) as server:
        result, results = bench(
            server.url, "--mode", "broadcast", "-c", "3", "-n", "100", "--connect-rate", "50", timeout=60,
            check_sum=False)
    assert results["messages"]["sent"] == 0 and result.status == 1


def test_an_interrupted_run_computes_its_rate_from_the_elapsed_time():
    has_stalled = threading.Event()

    def script(peer):
        peer.upgrade()
        for _ in range(100):
            peer.send(wire.text(peer.read_frame().payload))
        has_stalled.set()
        messages = []
        # Reading times out once the client, which was interrupted, sends no more. Then the server answers all pending
        # messages.
        peer.sock.settimeout(0.4)
        try:
            while True:
                messages.append(peer.read_frame().payload)
        except TimeoutError:
            peer.sock.settimeout(60)
        peer.send(b"".join(map(wire.text, messages)))
        echo(peer)

    with ScriptedServer(script) as server:
        words = ["bench", "--output", "json", server.url, "-c", "1", "-r", "400", "-d", "1h"]
        with Running([BINARY, *words]) as client:
            has_stalled.wait(60)
            with pytest.raises(Exception):
                client.process.wait(1)
            client.signal(signal.SIGINT)
            assert client.wait() == 130
            results = check(client.out)
    messages = results["messages"]
    assert messages["received"] == messages["sent"] == latency_count(results) > 100
    # Replies after the interrupt do not count towards the rate.
    assert sum(row["received"] for row in results["per_second"]) == 100
    assert results["rate_per_second"] == pytest.approx(100 / results["duration_s"], rel=0.01)


def test_every_connection_attempt_has_an_outcome():
    may_answer = threading.Event()

    def script(peer):
        peer.read_request()
        may_answer.wait(60)

    with ScriptedServer(script) as server:
        _, results = bench(
            server.url, "--mode", "connect", "-c", "4", "-d", "500ms", "--reply-timeout", "300ms", check_sum=False)
        may_answer.set()
    assert results["messages"]["sent"] == 4 == sum(row["sent"] for row in results["per_second"])
    assert errors(results) == {"timeout": 4} and not faults(results)


def test_a_run_in_which_all_attempts_fail_still_has_results():
    result, results = bench("ws://127.0.0.1:1/", "--mode", "connect", "-c", "2", "-n", "10", "--threshold", "errors=0",
                            check_sum=False)
    assert (results["messages"]["sent"], results["messages"]["received"]) == (10, 0)
    assert errors(results) == {"connect": 10}
    assert results["thresholds"][0]["met"] is False
    assert result.status == 3


def test_unrelated_messages_do_not_hide_losses():
    """The server adds its own announcements, and drops one in ten messages."""
    readers, lock = [], threading.Lock()

    def script(peer):
        peer.upgrade()
        with lock:
            readers.append(peer)
        count = 0
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            count += 1
            for reader in [reader for reader in readers if reader is not peer]:
                reader.send(wire.text(b"somebody is typing"))
                if count % 10:
                    reader.send(wire.text(message.payload))
        peer.send(wire.frame(wire.CLOSE, message.payload))

    with ScriptedServer(script) as server:
        result, results = bench(
            server.url, "--mode", "broadcast", "-c", "3", "-n", "100", "-r", "500", "--reply-timeout", "3s",
            "--threshold", "lost<=10%", "--threshold", "lost<9%", check_sum=False)
    assert faults(results) == {"lost": 20}
    assert [threshold["met"] for threshold in results["thresholds"]] == [True, False]
    assert result.status == 7
    assert "the deliveries: 20 lost; each message must reach each reader once" in result.err


def test_without_a_connection_json_results_are_still_written():
    result, results = bench("ws://127.0.0.1:1/", "-c", "5", "-n", "10")
    assert errors(results) == {"connect": 5}
    assert results["messages"]["sent"] == 0 and result.status == 3


@pytest.mark.parametrize("moment", ["9999-01-01T00:00:00Z", "100000000000"])
def test_a_start_time_in_the_far_future_is_rejected(moment):
    result = run([BINARY, "bench", "echo:", "--start-at", moment])
    assert_fails(result, 2, "--start-at", "years from now")


def test_the_wait_for_the_last_replies_has_a_limit():
    def script(peer):
        peer.upgrade()
        peer.read_frame()
        peer.answer_close()

    with ScriptedServer(script) as server:
        # Without the limit, the wait would outlast the test.
        result, results = bench(server.url, "-c", "1", "-n", "1", "--reply-timeout", "1h", "--drain", "100ms")
    assert result.status == 7 and results["messages"]["lost"] == 1
    assert results["errors"]["timeout"] == 0
    assert results["result"]["reasons"] == ["1 of 1 messages was lost"]


def test_the_verdict_names_every_kind_of_failure():
    numbers = itertools.count()

    def script(peer):
        if next(numbers) == 0:
            return refuse(peer)
        peer.upgrade()
        peer.read_frame()
        peer.send(wire.text("altered"))
        peer.read_frame()
        peer.answer_close()

    with ScriptedServer(script) as server:
        result, results = bench(
            server.url, "-c", "2", "-n", "2", "--reply-timeout", "500ms", "--threshold", "received>1")
    assert result.status == 4
    assert results["result"]["reasons"] == [
        "1 of 2 messages was lost", "1 of 2 messages was mismatched", "1 × HTTP 503 Service Unavailable",
        "received is 0, limit at least 1"]


def test_failed_attempts_to_connect_are_repeated():
    lock, counts = threading.Lock(), []

    def script(peer):
        peer.read_request()
        with lock:
            counts.append(1)
            is_refused = len(counts) <= 3
        if is_refused:
            return peer.send(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        peer.upgrade()
        echo(peer)

    with ScriptedServer(script) as server:
        result, results = bench(server.url, "-c", "2", "-n", "10", "--connect-retry", "3")
    assert (result.status, result.err, len(counts)) == (0, "", 5)
    assert not any(results["errors"].values()) and results["causes"] == []


def test_the_waits_that_a_server_asks_for_are_counted():
    counts = itertools.count()

    def script(peer):
        peer.read_request()
        if next(counts) < 3:
            return peer.send(b"HTTP/1.1 429 Busy\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        peer.upgrade()
        echo(peer)

    with ScriptedServer(script) as server:
        result, results = bench(server.url, "-c", "2", "-n", "10", "--connect-retry", "9")
        assert (result.status, results["retry_after_s"], next(counts)) == (0, 3, 5), result
        _, results = bench(server.url, "-c", "2", "-n", "10")
        assert results["retry_after_s"] == 0


def test_a_connection_that_is_opened_again_waits_as_long_as_the_server_asks():
    counts = itertools.count()

    def script(peer):
        peer.read_request()
        if next(counts) == 1:
            return peer.send(b"HTTP/1.1 503 Busy\r\nRetry-After: 2\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        peer.upgrade()
        peer.answer_close()

    with ScriptedServer(script) as server:
        arguments = ["--mode", "idle", "-c", "1", "-d", "1h", "--lifetime", "500ms", "--output", "json", server.url]
        with Running([BINARY, "bench", *arguments]) as client:
            wait_until(lambda: server.connection_count > 2, what="the attempt after the refused one")
            client.signal(signal.SIGINT)
            client.wait()
            results = json.loads(client.out)
    assert results["retry_after_s"] == 2 and results["errors"]["handshake"] == 1


def test_without_a_successful_repetition_each_connection_is_one_error():
    result, results = bench("ws://127.0.0.1:1/", "-c", "2", "--connect-retry", "1", check_sum=False)
    assert result.status == 3 and results["errors"]["connect"] == 2
    assert results["causes"] == [{"kind": "system", "code": 111, "name": "connection refused", "count": 2}]


def test_connections_use_all_addresses_of_a_name():
    addresses = [f"127.0.0.{number}" for number in (1, 2, 3)]

    def script(peer):
        peer.upgrade()
        echo(peer)
        return peer.sock.getsockname()[0]

    with ScriptedServer(script, address="0.0.0.0") as server:
        result, _ = bench(
            f"ws://app.invalid:{server.port}/", "-c", "9", "-t", "2", "-n", "9",
            "--resolve", f"app.invalid:{server.port}:{','.join(addresses)}")
    assert result.status == 0
    assert sorted(server.results) == sorted(addresses * 3)


CAUSES = [
    ("http", 429), ("http", 503), ("close", 1011), ("close", 1013), ("close", 4000), ("close", 1006),
    ("system", errno.ECONNRESET)]


def test_causes_are_counted_as_the_server_injects_them():
    numbers, lock, injected = itertools.count(), threading.Lock(), collections.Counter()

    def script(peer):
        peer.read_request()
        with lock:
            kind, code = CAUSES[next(numbers) % len(CAUSES)]
            injected[kind, code] += 1
        if kind == "http":
            return peer.send(f"HTTP/1.1 {code} No\r\nContent-Length: 0\r\n\r\n".encode())
        peer.upgrade()
        peer.read_frame()
        if kind == "close" and code != 1006:
            peer.send(wire.close(code))
            peer.read_until_close()
        elif kind == "system":
            peer.reset()

    with ScriptedServer(script) as server:
        _, results = bench(server.url, "-c", "70", "-n", "1000")
    assert set(injected.values()) == {10}
    assert {(cause["kind"], cause["code"]): cause["count"] for cause in results["causes"]} == injected
    assert errors(results) == {"handshake": 20, "closed": 50}


@pytest.mark.parametrize("number, name", [(40, "handshake failure"), (80, "internal error"), (112, "unrecognized name")])
def test_tls_alerts_are_counted(number, name):
    def script(peer):
        peer.sock.recv(65536)
        # RFC 8446 §6: a fatal alert.
        peer.send(b"\x15\x03\x03\x00\x02\x02" + bytes([number]))
        peer.read_to_end()

    with ScriptedServer(script) as server:
        _, results = bench(server.url.replace("ws:", "wss:"), "-c", "5", "-n", "5", check_sum=False)
    assert [(cause["kind"], cause["code"], cause["count"]) for cause in results["causes"]] == [("tls", number, 5)]
    assert results["result"]["reasons"] == [f"5 × TLS alert {number} {name}"]
