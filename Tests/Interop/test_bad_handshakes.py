"""Servers that refuse the upgrade or answer it incorrectly."""

import gzip
import zlib

import pytest

import wire
from processes import assert_fails, wsx
from scripted_server import ScriptedServer


def connect(script, *arguments):
    with ScriptedServer(script) as server:
        return wsx("connect", *arguments, server.url, stdin=b"lost\n")


def answering(*pieces, stays_open=False):
    """Returns a script that answers the request with these bytes."""

    def script(peer):
        peer.read_request()
        for piece in pieces:
            peer.send(piece)
        if stays_open:
            peer.read_to_end()

    return script


# Refusals: status 4, with head and body


REFUSAL = b"HTTP/1.1 404 Not Found\r\nServer: test\r\n"


@pytest.mark.parametrize(
    "answer, stays_open",
    [
        (REFUSAL + b"Transfer-Encoding: chunked\r\n\r\n7\r\nnothing\r\n7;x=y\r\n\nhere!\n\r\n0\r\n\r\n", True),
        (REFUSAL + b"\r\nnothing\nhere!\n", False),
    ],
    ids=["chunked", "until the end"])
def test_a_404_shows_its_head_and_body(answer, stays_open):
    result = connect(answering(answer, stays_open=stays_open))
    assert result.status == 4
    lines = result.error_lines
    assert lines[0].startswith("wsx: connecting to ws://127.0.0.1:")
    assert "404 Not Found; check the path" in lines[0]
    assert lines[1:3] == ["  HTTP/1.1 404 Not Found", "  Server: test"]
    assert lines[lines.index("") :] == ["", "  nothing", "  here!"]
    assert result.out == b""


@pytest.mark.parametrize(
    "status, fields, words",
    [
        (b"401 Unauthorized", b'WWW-Authenticate: Basic realm="x"\r\n', ["401 Unauthorized", "--auth", 'Basic realm="x"']),
        (b"200 OK", b"", ["200 OK", "this is a web page, not a WebSocket endpoint"]),
        (b"429 Too Many Requests", b"Retry-After: 30\r\n", ["429 Too Many Requests", "try again in 30 s"]),
    ])
def test_a_refusal_exits_4_and_shows_the_response(status, fields, words):
    result = connect(answering(b"HTTP/1.1 " + status + b"\r\n" + fields + b"Content-Length: 0\r\n\r\n", stays_open=True))
    assert result.status == 4
    assert [line.startswith("wsx: ") for line in result.error_lines].count(True) == 1
    for word in words:
        assert word in result.err


def test_a_refusal_cannot_control_the_terminal():
    result = connect(answering(b"HTTP/1.1 404 No\xc2\x9bpe\r\nX: \xe2\x80\xae\r\n\r\n\x1b]0;owned\x07\x9b31m\rbody\xe2\x80\xae"))
    assert result.status == 4
    assert not [character for character in result.err if character in "\x1b\x07\r\x9b\u202e"]
    assert "]0;owned" in result.err and "body" in result.err


def test_an_endless_body_is_truncated():
    def script(peer):
        peer.read_request()
        peer.send(b"HTTP/1.1 500 Oops\r\n\r\n")
        try:
            while True:
                peer.send(b"x" * 65536)
        except OSError:
            pass

    result = connect(script)
    assert result.status == 4
    assert len(result.err) < 1000
    assert result.err.endswith("xxx…\n  … (more)\n")


def test_the_error_stays_on_the_screen_above_a_page_of_900_lines():
    page = b"".join(b"<p>line %d</p>\r\n" % number for number in range(900))
    fields = b"".join(b"X-%d: x\r\n" % number for number in range(80))
    head = b"HTTP/1.1 404 Not Found\r\nContent-Length: %d\r\n%s\r\n" % (len(page), fields)
    result = connect(answering(head + page))
    assert result.status == 4
    assert "\\u{D}" not in result.err
    assert "  … (71 more fields; -v shows all)" in result.error_lines
    assert len(result.error_lines) <= 23
    assert result.error_lines[-2:] == ["  <p>line 7</p>", "  … (892 more lines)"]


def test_a_long_header_field_of_a_refusal_is_cut():
    fields = b"Location: ws://elsewhere.invalid/" + b"a" * 60_000 + b"\r\nContent-Length: 0\r\n"
    result = connect(answering(b"HTTP/1.1 302 Found\r\n" + fields + b"\r\n", stays_open=True))
    assert result.status == 4
    assert len(result.err) < 2000
    assert "aaa…\n  Content-Length: 0\n" in result.err


def test_a_refusal_cannot_forge_error_lines():
    answer = b"HTTP/1.1 403 No\r\nwsx: field\r\n\r\nwsx: body\nwsx: second line\rwsx: third"
    result = connect(answering(answer))
    assert [line for line in result.error_lines if line.startswith("wsx:")] == [result.error_lines[0]]
    assert result.error_lines[1:] == [
        "  HTTP/1.1 403 No", "  wsx: field", "", "  wsx: body", "  wsx: second line", "  wsx: third"]


