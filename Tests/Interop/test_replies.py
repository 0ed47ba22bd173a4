"""How long connect waits for replies: --one, and the default wait after the end of the input."""

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


def test_one_without_input_reports_that_nothing_was_sent():
    with ScriptedServer(answering()) as server:
        assert_fails(wsx("-1", "--timeout", "400ms", server.url), 6, "; no message was received")


def test_one_never_opens_the_prompt():
    with ScriptedServer(answering(greeting=wire.text("first"))) as server:
        with RawTerminal("-1", server.url) as terminal:
            assert terminal.wait() == 0
    assert terminal.output == b"first\r\n"


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


def test_a_run_with_an_echo_takes_less_than_a_second(wsx_echo):
    """The fastest of several runs counts: the machine may be busy."""

    def duration():
        start = time.monotonic()
        assert wsx(wsx_echo.url, "hello").out == b"hello\n"
        return time.monotonic() - start

    assert any(duration() < 0.9 for _ in range(10))
