"""`wsx connect --exec` runs a program as the client's logic, and `--exec-json` exchanges events with programs."""

import json
import os
import signal
import socket

import pytest

import wire
from processes import BINARY, PYTHON, Listener, Running, assert_fails, wait_until, wsx
from scripted_server import ScriptedServer
from test_listen_exec import is_alive


def connect(url, *options, program):
    return wsx("connect", "--exec", *options, url, "--", *program)


def python(script):
    """A Python program with line-buffered output."""
    return [PYTHON, "-u", "-c", "import json, os, sys, time\n" + script]


@pytest.mark.parametrize("script, status, error, close", [
    ("exit 0", 0, "", (1000, b"")),
    ("exit 3", 1, "wsx: sh exited with status 3\n", (1011, b"exited with status 3")),
])
def test_the_exit_of_the_program_ends_the_connection(script, status, error, close):
    def serve(peer):
        peer.upgrade()
        frame = peer.read_frame()
        peer.send(wire.frame(wire.CLOSE, frame.payload))
        return int.from_bytes(frame.payload[:2], "big"), frame.payload[2:]

    with ScriptedServer(serve) as server:
        result = connect(server.url, program=["sh", "-c", script])
    assert (result.status, result.err) == (status, error)
    assert server.results == [close]


def test_lines_that_wait_for_a_subscription_do_not_hide_the_failure_of_the_program():
    def serve(peer):
        peer.upgrade(then=wire.text('{"type":"welcome"}'))
        peer.answer_close()

    with ScriptedServer(serve) as server:
        result = connect(server.url, "--protocol", "actioncable",
                         program=["sh", "-c", "echo subscribe Chat; echo Chat speak; exit 3"])
    assert result.status == 1
    assert result.err.endswith("wsx: sh exited with status 3\n"), result.err
    assert "1 line was not sent" in result.err


def test_a_program_that_fails_after_the_connection_fails_the_run():
    def serve(peer):
        peer.upgrade(then=wire.close(1000))
        peer.read_until_close()

    with ScriptedServer(serve) as server:
        assert_fails(connect(server.url, program=["sh", "-c", "read x; exit 4"]), 1, "sh exited with status 4")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_no_process_survives_a_signal(tmp_path, number):
    path = tmp_path / "pid"
    script = f"sleep 100 & echo $! $$ > {path}.new; mv {path}.new {path}; wait"
    with Listener("--echo") as server:
        words = [BINARY, "connect", "--exec", "--exec-grace", "200ms", server.url, "--", "sh", "-c", script]
        with Running(words) as run:
            wait_until(path.exists)
            run.signal(number)
            assert run.wait() == 128 + number
    assert not any(is_alive(int(word)) for word in path.read_text().split())


def test_other_features_work_with_a_program(tmp_path):
    path = tmp_path / "session.jsonl"
    with Listener("--answer", "^login$ => welcome", "--answer", "^ask$ => 42") as server:
        result = connect(
            server.url, "--first-message", "login", "--ready", "welcome", "--record", path, "--heartbeat", "50ms",
            "--heartbeat-misses", "1000", program=["sh", "-c", "echo ask; read x; echo $x >&2"])
    assert (result.status, result.err) == (0, "sh | 42\n")
    data = [event.get("data") for event in map(json.loads, path.read_text().splitlines()) if event["type"] == "message"]
    assert data == ["login", "welcome", "ask", "42"]


def test_the_program_has_a_clean_environment_and_knows_the_connection():
    with Listener("--echo", "-s", "chat") as server:
        result = wsx(
            "connect", "--exec", "-s", "chat", server.url, "--", "sh", "-c", "env >&2",
            env={**os.environ, "SECRET_TOKEN": "x"})
    variables = dict(line.removeprefix("sh | ").split("=", 1) for line in result.error_lines)
    assert variables["WSX_URL"] == server.url
    assert variables["WSX_SUBPROTOCOL"] == "chat"
    assert "SECRET_TOKEN" not in variables


def test_lines_that_are_not_utf8_are_skipped_and_reported_once():
    with Listener("--echo") as server:
        result = connect(server.url, program=["sh", "-c", r"printf '\377\n\377\nok\n'; read x; echo $x >&2"])
    assert result.status == 0
    assert result.error_lines[-1] == "sh | ok"
    assert len(result.error_lines) == 2 and "wsx: line 1 of sh's output was not sent" in result.err
    assert "--exec-json" in result.err and "--binary" not in result.err


def test_a_line_of_the_program_that_is_too_long_ends_the_run():
    for script in ["print('x' * 1001); sys.stdin.read()", "print('x' * 5_000_000, end='', flush=True); sys.stdin.read()"]:
        with Listener("--echo", "-vv") as server:
            result = connect(server.url, "--max-message-size", "1000", program=python("print('y' * 1000)\n" + script))
            assert_fails(
                result, 1, "a line of python3's output has more than 1000 bytes; raise --max-message-size to send it")
            server.wait_for("y" * 100)
            server.wait_for('disconnected: 1011 "a line is too long"')


