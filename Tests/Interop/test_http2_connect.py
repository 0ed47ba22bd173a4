"""`connect --http2`: WebSocket over HTTP/2 with other servers, and with scripted ones that misbehave."""

import contextlib
import json
import os
import random
import re
import ssl

import pytest

import http2
import wire
from http2 import CANCEL, END_STREAM, ENHANCE_YOUR_CALM, REFUSED_STREAM, Server
from processes import (
    BINARY, PEERS, PEERS_PYTHON, RECONNECT, PeerServer, Running, assert_fails, memory_limit, resident_bytes, wait_until,
    wsx)
from scripted_server import ScriptedServer
from tls import server_context

MEBIBYTE = 1 << 20
OK = (b":status", b"200")


@pytest.fixture(scope="module")
def hypercorn():
    with PeerServer([PEERS_PYTHON, PEERS / "hypercorn_server.py"]) as server:
        yield server


@pytest.fixture(scope="module")
def secure_hypercorn(certificates):
    identity = certificates.good
    with PeerServer([PEERS_PYTHON, PEERS / "hypercorn_server.py", identity.chain, identity.key]) as server:
        server.url = f"wss://127.0.0.1:{server.port}/"
        yield server


def connect(*arguments, **options):
    return wsx("connect", "--http2", *arguments, **options)


def hello(*arguments, **options):
    return connect("--one", *arguments, "hello", **options)


def assert_hello(result):
    assert (result.status, result.out, result.err) == (0, b"hello\n", ""), result


# Hypercorn


@pytest.mark.parametrize("compression", ["off", "on"])
def test_messages_are_echoed_with_prior_knowledge(hypercorn, compression):
    assert_hello(hello(f"--compress={compression}", hypercorn.url))


def test_messages_are_echoed_over_tls_which_selects_h2(secure_hypercorn, certificates):
    result = hello("-v", "--ca", certificates.root, secure_hypercorn.url)
    assert (result.status, result.out) == (0, b"hello\n"), result
    assert re.search(r"TLS: TLS 1\.3, .*, h2\n", result.err), result.err


def test_verbose_output_shows_the_pseudo_fields_and_masks_secrets(hypercorn):
    result = hello("-v", "--bearer", "geheim-token", "-H", "X-Mixed: Case", hypercorn.url + "?token=geheim")
    assert result.status == 0, result
    for words in (":method: CONNECT", ":protocol: websocket", ":scheme: http", ":authority: 127.0.0.1",
                  "sec-websocket-version: 13", "x-mixed: Case", ":status: 200", "x-server: hypercorn"):
        assert words in result.err, words
    assert "geheim" not in result.err and "sec-websocket-key" not in result.err, result.err


def test_the_open_event_names_the_version(hypercorn, python_echo):
    for arguments, url, number in ((["--http2"], hypercorn.url, "2"), ([], python_echo.url, "1.1")):
        result = wsx("connect", "--one", *arguments, "--output", "json", url, "hello")
        opened = json.loads(result.lines[0])
        assert (opened["type"], opened["http"], opened["status"]) == ("open", number, 200 if number == "2" else 101)


def test_subprotocols_and_fields_arrive(hypercorn):
    result = connect("-n", "1", "--subprotocol", "chat", "-H", "X-One: 1", "--cookie", "a=b", "--origin", "http://o",
                     "--output", "json", hypercorn.url + "fields", stdin=b"")
    opened, first, *_ = map(json.loads, result.lines)
    assert opened["subprotocol"] == "chat"
    request = json.loads(first["data"])
    assert request["http"] == "2"
    fields = request["headers"]
    assert (fields["x-one"], fields["cookie"], fields["origin"]) == ("1", "a=b", "http://o")
    assert not {"sec-websocket-key", "upgrade", "connection"} & fields.keys()


def test_a_rejection_shows_its_status_and_body(hypercorn):
    result = connect(hypercorn.url + "refused")
    assert (result.status, result.out) == (4, b""), result
    assert result.error_lines[0].endswith("the server answered 403 Forbidden; check the path, --origin, and the credentials")
    assert ":status: 403" in result.err and "not you" in result.err


def test_a_redirect_is_followed_with_its_cookie(hypercorn):
    assert connect(hypercorn.url + "moved").error_lines[0].endswith("302 Found; follow the redirect with --location")
    result = connect("-L", "-n", "1", hypercorn.url + "moved")
    assert json.loads(result.out)["headers"]["cookie"] == "visit=1", result


