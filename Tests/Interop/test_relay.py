"""`wsx relay` stands between clients and a server."""

import contextlib
import json
import re
import socket
import threading

import pytest

import wire
from processes import (
    Listener, Relay, assert_fails, descriptor_count, memory_limit, resident_bytes, wait_until, wsx)
from scripted_server import ScriptedServer


@pytest.fixture(scope="module")
def echo():
    with Listener("--echo") as server:
        yield server


@pytest.fixture(scope="module")
def relay(echo):
    with Relay(echo.url) as relay:
        yield relay


def connect(relay, path="/", *fields):
    """Connects a client and returns its stream, with the response in `head`."""
    stream = request(relay, wire.upgrade_request(relay.port, path, *fields))
    stream.head = stream.read_head()
    return stream


def request(relay, data):
    stream = wire.Stream(socket.create_connection(("127.0.0.1", relay.port), timeout=60))
    stream.send(data)
    return stream


def status(head):
    return int(head.split(b" ", 2)[1])


def upgraded(peer, *fields):
    peer.upgrade(*fields)
    return peer


class TestMessages:
    @pytest.mark.parametrize("payload", [b"", b"a", b"x" * 125, b"x" * 126, b"x" * 65536, b"x" * (1 << 20)], ids=len)
    @pytest.mark.parametrize("opcode", [wire.TEXT, wire.BINARY])
    def test_pass_in_both_directions(self, relay, opcode, payload):
        client = connect(relay)
        client.send(wire.frame(opcode, payload, is_masked=True))
        message = client.read_message()
        assert (message.opcode, message.payload) == (opcode, payload)

    def test_arrive_whole_and_in_order(self, relay):
        lines = [str(number).encode() for number in range(10_000)]
        result = wsx("connect", "--count", str(len(lines)), relay.url, stdin=b"\n".join(lines) + b"\n")
        assert (result.status, result.out.splitlines()) == (0, lines)

    def test_may_follow_the_request_at_once(self, relay):
        client = request(relay, wire.upgrade_request(relay.port) + wire.text("early", is_masked=True))
        client.read_head()
        assert client.read_message().payload == b"early"

    def test_of_the_server_may_follow_its_response_at_once(self):
        with ScriptedServer(lambda peer: peer.upgrade(then=wire.text("hi") + wire.close(1000)) or peer.read_frame()) as server:
            with Relay(server.url) as relay:
                client = connect(relay)
                assert client.read_message().payload == b"hi"
                assert client.read_frame().close_code == 1000
                client.send(wire.close(1000, is_masked=True))

    def test_pass_with_compression_on_each_side(self, relay):
        result = wsx("connect", "--compress", "-1", relay.url, "z" * 10_000)
        assert result.out == b"z" * 10_000 + b"\n"

    @pytest.mark.parametrize("options, offer, expected", [
        ([], b"permessage-deflate", True), ([], b"permessage-deflate; bogus=1", False), ([], b"x-other", False),
        ([], None, False), (["--compress=off"], b"permessage-deflate", False)])
    def test_are_compressed_for_the_server_only_if_the_client_offers_it(self, options, offer, expected):
        with ScriptedServer(lambda peer: upgraded(peer).request) as server, Relay(server.url, *options) as relay:
            connect(relay, "/", *([b"Sec-WebSocket-Extensions: " + offer] if offer else []))
        assert (b"permessage-deflate" in server.results[0]) == expected

    def test_of_one_client_do_not_reach_another(self, relay):
        first, second = connect(relay), connect(relay)
        for number in range(100):
            first.send(wire.text(f"a{number}", is_masked=True))
            second.send(wire.text(f"b{number}", is_masked=True))
        assert [first.read_message().payload for _ in range(100)] == [b"a%d" % number for number in range(100)]
        assert [second.read_message().payload for _ in range(100)] == [b"b%d" % number for number in range(100)]


