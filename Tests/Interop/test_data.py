"""Data files and templates: `--data`, the URL and the request of `wsx bench`, and `wsx connect --template`."""

import base64
import json
import os
import re
import threading

import pytest

import wire
from processes import BINARY, Running, assert_fails, environment, wsx
from scripted_server import ScriptedServer
from test_bench import bench, faults

USERS = 'user,token\nAda,t1\n"Bo ""B""",t&2\n"C\ny",t3\n'


class Recorder:
    """An echo server that records the request and the messages of each connection."""

    def __init__(self):
        self.connections, self._lock = [], threading.Lock()

    def __call__(self, peer):
        head = peer.read_request()
        lines = head.decode().split("\r\n")
        fields = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
        connection = {"target": lines[0].split(" ")[1], "fields": fields, "messages": []}
        with self._lock:
            self.connections.append(connection)
        peer.upgrade()
        while (frame := peer.read_frame()) and frame.opcode != wire.CLOSE:
            if frame.opcode == wire.PING:
                peer.send(wire.frame(wire.PONG, frame.payload))
                continue
            connection["messages"].append(frame.payload.decode())
            peer.send(wire.frame(frame.opcode, frame.payload))
        if frame:
            peer.send(wire.frame(wire.CLOSE, frame.payload))

    def values(self, name):
        return sorted(connection["fields"][name] for connection in self.connections)


@pytest.fixture
def users(tmp_path):
    path = tmp_path / "users.csv"
    path.write_text(USERS)
    return path


def test_each_connection_has_its_own_url_and_request(users):
    recorder = Recorder()
    with ScriptedServer(recorder) as server:
        result, results = bench(
            server.url + "{{user}}/x?t={{token}}&c={{connection}}", "--data", users, "-c", "3", "-t", "2", "-n", "30",
            "-H", "X-Token: {{token}}.{{connection}}", "-b", "sid={{token}}", "-s", "v{{connection}}",
            "-a", "{{token}}:{{env:PASSWORD}}", env=environment(PASSWORD="p:w"))
    assert (result.status, faults(results)) == (0, {})
    assert sorted(connection["target"] for connection in recorder.connections) == [
        "/Ada/x?t=t1&c=1", "/Bo%20%22B%22/x?t=t%262&c=2", "/C%0Ay/x?t=t3&c=3"]
    assert recorder.values("X-Token") == ["t&2.2", "t1.1", "t3.3"]
    assert recorder.values("Cookie") == ["sid=t&2", "sid=t1", "sid=t3"]
    assert recorder.values("Sec-WebSocket-Protocol") == ["v1", "v2", "v3"]
    logins = sorted(base64.b64decode(value.removeprefix("Basic ")).decode() for value in recorder.values("Authorization"))
    assert logins == ["t&2:p:w", "t1:p:w", "t3:p:w"]


def test_results_and_errors_show_placeholders_instead_of_values(users, tmp_path):
    report = tmp_path / "report.html"
    with ScriptedServer(Recorder()) as server:
        url = server.url + "?t={{token}}&e={{env:SECRET}}"
        arguments = [url, "--data", users, "-c", "3", "-n", "30", "--report", report, "--bearer", "{{token}}x"]
        result, results = bench(*arguments[:-1], "abc{{connection}}", env=environment(SECRET="geheim"))
        text = wsx("bench", *arguments[:-1], "abc{{connection}}", env=environment(SECRET="geheim"))
    assert (result.status, results["url"]) == (0, url)
    assert url in text.lines
    failed = wsx("bench", "ws://127.0.0.1:1/?t={{token}}", "--data", users, "-c", "1", "-n", "1")
    assert_fails(failed, 3, "ws://127.0.0.1:1/?t={{token}}: ")
    for output in (result.out.decode(), result.err, text.out.decode(), report.read_text(), failed.err):
        assert "t%262" not in output and "geheim" not in output and "abc1" not in output


def test_logins_and_answers_use_the_columns(users):
    def script(peer):
        peer.upgrade()
        user = peer.read_frame().payload
        peer.send(wire.text(b"who"))
        assert peer.read_frame().payload == b"I am " + user
        peer.send(wire.text(b"welcome"))
        while (frame := peer.read_frame()).opcode != wire.CLOSE:
            peer.send(wire.frame(frame.opcode, frame.payload))
        peer.send(wire.frame(wire.CLOSE, frame.payload))
        return user

    with ScriptedServer(script) as server:
        result, results = bench(
            server.url, "--data", users, "-c", "3", "-n", "30", "--first-message", "{{user}}",
            "--answer", "^who$ => I am {{user}}", "--ready", "welcome")
    assert (result.status, faults(results)) == (0, {})
    assert sorted(server.results) == [b"Ada", b'Bo "B"', b"C\ny"]


@pytest.mark.parametrize("arguments, message", [
    (["-c", "4"], "users.csv: the file has only 3 rows for 4 connections; add rows, or open fewer connections"),
    (["-c", "1", "-H", "A: {{tokn}}"], "--header: unknown placeholder '{{tokn}}'; did you mean '{{token}}'?"),
    (["-c", "3", "-H", "A: {{user}}"], "users.csv, line 4: --header: the value of"),
    (["-c", "1", "--mode", "request", "--expect", "^hello {{user}}"],
     "--expect '^hello {{user}}': a regular expression has no placeholders"),
    (["-c", "1", "--ready", "{{user}}"], "--ready '{{user}}': a regular expression has no placeholders"),
    (["-c", "1", "-b", "a={{seq}}"], "--cookie: {{seq}} numbers the messages of a connection"),
], ids=lambda value: value if isinstance(value, str) else " ".join(value))
def test_invalid_templates_and_missing_rows_fail_before_connecting(users, arguments, message):
    with ScriptedServer(Recorder()) as server:
        result = wsx("bench", server.url, "--data", users, *arguments)
    assert_fails(result, 2, message)
    assert server.connection_count == 0


