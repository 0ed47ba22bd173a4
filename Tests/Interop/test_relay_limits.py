"""What `wsx relay` refuses: loops, waiting without end, and the use of its login by pages of other sites."""

import socket
import time

import pytest

import http2
import wire
from http2 import END_HEADERS, END_STREAM, GET, Client, changed
from processes import Relay, assert_fails, wait_until, wsx
from scripted_server import ScriptedServer
from services import free_ports
from test_relay import request, status
from test_relay_responses import OK, answering, page, read, upgrade


class TestLoops:
    @pytest.mark.parametrize("address, url", [
        ("{}", "ws://localhost:{}"), ("{}", "https://127.0.0.1:{}/path"), ("0.0.0.0:{}", "ws://127.1.2.3:{}"),
        ("[::]:{}", "ws://0.0.0.0:{}"), ("[::1]:{}", "ws://LOCALHOST:{}"), ("127.0.0.2:{}", "ws://127.0.0.2:{}"),
        ("{}", "ws://0.0.0.0:{}")])
    def test_a_relay_to_itself_is_refused(self, address, url):
        (port,) = free_ports(1)
        assert_fails(wsx("relay", address.format(port), url.format(port)), 2, "the relay itself listens there")

    def test_a_relay_to_its_own_socket_is_refused(self, tmp_path):
        path = tmp_path / "socket"
        assert_fails(wsx("relay", f"unix:{path}", f"ws+unix:{path}"), 2, "the relay itself listens there")

    def test_another_address_with_the_same_port_is_another_server(self):
        with answering(OK) as server, Relay(server.url) as relay:
            assert status(read(relay, page(relay))[0]) == 200
            with Relay(f"ws://127.0.0.1:{relay.port}") as other:
                assert status(read(other, page(other))[0]) == 200

    @pytest.mark.parametrize("make", [page, upgrade], ids=["page", "upgrade"])
    def test_a_ring_of_relays_is_noticed(self, make):
        (port,) = free_ports(1)
        with Relay(f"ws://127.0.0.1:{port}") as first, Relay(first.url, "--http2") as second:
            # The port of the first one's server.
            with ForwardingPort(port, second.port):
                for relay in (first, second):
                    response, _ = read(relay, make(relay))
                    assert status(response) == 508
            first.wait_for("508.*has passed this relay before")


class ForwardingPort(ScriptedServer):
    """Passes one request of each connection on to another port, and the response back."""

    def __init__(self, port, target):
        def script(peer):
            with socket.create_connection(("127.0.0.1", target), timeout=60) as sock:
                stream = wire.Stream(sock)
                stream.send(peer.read_head())
                peer.send(stream.read_to_end())

        super().__init__(script, port=port)


class TestWaits:
    def test_a_client_that_leaves_before_the_server_answers_is_noticed(self):
        with ScriptedServer(lambda peer: peer.read_head() and peer.read_to_end()) as server:
            with Relay(server.url, "--http2", "--no-stdin", "--connect-timeout", "1h") as relay:
                client = request(relay, upgrade(relay))
                wait_until(lambda: server.connection_count == 1)
                client.sock.close()
                wait_until(lambda: len(server.ended_results) == 1)
                with Client(relay) as client:
                    client.request(http2.WEBSOCKET)
                    wait_until(lambda: server.connection_count == 2)
                    client.send(http2.reset(http2.CANCEL))
                    wait_until(lambda: len(server.ended_results) == 2)
                relay.wait_for("(?s)(Rejected a request: 499.*The client left before.*){2}")

    def test_a_client_that_ends_its_side_after_its_messages_is_served(self):
        def script(peer):
            peer.read_request()
            # Longer than two looks at the client.
            time.sleep(1.2)
            peer.upgrade(then=wire.text("reply"))
            return peer.read_message().payload

        with ScriptedServer(script) as server, Relay(server.url) as relay:
            client = request(relay, upgrade(relay) + wire.text("first", is_masked=True))
            client.sock.shutdown(socket.SHUT_WR)
            assert status(client.read_head()) == 101 and client.read_message().payload == b"reply"
            wait_until(lambda: server.ended_results)
        assert server.results == [b"first"]


SITES = [
    # Fetch Metadata.
    ((b"Sec-Fetch-Site: cross-site",), 403), ((b"Sec-Fetch-Site: cross-site", b"Sec-Fetch-Dest: image"), 403),
    ((b"Sec-Fetch-Site: cross-site", b"Sec-Fetch-Dest: iframe", b"Sec-Fetch-Mode: navigate"), 403),
    ((b"Sec-Fetch-Site: cross-site", b"Sec-Fetch-Dest: document"), 200),
    ((b"Sec-Fetch-Site: cross-site", b"Referer: https://evil.example/x"), 403),
    ((b"Sec-Fetch-Site: cross-site", b"Referer: http://127.0.0.1:3000/x"), 200),
    ((b"Sec-Fetch-Site: cross-site", b"Referer: https://friend.example/x"), 200),
    ((b"Sec-Fetch-Site: cross-site", b"Origin: https://friend.example"), 200),
    ((b"Sec-Fetch-Site: same-site", b"Referer: http://localhost:3000/"), 200),
    ((b"Sec-Fetch-Site: same-origin", b"Referer: https://evil.example/"), 200), ((b"Sec-Fetch-Site: none",), 200),
    # Browsers without it, or that do not trust the host.
    ((b"Referer: https://evil.example/x?http://localhost/",), 403), ((b"Referer: https://friend.example",), 200),
    ((b"Referer: http://localhost.evil.example/",), 403), ((b"Referer: http://localhost:1/",), 200),
    ((b"Referer: /relative",), 200), ((), 200),
]


class TestLogins:
    @pytest.mark.parametrize("login", [
        ["--bearer", "t"], ["--auth", "u:p"], ["-H", "X-Api-Key: k"], ["-H", "Cookie: session=1"]], ids=lambda login: login[-1])
    def test_pages_of_other_sites_cannot_use_a_login(self, login):
        with answering(OK) as server, Relay(server.url, "--origin", "https://friend.example", *login) as relay:
            for fields, expected in SITES:
                response, _ = read(relay, page(relay)[:-2] + b"".join(field + b"\r\n" for field in fields) + b"\r\n")
                assert status(response) == expected, fields
                assert b"\r\nCross-Origin-Resource-Policy: same-site\r\n" in response

    def test_pages_of_other_sites_cannot_use_a_login_over_http2(self):
        with answering(OK) as server, Relay(server.url, "--http2", "--no-stdin", "--bearer", "t") as relay:
            with Client(relay) as client:
                client.request(changed(GET, sec_fetch_site=b"cross-site"), flags=END_HEADERS | END_STREAM)
                assert client.response()[0] == 403

    def test_a_partial_referer_names_the_same_site(self):
        with answering(OK) as server, Relay(server.url, "--bearer", "t") as relay:
            for value, expected in (b"", 200), (b"/x", 200), (b"/", 200), (b"//evil.example/", 403), (b"/\\evil.example", 403):
                response, _ = read(relay, page(relay)[:-2] + b"Referer: " + value + b"\r\n\r\n")
                assert status(response) == expected, value

    def test_without_a_login_requests_of_other_sites_pass(self):
        with answering(OK) as server, Relay(server.url, "-H", "X-Client: relay") as relay:
            for fields, _ in SITES:
                if b"Origin: https://friend.example" not in fields:
                    response, _ = read(relay, page(relay)[:-2] + b"".join(field + b"\r\n" for field in fields) + b"\r\n")
                    assert status(response) == 200 and b"Resource-Policy" not in response