def test_large_messages_pass_unchanged_in_both_directions(hypercorn, tmp_path):
    path = tmp_path / "messages"
    lines = [random.randbytes(3 * MEBIBYTE).hex().encode() for _ in range(4)]
    path.write_bytes(b"\n".join(lines) + b"\n")
    with path.open("rb") as file:
        result = connect("--compress=off", hypercorn.url, stdin=file)
    assert result.status == 0, result.err
    assert result.out == path.read_bytes()


def test_every_route_to_the_server_works(route, secure_hypercorn, hypercorn, certificates):
    for url in (hypercorn.url, secure_hypercorn.url):
        assert_hello(hello("--ca", certificates.root, *route, url))


# Servers that do not speak HTTP/2, or not this part of it


def test_each_server_without_websocket_over_http2_has_its_message(certificates):
    def without_connect(peer):
        Server(peer, allows_connect=False).finish()

    def http1(peer):
        peer.read_head()
        peer.send(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

    def silent(peer):
        peer.read_head()

    def tls(peer):
        peer.read_head()
        peer.send(bytes.fromhex("15030100020228"))

    def goaway(peer):
        server = Server(peer)
        server.send(http2.goaway(ENHANCE_YOUR_CALM, b"too many \x1b[31m", 0))

    for script, status, words in (
        (without_connect, 4, "the server speaks HTTP/2, but accepts no WebSockets over it (RFC 8441); omit --http2"),
        (http1, 5, "the server speaks only HTTP/1.1 on this port; omit --http2"),
        (silent, 3, "the server closed the connection without a response; it may not speak HTTP/2"),
        (tls, 5, "the server speaks TLS on this port; use wss://"),
        (goaway, 3, 'the peer ended the HTTP/2 connection: ENHANCE_YOUR_CALM (11) ("too many \\u{1B}[31m")'),
    ):
        with ScriptedServer(script) as server:
            assert_fails(connect(server.url), status, words)


def test_a_tls_server_without_h2_has_its_message(certificates):
    def script(peer):
        with contextlib.suppress(OSError):
            peer.sock.recv(1)

    for protocols in (["http/1.1"], []):
        context = server_context(certificates.good)
        context.set_alpn_protocols(protocols)
        if not protocols:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificates.good.chain, certificates.good.key)
        with ScriptedServer(script, context=context) as server:
            assert_fails(
                connect("--ca", certificates.root, server.url), 3, "the server does not speak HTTP/2 on this port; omit --http2")


def test_a_server_that_insists_on_h2_gets_a_hint(certificates):
    def script(peer):
        with contextlib.suppress(OSError):
            peer.sock.recv(1)

    def plain(peer):
        peer.read_head()
        peer.send(http2.settings())

    with ScriptedServer(plain) as server:
        assert_fails(wsx("connect", server.url), 5, "speaks only HTTP/2", "wsx connect --http2")


# Answers of a scripted server


def answered(*frames):
    """A script that answers the request with frames, and returns the code of the client's GOAWAY."""
    def script(peer):
        server = Server(peer)
        server.wait_for(http2.HEADERS)
        server.send(*frames)
        with contextlib.suppress(ConnectionResetError):
            return server.finish()
    return script


