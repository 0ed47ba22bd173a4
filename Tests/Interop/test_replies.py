"""How long connect waits for replies: --one, and the default wait after the end of the input."""

import json
import re
import time

import pytest

import wire
from processes import BINARY, Running, assert_fails, wsx
from scripted_server import ScriptedServer
from terminal import RawTerminal

SLOW_REPLY_S = 0.7


def answering(*replies, greeting=b"", delay=0):
    """Returns a script that answers each message with the next reply, pings with pongs, and the close frame.

    It returns the opcodes of the received frames.
    """

    def script(peer):
        peer.upgrade(then=greeting)
        opcodes, rest = [], list(replies)
        while received := peer.read_frame():
            opcodes.append(received.opcode)
            if received.opcode == wire.PING:
                peer.send(wire.frame(wire.PONG, received.payload))
            elif received.opcode == wire.CLOSE:
                peer.send(wire.frame(wire.CLOSE, received.payload))
                break
            elif rest:
                time.sleep(delay)
                peer.send(rest.pop(0))
        return opcodes

    return script


# --one


@pytest.mark.parametrize("option", ["-1", "--one"])
def test_one_prints_the_reply_and_exits(option):
    with ScriptedServer(answering(wire.text("reply") + wire.text("more"))) as server:
        result = wsx(option, server.url, '{"op":"health"}')
    assert (result.status, result.out, result.err) == (0, b"reply\n", "")
    assert server.results == [[wire.PING, wire.TEXT, wire.CLOSE]]


def test_one_waits_for_a_reply_to_each_message(echo_server):
    assert wsx("-1", echo_server.url, "a", "b", "c").lines == ["a", "b", "c"]
    assert wsx("-1", echo_server.url, stdin=b"a\nb\nc\n").lines == ["a", "b", "c"]


def test_one_waits_for_the_end_of_the_input_even_if_each_message_has_its_reply(python_echo):
    with Running([BINARY, "-1", python_echo.url], stdin=-1) as client:
        for number in range(3):
            client.send(b"%d\n" % number)
            client.wait_for(f"{number}\n", "out")
        client.process.stdin.close()
        assert client.wait() == 0
        assert client.out == b"0\n1\n2\n"


def test_one_waits_for_a_late_reply():
    with ScriptedServer(answering(wire.text("reply"), delay=1.5)) as server:
        result = wsx("-1", server.url, "hello")
    assert (result.status, result.lines, result.err) == (0, ["reply"], "")


@pytest.mark.parametrize("options, greeting", [
    ([], wire.text("first")), (["--no-stdin"], wire.text("first") + wire.text("second"))])
def test_one_without_a_message_prints_the_first_one(options, greeting):
    with ScriptedServer(answering(greeting=greeting)) as server:
        result = wsx("-1", *options, server.url)
    assert (result.status, result.lines, result.err) == (0, ["first"], "")


def test_one_with_no_stdin_waits_for_the_reply():
    with ScriptedServer(answering(wire.text("reply"))) as server:
        result = wsx("-1", "--no-stdin", server.url, "hello", stdin=b"unread\n")
    assert (result.status, result.lines, result.err) == (0, ["reply"], "")


def test_one_does_not_count_a_greeting_in_the_response():
    with ScriptedServer(answering(wire.text("reply"), greeting=wire.text("welcome"))) as server:
        result = wsx("-1", server.url, "hello")
    assert (result.status, result.lines, result.err) == (0, ["welcome", "reply"], "")


def test_a_peer_that_closes_before_all_replies_exits_7():
    with ScriptedServer(answering(wire.text("a"), wire.close(1000))) as server:
        result = wsx("-1", server.url, "x", "y")
    assert_fails(result, 7, "closed with 1000 after 1 of 2 replies")
    assert result.lines == ["a"]


@pytest.mark.parametrize("limit, words", [
    (["--timeout", "400ms"], "timed out after 400 ms (--timeout); 0 of 1 replies"),
    (["--linger", "200ms"], "0 of 1 replies; nothing arrived for 200 ms (--linger)"),
], ids=" ".join)
def test_a_missing_reply_exits_6(limit, words):
    with ScriptedServer(answering()) as server:
        assert_fails(wsx("-1", *limit, server.url, "hello"), 6, words)


def test_one_without_input_reports_that_nothing_was_sent():
    with ScriptedServer(answering()) as server:
        assert_fails(wsx("-1", "--timeout", "400ms", server.url), 6, "; no message was received")


def test_one_never_opens_the_prompt():
    with ScriptedServer(answering(greeting=wire.text("first"))) as server:
        with RawTerminal("-1", server.url) as terminal:
            assert terminal.wait() == 0
    assert terminal.output == b"first\r\n"


def test_one_cannot_be_used_with_count():
    assert_fails(wsx("-1", "-n", "2", "echo:", "x"), 2, "'-1' cannot be used with '-n'")


def test_with_requests_one_counts_only_replies():
    replies = [wire.text('{"push":1}') + wire.text('{"id":1}'), wire.text('{"id":2}')]
    with ScriptedServer(answering(*replies)) as server:
        result = wsx("-1", "--correlate", "id", server.url, '{"id":1}', '{"id":2}')
    assert (result.status, result.lines, result.err) == (0, ['{"push":1}', '{"id":1}', '{"id":2}'], "")


