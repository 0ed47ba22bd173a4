"""`--protocol` and `--param`: errors before connecting, the help, the request, and SignalR's negotiation."""

import json

import pytest

import wire
from processes import assert_fails, wsx
from scripted_server import ScriptedServer
QUIET = ["--no-stdin", "--timeout", "20s"]


@pytest.fixture(scope="module")
def untouched():
    """A server that must not receive any connection."""
    with ScriptedServer(lambda peer: peer.read_to_end()) as server:
        yield server
        assert server.connection_count == 0


@pytest.mark.parametrize("command", ["connect", "bench"])
@pytest.mark.parametrize(
    "options, words",
    [(["--protocol", "socketio"], ["unknown protocol", "did you mean 'socket.io'", "-s socketio"]),
     (["--protocol", "graphql-ws"], ["did you mean 'graphql'", "-s graphql-ws"]),
     (["--protocol", "chat"], ["'wsx help protocol'", "-s chat"]),
     (["--protocol", "mqtt", "--param", "pasword=geheim"], ["did you mean 'password'"]),
     (["--protocol", "mqtt", "--param", "geheim"], ["NAME=VALUE"]),
     (["--protocol", "socket.io", "--param", "auth={token:geheim}"], ["auth is not JSON", "quote it"]),
     (["--protocol", "graphql", "--ready", "x"], ["'--ready'", "'--protocol'"]),
     (["--protocol", "auto", "--param", "a=b"], ["auto"]),
     (["--protocol", "@/nonexistent"], ["/nonexistent: no such file"])],
    ids=lambda words: " ".join(words) if words[0].startswith("-") else "")
def test_mistakes_are_rejected_before_connecting(untouched, command, options, words):
    mode = ["--mode", "request", "-m", "x"] if command == "bench" else []
    result = wsx(command, *mode, *options, untouched.url)
    assert_fails(result, 2, *words)
    assert "geheim" not in result.err


def test_the_help_suggests_a_protocol():
    assert_fails(wsx("help", "protocol", "socketio"), 2, "did you mean 'wsx help protocol socket.io'?")


def heads(arguments, then=wire.close(1000)):
    """The heads of the requests for the arguments, in which URL stands for the server's host and port."""
    requests = []

    def script(peer):
        requests.append(peer.read_request().decode())
        peer.upgrade(then=then)
        peer.read_until_close()

    with ScriptedServer(script) as server:
        wsx("connect", *QUIET, *(argument.replace("URL", f"127.0.0.1:{server.port}") for argument in arguments))
        return requests, server.port


@pytest.mark.parametrize(
    "arguments, target",
    [(["--protocol", "socket.io", "http://URL"], "/socket.io/?EIO=4&transport=websocket"),
     (["--protocol", "socket.io", "ws://URL/my.io/?a=b"], "/my.io/?a=b&EIO=4&transport=websocket"),
     (["--protocol", "phoenix", "URL/socket?token=t"], "/socket/websocket?token=t&vsn=2.0.0"),
     (["--protocol", "stomp", "URL"], "/ws"), (["--protocol", "graphql", "URL/graphql"], "/graphql"),
     (["--protocol", "signalr", "--param", "negotiate=false", "URL/chat"], "/chat"),
     (["http://URL"], "/")],
    ids=lambda value: value if isinstance(value, str) else "")
def test_the_protocol_completes_the_url(arguments, target):
    requests, _ = heads(arguments)
    assert requests[0].split()[1] == target


# SignalR


class Hub:
    """Answers negotiations with the results of `answer(number)`, and the upgrade with SignalR's handshake and close."""

    def __init__(self, answer, fields=()):
        self.answer, self.fields, self.requests = answer, fields, []

    def __call__(self, peer):
        head = peer.read_request().decode()
        self.requests.append(head)
        if not head.startswith("POST"):
            peer.upgrade(then=wire.text("{}\x1e") + wire.close(1000))
            peer.read_until_close()
            return
        status, body = self.answer(len(self.requests))
        body = body if isinstance(body, str) else json.dumps(body)
        lines = [f"HTTP/1.1 {status} Answer", f"Content-Length: {len(body)}", *self.fields]
        peer.send("\r\n".join([*lines, "", body]).encode())
        peer.read_to_end()