class TestControlFrames:
    def test_pings_and_pongs_are_forwarded_and_not_answered(self):
        frames = []

        def script(peer):
            upgraded(peer)
            frames.append(peer.read_frame())
            peer.send(wire.frame(wire.PONG, b"late") + wire.frame(wire.PING, b"from the server"))
            frames.append(peer.read_frame())
            peer.answer_close()

        with ScriptedServer(script) as server, Relay(server.url) as relay:
            client = connect(relay)
            client.send(wire.frame(wire.PING, b"from the client", is_masked=True))
            received = [client.read_frame() for _ in range(2)]
            assert [(frame.opcode, frame.payload) for frame in received] == [
                (wire.PONG, b"late"), (wire.PING, b"from the server")]
            client.send(wire.frame(wire.PONG, b"from the server", is_masked=True))
            client.send(wire.close(1000, is_masked=True))
            assert client.read_frame().close_code == 1000
        assert [(frame.opcode, frame.payload) for frame in frames] == [
            (wire.PING, b"from the client"), (wire.PONG, b"from the server")]

    @pytest.mark.parametrize("sends_pongs", [True, False], ids=["pongs", "no-pongs"])
    def test_a_relay_that_answers_messages_also_answers_pings(self, sends_pongs):
        """Clients take what arrives before the pong for a greeting."""
        def script(peer):
            upgraded(peer)
            frames = [peer.read_frame() for _ in range(2)]
            if sends_pongs:
                peer.send(wire.frame(wire.PONG, b"early"))
            peer.send(wire.frame(wire.PONG, b"of its own"))
            peer.answer_close()
            return [(frame.opcode, frame.payload) for frame in frames]

        with ScriptedServer(script) as server, Relay(server.url, "--answer", "hello => hi") as relay:
            client = connect(relay)
            client.send(wire.frame(wire.PING, b"early", is_masked=True) + wire.text("hello", is_masked=True)
                        + wire.text("other", is_masked=True))
            frames = [client.read_frame() for _ in range(3 if sends_pongs else 2)]
            assert [(frame.opcode, frame.payload) for frame in frames] == [
                (wire.PONG, b"early"), (wire.TEXT, b"hi"), (wire.PONG, b"of its own")][:len(frames)]
            client.send(wire.close(1000, is_masked=True))
            client.read_to_end()
            wait_until(lambda: server.ended_results)
        assert server.results == [[(wire.PING, b"early"), (wire.TEXT, b"other")]]

    @pytest.mark.parametrize("code, reason", [(1000, b""), (1001, b"bye"), (1008, b"no"), (1014, b""), (3000, b"x"),
                                              (4999, "zwölf".encode()), (None, b"")])
    def test_the_close_frame_of_a_client_reaches_the_server_and_the_answer_the_client(self, code, reason):
        def script(peer):
            upgraded(peer)
            received = peer.read_frame()
            peer.send(wire.text("the last") + wire.close(4321, b"answer"))
            return received.payload

        with ScriptedServer(script) as server, Relay(server.url) as relay:
            client = connect(relay)
            client.send(wire.close(code, reason, is_masked=True))
            assert client.read_message().payload == b"the last"
            answer = client.read_frame()
            assert (answer.close_code, answer.payload[2:]) == (4321, b"answer")
            assert client.read_frame() is None
            wait_until(lambda: server.ended_results)
        assert server.results == [wire.close(code, reason)[2:]]

    @pytest.mark.parametrize("code, reason", [(1000, b""), (1011, b"oops"), (4000, b""), (None, b"")])
    def test_the_close_frame_of_the_server_reaches_the_client_and_the_answer_the_server(self, code, reason):
        def script(peer):
            upgraded(peer).send(wire.close(code, reason))
            return [peer.read_frame().payload, peer.read_frame()]

        with ScriptedServer(script) as server, Relay(server.url) as relay:
            client = connect(relay)
            assert client.read_frame().payload == wire.close(code, reason)[2:]
            client.send(wire.close(4322, b"ok", is_masked=True))
            assert client.read_frame() is None
            wait_until(lambda: server.ended_results)
        assert server.results[0][0] == wire.close(4322, b"ok")[2:]

    def test_simultaneous_close_frames_cross(self):
        barrier = threading.Barrier(2)

        def script(peer):
            upgraded(peer)
            barrier.wait(60)
            peer.send(wire.close(4001))
            return peer.read_until_close().close_code

        with ScriptedServer(script) as server, Relay(server.url) as relay:
            client = connect(relay)
            barrier.wait(60)
            client.send(wire.close(4002, is_masked=True))
            assert client.read_until_close().close_code == 4001
            wait_until(lambda: server.ended_results)
        assert server.results == [4002]

    def test_a_server_that_does_not_answer_a_close_frame_does_not_hold_the_client(self):
        def script(peer):
            upgraded(peer)
            while peer.read_frame():
                pass

        with ScriptedServer(script) as server, Relay(server.url, "--close-timeout", "100ms") as relay:
            client = connect(relay)
            client.send(wire.close(4000, is_masked=True))
            assert client.read_until_close().close_code == 4000


