"""`wsx bench --scenario`: recordings and hand-written files as load tests, with results for each step."""

import json
import re
import subprocess
import threading

import pytest

import wire
from processes import BINARY, Listener, assert_fails, environment, wsx
from report_page import ReportPage
from scripted_server import ScriptedServer
from test_bench import bench, errors
from test_bench_live import scraped


class Service:
    """A server with a login, which answers requests and injects faults into some of them, by their number."""

    def __init__(self, faults=(), period=10, refused=()):
        self.faults, self.period, self.refused = dict(faults), period, refused
        self.logins, self.count, self.injected, self._lock = [], 0, {}, threading.Lock()

    def _next_fault(self):
        with self._lock:
            self.count += 1
            fault = self.faults.get(self.count % self.period)
            self.injected[fault] = self.injected.get(fault, 0) + 1
            return fault

    def __call__(self, peer):
        if not peer.read_request():
            return None
        peer.upgrade()
        frame = peer.read_frame()
        # At the end of a run, a connection may not have begun.
        if frame is None or frame.opcode == wire.CLOSE:
            return peer.send(wire.frame(wire.CLOSE, frame.payload)) if frame else None
        user = json.loads(frame.payload)["user"]
        with self._lock:
            self.logins.append(user)
        if user in self.refused:
            peer.send(wire.text(b'{"type":"refused"}'))
            return peer.answer_close()
        peer.send(wire.text(json.dumps({"type": "ready", "session": f"s{user}"}).encode()))
        while (frame := peer.read_frame()).opcode != wire.CLOSE:
            request = json.loads(frame.payload)
            assert request["sid"] == f"s{user}"
            reply = {"id": request["id"], "ok": True}
            fault = self._next_fault()
            if fault == "lost":
                continue
            if fault == "close":
                peer.send(wire.close(4000, b""))
                return peer.read_until_close()
            if fault == "push":
                peer.send(wire.text(b'{"push":true}'))
            if fault == "wrong":
                reply["ok"] = False
            peer.send(wire.text(json.dumps(reply).encode()))
        peer.send(wire.frame(wire.CLOSE, frame.payload))


LOGIN = [
    {"type": "message", "direction": "out", "data": '{"user":{{connection}}}'},
    {"type": "message", "direction": "in", "match": {"/type": "ready"}, "set": {"sid": "/session"}, "name": "login"},
    {"type": "repeat"},
]
QUERY = [
    {"type": "message", "direction": "out", "data": '{"sid":{{json:sid}},"id":{{seq}}}'},
    {"type": "message", "direction": "in", "match": {"/id": "{{seq}}"}, "expect": {"/ok": True}, "name": "query",
     "timeout": "300ms"},
]


def written(path, steps):
    path.write_text("".join(json.dumps(step) + "\n" for step in steps))
    return path


@pytest.fixture
def scenario(tmp_path):
    return written(tmp_path / "s.jsonl", LOGIN + QUERY)


def counts(results, name):
    """The counts of a step, without zeros."""
    step, = [step for step in results["steps"] if step["name"] == name]
    assert step["sent"] == step["received"] + step["mismatched"] + step["lost"]
    fields = ["sent", "received", "mismatched", "lost", "timeout"]
    return {field: step[field] for field in fields if step[field]}


@pytest.mark.parametrize("options", [[], ["-r", "300"], ["-t", "2"], ["--ramp", "200ms"]], ids=" ".join)
def test_iterations_follow_the_login(scenario, options):
    service = Service()
    with ScriptedServer(service) as server:
        result, results = bench("--scenario", scenario, "-c", "4", "-n", "120", *options, server.url)
    assert (result.status, result.err) == (0, "")
    assert (results["mode"], errors(results)) == ("scenario", {})
    assert results["messages"]["sent"] == results["messages"]["received"] == service.count == 120
    assert counts(results, "login") == {"sent": 4, "received": 4}
    assert counts(results, "query") == {"sent": 120, "received": 120}
    assert sorted(service.logins) == [1, 2, 3, 4]
    assert 0 < results["login_us"]["min"] <= results["login_us"]["max"]
    step = results["steps"][1]
    assert 0 < step["latency_us"]["min"] <= results["latency_us"]["max"]


