"""`wsx connect --scenario` with the options of other connections: records, outputs, further connections, and HAR files."""

import json
import os
import xml.etree.ElementTree as ElementTree

import pytest

import wire
from processes import RECONNECT, RECONNECT_LATER, Listener, assert_fails, wsx
from scripted_server import ScriptedServer

HELLO = [
    {"type": "message", "direction": "out", "data": "hello {{connection}}"},
    {"type": "message", "direction": "in", "match": "^hello"},
]
FILES = os.path.join(os.path.dirname(__file__), "har")


def written(path, steps):
    path.write_text("".join(json.dumps(step) + "\n" for step in steps))
    return path


def starts(lines):
    return [line.rsplit("  ", 1)[0] for line in lines]


def echo(peer):
    """Answers the first message, and the close frame."""
    received = peer.read_frame()
    peer.send(wire.text(received.payload))
    peer.answer_close()
    return received.payload


def test_a_scenario_is_recorded(tmp_path):
    path, record = written(tmp_path / "s.jsonl", HELLO + [
        {"type": "ping", "direction": "out", "data": "p"}, {"type": "pong", "direction": "in"},
        {"type": "close", "direction": "out", "code": 4000}]), tmp_path / "r.jsonl"
    with Listener("--echo") as server:
        assert wsx("connect", "--scenario", path, "--record", record, server.url).status == 0
        events = [json.loads(line) for line in record.read_text().splitlines()]
        assert [(event["type"], event.get("direction"), event.get("data")) for event in events if event["type"] != "open"] == [
            ("recording", None, None), ("message", "out", "hello 1"), ("message", "in", "hello 1"), ("ping", "out", "p"),
            ("pong", "in", "p"), ("close", "out", None), ("close", "in", None)]
        # The recording is a scenario again.
        assert wsx("connect", "--scenario", record, server.url).status == 0


def test_a_recording_has_the_messages_as_they_are_sent(tmp_path):
    path, record = written(tmp_path / "s.jsonl", [
        {"type": "message", "direction": "out", "data": '{"a":1}'},
        {"type": "message", "direction": "in", "match": {"/a": 1}}]), tmp_path / "r.jsonl"
    with Listener("--echo") as server:
        result = wsx(
            "connect", "--scenario", path, "--encode", "msgpack", "--decode", "msgpack", "--record", record, server.url)
    assert (result.status, result.err) == (0, "")
    assert [json.loads(line).get("base64") for line in record.read_text().splitlines() if '"message"' in line] == ["gaFhAQ=="] * 2


@pytest.mark.parametrize("options, out", [
    (["--output", "text"], "hello 1\n"),
    (["--output", "hex"], "68656c6c6f2031\n"),
    (["--format", "{kind} {size}"], "text 7\n"),
])
def test_messages_go_to_standard_output_and_steps_to_standard_error(tmp_path, options, out):
    path = written(tmp_path / "s.jsonl", HELLO)
    with Listener("--echo") as server:
        result = wsx("connect", "--scenario", path, *options, server.url)
    assert (result.status, result.out.decode()) == (0, out)
    assert starts(result.error_lines) == ["ok    line 1: send", "ok    line 2: receive"]


def test_json_output_has_events_and_the_failed_step(tmp_path):
    path = written(tmp_path / "s.jsonl", [HELLO[0], HELLO[1] | {"match": "bye", "strict": True}])
    with Listener("--echo") as server:
        result = wsx("connect", "--scenario", path, "--output", "json", "--quiet", server.url)
    events = [json.loads(line) for line in result.lines]
    assert result.status == 7
    assert [event["type"] for event in events] == ["open", "message", "close", "error"]
    assert "line 2" in events[-1]["message"]
    assert result.error_lines[0].startswith("FAIL  line 2: receive")


def test_the_events_of_a_protocol_are_written(tmp_path):
    path = written(tmp_path / "s.jsonl", [
        {"type": "message", "direction": "out", "data": 'say {"x":1}'},
        {"type": "message", "direction": "in", "match": {"/x": 1}}])

    def serve(peer):
        peer.upgrade(then=wire.text(b'0{"sid":"a","upgrades":[],"pingInterval":25000,"pingTimeout":20000}'))
        assert peer.read_frame().payload == b"40"
        peer.send(wire.text(b'40{"sid":"b"}'))
        assert peer.read_frame().payload.endswith(b'["say",{"x":1}]')
        peer.send(wire.text(b'42["said",{"x":1}]'))
        peer.answer_close()

    with ScriptedServer(serve) as server:
        result = wsx("connect", "--protocol", "socket.io", "--scenario", path, "--output", "text", server.url)
    assert (result.status, result.lines) == (0, ['said {"x":1}'])