def test_every_bad_answer_has_its_message():
    long_field = (b"x-long", b"v" * 16000)
    block = http2.header_block(OK, *[long_field] * 5)
    pieces = [block[start:start + 16384] for start in range(0, len(block), 16384)]
    too_large = [http2.frame(http2.HEADERS, pieces[0], 0, 1)] + [
        http2.frame(http2.CONTINUATION, piece, http2.END_HEADERS if piece is pieces[-1] else 0, 1) for piece in pieces[1:]]
    flood = [http2.frame(http2.HEADERS, http2.header_block(OK), 0, 1)] + [http2.frame(http2.CONTINUATION, b"", 0, 1)] * 100
    for frames, status, words in (
        ([http2.reset(REFUSED_STREAM)], 4, "the peer reset the HTTP/2 stream: REFUSED_STREAM (7)"),
        ([http2.reset(99)], 4, "the peer reset the HTTP/2 stream: error 99"),
        ([http2.goaway(REFUSED_STREAM, last_stream=0)], 3, "the peer ended the HTTP/2 connection: REFUSED_STREAM (7)"),
        (too_large, 5, "the peer's HTTP/2 message is larger than 65536 bytes"),
        ([http2.headers(OK, *[(b"x", b"y")] * 200)], 5, "has more than 128 fields"),
        ([http2.headers(OK, (b"Upper", b"x"))], 5, "the peer violated the HTTP/2 protocol"),
        ([http2.headers(OK, (b"x", b"a\r\nb: c"))], 5, 'the header field "x" is malformed'),
        ([http2.headers(OK, (b"connection", b"upgrade"))], 5, "the peer violated the HTTP/2 protocol"),
        ([http2.headers((b"x", b"y"))], 5, "the peer violated the HTTP/2 protocol"),
        ([http2.data(b"early")], 5, "the peer violated the HTTP/2 protocol"),
        ([http2.frame(http2.PUSH_PROMISE, b"\0\0\0\2" + http2.header_block(OK), http2.END_HEADERS, 1)], 5,
         "the peer violated the HTTP/2 protocol"),
        ([http2.window_update(2**31 - 1)] * 2, 5, "the peer violated the HTTP/2 protocol"),
        ([http2.frame(http2.SETTINGS, b"12345")], 5, "the peer violated the HTTP/2 protocol"),
        ([http2.frame(http2.HEADERS, b"\xff\xff\xff\xff\xff\xff", http2.END_HEADERS, 1)], 5,
         "the peer violated the HTTP/2 protocol"),
        (flood, 5, "the peer violated the HTTP/2 protocol"),
        ([http2.settings(*[(0x99, 1)] * 50)], 5, "the peer violated the HTTP/2 protocol"),
        ([http2.headers((b":status", b"103"))] * 9, 5, "more than 8 interim responses"),
        ([http2.headers(OK, (b"sec-websocket-protocol", b"chat"))], 5, 'the subprotocol "chat", which was not requested'),
        ([http2.headers(OK, (b"sec-websocket-extensions", b"x"))], 5, 'the extension "x", which was not offered'),
    ):
        with ScriptedServer(answered(*frames)) as server:
            assert_fails(connect(server.url), status, words)


def test_interim_responses_and_unknown_frames_are_skipped():
    def script(peer):
        server = Server(peer)
        server.wait_for(http2.HEADERS)
        server.send(
            http2.headers((b":status", b"103")), http2.frame(0xFA, b"unknown"), http2.settings((0x99, 1)),
            http2.headers(OK), http2.data(wire.text("hello")), http2.data(wire.close(1000)))
        return server.finish()

    with ScriptedServer(script) as server:
        result = connect(server.url)
        assert (result.status, result.out) == (0, b"hello\n"), result
    assert server.results == [0], "the client ends the connection with GOAWAY"


def test_a_refusal_without_its_end_is_shown_after_a_reset():
    frames = [http2.headers((b":status", b"503")), http2.data(b"busy"), http2.reset(0)]
    with ScriptedServer(answered(*frames)) as server:
        result = connect(server.url)
    assert result.status == 4 and "503" in result.error_lines[0] and "busy" in result.err, result


def test_pings_are_answered_also_while_the_output_is_blocked():
    def script(peer):
        server = Server(peer)
        server.upgrade()
        server.send(http2.data(wire.frame(wire.TEXT, b"x" * 60000)) * 20)
        server.send(http2.frame(http2.PING, b"12345678"))
        return server.wait_for(http2.PING)

    with ScriptedServer(script) as server:
        reader, writer = os.pipe()
        with Running([BINARY, "connect", "--http2", server.url], stdout=writer) as client:
            os.close(writer)
            wait_until(lambda: server.ended_results)
            os.close(reader)
            client.wait()
    assert server.results == [(http2.PING, http2.ACK, 0, b"12345678")]


def test_a_paused_reader_bounds_what_the_server_may_send():
    """The server fills the window, and then waits for the reader."""
    window = 16 * MEBIBYTE
    sent = []

    def script(peer):
        server = Server(peer)
        server.upgrade()
        message = http2.data(wire.frame(wire.BINARY, b"x" * (MEBIBYTE - 10)))
        # As the window allows, whatever the client returns: it is paused.
        for _ in range(16):
            server.send(message)
            sent.append(MEBIBYTE)
        # The answer to a ping follows everything before it.
        server.send(http2.frame(http2.PING, b"12345678"))
        server.wait_for(http2.PING)
        return server

    with ScriptedServer(script) as server:
        reader, writer = os.pipe()
        with Running([BINARY, "connect", "--http2", "--output", "raw", server.url], stdout=writer) as client:
            os.close(writer)
            wait_until(lambda: server.ended_results, what="the answer to the ping")
            assert sum(sent) == window
            assert resident_bytes(client.pid) < memory_limit(64 * MEBIBYTE)
            os.close(reader)
            client.wait()


