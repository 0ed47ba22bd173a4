"""`relay --http2`: clients that speak HTTP/2, with a server that speaks HTTP/1.1."""

import http.server
import threading

import pytest

import http2
import wire
from http2 import CANCEL, END_HEADERS, END_STREAM, GET, Client, changed
from processes import Listener, Relay, descriptor_count, require_program, run, wait_until, wsx
from scripted_server import ScriptedServer


@pytest.fixture(scope="module")
def echo():
    with Listener("--echo", "-v") as server:
        yield server


def test_websockets_over_http2_reach_a_server_without_it(echo):
    with Relay(echo.url, "--http2", "--no-stdin") as relay:
        for version in (["--http2"], []):
            result = wsx("connect", *version, "-1", relay.url + "room?x=1", "hello")
            assert (result.status, result.out) == (0, b"hello\n"), result
        with Client(relay) as client:
            client.open(1, cookie=b"a=1", _path=b"/two")
            client.open(3)
            client.say("one", 1)
            client.say("three", 3)
            assert (client.message(1), client.message(3)) == (b"one", b"three")
            client.send(http2.reset(CANCEL, stream=1))
            client.say("alive", 3)
            assert client.message(3) == b"alive"
        assert "GET /room?x=1 HTTP/1.1\n" in echo.err and "GET /two HTTP/1.1\n" in echo.err
        assert ":" + "method" not in echo.err


def test_a_rejection_of_the_server_reaches_the_client():
    with Listener("--echo", "--reject", "403") as server, Relay(server.url, "--http2", "--no-stdin") as relay:
        with Client(relay) as client:
            client.request(http2.WEBSOCKET)
            status, fields = client.response()
            assert status == 403 and not {"connection", "transfer-encoding"} & fields.keys()
            assert client.content()


def test_a_client_that_ends_its_stream_with_its_close_frame_is_answered(echo):
    with Relay(echo.url, "--http2", "--no-stdin") as relay, Client(relay) as client:
        client.open()
        # As Chromium does.
        client.send(http2.data(wire.close(4000, is_masked=True), flags=END_STREAM))
        client.read_until(lambda: 1 in client.ends)
        assert client.data[1].read_frame().close_code == 4000 and client.ends[1] is None
        relay.wait_for("Client 1 disconnected: 4000")


def test_a_client_that_has_ended_its_stream_does_not_wait_for_a_silent_server():
    def script(peer):
        peer.upgrade()
        peer.read_to_end()

    options = ["--http2", "--no-stdin", "--close-timeout", "300ms"]
    with ScriptedServer(script) as server, Relay(server.url, *options) as relay, Client(relay) as client:
        client.open()
        client.send(http2.data(wire.close(4000, is_masked=True), flags=END_STREAM))
        client.read_until(lambda: 1 in client.ends)
        assert client.data[1].read_frame().close_code == 4000
        relay.wait_for("Client 1 disconnected: 4000")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("Keep-Alive", "timeout=5")
        self.end_headers()
        for piece in (b"one ", b"two"):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def do_POST(self):
        content = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def web():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with Relay(f"ws://127.0.0.1:{server.server_port}/", "--http2", "--no-stdin") as relay:
            yield relay
        server.shutdown()


def test_pages_lose_their_chunked_coding(web):
    with Client(web) as client:
        client.request(GET, flags=END_HEADERS | END_STREAM)
        status, fields = client.response()
        assert (status, client.content()) == (200, b"one two")
        assert not {"connection", "transfer-encoding", "keep-alive"} & fields.keys(), fields


def test_bodies_are_forwarded_if_their_length_is_known(web):
    require_program("curl")
    url = web.url.replace("ws", "http", 1)
    body = b"x" * 300_000
    result = run(
        ["curl", "-sS", "--noproxy", "*", "--http2-prior-knowledge", "--data-binary", "@-", url], stdin=body)
    assert result.out == body, result
    with Client(web) as client:
        client.request(changed(GET, _method=b"POST"))
        assert client.response()[0] == 411
        # Another stream continues.
        client.request(changed(GET, _method=b"POST", content_length=b"2"), 3)
        client.send(http2.data(b"ok", stream=3, flags=END_STREAM))
        assert client.response(3)[0] == 200 and client.content(3) == b"ok"


def test_a_request_is_canceled_with_its_stream():
    seen = []

    def script(peer):
        seen.append(peer.read_head())
        peer.read_to_end()
        seen.append("end")

    with ScriptedServer(script) as server, Relay(server.url, "--http2", "--no-stdin") as relay:
        with Client(relay) as client:
            client.request(GET, flags=END_HEADERS | END_STREAM)
            wait_until(lambda: seen)
            client.send(http2.reset(CANCEL))
            wait_until(lambda: len(seen) == 2)


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n"


@pytest.mark.parametrize("response, content", [
    (CHUNKED, b"first"), (CHUNKED + b"6\r\nsec", b"firstsec"), (CHUNKED + b"0\r\n", b"first"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst", b"first"),
], ids=["between chunks", "in a chunk", "before the last line", "fewer bytes than announced"])
def test_a_response_that_the_server_does_not_finish_is_reset(response, content):
    def script(peer):
        peer.read_head()
        peer.send(response)

    with ScriptedServer(script) as server, Relay(server.url, "--http2", "--no-stdin") as relay, Client(relay) as client:
        client.request(GET, flags=END_HEADERS | END_STREAM)
        assert (client.content(), client.ends[1]) == (content, http2.INTERNAL_ERROR)
        # Another stream continues.
        client.request(GET, 3, flags=END_HEADERS | END_STREAM)
        assert (client.content(3), client.ends[3]) == (content, http2.INTERNAL_ERROR)


def test_an_invalid_chunk_ends_the_response_at_once():
    def script(peer):
        peer.read_head()
        peer.send(CHUNKED + b"zz\r\n")
        peer.read_to_end()

    with ScriptedServer(script) as server, Relay(server.url, "--http2", "--no-stdin") as relay, Client(relay) as client:
        client.request(GET, flags=END_HEADERS | END_STREAM)
        assert (client.content(), client.ends[1]) == (b"first", http2.INTERNAL_ERROR)


@pytest.mark.parametrize("method, flags", [
    (b"GET", END_HEADERS | END_STREAM), (b"POST", END_HEADERS)], ids=["GET", "POST"])
def test_requests_are_canceled_when_the_client_ends_its_connection(method, flags):
    seen = []

    def script(peer):
        seen.append(peer.read_head())
        peer.read_to_end()
        seen.append("end")

    with ScriptedServer(script) as server, Relay(server.url, "--http2", "--no-stdin") as relay:
        length = {"content_length": b"10"} if method == b"POST" else {}
        with Client(relay) as client:
            client.request(changed(GET, _method=method, **length), flags=flags)
            if length:
                client.send(http2.data(b"half"))
            wait_until(lambda: seen)
        wait_until(lambda: len(seen) == 2)


def test_reset_streams_leave_no_connections_to_a_server_that_does_not_answer():
    with ScriptedServer(lambda peer: peer.read_to_end()) as server:
        with Relay(server.url, "--http2", "--no-stdin", "--connect-timeout", "1h") as relay, Client(relay) as client:
            before = descriptor_count(relay.pid)
            for stream in range(1, 61, 2):
                client.request(http2.WEBSOCKET, stream)
                client.send(http2.reset(CANCEL, stream))
            client.send(http2.frame(http2.PING, b"12345678"))
            while client.read()[0] != http2.PING:
                pass
            wait_until(lambda: descriptor_count(relay.pid) <= before, what="the end of the connections")
