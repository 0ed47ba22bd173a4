"""`relay --http2`: clients that speak HTTP/2, with a server that speaks HTTP/1.1."""

import http.server
import re
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
        content = b""
        if "Content-Length" in self.headers:
            content = self.rfile.read(int(self.headers["Content-Length"]))
        elif self.headers["Transfer-Encoding"] == "chunked":
            while size := int(self.rfile.readline(), 16):
                content += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
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


def test_bodies_are_forwarded_with_or_without_a_length(web):
    require_program("curl")
    url = web.url.replace("ws", "http", 1)
    body = b"x" * 300_000
    curl = ["curl", "-sS", "--noproxy", "*", "--http2-prior-knowledge"]
    for arguments in (["--data-binary", "@-"], ["-X", "POST", "-T", "-"], ["-X", "POST", "-T", "-", "-H", "Expect: 100-continue"]):
        result = run([*curl, *arguments, url], stdin=body)
        assert result.out == body, (arguments, result.err)
    with Client(web) as client:
        for stream, fields in ((1, {}), (3, {"content_length": b"2"})):
            client.request(changed(GET, _method=b"POST", **fields), stream)
            client.send(http2.data(b"ok", stream=stream, flags=END_STREAM))
            assert client.response(stream)[0] == 200 and client.content(stream) == b"ok"
        client.request(changed(GET, _method=b"POST"), 5, flags=END_HEADERS | END_STREAM)
        assert client.response(5)[0] == 200 and client.content(5) == b""


def test_a_body_that_fills_the_window_before_the_settings_are_acknowledged_goes_on(web):
    with Client(web, (http2.INITIAL_WINDOW_SIZE, 1 << 20)) as client:
        def send(*sizes):
            client.send(*(http2.data(bytes(size)) for size in sizes))
            returned = 0
            while returned < sum(sizes) - 16384 // 8:
                head = client.stream.read_exactly(9)
                payload = client.stream.read_exactly(int.from_bytes(head[:3], "big"))
                if head[3] == http2.WINDOW_UPDATE and head[8] == 1:
                    returned += int.from_bytes(payload, "big")

        client.send(http2.window_update(1 << 20))
        client.request(changed(GET, _method=b"POST"))
        send(16384)
        send(16384, 16384, 16383)
        # The settings reduce the window by the difference to 65,535 bytes.
        client.send(http2.frame(http2.SETTINGS, flags=http2.ACK))
        send(16000)
        client.send(http2.data(b"end", flags=END_STREAM))
        client.read_until(lambda: 1 in client.ends)
        assert client.response()[0] == 200 and client.content() == bytes(65535 + 16000) + b"end"


def read_chunks(peer):
    """Reads a body in the chunked coding, and returns its bytes with the coding: all, or those before the end."""
    body = bytearray()
    while not body.endswith(b"\r\n\r\n") or b"0\r\n" not in body:
        byte = peer.read_exactly(1)
        if not byte:
            break
        body += byte
    return bytes(body)


def test_frames_become_chunks_with_the_trailers_that_may_follow():
    def script(peer):
        head = peer.read_head()
        body = read_chunks(peer)
        peer.send(b"HTTP/1.1 204 No Content\r\n\r\n")
        return head, body

    with ScriptedServer(script) as server, Relay(server.url, "--http2", "--no-stdin") as relay:
        with Client(relay) as client:
            client.request(changed(GET, _method=b"PUT"))
            client.send(http2.data(b""), http2.data(b"one "), http2.data(b"x" * 17), http2.headers(
                (b"x-sum", b"a b"), (b"authorization", b"x"), (b"set-cookie", b"x"), (b"grpc-status", b"0"),
                flags=END_HEADERS | END_STREAM))
            assert client.response()[0] == 204
        head, body = server.results[0]
    assert b"\r\nTransfer-Encoding: chunked\r\n" in head and b"Content-Length" not in head
    content, _, trailers = body.rpartition(b"\r\n0\r\n")
    assert trailers == b"x-sum: a b\r\ngrpc-status: 0\r\n\r\n"
    # Frames that arrive together may be one chunk.
    assert re.sub(rb"(?:^|\r\n)[0-9a-f]+\r\n", b"", content) == b"one " + b"x" * 17


