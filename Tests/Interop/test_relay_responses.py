"""How `wsx relay` passes on responses that are not upgrades: to requests for pages, and to rejected upgrades."""

import contextlib
import socket
import threading

import pytest

import http2
import wire
from http2 import END_HEADERS, END_STREAM, GET, Client, changed
from processes import Relay, wait_until
from scripted_server import ScriptedServer
from test_relay import request, status
from tls import server_context


def answering(response, **options):
    """A server that sends the same bytes to every client, and ends its side."""
    def script(peer):
        head = peer.read_head()
        peer.send(response)
        peer.end_sending()
        peer.read_to_end()
        return head

    return ScriptedServer(script, **options)


def page(relay):
    return b"GET /p HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % relay.port


def upgrade(relay):
    return wire.upgrade_request(relay.port, "/p")


def read(relay, data):
    """Sends a request. Returns the response, and whether the connection was reset."""
    stream = request(relay, data)
    received = bytearray()
    with contextlib.closing(stream.sock):
        while True:
            try:
                piece = stream.sock.recv(1 << 16)
            except ConnectionResetError:
                return bytes(received), True
            if not piece:
                return bytes(received), False
            received += piece


@pytest.fixture(params=[page, upgrade], ids=["page", "rejected upgrade"])
def make(request):
    return request.param


class TestFraming:
    @pytest.mark.parametrize("framing", [
        b"Transfer-Encoding: gzip, chunked", b"Transfer-Encoding: gzip", b"Transfer-Encoding: identity",
        b"Transfer-Encoding: chunked, chunked", b"Content-Length: 2\r\nContent-Length: 3", b"Content-Length: 2, 3",
        b"Content-Length: +2", b"Content-Length: 0x2", b"Content-Length:", b"Content-Length: 99999999999999999999"])
    def test_a_response_whose_end_is_ambiguous_is_502(self, make, framing):
        with answering(b"HTTP/1.1 403 No\r\n" + framing + b"\r\n\r\n2\r\nok\r\n0\r\n\r\n") as server:
            with Relay(server.url) as relay:
                response, _ = read(relay, make(relay))
                assert status(response) == 502 and b"ok" not in response.partition(b"\r\n\r\n")[2]
                relay.wait_for("502.*Transfer-Encoding or Content-Length is invalid")

    @pytest.mark.parametrize("response, expected", [
        (b"HTTP/1.1 204 Nothing\r\n\r\n", b"HTTP/1.1 204 Nothing\r\nConnection: close\r\n\r\n"),
        (b"HTTP/1.1 304 Same\r\nContent-Length: 7\r\n\r\n",
         b"HTTP/1.1 304 Same\r\nContent-Length: 7\r\nConnection: close\r\n\r\n"),
        (b"HTTP/1.1 403 Gesch\xfctzt\r\nContent-Length: 2\r\n\r\nok",
         b"HTTP/1.1 403 Gesch\xfctzt\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"),
        (b"HTTP/1.1 200 \r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok",
         b"HTTP/1.1 200 \r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"),
        (b"HTTP/1.1 418 Tea\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nT: 1\r\n\r\n",
         b"HTTP/1.1 418 Tea\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nok\r\n0\r\nT: 1\r\n\r\n"),
        (b"HTTP/1.1 500 X\r\n\r\n" + b"x" * 100_000,
         b"HTTP/1.1 500 X\r\nConnection: close\r\n\r\n" + b"x" * 100_000),
    ], ids=["204", "304", "reason phrase", "equal lengths", "chunked", "larger than a kept body"])
    def test_pages_and_rejections_pass_unchanged(self, make, response, expected):
        with answering(response) as server, Relay(server.url) as relay:
            assert read(relay, make(relay)) == (expected, False)

    @pytest.mark.parametrize("response", [
        b"HTTP/1.1 403 No\r\nContent-Length: 9\r\n\r\npart",
        b"HTTP/1.1 403 No\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n",
        b"HTTP/1.1 403 No\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n0\r\nno trailer\r\n\r\n"])
    def test_a_response_that_the_server_does_not_finish_stays_unfinished(self, make, response):
        with answering(response) as server, Relay(server.url, "--http2", "--no-stdin") as relay:
            received, _ = read(relay, make(relay))
            assert b"Content-Length: 9\r\n" in received or b"\r\n0\r\n" not in received
            relay.wait_for("403.*cut short")
            # The end of the stream would be that of the response.
            old = make(relay).replace(b"HTTP/1.1", b"HTTP/1.0")
            received, is_reset = read(relay, old)
            assert is_reset == (b"chunked" in response) and received.endswith(b"part")
            with Client(relay) as client:
                client.request(
                    GET if make is page else http2.WEBSOCKET, flags=END_HEADERS | (END_STREAM if make is page else 0))
                assert client.response()[0] == 403
                assert (client.content(), client.ends[1]) == (b"part", http2.INTERNAL_ERROR)

    def test_a_response_without_a_length_is_reset_with_the_connection_to_the_server(self, make):
        has_arrived = threading.Event()

        def script(peer):
            peer.read_head()
            peer.send(b"HTTP/1.1 403 No\r\n\r\npart")
            has_arrived.wait(60)
            peer.reset()

        with ScriptedServer(script) as server, Relay(server.url) as relay:
            client = request(relay, make(relay))
            client.read_head()
            assert client.read_exactly(4) == b"part"
            has_arrived.set()
            with pytest.raises(ConnectionResetError):
                client.sock.recv(1)

    @pytest.mark.parametrize("ends_tls", [True, False])
    def test_a_response_without_a_length_is_reset_if_tls_is_cut_off(self, make, certificates, ends_tls):
        def script(peer):
            peer.read_head()
            peer.send(b"HTTP/1.1 403 No\r\n\r\npart")
            if ends_tls:
                peer.sock = peer.sock.unwrap()
            else:
                peer.sock.shutdown(socket.SHUT_RDWR)

        with ScriptedServer(script, context=server_context(certificates.good)) as server:
            with Relay(server.url, "--insecure") as relay:
                received, is_reset = read(relay, make(relay))
                assert received.endswith(b"part") and is_reset != ends_tls
                relay.wait_for("403" if ends_tls else "403.*close_notify")


