"""The modes of `wsx bench`, each against correct and faulty servers."""

import json
import threading
import time

import pytest

import wire
from brokers import Mosquitto
from processes import Listener, assert_fails, wait_until, wsx
from scripted_server import ScriptedServer
from test_bench import bench, errors, faults


@pytest.mark.parametrize("options", [[], ["-t", "2"], ["-r", "5k"], ["--binary", "--size", "1k"]], ids=" ".join)
def test_send_counts_the_messages_the_server_received(options):
    seen = []

    def script(peer):
        peer.upgrade()
        count = 0
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            count += 1
        peer.send(wire.frame(wire.CLOSE, message.payload))
        seen.append(count)

    with ScriptedServer(script) as server:
        result, results = bench(server.url, "--mode", "send", "-c", "4", "-n", "3001", *options, check_sum=False)
    assert result.status == 0
    # Connections that send as fast as they can need not send the same number.
    assert sum(seen) == 3001 and min(seen) >= 256
    assert results["messages"]["sent"] == sum(row["sent"] for row in results["per_second"]) == 3001
    assert results["messages"]["received"] == 0 and not faults(results)
    assert results["duration_s"] > 0 and results["rate_per_second"] > 0
    assert results["latency_us"]["max"] == 0


def test_send_is_paced_by_a_slow_server():
    """Messages that are not queued yet do not count as sent, and a server that does not read bounds the memory."""
    def script(peer):
        peer.upgrade()
        # The load begins now and takes 300 ms.
        time.sleep(2)
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            pass
        peer.send(wire.frame(wire.CLOSE, message.payload))

    with ScriptedServer(script, receive_buffer=4096) as server:
        result, results = bench(
            server.url, "--mode", "send", "-c", "1", "-d", "300ms", "--size", "64k", "--close-timeout", "60s",
            check_sum=False)
    assert result.status == 0
    assert 0 < results["messages"]["sent"] < 300


def test_receive_counts_incoming_messages():
    def script(peer):
        peer.upgrade()
        assert peer.read_frame().payload == b"prices, please"
        for number in range(100):
            peer.send(wire.text(b"%d" % number))
        peer.answer_close()

    with ScriptedServer(script) as server:
        result, results = bench(
            server.url, "--mode", "receive", "-c", "3", "-d", "1s", "-m", "prices, please", check_sum=False)
    assert result.status == 0
    assert (results["messages"]["sent"], results["messages"]["received"]) == (3, 300)
    assert results["bytes"]["received"] == 3 * 190


def test_connect_opens_and_closes_connections_in_sequence(certificates):
    options = ["--tls-cert", certificates.good.chain, "--tls-key", certificates.good.key]
    with Listener("--echo", *options) as server:
        result, results = bench(
            f"wss://localhost:{server.port}/", "--mode", "connect", "-c", "3", "-n", "20", "--ca", certificates.root)
        wait_until(lambda: server.err.count("disconnected: 1000") == 20)
    assert result.status == 0
    assert results["messages"]["sent"] == results["messages"]["received"] == 20
    assert (results["tls_resume"], results["tls"]) == (False, {"handshakes": 20, "resumed": 0})
    phases = results["handshake_phases_us"]
    assert list(phases) == ["name", "connect", "proxy", "tls", "upgrade"]
    assert all(phases[name]["min"] > 0 for name in ("name", "connect", "tls", "upgrade")) and phases["proxy"]["max"] == 0
    assert sum(phase["mean"] for phase in phases.values()) == pytest.approx(results["handshake_us"]["mean"], rel=0.01)


def test_tls_sessions_are_resumed_only_on_request_and_counted(certificates, tmp_path):
    options = ["--tls-cert", certificates.good.chain, "--tls-key", certificates.good.key]
    file = tmp_path / "full.json"
    with Listener("--echo", *options) as server:
        arguments = [f"wss://localhost:{server.port}/", "-c", "1", "--ca", certificates.root]
        result, results = bench(*arguments, "--mode", "connect", "-n", "20", "--tls-resume")
        assert (result.status, results["tls_resume"], results["tls"]["handshakes"]) == (0, True, 20)
        assert 0 < results["tls"]["resumed"] < 20
        result, results = bench(*arguments, "-n", "1")
        file.write_bytes(result.out)
        assert wsx("bench", *arguments, "-n", "1", "--baseline", file).status == 0
        assert_fails(
            wsx("bench", *arguments, "-n", "1", "--baseline", file, "--tls-resume"), 2, "it did not resume TLS sessions")
        assert "1 handshake, none resumed" in wsx("bench", *arguments, "-n", "1").out.decode()


