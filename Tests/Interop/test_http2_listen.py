"""`listen --http2`: WebSockets, pages, and files over HTTP/2, next to HTTP/1.1 on the same port."""

import contextlib
import json
import random
import signal
import socket

import pytest

import http2
import wire
from console_page import ConsolePage
from http2 import CANCEL, END_HEADERS, END_STREAM, GET, REFUSED_STREAM, WEBSOCKET, Client, changed
from processes import Listener, require_program, run, wait_until, wsx
from tls import client_context

MEBIBYTE = 1 << 20


def listen(*arguments, **options):
    return Listener("--http2", *arguments, **options)


@pytest.fixture(scope="module")
def echo():
    with listen("--echo") as server:
        yield server
        assert server.stop() == 0


def curl(server, path, *arguments):
    """Returns the status, the version, and the content of a response to curl."""
    require_program("curl")
    url = server.url.replace("ws", "http", 1) + path
    result = run(["curl", "-sS", "--noproxy", "*", "-w", "\n%{http_code} %{http_version}", *arguments, url])
    assert result.status == 0, result
    content, _, last = result.out.rpartition(b"\n")
    status, version = last.split()
    return int(status), version.decode(), content


# WebSockets


@pytest.mark.parametrize("compression", ["off", "on"])
@pytest.mark.parametrize("version", [["--http2"], []])
def test_both_versions_are_echoed_on_one_port(echo, version, compression):
    result = wsx("connect", *version, f"--compress={compression}", "--one", echo.url, "hello")
    assert (result.status, result.out, result.err) == (0, b"hello\n", "")


@pytest.mark.parametrize("version", ["2", "1.1"])
def test_tls_selects_the_version_that_the_client_offers(certificates, version):
    good = certificates.good
    with listen("--echo", "--tls-cert", good.chain, "--tls-key", good.key) as server:
        arguments = ["--http2"] if version == "2" else []
        result = wsx(
            "connect", *arguments, "--ca", certificates.root, "--one", "--output", "json", server.url, "hello")
        opened = json.loads(result.lines[0])
        assert (opened["http"], opened["tls"]["alpn"]) == (version, "h2" if version == "2" else "http/1.1")


def test_a_client_that_selects_h2_must_speak_it(certificates):
    good = certificates.good
    with listen("--echo", "--tls-cert", good.chain, "--tls-key", good.key) as server:
        context = client_context(certificates.root)
        context.set_alpn_protocols(["h2"])
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as sock:
            with context.wrap_socket(sock, server_hostname="127.0.0.1") as secured:
                secured.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                assert b"HTTP/1.1" not in wire.Stream(secured).read_to_end()


def test_the_echo_server_of_connect_speaks_http2():
    result = wsx("connect", "--http2", "--one", "--output", "json", "echo:", "hello")
    assert json.loads(result.lines[0])["http"] == "2", result


def test_large_messages_pass_the_windows(echo):
    lines = b"".join(random.randbytes(3 * MEBIBYTE).hex().encode() + b"\n" for _ in range(2))
    result = wsx("connect", "--http2", "--compress=off", "-n", "2", echo.url, stdin=lines)
    assert result.status == 0 and result.out == lines, result.err


def test_several_websockets_share_a_connection(echo):
    with Client(echo) as client:
        for stream in (1, 3, 5):
            client.open(stream, _path=b"/%d" % stream)
        for stream in (5, 1, 3):
            client.say(f"to {stream}", stream)
        assert [client.message(stream) for stream in (1, 3, 5)] == [b"to 1", b"to 3", b"to 5"]
        # A closing handshake ends one stream, and a reset another.
        client.send(http2.data(wire.close(1000, is_masked=True), stream=1), http2.reset(CANCEL, stream=3))
        client.read_until(lambda: 1 in client.ends)
        assert client.ends[1] is None and client.data[1].read_frame().close_code == 1000
        client.say("still here", 5)
        assert client.message(5) == b"still here"


