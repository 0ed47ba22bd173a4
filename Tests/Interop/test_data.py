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
from terminal import Screen

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


@pytest.mark.parametrize("options", [[], ["--in-flight", "4"], ["-r", "500"], ["-t", "3"]], ids=" ".join)
def test_echoes_are_compared_with_the_values_of_their_connection(users, options):
    recorder = Recorder()
    with ScriptedServer(recorder) as server:
        result, results = bench(
            server.url, "--data", users, "-c", "3", "-n", "60", *options,
            "-m", '{"user":{{json:user}},"n":{{seq}}}', "-m", "{{token}}")
    assert (result.status, faults(results), results["messages"]["received"]) == (0, {}, 60)
    tokens = {"Ada": "t1", 'Bo "B"': "t&2", "C\ny": "t3"}
    # The connections share the messages, so a slow one may send few.
    for messages in (connection["messages"] for connection in recorder.connections if connection["messages"]):
        first = json.loads(messages[0])
        assert first["user"] in tokens and first["n"] == 1
        assert messages[1:2] in ([], [tokens[first["user"]]])


def test_an_echo_with_the_values_of_another_connection_is_mismatched(users):
    def script(peer):
        peer.upgrade()
        messages = []
        while (frame := peer.read_frame()).opcode != wire.CLOSE:
            messages.append(frame.payload)
            peer.send(wire.text(b"t1"))
        peer.send(wire.frame(wire.CLOSE, frame.payload))
        return messages

    with ScriptedServer(script) as server:
        result, results = bench(server.url, "--data", users, "-c", "3", "-n", "30", "-m", "{{token}}")
    assert result.status == 7
    right = sum(messages.count(b"t1") for messages in server.results)
    assert (results["messages"]["received"], results["messages"]["mismatched"]) == (right, 30 - right)


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


@pytest.mark.parametrize("arguments", [["bench", "-c", "1"], ["connect", "--template"]], ids=" ".join)
def test_a_control_character_in_the_first_row_is_reported_with_its_line(tmp_path, arguments):
    path = tmp_path / "users.csv"
    path.write_text('user\n"a\nb"\n')
    result = wsx(*arguments, "-H", "A: {{user}}", "--data", path, "ws://127.0.0.1:1/")
    assert_fails(result, 2, 'users.csv, line 2: --header: the value of "A" contains a control character')


@pytest.mark.parametrize("arguments, message", [
    (["-c", "4"], "users.csv: the file has only 3 rows for 4 connections; add rows, or open fewer connections"),
    (["-c", "1", "-m", "{{usr}}"], "--message: unknown placeholder '{{usr}}'; did you mean '{{user}}'?"),
    (["-c", "1", "-m", "{{last:/x}}"], "--message: {{last:…}} needs a received message"),
    (["-c", "1", "-H", "A: {{tokn}}"], "--header: unknown placeholder '{{tokn}}'; did you mean '{{token}}'?"),
    (["-c", "3", "-H", "A: {{user}}"], "users.csv, line 4: --header: the value of"),
    (["-c", "1", "--bearer", "{{env:NONE}}"], "--bearer: the environment variable 'NONE' is not set"),
    (["-c", "1", "--mode", "request", "--expect", "^hello {{user}}"],
     "--expect '^hello {{user}}': a regular expression has no placeholders"),
    (["-c", "1", "--ready", "{{user}}"], "--ready '{{user}}': a regular expression has no placeholders"),
    (["-c", "1", "--answer", "{{user}} => {{token}}"], "a regular expression has no placeholders"),
    (["-c", "1", "-b", "a={{seq}}"], "--cookie: {{seq}} numbers the messages of a connection"),
], ids=lambda value: value if isinstance(value, str) else " ".join(value))
def test_invalid_templates_and_missing_rows_fail_before_connecting(users, arguments, message):
    with ScriptedServer(Recorder()) as server:
        result = wsx("bench", server.url, "--data", users, *arguments)
    assert_fails(result, 2, message)
    assert server.connection_count == 0


@pytest.mark.parametrize("contents, message", [
    ("", "line 1, column 1: no columns"),
    ("a,b\n1\n", "line 2, column 2: the row has 1 value for 2 columns"),
    ("a,a\n1,2\n", 'line 1, column 3: two columns are named'),
    ("a\n", "the file has no rows"),
    ('{"a":1}\n{"b":2}\n', "line 2, column 1: the object has no"),
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

def test_without_template_everything_is_sent_unchanged():
    recorder = Recorder()
    with ScriptedServer(recorder) as server:
        result = wsx("connect", server.url + "{{x}}", "-H", "A: {{x}}", "-1", "{{seq}}")
    assert (result.status, result.out) == (0, b"{{seq}}\n")
    assert recorder.connections[0]["target"] == "/%7B%7Bx%7D%7D"
    assert recorder.connections[0]["fields"]["A"] == "{{x}}"


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


@pytest.mark.parametrize("options", [[], ["--request"], ["--reconnect"]], ids=" ".join)
def test_a_line_with_an_unknown_placeholder_ends_the_run(options):
    recorder = Recorder()
    with ScriptedServer(recorder) as server:
        result = wsx("connect", "--template", *options, server.url, stdin=b"{{seq}}\n{{sek}}\nlast\n")
    assert_fails(result, 2, "input message 2: unknown placeholder '{{sek}}'; did you mean '{{seq}}'?")
    assert "last" not in recorder.connections[0]["messages"]


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


def test_a_typed_line_with_an_unknown_placeholder_is_not_sent():
    recorder = Recorder()
    with ScriptedServer(recorder) as server, Screen() as screen:
        screen.type(f'"$WSX" connect --template {server.url}')
        screen.press("Enter")
        screen.wait_for("Connected")
        screen.type("{{sek}}")
        screen.press("Enter")
        screen.wait_for("the line was not sent: unknown placeholder '{{sek}}'; did you mean '{{seq}}'?")
        screen.type("n={{seq}}")
        screen.press("Enter")
        screen.wait_for("n=1")
    assert recorder.connections[0]["messages"] == ["n=1"]


def test_heartbeat_messages_are_templates():
    received = []

    def script(peer):
        peer.upgrade()
        peer.send(wire.text(b'{"s":41}'))
        while len(received) < 2:
            received.append(peer.read_frame().payload)
            peer.send(wire.text(b'{"s":%d}' % (41 + len(received))))
        peer.send(wire.close(1000))
        peer.read_until_close()

    with ScriptedServer(script) as server:
        result = wsx(
            "connect", "--template", server.url, "--no-stdin", "--heartbeat", "200ms", "--heartbeat-misses", "1000",
            "--heartbeat-message", '{"n":{{seq}},"d":{{last:/s}}}')
    assert result.status == 0
    assert received == [b'{"n":1,"d":41}', b'{"n":2,"d":42}']
