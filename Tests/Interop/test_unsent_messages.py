"""Messages that the server does not let us send: it closes the connection normally, at once.

Its close frame is in the same segment as its response, so no message can precede it.
"""

import json
import re

import pytest

import wire
from processes import RECONNECT, wsx
from scripted_server import ScriptedServer


def closing(*messages, code=1000):
    """A server that closes each connection with its response."""

    def script(peer):
        peer.upgrade(then=b"".join(wire.text(message) for message in messages) + wire.close(code))
        peer.read_until_close()

    return ScriptedServer(script)


@pytest.mark.parametrize("options, messages, stdin, count", [
    ([], ["a"], b"", "1 message was"),
    ([], ["a", "b"], b"", "2 messages were"),
    (["--binary"], ["a", "b"], b"", "2 messages were"),
    (["--template"], ["a", "{{seq}}"], b"", "2 messages were"),
    (["--reconnect"], ["a", "b"], b"", "2 messages were"),
    (["--expect", "hello"], ["a"], b"", "1 message was"),
    (["--input", "message"], [], b"a", "the input was"),
    ([], [], b"a\nb\n", ""),
    (["--reconnect"], [], b"a\nb\n", ""),
], ids=str)
def test_messages_that_are_not_sent_are_no_success(options, messages, stdin, count):
    with closing("hello") as server:
        result = wsx("connect", *options, server.url, *messages, stdin=stdin)
    assert (result.status, result.lines) == (1, ["hello"]), result
    # Whether the input has been read depends on the system.
    assert result.err.startswith(f"wsx: closed with 1000 before {count}" if messages else "wsx: closed with 1000 before ")
    assert len(result.err.splitlines()) == 1, result


@pytest.mark.parametrize("options, messages, stdin", [
    ([], [], b""),
    (["--no-stdin"], [], b"a\n"),
    (["--count", "1"], ["a"], b""),
    (["--until", "hello"], [], b"a\n"),
], ids=str)
def test_a_push_before_the_close_is_a_success_if_nothing_or_something_else_was_asked_for(options, messages, stdin):
    with closing("hello") as server:
        result = wsx("connect", *options, server.url, *messages, stdin=stdin)
    assert (result.status, result.lines, result.err) == (0, ["hello"], ""), result


@pytest.mark.parametrize("code", [1001, 1012])
@pytest.mark.parametrize("options", [[], ["-1"]], ids=str)
def test_a_reconnecting_client_sends_its_message_on_the_next_connection(options, code):
    connections = []

    def script(peer):
        connections.append(peer)
        if len(connections) == 1:
            peer.upgrade(then=wire.text("greeting") + wire.close(code))
            peer.read_until_close()
        else:
            peer.upgrade(then=wire.text("greeting"))
            peer.send(wire.text(f"reply to {peer.read_message().payload.decode()}"))
            peer.answer_close()

    with ScriptedServer(script) as server:
        result = wsx("connect", *RECONNECT, *options, server.url, "a")
    assert (result.status, result.lines) == (0, ["greeting", "greeting", "reply to a"]), result


@pytest.mark.parametrize("options", [["-1"], ["--request"], ["-1", "--request"], ["--json-rpc"]], ids=str)
def test_replies_of_lost_connections_are_no_replies_to_later_messages(options):
    def script(peer):
        peer.upgrade()
        while received := peer.read_frame():
            if received.opcode == wire.PING:
                peer.send(wire.frame(wire.PONG, received.payload))
                continue
            if b"bad" in received.payload:
                return peer.end_sending()
            peer.send(wire.text(b'{"id":1,"result":"' + received.payload[:3].hex().encode() + b'"}'))

    with ScriptedServer(script) as server:
        result = wsx("connect", *RECONNECT, *options, server.url, "good", "bad", "good")
    assert result.status == 1, result
    assert "; gave up on the message" in result.err


def test_the_end_of_a_long_input_does_not_matter_if_a_part_was_sent():
    def script(peer):
        peer.upgrade()
        peer.read_frame()
        peer.send(wire.text("enough") + wire.close(1000))
        peer.read_until_close()

    with ScriptedServer(script) as server:
        result = wsx("connect", server.url, stdin=b"y\n" * 500_000)
    assert (result.status, result.lines) == (0, ["enough"]), result
    assert re.fullmatch(r"Ended with 1 reply to \d+ messages(; --linger 5s waits for more)?\n", result.err), result


def test_a_message_that_was_read_in_part_is_unsent():
    with closing() as server:
        result = wsx("connect", "--input", "message", server.url, stdin=b"x" * 3_000_000)
    assert result.status == 1, result


def test_lines_are_unsent_if_socket_io_disconnects_behind_the_login():
    def script(peer):
        peer.upgrade(then=wire.text('0{"sid":"s","pingInterval":25000,"pingTimeout":20000}'))
        peer.read_frame()
        peer.send(wire.text('40{"sid":"s"}') + wire.text("41"))
        peer.answer_close()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--protocol", "socket.io", server.url, "chat 1")
    assert result.status == 1, result
    assert "before 1 message was sent" in result.err


@pytest.mark.parametrize("options", [[], ["-1"]], ids=str)
def test_a_close_behind_the_login_of_a_protocol_leaves_messages_unsent(options):
    def script(peer):
        peer.upgrade(then=wire.text('{"type":"welcome"}') + wire.close(1000))
        peer.read_until_close()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--protocol", "actioncable", *options, server.url, "subscribe Chat")
    assert result.status == (7 if options else 1), result


@pytest.mark.parametrize("options", [[], ["--request"]], ids=str)
def test_with_one_a_protocol_without_ids_counts_events(tmp_path, options):
    path = tmp_path / "protocol.json"
    path.write_text(json.dumps({"name": "x", "hidden": "tick"}))
    arguments = ["connect", "--protocol", f"@{path}", "-1", *options]

    def script(peer):
        peer.upgrade(then=wire.text("tick"))
        for _ in range(2):
            peer.send(wire.text("tick") + wire.text(f"reply to {peer.read_frame().payload.decode()}"))
        peer.answer_close()

    with ScriptedServer(script) as server:
        result = wsx(*arguments, server.url, "a", "b")
    assert (result.status, result.lines, result.err) == (0, ["reply to a", "reply to b"], ""), result

    def silent(peer):
        peer.upgrade()
        peer.read_frame()
        peer.send(wire.close(1000))
        peer.read_until_close()

    with ScriptedServer(silent) as server:
        result = wsx(*arguments, server.url, "a")
    assert (result.status, result.err) == (7, "wsx: closed with 1000 after 0 of 1 replies\n"), result
