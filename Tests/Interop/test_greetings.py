"""Greetings, which are no replies: --one and --request tell them by the pong of a ping before the first message."""

import contextlib
import json
import signal
import time

import pytest

import wire
from processes import BINARY, RECONNECT, Running, assert_fails, wsx
from scripted_server import ScriptedServer

GREETING = (
    "wsx: a greeting is no reply: 1 message was sent before the peer had read one; --ready waits for it, --count "
    "counts it")
ONE, REQUEST = ["-1"], ["--request"]


@contextlib.contextmanager
def serving(*replies, early=(), pong=True, close=None):
    """A server that sends its greeting after the first message has been sent.

    It sends `early` when it has read the ping and the first message, and before its pong.
    """

    def script(peer):
        peer.upgrade()
        ping, first = peer.read_frame(), peer.read_frame()
        assert (ping.opcode, ping.payload, first.opcode) == (wire.PING, b"linger", wire.TEXT)
        peer.send(b"".join(map(wire.text, early)) + (wire.frame(wire.PONG, ping.payload) if pong else b""))
        received = [first.payload]
        for number, reply in enumerate(replies):
            # Without a pong, the client takes an early message for the first reply.
            if number > 0 or not pong:
                received.append(peer.read_frame().payload)
            peer.send(wire.text(reply))
        if close:
            peer.send(wire.close(close))
        peer.answer_close()
        return received

    with ScriptedServer(script) as server:
        yield server


@pytest.mark.parametrize("options", [ONE, REQUEST, [*ONE, *REQUEST], [*ONE, "--reconnect"]], ids=" ".join)
def test_a_greeting_that_arrives_after_the_first_message_is_no_reply(options):
    with serving("one", "two", early=["welcome", "state"]) as server:
        result = wsx("connect", *options, server.url, stdin=b"a\nb\n")
    assert (result.status, result.err) == (0, "")
    assert result.lines == ["welcome", "state", "one", "two"]


def test_events_and_placeholders_tell_greetings_from_replies():
    with serving('{"id":1}', '{"id":2}', early=['{"hello":5}']) as server:
        result = wsx(
            "connect", "--request", "--template", "--json", server.url, "first", "{{last:.id}}")
    events = [event for event in map(json.loads, result.lines) if event["type"] == "message"]
    assert [(event["data"], event.get("request")) for event in events] == [
        ('{"hello":5}', None), ('{"id":1}', 1), ('{"id":2}', 2)]
    assert server.results == [[b"first", b"1"]]


@pytest.mark.parametrize("options", [ONE, REQUEST], ids=" ".join)
def test_without_a_pong_the_first_messages_are_the_replies_in_their_order(options):
    with serving("y", early=["x"], pong=False) as server:
        result = wsx("connect", *options, server.url, "a", "b")
    assert (result.status, result.lines, result.err) == (0, ["x", "y"], "")


@pytest.mark.parametrize("options", [ONE, REQUEST], ids=" ".join)
def test_the_end_of_the_connection_ends_the_wait_for_a_pong(options):
    with serving(early=["x", "more"], pong=False, close=1000) as server:
        result = wsx("connect", *options, server.url, "a")
    assert (result.status, result.lines[0], result.err) == (0, "x", "")


@pytest.mark.parametrize("options", [ONE, REQUEST], ids=" ".join)
@pytest.mark.parametrize("early", [True, False])
def test_a_greeting_meets_no_expectation(options, early):
    def script(peer):
        peer.upgrade(then=b"" if early else wire.text("all ok"))
        ping, _ = peer.read_frame(), peer.read_frame()
        peer.send((wire.text("all ok") if early else b"") + wire.frame(wire.PONG, ping.payload) + wire.text("bad"))
        peer.answer_close()

    for expected, status in (("ok", 7), ("bad", 0)):
        with ScriptedServer(script) as server:
            result = wsx("connect", *options, "--expect", expected, server.url, "a")
        assert (result.status, result.lines) == (status, ["all ok", "bad"]), result


@pytest.mark.parametrize("options, status, words", [
    (ONE, 7, "closed with 1000 after 0 of 1 replies"), (REQUEST, 1, "1 request was not answered"),
], ids=["one", "request"])
def test_a_run_with_only_a_greeting_fails_and_says_so(options, status, words):
    with serving(early=["welcome"], close=1000) as server:
        result = wsx("connect", *options, server.url, "a")
    assert (result.status, result.lines) == (status, ["welcome"]), result
    assert GREETING in result.error_lines and words in result.err, result


@pytest.mark.parametrize("options", [
    [*ONE, "--ready", "welcome"], ["--request", "--correlate", "id"], ["--json-rpc"], ["-n", "1"], [*ONE, "--no-stdin"],
], ids=" ".join)
def test_no_ping_is_sent_where_replies_are_known_or_nothing_is_sent(options):
    def script(peer):
        peer.upgrade(then=wire.text('{"welcome":1}'))
        frame = peer.read_frame()
        if frame.opcode == wire.TEXT:
            peer.send(wire.text('{"id":1,"result":1}'))
            peer.answer_close()
        else:
            peer.send(wire.frame(wire.CLOSE, frame.payload))
        return frame.opcode

    message = [] if "--no-stdin" in options else ["m"] if "--json-rpc" in options else ['{"id":1}']
    with ScriptedServer(script) as server:
        result = wsx("connect", *options, server.url, *message)
    assert result.status == 0 and wire.PING not in server.results, result