TOKEN = {"connectionToken": "a+b/c=", "connectionId": "x", "availableTransports": [{"transport": "WebSockets"}]}


def test_signalr_negotiates_with_the_credentials_and_cookies_of_the_request():
    hub = Hub(lambda number: (200, TOKEN), ["Set-Cookie: node=2"])
    with ScriptedServer(hub) as server:
        result = wsx("connect", "-v", *QUIET, "--protocol", "signalr", "--bearer", "t",
                     f"http://127.0.0.1:{server.port}/chat")
    post, get = hub.requests
    assert post.split("\r\n")[0] == "POST /chat/negotiate?negotiateVersion=1 HTTP/1.1"
    assert "Authorization: Bearer t\r\n" in post and "Authorization: Bearer t\r\n" in get
    assert "Content-Length: 0\r\n" in post and "Upgrade" not in post
    assert get.split("\r\n")[0] == "GET /chat?id=a%2Bb%2Fc%3D HTTP/1.1"
    assert "Cookie: node=2\r\n" in get
    assert "POST /chat/negotiate" in result.err


def test_signalr_follows_a_redirect_with_its_access_token():
    other = Hub(lambda number: (200, TOKEN))
    with ScriptedServer(other) as azure:
        body = {"url": f"http://localhost:{azure.port}/client/?hub=chat", "accessToken": "x.y"}
        hub = Hub(lambda number: (200, body))
        with ScriptedServer(hub) as server:
            wsx("connect", *QUIET, "--protocol", "signalr", "--bearer", "t", f"http://127.0.0.1:{server.port}/chat")
    assert len(hub.requests) == 1
    post, get = other.requests
    assert post.split()[1] == "/client/negotiate?hub=chat&negotiateVersion=1"
    assert get.split()[1] == "/client/?hub=chat&id=a%2Bb%2Fc%3D"
    for head in (post, get):
        assert "Authorization: Bearer x.y\r\n" in head and "Bearer t" not in head


@pytest.mark.parametrize(
    "status, body, words",
    [(200, {"error": "no seats"}, ['refused to negotiate: "no seats"']),
     (200, "<html>", ["no connection id", "--param negotiate=false"]),
     (200, {"ProtocolVersion": "1.5", "ConnectionId": "x"}, ["older ASP.NET SignalR"]),
     (200, {**TOKEN, "availableTransports": [{"transport": "LongPolling"}]}, ["does not offer WebSockets"]),
     (404, "", ["/chat/negotiate", "404", "check the path"]), (401, "", ["401"])],
    ids=lambda value: str(value) if isinstance(value, int) else "")
def test_signalr_reports_a_refused_negotiation(status, body, words):
    hub = Hub(lambda number: (status, body))
    with ScriptedServer(hub) as server:
        result = wsx("connect", *QUIET, "--protocol", "signalr", f"http://127.0.0.1:{server.port}/chat")
    assert result.status == 4
    assert all(word in result.err for word in words), result.err
    assert len(hub.requests) == 1


@pytest.mark.parametrize("options, count", [([], 21), (["--max-redirects", "2"], 3)], ids=["default", "limit"])
def test_signalr_follows_redirects_up_to_the_limit(options, count):
    hub = Hub(lambda number: (200, {"url": "/chat"}))
    with ScriptedServer(hub) as server:
        result = wsx("connect", *QUIET, "--protocol", "signalr", *options, f"http://127.0.0.1:{server.port}/chat")
    assert result.status == 4
    assert f"more than {count - 1} redirects" in result.err
    assert len(hub.requests) == count


@pytest.mark.parametrize("ending", ["41", "1"])
def test_the_end_of_a_session_after_the_last_step_of_a_scenario_is_no_failure(tmp_path, ending):
    def script(peer):
        peer.upgrade(then=wire.text('0{"sid":"s","pingInterval":25000,"pingTimeout":20000}'))
        peer.read_frame()
        peer.send(wire.text('40{"sid":"s"}') + wire.text('42["news",1]') + wire.text(ending))
        peer.answer_close()

    scenario = tmp_path / "news.jsonl"
    scenario.write_text('{"type":"message","direction":"in","match":"news"}\n')
    with ScriptedServer(script) as server:
        result = wsx("connect", "--protocol", "socket.io", "--scenario", scenario, server.url)
    assert result.status == 0, result.err
