"""Loads that change: pauses (`--think`), lifetimes of connections (`--lifetime`), and stages (`--stages`, `--rate`)."""

import json
import threading
import time

import pytest

import wire
from processes import assert_fails, wsx
from scripted_server import ScriptedServer
from services import free_ports
from test_bench import bench, errors, faults


class Echo:
    """An echo server that knows its connections: the messages and close codes of each, and how many are open at once.

    The connection with a number in `refused` is rejected. Clients log in if there is a `login`.
    """

    def __init__(self, refused=(), login=None):
        self.refused, self.login = refused, login
        self.times, self.codes, self.logins = [], [], []
        self.open_count, self.peak, self.count = 0, 0, 0
        self._lock = threading.Lock()

    def __call__(self, peer):
        with self._lock:
            number = self.count
            self.count += 1
        if number in self.refused:
            peer.read_request()
            return peer.send(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
        peer.upgrade()
        if self.login:
            first = peer.read_frame()
            if not first:
                # The run ended while the connection was opened.
                return
            with self._lock:
                self.logins.append(first.payload)
            peer.send(wire.text(self.login))
        with self._lock:
            self.open_count += 1
            self.peak = max(self.peak, self.open_count)
        times = []
        while (frame := peer.read_frame()) and frame.opcode != wire.CLOSE:
            times.append(time.monotonic())
            peer.send(wire.frame(wire.PONG if frame.opcode == wire.PING else frame.opcode, frame.payload))
        with self._lock:
            self.open_count -= 1
            self.times.append(times)
            if frame:
                self.codes.append(int.from_bytes(frame.payload[:2], "big"))
        if frame:
            peer.send(wire.frame(wire.CLOSE, frame.payload))

    @property
    def message_count(self):
        return sum(map(len, self.times))

    def check(self, results):
        """Checks that the server and the results agree on all messages and connections."""
        assert set(self.codes) == {1000}
        assert self.message_count == results["messages"]["sent"] == results["messages"]["received"]
        assert histogram_count(results["handshake_us"]) == len(self.codes)


def histogram_count(summary):
    """The number of values, from their sum and mean."""
    return round(summary["sum"] / summary["mean"])


def stage_counts(results, name="received"):
    return [stage[name] for stage in results["stages"]]


# Pauses


@pytest.mark.parametrize("mode", [[], ["--mode", "request", "-m", "{{seq}}"]], ids=["echo", "request"])
def test_each_message_follows_a_pause(mode):
    echo = Echo()
    with ScriptedServer(echo) as server:
        result, results = bench(server.url, *mode, "-c", "3", "-n", "12", "--think", "200ms-300ms")
    assert (result.status, result.err) == (0, "")
    echo.check(results)
    assert results["messages"]["received"] == 12
    # The machine may lengthen a pause, but not shorten it. The server notices messages at slightly different times.
    gaps = [after - before for times in echo.times for before, after in zip(times, times[1:])]
    assert len(gaps) == 9 and sum(gaps) / len(gaps) >= 0.19


# Lifetimes


# With a rate and a duration, a slow machine would leave messages unsent.
@pytest.mark.parametrize(
    "pace", [["-d", "1s"], ["-n", "200", "-r", "200"], ["-d", "1s", "--in-flight", "4"], ["-d", "1s", "--think", "10ms"]],
    ids=" ".join)
def test_connections_are_closed_and_opened_again(pace):
    echo = Echo()
    with ScriptedServer(echo) as server:
        result, results = bench(server.url, "-c", "4", "--lifetime", "100ms-200ms", *pace)
    assert (result.status, result.err) == (0, "")
    assert (faults(results), errors(results)) == ({}, {})
    echo.check(results)
    assert len(echo.codes) > 8 and echo.peak <= 8


def test_a_login_is_repeated_on_each_connection():
    echo = Echo(login=b"welcome")
    with ScriptedServer(echo) as server:
        result, results = bench(
            server.url, "-c", "2", "-d", "1s", "--lifetime", "150ms", "--think", "5ms", "--first-message",
            "I am {{connection}}", "--ready", "welcome")
    assert (result.status, result.err) == (0, "")
    echo.check(results)
    assert set(echo.logins) == {b"I am 1", b"I am 2"}
    assert len(echo.logins) == len(echo.codes) > 4
    assert histogram_count(results["login_us"]) == len(echo.logins)


def test_a_refused_reconnection_is_counted_and_repeated():
    echo = Echo(refused={2})
    with ScriptedServer(echo) as server:
        result, results = bench(server.url, "-c", "2", "-d", "2s", "--lifetime", "500ms", "--think", "5ms")
    assert result.status == 4 and "503" in result.err
    assert errors(results) == {"handshake": 1}
    assert faults(results) == {}
    echo.check(results)
    # Without another attempt, one connection would remain, which is opened again at most three times.
    assert echo.count == len(echo.codes) + 1


# Scenarios

SCENARIO = b"""{"type":"message","direction":"out","data":"login {{connection}}"}
{"type":"message","direction":"in","match":"login","name":"login"}
{"type":"repeat"}
{"type":"message","direction":"out","data":"query {{seq}}"}
{"type":"message","direction":"in","match":"query","name":"query"}
"""


@pytest.mark.parametrize("options", [
    ["-c", "4", "-d", "1s", "--think", "20ms-50ms"], ["-c", "4", "-d", "1s", "--lifetime", "100ms-200ms"],
    ["-c", "4", "-n", "50", "--lifetime", "100ms-200ms", "-r", "50"],
    ["--stages", "4@300ms,4@500ms,0@300ms", "--think", "10ms"],
], ids=" ".join)
def test_a_scenario_takes_part_in_all_shapes(tmp_path, options):
    path = tmp_path / "scenario.jsonl"
    path.write_bytes(SCENARIO)
    echo = Echo()
    with ScriptedServer(echo) as server:
        result, results = bench(server.url, "--scenario", path, *options)
    assert (result.status, result.err) == (0, "")
    assert (faults(results), errors(results)) == ({}, {})
    iterations = results["messages"]["received"]
    assert iterations == results["messages"]["sent"] > 0
    assert [(step["name"], step["received"]) for step in results["steps"]] == [
        ("login", len(echo.codes)), ("query", iterations)]
    assert echo.message_count == iterations + len(echo.codes)
    if "--lifetime" in options:
        assert len(echo.codes) > 8


# Stages of connections


@pytest.mark.parametrize("threads", ["1", "3"])
def test_connections_follow_the_stages(threads):
    echo = Echo()
    with ScriptedServer(echo) as server:
        result, results = bench(
            server.url, "--stages", "6@500ms,6@500ms,0@500ms,0@500ms,3@0s,3@1s", "-t", threads, "--think", "20ms")
    assert (result.status, result.err) == (0, "")
    assert (faults(results), errors(results)) == ({}, {})
    echo.check(results)
    # Each connection is opened once per rise. Connections that are still closing may overlap with new ones.
    assert len(echo.codes) == 9 and 6 <= echo.peak <= 9
    assert (results["connections"], results["duration_s"]) == (6, 3)
    assert [(stage["name"], stage["target_connections"], stage["duration_s"]) for stage in results["stages"]] == [
        ("stage1", 6, 0.5), ("stage2", 6, 0.5), ("stage3", 0, 0.5), ("stage4", 0, 0.5), ("stage5", 3, 0),
        ("stage6", 3, 1)]
    assert sum(stage_counts(results)) == results["messages"]["received"]
    assert stage_counts(results)[3:5] == [0, 0] and stage_counts(results)[1] and stage_counts(results)[5]


@pytest.mark.parametrize(
    "mode", [["--mode", "idle", "--heartbeat", "200ms"], ["--mode", "request", "-m", "{{seq}}"]],
    ids=["idle", "request"])
def test_other_modes_have_stages_too(mode):
    echo = Echo()
    with ScriptedServer(echo) as server:
        result, results = bench(server.url, "--stages", "4@500ms,4@1s,0@500ms", *mode)
    assert (result.status, result.err) == (0, "")
    # A busy machine may not get around to the last pings.
    assert set(faults(results)) <= {"unsent"} and not errors(results)
    echo.check(results)
    assert len(echo.codes) == 4


def test_connections_that_cannot_be_opened_are_counted_until_the_end():
    [port] = free_ports(1)
    result, results = bench(f"ws://127.0.0.1:{port}/", "--stages", "2@0s,2@500ms")
    assert result.status == 3 and "refused" in result.err
    assert errors(results) == {"connect": 2}
    assert results["messages"]["sent"] == 0


# Stages of the rate


@pytest.mark.parametrize("mode", ["connect", "send"])
def test_the_rate_has_stages_in_other_modes(wsx_echo, mode):
    result, results = bench(wsx_echo.url, "--mode", mode, "--rate", "20@0s,20@1s,0@1s", check_sum=False)
    assert result.status == 0
    assert stage_counts(results, "sent")[:2] == [0, 20]
    assert results["messages"]["sent"] + results["messages"]["unsent"] == 30


# Results


def test_stages_are_merged_and_shown(wsx_echo, tmp_path):
    out = wsx("bench", "--output", "jsonl", wsx_echo.url, "--rate", "20@0s,20@1s,40@1s").lines
    assert [json.loads(line).get("stage") for line in out] == [2, 3, None]
    (tmp_path / "one.json").write_text(out[-1] + "\n")
    (tmp_path / "two.json").write_text(out[-1].replace('"threads":1', '"threads":2') + "\n")
    merged = json.loads(wsx("bench", "merge", "--output", "json", tmp_path / "one.json", tmp_path / "two.json").out)
    assert [stage["target_rate"] for stage in merged["stages"]] == [40, 40, 80]
    assert stage_counts(merged, "sent") == [2 * count for count in stage_counts(json.loads(out[-1]), "sent")]
    table = wsx("bench", "merge", tmp_path / "one.json").out.decode()
    rows = [line.split() for line in table.splitlines() if line.startswith("stage")]
    assert rows[0][:5] == ["stages", "target", "rate", "rate", "failed"]
    assert [row[:2] for row in rows[1:]] == [["stage1", "20"], ["stage2", "20"], ["stage3", "40"]]


# Mistakes


@pytest.mark.parametrize("options, words", [
    (["--think", "1s", "-r", "5"], "-r"),
    (["--think", "1s", "--mode", "send"], "--mode=send"),
    (["--think", "3s-1s"], "--think"),
    (["--lifetime", "0s"], "--lifetime"),
    (["--stages", "5@1s", "-r", "5@1s"], "-r"),
    (["--stages", "5@1s", "-t", "6"], "raise a target of --stages"),
    (["--stages", "5"], "100@1m,500@5m,0@30s"),
    (["--stages", "0@1s"], "above 0"),
    (["--rate", "5@1s", "-d", "5s"], "--duration: it has no effect with the stages of --rate"),
    (["--stages", "5@1s,5@1s", "--threshold", "stage3.p99<1s"], "there is no 'stage3'; the stages are stage1 to stage2"),
    (["--threshold", "stage1.unsent<1s"], "unknown metric 'stage1.unsent'"),
    (["--abort", "p99<1s", "--mode", "send"], "--mode send measures no latencies"),
    (["--stages", "5@1s", "-c", "5"], "-c"),
    (["--stages", "5@1s", "-d", "5s"], "-d"),
    (["--stages", "5@0s"], "above 0"),
    (["--stages", "5@1s", "--abort", "stage1.p99<1s"], "only at the end"),
    (["--abort", "max<1s", "--mode", "receive"], "--mode receive measures no latencies"),
    (["--threshold", "stage1.p99<1s"], "there are no stages"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_a_mistake_is_reported_before_connecting(options, words):
    # Nothing listens there: an attempt to connect would lead to status 3.
    assert_fails(wsx("bench", "ws://127.0.0.1:1/", *options), 2, words)


def test_no_connection_becomes_ready():
    def script(peer):
        peer.upgrade()
        peer.answer_close()

    with ScriptedServer(script) as server:
        result = wsx("bench", server.url, "-c", "2", "--ready", "ok", "--connect-timeout", "500ms", "-d", "1h")
    assert_fails(result, 6, "--ready")
    assert "continuing" not in result.err