class TestHTTP2:
    @pytest.mark.parametrize("response, content", [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage", b"page"), (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
        (b"HTTP/1.1 205 Reset Content\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npage\r\n0\r\n\r\n", b"page"),
        (b"HTTP/1.1 299 X\r\n\r\npage", b"page")])
    def test_a_page_in_answer_to_an_upgrade_is_no_websocket(self, response, content):
        code = status(response)
        with answering(response) as server, Relay(server.url, "--http2", "--no-stdin") as relay:
            with Client(relay) as client:
                client.request(http2.WEBSOCKET)
                # RFC 8441 §5: any 2xx status would open it.
                assert client.response()[0] == 502
                assert (client.content(), client.ends[1]) == (content, None)
                relay.wait_for(f"Rejected a request: 502.*The server answered {code}")
                client.request(GET, 3, flags=END_HEADERS | END_STREAM)
                assert client.response(3)[0] == code and client.content(3) == content
            assert status(read(relay, upgrade(relay))[0]) == code


OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class TestRequests:
    @pytest.mark.parametrize("method, version, fields", [
        (b"GET", b"1.1", b"Upgrade: websocket\r\nSec-WebSocket-Version: 13"),
        (b"POST", b"1.1", b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13"),
        (b"GET", b"1.0", b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13"),
    ], ids=["no Connection", "POST", "HTTP/1.0"])
    def test_a_request_that_is_no_upgrade_goes_to_the_server(self, method, version, fields):
        with answering(OK) as server, Relay(server.url) as relay:
            data = b"%s /p HTTP/%s\r\nHost: localhost\r\n%s\r\nSec-WebSocket-Key: k\r\n\r\n" % (method, version, fields)
            assert status(read(relay, data)[0]) == 200
            wait_until(lambda: server.ended_results)
        head = server.results[0]
        assert head.startswith(method + b" /p ") and wire.field(head, b"Upgrade") is None
        assert wire.field(head, b"Sec-WebSocket-Key") == b"k"
        assert wire.field(head, b"Sec-WebSocket-Version") == wire.field(data, b"Sec-WebSocket-Version")

    # RFC 6455 §4.4
    @pytest.mark.parametrize("version", [b"8", b"0", b"x", None])
    def test_an_upgrade_to_another_version_is_answered_with_the_supported_one(self, version):
        field = b"Sec-WebSocket-Version: %s\r\n" % version if version else b""
        with answering(OK) as server, Relay(server.url, "--http2", "--no-stdin") as relay:
            head = read(relay, b"GET /p HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        b"%sSec-WebSocket-Key: k\r\n\r\n" % field)[0]
            assert status(head) == 426 and wire.field(head, b"Sec-WebSocket-Version") == b"13"
            with Client(relay) as client:
                client.request(changed(http2.WEBSOCKET, sec_websocket_version=version))
                assert client.response()[0] == 400
            assert server.connection_count == 0

    def test_options_for_the_server_itself_go_to_it(self):
        with answering(OK) as server, Relay(server.url + "live", "--http2", "--no-stdin") as relay:
            assert status(read(relay, b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n")[0]) == 200
            with Client(relay) as client:
                client.request(changed(GET, _method=b"OPTIONS", _path=b"*"), flags=END_HEADERS | END_STREAM)
                assert client.response()[0] == 200 and client.content() == b"ok"
            assert status(read(relay, b"GET * HTTP/1.1\r\nHost: localhost\r\n\r\n")[0]) == 400
            wait_until(lambda: len(server.ended_results) == 2)
        assert all(head.startswith(b"OPTIONS * HTTP/1.1\r\n") for head in server.results)

    def test_a_path_beyond_ascii_is_refused_in_both_versions(self):
        with answering(OK) as server, Relay(server.url, "--http2", "--no-stdin") as relay:
            assert status(read(relay, "GET /ä HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())[0]) == 400
            with Client(relay) as client:
                client.request(changed(GET, _path="/ä".encode()), flags=END_HEADERS | END_STREAM)
                assert client.response()[0] == 400 and b"/\xc3\xa4" in client.content()
                client.request(changed(GET, _path=b"/a"), 3, flags=END_HEADERS | END_STREAM)
                assert client.response(3)[0] == 200
            assert server.connection_count == 1

    def test_cookies_of_one_client_do_not_go_to_the_server_with_requests_of_another(self):
        def script(peer):
            peer.upgrade(b"Set-Cookie: session=secret; Path=/")
            peer.answer_close()
            return peer.request

        with ScriptedServer(script) as server, Relay(server.url) as relay:
            for number in (1, 2):
                client = request(relay, wire.upgrade_request(relay.port))
                assert wire.field(client.read_head(), b"Set-Cookie") == b"session=secret; Path=/"
                client.send(wire.close(1000, is_masked=True))
                wait_until(lambda: len(server.ended_results) == number)
        assert [wire.field(head, b"Cookie") for head in server.results] == [None, None]