class TestLosses:
    @pytest.mark.parametrize("end", ["reset", "end_sending"])
    def test_a_lost_server_closes_its_client_with_1014(self, end):
        with ScriptedServer(lambda peer: getattr(upgraded(peer), end)()) as server, Relay(server.url) as relay:
            assert connect(relay).read_until_close().close_code == 1014

    @pytest.mark.parametrize("is_reset", [True, False])
    def test_a_lost_client_closes_its_connection_to_the_server_with_1001(self, is_reset):
        with ScriptedServer(lambda peer: upgraded(peer).answer_close().close_code) as server, Relay(server.url) as relay:
            client = connect(relay)
            if is_reset:
                client.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            client.sock.close()
            wait_until(lambda: server.ended_results)
        assert server.results == [1001]

    def test_a_violation_of_the_client_ends_both_sides(self):
        with ScriptedServer(lambda peer: upgraded(peer).answer_close().close_code) as server, Relay(server.url) as relay:
            client = connect(relay)
            client.send(wire.text("unmasked"))
            assert client.read_until_close().close_code == 1002
            wait_until(lambda: server.ended_results)
        assert server.results == [1001]

    def test_a_violation_of_the_server_ends_both_sides(self):
        with ScriptedServer(lambda peer: upgraded(peer).send(wire.text(b"\xff")) or peer.read_until_close().close_code) as server:
            with Relay(server.url) as relay:
                assert connect(relay).read_until_close().close_code == 1014
                wait_until(lambda: server.ended_results)
        assert server.results == [1007]

    @pytest.mark.parametrize("frame, kind, words, reason", [
        (wire.text(b"\xff"), "protocol", "the server violated .*invalid-text, closed with 1007", b"is not valid UTF-8"),
        (wire.frame(3), "protocol", "the server violated .*reserved-opcode, closed with 1002", b"opcode 3 is reserved"),
        (wire.text("x" * 1001), "limit", "from the server: .*--max-message-size.*message-too-big", b"larger than 1000 bytes"),
    ], ids=["text", "opcode", "size"])
    def test_a_violation_of_the_server_is_named_in_all_outputs(self, tmp_path, frame, kind, words, reason):
        path = tmp_path / "session.jsonl"
        with ScriptedServer(lambda peer: upgraded(peer).send(frame) or peer.read_until_close()) as server:
            with Relay(server.url, "--json", "--record", path, "--max-message-size", "1000", "--once") as relay:
                client = connect(relay)
                closing = client.read_until_close()
                assert closing.close_code == 1014 and closing.payload[2:].startswith(b"from the server: ")
                assert reason in closing.payload
                client.send(wire.close(1014, is_masked=True))
                assert relay.wait() == (5 if kind == "protocol" else 1)
                assert re.search(f"Client 1: .*{words}", relay.err)
                for lines in (relay.out.decode(), path.read_text()):
                    (error,) = [event for event in map(json.loads, lines.splitlines()) if event["type"] == "error"]
                    assert (error["kind"], error["from"], error["client"]) == (kind, "server", 1)
                    assert re.search(words, error["message"])

    def test_a_message_beyond_the_limit_is_refused(self, echo):
        with Relay(echo.url, "--max-message-size", "1000") as relay:
            client = connect(relay)
            client.send(wire.text("x" * 1001, is_masked=True))
            assert client.read_until_close().close_code == 1009

    def test_at_the_end_both_sides_are_closed_with_1001(self):
        with ScriptedServer(lambda peer: upgraded(peer).answer_close().close_code) as server, Relay(server.url) as relay:
            client = connect(relay)
            relay.signal(15)
            assert client.read_until_close().close_code == 1001
            client.send(wire.close(1001, is_masked=True))
            assert relay.wait() == 0
        assert server.results == [1001]


