"""Computed values in placeholders: filters, programs, variables, and values of messages."""

import base64
import hashlib
import hmac
import json
import re

import pytest
from protocol_files import OBSServer, PusherServer

import wire
from processes import BINARY, RECONNECT, Listener, Relay, Running, assert_fails, environment, wsx
from scripted_server import ScriptedServer
from terminal import Screen
from test_bench import bench

SECRET = "c2VjcmV0LWtleS1vZi1hLXRlc3Q"


def digest(text):
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def signature(text, algorithm=hashlib.sha256):
    return hmac.new(SECRET.encode(), text.encode(), algorithm)


def sending(*texts):
    """A server that sends messages, and returns those that it gets."""

    def script(peer):
        peer.upgrade(then=b"".join(wire.text(text) for text in texts))
        received = []
        while (frame := peer.read_frame()).opcode != wire.CLOSE:
            if frame.opcode == wire.TEXT:
                received.append(frame.payload.decode())
            elif frame.opcode == wire.PING:
                peer.send(wire.frame(wire.PONG, frame.payload))
        peer.send(wire.close(1000))
        return received

    return ScriptedServer(script)


def received(server):
    return server.results[0]


def test_a_login_with_a_challenge_is_computed_from_values_that_messages_set():
    computed = "{{pw | append:salt | sha256 | base64 | append:challenge | sha256 | base64}}"
    with sending('{"salt":"s1"}', '{"challenge":"c1"}', '{"go":1}') as server:
        result = wsx(
            "--param", "pw=env:PW", "--set", "salt=.salt", "--set", "challenge=.challenge", "--ready", '"go"',
            "--answer", '"challenge" => {"auth":"%s"}' % computed, "--linger", "0", server.url, "x",
            env=environment(PW="hush"))
    assert (result.status, result.err) == (0, "")
    assert received(server) == ['{"auth":"%s"}' % digest(digest("hushs1") + "c1"), "x"]


def test_a_signature_covers_the_timestamp_of_the_same_message():
    message = '{"ts":{{time:s}},"sign":"{{time:s | append:"GET/verify" | hmac-sha256:env:SECRET | base64}}"}'
    with sending() as server:
        result = wsx("--template", "--linger", "0", server.url, message, env=environment(SECRET=SECRET))
    assert (result.status, result.err) == (0, "")
    sent = json.loads(received(server)[0])
    assert sent["sign"] == base64.b64encode(signature(f"{sent['ts']}GET/verify").digest()).decode()


def test_an_answer_signs_a_value_of_the_message():
    rule = 'nonce => {"sig":"{{last:.data | get:/nonce | hmac-sha512:env:SECRET}}"}'
    with sending('{"data":"{\\"nonce\\":\\"n-1\\"}"}') as server:
        result = wsx("--no-stdin", "-n", "1", "--answer", rule, server.url, env=environment(SECRET=SECRET))
    assert (result.status, result.err) == (0, "")
    assert received(server) == ['{"sig":"%s"}' % signature("n-1", hashlib.sha512).hexdigest()]


def test_a_subprotocol_contains_a_login_in_base64():
    def script(peer):
        peer.upgrade(b"Sec-WebSocket-Protocol: graphql-ws")
        peer.read_until_close()
        return peer.request

    login = '{"host":"a.example","Authorization":"ab?>~~"}'
    with ScriptedServer(script) as server:
        result = wsx(
            "--template", "-s", "graphql-ws", "-s", "header-{{env:LOGIN | base64url}}", "--linger", "0", "-v",
            server.url, "x", env=environment(LOGIN=login))
    assert result.status == 0
    encoded = base64.urlsafe_b64encode(login.encode()).decode().rstrip("=")
    assert (wire.field(received(server), b"Sec-WebSocket-Protocol")).decode() == f"graphql-ws, header-{encoded}"
    assert encoded not in result.err