@pytest.mark.parametrize("options", [[], ["-t", "2"], ["-r", "400"]], ids=" ".join)
def test_faults_are_counted_under_their_step(scenario, options):
    service = Service({3: "wrong", 5: "lost", 7: "close", 8: "push"})
    with ScriptedServer(service) as server:
        result, results = bench("--scenario", scenario, "-c", "4", "-n", "200", *options, server.url, timeout=60)
    injected = service.injected
    assert injected == {None: 120, "wrong": 20, "lost": 20, "close": 20, "push": 20}
    assert counts(results, "query") == {"sent": 200, "received": 140, "mismatched": 20, "lost": 40, "timeout": 20}
    messages = results["messages"]
    assert [messages[name] for name in ["sent", "received", "mismatched", "lost", "pushes"]] == [200, 140, 20, 40, 20]
    assert errors(results) == {"closed": 20, "timeout": 20}
    # Each failure ends its connection, and a new one logs in as the same user.
    login = counts(results, "login")
    assert login["received"] >= 4 + 60 - 4 and set(service.logins) == {1, 2, 3, 4}
    reported = [line for line in result.err.splitlines() if "the scenario failed" in line]
    assert len(reported) == 1
    assert reported[0].startswith("wsx: the scenario failed in line 5 (query): ")
    assert result.status == 1


def test_wrong_replies_alone_lead_to_status_7(scenario):
    with ScriptedServer(Service({3: "wrong"})) as server:
        result, results = bench("--scenario", scenario, "-c", "2", "-n", "20", server.url)
    assert results["messages"]["mismatched"] == 2
    assert result.err.splitlines() == [
        "wsx: the scenario failed in line 5 (query): the message is wrong: /ok: expected true, received false",
        "wsx: the iterations: 2 mismatched; each step must receive its message in time"]
    assert result.status == 7


def test_a_refused_login_is_an_error_and_the_others_continue(tmp_path):
    steps = [dict(step) for step in LOGIN + QUERY]
    steps[1]["strict"] = True
    path = written(tmp_path / "s.jsonl", steps)
    service = Service(refused=[2])
    with ScriptedServer(service) as server:
        result, results = bench("--scenario", path, "-c", "3", "-n", "30", server.url)
    assert errors(results) == {"login": 1}
    assert counts(results, "login") == {"sent": 3, "received": 2, "mismatched": 1}
    assert results["messages"]["received"] == 30
    assert 'failed in line 2 (login): another message arrived: /type: expected "ready", received "refused"' in result.err
    assert "continuing with 2 of 3 connections" in result.err
    assert result.status == 7


def test_a_recorded_session_is_a_load_test(tmp_path):
    path = tmp_path / "session.jsonl"
    with Listener("--answer", r'^\{"id":(\d+)\}$ => {"id":$1,"time":{{time}}}') as server:
        recorded = wsx("connect", "--record", path, "--request", server.url, '{"id":1}', '{"id":2}')
        assert recorded.status == 0
        result, results = bench("--scenario", path, "--ignore", "/time", "-c", "2", "-n", "10", server.url)
    assert (result.status, result.err) == (0, "")
    assert results["messages"]["received"] == 10


def test_answers_come_before_the_steps(scenario):
    def serve(peer):
        peer.upgrade(then=wire.text(b"ping 1"))
        replies = []
        while (frame := peer.read_frame()).opcode != wire.CLOSE:
            replies.append(frame.payload)
        peer.send(wire.frame(wire.CLOSE, frame.payload))
        return replies

    with ScriptedServer(serve) as server:
        result, _ = bench(
            "--scenario", scenario, "--answer", r"^ping (\d+)$ => pong $1", "-c", "1", "-n", "1",
            "--reply-timeout", "500ms", server.url)
    assert b"pong 1" in server.results[0]
    assert "line 2 (login): nothing arrived within 500 ms" in result.err


# Thresholds, merging, and live results


def test_thresholds_of_steps(scenario):
    with ScriptedServer(Service({3: "wrong"})) as server:
        result, results = bench(
            "--scenario", scenario, "-c", "2", "-n", "20", "--threshold", "query.p99<1h", "--threshold", "login.lost=0",
            "--threshold", "query.mismatched<5%", server.url)
    assert [threshold["met"] for threshold in results["thresholds"]] == [True, True, False]
    assert "--threshold 'query.mismatched<5%' is not met: 10.000 %" in result.err


