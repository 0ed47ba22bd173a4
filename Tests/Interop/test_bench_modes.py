"""The modes of `wsx bench`, each against correct and faulty servers."""

import json
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


@pytest.mark.parametrize("arguments, words", [
    (["--mode", "broadcast", "-c", "1"], "no reader is left"),
    (["--mode", "broadcast", "--size", "47"], "48 bytes or more"),
    (["--publishers", "2"], "requires '--mode=broadcast'"),
    (["--mode", "idle", "-n", "5"], "cannot be used with"),
    (["--mode", "connect", "--ramp", "1s"], "add --rate"),
    (["-t", "3", "-c", "2"], "there are only 2 connections; raise --connections"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_invalid_combinations_of_options_are_rejected(arguments, words):
    assert_fails(wsx("bench", "ws://127.0.0.1:1", *arguments), 2, words)
