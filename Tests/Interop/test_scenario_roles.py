"""Recordings are scenarios without edits, and one file is a test (`connect`) and a mock server (`listen`)."""

import asyncio
import json
import socket

import pytest
import websockets

import wire
from processes import Listener, assert_fails, wait_until, wsx
from scripted_server import ScriptedServer
from terminal import RawTerminal


def serve_json(peer):
    """A service whose replies vary in `time` and `id`, with braces that placeholders also use."""
    peer.upgrade(then=wire.text(b'{"type":"hello","time":1}'))
    number = 0
    while (frame := peer.read_frame()).opcode != wire.CLOSE:
        number += 1
        request = json.loads(frame.payload)
        peer.send(wire.text(json.dumps({"id": number * 100, "time": number, "echo": request, "text": "{{x}}"}).encode()))
    peer.send(wire.frame(wire.CLOSE, frame.payload))


def written(path, steps):
    path.write_text("".join(json.dumps(step) + "\n" for step in steps))
    return path


def sent(data, **members):
    return {"type": "message", "direction": "out", "data": data, **members}


def received(data, **members):
    return {"type": "message", "direction": "in", "data": data, **members}


def assert_plays(path, *options, url):
    result = wsx("connect", "--scenario", path, *options, url)
    assert (result.status, result.err) == (0, ""), result
    return result


def assert_mocks(path, *options):
    """Plays both sides of a file against each other."""
    with Listener("--scenario", path, "--once", *options) as mock:
        played = assert_plays(path, *options, url=mock.url)
        assert mock.wait() == 0, mock.err
    return played


@pytest.mark.parametrize("place", ["option", "command"])
def test_a_session_at_the_prompt_is_a_test_and_a_mock(tmp_path, place):
    path = tmp_path / "session.jsonl"
    options = ["--record", path] if place == "option" else []
    with ScriptedServer(serve_json) as server, RawTerminal("connect", *options, server.url) as terminal:
        terminal.wait_for(b"hello")
        if place == "command":
            terminal.type(f"/record {path}\r")
            terminal.wait_for(b"Recording to")
        for number, message in enumerate(['{"op":"get {{y}}"}', '{"op":"set"}'], 1):
            terminal.type(message + "\r")
            terminal.wait_for(b'%d00' % number)
        terminal.type("\x04")
        assert terminal.wait() == 0
    with ScriptedServer(serve_json) as server:
        # The recording of the command begins after the greeting, which a test then skips.
        played = assert_plays(path, "--ignore", "/time,/id", url=server.url)
        assert sum("receive" in line for line in played.lines) >= 2
    assert_mocks(path)
    assert_mocks(path, "--ignore", "/time,/id")


def test_a_recorded_pipe_with_heartbeats_is_a_scenario(tmp_path):
    path = tmp_path / "session.jsonl"
    with Listener("--echo") as server:
        recorded = wsx(
            "connect", "--record", path, "--heartbeat", "20ms", "--heartbeat-misses", "1000", "--linger", "300ms",
            server.url, stdin="eins {{\nzwei\n".encode())
        assert recorded.status == 0
        assert '"pong"' in path.read_text()
        assert_plays(path, url=server.url)
    assert_mocks(path)


def test_messages_of_heartbeats_are_recorded_because_they_get_replies(tmp_path):
    path = tmp_path / "session.jsonl"
    with Listener("--answer", "^beat$ => ok") as server:
        recorded = wsx(
            "connect", "--record", path, "--heartbeat", "50ms", "--heartbeat-misses", "1000", "--heartbeat-message",
            "beat", "--no-stdin", "--until", "ok", server.url)
        assert recorded.status == 0
        assert_plays(path, url=server.url)
    assert_mocks(path)


def test_the_first_connection_of_a_recording_is_played(tmp_path):
    def serve(peer):
        peer.upgrade()
        peer.send(wire.text(b"number %d" % server.connection_count))
        if server.connection_count == 1:
            return peer.reset()
        peer.answer_close()

    path = tmp_path / "session.jsonl"
    with ScriptedServer(serve) as server:
        recorded = wsx(
            "connect", "--compress=off", "--reconnect", "--until", "number 2", "--no-stdin", "--record", path, server.url)
        assert recorded.status == 0, recorded
    with Listener("--scenario", path, "--once") as mock:
        played = wsx("connect", "--scenario", path, mock.url)
        assert mock.wait() == 0, mock.err
    assert played.status == 0, played
    assert "only the first connection is played; line" in played.err
    assert [line.rsplit("  ", 1)[0] for line in played.lines] == [
        "ok    line 3: receive", "ok    line 4: receive close"]


STEPS = [
    received('{"type":"hello","session":"s-{{random 8}}"}', match={"/type": "hello"}, set={"sid": "/session"}),
    sent('{"sid":{{json:sid}},"id":{{seq}}}', name="query"),
    received('{"id":{{seq}},"at":{{time}}}', match={"/id": "{{seq}}"}, name="reply"),
    {"type": "ping", "direction": "out", "data": "p"},
    {"type": "pong", "direction": "in"},
    {"type": "pause", "for": "5ms-10ms"},
    {"type": "message", "direction": "out", "base64": "AAE="},
    {"type": "message", "direction": "in", "base64": "AQA="},
]


