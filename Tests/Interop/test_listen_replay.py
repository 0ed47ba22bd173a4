"""`wsx listen --replay` answers like the server of a recording."""

import asyncio
import json
import socket
import time

import pytest
import websockets

import wire
from processes import (
    NODE_ENVIRONMENT, PEERS, Listener, assert_fails, memory_limit, resident_bytes, run, wsx)
from scripted_server import ScriptedServer


def open_client(server):
    """Opens a raw connection to the server."""
    stream = wire.Stream(socket.create_connection(("127.0.0.1", server.port), 30))
    stream.send(wire.upgrade_request(server.port))
    assert b" 101 " in stream.read_head()
    return stream


def send(stream, message):
    stream.send(wire.text(message, is_masked=True))


def write(path, *events):
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return path


def sent(data, **members):
    return {"type": "message", "direction": "out", "data": data, **members}


def received(data, **members):
    return {"type": "message", "direction": "in", "data": data, **members}


OPEN = {"type": "open"}


def test_a_recorded_session_is_replayed_without_its_server(tmp_path):
    recording = tmp_path / "session.jsonl"
    arguments = ["connect", "--request", "--record", recording]
    with Listener("--echo") as server:
        live = wsx(*arguments, server.url, "one", "two", "drei 🎈")
        assert live.lines == ["one", "two", "drei 🎈"]
    with Listener("--replay", recording) as server:
        for messages in [["one", "two", "drei 🎈"], ["two", "drei 🎈", "one"]]:
            result = wsx("connect", "--request", server.url, *messages)
            assert (result.status, result.lines) == (0, messages)


def test_greeting_binary_ping_and_close_are_replayed_as_recorded(tmp_path):
    def serve(peer):
        peer.upgrade(then=wire.text("welcome") + wire.frame(wire.PING, b"p"))
        assert peer.read_message().payload == b"question"
        peer.send(wire.frame(wire.BINARY, b"\0\1\xff") + wire.text("and") + wire.close(4001, b"bye"))
        peer.read_until_close()

    recording = tmp_path / "session.jsonl"
    with ScriptedServer(serve) as server:
        assert wsx("connect", "--record", recording, server.url, "question").status == 1
    with Listener("--replay", recording) as server:
        client = open_client(server)
        assert [client.read_frame().payload for _ in range(2)] == [b"welcome", b"p"]
        send(client, "question")
        frames = [client.read_frame() for _ in range(3)]
        assert [(frame.opcode, frame.payload) for frame in frames[:2]] == [
            (wire.BINARY, b"\0\1\xff"), (wire.TEXT, b"and")]
        assert (frames[2].close_code, frames[2].payload[2:]) == (4001, b"bye")


def test_a_server_recording_is_replayed_to_each_of_its_clients(tmp_path):
    recording, second = tmp_path / "server.jsonl", tmp_path / "second.jsonl"
    with Listener("--echo", "--close-after", "2", "--delay", "1ms", "--record", recording) as server:
        for name in ["one", "two"]:
            assert wsx("connect", "--request", server.url, f"hi from {name}", f"bye from {name}").status in (0, 1)
        assert server.stop() == 0
    closes = [event for event in map(json.loads, recording.read_text().splitlines()) if event["type"] == "close"]
    assert [event["code"] for event in closes if event["direction"] == "out"] == [1012, 1012]
    with Listener("--replay", recording, "--record", second) as server:
        for name in ["one", "two"]:
            client = open_client(server)
            for word in ["hi", "bye"]:
                send(client, f"{word} from {name}")
                assert client.read_message().payload == f"{word} from {name}".encode()
            assert client.read_frame().close_code == 1012
            client.send(wire.close(1012, is_masked=True))
        assert server.stop() == 0
    sent_again = [event for event in map(json.loads, second.read_text().splitlines()) if event.get("direction") == "out"]
    assert [event["type"] for event in sent_again] == ["message", "message", "close"] * 2