class TestUpgrade:
    def test_path_query_headers_and_subprotocols_go_to_the_server(self):
        def script(peer):
            upgraded(peer, b"Sec-WebSocket-Protocol: b", b"X-Server: yes", b"Set-Cookie: id=1; Domain=127.0.0.1; Secure")
            peer.answer_close()
            return peer.request

        fields = [b"Sec-WebSocket-Protocol: a, b", b"Cookie: c=1", b"Authorization: Basic eDp5", b"X-Client: 1",
                  b"User-Agent: test", b"Connection: X-Hop", b"X-Hop: 1"]
        with ScriptedServer(script) as server, Relay(server.url) as relay:
            client = connect(relay, "/a|b?q=%41", *fields, f"Origin: http://127.0.0.1:{relay.port}".encode())
            client.send(wire.close(1000, is_masked=True))
            wait_until(lambda: server.ended_results)
            port = server.port
        head = server.results[0]
        assert head.startswith(b"GET /a|b?q=%41 HTTP/1.1\r\n")
        assert wire.field(head, b"Host") == b"127.0.0.1:%d" % port
        assert wire.field(head, b"Origin") == b"http://127.0.0.1:%d" % port
        assert wire.field(head, b"Sec-WebSocket-Protocol") == b"a, b"
        for name, value in [(b"Cookie", b"c=1"), (b"Authorization", b"Basic eDp5"), (b"X-Client", b"1"),
                            (b"User-Agent", b"test"), (b"X-Hop", None)]:
            assert wire.field(head, name) == value
        assert wire.field(client.head, b"Sec-WebSocket-Protocol") == b"b"
        assert wire.field(client.head, b"X-Server") == b"yes"
        assert wire.field(client.head, b"Set-Cookie") == b"id=1"

    def test_a_request_for_the_root_gets_the_path_of_the_url(self):
        with ScriptedServer(lambda peer: upgraded(peer).answer_close() and peer.request) as server:
            with Relay(server.url + "live?a=1") as relay:
                for path in ["/", "/other"]:
                    connect(relay, path).send(wire.close(1000, is_masked=True))
                    wait_until(lambda: len(server.ended_results) == (1 if path == "/" else 2))
        assert [head.split(b" ")[1] for head in server.results] == [b"/live?a=1", b"/other"]

    def test_fields_and_logins_of_the_command_line_replace_those_of_the_client(self):
        with ScriptedServer(lambda peer: upgraded(peer).answer_close() and peer.request) as server:
            with Relay(server.url, "--bearer", "token", "-H", "X-Client: relay", "--user-agent", "mine") as relay:
                connect(relay, "/", b"Authorization: Basic eDp5", b"X-Client: 1", b"X-Other: 2", b"User-Agent: u").send(
                    wire.close(1000, is_masked=True))
                wait_until(lambda: server.ended_results)
        head = server.results[0]
        for name, value in [(b"Authorization", b"Bearer token"), (b"X-Client", b"relay"), (b"X-Other", b"2"),
                            (b"User-Agent", b"mine")]:
            assert re.findall(rb"(?i)\r\n%s: (.*)\r\n" % name, head) == [value]

    def test_the_client_is_answered_after_the_server(self):
        may_answer = threading.Event()

        def script(peer):
            peer.read_request()
            may_answer.wait(60)
            peer.upgrade()

        with ScriptedServer(script) as server, Relay(server.url) as relay:
            client = request(relay, wire.upgrade_request(relay.port))
            client.sock.settimeout(0.2)
            with pytest.raises(TimeoutError):
                client.sock.recv(1)
            client.sock.settimeout(60)
            may_answer.set()
            assert status(client.read_head()) == 101

    def test_a_rejection_passes_through(self):
        def script(peer):
            peer.read_request()
            peer.send(b"HTTP/1.1 403 No\r\nX-Why: you\r\nContent-Length: 4\r\n\r\nNope")

        with ScriptedServer(script) as server, Relay(server.url) as relay:
            client = connect(relay)
            assert (status(client.head), wire.field(client.head, b"X-Why"), client.read_to_end()) == (403, b"you", b"Nope")
            # Nothing is added.
            assert wire.field(client.head, b"Cache-Control") is None
            relay.wait_for("Rejected a request: 403")

    def test_a_redirect_to_the_server_names_the_relay(self):
        def script(peer):
            peer.read_request()
            peer.send(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:%d/a?b\r\nContent-Length: 0\r\n\r\n" % server.port)

        with ScriptedServer(script) as server, Relay(server.url) as relay:
            client = connect(relay)
            assert status(client.head) == 302
            assert wire.field(client.head, b"Location") == b"http://127.0.0.1:%d/a?b" % relay.port

    def test_a_server_that_cannot_be_reached_is_502(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            with Relay(f"ws://127.0.0.1:{unused.getsockname()[1]}") as relay:
                client = connect(relay)
                assert status(client.head) == 502
                assert b"connection refused" in client.read_to_end()
                assert wsx("-1", relay.url, "x").status == 4

    def test_a_server_that_does_not_answer_in_time_is_504(self):
        with ScriptedServer(lambda peer: peer.read_request() and peer.read_to_end()) as server:
            with Relay(server.url, "--connect-timeout", "100ms") as relay:
                assert status(connect(relay).head) == 504

    @pytest.mark.parametrize("field, expected", [
        (b"Origin: https://evil.example", 403), (b"Origin: http://localhost:3000", 101), (b"X: y", 101)])
    def test_pages_of_other_origins_are_refused(self, relay, field, expected):
        assert status(connect(relay, "/", field).head) == expected

    def test_the_only_client_ends_the_run_with_once(self, echo):
        with Relay(echo.url, "--once") as relay:
            assert wsx("-1", relay.url, "x").out == b"x\n"
            assert relay.wait() == 0


class TestRequests:
    def serve(self, *responses):
        def script(peer):
            head = peer.read_request()
            length = int(wire.field(head, b"Content-Length") or 0)
            body = peer.read_exactly(length) if length else b""
            if wire.field(head, b"Transfer-Encoding"):
                while not body.endswith(b"\r\n\r\n"):
                    body += peer.read_exactly(1)
            for response in responses:
                peer.send(response)
            rest = peer.read_to_end()
            return head, body, rest

        return ScriptedServer(script)

    def exchange(self, server, data):
        with server, Relay(server.url) as relay:
            answer = request(relay, data.replace(b"PORT", b"%d" % relay.port)).read_to_end()
            wait_until(lambda: server.ended_results)
        return (answer, *server.results[0])

    RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    def test_a_page_passes_through(self):
        answer, head, body, rest = self.exchange(
            self.serve(self.RESPONSE), b"GET /p?q HTTP/1.1\r\nHost: localhost:PORT\r\nReferer: http://localhost:PORT/x\r\n\r\n")
        assert head.startswith(b"GET /p?q HTTP/1.1\r\n") and (body, rest) == (b"", b"")
        assert wire.field(head, b"Connection") == b"close"
        assert wire.field(head, b"Referer").startswith(b"http://127.0.0.1:")
        assert answer == b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"

    @pytest.mark.parametrize("framing, body", [
        (b"Content-Length: 5", b"hello"), (b"Transfer-Encoding: chunked", b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: 1\r\n\r\n")])
    def test_a_body_passes_unchanged_and_nothing_after_it(self, framing, body):
        smuggled = b"GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"
        answer, head, received, rest = self.exchange(
            self.serve(self.RESPONSE), b"POST / HTTP/1.1\r\nHost: localhost\r\n" + framing + b"\r\n\r\n" + body + smuggled)
        assert framing in head and (received, rest) == (body, b"")
        assert answer.endswith(b"\r\n\r\nok") and answer.count(b"HTTP/1.1 200") == 1

    @pytest.mark.parametrize("fields", [
        b"Content-Length: 5\r\nTransfer-Encoding: chunked", b"Content-Length: 5\r\nContent-Length: 6",
        b"Content-Length: 5\r\nContent-Length: 5", b"Content-Length: +5", b"Content-Length: 5, 5", b"Content-Length: -1",
        b"Content-Length: 0x5", b"Content-Length: 99999999999999999999", b"Transfer-Encoding: gzip, chunked",
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", b"Transfer-Encoding: identity",
        b"Transfer-Encoding: xchunked", b"Transfer-Encoding: chunked, chunked", b"Content-Length:"])
    def test_a_request_whose_end_is_ambiguous_is_refused(self, relay, fields):
        answer = request(
            relay, b"POST / HTTP/1.1\r\nHost: localhost\r\n" + fields + b"\r\n\r\n0\r\n\r\n").read_to_end()
        assert status(answer) == 400

    @pytest.mark.parametrize("body", [b"x\r\n", b"5\nhello", b"5\r\nhelloX", b"fffffffff\r\n", b"\r\n", b"5 5\r\nhello\r\n0\r\n\r\n\0"[:3] + b"\n"])
    def test_an_invalid_chunked_body_is_refused(self, relay, body):
        answer = request(
            relay, b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + body).read_to_end()
        assert status(answer) == 400

    @pytest.mark.parametrize("response, expected", [
        (b"HTTP/1.1 100 Continue\r\n\r\n" + RESPONSE, b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK"),
        (b"HTTP/1.1 204 No Content\r\nX: y\r\n\r\n", b"HTTP/1.1 204 No Content\r\nX: y\r\nConnection: close\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\n\r\nuntil the end", b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\nextra",
         b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
        (b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", b"Location: /x\r\n"),
        (b"HTTP/1.1 200 OK\r\nStrict-Transport-Security: max-age=9\r\nContent-Length: 0\r\n\r\n",
         b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
        (b"nonsense\r\n\r\n", b"HTTP/1.1 502 Bad Gateway"),
        (b"HTTP/1.1 099 X\r\n\r\n", b"HTTP/1.1 502 Bad Gateway"),
        (b"HTTP/1.1 101 Switching Protocols\r\n\r\n", b"HTTP/1.1 502 Bad Gateway"),
        (b"", b"HTTP/1.1 502 Bad Gateway"),
    ])
    def test_responses_of_all_kinds_pass(self, response, expected):
        def script(peer):
            peer.read_request()
            peer.send(response)
            peer.end_sending()

        with ScriptedServer(script) as server, Relay(server.url) as relay:
            answer = request(relay, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").read_to_end()
        assert expected in answer
        assert not answer.endswith(b"extra")

    def test_a_response_to_head_has_the_length_and_no_body(self):
        answer, *_ = self.exchange(
            self.serve(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"), b"HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert answer.endswith(b"Content-Length: 1000\r\nConnection: close\r\n\r\n")

    def test_a_client_of_http_1_0_gets_no_chunks(self):
        answer, *_ = self.exchange(
            self.serve(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
            b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n")
        assert answer == b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nok"

    def test_large_bodies_pass_at_the_pace_of_the_receiver(self):
        size = 50 << 20

        def script(peer):
            peer.read_request()
            received = len(peer.buffer)
            while received < size:
                received += len(peer.sock.recv(1 << 16))
            peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size + bytes(size))
            return received

        with ScriptedServer(script) as server, Relay(server.url) as relay:
            client = request(relay, b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % size)
            client.send(bytes(size - len(client.buffer)))
            head = client.read_head()
            assert status(head) == 200
            total = len(client.buffer)
            while piece := client.sock.recv(1 << 16):
                total += len(piece)
            assert total == size

    def test_the_length_of_a_response_that_is_cut_short_shows_it(self):
        answer, *_ = self.exchange(
            self.serve_and_leave(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort"), b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"Content-Length: 10\r\n" in answer and answer.endswith(b"short")

    def serve_and_leave(self, response):
        def script(peer):
            head = peer.read_request()
            peer.send(response)
            peer.end_sending()
            return head, b"", b""

        return ScriptedServer(script)

    def test_a_canceled_request_ends_the_connection_to_the_server(self):
        def script(peer):
            peer.read_request()
            peer.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n")
            return peer.read_to_end()

        with ScriptedServer(script) as server, Relay(server.url) as relay:
            client = request(relay, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert b"text/event-stream" in client.read_head()
            assert client.read_exactly(9) == b"data: 1\n\n"
            client.sock.close()
            wait_until(lambda: server.ended_results)

    @pytest.mark.parametrize("origin, expected", [
        (b"https://evil.example", 403), (b"null", 403), (b"http://localhost:3000", 200), (b"http://127.0.0.1:PORT", 200)])
    def test_pages_of_other_origins_cannot_use_the_login_of_the_relay(self, relay, origin, expected):
        head = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nOrigin: " + origin + b"\r\n\r\n"
        assert status(request(relay, head.replace(b"PORT", b"%d" % relay.port)).read_to_end()) == expected

    @pytest.mark.parametrize("response, is_cut", [
        (b"HTTP/1.1 200 OK\r\n\r\nall", False), (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart", True)])
    def test_the_log_says_whether_a_response_was_cut_short(self, response, is_cut):
        def script(peer):
            peer.read_request()
            peer.send(response)
            peer.end_sending()

        with ScriptedServer(script) as server, Relay(server.url) as relay:
            request(relay, b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n").read_to_end()
            relay.wait_for("Answered POST: 200.*\n")
            assert ("cut short" in relay.err) == is_cut

    def test_a_rebound_host_is_refused(self, relay):
        assert status(request(relay, b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").read_to_end()) == 403


class TestOutput:
    def test_events_and_recordings_have_both_directions(self, echo, tmp_path):
        path = tmp_path / "session.jsonl"
        with Relay(echo.url, "--json", "--record", path) as relay:
            assert wsx("-1", relay.url, "hi").status == 0
            relay.stop()
            events = [json.loads(line) for line in relay.out.splitlines()]
        recorded = [json.loads(line) for line in path.read_text().splitlines()]
        for messages in (events, recorded):
            assert [(event["direction"], event["data"], event["client"]) for event in messages
                    if event["type"] == "message"] == [("in", "hi", 1), ("out", "hi", 1)]
        assert {event["type"] for event in events} == {"listening", "open", "ping", "pong", "message", "close"}

    def test_nothing_is_written_to_standard_output_by_default(self, echo):
        with Relay(echo.url) as relay:
            assert wsx("-1", relay.url, "hi").status == 0
            relay.stop()
            assert relay.out == b""

    def test_answers_do_not_reach_the_server(self):
        def script(peer):
            upgraded(peer)
            received = peer.read_message().payload
            peer.answer_close()
            return received

        with ScriptedServer(script) as server, Relay(server.url, "--answer", "^ping => pong") as relay:
            client = connect(relay)
            client.send(wire.text("ping", is_masked=True))
            assert client.read_message().payload == b"pong"
            client.send(wire.text("other", is_masked=True) + wire.close(1000, is_masked=True))
            wait_until(lambda: server.ended_results)
        assert server.results == [b"other"]

    def test_a_secret_of_the_command_line_is_in_no_output(self, echo):
        with Relay(echo.url, "-vv", "--bearer", "s3cret-token", "--json") as relay:
            assert wsx("-1", relay.url, "hi").status == 0
            relay.stop()
            assert "s3cret" not in relay.err and b"s3cret" not in relay.out


class TestPace:
    def test_a_client_that_does_not_read_pauses_only_its_own_server(self):
        sent = {}

        def script(peer):
            upgraded(peer)
            name = peer.request.split(b" ")[1]
            peer.sock.settimeout(1 if name == b"/slow" else 60)
            count = 0
            try:
                while count < 500:
                    peer.send(wire.frame(wire.BINARY, bytes(100_000)))
                    count += 1
            except TimeoutError:
                pass
            sent[name] = count
            peer.sock.settimeout(60)
            peer.read_to_end()

        with ScriptedServer(script) as server, Relay(server.url) as relay:
            slow, fast = connect(relay, "/slow"), connect(relay, "/fast")
            assert sum(len(fast.read_message().payload) for _ in range(500)) == 50_000_000
            wait_until(lambda: len(sent) == 2)
            slow.sock.close()
            fast.sock.close()
        assert sent[b"/fast"] == 500 and sent[b"/slow"] < 200

    @staticmethod
    def connect_without_reading(relay, stack):
        client = stack.enter_context(socket.socket())
        # Otherwise, the kernel takes megabytes for each client.
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", relay.port))
        client.sendall(wire.upgrade_request(relay.port))

    def test_clients_that_do_not_read_hold_little_memory(self):
        paused = []

        def script(peer):
            upgraded(peer)
            peer.sock.settimeout(1)
            with pytest.raises(TimeoutError):
                while True:
                    peer.send(wire.frame(wire.BINARY, bytes(10_000)))
            paused.append(peer)
            peer.sock.settimeout(60)
            peer.read_to_end()

        with ScriptedServer(script) as server, Relay(server.url) as relay:
            before = resident_bytes(relay.pid)
            with contextlib.ExitStack() as clients:
                for _ in range(50):
                    self.connect_without_reading(relay, clients)
                wait_until(lambda: len(paused) == 50)
                # Each client holds 128 KiB, a message, and a read, and the heap keeps some of the blocks that the queues
                # have outgrown. Without a limit, the server would never be paused.
                assert resident_bytes(relay.pid) < before + memory_limit(50 * (512 << 10))

    def test_connections_to_servers_end_after_their_clients_although_memory_is_scarce(self):
        def script(peer):
            upgraded(peer)
            with contextlib.suppress(OSError):
                while True:
                    peer.send(wire.frame(wire.BINARY, bytes(1_000_000)))

        with ScriptedServer(script) as server:
            with Relay(server.url, "--max-memory", "8M", "--max-message-size", "2M", "--close-timeout", "500ms") as relay:
                count = descriptor_count(relay.pid)
                before = resident_bytes(relay.pid)
                with contextlib.ExitStack() as clients:
                    for _ in range(200):
                        self.connect_without_reading(relay, clients)
                    wait_until(lambda: server.connection_count == 200)
                    wait_until(lambda: resident_bytes(relay.pid) > before + (8 << 20))
                wait_until(lambda: descriptor_count(relay.pid) <= count)
                wait_until(lambda: resident_bytes(relay.pid) < before + memory_limit(16 << 20))

    def test_a_server_that_does_not_read_pauses_the_client(self):
        done = threading.Event()

        with ScriptedServer(lambda peer: upgraded(peer) and done.wait(60)) as server, Relay(server.url) as relay:
            client = connect(relay)
            client.sock.settimeout(1)
            with pytest.raises(TimeoutError):
                for _ in range(2000):
                    client.send(wire.frame(wire.BINARY, bytes(100_000), is_masked=True))
            done.set()
            client.sock.close()


@pytest.mark.parametrize("arguments, words", [
    (["8080", ""], ["URL"]), ([], ["PORT"]), (["x", "ws://h"], ["'x'"]), (["0", "ftp://h"], ["ftp"]),
    (["--echo", "0", "ws://h"], ["--echo"]), (["--reconnect", "0", "ws://h"], ["--reconnect"]),
    (["--heartbeat", "5s", "0", "ws://h"], ["--heartbeat"]), (["0", "ws://h", "x"], ["x"]),
    (["0", "echo:"], ["a relay needs a server"])])
def test_mistakes_are_one_line(arguments, words):
    assert_fails(wsx("relay", *arguments), 2, *words)