def test_the_response_has_only_fields_of_http2():
    with listen("--echo", "--subprotocol", "chat", "-H", "X-Own: 1") as server, Client(server) as client:
        fields = client.open(sec_websocket_protocol=b"chat", sec_websocket_extensions=b"permessage-deflate")
        assert fields["sec-websocket-protocol"] == "chat" and fields["x-own"] == "1", fields
        assert fields["sec-websocket-extensions"].startswith("permessage-deflate"), fields
        assert not {"upgrade", "connection", "sec-websocket-accept"} & fields.keys(), fields


def test_the_log_and_the_events_name_the_version():
    with listen("-v", "--echo", "--output", "json") as server:
        assert wsx("connect", "--http2", "-1", server.url + "room", "hi").status == 0
        server.wait_for("disconnected.*\n")
        assert "/room, HTTP/2\n" in server.err and ":status: 200" in server.err and ", status 200," in server.err
        assert "GET /room HTTP/2\n" in server.err, server.err
        server.wait_for('"close"', "out")
        assert json.loads(server.out.splitlines()[1])["http"] == "2"


def test_programs_see_a_get_request():
    script = 'read line; echo "$REQUEST_METHOD $SERVER_PROTOCOL $PATH_INFO $HTTP_COOKIE $HTTP_HOST"'
    with listen(program=["sh", "-c", script]) as server, Client(server) as client:
        client.request([*changed(WEBSOCKET, _path=b"/x"), (b"cookie", b"a=1"), (b"cookie", b"b=2")])
        client.say("go")
        assert client.message() == b"GET HTTP/2 /x a=1; b=2 127.0.0.1"


def test_a_stream_that_does_not_read_stops_alone(echo):
    with Client(echo, (http2.INITIAL_WINDOW_SIZE, 100)) as client:
        client.open(1)
        client.open(3)
        # The server reads the first stream until its answers wait, and returns no more of its window.
        payload = wire.text("x" * 60_000, is_masked=True)
        client.send(http2.data(payload, stream=1))
        client.send(http2.window_update(1 << 20))
        client.read_until(lambda: len(client.data[1].buffer) == 100 if 1 in client.data else False)
        client.say("hello", 3)
        assert client.message(3) == b"hello"
        client.send(http2.window_update(1 << 20, stream=1))
        client.read_until(lambda: len(client.data[1].buffer) > 60_000)


def test_a_paused_stream_holds_no_more_than_its_window(echo):
    with Client(echo, (http2.INITIAL_WINDOW_SIZE, 0)) as client:
        client.open(1)
        window = client.settings[http2.INITIAL_WINDOW_SIZE]
        assert window == 16384
        sent = returned = 0
        message = wire.text("x" * 16_000, is_masked=True)
        # Answers fill the queue of the stream, so the server returns no more of the window in the end.
        while True:
            while sent + len(message) <= window + returned:
                client.send(http2.data(message, stream=1))
                sent += len(message)
            client.send(http2.frame(http2.PING, bytes(8)))
            while (received := client.read())[0] != http2.PING:
                if received[0] == http2.WINDOW_UPDATE and received[2] == 1:
                    returned += int.from_bytes(received[3], "big")
            if sent + len(message) > window + returned:
                break
        # What the queue holds, and the largest window.
        assert sent < 40 * MEBIBYTE


def test_the_window_of_a_fast_stream_grows():
    with listen("--no-stdin", "--max-message-size", "64M") as server, Client(server) as client:
        client.open(1)
        window = client.settings[http2.INITIAL_WINDOW_SIZE]
        client.send(http2.data(wire.frame(wire.BINARY, claimed_length=64 * MEBIBYTE, is_masked=True)))
        sent, free = 14, window - 14
        connection = 16 * MEBIBYTE - 14
        while free < MEBIBYTE and sent < 60 * MEBIBYTE:
            count = min(free, connection, 16384)
            if count:
                client.send(http2.frame(http2.DATA, bytes(count), stream=1))
                sent, free, connection = sent + count, free - count, connection - count
                continue
            kind, _, stream, payload = client.read()
            if kind == http2.WINDOW_UPDATE and stream:
                free += int.from_bytes(payload, "big")
            elif kind == http2.WINDOW_UPDATE:
                connection += int.from_bytes(payload, "big")
        assert free >= MEBIBYTE, (sent, free)