def test_a_slow_reader_of_the_messages_fails_no_step(tmp_path):
    path = written(tmp_path / "s.jsonl", [
        {"type": "message", "direction": "out", "data": "begin"},
        {"type": "message", "direction": "in", "match": "end", "timeout": "10s"}])

    def serve(peer):
        peer.upgrade()
        peer.read_frame()
        for _ in range(200):
            peer.send(wire.text(b"x" * 20000))
        peer.send(wire.text(b"end"))
        peer.answer_close()

    with ScriptedServer(serve) as server:
        result = wsx("connect", "--scenario", path, "--output", "text", server.url)
    assert (result.status, len(result.lines)) == (0, 201)


# More than one connection


def test_a_lost_connection_begins_with_the_first_step(tmp_path):
    path, junit, record = written(tmp_path / "s.jsonl", HELLO), tmp_path / "results.xml", tmp_path / "r.jsonl"

    def serve(peer):
        peer.upgrade()
        if server.connection_count == 1:
            peer.read_frame()
            return peer.reset()
        return echo(peer)

    with ScriptedServer(serve) as server:
        result = wsx("connect", "--scenario", path, "--reconnect", "--junit", junit, "--record", record, server.url)
    assert result.status == 0, result
    assert starts(result.lines) == ["ok    line 1: send", "ok    line 1: send", "ok    line 2: receive"]
    assert "reconnecting in" in result.err
    assert server.results[1] == b"hello 2"
    suite = ElementTree.parse(junit).getroot().find("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("2", "0", "0")
    assert record.read_text().count('"type":"open"') == 2


def test_a_server_that_is_lost_again_and_again_fails_the_run(tmp_path):
    path, junit = written(tmp_path / "s.jsonl", HELLO), tmp_path / "results.xml"
    with ScriptedServer(lambda peer: (peer.upgrade(), peer.read_frame(), peer.reset())) as server:
        result = wsx("connect", "--scenario", path, "--reconnect=2", "--junit", junit, server.url)
    assert result.status == 7, result
    assert "the scenario failed in line 2: the connection ended without a close frame" in result.error_lines[-1]
    assert result.lines[-1].startswith("FAIL  line 2")
    assert ElementTree.parse(junit).getroot().find("testsuite").get("failures") == "1"


def test_a_time_limit_between_connections_names_itself(tmp_path):
    path = written(tmp_path / "s.jsonl", HELLO)
    with ScriptedServer(lambda peer: (peer.upgrade(), peer.read_frame(), peer.reset())) as server:
        result = wsx("connect", "--scenario", path, *RECONNECT_LATER, "--timeout", "1s", server.url)
    assert result.status == 6, result
    assert "timed out after 1s" in result.error_lines[-1].replace("1 s", "1s")


@pytest.mark.parametrize("code", [1001, 1011, 1012])
def test_no_connection_follows_the_last_step(tmp_path, code):
    """The close frame arrives with the last message."""
    path = written(tmp_path / "s.jsonl", HELLO)

    def serve(peer):
        peer.upgrade()
        peer.send(wire.text(peer.read_frame().payload) + wire.close(code, b""))
        peer.read_until_close()

    with ScriptedServer(serve) as server:
        reconnecting = wsx("connect", "--scenario", path, *RECONNECT, server.url, timeout=30)
        without = wsx("connect", "--scenario", path, server.url)
    assert server.connection_count == 2
    assert (reconnecting.status, reconnecting.error_lines) == (without.status, without.error_lines)


@pytest.mark.parametrize("refuses, status, words", [
    (True, 7, "1 line was not sent: the server refused or ended the subscription"),
    (False, 6, "1 line was not sent: the server did not confirm the subscription")])
def test_a_line_that_was_not_sent_fails_the_run(tmp_path, refuses, status, words):
    path = written(tmp_path / "s.jsonl", [
        {"type": "message", "direction": "out", "data": "/admin b 2"}, {"type": "message", "direction": "out", "data": "c 3"},
        {"type": "message", "direction": "in", "match": "done"}])

    def serve(peer):
        peer.upgrade(then=wire.text(b'0{"sid":"a","upgrades":[],"pingInterval":25000,"pingTimeout":20000}'))
        assert peer.read_frame().payload == b"40"
        peer.send(wire.text(b'40{"sid":"b"}'))
        received = {peer.read_frame().payload for _ in range(2)}
        assert received == {b"40/admin,", b'421["c",3]'}
        if refuses:
            peer.send(wire.text(b'44/admin,{"message":"no"}'))
        peer.send(wire.text(b'42["done"]'))
        peer.answer_close()

    with ScriptedServer(serve) as server:
        result = wsx("connect", "--protocol", "socket.io", "--scenario", path, server.url)
    assert result.status == status and words in result.err, result


@pytest.mark.parametrize("end, steps", [
    (wire.close(1012, b""), [{"type": "close", "direction": "in", "code": 1012}]),
    (None, [{"type": "close", "direction": "in"}]),
    (b"", [{"type": "close", "direction": "out", "code": 1006}]),
])
def test_the_end_of_a_close_step_is_no_loss(tmp_path, end, steps):
    def serve(peer):
        peer.upgrade()
        peer.read_frame()
        if end is None:
            return peer.reset()
        peer.send(end)
        peer.read_until_close() if end else peer.read_to_end()

    path = written(tmp_path / "s.jsonl", HELLO[:1] + steps)
    with ScriptedServer(serve) as server:
        result = wsx("connect", "--scenario", path, "--reconnect", server.url)
    assert (result.status, result.err, len(result.lines)) == (0, "", 2)
    assert server.connection_count == 1


def test_the_steps_ask_for_a_subscription_on_each_connection(tmp_path):
    """The session does not renew the one of the lost connection, too."""
    path = written(tmp_path / "s.jsonl", [
        {"type": "message", "direction": "out", "data": "join room:1 {}"},
        {"type": "message", "direction": "in", "match": "news"}])

    def serve(peer):
        peer.upgrade()
        received = json.loads(peer.read_next().payload)
        assert received[2:4] == ["room:1", "phx_join"]
        peer.send(wire.text(json.dumps([received[0], received[1], "room:1", "phx_reply", {"status": "ok", "response": {}}]).encode()))
        if server.connection_count == 1:
            return peer.reset()
        peer.send(wire.text(json.dumps([received[0], None, "room:1", "news", {}]).encode()))
        return peer.answer_close()

    with ScriptedServer(serve) as server:
        result = wsx("connect", "--protocol", "phoenix", "--scenario", path, "--reconnect", server.url)
    assert result.status == 0, result


def test_no_step_fails_while_there_is_no_connection(tmp_path):
    path = written(tmp_path / "s.jsonl", [{"type": "message", "direction": "in", "match": "welcome", "timeout": "1s"}])

    def serve(peer):
        peer.upgrade(then=wire.text(b'0{"sid":"a","upgrades":[],"pingInterval":100,"pingTimeout":100}'))
        assert peer.read_frame().payload == b"40"
        peer.send(wire.text(b'40{"sid":"b"}'))
        if server.connection_count == 1:
            # Without pings, the session gives up.
            return peer.read_to_end()
        peer.send(wire.text(b'42["welcome"]'))
        return peer.answer_close()

    with ScriptedServer(serve) as server:
        result = wsx(
            "connect", "--protocol", "socket.io", "--scenario", path, "--reconnect", "--reconnect-delay", "1500ms", server.url)
    assert (result.status, server.connection_count) == (0, 2), result
    assert "socket.io" in result.error_lines[0]


# HAR files


def test_a_har_file_is_a_scenario(tmp_path):
    path = tmp_path / "s.jsonl"
    with Listener("--echo") as server:
        recorded = wsx("connect", "--record", tmp_path / "s.har", "--request", server.url, '{"id":1}', '{"id":2}')
        assert recorded.status == 0, recorded
        result = wsx("connect", "--scenario", tmp_path / "s.har", server.url)
        assert (result.status, result.err) == (0, "")
        assert wsx("convert", tmp_path / "s.har", path).status == 0
        assert starts(wsx("connect", "--scenario", path, server.url).lines) == starts(result.lines)
        assert wsx("bench", "-c", "1", "-n", "1", "--scenario", tmp_path / "s.har", server.url).status == 0
    with Listener("--scenario", tmp_path / "s.har", "--once") as mock:
        assert wsx("connect", "--scenario", tmp_path / "s.har", mock.url).status == 0
        assert mock.wait() == 0, mock.err


def test_a_connection_of_a_har_file_is_chosen():
    def result(name, *options):
        return wsx("connect", "--scenario", os.path.join(FILES, name), *options, "ws://127.0.0.1:1/")

    assert_fails(result("mitmproxy.har"), 2, "2 WebSocket connections; choose one with --connection N")
    assert_fails(result("mitmproxy.har", "--connection", "3"), 2, "has only 2 WebSocket connections")
    assert_fails(result("mitmproxy.har", "--connection", "1"), 3, "127.0.0.1:1")
    assert_fails(result("firefox.har"), 2, "connection 1: the file lacks its messages")
