"""Load tests and scenarios of application protocols (`--protocol`) and codecs (`--decode`, `--encode`)."""

import json

import pytest
from protocol_servers import PhoenixServer, SignalRServer
from test_bench import bench, errors, faults
from test_bench_shapes import histogram_count

from processes import assert_fails, wsx


@pytest.fixture
def socketio(socketio):
    """The shared server, with its counts at 0."""
    counts(socketio)
    return socketio


@pytest.fixture
def phoenix():
    with PhoenixServer() as server:
        yield server


def counts(server):
    """The numbers of all `chat` events, and of different ones."""
    result = wsx("connect", *server.options, "--request", server.url, "count")
    assert result.status == 0
    return json.loads(result.lines[-1])


def lines(*steps):
    return "".join(json.dumps(step) + "\n" for step in steps)


def out(data):
    return {"type": "message", "direction": "out", "data": data}


def incoming(match, **members):
    return {"type": "message", "direction": "in", "match": match, **members}


# Requests


@pytest.mark.parametrize(
    "pace", [[], ["--in-flight", "8", "--threads", "2"], ["-r", "500"]], ids=["closed", "overlapping", "open"])
def test_each_request_has_its_acknowledgement(socketio, pace):
    result, results = bench(
        *socketio.options, socketio.url, "--mode", "request", "-c", "4", "-n", "400",
        "-m", 'chat {"seq":{{seq}},"connection":{{connection}}}', "--expect", r'^\{"seq":\d+,"connection":[1-4]\}$', *pace)
    assert (result.status, result.err) == (0, "")
    assert (faults(results), errors(results)) == ({}, {})
    assert (results["messages"]["received"], results["messages"]["pushes"]) == (400, 0)
    assert 0 < results["login_us"]["min"] <= results["login_us"]["max"]
    assert counts(socketio) == [400, 400]


def test_the_servers_words_explain_error_replies():
    with SignalRServer() as server:
        result, results = bench(
            *server.options, server.url, "--mode", "request", "-m", "Fail {{seq}}", "-c", "2", "-n", "4", "--threads", "2")
    assert faults(results) == {"mismatched": 4}
    assert_fails(result, 7, "the replies: 4 mismatched; ", "; the first mismatched reply: ", "Fail failed")


def test_each_connection_logs_in_with_its_own_row(socketio, tmp_path):
    users = tmp_path / "users.csv"
    users.write_text("token,message\n" + "".join(f"t,from {number}\n" for number in range(3)) + "not-t,none\n")
    parameters = ["--protocol", "socket.io", "--param", 'auth={"token":{{json:token}}}', "--data", users]
    result, results = bench(
        *parameters, socketio.url, "--mode", "request", "-m", "chat {{json:message}}", "-c", "3", "-n", "30")
    assert (result.status, results["messages"]["received"]) == (0, 30)
    result, results = bench(
        *parameters, socketio.url, "--mode", "request", "-m", "chat {{json:message}}", "-c", "4", "-n", "40")
    assert result.err.count("wrong token") == 1
    # Rows are checked before the load.
    users.write_text('token\nt\n"a b"\n')
    result = wsx("bench", "--protocol", "socket.io", "--param", 'auth={"token":"{{token}}', "--data", users, socketio.url,
                 "--mode", "request", "-m", "chat 1", "-c", "2", "-n", "2")
    assert (result.status, result.err.count("\n")) == (2, 1)
    assert result.err.startswith("wsx: ") and "the parameter auth is not JSON" in result.err


def test_a_refused_login_is_reported_once_in_the_servers_words(socketio):
    result, results = bench(
        *socketio.wrong_options, socketio.url, "--mode", "request", "-m", "chat 1", "-c", "3", "-n", "30")
    assert result.status == 4
    assert result.err.count("wrong token") == 1 and result.err.startswith("wsx: socket.io: ")
    assert errors(results) == {"login": 3}
    assert results["messages"]["sent"] == 0


@pytest.mark.parametrize("arguments, words", [
    (["--protocol", "socket.io"], "'--protocol' requires '--mode=request'"),
    (["--protocol", "socket.io", "--mode", "echo"], "--protocol"),
    (["--protocol", "auto", "--mode", "idle"], "--protocol auto: a load test "),
    (["--protocol", "phoenix", "--mode", "request", "-m", "room:a hello"], "\"room:a\" is not joined"),
    (["--protocol", "socket.io", "--mode", "request", "-m", "/admin"], "socket.io has no reply to it"),
    (["--protocol", "socket.io", "--mode", "request", "-m", "disconnect"], "--message 'disconnect': "),
    (["--encode", "cbor", "--mode", "request", "-m", "hello"], "--encode: message 1: cbor: "),
    (["--encode", "cbor", "--mode", "request", "-m", "hello", "--correlate", "id"], "--encode: message 1: cbor: "),
    (["--encode", "cbor", "--mode", "request", "-m", "1", "--ready", "x"], "'--encode' cannot be used with '--ready'"),
    (["--decode", "exec:cat", "--mode", "request", "-m", "hello"], "--decode"),
    (["--protocol", "mqtt", "--mode", "request", "-m", "sub a", "--binary"], "cannot be used with '--binary'"),
    (["--protocol", "mqtt", "--mode", "request", "-f", "/bin/sh"], "it is not UTF-8 text; convert the file to UTF-8"),
])
def test_invalid_loads_fail_before_connecting(arguments, words):
    result = wsx("bench", *arguments, "ws://127.0.0.1:1/")
    assert_fails(result, 2, words)