@pytest.mark.parametrize("end", [
    [],
    [{"type": "close", "direction": "out", "code": 4001, "reason": "bye"}],
    [{"type": "close", "direction": "in", "code": 4002}],
    [{"type": "close", "direction": "out", "code": 1006}],
    [{"type": "close", "direction": "in", "code": 1006}],
])
def test_a_written_scenario_plays_both_sides(tmp_path, end):
    assert_mocks(written(tmp_path / "s.jsonl", STEPS + end))


def serve_calls(peer):
    """Answers JSON-RPC calls with the number of their parameters."""
    peer.upgrade()
    while (frame := peer.read_frame()).opcode != wire.CLOSE:
        call = json.loads(frame.payload)
        peer.send(wire.text(b'{"jsonrpc":"2.0","id":%d,"result":%d}' % (call["id"], len(call["params"]))))
    peer.send(wire.frame(wire.CLOSE, frame.payload))


def serve_message_pack(peer):
    """Answers each message with {"a":1} in MessagePack."""
    peer.upgrade()
    while (frame := peer.read_frame()).opcode != wire.CLOSE:
        peer.send(wire.frame(wire.BINARY, b"\x81\xa1a\x01"))
    peer.send(wire.frame(wire.CLOSE, frame.payload))


@pytest.mark.parametrize(
    ("serve", "options", "text", "right", "wrong"),
    [
        (serve_json, [], '{"op":"get"}', {"/id": 100}, {"/id": 7}),
        (serve_calls, ["--protocol", "json-rpc"], "count [1,2]", "^2$", "^3$"),
        (serve_message_pack, ["--decode", "msgpack"], "get", {"/a": 1}, {"/a": 2}),
        (None, [], "hello", "^hello$", "^bye$"),
    ],
    ids=["plain", "protocol", "decode", "listen"],
)
def test_one_file_has_one_verdict(tmp_path, serve, options, text, right, wrong):
    """`connect` and `bench` agree, with a server of their own and with `listen --scenario` of the same file."""
    for match, passes in [(right, True), (wrong, False)]:
        step = received(None, match=match, timeout="300ms")
        del step["data"]
        path = written(tmp_path / "scenario.jsonl", [sent(text), step])
        mock = written(tmp_path / "mock.jsonl", [sent(text), received("hello")])
        for command in ["connect"], ["bench", "--mode", "scenario", "--connections", "1", "--messages", "1"]:
            with ScriptedServer(serve) if serve else Listener("--scenario", mock) as server:
                result = wsx(*command, *options, "--scenario", path, server.url)
            assert (result.status == 0) == passes, result
            assert ("line 2" in result.err) != passes, result


def received_frames(command, protocol, steps, path, greeting, answer):
    """Plays steps through a protocol. Returns what the server receives, until the close frame."""
    frames = []

    def script(peer):
        peer.upgrade(then=greeting)
        while (frame := peer.read_frame()).opcode != wire.CLOSE:
            frames.append(frame.payload.decode())
            peer.send(answer(frame))
        frames.append(int.from_bytes(frame.payload[:2], "big"))
        peer.send(wire.frame(wire.CLOSE, frame.payload))

    with ScriptedServer(script) as server:
        result = wsx(*command, "--protocol", protocol, "--scenario", written(path, steps), server.url)
    assert result.status == 0, result
    return frames


COMMANDS = pytest.mark.parametrize(
    "command", [["connect"], ["bench", "--mode", "scenario", "--connections", "1", "--messages", "1"]],
    ids=["connect", "bench"])


@COMMANDS
def test_the_first_steps_run_once_if_a_protocol_has_no_login(tmp_path, command):
    reply = {"type": "message", "direction": "in", "match": "1"}
    frames = received_frames(
        command, "json-rpc", [sent("sum {{seq}}"), reply], tmp_path / "s.jsonl", b"",
        lambda frame: wire.text(b'{"jsonrpc":"2.0","id":%d,"result":1}' % json.loads(frame.payload)["id"]))
    assert [json.loads(frame)["id"] for frame in frames[:-1]] == [1]


@COMMANDS
@pytest.mark.parametrize("event", [b"", wire.text('42["news",1]')], ids=["alone", "with an event"])
def test_messages_right_after_the_login_precede_pings_and_the_close_frame(tmp_path, command, event):
    steps = [sent("chat 1"), {"type": "ping", "direction": "out", "data": "p"},
             {"type": "close", "direction": "out", "code": 4001}]
    login = {"40": wire.text('40{"sid":"t"}') + event}
    frames = received_frames(
        command, "socket.io", steps, tmp_path / "s.jsonl",
        wire.text('0{"sid":"a","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}'),
        lambda frame: login.get(frame.payload.decode(), b""))
    assert frames == ["40", '420["chat",1]', "p", 4001]


