"""Lines of an application protocol that the server refuses, never answers, or answers at an inconvenient time.

Each server is a script that refuses the subscription of its protocol. The exit status must not depend on when it does.
"""

import contextlib
import json
import subprocess
from dataclasses import dataclass

import pytest

import wire
from processes import BINARY, Running, wsx
from scripted_server import ScriptedServer


@dataclass
class Case:
    """A protocol: what its server sends first, and how it answers the messages of the login and the subscription."""

    arguments: list
    greeting: bytes
    # Return the answer to a message, or None for another message.
    login: callable
    refusal: callable
    # Lines that subscribe, and that need the subscription.
    subscription: str
    dependent: str = ""
    fields: tuple = ()
    # Whether the protocol confirms a subscription.
    is_confirmed: bool = True


def answers(part, answer):
    """Answers messages that contain a text."""
    return lambda payload: wire.text(answer) if part in payload else None


def phoenix_refusal(payload):
    if b"phx_join" not in payload:
        return None
    reference = json.loads(payload)[1]
    return wire.text(json.dumps(
        [reference, reference, "room:a", "phx_reply", {"status": "error", "response": {"reason": "no"}}]))


def stomp_refusal(payload):
    return wire.text("ERROR\nmessage:no\n\n\0") if payload.startswith((b"SUBSCRIBE", b"SEND")) else None


def mqtt_refusal(payload):
    return wire.frame(wire.BINARY, b"\x90\x03" + payload[2:4] + b"\x80") if payload[:1] == b"\x82" else None


def nothing(payload):
    return None


CASES = {
    "socket.io": Case(
        ["--protocol", "socket.io"], wire.text('0{"sid":"s","pingInterval":25000,"pingTimeout":20000}'),
        lambda payload: wire.text('40{"sid":"s"}') if payload == b"40" else None,
        answers(b"40/admin,", '44/admin,{"message":"no"}'), "/admin", "/admin chat 1"),
    "actioncable": Case(
        ["--protocol", "actioncable"], wire.text('{"type":"welcome"}'), nothing,
        answers(b'"subscribe"', r'{"type":"reject_subscription","identifier":"{\"channel\":\"Chat\"}"}'),
        "subscribe Chat", "Chat speak", (b"Sec-WebSocket-Protocol: actioncable-v1-json",)),
    "phoenix": Case(["--protocol", "phoenix"], b"", nothing, phoenix_refusal, "join room:a", "room:a new_msg"),
    "stomp": Case(
        ["--protocol", "stomp"], b"",
        lambda payload: wire.text("CONNECTED\nversion:1.2\n\n\0") if payload.startswith(b"CONNECT") else None,
        stomp_refusal, "SUBSCRIBE /secret", fields=(b"Sec-WebSocket-Protocol: v12.stomp",)),
    "mqtt": Case(
        ["--protocol", "mqtt"], b"",
        lambda payload: wire.frame(wire.BINARY, b"\x20\x02\x00\x00") if payload[:1] == b"\x10" else None,
        mqtt_refusal, "sub secret", fields=(b"Sec-WebSocket-Protocol: mqtt",)),
    "graphql": Case(
        ["--protocol", "graphql"], b"", answers(b"connection_init", '{"type":"connection_ack"}'),
        answers(b'"subscribe"', '{"id":"1","type":"error","payload":[{"message":"no"}]}'),
        "subscription { secret }", fields=(b"Sec-WebSocket-Protocol: graphql-transport-ws",), is_confirmed=False),
    "signalr": Case(
        ["--protocol", "signalr", "--param", "negotiate=false"], b"", answers(b'"protocol"', "{}\x1e"),
        answers(b'"type":4', '{"type":3,"invocationId":"1","error":"no"}\x1e'), "stream Secret", is_confirmed=False),
    "file": Case(
        [], b"", nothing, answers(b'"sub"', '{"id":1,"no":true}'), '{"id":1,"sub":"a"}'),
}
# The moments of the refusal. "never" and "closed" are no refusals: the server does not answer, or closes instead.
MOMENTS = ["at once", "while closing", "before its end", "before a close"]


@pytest.fixture(params=CASES)
def case(request, tmp_path):
    case = CASES[request.param]
    if request.param == "file":
        path = tmp_path / "protocol.json"
        path.write_text('{"name":"x","id":"/id","error":"no","renew":"sub"}')
        case = Case(["--protocol", f"@{path}"], *list(vars(case).values())[1:])
    return case


def serve(case, moment):
    """Returns a server that refuses the subscription at a moment."""

    def script(peer):
        peer.upgrade(*case.fields, then=case.greeting)
        late = b""
        # A client that was refused may drop the connection.
        with contextlib.suppress(ConnectionError):
            while received := peer.read_frame():
                if received.opcode == wire.CLOSE:
                    peer.send(late + wire.frame(wire.CLOSE, received.payload))
                    return
                answer = case.login(received.payload)
                refusal = None if answer else case.refusal(received.payload)
                if answer or refusal and moment == "at once":
                    peer.send(answer or refusal)
                elif refusal and moment == "while closing":
                    late = refusal
                elif refusal and moment == "dropped":
                    peer.end_sending()
                    return
                elif refusal and moment == "before its end":
                    peer.send(refusal)
                    peer.end_sending()
                elif refusal and moment in ("before a close", "closed"):
                    peer.send((refusal if moment == "before a close" else b"") + wire.close(1000))
                    peer.read_until_close()
                    return

    return ScriptedServer(script)