EVENTS = """
def show(event): print(event["type"], event.get("opcode"), event.get("data", event.get("base64")), event.get("code"),
                       file=sys.stderr)
def send(**event): print(json.dumps(event))
def receive():
    event = json.loads(sys.stdin.readline())
    show(event)
    return event
"""


def test_a_client_exchanges_events_with_its_program():
    script = EVENTS + """
assert receive()["type"] == "open"
send(type="message", base64="AAEK/w==")
receive()
send(type="message", data="a\\nb")
receive()
send(type="ping", data="p")
receive()
print("not an event")
send(type="close", code=4001, reason="bye")
receive()
"""
    with Listener("--echo") as server:
        result = connect(server.url, "--exec-json", program=python(script))
        assert result.status == 0, result
        server.wait_for('disconnected: 4001 "bye"')
    shown = [line.removeprefix("python3 | ") for line in result.error_lines]
    assert shown[1:5] == ["message binary AAEK/w== None", "message text a", "b None", "pong None p None"]
    assert "line 4 of python3's output was not sent" in result.err
    assert shown[-1] == "close None None 4001"


def test_a_server_exchanges_events_with_its_programs():
    script = EVENTS + """
opening = receive()
assert opening["type"] == "open" and opening["url"].endswith("/feed?x=1"), opening
send(type="message", base64="AAEK/w==")
receive()
send(type="message", data="a\\nb")
receive()
send(type="ping", data="p")
receive()
receive()
print("not an event")
send(type="close", code=4001, reason="bye")
end = receive()
print("clean", end["clean"], end["reason"], sys.stdin.read(), file=sys.stderr)
"""

    with Listener("--exec-json", program=python(script)) as server:
        stream = wire.Stream(socket.create_connection(("127.0.0.1", server.port), 30))
        stream.send(wire.upgrade_request(server.port, "/feed?x=1"))
        assert b" 101 " in stream.read_head()
        first = stream.read_frame()
        assert (first.opcode, first.payload) == (wire.BINARY, b"\x00\x01\n\xff")
        stream.send(wire.frame(wire.BINARY, first.payload, is_masked=True))
        second = stream.read_frame()
        assert (second.opcode, second.payload) == (wire.TEXT, b"a\nb")
        stream.send(wire.text(second.payload, is_masked=True))
        ping = stream.read_frame()
        assert (ping.opcode, ping.payload) == (wire.PING, b"p")
        stream.send(wire.frame(wire.PONG, b"p", is_masked=True) + wire.frame(wire.PING, b"q", is_masked=True))
        assert stream.read_frame().opcode == wire.PONG
        close = stream.read_frame()
        assert (close.opcode, close.payload) == (wire.CLOSE, (4001).to_bytes(2, "big") + b"bye")
        stream.send(wire.frame(wire.CLOSE, close.payload, is_masked=True))
        server.wait_for("Client 1: python3 exited with status 0|disconnected: 4001")
        for text in ["message binary AAEK/w== None", "message text a", "pong None p None", "ping None q None", "close None None 4001", "clean True bye"]:
            server.wait_for(rf"Client 1 \| {text}")
        server.wait_for("client 1: line 4 of python3's output was not sent, and further ones like it are dropped")


def test_a_program_reads_the_end_of_a_lost_connection_as_an_event():
    script = EVENTS + """
while True:
    event = receive()
    if event["type"] == "close": break
print("clean", event["clean"], file=sys.stderr)
"""
    with Listener("--exec-json", program=python(script)) as server:
        stream = wire.Stream(socket.create_connection(("127.0.0.1", server.port), 30))
        stream.send(wire.upgrade_request(server.port))
        stream.read_head()
        stream.sock.close()
        server.wait_for(r"Client 1 \| close None None 1006")
        server.wait_for(r"Client 1 \| clean False")


@pytest.mark.parametrize("words, message", [
    (["--exec", "URL"], "needs a program"),
    (["URL", "--exec", "--reconnect", "--", "cat"], "--reconnect"),
    (["URL", "--exec", "--input", "json", "--", "cat"], "--input"),
    (["URL", "--exec", "--output", "hex", "--", "cat"], "--output"),
    (["URL", "--exec", "--scenario", "x", "--", "cat"], "--scenario"),
    (["URL", "--exec", "--linger", "1s", "--", "cat"], "--linger"),
    (["URL", "--exec", "--exec-json", "--binary", "--", "cat"], "--binary"),
    (["URL", "--exec-json"], "--exec"),
    (["URL", "--exec", "--", "/no/such/program"], "no such file"),
])
def test_invalid_options_are_rejected(words, message):
    words = ["ws://127.0.0.1:1/" if word == "URL" else word for word in words]
    assert_fails(wsx("connect", *words), 2, message)


def test_the_program_is_not_started_without_a_connection():
    result = connect("ws://127.0.0.1:1/", program=["sh", "-c", "echo started >&2"])
    assert result.status == 3
    assert "started" not in result.err
