"""Records: steps of `--decode` that cut a message into several, and what the rest of wsx makes of them."""

import gzip
import json

import jsonschema
import pytest

import wire
from listen_clients import connect
from processes import ROOT, Listener, Relay, assert_fails, wait_until, wsx
from scripted_server import ScriptedServer
from test_bench import bench
from test_relay import connect as connect_through, upgraded

SCHEMA = json.loads((ROOT / "docs/schemas/events.json").read_text())
TRADES = '[{"T":"t","p":1}, {"T":"q","p":2},{"T":"t","p":3}]'
# [1,{},"x"] and [6], each after its length, as in SignalR.
HUB = bytes.fromhex("05930180a178 029106")


def frame(message):
    return wire.text(message) if isinstance(message, str) else wire.frame(wire.BINARY, message)


def serving(*messages, received=None):
    """A server that sends messages, and collects those of its client."""

    def script(peer):
        upgraded(peer)
        for message in messages:
            peer.send(frame(message))
        while (got := peer.read_frame()) and got.opcode != wire.CLOSE:
            if got.opcode == wire.PING:
                peer.send(wire.frame(wire.PONG, got.payload))
            elif received is not None:
                received.append(got.payload)
        peer.send(wire.close(1000))

    return ScriptedServer(script)


def run(options, *messages, received=None, status=0):
    with serving(*messages, received=received) as server:
        result = wsx("connect", "--no-stdin", "--timeout", "20s", *options, server.url)
    assert result.status == status, result
    return result


def decode(*steps):
    return [word for step in steps for word in ("--decode", step)]


@pytest.mark.parametrize("steps, message, records", [
    (["lines"], '{"a":1}\r\n\n{"type":"ping"}\n', ['{"a":1}', '{"type":"ping"}']),
    (["split:\\x1e"], '{"type":6}\x1e{"type":1}\x1e', ['{"type":6}', '{"type":1}']),
    (["split:, "], "a, b,c", ["a", "b,c"]),
    (["array"], TRADES, ['{"T":"t","p":1}', '{"T":"q","p":2}', '{"T":"t","p":3}']),
    (["array"], '{"no":"array"}', ['{"no":"array"}']),
    (["lines", "array"], "[1,2]\n[3]", ["1", "2", "3"]),
    (["skip:4"], "a42[1]", ["1]"]),
    (["skip:2", "array"], '42["event",{"a":1}]', ['"event"', '{"a":1}']),
    (["length:varint", "msgpack"], HUB, ['[1,{},"x"]', "[6]"]),
    (["length:u16le"], b"\1\0a\2\0bc", ["a", "bc"]),
    (["skip:20", "gzip", "lines"], b"#" * 20 + gzip.compress(b"a\nb", mtime=0), ["a", "b"]),
], ids=str)
def test_a_message_becomes_one_for_each_record(steps, message, records):
    assert run(["-n", str(len(records)), *decode(*steps)], message).out.decode().splitlines() == records


def test_records_count_and_a_message_without_one_does_not():
    result = run(["-n", "2", *decode("array")], "[]", "[1]", "[2,3]")
    assert result.out == b"1\n2\n"
    assert run(["-1", *decode("array"), "--hide", "^[12]$"], "[1,2,3,4]").out == b"3\n"
    assert run(["--until", 'json:.p==3', "--pick", ".p", *decode("array")], TRADES).out == b"1\n2\n3\n"


def test_events_have_the_number_of_the_record_and_the_size_of_the_message():
    result = run(["-n", "3", "--json", *decode("array")], TRADES)
    events = [json.loads(line) for line in result.out.splitlines()]
    for event in events:
        jsonschema.validate(event, SCHEMA)
    events = [event for event in events if event["type"] == "message"]
    assert [(event["record"], event["records"], event["bytes"], event["opcode"], event["decoded"]) for event in events] == [
        (number, 3, len(TRADES), "text", "array") for number in (1, 2, 3)]


@pytest.mark.parametrize("output, written", [("hex", b"930180a178\n9106\n"), ("raw", bytes.fromhex("930180a1789106"))])
def test_outputs_of_bytes_have_records_as_the_last_splitter_left_them(output, written):
    assert run(["-n", "2", "--output", output, *decode("length:varint", "msgpack")], HUB).out == written
    assert run(["-n", "2", "--output", output, *decode("length:varint")], HUB).out == written