@COMMANDS
def test_messages_behind_an_event_of_a_line_precede_the_close_frame(tmp_path, command):
    """In GraphQL, the end of an operation is an event for its line."""
    steps = [sent("subscription { a }"), sent("complete 1"), sent("query { b }"),
             {"type": "close", "direction": "out", "code": 4001}]
    frames = received_frames(
        command, "graphql", steps, tmp_path / "s.jsonl", b"",
        lambda frame: wire.text(b'{"type":"connection_ack"}') if b"init" in frame.payload else b"")
    assert [json.loads(frame)["type"] for frame in frames[:-1]] == [
        "connection_init", "subscribe", "complete", "subscribe"]


def test_each_client_plays_the_scenario(tmp_path):
    path = written(tmp_path / "s.jsonl", [sent("a {{seq}}"), received("b {{seq}}"), sent("c {{seq}}"), received("d")])
    with Listener("--scenario", path) as mock:
        for _ in range(3):
            assert_plays(path, url=mock.url)
        assert mock.process.poll() is None
        assert mock.stop() == 0, mock.err


@pytest.mark.parametrize("end", [
    {"type": "close", "direction": "out", "code": 1000}, {"type": "close", "direction": "in", "code": 4001},
    {"type": "close", "direction": "out", "code": 1006}], ids=lambda end: f"{end['direction']} {end['code']}")
def test_a_load_test_with_a_number_of_iterations_does_not_make_a_client_fail(tmp_path, end):
    path = written(tmp_path / "s.jsonl", [sent("a"), received("b"), end])
    with Listener("--scenario", path) as mock:
        # Also fewer iterations than connections.
        for count in "1", "3", "4", "5", "31":
            result = wsx("bench", "--scenario", path, "-c", "4", "-n", count, mock.url)
            assert result.status == 0, result
        assert mock.stop() == 0, mock.err


def test_a_client_that_deviates_is_closed_and_reported(tmp_path):
    path = written(tmp_path / "s.jsonl", [sent("a", name="first"), received("b"), sent("c"), received("d")])

    async def deviate(url, *messages):
        async with websockets.connect(url) as client:
            for message in messages:
                await client.send(message)
            await client.wait_closed()
            return client.close_code, client.close_reason

    with Listener("--scenario", path) as mock:
        code, reason = asyncio.run(deviate(mock.url, "x"))
        assert (code, reason) == (1008, "the scenario failed in line 1 (first)")
        code, reason = asyncio.run(deviate(mock.url, "a", "c", "more"))
        assert (code, reason) == (1008, "the scenario failed in line 4")
        assert_plays(path, url=mock.url)
        assert wsx("connect", mock.url, "a", "--linger", "0").status == 0
        mock.wait_for("client 4: the scenario failed in line [23]: the connection ended with 1000")
        assert mock.stop() == 7
    assert "wsx: client 1: the scenario failed in line 1 (first): another message arrived" in mock.err
    assert "wsx: the scenario failed for 3 of 4 clients\n" in mock.err


def test_with_once_the_only_client_decides(tmp_path):
    path = written(tmp_path / "s.jsonl", [sent("a"), received("b")])
    with Listener("--scenario", path, "--once") as mock:
        wsx("connect", "-1", mock.url, "x")
        assert mock.wait() == 7
    assert mock.err.count("the scenario failed") == 1


def test_clients_that_the_server_closes_have_not_deviated(tmp_path):
    path = written(tmp_path / "s.jsonl", [sent("a"), received("b")])
    with Listener("--scenario", path, "--close-timeout", "200ms") as mock:
        with ScriptedClient(mock.port):
            wait_until(lambda: "Client 1" in mock.err)
            assert mock.stop() == 0, mock.err


class ScriptedClient:
    """A client that only opens a connection."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), 30)
        self.stream = wire.Stream(self.socket)
        self.stream.send(wire.upgrade_request(port))
        assert b" 101 " in self.stream.read_head()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


def test_messages_that_arrive_with_the_request_are_answered_after_the_greeting():
    with Listener("--first-message", "hello", "--answer", "^a$ => b") as server:
        stream = wire.Stream(socket.create_connection(("127.0.0.1", server.port), 30))
        stream.send(wire.upgrade_request(server.port) + wire.text(b"a", is_masked=True))
        assert b" 101 " in stream.read_head()
        assert [stream.read_frame().payload for _ in range(2)] == [b"hello", b"b"]


@pytest.mark.parametrize("words, message", [
    (["--scenario", "FILE", "--echo"], "--echo"),
    (["--scenario", "FILE", "--record", "FILE"], "--scenario reads the same file"),
])
def test_invalid_options_are_rejected(tmp_path, words, message):
    path = written(tmp_path / "s.jsonl", [sent("a")])
    words = [path if word == "FILE" else word for word in words]
    assert_fails(wsx("listen", *words, "0", *(["--", "cat"] if "--exec" in words else [])), 2, message)