def test_one_with_until_names_expect():
    assert_fails(wsx("-1", "--until", "x", "echo:", "a"), 2, "--one with --until", "--expect")


@pytest.mark.parametrize("options", [
    [*ONE, "--timeout", "500ms"], [*ONE, "--linger", "300ms"], [*REQUEST, "--reply-timeout", "300ms"],
    [*REQUEST, "--timeout", "500ms"],
], ids=" ".join)
def test_a_limit_below_a_second_does_not_make_a_reply_without_a_pong_late(options):
    with serving(early=["reply"], pong=False) as server:
        result = wsx("connect", *options, server.url, "a")
    assert (result.status, result.lines, result.err) == (0, ["reply"], "")


@pytest.mark.parametrize("options, status", [
    (["--until", "never"], 6), (["-n", "5"], 6), (["--linger", "forever"], 6), (["--expect", "y", "--linger", "10s"], 7),
], ids=str)
def test_a_time_limit_ends_a_run_whose_held_reply_does_not_meet_its_goal(options, status):
    with serving(early=["x"], pong=False) as server:
        result = wsx("connect", "--request", "--timeout", "500ms", *options, server.url, "a")
    assert (result.status, result.lines) == (status, ["x"]), result


def test_a_time_limit_ends_a_run_with_a_held_reply_whose_close_is_not_answered():
    def script(peer):
        peer.upgrade()
        peer.read_frame(), peer.read_frame()
        peer.send(wire.text("x"))
        peer.read_to_end()

    with ScriptedServer(script) as server:
        result = wsx("connect", "-1", "--timeout", "500ms", "--close-timeout", "1h", server.url, "a")
    assert (result.status, result.lines, result.err) == (0, ["x"], "")


@pytest.mark.parametrize("options", [ONE, REQUEST], ids=" ".join)
def test_a_greeting_that_begins_before_the_pong_is_no_reply(options):
    def script(peer):
        peer.upgrade()
        ping, _ = peer.read_frame(), peer.read_frame()
        peer.send(
            wire.frame(wire.TEXT, b"wel", is_final=False) + wire.frame(wire.PONG, ping.payload)
            + wire.frame(wire.CONTINUATION, b"come") + wire.text("reply"))
        peer.answer_close()

    with ScriptedServer(script) as server:
        result = wsx("connect", *options, server.url, "a")
    assert (result.status, result.lines, result.err) == (0, ["welcome", "reply"], "")


@pytest.mark.parametrize("options", [ONE, REQUEST], ids=" ".join)
def test_a_greeting_that_is_decoded_after_the_pong_is_no_reply(options):
    def script(peer):
        peer.upgrade()
        ping, _ = peer.read_frame(), peer.read_frame()
        peer.send(wire.frame(wire.BINARY, b"welcome") + wire.frame(wire.PONG, ping.payload))
        peer.send(wire.frame(wire.BINARY, b"reply"))
        peer.answer_close()

    with ScriptedServer(script) as server:
        result = wsx("connect", *options, "--decode", "exec:cat", server.url, "a")
    assert (result.status, len(result.lines)) == (0, 2), result


def test_a_stopped_run_reads_the_pong_before_it_takes_a_greeting_for_the_reply():
    def script(peer):
        peer.upgrade()
        ping, _ = peer.read_frame(), peer.read_frame()
        client.signal(signal.SIGSTOP)
        peer.send(wire.text("welcome") + wire.frame(wire.PONG, ping.payload))
        # Longer than the wait for a pong.
        time.sleep(1.5)
        client.signal(signal.SIGCONT)
        client.wait_for("welcome", "out")
        peer.send(wire.text("reply"))
        peer.answer_close()

    with ScriptedServer(script) as server, Running([BINARY, "connect", "-1", server.url], stdin=-1) as client:
        client.send(b"a\n")
        client.process.stdin.close()
        assert client.wait() == 0
        assert client.out == b"welcome\nreply\n"


@pytest.mark.parametrize("options", [ONE, REQUEST], ids=" ".join)
def test_a_message_held_on_a_lost_connection_is_no_reply_to_what_is_sent_again(options):
    def script(peer):
        peer.upgrade()
        ping, message = peer.read_frame(), peer.read_next()
        if server.connection_count == 1:
            peer.send(wire.text("welcome"))
            return peer.end_sending()
        peer.send(wire.frame(wire.PONG, ping.payload) + wire.text(b"re: " + message.payload))
        peer.answer_close()

    with ScriptedServer(script) as server:
        result = wsx("connect", *options, *RECONNECT, server.url, "a")
    assert (result.status, result.lines) == (0, ["welcome", "re: a"]), result


def test_a_message_that_is_answered_is_not_called_a_greeting():
    def script(peer):
        peer.upgrade()
        peer.read_next()
        peer.send(wire.text("ping"))
        peer.read_next()
        peer.send(wire.close(1000))
        peer.read_to_end()

    with ScriptedServer(script) as server:
        result = wsx("connect", "-1", "--answer", "ping => pong", server.url, "a")
    assert_fails(result, 7, "closed with 1000 after 0 of 1 replies")


def test_after_more_than_16_mib_without_a_pong_all_messages_are_replies():
    large = "x" * (17 << 20)
    with serving(early=[large, "y"]) as server:
        result = wsx("connect", "-1", server.url, "a", "b")
    assert (result.status, result.lines, result.err) == (0, [large, "y"], "")
