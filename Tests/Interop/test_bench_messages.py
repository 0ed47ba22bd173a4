"""The messages of `wsx bench`: texts and files, with placeholders."""

import json
import re
import threading
import time

import pytest

import wire
from processes import assert_fails, wsx
from scripted_server import ScriptedServer
from test_bench import bench, faults


class Collector:
    """An echo server that records the messages of each client."""

    def __init__(self):
        self.clients, self._lock = [], threading.Lock()

    def __call__(self, peer):
        peer.upgrade()
        messages = []
        with self._lock:
            self.clients.append(messages)
        while (frame := peer.read_frame()).opcode != wire.CLOSE:
            messages.append((frame.opcode, frame.payload))
            peer.send(wire.frame(frame.opcode, frame.payload))
        peer.send(wire.frame(wire.CLOSE, frame.payload))


def collected(*arguments):
    """Runs bench and returns its results, and each client's messages as pairs of opcode and payload."""
    collector = Collector()
    with ScriptedServer(collector) as server:
        result, results = bench(server.url, *arguments)
    assert (result.status, faults(results)) == (0, {})
    return results, collector.clients


def test_placeholders_are_replaced_in_each_message():
    before = time.time() * 1000
    results, clients = collected(
        "-c", "3", "-n", "30", "-m", '{"id":{{seq}},"of":{"c":{{connection}}},"at":{{time}},"x":"{{random 8}}","b":"{{{{"}')
    after = time.time() * 1000
    seen = set()
    for messages in clients:
        values = [json.loads(payload) for _, payload in messages]
        assert [value["id"] for value in values] == list(range(1, len(messages) + 1))
        assert len({value["of"]["c"] for value in values}) == 1
        times = [value["at"] for value in values]
        assert times == sorted(times) and before - 2 <= times[0] and times[-1] <= after + 2
        assert all(re.fullmatch("[A-Za-z0-9_-]{8}", value["x"]) and value["b"] == "{{" for value in values)
        seen |= {value["x"] for value in values}
    assert sorted(json.loads(messages[0][1])["of"]["c"] for messages in clients) == [1, 2, 3]
    assert len(seen) == 30
    assert results["message"] == {"kind": "text", "bytes": None}


def test_binary_files_are_sent_unchanged(tmp_path):
    data = tmp_path / "data"
    data.write_bytes(bytes(range(256)) + b"{{seq}}{{")
    results, clients = collected("-c", "1", "-n", "3", "--binary", "-f", data)
    assert clients == [[(wire.BINARY, data.read_bytes())] * 3]
    assert results["message"] == {"kind": "binary", "bytes": 265}


def test_a_subscription_may_contain_placeholders():
    received = []

    def script(peer):
        peer.upgrade()
        received.append(peer.read_frame().payload)
        for _ in range(5):
            peer.send(wire.text(b"news"))
        peer.answer_close()

    with ScriptedServer(script) as server:
        _, results = bench(
            server.url, "--mode", "receive", "-c", "3", "-d", "500ms", "-m", "join {{connection}}", check_sum=False)
    assert sorted(received) == [b"join 1", b"join 2", b"join 3"]
    assert results["messages"]["received"] == 15


@pytest.mark.parametrize("words, message", [
    (["-m", "a{{b"], "'{{' begins a placeholder, but '}}' is missing"),
    (["-m", "{{sequence}}"], "unknown placeholder '{{sequence}}'; expected {{seq}}, {{connection}}, {{time}}, {{iso}}, {{uuid}}, {{random N}}, {{env:NAME}}, "),
    (["-m", "{{customer}}"], "{{env:NAME}}, a column of --data FILE, or '{{{{' for two literal braces"),
    (["-m", "{{last:/id}}"], "{{last:…}} needs a received message, which exists only in --answer and scenarios"),
    (["-m", "{{last:/id}}", "--mode", "request"], "{{last:…}} needs a received message"),
    (["--heartbeat-message", "@{tmp}/braces", "--mode", "receive"], "--heartbeat-message: '{{' begins a placeholder"),
    (["--heartbeat-message", "{{last:/id}}", "--mode", "receive"], "--heartbeat-message: {{last:…}} needs a received"),
    (["-m", "{{random 0}}"], "expected {{random N}} with an N from 1 to"),
    (["-m", ""], "got nothing"),
    (["-m", "a", "--size", "20"], "--size"),
    (["-f", "/nonexistent"], "--file /nonexistent: no such file or directory"),
    (["-f", "/dev/null"], "--file /dev/null: it is empty"),
    (["-f", "/"], "--file /: "),
    (["-f", "{tmp}/bytes"], "it is not UTF-8 text; send it with --binary"),
    (["-f", "{tmp}/braces"], "braces: '{{' begins a placeholder"),
], ids=lambda value: None if isinstance(value, str) else " ".join(value))
def test_an_invalid_message_is_rejected(words, message, tmp_path):
    (tmp_path / "bytes").write_bytes(b"\xff")
    (tmp_path / "braces").write_bytes(b"{{")
    result = wsx("bench", "echo:", *(word.replace("{tmp}", str(tmp_path)) for word in words))
    assert_fails(result, 2, message)