def test_a_payload_may_be_a_json_text_in_a_string():
    with sending() as server:
        result = wsx(
            "--template", "--param", 'body={"a":"é\\""}', "--linger", "0", server.url, '{"payload":{{body | json}}}')
    assert (result.status, result.err) == (0, "")
    assert json.loads(json.loads(received(server)[0])["payload"]) == {"a": 'é"'}


def test_later_connections_get_the_latest_value_of_a_message_in_url_and_header():
    def script(peer):
        number = server.connection_count
        peer.upgrade(then=wire.text('{"sid":"s %d/"}' % number) + wire.close(1012 if number < 3 else 1000))
        peer.read_until_close()
        return peer.request.split(b"\r\n")[0], wire.field(peer.request, b"X-Session")

    server = ScriptedServer(script)
    with server:
        result = wsx(
            *RECONNECT, "--template", "--set", "sid=.sid", "-H", "X-Session: {{sid | default:none}}", "--no-stdin",
            "-n", "3", f"{server.url}?resume={{{{sid | default:}}}}")
    assert result.status == 0
    assert server.results == [
        (b"GET /?resume= HTTP/1.1", b"none"), (b"GET /?resume=s%201%2F HTTP/1.1", b"s 1/"),
        (b"GET /?resume=s%202%2F HTTP/1.1", b"s 2/"),
    ]


def test_a_program_runs_once_per_attempt_and_only_for_options(tmp_path):
    program = tmp_path / "sign"
    program.write_text(f"#!/bin/sh\necho >> {tmp_path}/runs\nprintf 'run-%s %s' $(wc -l < {tmp_path}/runs) \"$*\"\n")
    program.chmod(0o755)

    def script(peer):
        peer.upgrade(then=wire.close(1012 if server.connection_count < 2 else 1000))
        peer.read_until_close()
        return wire.field(peer.request, b"X-Sign"), peer.request.split(b" ")[1]

    server = ScriptedServer(script)
    with server:
        wsx(
            *RECONNECT, "--template", "--no-stdin", "-H", "X-Sign: {{exec:%s a b | hex}}" % program,
            server.url + "{{exec:%s a b}}" % program)
    assert server.results == [
        (f"run-{run} a b".encode().hex().encode(), f"/run-{run}%20a%20b".encode()) for run in (1, 2)]
    for arguments, stdin in [
        (["--template"], b"{{exec:date}}\n"), (["--first-message", f"@{tmp_path}/text"], b""),
        (["--define", "a={{exec:date}}"], b""), (["--scenario", f"{tmp_path}/scenario"], b""),
        (["--protocol", f"@{tmp_path}/protocol"], b""),
    ]:
        (tmp_path / "text").write_text("{{exec:date}}")
        (tmp_path / "scenario").write_text('{"type":"message","direction":"out","data":"{{exec:date}}"}')
        (tmp_path / "protocol").write_text('{"name":"x","first":["{{exec:date}}"]}')
        result = wsx(*arguments, "echo:", stdin=stdin)
        assert_fails(result, 2, "{{exec:…}} is possible only in options")
    assert_fails(wsx("--first-message", "{{exec:false}}", "echo:"), 2, "--first-message: running 'false'")


def test_a_configuration_file_that_others_can_write_inserts_no_output_of_a_program(tmp_path):
    path = tmp_path / "config"
    path.write_text("[p]\nurl = echo:\nfirst-message = {{seq | append:exec:date}}\n")
    path.chmod(0o666)
    result = wsx("@p", "-n1", env=environment(WSX_CONFIG=path))
    assert_fails(result, 2, "first-message")
    path.chmod(0o600)
    assert wsx("@p", "-n1", "--no-stdin", env=environment(WSX_CONFIG=path)).status == 0
    assert_fails(wsx("curl", "curl ws://localhost", "--", "--first-message", "{{exec:date}}"), 2)


