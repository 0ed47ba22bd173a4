"""Load tests of services that require a login and send pings: `--first-message`, `--ready`, and `--answer`."""

import json
import signal
import threading

import pytest

import wire
from processes import BINARY, Running, assert_fails, wait_until, wsx
from scripted_server import ScriptedServer
from test_bench import bench, check, errors, faults


class Service:
    """A server that greets, requires a login, and then echoes. It sends a ping before every third echo."""

    def __init__(self, refused=(), silent=()):
        self.refused, self.silent = refused, silent
        self.logins, self.pings, self.pongs, self._lock = [], 0, 0, threading.Lock()

    def __call__(self, peer):
        peer.upgrade(then=wire.text(b"hello"))
        login = json.loads(peer.read_frame().payload)
        with self._lock:
            self.logins.append(login)
        if login["user"] in self.refused:
            peer.send(wire.close(4003, b"unknown user"))
            return peer.read_until_close()
        if login["user"] in self.silent:
            return peer.read_until_close()
        peer.send(wire.text(b"welcome"))
        count = 0
        while (frame := peer.read_frame()).opcode != wire.CLOSE:
            if frame.payload.startswith(b"pong "):
                with self._lock:
                    self.pongs += 1
                continue
            count += 1
            if count % 3 == 0:
                with self._lock:
                    self.pings += 1
                peer.send(wire.text(b"ping %d" % count))
            peer.send(wire.frame(frame.opcode, frame.payload))
        peer.send(wire.frame(wire.CLOSE, frame.payload))


LOGIN = ["--first-message", '{"user":{{connection}}}', "--ready", "^welcome$", "--answer", r"^ping (\d+)$ => pong $1"]


@pytest.mark.parametrize("pace", [[], ["--in-flight", "8"], ["-r", "300"]], ids=" ".join)
def test_echoes_are_measured_after_the_login_and_pings_are_answered(pace):
    service = Service()
    with ScriptedServer(service) as server:
        result, results = bench(server.url, *LOGIN, "-c", "4", "-n", "120", *pace)
    assert (result.status, result.err) == (0, "")
    assert (faults(results), errors(results)) == ({}, {})
    assert results["messages"]["received"] == 120
    assert sorted(login["user"] for login in service.logins) == [1, 2, 3, 4]
    assert service.pongs == service.pings >= 30
    assert 0 < results["login_us"]["min"] <= results["login_us"]["max"]


@pytest.mark.parametrize("options", [
    ["idle", "-d", "200ms"], ["receive", "-d", "200ms"], ["send", "-n", "30"],
    # The service echoes, so the subscribers wait in vain.
    ["broadcast", "-n", "3", "--reply-timeout", "100ms"]], ids=lambda options: options[0])
def test_other_modes_log_in(options):
    service = Service()
    with ScriptedServer(service) as server:
        _, results = bench(server.url, "--mode", *options, *LOGIN, "-c", "3", check_sum=False)
    assert errors(results) == {}
    assert len(service.logins) == 3
    assert results["login_us"]["max"] > 0


@pytest.mark.parametrize("options", [["--mode", "receive"], ["--mode", "idle"], ["--scenario", "s.jsonl"]], ids=" ".join)
def test_heartbeat_messages_are_sent_and_not_counted(options, tmp_path):
    """The server counts the heartbeats. The run ends after three of them on each connection."""
    (tmp_path / "s.jsonl").write_text(
        '{"type":"message","direction":"in","match":"^done$","timeout":"60s","name":"done"}\n')
    beats, lock = [], threading.Lock()

    def serve(peer):
        peer.upgrade()
        for _ in range(3):
            # The mode idle sends pings, too.
            while (frame := peer.read_frame()).opcode != wire.TEXT:
                peer.send(wire.frame(wire.PONG, frame.payload))
            beat = json.loads(frame.payload)
            with lock:
                beats.append((beat["connection"], beat["beat"]))
        peer.send(wire.text(b"done"))
        peer.answer_close()

    path = [str(tmp_path / word) if word == "s.jsonl" else word for word in options]
    limit = ["-n", "2"] if "--scenario" in options else ["-d", "1h"]
    beat = ["--heartbeat-message", '{"beat":{{seq}},"connection":{{connection}}}', "--heartbeat", "100ms"]
    with ScriptedServer(serve) as server:
        with Running([BINARY, "bench", "--output", "json", server.url, *path, "-c", "2", *limit, *beat]) as client:
            wait_until(lambda: len(beats) == 6, what="the heartbeats")
            if "--scenario" not in options:
                client.signal(signal.SIGINT)
            assert client.wait() == (0 if "--scenario" in options else 130), client.err
    results = check(client.out, check_sum=False)
    assert sorted(beats) == [(connection, beat) for connection in (1, 2) for beat in (1, 2, 3)]
    if "idle" not in options:
        assert results["messages"]["sent"] == (2 if "--scenario" in options else 0)


def test_the_table_shows_the_duration_of_the_login():
    with ScriptedServer(Service()) as server:
        result = wsx("bench", *LOGIN, "-c", "2", "-n", "6", server.url)
    assert result.status == 0
    assert "\nlogin       " in result.out.decode()


@pytest.mark.parametrize("words, message", [
    (["--mode", "connect", "--first-message", "x"], "--mode connect: it closes connections at once"),
    (["--first-message", "{{last:/x}}"], "{{last:…}} needs a received message"),
    (["--answer", "x"], "expected 'REGEX => TEXT'"),
])
def test_invalid_logins_are_rejected_before_connecting(words, message):
    assert_fails(wsx("bench", *words, "ws://127.0.0.1:1/"), 2, message)
