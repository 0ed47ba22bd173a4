"""Codecs of `wsx listen` and `wsx relay`: `--decode` and `--encode`. Payloads are written out, so no codec is needed here."""

import asyncio
import base64
import json
import subprocess
import zlib

import pytest
import websockets

import wire
from listen_clients import connect
from processes import Listener, Relay, assert_fails, wait_until, wsx
from scripted_server import ScriptedServer
from test_codecs import MSGPACK, TEXT
from test_relay import upgraded

CODECS = ["--decode", "msgpack", "--encode", "msgpack"]
# {"id":8} and [1]
OTHER = bytes.fromhex("81a2696408")
ONE = b"\x91\x01"


def discord(*texts):
    """Returns the messages of a zlib stream."""
    compressor = zlib.compressobj()
    return [compressor.compress(text) + compressor.flush(zlib.Z_SYNC_FLUSH) for text in texts]


def binary(payload):
    return wire.frame(wire.BINARY, payload, is_masked=True)


def exchanged(url, *messages, replies):
    """Sends messages with another implementation, and returns this many received ones."""

    async def exchange():
        async with websockets.connect(url, max_size=None) as client:
            for message in messages:
                await client.send(message)
            return [await asyncio.wait_for(client.recv(), 60) for _ in range(replies)]

    return asyncio.run(exchange())


def messages(text):
    """Returns the direction and contents of each message event."""
    events = [json.loads(line) for line in text.splitlines()]
    return [(event["direction"], event["data"] if "data" in event else base64.b64decode(event["base64"]))
            for event in events if event["type"] == "message"]


def test_messages_are_written_decoded_and_recorded_as_received(tmp_path):
    path = tmp_path / "session.jsonl"
    with Listener("--decode", "msgpack", "--record", path) as server:
        exchanged(server.url, MSGPACK, "text", replies=0)
        server.wait_for("text\n", "out")
        server.stop()
        assert server.out == f"{TEXT}\ntext\n".encode()
    assert messages(path.read_text()) == [("in", MSGPACK), ("in", "text")]


@pytest.mark.parametrize("output, written", [
    ("hex", MSGPACK.hex().encode() + b"\n"), ("base64", base64.b64encode(MSGPACK) + b"\n"), ("raw", MSGPACK),
    ("nul", TEXT.encode() + b"\0")])
def test_raw_outputs_keep_the_received_bytes(output, written):
    with Listener("--decode", "msgpack", "--output", output, "--once") as server:
        exchanged(server.url, MSGPACK, replies=0)
        server.wait()
        assert server.out == written


def test_echoes_and_broadcasts_keep_the_received_bytes():
    with Listener("--decode", "msgpack", "--echo", "--json") as server:
        assert exchanged(server.url, MSGPACK, "text", replies=2) == [MSGPACK, "text"]
        server.stop()
        assert messages(server.out) == [("in", TEXT), ("in", "text")]
        assert '"opcode":"binary","bytes":9' in server.out.decode() and '"decoded":"msgpack"' in server.out.decode()
    with Listener("--decode", "msgpack", "--broadcast") as server:
        other = connect(server)
        exchanged(server.url, MSGPACK, replies=0)
        assert other.read_message().payload == MSGPACK
        server.wait_for(TEXT, "out")


def test_rules_match_decoded_messages_and_answers_are_encoded():
    rules = ["--first-message", "[1]", "--answer", 'json:.id==7 => {"id":8}', "--answer", "not => JSON {{seq}}"]
    with Listener("--echo", *CODECS, *rules) as server:
        assert exchanged(server.url, MSGPACK, OTHER, "not", replies=3) == [ONE, OTHER, OTHER]
        server.wait_for(r"a message of client 1 was not answered \(--answer\): msgpack: not JSON")


def test_lines_of_standard_input_are_encoded_once_for_all_clients():
    with Listener(*CODECS, "-vv", stdin=subprocess.PIPE) as server:
        clients = [connect(server) for _ in range(2)]
        server.send(b'{"id":8}\nno JSON\n[1]\n')
        for client in clients:
            assert [client.read_message().payload for _ in range(2)] == [OTHER, ONE]
        server.wait_for("input message 2 was not sent: msgpack: not JSON")
        # -vv shows the texts.
        assert '{"id":8}' in server.err
        assert server.stop() == 2
        assert server.err.endswith("wsx: input: 1 message could not be read or encoded\n")