def test_a_step_with_the_name_of_a_time_takes_its_place(wsx_echo, tmp_path):
    scenario = tmp_path / "login.jsonl"
    scenario.write_text(
        '{"direction":"out","type":"message","data":"a","name":"x"}\n'
        '{"direction":"in","type":"message","data":"a","name":"login"}\n')
    result, results = bench(
        "--scenario", scenario, "-c", "1", "-n", "3", "--threshold", "login.received=3", "--threshold", "login.p99<1h",
        "--abort", "login.p99<1h", "--threshold", "upgrade.p99<1h", "--threshold", "bytes.received=3", wsx_echo.url)
    assert [threshold["met"] for threshold in results["thresholds"]] == [True] * 4
    assert result.err.count("login.p99 is about the step 'login' of the scenario") == 2 and "upgrade" not in result.err


@pytest.mark.parametrize("option", ["--threshold", "--abort"])
def test_unknown_steps_are_rejected(scenario, option):
    url = "ws://127.0.0.1:1/"
    result = wsx("bench", "--scenario", scenario, option, "qeury.p99<1s", url)
    assert_fails(result, 2, option, "no step has the name 'qeury'; did you mean 'query'?")
    result = wsx("bench", "--scenario", scenario, option, "other.lost=0", url)
    assert_fails(result, 2, "the steps are 'login', 'query'")
    assert_fails(wsx("bench", option, "query.lost=0", url), 2, "unknown metric 'query.lost'")


def test_an_abort_condition_on_a_step_ends_the_run(scenario):
    with ScriptedServer(Service()) as server:
        result, _ = bench(
            "--scenario", scenario, "-c", "2", "-r", "100", "-d", "1h", "--abort", "query.p50>1h", server.url,
            timeout=60)
    assert_fails(result, 7, "--abort 'query.p50>1h' does not hold: ")


def test_a_baseline_is_another_run_of_the_scenario(scenario, tmp_path):
    path = tmp_path / "results.json"
    with ScriptedServer(Service()) as server:
        path.write_bytes(wsx("bench", "--scenario", scenario, "-n", "20", "--output", "json", server.url).out)
        result, results = bench("--scenario", scenario, "-n", "20", "--baseline", path, server.url)
    assert (result.status, results["baseline"]["runs"]) == (0, 1)
    rows = results["baseline"]["steps"]
    assert [(row["step"], row["metric"]) for row in rows] == [
        ("login", "p50_us"), ("login", "p99_us"), ("query", "p50_us"), ("query", "p99_us")]
    assert rows[2]["now"] == results["steps"][1]["latency_us"]["p50"]