def test_what_does_not_divide_exactly_stays_undecoded():
    result = run(["-1", *decode("length:u8")], b"\5ab")
    assert result.out == b"\5ab\n"
    assert "a message was not decoded: length: the record at byte 1 has 5 bytes" in result.err


def test_one_record_of_a_message_is_answered():
    received = []
    run(["-n", "3", *decode("lines"), "--answer", '"type":"ping" => {"type":"pong"}'],
        '{"a":1}\n{"type":"ping"}\n{"a":2}', received=received)
    assert received == [b'{"type":"pong"}']


def test_a_protocol_file_gets_the_events_of_an_array(tmp_path):
    path = tmp_path / "feed.json"
    path.write_text('{"name":"feed","summary":"trades","event":"/T","hidden":"\\"T\\":\\"q\\""}')
    result = run(["-n", "2", "--protocol", f"@{path}", *decode("array"), "--pick", ".p"], TRADES)
    assert result.out == b"1\n3\n"


def test_programs_decode_records_in_their_order():
    result = run(["-n", "3", *decode("length:u8", "exec:sed -u s/=//g")], b"\3abc\3def\3ghi")
    assert result.out.decode().splitlines() == ["YWJj", "ZGVm", "Z2hp"]


@pytest.mark.parametrize("options, sent, received", [
    (["--encode", "split:\\x1e"], '{"type":6}', b'{"type":6}\x1e'),
    (["--encode", "length:varint", "--encode", "msgpack"], "[6]", b"\2\x91\6"),
    (["--encode", "length:u16"], "ab", b"\0\2ab"),
], ids=str)
def test_encoders_add_separators_and_lengths(options, sent, received):
    messages = []
    with serving(received=messages) as server:
        assert wsx("connect", "--linger", "0s", *options, server.url, sent).status == 0
        wait_until(lambda: messages)
    assert messages == [received]


def test_a_relay_shows_records_and_forwards_messages_as_they_are():
    received = []
    with serving("a\x1eb\x1e", received=received) as server, Relay(
            server.url, "--decode", "from:server split:\\x1e", "--json") as relay:
        client = connect_through(relay)
        assert client.read_message().payload == b"a\x1eb\x1e"
        client.send(wire.text("c\x1ed", is_masked=True) + wire.close(1000, is_masked=True))
        client.read_until_close()
        relay.stop()
        events = [json.loads(line) for line in relay.out.splitlines()]
    assert [(event["direction"], event["data"]) for event in events if event["type"] == "message"] == [
        ("out", "a"), ("out", "b"), ("in", "c\x1ed")]
    assert received == [b"c\x1ed"]


def test_a_relay_changes_records_and_leaves_the_others_byte_for_byte(tmp_path):
    path = tmp_path / "session.jsonl"
    # The 1 is not in the shortest form.
    hub = bytes.fromhex("0693cd000180a0 029106")
    with serving(hub) as server, Relay(
            server.url, *decode("length:varint", "msgpack"), "--rewrite", r"^\[6\]$ => [7]", "--record", path) as relay:
        client = connect_through(relay)
        assert client.read_message().payload == hub[:-1] + b"\7"
        client.send(wire.close(1000, is_masked=True))
        client.read_until_close()
        relay.stop()
    recorded = [json.loads(line) for line in path.read_text().splitlines()]
    assert recorded[0]["decode"] == ["from:client length:varint", "from:client msgpack", "from:server length:varint",
                                     "from:server msgpack"]
    assert [event["rewritten"] for event in recorded if event["type"] == "message"] == [True]


@pytest.mark.parametrize("message, rule, forwarded", [
    ("a\r\nb\r\n", "^b$ => B", b"a\r\nB\r\n"), ("[1, 2]", "^2$ => 3", b"[1,3]"), ("no match", "^x => y", b"no match"),
    (b"a\nb\n", "^b$ => B", b"a\nB\n")])
def test_a_relay_rewrites_records(message, rule, forwarded):
    steps = decode("array" if message[0] == "[" else "lines")
    with serving(message) as server, Relay(server.url, *steps, "--rewrite", rule) as relay:
        client = connect_through(relay)
        assert client.read_message().payload == forwarded


def test_a_record_that_cannot_be_encoded_again_is_forwarded_as_received_and_reported():
    with serving(HUB) as server, Relay(
            server.url, *decode("length:varint", "msgpack"), "--rewrite", r"^\[6\]$ => no JSON") as relay:
        client = connect_through(relay)
        assert client.read_message().payload == HUB
        relay.wait_for(r"was not changed \(--rewrite\)")


