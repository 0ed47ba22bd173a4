"""`wsx relay` changes messages on request: `--rewrite`, and the faults of either direction."""

import base64
import gzip
import json
import time
import zlib

import jsonschema
import pytest

import wire
from processes import ROOT, Listener, Relay, assert_fails, wait_until, wsx
from scripted_server import ScriptedServer
from test_relay import connect, upgraded

SCHEMA = json.loads((ROOT / "docs/schemas/events.json").read_text())


@pytest.fixture(scope="module")
def echo():
    with Listener("--echo") as server:
        yield server


def collecting(received, answer=None):
    """A server that collects the messages of its client, and sends one first."""

    def script(peer):
        upgraded(peer)
        if answer is not None:
            peer.send(wire.text(answer))
        while (frame := peer.read_frame()) and frame.opcode != wire.CLOSE:
            received.append((frame.opcode, frame.payload))
        peer.send(wire.close(1000))

    return ScriptedServer(script)


def messages(lines):
    events = [json.loads(line) for line in lines]
    for event in events:
        jsonschema.validate(event, SCHEMA)
    return [(event["direction"], event["data"], event.get("rewritten", False)) for event in events if event["type"] == "message"]


class TestRewriting:
    @pytest.mark.parametrize("options, to_server, to_client", [
        ([], b"<A>", b"<B>"), (["--rewrite-from", "client"], b"<A>", b"b"), (["--rewrite-from", "server"], b"a", b"<B>")])
    def test_changes_the_messages_of_the_chosen_side(self, options, to_server, to_client, tmp_path):
        received = []
        path = tmp_path / "session.jsonl"
        rules = ["--rewrite", "^a$ => A", "--rewrite", "^b$ => B", "--rewrite", "^[A-Z]$ => <$0>"]
        with collecting(received, "b") as server, Relay(server.url, *rules, *options, "--json", "--record", path) as relay:
            client = connect(relay)
            assert client.read_message().payload == to_client
            client.send(wire.text("a", is_masked=True) + wire.close(1000, is_masked=True))
            client.read_until_close()
            relay.stop()
            expected = sorted([("in", to_server.decode(), to_server != b"a"), ("out", to_client.decode(), to_client != b"b")])
            assert sorted(messages(relay.out.splitlines())) == expected
        assert received == [(wire.TEXT, to_server)]
        assert sorted(messages(path.read_text().splitlines())) == expected

    def test_leaves_binary_messages_and_control_frames_unchanged(self):
        received = []
        with collecting(received) as server, Relay(server.url, "--rewrite", ". => x") as relay:
            client = connect(relay)
            client.send(wire.frame(wire.BINARY, b"abc", is_masked=True) + wire.frame(wire.PING, b"abc", is_masked=True)
                        + wire.text("abc", is_masked=True) + wire.close(4000, b"abc", is_masked=True))
            client.read_until_close()
        assert received == [(wire.BINARY, b"abc"), (wire.PING, b"abc"), (wire.TEXT, b"xxx")]

    def test_comes_before_answers_and_leaves_them_unchanged(self, echo):
        with Relay(echo.url, "--rewrite", "a => b", "--answer", "^b$ => a") as relay:
            client = connect(relay)
            client.send(wire.text("a", is_masked=True))
            assert client.read_frame().payload == b"a"

    @pytest.mark.parametrize("rule, message, words", [
        (". => 123456789", "abcdefghijklmnopqrst", "more than 100 bytes (--max-message-size)"), ("a => {{last:/x}}", "a", "not JSON"),
        ("^\\C => x", "é", "not UTF-8")])
    def test_forwards_a_message_unchanged_and_reports_it_if_the_result_is_not_possible(self, echo, rule, message, words):
        with Relay(echo.url, "--rewrite", rule, "--rewrite-from", "client", "--max-message-size", "100") as relay:
            assert wsx("-1", relay.url, message).out.decode() == message + "\n"
            relay.wait_for("a message of client 1 was not rewritten")
            relay.stop()
            assert words in relay.err and relay.err.count("not rewritten") == 1

    def test_is_logged_with_verbose(self, echo):
        with Relay(echo.url, "-v", "--rewrite", "a+ => b", "--rewrite-from", "client") as relay:
            assert wsx("-1", relay.url, "aaa").out == b"b\n"
            relay.wait_for("Client 1: rewrote a message of 3 B to 1 B")

    def test_works_at_a_megabyte_with_many_matches(self, echo):
        with Relay(echo.url, "--rewrite", "a => bc", "--rewrite-from", "client") as relay:
            client = connect(relay)
            client.send(wire.text("a" * (1 << 20), is_masked=True))
            assert client.read_message().payload == b"bc" * (1 << 20)

    @pytest.mark.parametrize("arguments, words", [
        (["--rewrite", "a=>b"], ["--rewrite 'a=>b'", "REGEX => TEXT"]), (["--rewrite", "(a => b"], ["--rewrite", "parenthesis"]),
        (["--rewrite", " => b"], ["empty"]), (["--rewrite", "a => {{x"], ["'}}' is missing"]), (["--rewrite", "a => $1"], ["$1"]),
        (["--rewrite", "a => {{env:UNSET_VARIABLE}}"], ["UNSET_VARIABLE"]),
        (["--rewrite-from", "client"], ["--rewrite"]), (["--rewrite", "a => b", "--rewrite-from", "both"], ["client"])])
    def test_mistakes_are_one_line(self, arguments, words):
        assert_fails(wsx("relay", *arguments, "0", "ws://127.0.0.1:1"), 2, *words)


