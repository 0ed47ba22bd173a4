"""Messages that `wsx connect` sends automatically: logins with `--first-message` and `--ready`, and `--answer`."""

import json

import pytest

import wire
from processes import assert_fails, environment, wsx
from scripted_server import ScriptedServer


class Service:
    """A server that requires a login, and passes each further message to `serve(peer, text)`."""

    def __init__(self, serve=None, token="secret", after_login=None):
        self.serve, self.token, self.after_login = serve, token, after_login
        self.clients = []

    def __call__(self, peer):
        peer.upgrade()
        received = []
        self.clients.append(received)
        peer.send(wire.text(b'{"type":"hello"}'))
        while (frame := peer.read_frame()).opcode != wire.CLOSE:
            if frame.opcode == wire.PING:
                peer.send(wire.frame(wire.PONG, frame.payload))
                continue
            text = frame.payload.decode()
            received.append(text)
            if len(received) == 1:
                if json.loads(text) != {"token": self.token}:
                    peer.send(wire.close(4401, b"wrong token"))
                    continue
                peer.send(wire.text(b'{"type":"welcome"}'))
                if self.after_login:
                    self.after_login(peer)
            elif self.serve:
                self.serve(peer, text)
            else:
                peer.send(wire.text(f"reply to {text}".encode()))
        peer.send(wire.frame(wire.CLOSE, frame.payload))


LOGIN = ["--first-message", '{"token":"secret"}', "--ready", "welcome"]


def test_input_follows_the_login_and_only_replies_are_written():
    service = Service()
    with ScriptedServer(service) as server:
        result = wsx("connect", "-q", *LOGIN, server.url, stdin=b"one\ntwo\n")
    assert (result.status, result.out, result.err) == (0, b"reply to one\nreply to two\n", "")
    assert service.clients == [['{"token":"secret"}', "one", "two"]]


def test_a_first_message_can_come_from_a_file_and_the_environment(tmp_path):
    (tmp_path / "login.json").write_text('{"token":{{json:env:TOKEN}}}\n')
    service = Service(token='a"b')
    with ScriptedServer(service) as server:
        result = wsx(
            "connect", "--first-message", f"@{tmp_path}/login.json", "--ready", "welcome", "-1", server.url, "ask",
            env=environment(TOKEN='a"b'))
    assert (result.status, result.out) == (0, b"reply to ask\n")


def test_a_rejected_login_is_reported_with_the_servers_words():
    with ScriptedServer(Service(token="other")) as server:
        result = wsx("connect", *LOGIN, server.url, "ask")
    assert_fails(result, 1, '4401', '"wrong token"')
    assert result.out == b""


def test_a_recording_contains_the_login_and_the_answers(tmp_path):
    def ask(peer, text):
        if text == "ask":
            peer.send(wire.text(b"ping 7"))
        else:
            peer.send(wire.text(b"done"))

    path = tmp_path / "session.jsonl"
    with ScriptedServer(Service(ask)) as server:
        result = wsx(
            "connect", *LOGIN, "--answer", r"^ping (\d+)$ => pong $1", "-1", "--record", path, server.url, "ask")
    assert (result.status, result.lines) == (0, ["ping 7", "done"])
    events = [json.loads(line) for line in path.read_text().splitlines()]
    messages = [(event["direction"], event["data"]) for event in events if event["type"] == "message"]
    assert sorted(messages) == sorted([
        ("in", '{"type":"hello"}'), ("out", '{"token":"secret"}'), ("in", '{"type":"welcome"}'), ("out", "ask"),
        ("in", "ping 7"), ("out", "pong 7"), ("in", "done")])


def test_answered_messages_are_written_and_are_no_replies():
    def ask(peer, text):
        if text == "ask":
            for number in range(3):
                peer.send(wire.text(b'{"op":"ping","id":%d}' % number))
                assert peer.read_frame().payload == b'{"op":"pong","id":%d}' % number
            peer.send(wire.text(b"reply"))

    pings = ['{"op":"ping","id":%d}' % number for number in range(3)]
    for options, lines in [
        (["-1"], [*pings, "reply"]), (["-1", "--hide", '"op":"ping"'], ["reply"]), (["--request"], [*pings, "reply"]),
        (["-n", "3"], pings), (["--until", '"id":2'], pings), (["--expect", '"id":2'], [*pings, "reply"]),
    ]:
        with ScriptedServer(Service(ask)) as server:
            result = wsx(
                "connect", *LOGIN, "--answer", '"op":"ping" => {"op":"pong","id":{{last:/id}}}', *options, server.url,
                "ask")
        assert (result.status, result.lines, result.err) == (0, lines, ""), options


@pytest.mark.parametrize("options, message", [
    (["--first-message", "{{sequ}}"], "did you mean '{{seq}}'?"),
    (["--first-message", "{{"], "'}}' is missing"),
    (["--first-message", "{{env:WSX_TEST_UNSET}}"], "environment variable 'WSX_TEST_UNSET' is not set"),
    (["--first-message", "@/nonexistent"], "/nonexistent"),
    (["--first-message", ""], "--first-message"),
    (["--answer", "ping"], "expected 'REGEX => TEXT'"),
    (["--answer", "( => x"], "missing closing parenthesis"),
    (["--answer", "a => $1"], "there is no group $1"),
    (["--answer", "a => {{conection}}"], "did you mean '{{connection}}'?"),
    (["--ready", "("], "missing closing parenthesis"),
])
def test_invalid_rules_are_rejected_before_connecting(options, message):
    assert_fails(wsx("connect", *options, "ws://127.0.0.1:1/", "ask"), 2, message)