def test_the_name_of_the_protocol_may_have_capitals(echo):
    with Client(echo) as client:
        # The spelling of Autobahn, which HAProxy keeps.
        client.open(_protocol=b"WebSocket")
        client.say("hello")
        assert client.message() == b"hello"


# Pages and files


def test_pages_and_files_are_served(tmp_path):
    (tmp_path / "page.html").write_text("<p>page")
    (tmp_path / "large.bin").write_bytes(random.randbytes(3 * MEBIBYTE))
    (tmp_path / "empty").write_bytes(b"")
    with listen("--echo", "--serve", tmp_path) as server:
        for version in ("2", "1.1"):
            option = "--http2-prior-knowledge" if version == "2" else "--http1.1"
            assert curl(server, "page.html", option) == (200, version, b"<p>page")
            assert curl(server, "empty", option) == (200, version, b"")
            assert curl(server, "large.bin", option) == (200, version, (tmp_path / "large.bin").read_bytes())
            assert curl(server, "nope", option)[:2] == (404, version)
            assert curl(server, "page.html", option, "-r", "1-2") == (206, version, b"p>")
            assert curl(server, "page.html", option, "--head")[:2] == (200, version)
            assert curl(server, "page.html", option, "-d", "x" * 100_000)[:2] == (405, version)
        wait_until(lambda: server.err.count("Answered") == 14)
        assert "did not read" not in server.err, server.err


def test_pages_need_no_connection_of_their_own():
    with listen("--echo", "--console") as server, Client(server, (http2.INITIAL_WINDOW_SIZE, MEBIBYTE)) as client:
        client.send(http2.window_update(MEBIBYTE))
        for stream in (1, 3):
            client.request(GET, stream, END_HEADERS | END_STREAM)
        for stream in (1, 3):
            status, fields = client.response(stream)
            content = client.content(stream)
            assert status == 200 and len(content) == int(fields["content-length"]), fields
            assert "connection" not in fields and client.ends[stream] is None
        client.open(5)
        client.say("hello", 5)
        assert client.message(5) == b"hello"


# Rejections


@pytest.mark.parametrize("arguments, fields, status, words", [
    ([], changed(WEBSOCKET, _authority=b"evil.example"), 403, "host"),
    ([], changed(WEBSOCKET, origin=b"http://evil.example"), 403, "origin"),
    ([], changed(GET, _authority=b"evil.example"), 403, "host"),
    ([], [*WEBSOCKET, (b"host", b"evil.example")], 400, "one valid Host"),
    (["--path", "/chat"], WEBSOCKET, 404, "/chat"),
    (["--auth", "me:geheim"], WEBSOCKET, 401, "credentials"),
    (["--auth", "me:geheim"], GET, 401, "credentials"),
    (["--reject", "503"], WEBSOCKET, 503, ""),
    ([], changed(WEBSOCKET, sec_websocket_version=b"8"), 400, "version 13"),
    ([], changed(WEBSOCKET, sec_websocket_version=None), 400, "version 13"),
    ([], changed(WEBSOCKET, _protocol=b"connect-udp"), 501, "connect-udp"),
    ([], changed(WEBSOCKET, content_length=b"5"), 400, "body"),
    ([], [(b":method", b"CONNECT"), (b":authority", b"127.0.0.1:80")], 400, "target"),
    ([], changed(GET, _path=b"/nope"), 400, "wsx connect"),
    ([], changed(GET, _method=b"POST"), 405, "GET"),
    ([], [*WEBSOCKET, (b"x-large", b"x" * 16_000), (b"x-large", b"x" * 16_000)], 431, "head"),
    ([], [*WEBSOCKET, *[(b"x", b"")] * 200], 431, "head"),
], ids=str)
def test_rejections_are_responses_and_the_connection_continues(arguments, fields, status, words):
    with listen("--echo", *arguments) as server, Client(server) as client:
        block = http2.header_block(*fields)
        frames = [block[start:start + 16384] for start in range(0, len(block), 16384)]
        kinds = [http2.HEADERS] + [http2.CONTINUATION] * (len(frames) - 1)
        flags = [0] * (len(frames) - 1) + [END_HEADERS]
        client.send(*(http2.frame(kind, piece, flag, 1) for kind, piece, flag in zip(kinds, frames, flags)))
        received, answer = client.response()
        assert received == status and words in client.content().decode(), (answer, client.data)
        assert not {"upgrade", "connection"} & answer.keys()
        assert ("www-authenticate" in answer) == (status == 401)
        client.request(GET, 3, END_HEADERS | END_STREAM)
        client.response(3)
        server.wait_for(f"{status}")


