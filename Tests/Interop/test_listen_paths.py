"""Servers that treat the clients of different paths differently."""

import json
import socket
import subprocess

import pytest

import wire
from processes import Listener, assert_fails, wsx


def connect(listener, path="/", *fields):
    stream = wire.Stream(socket.create_connection(("127.0.0.1", listener.port), timeout=60))
    stream.send(wire.upgrade_request(listener.port, path, *fields))
    assert b" 101 " in stream.read_head()
    return stream


def send(stream, text):
    stream.send(wire.text(text, is_masked=True))


def texts(stream, count):
    return [stream.read_message().payload.decode() for _ in range(count)]


# --broadcast=path


@pytest.mark.parametrize("options", [[], ["--delay", "1ms"]], ids=["direct", "through gates"])
def test_a_message_reaches_only_the_clients_of_its_path(options):
    with Listener("--broadcast=path", *options, stdin=subprocess.PIPE) as listener:
        red, other, blue = connect(listener, "/red?n=1"), connect(listener, "/%72ed"), connect(listener, "/blue")
        send(red, "to red")
        assert texts(other, 1) == ["to red"]
        send(blue, "to nobody")
        listener.wait_for(r"to nobody\n", "out")
        send(other, "back")
        assert texts(red, 1) == ["back"]
        # Lines of the input go to every client; anything sent to the wrong path would have arrived before.
        listener.send(b"to all\n")
        assert [texts(client, 1) for client in (red, other, blue)] == [["to all"]] * 3


def test_a_recording_names_only_the_receivers_on_the_path(tmp_path):
    path = tmp_path / "session.jsonl"
    with Listener("--broadcast=path", "--no-stdin", "--record", path) as listener:
        clients = [connect(listener, at) for at in ("/a", "/a", "/b")]
        send(clients[0], "hello")
        assert texts(clients[1], 1) == ["hello"]
        assert listener.stop() == 0
    events = [json.loads(line) for line in path.read_text().splitlines()]
    sent = [event["client"] for event in events if event["type"] == "message" and event["direction"] == "out"]
    assert sent == [2]


def test_another_scope_is_a_usage_error():
    assert_fails(wsx("listen", "--broadcast=room", "0"), 2, "--broadcast", "path")
