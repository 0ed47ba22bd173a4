"""`connect --http2` and `bench --http2` with each server that speaks WebSocket over HTTP/2; see docs/HTTP2.md."""

import json
import os

import pytest

from http2_servers import OTHERS, SERVERS
from processes import BINARY, RECONNECT, Running, assert_fails, wait_until, wsx
from test_bench import bench

MEBIBYTE = 1 << 20
# Servers may take a while before they process a close frame.
PATIENT = ["--close-timeout", "60s"]


@pytest.fixture(scope="module", params=SERVERS)
def server(request, tmp_path_factory):
    with SERVERS[request.param](tmp_path_factory.mktemp("server")) as server:
        yield server


def connect(*arguments, **options):
    return wsx("connect", "--http2", *PATIENT, *arguments, **options)


@pytest.mark.parametrize("compression", ["off", "on"])
def test_text_is_echoed(server, compression):
    text = "aé水🎈 " * 1000
    result = connect(f"--compress={compression}", "--one", "--output", "json", server.url(), text, timeout=120)
    opened, message, closed = map(json.loads, result.lines)
    assert (opened["http"], opened["status"], message["data"]) == ("2", 200, text), result.err
    assert ("sec-websocket-extensions" in opened["headers"]) == (compression == "on"), opened
    assert (closed["code"], closed["clean"]) == (1000, True)


def test_binary_messages_are_echoed(server):
    content = os.urandom(100_000)
    result = connect("--binary", "--input", "message", "--output", "raw", "--one", server.url(), stdin=content)
    assert (result.status, result.out) == (0, content), result.err


def test_the_close_code_of_the_client_returns(server):
    result = connect("--close-code", "4000", "--one", "--output", "json", server.url(), "hello")
    closed = json.loads(result.lines[-1])
    assert (closed["code"], closed["clean"]) == (4000, True), result


def test_the_close_code_of_the_server_arrives(server):
    result = connect("--linger", "forever", server.url("closed"), "hello")
    assert_fails(result, 1, "the peer closed the connection: 4001")


def test_a_rejection_has_its_status(server):
    result = connect(server.url("refused"))
    assert result.status == 4 and "the server answered 403 Forbidden" in result.error_lines[0], result


def test_a_message_of_64_mib_returns_whole(server, tmp_path):
    path = tmp_path / "message"
    path.write_bytes(os.urandom(64 * MEBIBYTE))
    result = connect("--binary", "-f", path, "--output", "raw", "--max-message-size", "64M", "-n", "1", server.url(),
                     timeout=600)
    assert (result.status, result.err) == (0, "")
    assert result.out == path.read_bytes()


def test_a_connection_carries_1000_streams(server):
    count = server.stream_count
    result, results = bench(
        "--http2", "--streams", str(count), "-c", str(count), "-n", "10000", "--connect-timeout", "100s", server.url(),
        timeout=600)
    assert result.status == 0 and results["http2"] == {"connections": 1, "streams": count}, results
    assert results["messages"]["received"] == 10_000 and not any(results["errors"].values()), results["errors"]


def test_a_restart_is_survived_with_reconnect(server):
    with Running([BINARY, "connect", "--http2", *RECONNECT, "--output", "json", server.url()], stdin=-1) as client:
        for count, word in enumerate(("before", "after"), start=1):
            wait_until(lambda: client.out.count(b'"open"') == count, timeout=120, what="a connection")
            client.send(f"{word}\n".encode())
            client.wait_for(f'"data":"{word}"', "out", timeout=120)
            if word == "before":
                server.restart()
        client.process.stdin.close()
        assert client.wait(120) == 0, client.err


# Servers without WebSocket over HTTP/2


@pytest.fixture(scope="module", params=OTHERS)
def other(request, tmp_path_factory):
    with OTHERS[request.param](tmp_path_factory.mktemp("server")) as server:
        yield server


def test_a_server_without_websockets_over_http2_has_its_message(other):
    words = "the server speaks HTTP/2, but accepts no WebSockets over it (RFC 8441); omit --http2"
    assert_fails(connect(other.url()), 4, words)
    result = wsx("bench", "--http2", "-c", "2", "-n", "2", other.url())
    assert result.status != 0 and words.encode() in result.out + result.err.encode(), result