def test_without_the_option_http2_is_rejected():
    with Listener("--echo") as server:
        result = wsx("connect", "--http2", server.url)
        assert result.status != 0 and "HTTP/1.1" in result.err, result


# Limits and ends


def test_websockets_count_for_the_limit():
    with listen("--echo", "--max-connections", "4") as server, Client(server) as client:
        client.open(1)
        # A connection without streams counts, too.
        with contextlib.ExitStack() as stack:
            others = [stack.enter_context(Client(server)) for _ in range(3)]
            for other in others:
                other.read_until(lambda: other.settings)
            client.request(WEBSOCKET, 3)
            client.read_until(lambda: 3 in client.ends)
            assert client.ends[3] == REFUSED_STREAM
            client.say("hello")
            assert client.message() == b"hello"
            for other in others:
                other.send(http2.goaway(0, last_stream=0))
                assert other.read_to_end() == 0
        client.open(5)


def test_one_client_is_enough_for_once():
    with listen("--echo", "--once") as server, Client(server) as client:
        client.open(1)
        # No other stream is accepted.
        client.read_until(lambda: client.goaway is not None)
        client.say("hello")
        assert client.message() == b"hello"
        client.send(http2.data(wire.close(1000, is_masked=True), flags=END_STREAM))
        assert client.read_to_end() == 0 and client.ends[1] is None
        assert server.wait() == 0, server.err


def test_a_signal_closes_all_websockets_and_then_the_connection():
    with listen("--echo") as server, Client(server) as client:
        client.open(1)
        client.open(3)
        server.signal(signal.SIGTERM)
        for stream in (1, 3):
            client.read_until(lambda: stream in client.data)
            assert client.data[stream].read_until_close().close_code == 1001
            client.send(http2.data(wire.close(1001, is_masked=True), stream=stream, flags=END_STREAM))
        assert client.read_to_end() == 0
        assert server.wait() == 0, server.err


def test_violations_are_logged_with_their_reason():
    with listen("--echo") as server, Client(server) as client:
        client.open()
        client.send(http2.window_update(0))
        client.read_to_end()
        server.wait_for(r"HTTP/2 connection from 127\.0\.0\.1:\d+ ended: the peer violated the HTTP/2 protocol \(.+\)\n")


def test_a_connection_without_streams_is_closed():
    with listen("--echo", "--handshake-timeout", "300ms") as server:
        with Client(server) as client:
            assert client.read_to_end() == 0
        with Client(server) as client:
            client.request(GET, flags=END_HEADERS | END_STREAM)
            client.response()
            # The head of another request that never ends.
            client.send(http2.frame(http2.HEADERS, b"\x82", 0, 3))
            assert client.read_to_end() == 0
        with Client(server) as client:
            client.open()
            client.say("hello")
            assert client.message() == b"hello"


# Browsers


def test_chromium_opens_websockets_on_the_connection_of_the_page(browser):
    with listen("-v", "--echo", "--console", "--tls-self-signed") as server:
        with ConsolePage(browser, server, trusts_all=True) as page:
            page.connect()
            page.send("hello")
            page.wait_for_rows(3)
            assert page.unexpected == []
        server.wait_for("Client 1 disconnected")
        assert "Client 1 connected from" in server.err and ", HTTP/2\n" in server.err, server.err
        assert "GET / HTTP/2" in server.err and "origin: https://127.0.0.1" in server.err, server.err
