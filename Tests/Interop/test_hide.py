"""--hide: messages that are neither written, shown, nor counted."""

import json

import pytest

import wire
from processes import BINARY, Listener, Relay, Running, assert_fails, wsx
from scripted_server import ScriptedServer
from terminal import Screen
from test_repl import Conversation


def feed(*messages):
    """A server that sends messages, and returns what it receives."""

    def script(peer):
        peer.upgrade(then=b"".join(map(wire.text, messages)))
        received = []
        while (frame := peer.read_next()).opcode != wire.CLOSE:
            received.append(frame.payload.decode())
        peer.send(wire.frame(wire.CLOSE, frame.payload))
        return received

    return ScriptedServer(script)


MESSAGES = ['{"op":"beat"}', '{"n":1}', '{"op":"beat"}', '{"n":2}', '{"n":3}']


@pytest.mark.parametrize("options, lines", [
    (["--hide", "beat", "-n", "2"], MESSAGES[1:4:2]),
    (["--hide", 'json:.op=="beat"', "--hide", "json:.n==2", "--until", "3"], ["{\"n\":1}", "{\"n\":3}"]),
    (["--hide", "1", "--until", '"n":[12]'], [MESSAGES[0], MESSAGES[2], MESSAGES[3]]),
    (["--hide", "beat", "-n", "2", "--pick", ".n"], ["1", "2"]),
    (["--hide", "beat", "-1"], MESSAGES[1:2]),
], ids=str)
def test_hidden_messages_are_not_written_and_meet_no_goal(options, lines):
    with feed(*MESSAGES) as server:
        result = wsx("connect", "--no-stdin", *options, server.url)
    assert (result.status, result.lines, result.err) == (0, lines, "")


def test_a_hidden_message_meets_no_expectation():
    with feed(*MESSAGES) as server:
        result = wsx("connect", "--no-stdin", "--hide", "beat", "--expect", "beat", "-n", "3", server.url)
    assert_fails(result, 7, "beat")


def test_hidden_messages_are_recorded_answered_and_inserted(tmp_path):
    path = tmp_path / "session.jsonl"
    with feed('{"seq":5}', "end") as server:
        result = wsx(
            "connect", "--hide", "seq", "--answer", 'json:.seq => {"ack":{{last:.seq}}}', "--json", "--record", path,
            "-n", "1", "--no-stdin", server.url)
        assert result.status == 0 and "seq" not in result.out.decode()
    assert server.results == [['{"ack":5}']]
    events = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(event["direction"], event["data"]) for event in events if event["type"] == "message"] == [
        ("in", '{"seq":5}'), ("out", '{"ack":5}'), ("in", "end")]


def test_a_hidden_message_is_a_reply_only_if_its_id_says_so():
    def script(peer):
        peer.upgrade()
        messages = [peer.read_next() for _ in range(1)]
        peer.send(wire.text('{"op":"beat"}') + wire.text('{"id":1,"ok":true}'))
        peer.answer_close()
        return len(messages)

    for options in (["--request"], ["-1"], ["--correlate", "id"]):
        for hidden, lines in (("beat", ['{"id":1,"ok":true}']), ("ok", ['{"op":"beat"}'])):
            if hidden == "ok" and options != ["--correlate", "id"]:
                continue
            with ScriptedServer(script) as server:
                result = wsx("connect", *options, "--hide", hidden, server.url, '{"id":1}')
            assert (result.status, result.lines, result.err) == (0, lines, ""), options


def test_hidden_messages_are_shown_with_verbose_and_found_by_number():
    with feed(*MESSAGES) as server:
        result = wsx("connect", "--no-stdin", "-v", "--color", "always", "--hide", "beat", "-n", "3", server.url)
    assert result.status == 0 and result.err.count('{"op":"beat"}') == 2
    for line in result.err.splitlines():
        if "beat" in line:
            assert line.startswith("\x1b[2m") and line.endswith("\x1b[0m")
    for options, count in (("", 0), ("-v", 2)):
        with Screen(width=100, height=30) as screen, Conversation() as server:
            screen.enter(f"$WSX connect {options} --hide beat --timestamps off --color never {server.url}")
            screen.wait_for_last_line(">")
            server.send(b"".join(map(wire.text, MESSAGES)))
            screen.wait_for(r'#5 ← {"n":3}')
            assert screen.text.count('← {"op":"beat"}') == count
            screen.enter("/show 3")
            screen.wait_for(r"^ *#3 ← text, 13 B")
            screen.press("C-d")


@pytest.mark.parametrize("options", [[], ["--broadcast"], ["--json"]], ids=str)
def test_a_server_hides_messages_of_clients(options, tmp_path):
    path = tmp_path / "session.jsonl"
    with Listener(*options, "--no-stdin", "--hide", "^beat", "--answer", "beat 1 => ack", "--record", path) as server:
        with Running([BINARY, "connect", "--no-stdin", server.url]) as other:
            server.wait_for("connected from")
            result = wsx("connect", server.url, stdin=b"beat 1\nbeat 2\nreal\n")
            server.wait_for("real", "out")
            assert result.lines == ["ack"]
            if "--broadcast" in options:
                other.wait_for("real", "out")
                # It is forwarded, unless it is answered.
                assert other.out == b"beat 2\nreal\n"
    assert b"beat" not in server.out and b"real" in server.out
    recorded = [json.loads(line) for line in path.read_text().splitlines()]
    assert [event["data"] for event in recorded if event["type"] == "message" and event["direction"] == "in"] == [
        "beat 1", "beat 2", "real"]


def test_a_relay_hides_messages_of_both_sides_and_forwards_them(tmp_path):
    path = tmp_path / "session.jsonl"
    with Listener("--echo") as echo, Relay(echo.url, "--json", "--hide", "beat", "--record", path) as relay:
        assert wsx("connect", relay.url, "beat", "real").lines == ["beat", "real"]
        relay.wait_for('"type":"close"', "out")
        assert b"beat" not in relay.out and relay.out.count(b"real") == 2
    assert path.read_text().count('"data":"beat"') == 2


def test_an_invalid_condition_is_an_error():
    for command in (["connect", "echo:"], ["listen", "0"], ["relay", "0", "echo:"]):
        assert_fails(wsx(*command, "--hide", "("), 2, "--hide")
