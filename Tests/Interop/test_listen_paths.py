"""Servers that treat the clients of different paths differently."""

import json
import socket
import subprocess

import pytest

import wire
from processes import Listener, Relay, assert_fails, environment, wsx


def connect(listener, path="/", *fields):
    stream = wire.Stream(socket.create_connection(("127.0.0.1", listener.port), timeout=60))
    stream.send(wire.upgrade_request(listener.port, path, *fields))
    assert b" 101 " in stream.read_head()
    return stream


def send(stream, text):
    stream.send(wire.text(text, is_masked=True))


def texts(stream, count):
    return [stream.read_message().payload.decode() for _ in range(count)]


# --broadcast=path


@pytest.mark.parametrize("options", [[], ["--delay", "1ms"]], ids=["direct", "through gates"])
def test_a_message_reaches_only_the_clients_of_its_path(options):
    with Listener("--broadcast=path", *options, stdin=subprocess.PIPE) as listener:
        red, other, blue = connect(listener, "/red?n=1"), connect(listener, "/%72ed"), connect(listener, "/blue")
        send(red, "to red")
        assert texts(other, 1) == ["to red"]
        send(blue, "to nobody")
        listener.wait_for(r"to nobody\n", "out")
        send(other, "back")
        assert texts(red, 1) == ["back"]
        # Lines of the input go to every client; anything sent to the wrong path would have arrived before.
        listener.send(b"to all\n")
        assert [texts(client, 1) for client in (red, other, blue)] == [["to all"]] * 3


def test_a_recording_names_only_the_receivers_on_the_path(tmp_path):
    path = tmp_path / "session.jsonl"
    with Listener("--broadcast=path", "--no-stdin", "--record", path) as listener:
        clients = [connect(listener, at) for at in ("/a", "/a", "/b")]
        send(clients[0], "hello")
        assert texts(clients[1], 1) == ["hello"]
        assert listener.stop() == 0
    events = [json.loads(line) for line in path.read_text().splitlines()]
    sent = [event["client"] for event in events if event["type"] == "message" and event["direction"] == "out"]
    assert sent == [2]


def test_another_scope_is_a_usage_error():
    assert_fails(wsx("listen", "--broadcast=room", "0"), 2, "--broadcast", "path")


# The values of a request


REQUEST = ("/chat/a%20b?room=r%2Bd+%22x%22&empty&token=geheim99", b"X-User: J\xc3\xbcrgen, \"it\"", b"Cookie: sid=0123456789")


@pytest.mark.parametrize("template, text", [
    ("{{path}}", "/chat/a%20b"), ("{{query:room}}|{{query:empty}}|{{query:none}}", 'r+d "x"||'),
    ('{"r":{{json:query:room}},"n":{{json:query:none}},"u":{{json:header:x-user}}}',
     '{"r":"r+d \\"x\\"","n":"","u":"Jürgen, \\"it\\""}'),
    ("{{header:Cookie | sha256}}", "9aeb0b0b"), ("{{query:room | url}}", "r%2Bd%20%22x%22"),
    ("{{query:none | default:lobby}}|{{query:empty | default:x}}|{{header:X-No | default:y | base64}}", "lobby||eQ=="),
], ids=["path", "query", "json", "secret", "filter", "default"])
def test_first_messages_and_answers_insert_values_of_the_request(template, text):
    if "sha256" in template:
        import hashlib
        text = hashlib.sha256(b"sid=0123456789").hexdigest()
    options = ["--first-message", template, "--answer", f"^x => {template}"]
    with Listener("--no-stdin", *options) as listener:
        client = connect(listener, *REQUEST)
        send(client, "x")
        assert texts(client, 2) == [text, text]


def test_secrets_of_the_request_are_masked_where_they_are_shown():
    with Listener("--no-stdin", "-vv", "--first-message", "{{header:Cookie}} {{query:token}} {{path}}") as listener:
        client = connect(listener, *REQUEST)
        assert texts(client, 1) == ["sid=0123456789 geheim99 /chat/a%20b"]
        line = listener.wait_for(r"→ text .*\n").group().decode()
        assert line.endswith("••• ••• /chat/a%20b\n")