def test_the_compressed_body_of_a_refusal_is_readable():
    text = b"Access denied\n" + b"x" * 100
    bare = zlib.compressobj(wbits=-15)
    for coding, body in [
        (b"gzip", gzip.compress(text)), (b"deflate", zlib.compress(text)),
        (b"deflate", bare.compress(text) + bare.flush()), (b"X-GZIP", gzip.compress(text)),
    ]:
        head = b"HTTP/1.1 403 No\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n" % (coding, len(body))
        assert connect(answering(head + body)).error_lines[-2:] == ["  Access denied", "  " + "x" * 100]
    # What is not compressed, or is damaged from the start, is shown as it is.
    head = b"HTTP/1.1 403 No\r\nContent-Encoding: gzip\r\n\r\n"
    assert connect(answering(head + b"plain")).error_lines[-1] == "  plain"
    # A bomb is cut like any other body.
    bomb = gzip.compress(b"y" * 10_000_000)
    result = connect(answering(head + bomb))
    assert result.error_lines[-1] == "  … (more)" and len(result.err) < 1000


# Invalid responses (status 5) and missing responses (status 3)


GOOD = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"


@pytest.mark.parametrize(
    "answer, words",
    [
        (b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", ["not HTTP", "SSH-2.0"]),
        (b"\x15\x03\x01\x00\x02\x02\x0a", ["TLS"]),
        (b"\x1b[31mred\r\n\r\n", ["not HTTP", "\\u{1B}"]),
        (GOOD + b"X: a\rb\r\n\r\n", ["CR"]),
    ],
    ids=lambda value: repr(value[:40]) if isinstance(value, bytes) else "")
def test_a_response_that_is_not_http_exits_5(answer, words):
    result = connect(answering(answer, stays_open=True))
    assert_fails(result, 5, *words)
    assert not [character for character in result.err[:-1] if ord(character) < 0x20]


def test_a_banner_before_the_request_exits_5():
    result = connect(lambda peer: (peer.send(b"SSH-2.0-OpenSSH_9.2p1\r\n"), peer.read_to_end()))
    assert_fails(result, 5, "SSH-2.0")


def test_a_response_head_of_a_megabyte_exits_5():
    result = connect(answering(GOOD + b"X: " + b"x" * (1 << 20) + b"\r\n\r\n", stays_open=True))
    assert_fails(result, 5, "larger than 65536 bytes")


def test_a_server_that_closes_after_the_request_exits_3():
    assert_fails(connect(answering()), 3, "without a response; wrong port, a wss:// server, or a missing --subprotocol?")


def test_a_server_that_closes_within_its_response_head_exits_3():
    assert_fails(connect(answering(GOOD)), 3, "in the middle of its response")


def test_a_server_that_resets_exits_3():
    assert_fails(connect(lambda peer: (peer.read_request(), peer.reset())), 3, "reset")


@pytest.mark.parametrize(
    "lines, words",
    [
        (["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: bm90IHRoZSByaWdodCBvbmU="], ["Accept header is wrong"]),
        (["Connection: Upgrade", "{accept}"], ["no Upgrade header"]),
        (["Upgrade: websocket", "{accept}"], ["no Connection header"]),
        (["Upgrade: websocket", "Connection: Upgrade", "{accept}", "{accept}"], ["several Sec-WebSocket-Accept headers"]),
        (["Upgrade: websocket", "Connection: Upgrade", "{accept}", "Sec-WebSocket-Protocol: chat"], ['"chat"', "not requested"]),
        (["Upgrade: websocket", "Connection: Upgrade", "{accept}", "Sec-WebSocket-Extensions: x-other"],
         ['"x-other"', "not offered"]),
    ],
    ids=lambda value: value[-1] if value else "")
def test_an_invalid_101_response_exits_5(lines, words):
    def script(peer):
        accept = wire.accept_value(wire.field(peer.read_request(), b"Sec-WebSocket-Key")).decode()
        head = ["HTTP/1.1 101 Switching Protocols"] + [
            line.format(accept=f"Sec-WebSocket-Accept: {accept}") for line in lines]
        peer.send("\r\n".join(head + ["", ""]).encode() + wire.text("must not be shown"))
        peer.read_to_end()

    result = connect(script)
    assert_fails(result, 5, *words)
    assert result.out == b""


@pytest.mark.parametrize(
    "answer, arguments, words",
    [
        ("permessage-deflate; server_max_window_bits=7", [], "invalid"),
        ("permessage-deflate, permessage-deflate", [], "more than once"),
        ("permessage-deflate; server_max_window_bits=11", ["--compress-window-bits", "10"], "not offered"),
    ],
    ids=lambda value: repr(value) if isinstance(value, str) else " ".join(value))
def test_an_invalid_compression_answer_exits_5(answer, arguments, words):
    def script(peer):
        peer.upgrade(f"Sec-WebSocket-Extensions: {answer}".encode(), then=wire.text("must not be shown"))
        return peer.read_to_end()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--no-stdin", *arguments, server.url)
    assert_fails(result, 5, words)
    assert (result.out, server.results) == (b"", [b""])
