"""The messages of `wsx bench`: texts and files, with placeholders."""

import json
import re
import threading
import time

import pytest

import wire
from processes import assert_fails, wsx
from scripted_server import ScriptedServer
from test_bench import Swapper, bench, each_hundredth, echoing, faults


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


def test_each_connection_cycles_through_messages_and_files(tmp_path):
    whole = tmp_path / "whole.json"
    whole.write_bytes(b'{"n":{{seq}}}\n')
    _, clients = collected("-c", "2", "-n", "12", "-m", "first", "-f", whole, "-m", "{{seq}}")
    for messages in clients:
        expected = [[b"first", b'{"n":%d}\n' % number, b"%d" % number][(number - 1) % 3]
                    for number in range(1, len(messages) + 1)]
        assert messages == [(wire.TEXT, payload) for payload in expected]
    assert sum(map(len, clients)) == 12


def test_binary_files_are_sent_unchanged(tmp_path):
    data = tmp_path / "data"
    data.write_bytes(bytes(range(256)) + b"{{seq}}{{")
    results, clients = collected("-c", "1", "-n", "3", "--binary", "-f", data)
    assert clients == [[(wire.BINARY, data.read_bytes())] * 3]
    assert results["message"] == {"kind": "binary", "bytes": 265}


@pytest.mark.parametrize("change, found", [
    (lambda message: [], {"lost": 10}),
    (lambda message: [message, message], {"duplicated": 10}),
    (lambda message: [message[:-1] + b"?"], {"mismatched": 10}),
    (lambda message: [b"?" + message[1:]], {"mismatched": 10}),
    (lambda message: [b""], {"mismatched": 10}),
    (lambda message: [message + b"?"], {"mismatched": 10}),
], ids=["drops", "duplicates", "damages the end", "damages the beginning", "empties", "lengthens"])
@pytest.mark.parametrize("message", ["{{seq}}", "{{random 16}}{{time}}", "{{connection}} {{seq}}"])
@pytest.mark.parametrize("in_flight", ["1", "8"])
def test_a_fault_in_a_message_is_reported_as_its_kind(change, found, message, in_flight):
    if in_flight == "1" and "lost" in found:
        pytest.skip("each lost reply would take the whole reply timeout")
    with echoing(each_hundredth(change)) as server:
        result, results = bench(
            server.url, "-c", "1", "-n", "1000", "--in-flight", in_flight, "--reply-timeout", "3s", "-m", message)
    assert (results["messages"]["sent"], faults(results), result.status) == (1000, found, 7)


def test_reordered_messages_are_reported_as_reordered():
    with echoing(Swapper()) as server:
        _, results = bench(server.url, "-c", "1", "-n", "1000", "--in-flight", "8", "-m", "{{random 20}}")
    assert (results["messages"]["received"], faults(results)) == (1000, {"reordered": 10})


def test_a_reply_that_is_2000_messages_late_is_recognized():
    # The server answers the third message after two thousand others.
    held = []

    def late(number, message):
        if number == 2:
            held.append(message)
            return []
        return [message, held.pop()] if number == 2002 else [message]

    with echoing(late) as server:
        _, results = bench(server.url, "-c", "1", "-n", "3000", "--in-flight", "4", "-m", "{{random 20}}")
    assert (results["messages"]["received"], faults(results)) == (3000, {"reordered": 1})


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