def test_a_scenario_of_a_server_inserts_values_of_the_request(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_text('{"type":"message","direction":"out","data":"in {{path}}"}\n'
                    '{"type":"message","direction":"in","data":"{{query:a}}"}\n')
    with Listener("--scenario", path) as listener:
        client = connect(listener, "/p?a=1")
        send(client, "in /p")
        assert texts(client, 1) == ["1"]
    assert_fails(wsx("connect", "--scenario", path, "echo:"), 2, "line 1")


def test_a_relay_answers_with_values_of_the_request():
    with Listener("--echo") as server, Relay(server.url, "--answer", "^who => {{query:n}}") as relay:
        client = connect(relay, "/?n=7")
        send(client, "who")
        send(client, "echo")
        assert texts(client, 2) == ["7", "echo"]


def test_only_servers_know_requests():
    assert_fails(wsx("connect", "--first-message", "{{query:a}}", "echo:"), 2, "{{query:…}}", "servers")
    assert_fails(wsx("connect", "--first-message", "{{path}}", "echo:"), 2, "{{path}}")
    assert_fails(wsx("relay", "--rewrite", "a => {{header:a}}", "0", "echo:"), 2, "servers")


@pytest.mark.parametrize("name", ["query:q|upper", "query: q", "query:q $1", "query:a$1", "header:a b", "header:a:b"])
def test_a_name_that_no_request_has_is_a_usage_error(name):
    assert_fails(wsx("listen", "--answer", "^(.) => {{%s}}" % name, "0"), 2, "{{query:NAME}}")


def test_the_path_is_no_name_for_values_of_messages():
    assert_fails(wsx("listen", "--set", "path=.x", "0"), 2, "--set path", "placeholder")
    assert_fails(wsx("listen", "--first-message", "{{quux}}", "0"), 2, "{{path}}, {{query:NAME}}, {{header:NAME}}")


def test_a_variable_of_that_name_wins():
    with Listener("--no-stdin", "--param", "path=mine", "--first-message", "{{path}}") as listener:
        assert texts(connect(listener), 1) == ["mine"]


# --scenario for paths


def scenario(path, question, answer):
    path.write_text(f'{{"type":"message","direction":"out","data":"{question}"}}\n'
                    f'{{"type":"message","direction":"in","data":"{answer}"}}\n')
    return path


def test_the_first_scenario_for_the_path_is_played(tmp_path):
    red, blue = [scenario(tmp_path / name, "q", name) for name in ("red", "blue")]
    options = ["--scenario", f"path:/red/* {red}", "--scenario", f"path:/** {blue}", "--scenario", red]
    with Listener(*options) as listener:
        for path, answer in (("/red/1", "red"), ("/red/1/2?x", "blue"), ("/", "blue")):
            client = connect(listener, path)
            send(client, "q")
            assert texts(client, 1) == [answer]
            client.send(wire.close(1000, is_masked=True))
            assert client.read_until_close().close_code == 1000
        assert listener.stop() == 0


def test_the_subprotocol_is_that_of_the_scenario_for_the_path(tmp_path):
    options = []
    for name in ("pa", "pb"):
        path = scenario(tmp_path / name, "q", name)
        head = json.dumps({"type": "open", "url": "ws://x/", "subprotocol": name})
        path.write_text(head + "\n" + path.read_text())
        options += ["--scenario", f"path:/{name}  {path}"]
    with Listener(*options, "--scenario", scenario(tmp_path / "rest", "q", "rest")) as listener:
        for path, selected in (("/pa", b"pa"), ("/pb", b"pb"), ("/rest", None)):
            with socket.create_connection(("127.0.0.1", listener.port), timeout=60) as sock:
                offer = b"Sec-WebSocket-Protocol: pa, pb"
                sock.sendall(wire.upgrade_request(listener.port, path, offer))
                head = wire.Stream(sock).read_head()
                assert (b"Sec-WebSocket-Protocol: " in head) == (selected is not None)
                assert selected is None or b"Sec-WebSocket-Protocol: " + selected + b"\r\n" in head


def test_scenarios_of_the_command_line_replace_those_of_the_configuration(tmp_path):
    files = {name: scenario(tmp_path / name, "q", name) for name in ("a", "b", "c")}
    config = tmp_path / "config"
    config.write_text(f"scenario = path:/a {files['a']}\nscenario = {files['b']}\n")
    config.chmod(0o600)
    for options, answers in (([], "ab"), (["--scenario", files["c"]], "cc")):
        with Listener(*options, env=environment(WSX_CONFIG=config)) as listener:
            for path, answer in zip(("/a", "/b"), answers):
                client = connect(listener, path)
                send(client, "q")
                assert texts(client, 1) == [answer]


def test_a_scenario_that_could_never_be_played_is_a_usage_error(tmp_path):
    path = scenario(tmp_path / "s", "q", "a")
    for second in (path, f"path:/a {path}"):
        assert_fails(wsx("listen", "--scenario", path, "--scenario", second, "0"), 2, "--scenario", "every path")


def test_a_path_without_a_scenario_is_404(tmp_path):
    with Listener("--scenario", f"path:/red {scenario(tmp_path / 's', 'q', 'a')}") as listener:
        with socket.create_connection(("127.0.0.1", listener.port), timeout=60) as sock:
            sock.sendall(wire.upgrade_request(listener.port, "/blue"))
            assert wire.Stream(sock).read_head().startswith(b"HTTP/1.1 404 ")
        client = connect(listener, "/red")
        send(client, "q")
        assert texts(client, 1) == ["a"]


def test_a_client_that_deviates_in_one_of_the_scenarios_fails_the_run(tmp_path):
    red = scenario(tmp_path / "red", "q", "a")
    with Listener("--scenario", f"path:/red {red}") as listener:
        client = connect(listener, "/red")
        send(client, "wrong")
        assert client.read_until_close().close_code == 1008
        assert listener.stop() == 7


@pytest.mark.parametrize("value, words", [
    ("path:/a", "a file must follow"), ("path:a x", "'path:' needs a path"), ("path:/a /nonexistent", "/nonexistent"),
], ids=["no file", "no path", "no such file"])
def test_mistakes_in_the_option_are_usage_errors(value, words):
    assert_fails(wsx("listen", "--scenario", value, "0"), 2, "--scenario", words)