def test_a_program_reads_decoded_lines_and_writes_lines_that_are_encoded(tmp_path):
    log = tmp_path / "log"
    script = f"tee -a {log}"
    with Listener(*CODECS, program=["sh", "-c", script]) as server:
        assert exchanged(server.url, MSGPACK, OTHER, replies=2) == [MSGPACK, OTHER]
    assert log.read_bytes() == f'{TEXT}\n{{"id":8}}\n'.encode()


def test_a_line_of_a_program_that_cannot_be_encoded_is_reported():
    with Listener("--encode", "msgpack", program=["sh", "-c", "echo no; echo '[1]'; exec cat"]) as server:
        assert connect(server).read_message().payload == ONE
        server.wait_for("client 1: .*not JSON")


def test_both_sides_of_a_scenario_encode_and_decode(tmp_path):
    path = tmp_path / "steps.jsonl"
    path.write_text('{"type":"message","direction":"out","data":"{\\"id\\":7,\\"ok\\":true}"}\n'
                    '{"type":"message","direction":"in","data":"{\\"id\\":8}"}\n')
    with Listener(*CODECS, "--scenario", path, "--once") as server:
        assert exchanged(server.url, MSGPACK, replies=1) == [OTHER]
        assert server.wait() == 0, server.err
    recording = tmp_path / "recording.jsonl"
    with Listener(*CODECS, "--scenario", path) as server:
        result = wsx("connect", "--scenario", path, *CODECS, "--record", recording, server.url)
        assert result.status == 0, result
    # A recording of either side has the bytes.
    with Listener(*CODECS, "--scenario", recording, "--once") as server:
        assert exchanged(server.url, MSGPACK, replies=1) == [OTHER]
        assert server.wait() == 0, server.err


def test_each_client_has_its_own_stream_and_an_incomplete_message_is_reported():
    texts = [b'{"number":%d}' % number for number in range(3)]
    with Listener("--decode", "zlib-stream", "--broadcast") as server:
        other = connect(server)
        for _ in range(2):
            exchanged(server.url, *discord(*texts), replies=0)
        client = connect(server)
        client.send(binary(zlib.compress(b"never complete")[:-6]))
        client.sock.close()
        server.wait_for("a message of client 4 was not decoded: zlib-stream: the data is incomplete")
        # Others get it all the same.
        assert len([other.read_message() for _ in range(7)]) == 7
        server.stop()
        assert server.out.splitlines() == texts * 2


def test_messages_that_cannot_be_decoded_are_written_as_received_and_reported_ten_times():
    with Listener("--decode", "msgpack", "--json") as server:
        exchanged(server.url, *[b"\xc1"] * 12, MSGPACK, replies=0)
        server.wait_for("further messages that cannot be decoded are not reported")
        server.wait_for('"decoded":"msgpack"', "out")
        server.stop()
        events = [json.loads(line) for line in server.out.splitlines()]
        assert server.err.count("a message of client 1 was not decoded: msgpack: ") == 10
    assert [event["decode_error"] for event in events if event.get("base64") == "wQ=="][11].startswith("msgpack: ")


def test_bombs_of_one_client_leave_turns_to_others():
    bomb = zlib.compress(bytes(8 << 20))
    with Listener("--echo", "--decode", "gzip", "--answer", "^ping$ => pong", "--max-message-size", "4M") as server:
        attacker, other = connect(server), connect(server)
        attacker.send(b"".join(binary(bomb) for _ in range(5)))
        for _ in range(5):
            other.send(wire.text("ping", is_masked=True))
            assert other.read_message().payload == b"pong"
        assert [attacker.read_message().payload for _ in range(5)] == [bomb] * 5


def test_hidden_messages_are_found_by_their_decoded_form():
    with Listener("--decode", "msgpack", "--hide", "json:.id==7") as server:
        exchanged(server.url, MSGPACK, OTHER, replies=0)
        server.wait_for('{"id":8}\n', "out")
        server.stop()
        assert server.out == b'{"id":8}\n'