def test_what_a_peer_repeats_of_a_computed_value_is_masked():
    computed = signature("x").hexdigest()

    def script(peer):
        peer.upgrade(then=wire.close(4003, f"bad {computed}".encode()))
        peer.read_until_close()

    with ScriptedServer(script) as server:
        result = wsx(
            "--first-message", '{{"x" | hmac-sha256:env:SECRET}}', "--no-stdin", server.url,
            env=environment(SECRET=SECRET))
    assert "bad •••" in result.err and computed not in result.err


def test_format_writes_decoded_bytes():
    audio = bytes(range(256))
    texts = ['{"audio":"%s"}' % base64.b64encode(audio).decode(), '{"audio":"%"}', '{"other":1}']
    with sending(*texts) as server:
        result = wsx("--no-stdin", "-n", "3", "--format", '{data.audio | unbase64}{data.other | default:"}"}', server.url)
    assert (result.status, result.out, result.err) == (0, audio + b"}\n}\n1\n", "")
    assert_fails(wsx("--format", "{data | sha265}", "echo:"), 2, "unknown filter 'sha265'; did you mean 'sha256'?")


def test_servers_answer_with_variables_and_values_of_earlier_messages():
    rules = ["--param", "name=demo", "--set", "user=.user", "--answer", "who => {{name}} {{user | default:nobody}}"]
    with Listener(*rules) as server:
        result = wsx("--request", server.url, stdin=b'who\n{"user":"Ada","x":"who"}\nwho\n')
        assert result.lines == ["demo nobody", "demo Ada", "demo Ada"]
        assert wsx("-1", server.url, "who").lines == ["demo nobody"], "each client has its own"
    with Listener("--echo") as server, Relay(server.url, *rules) as relay:
        lines = wsx("-n", "2", relay.url, '{"user":"Bo"}', "who").lines
        assert sorted(lines) == ["demo Bo", '{"user":"Bo"}']


def test_the_prompt_keeps_a_value():
    with Screen() as screen:
        screen.enter(f"clear; {BINARY} --template echo:")
        screen.wait_for("Connected|❯|>")
        screen.enter("/set sid=.sid")
        screen.enter('{"sid":"abc"}')
        screen.wait_for(r'"sid": ?"abc"')
        screen.enter("= {{sid | hex}}")
        screen.wait_for("= 616263")
        screen.enter("/set seq=.a")
        screen.wait_for("/set: .*its own meaning")


def test_bench_computes_values_and_reports_those_that_fail(tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("token\n6161\n6262\n")
    arguments = ["-c", "2", "-n", "20", "-m", '{{seq}} {{token | unhex | hmac-sha256:key}}', "--param", "key=k"]
    result, results = bench(*arguments, "--data", rows, "echo:")
    assert (result.status, results["messages"]["received"]) == (0, 20)
    rows.write_text("token\n6161\nx\n")
    assert_fails(wsx("bench", *arguments, "--data", rows, "echo:"), 2, "the filter 'unhex' failed: the value is not hexadecimal")
    assert_fails(wsx("bench", "-m", "{{random 8 | unhex}}", "echo:"), 2, "--message", "unhex")


@pytest.mark.parametrize("password, status", [("t", 0), ("x", 4), (None, 4)])
def test_obs_logs_in_with_a_password(password, status):
    with OBSServer() as server:
        parameters = ["--param", f"password={password}"] if password else []
        result = wsx(
            "--protocol", server.protocol, *parameters, "-1", server.wrong_url, '"requestType":"GetVersion"')
        assert result.status == status, result.err
        assert ("obsVersion" in result.out.decode()) == (status == 0)
        assert not re.search("with [A-Za-z0-9+/]{43}=", result.err)


@pytest.mark.parametrize("secret, event", [("SECRET", "subscription_succeeded"), ("x", "Invalid signature")])
def test_pusher_subscribes_to_a_private_channel(secret, event):
    with PusherServer() as server:
        result = wsx(
            "--protocol", server.protocol, "--param", "channel=private-c", "--param", "key=KEY", "--param",
            f"secret={secret}", "--no-stdin", "-n", "1", server.url)
        assert (result.status, result.err) == (0, ""), result.err
        assert event in result.out.decode()