def test_a_message_that_cannot_lose_a_record_is_dropped_as_a_whole():
    # Without zab, the length would be a line feed, which ends lines.
    message = "\x0e\x03zab\x09123456789\n"
    with serving(message, "next") as server, Relay(
            server.url, *decode("lines", "length:u8", "length:u8"), "--drop", "^z") as relay:
        assert connect_through(relay).read_message().payload == b"next"
        relay.wait_for("was dropped as a whole")


def test_records_that_a_search_gives_up_do_not_stop_the_run():
    lines = "\n".join(["a" * 60 + "!"] * 5000 + ["end"])
    with serving(lines) as server:
        run = wsx("connect", "--no-stdin", *decode("lines"), "--hide", "^(a|aa|aaa)+$", "--until", "^end$", server.url)
    assert run.status == 0 and run.out.count(b"\n") == 5001
    assert run.err.count("needs too many steps") == 1


def test_an_answered_record_is_not_echoed():
    with Listener("--echo", *decode("lines"), "--answer", "^ping$ => pong") as server:
        client = connect(server)
        client.send(wire.text("a\nping\nb", is_masked=True))
        assert sorted(client.read_message().payload for _ in range(2)) == [b"a\nb", b"pong"]
        client.send(wire.text("ping\nping", is_masked=True))
        assert [client.read_message().payload for _ in range(2)] == [b"pong", b"pong"]


@pytest.mark.parametrize("arguments, words", [
    (["connect", "--decode", "split:"], "the text after split: is empty"),
    (["connect", "--decode", "length:u64"], "expected length:u8"),
    (["connect", "--decode", "skip:x"], "expected a number of bytes"),
    (["connect", "--decode", "split:\\q"], "is no escape"),
    (["relay", "0", "--decode", "auto", "--rewrite", "a => b"], "cannot be encoded again for --decode auto"),
    (["relay", "0", "--decode", "zlib-stream", "--answer", "a => b"], "would damage the stream"),
    (["connect", "--decode", "from:server lines"], "for '--decode'"),
], ids=str)
def test_what_is_not_possible_is_one_line(arguments, words):
    assert_fails(wsx(*arguments, "echo:" if arguments[0] == "connect" else "ws://127.0.0.1:1"), 2, words)


def test_bench_counts_records_in_every_mode():
    def script(peer):
        peer.upgrade()
        assert peer.read_frame().payload == b"go"
        peer.send(wire.text(TRADES) + wire.text("[]"))
        peer.answer_close()

    with ScriptedServer(script) as server:
        result, results = bench(
            server.url, "--mode", "receive", "-c", "1", "-d", "1s", "-m", "go", *decode("array"), check_sum=False)
    assert (result.status, results["messages"]["received"]) == (0, 3)
    for mode in ["echo", "send", "idle", "connect"]:
        with Listener("--echo") as server:
            result = wsx("bench", "--mode", mode, "-c", "1", *decode("lines"), *(
                ["-d", "1s"] if mode == "idle" else ["-n", "10"]), server.url)
            assert result.status == 0, result


def test_converted_recordings_have_the_records(tmp_path):
    recording, har = tmp_path / "session.jsonl", tmp_path / "session.har"
    run(["-n", "4", *decode("array"), "--record", recording], TRADES, '{"one":1}')
    assert json.loads(recording.read_text().splitlines()[0])["decode"] == ["array"]
    assert "4 received" in wsx("convert", recording, "--list").out.decode()
    assert wsx("convert", recording, har).status == 0
    messages = json.loads(har.read_text())["log"]["entries"][0]["_webSocketMessages"]
    assert [message["data"] for message in messages] == [
        '{"T":"t","p":1}', '{"T":"q","p":2}', '{"T":"t","p":3}', '{"one":1}']


def test_a_recording_with_a_program_is_converted_as_received(tmp_path):
    recording, har, marker = tmp_path / "session.jsonl", tmp_path / "session.har", tmp_path / "started"
    run(["-n", "1", "--record", recording], TRADES)
    lines = recording.read_text().splitlines()
    head = json.loads(lines[0]) | {"decode": ["array", f"exec:touch {marker}"]}
    recording.write_text("\n".join([json.dumps(head), *lines[1:]]) + "\n")
    assert wsx("convert", recording, har).status == 0
    assert len(json.loads(har.read_text())["log"]["entries"][0]["_webSocketMessages"]) == 1
    assert not marker.exists()