# Other modes


# Connections that are opened again


SHAPES = {
    "lifetime": lambda ms: ["-c", "2", "-d", f"{5 * ms}ms", "--lifetime", f"{ms}ms"],
    "stages": lambda ms: ["--stages", f"2@0s,2@{ms}ms,0@0s,0@{ms}ms,3@0s,3@{ms}ms"],
}


def reopening(shape, *arguments):
    """Runs bench with connections that are opened again, for longer if a busy machine did not get to the requests.

    Returns the results of each run. Only the last one has to be complete.
    """
    runs = []
    for milliseconds in (250, 2500, 12_000):
        result, results = bench(*arguments, "--mode", "request", *SHAPES[shape](milliseconds))
        runs.append(results)
        if result.status == 0 and histogram_count(results["login_us"]) > 2:
            break
    assert (result.status, result.err) == (0, "")
    assert (faults(results), errors(results)) == ({}, {})
    assert histogram_count(results["login_us"]) > 2
    return runs


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("pace", ["--think=5ms", "--in-flight=4", "--threads=2"])
def test_a_login_and_its_requests_are_repeated_on_each_connection(socketio, shape, pace):
    runs = reopening(
        shape, *socketio.options, socketio.url, pace, "-m", 'chat {"seq":{{seq}}}', "--expect", r'^\{"seq":\d+\}$')
    # Each request has arrived once.
    sent, received = (sum(results["messages"][name] for results in runs) for name in ("sent", "received"))
    assert counts(socketio)[0] == received == sent > 0


@pytest.mark.parametrize("shape", SHAPES)
def test_each_connection_is_negotiated_again(shape):
    # The server accepts each id of a negotiation once.
    with SignalRServer() as server:
        results = reopening(
            shape, *server.options, server.url, "--think", "5ms", "-m", "Echo {{seq}}", "--expect", r"^\[\d+\]$")[-1]
    assert results["messages"]["received"] == results["messages"]["sent"] > 0


# Scenarios

CHAT = lines(
    out('chat ["hello",{{connection}}]'), incoming({"/1": "{{connection}}"}, name="login"), {"type": "repeat"},
    out("flood 3"), incoming("^n 2$", name="third"),
    out('chat {"seq":{{seq}},"connection":{{connection}}}'),
    incoming({"/seq": "{{seq}}"}, set={"last": "/seq"}, name="ack"),
    out('chat {"last":{{last}},"connection":{{connection}}}'), incoming({"/last": "{{last}}"}))


def test_bench_plays_scenarios_of_a_protocol(socketio, tmp_path):
    file = tmp_path / "chat.jsonl"
    file.write_text(CHAT)
    result, results = bench(*socketio.options, socketio.url, "--scenario", file, "-c", "3", "-n", "30")
    # Two events of each flood are skipped, and the acknowledgement of it.
    assert (result.status, result.err, faults(results), errors(results)) == (0, "", {"pushes": 90}, {})
    assert [(step["name"], step["received"]) for step in results["steps"][:3]] == [("login", 3), ("third", 30), ("ack", 30)]
    assert counts(socketio) == [63, 63]


def test_connect_reports_what_a_scenario_cannot_send(socketio, tmp_path):
    file = tmp_path / "bad.jsonl"
    file.write_text(lines(out("disconnect")))
    for command in (["connect"], ["bench", "-c", "1"]):
        result = wsx(*command, *socketio.options, "--scenario", file, "http://127.0.0.1:1")
        assert_fails(result, 2, "bad.jsonl, line 1: the event name 'disconnect' is reserved")
    file.write_text(lines(out("disconnect {{seq}}")))
    result = wsx("connect", *socketio.options, "--scenario", file, socketio.url)
    assert_fails(result, 7, "the scenario failed in line 1: the message cannot be sent: ")


def test_connect_reports_a_login_that_precedes_a_scenario(socketio, tmp_path):
    file = tmp_path / "chat.jsonl"
    file.write_text(CHAT)
    result = wsx("connect", *socketio.wrong_options, "--scenario", file, socketio.url)
    assert result.status == 4
    assert "wrong token" in result.err


# Codecs


def test_a_message_of_graphql_may_name_a_file(graphql, tmp_path):
    path = tmp_path / "add.graphql"
    path.write_text("query Q($a: Int!) {\n  add(a: $a, b: 2)\n}\n")
    options = [*graphql.options, graphql.url, "--mode", "request", "-n", "5", "--expect", '"add":3']
    result, results = bench(*options, "-m", f'@{path} {{"a":1}}')
    assert (result.status, result.err, results["messages"]["received"]) == (0, "", 5)
    assert_fails(wsx("bench", *options, "-m", "@/nonexistent"), 2, "--message: reading /nonexistent")