def test_replay_speed_keeps_the_pauses(tmp_path):
    def at(second):
        return {"time": f"2026-01-01T00:00:{second:02}Z"}

    recording = write(tmp_path / "r", {**OPEN, **at(0)}, sent("a", **at(10)), received("1", **at(12)))
    with Listener("--replay", recording, "--replay-speed", "4") as server:
        start = time.monotonic()
        assert wsx("connect", "-n", "1", "--linger", "30s", server.url, "a").out == b"1\n"
        assert time.monotonic() - start >= 0.5
    with Listener("--replay", recording, "--delay", "300ms") as server:
        start = time.monotonic()
        assert wsx("connect", "-n", "1", "--linger", "30s", server.url, "a").out == b"1\n"
        assert time.monotonic() - start >= 0.295


def test_python_and_node_are_served(tmp_path):
    recording = write(tmp_path / "r", OPEN, received("hello"), sent("a"), received("x" * 70_000))
    with Listener("--replay", recording, "--fragment-size", "1k") as server:
        async def talk():
            async with websockets.connect(server.url) as connection:
                assert await connection.recv() == "hello"
                await connection.send("a")
                return await connection.recv()

        assert asyncio.run(talk()) == "x" * 70_000
        result = run(["node", PEERS / "ws_client.js", server.url, "2", "a"], env=NODE_ENVIRONMENT)
        assert result.out.decode().split("\n")[:2] == ["hello", "x" * 70_000]


def test_many_unread_replies_pause_their_client(tmp_path):
    exchange = [sent("more"), received("x" * (1 << 20))]
    recording = write(tmp_path / "r", OPEN, *exchange * 40)
    with Listener("--replay", recording, "--compress=off") as server:
        client = open_client(server)
        for _ in range(40):
            send(client, "more")
        for _ in range(40):
            assert len(client.read_message().payload) == 1 << 20


@pytest.mark.parametrize("begins", ["opening", "answer"])
def test_a_burst_of_replies_waits_until_the_client_reads(tmp_path, begins):
    replies = [received(f"{number:04d}" + "x" * (1 << 20)) for number in range(64)]
    question = [sent("go")] if begins == "answer" else []
    recording = write(tmp_path / "r", OPEN, *question, *replies, sent("end?"), received("end"))
    with Listener("--replay", recording, "--compress=off") as server:
        before = resident_bytes(server.pid)
        clients = [open_client(server) for _ in range(4)]
        for client in clients:
            send(client, "go" if begins == "answer" else "end?")
        # Each client holds at most its queue, its gate, and one message.
        for client in clients:
            assert client.read_message().payload.startswith(b"0000")
        assert resident_bytes(server.pid) - before < memory_limit(4 * (40 << 20))
        for number in range(1, 64):
            assert clients[0].read_message().payload.startswith(b"%04d" % number)
        if begins == "answer":
            send(clients[0], "end?")
        assert clients[0].read_message().payload == b"end"


def test_close_after_messages_waits_for_a_long_answer(tmp_path):
    replies = [received("x" * (1 << 20)) for _ in range(40)]
    recording = write(tmp_path / "r", OPEN, sent("go"), *replies)
    with Listener("--replay", recording, "--compress=off", "--close-after", "1") as server:
        client = open_client(server)
        send(client, "go")
        for _ in range(40):
            assert len(client.read_message().payload) == 1 << 20
        assert client.read_until_close().close_code == 1012


def test_an_invalid_line_is_reported_before_anything_is_served(tmp_path):
    path = tmp_path / "r"
    path.write_text('{"type":"open"}\n\n{"type":"message","direction":"in"}\n')
    assert_fails(wsx("listen", "--replay", path, "0"), 2, f"--replay {path}, line 3: it has neither 'data' nor 'base64'")
    path.write_bytes(b'{"type":"open"}\nnot json\n')
    assert_fails(wsx("listen", "--replay", path, "0"), 2, f"--replay {path}, line 2: ")
    path.write_text("")
    assert_fails(wsx("listen", "--replay", path, "0"), 2, "it is empty")
    assert_fails(wsx("listen", "--replay", tmp_path, "0"), 2, "it is a directory")