def test_a_missing_row_is_no_connection_error(wsx_echo, tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("token\na\nb\n")
    result, results = bench(
        wsx_echo.url, "--mode", "connect", "-c", "1", "-n", "5", "--data", rows, "-H", "X: {{token}}")
    assert (results["messages"]["sent"], results["messages"]["received"], results["messages"]["unsent"]) == (2, 2, 3)
    assert errors(results) == {}
    assert result.status == 2 and "the test has used all 2 rows" in json.loads(result.err)["error"], result


def test_connect_counts_refused_attempts():
    numbers = iter(range(10))

    def script(peer):
        if next(numbers) % 5 == 0:
            peer.read_request()
            peer.send(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
            return
        peer.upgrade()
        peer.answer_close()

    with ScriptedServer(script) as server:
        result, results = bench(server.url, "--mode", "connect", "-c", "1", "-n", "10", check_sum=False)
    assert (results["messages"]["sent"], results["messages"]["received"]) == (10, 8)
    assert errors(results) == {"handshake": 2}
    assert result.status == 4
    assert "the server answered 503" in result.error_lines[0]


# Beside other tests, several threads sometimes count the deliveries of one message as lost.
@pytest.mark.alone
@pytest.mark.parametrize("options", [[], ["-t", "3", "--publishers", "2"], ["--size", "1000", "--binary"]], ids=" ".join)
def test_broadcast_counts_every_delivery(options):
    with Listener("--broadcast") as server:
        result, results = bench(
            server.url, "--mode", "broadcast", "-c", "9", "-n", "50", "-r", "200", *options, check_sum=False)
    publishers = 2 if "--publishers" in options else 1
    assert (result.status, result.err) == (0, "")
    assert (results["messages"]["sent"], results["messages"]["received"]) == (50, 50 * (9 - publishers))
    assert not faults(results) and not errors(results)
    assert results["latency_us"]["min"] > 0


class Room:
    """A server that forwards each client's messages to all others, as the list `change(number, payload)`."""

    def __init__(self, change):
        self.change = change
        self.peers = []
        self.count = 0
        self.lock = threading.Lock()

    def __call__(self, peer):
        # At once: a message may follow as soon as all clients have their answers.
        with self.lock:
            peer.upgrade()
            self.peers.append(peer)
        while (message := peer.read_frame()).opcode != wire.CLOSE:
            with self.lock:
                for other in self.peers:
                    if other is peer:
                        continue
                    for payload in self.change(self.count, message.payload):
                        other.send(wire.text(payload))
                    self.count += 1
        with self.lock:
            self.peers.remove(peer)
            peer.send(wire.frame(wire.CLOSE, message.payload))


class Holder:
    """Sends every tenth message after its successor."""

    def __init__(self):
        self.held = None

    def __call__(self, number, message):
        if number % 10 == 5:
            self.held = message
            return []
        held, self.held = self.held, None
        return [message] if held is None else [message, held]


@pytest.mark.parametrize("change, found", [
    (lambda number, message: [message] * (number % 10 != 5), {"lost": 10}),
    (lambda number, message: [message] * (1 + (number % 10 == 5)), {"duplicated": 10}),
    (lambda number, message: [b"?" + message[1:]] if number % 10 == 5 else [message], {"mismatched": 10}),
    (lambda number, message: [message[:-1]] if number % 10 == 5 else [message], {"mismatched": 10}),
    (Holder(), {"reordered": 10}),
], ids=["drops", "duplicates", "damages", "shortens", "reorders"])
def test_delivery_faults_are_reported(change, found):
    with ScriptedServer(Room(change)) as server:
        result, results = bench(
            server.url, "--mode", "broadcast", "-c", "2", "-n", "100", "-r", "1k",
            "--reply-timeout", "3s", check_sum=False)
    assert results["messages"]["sent"] == 100
    assert faults(results) == found
    assert_fails(result, 7, ", ".join(f"{count} {name}" for name, count in found.items()))


def enveloped(change):
    """The change of a server that puts messages in envelopes, and their text in a string of JSON in JSON."""
    def change_and_wrap(number, message):
        text = json.loads(message)["text"].encode()
        return [json.dumps({"from": number, "body": json.dumps({"text": part.decode()})}).encode()
                for part in change(number, text)]
    return change_and_wrap


@pytest.mark.parametrize("change, found", [
    (lambda number, text: [text], {}),
    (lambda number, text: [text] * (number % 10 != 5), {"lost": 10}),
    (lambda number, text: [text] * (1 + (number % 10 == 5)), {"duplicated": 10}),
    (lambda number, text: [text[:-1] + b"?"] if number % 10 == 5 else [text], {"mismatched": 10}),
    (Holder(), {"reordered": 10}),
], ids=["all", "drops", "duplicates", "damages", "reorders"])
def test_markers_are_found_in_envelopes(change, found):
    with ScriptedServer(Room(enveloped(change))) as server:
        result, results = bench(
            server.url, "--mode", "broadcast", "-c", "2", "-n", "100", "-r", "1k", "--reply-timeout", "3s",
            "-m", '{"text":"{{marker}}"}', check_sum=False)
    assert results["messages"]["sent"] == 100 and faults(results) == found
    assert result.status == (7 if found else 0)


@pytest.mark.parametrize("messages, why", [
    (["-m", "join"], "no message contains {{marker}}"),
    (["-m", "{{marker}} {{marker}}"], "it contains {{marker}} twice"),
    (["--protocol", "mqtt"], "no message contains {{marker}}"),
])
def test_messages_of_a_broadcast_need_one_marker(messages, why):
    assert_fails(wsx("bench", "--mode", "broadcast", "-c", "2", *messages, "ws://127.0.0.1:1/"), 2, why)


def test_a_broadcast_through_mqtt():
    with Mosquitto() as broker:
        result, results = bench(
            *broker.options, broker.url, "--mode", "broadcast", "-c", "5", "--publishers", "2", "-n", "200", "-r", "100",
            "--warmup", "1s", "-m", "sub room/#", "-m", "pub room/a {{marker}}", check_sum=False)
    assert (result.status, result.err, faults(results)) == (0, "", {})
    assert results["messages"]["received"] == 3 * results["messages"]["sent"] > 0


def test_damaged_messages_in_addition_are_reported():
    room = Room(lambda number, message: [message, b"?" + message[1:]] if number % 10 == 5 else [message])
    with ScriptedServer(room) as server:
        _, results = bench(
            server.url, "--mode", "broadcast", "-c", "2", "-n", "100", "-r", "1k", "--reply-timeout", "3s",
            check_sum=False)
    # If the next message has already been sent, the damaged one may be that.
    assert set(faults(results)) <= {"duplicated", "mismatched"} and sum(faults(results).values()) == 10, results


def test_idle_connections_are_pinged():
    with Listener("--echo") as server:
        result, results = bench(server.url, "--mode", "idle", "-c", "10", "-d", "1s", "--heartbeat", "250ms")
    assert result.status == 0
    # Pings that a busy machine does not send before the end are unsent.
    assert results["messages"]["sent"] == results["messages"]["received"] > 0
    assert results["messages"]["sent"] + results["messages"]["unsent"] == 40
    assert results["bytes"]["sent"] == 0 < results["bytes"]["wire_sent"]


def test_unanswered_pings_are_lost():
    with Listener("--echo", "--no-pong") as server:
        result, results = bench(
            server.url, "--mode", "idle", "-c", "2", "-d", "1s", "--heartbeat", "500ms", "--reply-timeout", "300ms")
    sent = results["messages"]["sent"]
    assert sent > 0 and sent + results["messages"]["unsent"] == 4
    assert results["messages"]["lost"] == sent
    assert_fails(result, 7, f"{sent} lost")


@pytest.mark.parametrize("arguments, words", [
    (["--mode", "broadcast", "-c", "1"], "no reader is left"),
    (["--mode", "broadcast", "--size", "47"], "48 bytes or more"),
    (["--publishers", "2"], "requires '--mode=broadcast'"),
    (["--mode", "idle", "-n", "5"], "cannot be used with"),
    (["--mode", "receive", "-r", "5"], "cannot be used with"),
    (["--mode", "send", "--in-flight", "2"], "cannot be used with"),
    (["--mode", "connect", "--connect-rate", "5"], "cannot be used with"),
    (["--mode", "connect", "--ramp", "1s"], "add --rate"),
    (["--mode", "receive", "--ramp", "1s"], "cannot be used with"),
    (["--mode", "connect", "-m", "x"], "cannot be used with"),
    (["-t", "3", "-c", "2"], "there are only 2 connections; raise --connections"),
    (["--mode", "chat"], "echo"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_invalid_combinations_of_options_are_rejected(arguments, words):
    assert_fails(wsx("bench", "ws://127.0.0.1:1", *arguments), 2, words)