def test_what_makes_no_sense_is_an_error():
    for options, words in [
            (["--decode", "exec:cat"], ["--decode", "msgpack"]), (["--encode", "exec:cat"], ["--encode", "msgpack"]),
            (["--encode", "gzip"], ["--encode", "cbor"]), (["--encode", "cbor", "--echo"], ["--encode", "--answer"]),
            (["--encode", "cbor", "--no-stdin"], ["--encode", "--answer"]),
            (["--encode", "cbor", "--binary"], ["--encode", "--binary"]),
            (["--encode", "cbor", "--replay", "x"], ["--encode", "--replay"]),
            (["--encode", "cbor", "--answer", "a => b"], ["--answer", "cbor: not JSON"]),
            (["--encode", "cbor", "--echo", "--first-message", "b"], ["--first-message", "cbor: not JSON"])]:
        assert_fails(wsx("listen", *options, "0"), 2, *words)


class TestRelays:
    def test_answers_match_decoded_messages_and_are_encoded(self):
        with Listener("--echo") as echo, Relay(echo.url, *CODECS, "--answer", 'json:.id==7 => {"id":8}', "--json") as relay:
            assert exchanged(relay.url, MSGPACK, ONE, replies=2) == [OTHER, ONE]
            relay.stop()
            assert sorted(messages(relay.out)) == [("in", "[1]"), ("in", TEXT), ("out", "[1]"), ("out", '{"id":8}')]

    def test_messages_of_both_sides_are_recorded_when_they_arrive(self, tmp_path):
        path = tmp_path / "session.jsonl"

        def serve(peer):
            upgraded(peer)
            peer.send(wire.text("of the server"))
            peer.read_until_close()

        options = ["--delay", "1h", "--record", path, "--json"]
        with ScriptedServer(serve) as server, Relay(server.url, *options) as relay:
            client = connect(relay)
            client.send(wire.text("of the client", is_masked=True))
            expected = [("in", "of the client"), ("out", "of the server")]
            wait_until(lambda: path.exists() and sorted(messages(path.read_text())) == expected)
            wait_until(lambda: sorted(messages(relay.out)) == expected)
            client.sock.close()

    def test_dropped_messages_of_the_server_are_recorded(self, tmp_path):
        path = tmp_path / "session.jsonl"
        with Listener("--first-message", "hi") as server, Relay(server.url, "--drop-rate", "1", "--record", path) as relay:
            client = connect(relay)
            wait_until(lambda: path.exists() and messages(path.read_text()) == [("out", "hi")])
            client.sock.close()

    def test_a_stream_stays_decodable_although_messages_are_dropped(self):
        texts = [b'{"number":%d}' % number for number in range(20)]
        options = ["--drop-rate", "0.5", "--seed", "1", "--decode", "zlib-stream", "--json"]
        with Listener("--echo") as echo, Relay(echo.url, *options, "--fault-from", "server") as relay:
            client = connect(relay)
            for message in discord(*texts):
                client.send(binary(message))
            wait_until(lambda: len(messages(relay.out)) == 2 * len(texts))
            found = messages(relay.out)
        assert [data.encode() for direction, data in found if direction == "out"] == texts

    def test_an_answer_is_recorded_in_order_with_what_the_server_sends(self, tmp_path):
        path = tmp_path / "r.jsonl"
        with Listener("--echo") as echo, Relay(
                echo.url, "--answer", "^a => ANSWER", "--fault-from", "server", "--delay", "100ms", "--record", path) as relay:
            client = connect(relay)
            client.send(wire.text(b"a", is_masked=True) + wire.text(b"x", is_masked=True))
            received = [client.read_frame().payload.decode() for _ in range(2)]
        events = [json.loads(line) for line in path.read_text().splitlines()]
        sent = [event["data"] for event in events if event.get("direction") == "out" and event["type"] == "message"]
        assert sent == received == ["ANSWER", "x"]


@pytest.mark.parametrize("mode", ["--echo", "--broadcast"])
def test_an_answer_takes_no_message_out_of_a_stream(mode):
    result = wsx("listen", mode, "--decode", "zlib-stream", "--answer", "a => b", "0")
    assert_fails(result, 2, "--answer: a message that is not passed on as received would damage the stream")


def test_messages_of_a_program_that_are_not_decoded_are_reported():
    with Listener("--decode", "msgpack", program=["cat"]) as server:
        connect(server).send(binary(b"\xc1"))
        server.wait_for("a message of client 1 was not decoded: msgpack: ")
