"""--drop: messages that are treated as if they had not arrived, except in a recording."""

import json

import jsonschema
import pytest

import wire
from processes import BINARY, ROOT, Listener, Relay, Running, assert_fails, wsx
from scripted_server import ScriptedServer
from test_hide import MESSAGES, feed
from test_listen_answers import exchanged
from test_relay import connect

SCHEMA = json.loads((ROOT / "docs/schemas/events.json").read_text())


def messages(text):
    events = [json.loads(line) for line in text.splitlines()]
    for event in events:
        jsonschema.validate(event, SCHEMA)
    return [(event["direction"], event["data"], event.get("dropped", False)) for event in events if event["type"] == "message"]


@pytest.mark.parametrize("options, lines", [
    (["--drop", "beat", "-n", "2"], MESSAGES[1:4:2]), (["--drop", "json:.n", "-n", "2"], MESSAGES[0:3:2]),
    (["--drop", "beat", "--hide", "1", "-n", "2"], MESSAGES[3:]), (["--drop", "beat", "-1"], MESSAGES[1:2])], ids=str)
def test_dropped_messages_are_not_written_and_meet_no_goal(options, lines):
    with feed(*MESSAGES) as server:
        result = wsx("connect", "--no-stdin", *options, server.url)
    assert (result.status, result.lines, result.err) == (0, lines, "")


def test_dropped_messages_are_recorded_and_neither_answered_nor_inserted(tmp_path):
    path = tmp_path / "session.jsonl"
    with feed('{"seq":5}', "end") as server:
        result = wsx(
            "--drop", "seq", "--answer", "^.* => got $0", "--json", "--record", path, "-n", "1", "--no-stdin", server.url)
        assert result.status == 0 and b"seq" not in result.out
    assert server.results == [["got end"]]
    assert messages(path.read_text()) == [("in", '{"seq":5}', True), ("in", "end", False), ("out", "got end", False)]


def test_a_dropped_message_is_not_given_to_a_protocol():
    def script(peer):
        peer.upgrade(then=wire.text('0{"sid":"a","upgrades":[],"pingInterval":25000,"pingTimeout":20000}'))
        assert peer.read_next().payload == b"40"
        peer.send(wire.text('40{"sid":"b"}') + wire.text('42["a",1]') + wire.text('42["b",2]'))
        peer.answer_close()

    with ScriptedServer(script) as server:
        result = wsx("--protocol", "socket.io", "--drop", r'^42\["a"', "-n", "1", "--no-stdin", server.url)
    assert result.status == 0 and result.lines == ["b 2"], result


@pytest.mark.parametrize("mode, replies", [(["--echo"], ["b", "c"]), (["--answer", "^ => got $0"], ["got ", "got "])], ids=str)
def test_a_server_does_not_serve_dropped_messages(mode, replies, tmp_path):
    path = tmp_path / "session.jsonl"
    with Listener(*mode, "--no-stdin", "--drop", "path:/x ^a", "--record", path) as server:
        assert exchanged(server.url + "x", "a", "b", "a", "c", replies=2) == replies
        assert b"a" not in server.out
    assert [message for message in messages(path.read_text()) if message[1] == "a"] == [("in", "a", True)] * 2


def test_a_plain_echo_drops_messages():
    with Listener("--echo", "--drop", "^a") as server:
        assert exchanged(server.url, "a", "b", replies=1) == ["b"]


def test_a_program_does_not_get_dropped_messages():
    with Listener("--exec", "--drop", "^a", program=["cat"]) as server:
        assert exchanged(server.url, "a", "b", replies=1) == ["b"]


def test_a_relay_does_not_forward_dropped_messages_of_the_side(tmp_path):
    path = tmp_path / "session.jsonl"
    received = []

    def server(peer):
        peer.upgrade(then=wire.text("tick") + wire.text("hello"))
        while (frame := peer.read_next()).opcode != wire.CLOSE:
            received.append(frame.payload.decode())
        peer.send(wire.frame(wire.CLOSE, frame.payload))

    rules = ["--drop", "from:server ^tick", "--drop", "from:client ^noise", "--rewrite", "from:client ^loud => noise"]
    with ScriptedServer(server) as peer, Relay(peer.url, *rules, "--json", "--record", path) as relay:
        client = connect(relay)
        assert client.read_message().payload == b"hello"
        for text in ("loud", "tick", "noise", "end"):
            client.send(wire.text(text, is_masked=True))
        client.send(wire.close(1000, is_masked=True))
        client.read_until_close()
        relay.stop()
        shown = messages(relay.out)
    assert received == ["tick", "end"]
    assert sorted(shown) == [("in", "end", False), ("in", "tick", False), ("out", "hello", False)]
    assert sorted(messages(path.read_text())) == [
        ("in", "end", False), ("in", "loud", True), ("in", "noise", True), ("in", "tick", False),
        ("out", "hello", False), ("out", "tick", True)]


def test_dropped_messages_are_shown_with_verbose():
    with feed(*MESSAGES) as server:
        result = wsx("--no-stdin", "-v", "--drop", "beat", "-n", "3", server.url)
    assert result.status == 0 and result.err.count('{"op":"beat"}') == 2


def test_mistakes_are_one_line():
    for command in (["connect", "echo:"], ["listen", "0"], ["relay", "0", "echo:"]):
        assert_fails(wsx(*command, "--drop", "("), 2, "--drop")
