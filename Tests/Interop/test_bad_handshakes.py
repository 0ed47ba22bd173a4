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
    [(REFUSAL + b"Content-Length: 14\r\n\r\nnothing\nhere!\n", True),
     (REFUSAL + b"Transfer-Encoding: chunked\r\n\r\n7\r\nnothing\r\n7;x=y\r\n\nhere!\n\r\n0\r\n\r\n", True),
     (REFUSAL + b"\r\nnothing\nhere!\n", False),
     (REFUSAL + b"Content-Length: 13\r\n\r\nnothing\nhere!", False)],
    ids=["content-length", "chunked", "until the end", "without a last newline"])
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
    [(b"401 Unauthorized", b'WWW-Authenticate: Basic realm="x"\r\n', ["401 Unauthorized", "--auth", 'Basic realm="x"']),
     (b"301 Moved Permanently", b"Location: ws://elsewhere.invalid/\r\n", ["301", "ws://elsewhere.invalid/"]),
     (b"403 Forbidden", b"", ["403 Forbidden", "--origin"]),
     (b"200 OK", b"", ["200 OK", "this is a web page, not a WebSocket endpoint"]),
     (b"426 Upgrade Required", b"Sec-WebSocket-Version: 13\r\n", ["426"]),
     (b"429 Too Many Requests", b"Retry-After: 30\r\n", ["429 Too Many Requests", "try again in 30 s"]),
     (b"502 Bad Gateway", b"", ["502 Bad Gateway", "is that server running?"]),
     (b"503 Service Unavailable", b"Retry-After: 5\r\n", ["503", "try again in 5 s", "Retry-After: 5"])])
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


def test_a_stalled_body_is_shown_up_to_the_last_byte_received():
    answer = b"HTTP/1.1 500 Oops\r\nContent-Length: 100\r\n\r\nhalf a body"
    result = connect(answering(answer, stays_open=True), "--connect-timeout", "500ms")
    assert result.status == 4
    assert "half a body" in result.err


def test_secrets_in_heads_are_hidden():
    result = connect(
        answering(b"HTTP/1.1 401 No\r\nSet-Cookie: session=geheim\r\n\r\n"), "-v", "--auth", "me:geheim", "-H", "Cookie: geheim")
    assert result.status == 4
    assert "geheim" not in result.err and "bWU6Z2VoZWlt" not in result.err


# Invalid responses (status 5) and missing responses (status 3)


GOOD = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"