# The default wait


# The time is at least 100 ms, and longer on a slow machine.
EARLY_END = r"Ended (?:\d{3} ms|[\d.]+ s) after one reply per message; --linger 5s waits for more"


def test_the_end_of_the_wait_is_explained_on_a_terminal():
    for words, replies, notice in [
        ([], 1, EARLY_END), (["-q"], 1, "$"), (["--linger", "100ms"], 1, "$"),
        ([], 0, "Ended with 0 replies to 1 message; --linger 5s waits for more"),
    ]:
        with ScriptedServer(answering(*[wire.text("first")] * replies)) as server:
            with RawTerminal(*words, server.url, "hello") as terminal:
                assert terminal.wait() == 0
                assert re.fullmatch("first\r\n" * replies + notice + r"\s*", terminal.output.decode()), terminal.output


@pytest.mark.parametrize("replies, last, notice", [
    (1, b"", "Ended with 1 reply to 3 messages; --linger 5s waits for more\n"),
    (2, wire.close(1000), "Ended with 2 replies to 3 messages\n"),
    (0, b"", ""), (3, b"", ""), (4, b"", ""),
])
def test_a_run_with_some_replies_tells_how_many_are_missing(replies, last, notice):
    def script(peer):
        peer.upgrade(then=wire.text("welcome"))
        for _ in range(3):
            peer.read_next()
        peer.send(wire.text("reply") * replies + last)
        peer.answer_close()

    with ScriptedServer(script) as server:
        result = wsx(server.url, "a", "b", "c")
    assert (result.status, result.lines, result.err) == (0, ["welcome"] + ["reply"] * replies, notice)


def test_an_automatic_answer_is_no_message_that_a_reply_is_missing_for():
    with ScriptedServer(answering(wire.text("ping") + wire.text("reply"))) as server:
        result = wsx("--answer", "^ping$ => pong", server.url, "hello")
    assert (result.status, result.lines, result.err) == (0, ["ping", "reply"], "")


def test_a_slow_reply_arrives():
    with ScriptedServer(answering(wire.text("reply"), delay=SLOW_REPLY_S)) as server:
        result = wsx(server.url, "hello")
    assert (result.status, result.lines, result.err) == (0, ["reply"], "")


def test_a_slow_reply_arrives_after_a_greeting():
    def script(peer):
        peer.upgrade(then=wire.text("welcome"))
        ping = peer.read_frame()
        assert ping.opcode == wire.PING
        peer.send(wire.frame(wire.PONG, ping.payload))
        peer.read_frame()
        time.sleep(SLOW_REPLY_S)
        peer.send(wire.text("reply"))
        peer.answer_close()

    with ScriptedServer(script) as server:
        result = wsx(server.url, "hello")
    assert (result.status, result.lines, result.err) == (0, ["welcome", "reply"], "")


def test_a_slow_reply_arrives_from_a_server_that_answers_no_pings():
    def script(peer):
        peer.upgrade()
        while peer.read_frame().opcode != wire.TEXT:
            pass
        peer.send(wire.text("accepted"))
        time.sleep(SLOW_REPLY_S)
        peer.send(wire.text("done"))
        peer.answer_close()

    with ScriptedServer(script) as server:
        result = wsx(server.url, "hello")
    assert (result.status, result.lines, result.err) == (0, ["accepted", "done"], "")


@pytest.mark.parametrize("arguments, opcodes", [
    (["hello"], [wire.PING, wire.TEXT, wire.CLOSE]),
    ([], [wire.CLOSE]),
    (["--linger", "1s", "hello"], [wire.TEXT, wire.CLOSE]),
    (["-n", "1", "hello"], [wire.TEXT, wire.CLOSE]),
])
def test_a_ping_precedes_the_first_message_only_if_the_default_wait_needs_it(arguments, opcodes):
    with ScriptedServer(answering(wire.text("reply"))) as server:
        assert wsx("connect", server.url, *arguments).status == 0
    assert server.results == [opcodes]


def test_the_ping_is_no_event_and_is_not_recorded(tmp_path, wsx_echo):
    path = tmp_path / "session.jsonl"
    result = wsx("connect", "--output", "json", "--record", path, wsx_echo.url, "hello")
    assert result.status == 0
    assert [json.loads(line)["type"] for line in result.lines] == ["open", "message", "close"]
    recorded = [json.loads(line)["type"] for line in path.read_text().splitlines()]
    assert not {"ping", "pong"} & set(recorded), recorded


def test_the_ping_is_shown_with_v(wsx_echo):
    assert "linger" in wsx("connect", "-v", wsx_echo.url, "hello").err


def test_a_run_with_an_echo_takes_less_than_a_second(wsx_echo):
    """The fastest of several runs counts: the machine may be busy."""

    def duration():
        start = time.monotonic()
        assert wsx(wsx_echo.url, "hello").out == b"hello\n"
        return time.monotonic() - start

    assert any(duration() < 0.9 for _ in range(10))