class TestFaults:
    @pytest.mark.parametrize("options, answer, reaches_server", [
        ([], None, False), (["--fault-from", "client"], b"hi", False), (["--fault-from", "server"], None, True)])
    def test_drops_affect_the_messages_of_the_chosen_side_but_no_control_frames(self, options, answer, reaches_server):
        received = []
        with collecting(received, "hi") as server, Relay(server.url, "--drop-rate", "1", *options) as relay:
            client = connect(relay)
            client.send(wire.text("a", is_masked=True) + wire.frame(wire.PING, b"p", is_masked=True)
                        + wire.close(4000, is_masked=True))
            frame = client.read_frame()
            if answer:
                assert frame.payload == answer
                frame = client.read_frame()
            assert frame.close_code == 1000
        assert received == [(wire.TEXT, b"a")] * reaches_server + [(wire.PING, b"p")]

    @pytest.mark.parametrize("options, count", [([], 2), (["--fault-from", "client"], 1), (["--fault-from", "server"], 1)])
    def test_delays_affect_the_messages_of_the_chosen_side(self, echo, options, count):
        with Relay(echo.url, "-v", "--delay", "200ms", *options) as relay:
            start = time.monotonic()
            assert wsx("-1", relay.url, "hi").out == b"hi\n"
            assert time.monotonic() - start >= 0.2 * count
            relay.stop()
            assert relay.err.count("delayed a message") == count
            assert relay.err.count("to the server by 200 ms") == (options != ["--fault-from", "server"])

    def test_delayed_messages_to_the_server_keep_their_order_and_the_close_frame_follows(self):
        received = []
        with collecting(received) as server, Relay(server.url, "--delay", "1ms-50ms", "--fault-from", "client") as relay:
            client = connect(relay)
            expected = [b"%d" % number for number in range(50)]
            client.send(b"".join(wire.text(number, is_masked=True) for number in expected) + wire.close(1000, is_masked=True))
            assert client.read_until_close().close_code == 1000
        assert [payload for _, payload in received] == expected

    def test_delayed_messages_reach_the_server_after_their_client_is_lost(self):
        received = []
        with collecting(received) as server, Relay(server.url, "--delay", "200ms", "--fault-from", "client") as relay:
            client = connect(relay)
            client.send(wire.text("a", is_masked=True))
            client.sock.close()
            wait_until(lambda: server.ended_results)
        assert received == [(wire.TEXT, b"a")]

    def test_a_client_pauses_while_16_mib_wait_for_the_server(self):
        received = []
        with collecting(received) as server, Relay(server.url, "--delay", "1h", "--fault-from", "client") as relay:
            client = connect(relay)
            client.sock.settimeout(1)
            with pytest.raises(TimeoutError):
                # The kernel's buffers may hold 40 MB more.
                for _ in range(2000):
                    client.send(wire.frame(wire.BINARY, bytes(100_000), is_masked=True))
            client.sock.close()

    def test_a_side_needs_a_fault(self):
        assert_fails(wsx("relay", "--fault-from", "client", "0", "ws://127.0.0.1:1"), 2, "--fault-from", "--delay")