@pytest.mark.parametrize(
    "answer, words",
    [(b"\x00\x01\x02garbage\xff\r\n\r\n", ["not HTTP"]),
     (b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", ["not HTTP", "SSH-2.0"]),
     (b"220 mail.invalid ESMTP\r\n", ["not HTTP", "220 mail"]),
     (b"\x15\x03\x01\x00\x02\x02\x0a", ["TLS"]),
     (b"\x1b[31mred\r\n\r\n", ["not HTTP", "\\u{1B}"]),
     (b"HTTP/2 101 x\r\n\r\n", []),
     (b"HTTP/1.1 1x1 Switching\r\n\r\n", []),
     (b"HTTP/1.1 101\nUpgrade: websocket\n\n", []),
     (GOOD + b"No colon here\r\n\r\n", ["colon"]),
     (GOOD + b" folded\r\n\r\n", ["folded"]),
     (GOOD + b"X : y\r\n\r\n", ["white space"]),
     (GOOD + b"X: a\x00b\r\n\r\n", ["0x00"]),
     (GOOD + b"X: a\rb\r\n\r\n", ["CR"]),
     (GOOD + b"X: a\nb\r\n\r\n", ["LF"]),
     (b"HTTP/1.1 100 Continue\r\n\r\n" * 1000, ["interim"])],
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


def test_an_endless_start_line_exits_5():
    assert_fails(connect(answering(b"HTTP/1.1 101 " + b"x" * 100_000, stays_open=True)), 5, "larger")


def test_ten_thousand_header_fields_exit_5():
    result = connect(answering(GOOD + b"X: y\r\n" * 10_000 + b"\r\n", stays_open=True))
    assert_fails(result, 5)


def test_a_server_that_closes_immediately_exits_3():
    assert_fails(connect(lambda peer: None), 3)


def test_a_server_that_closes_after_the_request_exits_3():
    assert_fails(connect(answering()), 3, "without a response; wrong port, a wss:// server, or a missing --subprotocol?")


def test_a_server_that_closes_within_its_response_head_exits_3():
    assert_fails(connect(answering(GOOD)), 3, "in the middle of its response")


def test_a_server_that_resets_exits_3():
    assert_fails(connect(lambda peer: (peer.read_request(), peer.reset())), 3, "reset")


def test_a_server_that_never_answers_exits_6():
    assert_fails(connect(answering(stays_open=True), "--connect-timeout", "300ms"), 6)


def test_a_server_that_trickles_its_response_head_exits_6():
    def script(peer):
        peer.read_request()
        peer.sock.settimeout(0.05)
        for byte in GOOD:
            try:
                peer.send(bytes([byte]))
                if not peer.sock.recv(1):
                    return
            except TimeoutError:
                pass
            except OSError:
                return

    assert_fails(connect(script, "--connect-timeout", "400ms"), 6, "does not answer the HTTP request")


@pytest.mark.parametrize(
    "lines, words",
    [(["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: bm90IHRoZSByaWdodCBvbmU="], ["Accept header is wrong"]),
     (["Upgrade: websocket", "Connection: Upgrade"], ["no Sec-WebSocket-Accept header"]),
     (["Upgrade: websocket", "Connection: Upgrade", "{accept}", "{accept}"], ["several Sec-WebSocket-Accept headers"]),
     (["Connection: Upgrade", "{accept}"], ["no Upgrade header"]),
     (["Upgrade: h2c", "Connection: Upgrade", "{accept}"], ['"h2c"']),
     (["Upgrade: websocket", "{accept}"], ["no Connection header"]),
     (["Upgrade: websocket", "Connection: keep-alive", "{accept}"], ['"keep-alive"']),
     (["Upgrade: websocket", "Connection: Upgrade", "{accept}", "Sec-WebSocket-Protocol: chat"], ['"chat"', "not requested"]),
     (["Upgrade: websocket", "Connection: Upgrade", "{accept}", "Sec-WebSocket-Protocol: a", "Sec-WebSocket-Protocol: b"], []),
     (["Upgrade: websocket", "Connection: Upgrade", "{accept}", "Sec-WebSocket-Extensions: x-other"],
      ['"x-other"', "not offered"]),
     (["Upgrade: websocket", "Connection: Upgrade", "{accept}", "Sec-WebSocket-Extensions: ,;="], []),
     (["Upgrade: websocket", "Connection: Upgrade", "{accept}", "Sec-WebSocket-Extensions: ,"], ["Extensions"])],
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
    [("permessage-deflate; x", [], "invalid"),
     ("permessage-deflate; server_no_context_takeover; server_no_context_takeover", [], "invalid"),
     ("permessage-deflate; server_no_context_takeover=1", [], "invalid"),
     ("permessage-deflate; client_no_context_takeover=true", [], "invalid"),
     ("permessage-deflate; server_max_window_bits=7", [], "invalid"),
     ("permessage-deflate; server_max_window_bits=16", [], "invalid"),
     ("permessage-deflate; server_max_window_bits=09", [], "invalid"),
     ("permessage-deflate; server_max_window_bits=+9", [], "invalid"),
     ("permessage-deflate; server_max_window_bits=9.0", [], "invalid"),
     ("permessage-deflate; server_max_window_bits=99999999999999999999", [], "invalid"),
     ("permessage-deflate; server_max_window_bits", [], "invalid"),
     ("permessage-deflate; client_max_window_bits", [], "invalid"),
     ("permessage-deflate; client_max_window_bits=16", [], "invalid"),
     ("permessage-deflate; server_max_window_bits=9; server_max_window_bits=9", [], "invalid"),
     ("permessage-deflate, permessage-deflate", [], "more than once"),
     ("permessage-deflate\r\nSec-WebSocket-Extensions: permessage-deflate", [], "more than once"),
     ("permessage-deflate; server_max_window_bits=11", ["--compress-window-bits", "10"], "not offered"),
     # RFC 7692 §7.1.2.1: an omitted value means 15.
     ("permessage-deflate", ["--compress-window-bits", "10"], "not offered"),
     ("permessage-deflate; server_max_window_bits=10; client_max_window_bits=11", ["--compress-window-bits", "10"],
      "not offered"),
     ("permessage-deflate", ["--compress-no-context"], "not offered"),
     ("permessage-deflate; client_no_context_takeover", ["--compress-no-context"], "not offered"),
     ("permessage-deflate", ["--compress=off"], "not offered"),
     ("x-webkit-deflate-frame", [], "not offered"),
     ("permessage-deflate, x-other", [], "not offered")],
    ids=lambda value: repr(value) if isinstance(value, str) else " ".join(value))
def test_an_invalid_compression_answer_exits_5(answer, arguments, words):
    def script(peer):
        peer.upgrade(f"Sec-WebSocket-Extensions: {answer}".encode(), then=wire.text("must not be shown"))
        return peer.read_to_end()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--no-stdin", *arguments, server.url)
    assert_fails(result, 5, words)
    assert (result.out, server.results) == (b"", [b""])


def test_header_names_and_tokens_are_case_insensitive():
    def script(peer):
        accept = wire.accept_value(wire.field(peer.read_request(), b"Sec-WebSocket-Key"))
        peer.send(
            b"HTTP/1.1 101\r\nUPGRADE: WebSocket\r\nconnection: keep-alive, UPGRADE\r\nsec-websocket-accept:" + accept
            + b"\r\n\r\n" + wire.text("hello") + wire.close(1000))
        peer.read_until_close()

    result = connect(script, "--no-stdin")
    assert (result.status, result.out, result.err) == (0, b"hello\n", "")


def test_a_requested_subprotocol_is_negotiated():
    def script(peer):
        peer.upgrade(b"Sec-WebSocket-Protocol: two", then=wire.close(1000))
        peer.read_until_close()
        return wire.field(peer.request, b"Sec-WebSocket-Protocol")

    with ScriptedServer(script) as server:
        result = wsx("connect", "--output", "json", "-s", "one,two", "-s", "three", server.url)
    assert result.status == 0
    assert b'"subprotocol":"two"' in result.out
    assert server.results == [b"one, two, three"]


def test_a_response_in_single_bytes_is_parsed():
    def script(peer):
        for byte in wire.upgrade_response(peer.read_request()) + wire.text("hello") + wire.close(1000):
            peer.send(bytes([byte]))
        peer.read_until_close()

    result = connect(script, "--no-stdin")
    assert (result.status, result.out) == (0, b"hello\n")