def run(case, moment, *options, lines=None, operands=()):
    with serve(case, moment) as server:
        stdin = "".join(f"{line}\n" for line in lines).encode() if lines is not None else b""
        return wsx("connect", *case.arguments, *options, server.url, *operands, stdin=stdin)


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_refused_subscription_in_a_pipe_exits_7_whenever_the_refusal_arrives(case, moment):
    options = ["--linger", "0"] if moment == "while closing" else []
    result = run(case, moment, *options, lines=[case.subscription])
    assert result.status == 7, result
    assert "no" in result.err or "reject" in result.err or "refused" in result.err, result


@pytest.mark.parametrize("moment", ["never", "closed"])
def test_a_subscription_that_is_never_confirmed_exits_6(case, moment):
    if not case.is_confirmed:
        pytest.skip("the protocol confirms no subscription")
    options = ["--linger", "0"] if moment == "never" else []
    result = run(case, moment, *options, lines=[case.subscription])
    assert result.status == 6, result
    assert "the server did not confirm 1 line, such as a subscription" in result.err


def test_a_namespace_that_is_disconnected_before_it_is_connected_is_refused():
    case = CASES["socket.io"]

    def script(peer):
        peer.upgrade(then=case.greeting)
        while (received := peer.read_frame()).opcode != wire.CLOSE:
            peer.send(case.login(received.payload) or wire.text("41/admin,"))
        peer.send(wire.frame(wire.CLOSE, received.payload))

    with ScriptedServer(script) as server:
        result = wsx("connect", *case.arguments, server.url, "/admin")
    assert result.status == 7, result


@pytest.mark.parametrize("packet", ["41", "1"])
def test_a_namespace_is_unconfirmed_when_socket_io_disconnects(packet):
    case = CASES["socket.io"]

    def script(peer):
        peer.upgrade(then=case.greeting)
        while (received := peer.read_frame()).opcode != wire.CLOSE:
            peer.send(case.login(received.payload) or wire.text(packet))
        peer.send(wire.frame(wire.CLOSE, received.payload))

    for options in [[], ["--linger", "5s"]]:
        with ScriptedServer(script) as server:
            result = wsx("connect", *case.arguments, *options, server.url, stdin=b"/admin\n")
        assert result.status == 6, result


@pytest.mark.parametrize("name", ["socket.io", "actioncable", "phoenix"])
@pytest.mark.parametrize("order", ["before the refusal", "after the refusal"])
def test_a_line_for_a_refused_subscription_exits_7_before_and_after_the_refusal(name, order):
    case = CASES[name]
    with serve(case, "at once") as server:
        arguments = [BINARY, "connect", *case.arguments, server.url]
        with Running(arguments, stdin=subprocess.PIPE) as client:
            if order == "before the refusal":
                client.send(f"{case.subscription}\n{case.dependent}\n".encode())
            else:
                client.send(f"{case.subscription}\n".encode())
                client.wait_for("the server refused: ")
                client.send(f"{case.dependent}\n".encode())
            client.process.stdin.close()
            assert client.wait() == 7
            assert "1 line was not sent: the server refused or ended the subscription" in client.err


def test_a_refusal_replaces_a_missed_goal_and_a_time_limit():
    case = CASES["actioncable"]
    result = run(case, "at once", "--count", "1", "--linger", "100ms", lines=[case.subscription])
    assert (result.status, result.err.splitlines()[-1]) == (
        7, "wsx: actioncable: the server reported 1 error; 0 of 1 message"), result
    result = run(case, "at once", "--until", "x", "--timeout", "300ms", lines=[case.subscription])
    assert result.status == 7, result


def test_the_default_wait_lasts_until_a_slow_confirmation():
    def script(peer):
        peer.upgrade(then=wire.text('{"type":"welcome"}'))
        peer.read_frame()
        # Longer than the default wait.
        peer.sock.settimeout(1.5)
        with contextlib.suppress(TimeoutError):
            peer.read_frame()
        peer.sock.settimeout(60)
        peer.send(wire.text(r'{"type":"confirm_subscription","identifier":"{\"channel\":\"Chat\"}"}'))
        peer.answer_close()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--protocol", "actioncable", server.url, stdin=b"subscribe Chat\n")
    assert result.status == 0, result


@pytest.mark.parametrize("name, lines, end", [
    ("graphql", ["subscription { a }", "complete 1"], '{"id":"1","type":"complete"}'),
    ("signalr", ["stream A", "cancel 1"], '{"type":3,"invocationId":"1"}\x1e'),
])
def test_ending_a_subscription_that_the_server_has_just_ended_is_no_error(name, lines, end):
    case = CASES[name]

    def script(peer):
        peer.upgrade(*case.fields, then=case.greeting)
        while (received := peer.read_frame()).opcode != wire.CLOSE:
            peer.send(case.login(received.payload) or wire.text(end))
        peer.send(wire.frame(wire.CLOSE, received.payload))

    with ScriptedServer(script) as server:
        arguments = [BINARY, "connect", "-v", *case.arguments, server.url]
        with Running(arguments, stdin=subprocess.PIPE) as client:
            client.send(f"{lines[0]}\n".encode())
            client.wait_for("complete")
            client.send(f"{lines[1]}\n".encode())
            client.process.stdin.close()
            assert client.wait() == 0, client.err