@pytest.mark.parametrize("end", [
    lambda client: client.send(http2.reset(CANCEL)), lambda client: client.send(http2.reset(http2.NO_ERROR)),
    lambda client: client.stream.sock.close(),
    lambda client: client.send(http2.headers(*[(b"x", b"y" * 4000)] * 5, flags=END_HEADERS | END_STREAM)),
], ids=["CANCEL", "NO_ERROR", "connection", "trailers beyond the limit"])
def test_a_body_that_the_client_does_not_finish_stays_unfinished(end):
    has_begun = threading.Event()

    def script(peer):
        peer.read_head()
        assert peer.read_exactly(9) == b"4\r\npart\r\n"
        has_begun.set()
        return read_chunks(peer)

    with ScriptedServer(script) as server, Relay(server.url, "--http2", "--no-stdin") as relay:
        with Client(relay) as client:
            client.request(changed(GET, _method=b"POST"))
            client.send(http2.data(b"part"))
            assert has_begun.wait(60)
            end(client)
            assert server.results == [b""]
            relay.wait_for("Answered POST: 499")


def test_trailers_of_the_server_end_the_stream():
    response = (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npage\r\n0\r\nX-Sum: 1\r\nTransfer-Encoding: x\r\n"
        b"Set-Cookie: a=b\r\n\r\n")

    def script(peer):
        peer.read_head()
        peer.send(response)
        peer.read_to_end()

    with ScriptedServer(script) as server, Relay(server.url, "--http2", "--no-stdin") as relay:
        with Client(relay) as client:
            for stream, flags in ((1, END_HEADERS | END_STREAM), (3, END_HEADERS)):
                client.request(GET, stream, flags=flags)
                status, fields = client.response(stream)
                assert (status, client.content(stream), client.ends[stream]) == (200, b"page", None)
                # Those that arrived last.
                assert client.heads[stream] == {"x-sum": "1"} and "x-sum" not in fields


def test_too_many_trailers_end_the_response_without_completing_it():
    def script(peer):
        peer.read_head()
        peer.send(CHUNKED + b"0\r\n" + b"A: 1\r\n" * 129 + b"\r\n")
        peer.read_to_end()

    with ScriptedServer(script) as server, Relay(server.url, "--http2", "--no-stdin") as relay, Client(relay) as client:
        client.request(GET, flags=END_HEADERS | END_STREAM)
        assert (client.content(), client.ends[1]) == (b"first", http2.INTERNAL_ERROR)


def test_interim_responses_pass_up_to_the_limit():
    hint = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nConnection: close\r\n\r\n"

    def script(peer):
        count = int(peer.read_head().split(b" ")[1][1:])
        peer.send(hint * count + b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        peer.read_to_end()

    with ScriptedServer(script) as server, Relay(server.url, "--http2", "--no-stdin") as relay:
        with Client(relay) as client:
            for stream, count in ((1, 8), (3, 9)):
                seen = []
                client.request(changed(GET, _path=b"/%d" % count), stream, flags=END_HEADERS | END_STREAM)
                while stream not in client.ends:
                    if client.read()[0] == http2.HEADERS:
                        seen.append(dict(client.heads[stream]))
                assert seen[:8] == [{":status": "103", "link": "</a>"}] * 8
                assert [head[":status"] for head in seen[8:]] == ["200" if count == 8 else "502"]


def test_a_client_that_expects_100_gets_it_from_the_server():
    def script(peer):
        assert b"\r\nexpect: 100-continue\r\n" in peer.read_head().lower()
        peer.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = read_chunks(peer)
        peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        return body

    with ScriptedServer(script) as server, Relay(server.url, "--http2", "--no-stdin") as relay:
        with Client(relay) as client:
            client.request(changed(GET, _method=b"POST", expect=b"100-continue"))
            assert client.response()[0] == 100
            client.send(http2.data(b"body", flags=END_STREAM))
            client.read_until(lambda: 1 in client.ends)
            assert client.heads[1][":status"] == "200"
        assert server.results == [b"4\r\nbody\r\n0\r\n\r\n"]


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