def test_input_waits_for_the_window_of_the_server():
    def script(peer):
        server = Server(peer, (http2.INITIAL_WINDOW_SIZE, 10))
        server.upgrade()
        server.wait_for(http2.DATA)
        server.send(http2.frame(http2.PING, b"12345678"))
        server.wait_for(http2.PING)
        first = bytes(server.payload)
        server.send(http2.window_update(1000, 1))
        messages = {server.read_message(), server.read_message()}
        server.send(http2.data(wire.close(1000)))
        server.finish()
        return len(first), messages

    with ScriptedServer(script) as server:
        result = connect("--compress=off", server.url, "twenty bytes of text")
        assert result.status == 0, result
    # The ping confirms the message.
    assert server.results == [(10, {b"linger", b"twenty bytes of text"})]


def test_each_end_of_an_open_stream_has_its_message():
    for frames, status, words in (
        ([http2.data(b"", flags=END_STREAM)], 1, "lost"),
        ([http2.reset(CANCEL)], 1, "the peer reset the HTTP/2 stream: CANCEL (8)"),
        ([http2.goaway(ENHANCE_YOUR_CALM, b"slow down"), http2.reset(ENHANCE_YOUR_CALM)], 1,
         'the peer ended the HTTP/2 connection: ENHANCE_YOUR_CALM (11) ("slow down")'),
        ([http2.frame(http2.DATA, b"", stream=0)], 5, "the peer violated the HTTP/2 protocol"),
    ):
        def script(peer):
            server = Server(peer)
            server.upgrade()
            server.read_message()
            server.send(*frames)
            with contextlib.suppress(OSError):
                server.finish()

        with ScriptedServer(script) as server:
            assert_fails(connect("-q", "--no-stdin", server.url, "hello"), status, words)


def test_a_goaway_lets_the_open_stream_continue():
    def script(peer):
        server = Server(peer)
        server.upgrade()
        server.send(http2.goaway(0), http2.data(wire.text("still here")), http2.data(wire.close(1000), flags=END_STREAM))
        return server.finish()

    with ScriptedServer(script) as server:
        result = connect(server.url)
        assert (result.status, result.out, result.err) == (0, b"still here\n", ""), result


def test_closing_ends_the_stream_and_then_the_connection():
    def script(peer):
        server = Server(peer)
        server.upgrade()
        # A ping, and the message.
        assert [server.read_message(), server.read_message()] == [b"linger", b"hello"]
        server.send(http2.data(wire.frame(wire.PONG, b"linger") + wire.text("hello")))
        frames = []
        while (received := server.read()) is not None:
            frames.append(received[:2])
            if received[0] == http2.DATA and len(frames) == 1:
                server.send(http2.data(wire.close(1000), flags=END_STREAM))
        return [received for received in frames if received[0] not in (http2.SETTINGS, http2.WINDOW_UPDATE)]

    with ScriptedServer(script) as server:
        assert_hello(hello("--compress=off", server.url))
    assert server.results == [[(http2.DATA, 0), (http2.DATA, END_STREAM), (http2.GOAWAY, 0)]]


def test_a_reset_stream_is_reconnected():
    numbers = []

    def script(peer):
        server = Server(peer)
        numbers.append(len(numbers))
        server.wait_for(http2.HEADERS)
        if len(numbers) == 1:
            return server.send(http2.reset(REFUSED_STREAM))
        server.send(http2.headers(OK))
        if len(numbers) == 2:
            return server.send(http2.reset(CANCEL))
        server.send(http2.data(wire.text("third")), http2.data(wire.close(1000), flags=END_STREAM))
        return server.finish()

    with ScriptedServer(script) as server:
        result = connect(*RECONNECT, "-n", "1", server.url)
        assert (result.status, result.out) == (0, b"third\n"), result


def test_floods_of_pings_and_settings_do_not_grow_the_client():
    def script(peer):
        server = Server(peer)
        server.upgrade()
        peer.sock.settimeout(1)
        flood = http2.frame(http2.PING, b"12345678") * 10000
        with contextlib.suppress(OSError):
            for _ in range(200):
                server.send(flood)

    with ScriptedServer(script) as server:
        with Running([BINARY, "connect", "--http2", server.url]) as client:
            wait_until(lambda: server.ended_results)
            # Answers that the server does not read end the connection, as does its end.
            client.wait()
            assert "HTTP/2 protocol" in client.err or "lost" in client.err, client.err