class TestScenarios:
    def test_each_client_of_a_recording_can_be_played_by_either_side(self, echo, tmp_path):
        path = tmp_path / "sessions.jsonl"
        with Relay(echo.url, "--rewrite", "^b$ => B", "--record", path) as relay:
            for word in ["a", "b"]:
                assert wsx("-1", relay.url, word).status == 0
            relay.stop()
        for connection, word in [("1", "a"), ("2", "B")]:
            with Listener("--scenario", path, "--connection", connection, "--once") as mock:
                played = wsx("--scenario", path, "--connection", connection, mock.url)
                assert (played.status, mock.wait()) == (0, 0), (played, mock.err)
                assert "only the first" not in played.err
            with Listener("--scenario", path, "--connection", connection) as mock:
                assert wsx("-1", mock.url, word).lines == [word]
        # The client closed first, and its server only answers that.
        played = wsx("--scenario", path, "--connection", "1", echo.url)
        assert (played.status, played.err) == (0, "")
        result = wsx("--scenario", path, "--connection", "3", echo.url)
        assert_fails(result, 2, "sessions.jsonl", "no connection 3; it has 1 and 2")
        assert_fails(wsx("--connection", "3", echo.url), 2, "--connection", "--scenario")


class TestDecoding:
    @pytest.mark.parametrize("payload, data, decoded", [
        (b"\x81\xa1a\x01", '{"a":1}', "msgpack"), (b"\xa1aa\x01", '{"a":1}', "cbor"),
        (gzip.compress(b'{"a": 1}', mtime=0), '{"a":1}', "gzip+json")])
    def test_events_of_both_sides_are_decoded_and_everything_else_is_unchanged(self, echo, tmp_path, payload, data, decoded):
        path = tmp_path / "session.jsonl"
        with Relay(echo.url, "--decode", "auto", "--json", "--record", path) as relay:
            client = connect(relay)
            client.send(wire.frame(wire.BINARY, payload, is_masked=True))
            message = client.read_message()
            assert (message.opcode, message.payload) == (wire.BINARY, payload)
            client.sock.close()
            relay.wait_for('"type":"close"', "out")
            relay.stop()
            events = [json.loads(line) for line in relay.out.splitlines()]
        for event in events:
            jsonschema.validate(event, SCHEMA)
        assert [(e["direction"], e["data"], e["decoded"], e["bytes"]) for e in events if e["type"] == "message"] == [
            ("in", data, decoded, len(payload)), ("out", data, decoded, len(payload))]
        recorded = [json.loads(line) for line in path.read_text().splitlines()]
        for event in (event for event in recorded if event["type"] == "message"):
            assert "decoded" not in event
            assert base64.b64decode(event["base64"]) if "base64" in event else event["data"].encode() == payload

    def test_each_side_of_each_client_has_its_own_stream(self, echo):
        with Relay(echo.url, "--decode", "zlib-stream", "--json") as relay:
            for _ in range(2):
                client, stream = connect(relay), zlib.compressobj()
                for number in range(3):
                    data = stream.compress(b'{"number":%d}' % number) + stream.flush(zlib.Z_SYNC_FLUSH)
                    client.send(wire.frame(wire.BINARY, data, is_masked=True))
                    assert client.read_message().payload == data
                client.sock.close()
            relay.stop()
            events = [json.loads(line) for line in relay.out.splitlines()]
        messages = sorted((e["client"], e["direction"], e["data"]) for e in events if e["type"] == "message")
        assert messages == [
            (client, direction, '{"number":%d}' % number)
            for client in (1, 2) for direction in ("in", "out") for number in range(3)]

    def test_a_message_that_cannot_be_decoded_is_shown_as_it_is_with_the_reason(self, echo):
        with Relay(echo.url, "--decode", "msgpack", "--json", "--max-message-size", "1000") as relay:
            client = connect(relay)
            client.send(wire.frame(wire.BINARY, b"\xc1", is_masked=True))
            assert client.read_message().payload == b"\xc1"
            relay.stop()
            events = [json.loads(line) for line in relay.out.splitlines()]
        errors = [event for event in events if event["type"] == "message"]
        assert len(errors) == 2 and all(event["decode_error"] and event["base64"] == "wQ==" for event in errors)

    def test_programs_are_not_codecs_of_a_relay(self):
        assert_fails(wsx("relay", "--decode", "exec:cat", "0", "ws://127.0.0.1:1"), 2, "--decode")
        assert_fails(wsx("relay", "--protocol", "mqtt", "0", "ws://127.0.0.1:1"), 2, "--protocol")