def test_metrics_have_a_label_for_the_step(scenario):
    with ScriptedServer(Service()) as server, subprocess.Popen(
            [BINARY, "bench", "--scenario", scenario, "--metrics", "0", "--output", "jsonl", "-c", "2", "-r", "100", "-d",
             "60s", server.url], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        url = re.fullmatch(rb"Metrics at (http://127\.0\.0\.1:\d+/metrics)\n", process.stderr.readline())[1].decode()
        process.stdout.readline()
        second = json.loads(process.stdout.readline())
        samples = scraped(url)
        process.terminate()
        process.communicate(timeout=60)
    assert samples["wsx_steps_total", "query", "received"] >= second["steps"][1]["received"] > 0
    assert samples["wsx_step_latency_seconds_bucket", "query", "+Inf"] > 0


def test_the_report_lists_the_steps(browser, scenario, tmp_path):
    path = tmp_path / "report.html"
    with ScriptedServer(Service({3: "wrong"})) as server:
        wsx("bench", "--scenario", scenario, "-c", "2", "-n", "20", "--report", path, server.url)
    content, = re.findall(r'<script type="application/json" id="data">(.*?)</script>', path.read_text(), re.DOTALL)
    steps = json.loads(content)["results"]["steps"]
    assert [step["name"] for step in steps] == ["login", "query"]
    with ReportPage(browser, path, 400) as page:
        rows = page.table("#steps")
        assert page.problems == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert [row[:5] for row in rows] == [
        ["login", [f"{steps[0]['received']}", steps[0]["received"]], ["0", 0], ["0", 0], ["0", 0]],
        ["query", ["18", 18], ["2", 2], ["0", 0], ["0", 0]]]


# Endings


def test_a_server_that_is_away_for_a_while_gets_its_connections_back(scenario):
    service, attempts = Service({5: "close"}, period=1000), []

    def serve(peer):
        attempts.append(peer)
        if len(attempts) in (2, 3):
            peer.read_request()
            return peer.send(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        return service(peer)

    with ScriptedServer(serve) as server:
        result, results = bench("--scenario", scenario, "-c", "1", "-n", "20", server.url, timeout=60)
    assert errors(results) == {"closed": 1, "handshake": 2}
    assert (results["messages"]["received"], results["messages"]["lost"]) == (19, 1)
    assert service.logins == [1, 1]
    assert result.status == 1


def test_a_rejected_reconnection_is_one_line_without_the_response(tmp_path):
    path, attempts = tmp_path / "s.jsonl", []
    path.write_text('{"type":"close","direction":"out","code":1000}\n')

    def serve(peer):
        attempts.append(peer)
        if len(attempts) > 1:
            peer.read_request()
            return peer.send(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbusy")
        peer.upgrade()
        return peer.answer_close()

    with ScriptedServer(serve) as server:
        result = wsx("bench", "--scenario", path, "-c", "1", "-n", "3", "--reply-timeout", "200ms", server.url)
    assert result.status == 4
    assert len(result.error_lines) == 1 and "503" in result.err and "busy" not in result.err


@pytest.mark.parametrize("words, message", [
    (["--mode", "scenario"], "--mode scenario: no file is given; add --scenario FILE"),
    (["--scenario", "FILE", "--in-flight", "2"], "--in-flight"),
    (["--scenario", "FILE", "--ready", "x"], "--first-message and --ready need another mode"),
])
def test_invalid_options_are_rejected(scenario, words, message):
    words = [scenario if word == "FILE" else word for word in words]
    assert_fails(wsx("bench", *words, "ws://127.0.0.1:1/"), 2, message)


def test_a_scenario_that_closes_before_it_repeats_is_rejected(tmp_path):
    steps = LOGIN[:2] + [{"type": "close", "direction": "out", "code": 1000}]
    path = written(tmp_path / "s.jsonl", steps + [{"type": "repeat"}, QUERY[0]])
    result = wsx("bench", "--scenario", path, "ws://127.0.0.1:1/")
    assert result.status == 2 and result.err.count("\n") == 1


def test_values_of_the_environment_reach_all_threads(tmp_path):
    path = written(tmp_path / "s.jsonl", [
        {"type": "message", "direction": "out", "data": "{{env:WORD}} {{seq}}"},
        {"type": "message", "direction": "in", "match": r"^\w+ \d+$", "name": "echo"},
    ])
    received = []

    def serve(peer):
        peer.upgrade()
        while (frame := peer.read_frame()).opcode != wire.CLOSE:
            received.append(frame.payload)
            peer.send(wire.text(frame.payload))
        peer.send(wire.frame(wire.CLOSE, frame.payload))

    with ScriptedServer(serve) as server:
        result = wsx(
            "bench", "--scenario", path, "-c", "2", "-t", "2", "-n", "10", server.url, env=environment(WORD="hello"))
    assert result.status == 0
    assert {payload.split()[0] for payload in received} == {b"hello"}


def test_met_thresholds_do_not_hide_iterations_that_were_not_started(tmp_path):
    path = tmp_path / "echo.jsonl"
    path.write_text(
        '{"type":"message","direction":"out","data":"a"}\n{"type":"message","direction":"in","data":"a","name":"echo"}\n')
    with Listener("--echo", "--delay", "250ms") as server:
        arguments = ["--scenario", path, "-c", "1", "-r", "40", "-d", "1s", server.url]
        result, results = bench(*arguments, "--threshold", "max<1h", "--threshold", "echo.p99<300ms")
        other, _ = bench(*arguments, "--threshold", "unsent<1000")
    assert results["messages"]["unsent"] > 0
    assert [threshold["met"] for threshold in results["thresholds"]] == [True, False]
    assert results["service_us"]["p50"] < results["latency_us"]["p50"]
    assert result.status == 7
    assert "wsx: warning: --threshold leaves out " in result.err
    busy, unsent = (next(text for text in results["warnings"] if word in text) for word in ("were busy", "leave out"))
    assert "would suffice for 40 per second: raise --connections." in busy
    assert (other.status, other.err) == (0, "")