@pytest.mark.parametrize("contents, message", [
    ("a,b\n1\n", "line 2, column 2: the row has 1 value for 2 columns"),
    ("a\n", "the file has no rows"),
], ids=repr)
def test_an_invalid_data_file_fails_before_connecting(tmp_path, contents, message):
    path = tmp_path / "d"
    path.write_text(contents)
    for command in (["bench", "-c", "2"], ["connect", "--row", "2"]):
        with ScriptedServer(Recorder()) as server:
            result = wsx(*command, server.url, "--data", path)
        assert_fails(result, 2, message)
        assert server.connection_count == 0


@pytest.mark.parametrize("threads", ["1", "2"])
def test_connections_that_are_opened_in_the_load_end_it_when_rows_run_out(users, threads):
    recorder = Recorder()
    with ScriptedServer(recorder) as server:
        result = wsx(
            "bench", server.url + "?{{token}}", "--mode", "connect", "--data", users, "-c", "2", "-t", threads, "-d", "30s")
    assert_fails(result, 2, "users.csv: the test has used all 3 rows, and each connection needs its own")
    assert sorted(connection["target"] for connection in recorder.connections) == ["/?t%262", "/?t1", "/?t3"]


def test_a_million_rows_take_little_memory(tmp_path):
    path = tmp_path / "rows.csv"
    with open(path, "w") as file:
        file.write("user,token\n")
        file.writelines(f"user{number},{number * 7919:012d}\n" for number in range(1, 1_000_001))
    with ScriptedServer(Recorder()) as server:
        arguments = [BINARY, "connect", server.url, "--data", path, "--row", "1000000", "--first-message", "{{user}}"]
        with Running(arguments, stdin=-1) as program:
            program.wait_for("user1000000", stream="out", timeout=120)
            with open(f"/proc/{program.pid}/status") as status:
                peak = int(re.search(r"VmHWM:\s+(\d+) kB", status.read()).group(1)) << 10
    assert peak < 100 << 20 < os.path.getsize(path) * 5


@pytest.mark.parametrize("value, connect, bench", [
    ('{"op":1}', "put the message after the URL, or use --file FILE", "use --message TEXT or --file FILE"),
    ("[1]", "put the message after the URL, or use --file FILE", "use --message TEXT or --file FILE"),
    ("@users.csv", "use --file FILE", "use --file FILE"),
])
def test_the_data_of_curl_is_explained(value, connect, bench):
    assert_fails(wsx("connect", "echo:", "--data", value), 2, connect)
    assert_fails(wsx("bench", "echo:", "--data", value), 2, bench)


def test_a_scenario_uses_the_chosen_row(users, tmp_path):
    steps = [
        {"type": "message", "direction": "out", "data": '{"user":{{json:user}}}'},
        {"type": "message", "direction": "in", "match": {"/user": "{{user}}"}, "name": "login"},
    ]
    path = tmp_path / "steps.jsonl"
    path.write_text("".join(json.dumps(step) + "\n" for step in steps))
    recorder = Recorder()
    with ScriptedServer(recorder) as server:
        result = wsx("connect", server.url, "--scenario", path, "--data", users, "--row", "2")
    assert result.status == 0
    assert recorder.connections[0]["messages"] == ['{"user":"Bo \\"B\\""}']


# MARK: connect --template


def test_messages_url_and_request_are_templates_with_template(users):
    recorder = Recorder()
    with ScriptedServer(recorder) as server:
        result = wsx(
            "connect", "--template", server.url + "?{{token}}", "-H", "A: {{user}}", "--data", users, "-n", "3",
            "-i", "{{seq}} {{user}}", stdin=b'{"n":{{seq}},"e":{{json:env:E}}}\n{{seq}}{{{{\n', env=environment(E='"'))
    assert result.status == 0, result
    assert result.lines == ["1 Ada", '{"n":2,"e":"\\""}', "3{{"]
    assert recorder.connections[0]["target"] == "/?t1"
    assert recorder.connections[0]["fields"]["A"] == "Ada"


@pytest.mark.parametrize("arguments, message", [
    (["a", "{{sek}}"], "message 2: unknown placeholder '{{sek}}'; did you mean '{{seq}}'?"),
    (["{{last:/x}}"], "message 1: {{last:…}} needs a received message, but none has arrived yet"),
    (["-H", "A: {{last:/x}}"], "--header: {{last:…}} needs a received message, but the request is sent before"),
    (["--heartbeat", "1s", "--heartbeat-message", "{{tme}}"], "--heartbeat-message: unknown placeholder '{{tme}}'"),
    (["-H", "A: {{seq}}"], "--header: {{seq}} numbers the messages"),
], ids=" ".join)
def test_an_invalid_template_of_the_command_line_fails_before_connecting(arguments, message):
    with ScriptedServer(Recorder()) as server:
        result = wsx("connect", "--template", server.url, *arguments)
    assert_fails(result, 2, message)
    assert server.connection_count == 0
