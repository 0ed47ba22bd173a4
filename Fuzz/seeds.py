#!/usr/bin/env python3
"""Writes the seeds: a few inputs per target from which libFuzzer can explore the parser.

With --check, compares them with the files instead.
"""

import base64
import json
import pathlib
import shutil
import struct
import sys
import zlib

SEEDS = pathlib.Path(__file__).resolve().parent / "Seeds"
KEY = b"\x37\xfa\x21\x3d"
KEY_FIELD = b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
# The accept value for that key.
ACCEPT_FIELD = b"Sec-WebSocket-Accept: ICX+Yqv66kxgM0FcWaLWlFLwTAI=\r\n"


def frame(first, payload=b"", is_masked=False, claimed_length=None):
    """Returns an encoded frame. `claimed_length` replaces the payload length in the header."""
    count = len(payload) if claimed_length is None else claimed_length
    mask = 0x80 if is_masked else 0
    if count <= 125:
        header = bytes([first, mask | count])
    elif count <= 0xFFFF:
        header = struct.pack("!BBH", first, mask | 126, count)
    else:
        header = struct.pack("!BBQ", first, mask | 127, count)
    if not is_masked:
        return header + payload
    return header + KEY + bytes(byte ^ KEY[index % 4] for index, byte in enumerate(payload))


def both_roles(name, *frames):
    """Returns the same frames as sent by a server and by a client."""
    return {
        f"{name}-from-server": b"".join(frame(first, payload) for first, payload in frames),
        f"{name}-from-client": b"".join(frame(first, payload, is_masked=True) for first, payload in frames),
    }


def close(code, reason=b""):
    return struct.pack("!H", code) + reason


TEXT = "aé水🎈".encode()
FRAMES = {
    **both_roles("text", (0x81, b"hello"), (0x82, b"\x00\xff")),
    **both_roles("fragments", (0x01, TEXT[:2]), (0x89, b"ping"), (0x00, TEXT[2:5]), (0x80, TEXT[5:])),
    **both_roles("ping-pong-close", (0x89, b"1"), (0x8A, b"2"), (0x88, close(1000, b"bye"))),
    **both_roles("length-16", (0x82, bytes(range(200)))),
    **both_roles("empty-fragments", (0x02, b""), (0x00, b""), (0x80, b"")),
    **both_roles("close-without-code", (0x88, b""), (0x81, b"ignored")),
    **both_roles("invalid-text", (0x01, TEXT[:3]), (0x80, b"\xff")),
    **both_roles("bad-order", (0x01, b"a"), (0x82, b"b")),
    "length-64-from-server": frame(0x82, b"beginning", claimed_length=1 << 20),
    "length-64-from-client": frame(0x82, b"beginning", is_masked=True, claimed_length=1 << 20),
    "length-too-large": bytes([0x82, 127]) + b"\xff" * 8,
    "length-not-minimal": bytes([0x82, 126, 0, 5]) + b"hello",
}

CLOSE_FRAMES = {
    "empty": b"",
    "one-byte": b"\x03",
    "normal": close(1000, b"bye"),
    "reason-of-many-scripts": close(3000, TEXT),
    "reason-of-123-bytes": close(4999, b"x" * 123),
    "reason-cut-in-a-scalar": close(1011, b"x" * 121 + "🎈".encode()),
    "reason-not-utf-8": close(1001, b"\xc3"),
    "reserved": close(1005),
}

# The settings, compression preferences if enabled, fragment sizes, and then the actions of both ends; see
# SessionTarget.swift.
CLIENT, SERVER = 0, 0x80
SEND_TEXT, SEND_BINARY, PING, PONG, CLOSE, DELIVER, DELIVER_ALL = 0, 1, 2, 3, 4, 5, 7
SESSION = {
    "echo": bytes([1, 0, 0, CLIENT | SEND_TEXT, 20, CLIENT | DELIVER_ALL, SERVER | DELIVER_ALL]),
    "fragments-in-pieces": bytes([1, 2, 4, CLIENT | SEND_TEXT, 30, CLIENT | PING, 4, CLIENT | DELIVER, 7,
                                  CLIENT | DELIVER, 1, SERVER | DELIVER, 3, SERVER | SEND_BINARY, 130]),
    "close-by-client": bytes([0, 0, 0, CLIENT | SEND_TEXT, 5, CLIENT | CLOSE, 3, 232, 4, SERVER | SEND_BINARY, 9]),
    "close-by-both": bytes([0, 1, 1, CLIENT | CLOSE, 3, 232, 0, SERVER | CLOSE, 15, 160, 3, SERVER | DELIVER, 2]),
    "close-without-code": bytes([0, 0, 0, SERVER | CLOSE, 0, 0, 0, CLIENT | PING, 1]),
    "large-messages": bytes([1, 5, 7, CLIENT | SEND_BINARY, 203, CLIENT | SEND_BINARY, 205, SERVER | SEND_TEXT, 202,
                             CLIENT | DELIVER_ALL, SERVER | DELIVER_ALL]),
    "pings-behind-a-backlog": bytes([0, 0, 0, SERVER | SEND_BINARY, 205, *[CLIENT | PING, 3] * 3, CLIENT | DELIVER_ALL,
                                     CLIENT | PING, 2, CLIENT | DELIVER_ALL, SERVER | PONG, 1]),
    "compressed": bytes([3, 0x77, 0, 0, *[CLIENT | SEND_TEXT, 150] * 3, CLIENT | DELIVER_ALL, SERVER | DELIVER_ALL]),
    "compressed-small-windows": bytes([3, 0x01, 2, 4, CLIENT | SEND_TEXT, 150, CLIENT | DELIVER_ALL,
                                       CLIENT | SEND_BINARY, 199, CLIENT | SEND_TEXT, 205, CLIENT | DELIVER_ALL]),
    "compressed-without-context": bytes([15, 0x77, 0, 0, *[CLIENT | SEND_TEXT, 150, CLIENT | DELIVER_ALL] * 2,
                                         SERVER | 0x40 | SEND_TEXT, 130, SERVER | 0x40 | DELIVER_ALL]),
}


def compressed(*messages, keeps_context=True):
    """Returns the compressed payload of each message."""
    compressor = zlib.compressobj(wbits=-15)
    travelling = []
    for message in messages:
        if not keeps_context:
            compressor = zlib.compressobj(wbits=-15)
        travelling.append((compressor.compress(message) + compressor.flush(zlib.Z_SYNC_FLUSH))[:-4])
    return travelling


HELLO = bytes.fromhex("f248cdc9c90700")
FINAL_BLOCK = bytes.fromhex("f348cdc9c9070000")
WORDS = b"the same words again and again, the same words again and again, " * 2
COMPRESSED_FRAMES = {
    **both_roles("one", (0xC1, HELLO), (0xC1, bytes.fromhex("f200110000"))),
    **both_roles("fragments", (0x41, HELLO[:3]), (0x89, b"ping"), (0x00, b""), (0x80, HELLO[3:])),
    **both_roles("final-block", (0xC2, FINAL_BLOCK), (0x42, FINAL_BLOCK[:-1]), (0x80, b"")),
    **both_roles("dynamic-block", *((0xC1, message) for message in compressed(WORDS, WORDS))),
    **both_roles("mixture", (0xC1, HELLO), (0x81, b"plain"), (0xC2, b"\x00")),
    **both_roles("bomb", (0xC2, compressed(bytes(100_000))[0])),
    **both_roles("not-deflate", (0xC1, b"\xff\xff")),
    **both_roles("not-utf-8", (0xC1, compressed(b"\xe6\xb0 and more")[0])),
    **both_roles("misplaced", (0xC9, b""), (0x41, HELLO), (0xC0, b"")),
}


def inflating(setting, *messages):
    return bytes([setting]) + b"".join(bytes([len(message)]) + message for message in messages)


INFLATING = {
    "hello": inflating(7, HELLO, bytes.fromhex("f200110000")),
    "stored": inflating(0, bytes.fromhex("000500faff48656c6c6f00")),
    "final": inflating(7, FINAL_BLOCK, FINAL_BLOCK[:-1], bytes.fromhex("f200110000"), b"\x00"),
    "words": inflating(7, *compressed(WORDS, WORDS, b"", WORDS[5:])),
    "words-without-context": inflating(15, *compressed(WORDS, WORDS, keeps_context=False)),
    "small-window": inflating(1, *compressed(bytes(range(100)) * 6, WORDS)),
    "bomb": inflating(0x17, compressed(bytes(100_000))[0]),
    "cut": inflating(7, HELLO[:4]),
    "empty": inflating(7, b""),
}

DEFLATING = {
    "repeated": bytes([7, 0xF0, 100]) + WORDS * 4 + bytes(range(20)),
    "repeated-with-small-window": bytes([0, 0xF4, 100]) + WORDS * 4 + bytes(range(20)) + bytes([2, 13, 0xF2, 4]),
    "mixture": bytes([4, 0xF0, 80]) + WORDS * 4 + bytes([3, 90, 1, 0xF2, 30, 9, 0x12, 255]) + bytes(30),
    "without-context": bytes([15, 0x30, 80]) + WORDS * 4,
}

COMPRESSION_OFFERS = {
    "plain": b"permessage-deflate",
    "browser": b"permessage-deflate; client_max_window_bits",
    "everything": b"permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
                  b'server_max_window_bits=9; client_max_window_bits="10"',
    "fallback": b"permessage-deflate; mode=x, permessage-deflate; server_max_window_bits=10, permessage-deflate",
    "invalid": b"permessage-deflate; server_max_window_bits=07; client_max_window_bits=16",
}


def http2(*frames, options=0):
    """Returns options and frames, each a type, flags, a stream, and a payload; see HTTP2Target.swift."""
    return bytes([options]) + b"".join(
        bytes([kind, flags, stream, len(payload)]) + payload for kind, flags, stream, payload in frames)


def http2_exactly(*frames):
    """Returns the frames as they are on the wire."""
    return b"\1" + b"".join(
        struct.pack("!I", len(payload))[1:] + struct.pack("!BBI", kind, flags, stream) + payload
        for kind, flags, stream, payload in frames)


def header_block(*fields):
    """Returns literal fields without indexing or Huffman codes (RFC 7541 §6.2.2)."""
    return b"".join(b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value for name, value in fields)


# RFC 7541 Appendix A: GET, http, /, and an authority; and an extended CONNECT.
HTTP2_GET = b"\x82\x86\x84" + header_block((b":authority", b"h"))
HTTP2_CONNECT = b"\x86\x84" + header_block((b":method", b"CONNECT"), (b":protocol", b"websocket"), (b":authority", b"h"))
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING_FRAME, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
# The frames of either end, on the first stream.
HTTP2_FRAMES = {
    "reset": (RST_STREAM, 0, 1, b"\0\0\0\x08"),
    "settings": (SETTINGS, 0, 0, bytes.fromhex("000400000003") + bytes.fromhex("000500004000")),
    "ping": (PING_FRAME, 0, 0, b"12345678"),
    "goaway": (GOAWAY, 0, 0, bytes.fromhex("0000000100000000") + b"bye"),
    "goaway-with-error": (GOAWAY, 0, 0, bytes.fromhex("000000010000000b") + b"slow\x1b"),
    "window-update": (WINDOW_UPDATE, 0, 1, b"\0\0\x10\0"),
    "window-overflow": (WINDOW_UPDATE, 0, 0, b"\x7f\xff\xff\xff"),
    "padded-data": (DATA, 8, 1, b"\2ab\0\0"),
    "trailers": (HEADERS, 5, 1, header_block((b"x", b"y"))),
    "push": (PUSH_PROMISE, 4, 1, b"\0\0\0\2" + HTTP2_GET),
    "unknown": (0xFA, 0, 7, b"x"),
}


def http2_seeds(head, *, end):
    """Returns seeds in which a peer sends this frame of HEADERS, and then others."""
    opened = [head, (DATA, 0, 1, b"hello")]
    return {
        "opened": http2(*opened, (DATA, 1, 1, b"bye")),
        **{name: http2(*opened, sent, (DATA, 0, 1, b"more"), end) for name, sent in HTTP2_FRAMES.items()},
        "slow": http2(*opened, (PING_FRAME, 0, 0, bytes(8)), end, options=2),
        "paused": http2(*opened, (DATA, 0, 1, b"x" * 200), end, options=4),
        "closed-early": http2(*opened, (DATA, 0, 1, b"x"), end, options=8),
        "continued": http2((HEADERS, 0, 1, head[3][:9]), (CONTINUATION, 4, 1, head[3][9:]), end),
        "malformed": http2((HEADERS, 4, 1, head[3] + header_block((b"Upper", b"")))),
        "line-feed": http2((HEADERS, 4, 1, head[3] + header_block((b"x", b"a\r\nb: c"))), end),
        "dynamic-table": http2((HEADERS, 5, 1, head[3] + b"\x40\x01x\x01y\xbe\xbe\x3f\x00"), end),
        "not-hpack": http2((HEADERS, 5, 1, b"\xff\xff\xff\xff\xff")),
        "exactly": http2_exactly((SETTINGS, 0, 0, b"\0\x08\0\0\0\1"), *opened, end),
        "exactly-too-large": http2_exactly((SETTINGS, 0, 0, b""), head) + b"\0\x40\1\0\0\0\0\0\1",
        "http1": b"\1HTTP/1.1 400 Bad Request\r\n\r\n",
    }


HTTP2_SERVER = {
    **http2_seeds((HEADERS, 4, 1, HTTP2_CONNECT), end=(DATA, 1, 1, b"")),
    "get": http2((HEADERS, 5, 1, HTTP2_GET)),
    "two-streams": http2((HEADERS, 4, 1, HTTP2_CONNECT), (HEADERS, 4, 3, HTTP2_CONNECT), (DATA, 0, 3, b"3"),
                         (DATA, 0, 1, b"1"), (RST_STREAM, 0, 1, bytes(4)), (DATA, 1, 3, b"end")),
    "cookies": http2((HEADERS, 5, 1, HTTP2_GET + header_block((b"cookie", b"a=b"), (b"host", b"h"), (b"cookie", b"c=d")))),
    "other-host": http2((HEADERS, 5, 1, HTTP2_GET + header_block((b"host", b"other")))),
    "body": http2((HEADERS, 4, 1, b"\x83\x86\x84" + header_block((b":authority", b"h"), (b"content-length", b"3"))),
                  (DATA, 1, 1, b"four")),
}
HTTP2_CLIENT = {
    **http2_seeds((HEADERS, 4, 1, b"\x88"), end=(DATA, 1, 1, b"")),
    "both-streams": http2((HEADERS, 4, 3, b"\x88"), (HEADERS, 4, 1, b"\x88"), (DATA, 0, 3, b"3"), (DATA, 1, 1, b"1")),
    "interim": http2((HEADERS, 4, 1, header_block((b":status", b"103"))), (HEADERS, 4, 1, b"\x88"), (DATA, 1, 1, b"x")),
    "refused": http2((HEADERS, 4, 1, header_block((b":status", b"403"), (b"content-length", b"4"))), (DATA, 1, 1, b"no\x1b!")),
    "redirect": http2((HEADERS, 5, 1, header_block((b":status", b"301"), (b"location", b"/x")))),
    "subprotocol": http2((HEADERS, 4, 1, b"\x88" + header_block((b"sec-websocket-protocol", b"chat")))),
    "no-status": http2((HEADERS, 4, 1, header_block((b"x", b"y")))),
}

UTF8 = {
    "ascii": b"plain text of more than eight bytes, and of more than sixty-four, too, so that both ways are taken",
    "lengths": TEXT * 4,
    "bounds": "\u007f\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff".encode(),
    "overlong": b"ok\xc0\xaf",
    "surrogate": b"ok\xed\xa0\x80",
    "beyond": b"\xf4\x90\x80\x80",
    "cut": "水🎈".encode()[:-1],
}

HTTP_HEADS = {
    "request": b"GET /chat?a=b HTTP/1.1\r\nHost: example.com\r\nAccept: */*\r\n\r\nrest",
    "request-after-empty-line": b"\r\nPOST * HTTP/1.0\r\n\r\n",
    "response": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nX:\r\n\r\n\x81\x00",
    "many-fields": b"GET / HTTP/1.1\r\n" + b"".join(b"F%d: %d\r\n" % (n, n) for n in range(6)) + b"\r\nrest",
    "response-without-reason": b"HTTP/1.1 404\r\nServer: x\r\n\r\n",
    "folded": b"HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\t \r\n c\r\n\r\n",
    "not-utf-8": b"HTTP/1.1 200 \xff\r\nX: \xc3\xa9 \xe2\x82\r\n\r\n",
    "bare-line-feed": b"GET / HTTP/1.1\nHost: x\n\n",
    "space-before-colon": b"GET / HTTP/1.1\r\nHost : x\r\n\r\n",
    "version-2": b"GET / HTTP/2.0\r\n\r\n",
    "tls": b"\x16\x03\x01\x02\x00\x01",
}

UPGRADED = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" + ACCEPT_FIELD
CLIENT_HANDSHAKE = {
    "upgraded": UPGRADED + b"\r\n" + frame(0x81, b"hello"),
    "upgraded-with-all": UPGRADED + b"Sec-WebSocket-Protocol: chat\r\nSec-WebSocket-Extensions: x-test; a=1\r\n\r\n",
    "wrong-subprotocol": UPGRADED + b"Sec-WebSocket-Protocol: other\r\n\r\n",
    "wrong-accept": UPGRADED.replace(b"ICX", b"icx") + b"\r\n",
    "after-interim-responses": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + UPGRADED + b"\r\n",
    "refused-with-length": b"HTTP/1.1 403 Forbidden\r\nContent-Length: 5\r\nSet-Cookie: a=b\r\n\r\nno\x1b[1",
    "refused-chunked": b"HTTP/1.1 500 x\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: u\r\n\r\n",
    "refused-until-the-end": b"HTTP/1.0 401 Unauthorized\r\nWWW-Authenticate: Basic\r\n\r\nlog in",
    "redirect": b"HTTP/1.1 302 Found\r\nLocation: ws://elsewhere/\r\nContent-Length: 0\r\n\r\n",
    "tls-alert": b"\x15\x03\x03\x00\x02\x02\x46",
}

REQUEST = (b"GET /chat HTTP/1.1\r\nHost: localhost:8080\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
           b"Sec-WebSocket-Version: 13\r\n" + KEY_FIELD)
SERVER_HANDSHAKE = {
    "good": REQUEST + b"\r\n" + frame(0x81, b"hello", is_masked=True),
    "good-with-all": REQUEST + b"Origin: http://localhost\r\nSec-WebSocket-Protocol: chat, v2\r\n"
                               b"Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits, x; y=\"z\"\r\n\r\n",
    "absolute-target": REQUEST.replace(b"/chat", b"http://127.0.0.1/chat?q") + b"\r\n",
    "other-origin": REQUEST + b"Origin: https://evil.example\r\n\r\n",
    "other-host": REQUEST.replace(b"localhost:8080", b"rebound.example") + b"\r\n",
    "other-version": REQUEST.replace(b": 13", b": 8") + b"\r\n",
    "plain": b"HEAD / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n",
    "body": REQUEST + b"Content-Length: 2\r\n\r\nab",
    "old": b"GET / HTTP/1.0\r\n\r\n",
}

REQUEST_ENVIRONMENT = {
    "good": REQUEST + b"Cookie: a=b\r\ncookie: c\r\nX-A: b\r\n\r\n",
    "hostile": b"GET http://[::1]/%2e%2e/%00?() { HTTP/1.1\r\nProxy: x\r\nX_A: b\r\nX-A: () { :;}\r\n\r\n",
    "shell": REQUEST + b"X-A: () { :;}; x\r\nX-B: a\tb\r\nX!: c\r\n\r\n",
    "path": REQUEST.replace(b"/chat", b"/%c3%a4%2F%c2%9b?%20") + b"\r\n",
}

EXTENSIONS = {
    "one": b"permessage-deflate",
    "parameters": b'permessage-deflate; client_max_window_bits; server_max_window_bits="15"; x=y',
    "several": b"a, b;c , ,d ; e = f",
    "lines": b"a;b\nc\n",
    "escapes": b'a; b="\\c\\d"',
    "open-quote": b'a; b="c',
    "empty-value": b'a; b=""',
}

URLS = {
    "ws": b"ws://example.com:8080/a/b?c=d",
    "wss-with-user": b"wss://user:pass%40word@example.com",
    "https": b"HTTPS://Example.COM.:443/%7Ea/\xc3\xa9",
    "bare-host": b"example.com/path",
    "port-alone": b":8080/x",
    "ipv6": b"[2001:DB8::1]:81/",
    "ipv6-zone": b"ws://[fe80::1%25eth0]/",
    "ipv4-in-ipv6": b"[::ffff:127.0.0.1]",
    "unix": b"ws+unix:/run/a%20b.sock:/request?x",
    "unix-abstract": b"ws+unix:@name",
    "echo": b"echo:",
    "relative": b"../x/./y?z#f",
    "other-authority": b"//other:99/x",
    "origin": b"https://app.example:8443",
}

PROXY_CHOICE = {
    "http": b"http://user:pass%40word@proxy:3128/\nexample.com,.local\nwww.example.com",
    "https": b"https://proxy\n*\nhost",
    "socks": b"socks5h://u:p@[fe80::1%25eth0]\n10.0.0.0/8 [2001:db8::/33]:443\n10.1.2.3",
    "bare": b"proxy:3128\n[::1]:443,2001:db8::/32\n[2001:db8::1]",
    "other-scheme": b"socks4://proxy\n*.example.com.:8443\nexample.com.",
    "open-path": b"http://a/b@c",
}

PROXY_CONNECT = {
    "open": b"HTTP/1.1 200 Connection established\r\nContent-Length: 3\r\n\r\n\x16\x03\x01",
    "after-interim-responses": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\n\r\n",
    "login-wanted": b"HTTP/1.1 407 x\r\nProxy-Authenticate: Digest realm=\"a, b\", NTLM, Basic realm=c\r\n"
                    b"Content-Length: 2\r\n\r\nno",
    "refused-chunked": b"HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n",
    "switching": b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
    "socks": b"\x05\xff",
}

SOCKS_REPLY = bytes([5, 0, 0, 1, 127, 0, 0, 1, 4, 56])
PROXY_SOCKS = {
    "open": b"\x05\x00" + SOCKS_REPLY + b"\x16\x03\x01",
    "open-with-login": b"\x05\x02\x01\x00" + SOCKS_REPLY,
    "name": b"\x05\x00" + SOCKS_REPLY[:3] + b"\x03\x05proxy\x00\x50HTTP",
    "ipv6": b"\x05\x00" + SOCKS_REPLY[:3] + b"\x04" + bytes(18),
    "refused": b"\x05\x00\x05\x05",
    "no-method": b"\x05\xff",
    "http": b"HTTP/1.1 400 Bad Request\r\n\r\n",
}

# The ClientHello of Python's ssl.
CLIENT_HELLO = bytes.fromhex(
    "1603010200010001fc03038f8ba28ee060338211dc7c0d8b27867b55d890e1255ee658f8bf38b3f8f35cc02061400ea6aceb"
    "8de9b92a6477ab5b3edcf63757cf6aa2ac3f5793e9c57e1b040c0024130213031301c02cc030c02bc02fcca9cca8c024c028"
    "c023c027009f009e006b006700ff0100018f000000090007000004686f7374000b000403000102000a00160014001d001700"
    "1e0019001801000101010201030104002300000016000000170000000d002a0028040305030603080708080809080a080b08"
    "0408050806040105010601030303010302040205020602002b00050403040303002d00020101003300260024001d00204291"
    "d4b02c315437a69dba50afb405b1d9865318fe47632982ba7a8b515d5206001500e900000000000000000000000000000000"
    "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    "0000000000000000000000000000000000"
)
TLS = {
    "client-hello": b"\x01" + CLIENT_HELLO,
    "http-to-server": b"\x01GET / HTTP/1.1\r\nHost: host\r\n\r\n",
    "http-to-client": b"\x00HTTP/1.1 400 Bad Request\r\n\r\n",
    "alert": b"\x00\x15\x03\x03\x00\x02\x02\x28",
    "server-hello": b"\x00\x16\x03\x03\x00\x2c\x02\x00\x00\x28\x03\x03" + bytes(33) + b"\xc0\x2f\x00\x00\x00",
    "hello-request": b"\x00\x16\x03\x03\x00\x04\x00\x00\x00\x00",
    "long-record": b"\x00\x16\x03\x03\xff\xff" + bytes(64),
    "early-data": b"\x00\x17\x03\x03\x00\x05hello",
}

JSON_EVENTS = {
    "text": b"hello",
    "escapes": b'"\\\n\r\t\b\f/\x00\x1b[31m\x7f',
    "invisible": "\u0085\u061c\u200b\u202e\u2028\ufeff\U000e0041".encode(),
    "scripts": TEXT,
    "binary": b"\x00\xff\xfe",
}

EVENT_INPUT = {
    "text": b'{"type":"message","time":"2026-05-01T12:00:00.5+02:00","direction":"out","opcode":"text","bytes":2,"data":"h\\u00e9"}',
    "binary": b'{"type":"message","direction":"in","opcode":"binary","base64":"AP8=","client":1}',
    "ping": b'{"type":"ping","data":"\\ud83c\\udf88"}',
    "pong": b'{"type":"pong","base64":"_w","rtt_us":412}',
    "close": b'{"type":"close","code":1000,"reason":"bye","clean":true}',
    "close-without-code": b'{"type":"close","code":1005,"reason":""}',
    "lost": b'{"type":"close","code":1006}',
    "open": b'{"type":"open","url":"ws://h/","extensions":null,"more":{"type":[1,-2.5e3]}}',
    "recording": b'{"type":"recording","time":"2026-05-01T12:00:00.000000Z"}',
    "half-surrogate": b'{"type":"message","data":"\\ud800"}',
}

ENCODED_INPUT = {
    "digits": b" 00 fF41\r",
    "odd": b"000",
    "base64": b" Zm9vYg== ",
    "base64-for-urls": b"-_8",
    "bad-padding": b"Zm9v=",
}

OPTIONS = {
    "connect": ["connect", "ws://h/", "hello", "-n5", "--linger=2s", "-H", "A: b"],
    "connect-request": ["connect", "echo:", "-s", "a,b", "--auth", "u:p", "-o", "http://x", "--host", "h", "--user-agent", "x"],
    "connect-formats": ["connect", "--input", "nul", "--output=json", "--binary", "--crlf", "-x", "m", "-i", "u", "--no-stdin"],
    "connect-ending": ["connect", "-vv", "u", "--timeout", "1.5m", "--close-code", "3000", "--close-reason", "bye",
                       "--close-timeout", "250ms"],
    "connect-limits": ["connect", "-4", "u", "--unix-socket", "/s", "--connect-timeout", "1h", "--max-message-size",
                       "16M", "--max-fragments", "50k", "--fragment-size", "1"],
    "connect-looks": ["connect", "-q", "--color", "never", "--timestamps=utc", "u", "--", "-dash"],
    "listen": ["listen", "--echo", "[::1]:8080", "--origin", "*", "--path", "/x", "--subprotocol", "a"],
    "listen-unix": ["listen", "unix:/s", "--handshake-timeout", "1", "-H", "X: y", "--output", "json"],
    "listen-access": ["listen", "--once", "-a", "me:pw", "--bearer", "token", "--max-connections", "2k",
                      "--idle-timeout", "1m", "--heartbeat=5s", "--heartbeat-misses", "2", "--record", "f", "8080"],
    "help": ["help", "listen"],
    "bench": ["bench", "-c", "50", "-d", "1s", "--threshold", "p99<20ms", "--threshold", "lost<=0.1%", ":8080"],
    "bench-messages": ["bench", "-m", "{{seq}}{{{{{{ random 8 }}", "-f", "a", "--binary", "-r", "1", "u"],
    "bench-merge": ["bench", "merge", "--output", "json", "--threshold", "rate>50k", "a.json", "-"],
    "convert": ["convert", "--connection", "2", "-q", "session.har", "-"],
    "completions": ["completions", "zsh"],
    "version": ["--version"],
    "typo": ["conect", "--lingr"],
    "unknown-option": ["connect", "--lingr=1"],
    "control-characters": ["connect", "--close-code", "\x1b[2J\n"],
}

RECORDS = {
    "lines": b"one\ntwo\r\n\nlast without an end",
    "nul": b"one\0two\n\0",
    "empty": b"",
}

REPL_LINES = {
    "message": b"hello",
    "slash": b"//help",
    "ping": b"/ping x",
    "pong": b"/pong",
    "close": b"/close 3000 bye",
    "help": b"/help",
    "quit": b"/quit",
    "typo": b"/qiut\x1b",
}

REDIRECTS = {
    "away-and-back": b"\x00wss://two.example/\nwss://one.example/x",
    "relative": b"\x00/x\n?y\n../z#f\n//one.example:443/",
    "user": b"\x00https://a:b@two.example\n/x\nhttps://c:d@one.example",
    "down": b"\x00http://one.example/",
    "up": b"\x01https://one.example/",
    "socket": b"\x02http://localhost/y\n/z",
    "international": "\x01//m\u00fcnchen.example/\nhttp://xn--mnchen-3ya.example".encode(),
}

COOKIES = {
    "plain": b"\x00a=b\nb=c; Path=/x; HttpOnly",
    "domain": b"\x01a=b; Domain=.h.example; Secure; SameSite=None",
    "prefixes": b"\x01__Host-a=b; Secure; Path=/\n__Secure-a=b; Secure",
    "ages": b"\x00a=b; Max-Age=100\na=c; Max-Age=-1\nd=e; Max-Age=99999999999999999999",
    "dates": b"\x00a=b; Expires=Sun, 06 Nov 2094 08:49:37 GMT\nc=d; expires=Sunday, 06-Nov-94 08:49:37 GMT",
    "address": b"\x02a=b; Domain=127.0.0.1\nc=d; Domain=0.0.1",
    "socket": b"\x03a=b; Path=/y",
}

COOKIE_FILES = {
    "curl": b"# Netscape HTTP Cookie File\n\n.h.example\tTRUE\t/x\tTRUE\t1900000000\ta\tb\n"
            b"#HttpOnly_h\tFALSE\t/\tFALSE\t0\tc\t\n",
    "crlf": b"h\tFALSE\t/\tFALSE\t0\ta\tb\r\n\r\nh\tFALSE\tFALSE\t0\td\te\r\n",
    "prefixes": b"h\tFALSE\t/\tTRUE\t0\t__Host-a\tb\nh\tTRUE\t/\tFALSE\t0\t__Secure-a\tb\n",
    "address": b"127.0.0.1\tTRUE\t/\tFALSE\t1.5\ta\tb\n0.0.1\tTRUE\t/\tFALSE\t-1\ta\tb\n",
    "malformed": b"a=b; c=d\nh\tFALSE\t/\tFALSE\tnever\ta\tb\nSet-Cookie: a=b\n",
}

CHALLENGES = {
    "basic": b'Basic realm="x", charset="UTF-8"',
    "several": b'Newauth realm="apps", type=1, title="Login to \\"apps\\"", Basic realm = simple\nBearer',
    "token": b"Negotiate a+/-._~==, NTLM",
    "open-quote": b'Digest realm="x, Basic',
}

NETRC = {
    "machines": b'machine h login me password secret\ndefault login you password "a \\"b\\n"\n',
    "comments": b"# x\nmachine h # y\n  login me\n  password #z\n",
    "macro": b"macdef init\ncd /\n\nmachine h account a user me passwd b",
    "unknown-word": b"machine h login me password two words",
    "no-machine": b"\nlogin me",
    "open-quote": b'machine h login "me\n',
}

AWS_PROFILES = {
    "credentials": b"[default]\naws_access_key_id = A\naws_secret_access_key=s/+=\n\n[ two ]\r\nKEY\t=v ; c\r\n",
    "config": b"# c\n[profile  a b] # c\nregion = r-1\ns3 =\n  max = 1\nsso_session = s\n",
    "broken": b"a = b\n[x\n]\n = c\n[]\n=\n[y]z]\n\xff=\xff\n",
}

# A file and the words of a command line, each after a NUL.
CONFIGURATION = {
    "profile": b'quiet\n[p]\nurl = ws://h/\nheader = A: b\nbearer = @~/t\n\0@p\0hello',
    "layers": b'auth = a:b\ncolor = never\n[p] # x\nurl=:1\nbearer=t\nreconnect\0bench\0@p\0-c\x005',
    "quotes": b'user-agent = " a \\"b\\\\ "\n; x\nlocation = false\0connect\0ws://h/',
    "unknown-option": b"quiett = 1\0connect\0ws://h/",
    "unknown-profile": b"[prod]\0@prdo",
    "bad-line": b"[a\n",
}

# A path or condition, and a message on the next line.
HAR = {
    "messages": rb'''{"log":{"version":"1.2","entries":[{"_resourceType":"websocket","_webSocketMessages":[
{"type":"send","time":1772616600.301234,"opcode":1,"data":"gr\u00fc"},{"type":"receive","time":1772616600302,"opcode":2,
"data":"AP8="},{"type":"error","time":-1,"opcode":-1,"data":"x"}],"request":{"url":"wss://h/?token=x"},"response":{"status":
101,"headers":[{"name":"Upgrade","value":"websocket"}]},"startedDateTime":"2026-03-04T09:30:00.250Z"}]}}''',
    "pages": rb'''{"log":{"pages":[{"id":1}],"entries":[{"request":{"url":"https://h/"},"response":{"status":200,"content":
{"text":"x"}}},{"request":{"url":"https://h/"},"response":{"status":101,"headers":[{"name":"upgrade","value":"websocket"}]}}]}}''',
    "bad-message": rb'''{"log":{"entries":[{"request":{"url":"ws://h"},"_webSocketMessages":[{"type":"send","data":"\ud800"}]}]}}''',
    "other": b'{"type":"recording"}',
}

JSON_PATHS = {
    "dotted": b'.items[-1].id\n{"items":[{"id":1},{"id":2}]}',
    "pointer": b'/a~1b/0\n{"a/b":[ 1 , { } ]}',
    "quoted": b'."odd key"["\\u0061"]\n{"odd key":{"a":"b\\n"}}',
    "whole": b'.\n"text"',
    "missing": b'!.a\n{"b":1}',
    "number": b'.price >= 5.0e1\n{"price":"50.5"}',
    "string": b'.a!="b"\n{"a":"c","a":"d"}',
    "literal": b'.a=true\n{"a":null}',
    "pattern": b'/a ~ ^b+$\n{"a":"bb"}',
    "mistake": b'.a[\n{}',
}

# Two messages.
JSON_CHANGES = {
    "members": b'{"type":"a","x":1,"old":[]}\n{"type":"a","x":2.0,"new":{"a b":"c"}}',
    "elements": b'[1,[2,3],4]\n[1,[2,5],6,4]',
    "same": b'{"a":1,"b":"\\u0061"}\n{ "b" : "a" , "a" : 10e-1 }',
    "nested": b"[" * 40 + b"1" + b"]" * 40 + b"\n" + b"[" * 40 + b"2" + b"]" * 40,
}

SHOWN_MESSAGES = {
    "escapes": b'{ "Zo\\u00eb": "a\\/b \\ud83d\\ude00 \\u202e \\u0022 \\ud83d \\n" , "x": [1.50, null] }',
    "joiners": '["\\ud83d\\udc69\\u200d\\ud83d\\udcbb","\u0645\u06cc\u200c\u062e\u0648","a\u200db","\u0915\u094d\u200d\u0937"]'.encode(),
    "embedded": b'{"a":"{\\"b\\":\\"[1735689600123]\\"}","t":1735689600,"u":1735689600.25,'
                b'"jwt":"eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjE3MzU2ODk2MDB9.c2ln",'
                b'"b":["aGVsbG8gd29ybGQsIGhlbGxv","AAECAwQFBgcICQoLDA0ODw=="]}',
    "marks": ("Z" + "\u0321\u0335\u0301" * 6 + "\ufe0f\ufe01").encode(),
}

JSON = {
    "object": b'{"id":7,"a":{"b":[1,-0.5e+10,true,false,null]},"c":"x"}',
    "strings": '["","a\\u00e9\\n","\\ud83c\\udf88","é水🎈"]'.encode(),
    "blanks": b' [ 1 , 2 ,\t{ } , [ ] ]\r\n',
    "numbers": b"[0,-0,1.5,10e2,1E-2]",
    "truncated": b'{"a":[1,"b',
    "mistakes": b'{"a":01,}',
}

REQUEST_PATHS = {
    "root": b"/",
    "file": b"/a%20b/%E6%B0%B4.txt",
    "directory": b"/sub/deep/",
    "markup": b"/%3Cscript%3E/%22%27%26",
    "well-known": b"/.well-known/security.txt",
    "hidden": b"/.git/config",
    "dots": b"/sub/%2e%2e/..%2fsecret",
    "empty-names": b"//evil.example/%2F",
    "backslash": b"/..\\secret%5c",
    "bad-escapes": b"/%/%2/%zz/%00",
    "overlong": b"/%c0%ae%c0%ae/%ed%a0%80",
}

REQUEST_CONDITIONS = {
    "range": b"Range: bytes=0-499",
    "suffix": b"Range: bytes=-500",
    "open-range": b"Range: bytes=9-",
    "several-ranges": b"Range: bytes=0-1,4-5",
    "if-range-tag": b'Range: bytes=1-\r\nIf-Range: "tag"',
    "if-range-date": b"Range: bytes=1-\r\nIf-Range: Sun, 09 Sep 2001 01:46:40 GMT",
    "tags": b'If-None-Match: "a", W/"tag" ,, "b,c"\r\nIf-Match: *',
    "date": b"If-Modified-Since: Sun, 09 Sep 2001 01:46:40 GMT",
    "old-date": b"If-Unmodified-Since: Sunday, 09-Sep-01 01:46:40 GMT",
    "oldest-date": b"If-Modified-Since: Sun Sep  9 01:46:40 2001",
    "date-alone": b"Sun, 09 Sep 2001 01:46:40 GMT",
    "short-year-alone": b"Sunday, 09-Sep-01 01:46:40 GMT",
    "asctime-alone": b"Sun Sep  9 01:46:40 2001",
    "tags-alone": b'"a",W/"b" , ""',
    "range-alone": b"bytes=0-1",
}



def histogram(*counts, largest=3_600_000_000_000):
    """Returns the uncompressed content of a histogram with these counts, each below 64."""
    numbers = bytes(count << 1 if count >= 0 else (-count << 1) - 1 for count in counts)
    return struct.pack("!IIIIQQd", 0x1C849313, len(numbers), 0, 3, 1, largest, 1.0) + numbers


def compressed(plain):
    data = zlib.compress(plain)
    return struct.pack("!II", 0x1C849314, len(data)) + data


HISTOGRAMS = {
    "empty": histogram(),
    "some": histogram(-40, 3, 0, 1, -60, 2),
    "many-zeros": histogram(1) + b"\xff\xff\x03",
    "other-layout": histogram(1, largest=1000),
    "compressed": compressed(histogram(-40, 3)),
    "cut": compressed(histogram(-40, 3))[:-5],
}

HISTF = base64.b64encode(compressed(histogram(-40, 3))).decode()
RESULTS = {
    "version": 1, "mode": "echo", "url": "ws://h/", "connections": 2, "threads": 1, "duration_s": 0.5,
    "messages": {"sent": 4, "received": 3, "lost": 1, "mismatched": 0, "duplicated": 0, "reordered": 0, "unsent": 0},
    "errors": {"connect": 0, "handshake": 0, "protocol": 0, "closed": 1, "timeout": 0},
    "bytes": {"sent": 80, "received": 60, "wire_sent": 104, "wire_received": 66},
    "per_second": [{"second": 0, "received": 3, "sent": 4, "histogram": HISTF}],
    "cpu_s": 0.02, "load_cpu_s": 0.01, "busiest_cpu_s": 0.01, "histogram": HISTF, "handshake_histogram": HISTF,
    "start_time": "2026-05-01T12:00:00.5Z", "message": {"kind": "text", "bytes": 20}, "in_flight": 1,
    "rate_asked": None, "delay_histogram": HISTF,
    "handshake_phase_histograms": {name: HISTF for name in ("name", "connect", "proxy", "tls", "upgrade")},
}
BENCH_RESULTS = {
    "results": json.dumps(RESULTS, separators=(",", ":")).encode(),
    "other-version": b'{"mode":"echo","version":2}',
    "no-results": b'{"a":[]}',
    "no-json": b'{"mode"',
}

# A template or an answer rule, and a message on the next line.
TEMPLATES = {
    "numbers": b'{"id":{{seq}},"of":{{ connection }},"at":{{time}}}\n',
    "random": b"{{random 3}}-{{json:random 12}}\n",
    "variable": b"{{name}}{{json:name}}{{json:other}}\n",
    "environment": b"{{env:A}}{{json:env:A}}\n",
    "last": b'{{last:/a/0}}{{json:last:.a}}\n{"a":["b\\n"]}',
    "braces": b"{{{{{{{{seq}}}}\n",
    "unknown": b"{{sequence}}\n",
    "not-closed": b"a{{seq}\n",
}

TEMPLATES |= {
    "filters": b'{{name | append:"}} | " | sha256 | base64}} {{last:.a | get:/b | default:c}}\n{"a":"{\\"b\\":1}"}',
    "operands": b'{{random 4 | prepend:seq | hmac-sha256:env:A | url}}{{"a\\u00e9" | unhex | json}}\n',
}

# Filters, and the value after the line.
FILTERS = {
    "chain": b'append:"a" | sha256 | base64url | prepend:seq | hmac-sha1:"k" | json\nvalue',
    "decoders": b"unbase64 | unhex | default:x | length | url\nNmE=",
    "get": b'get:."a b"[0] | default:"|" | md5 | hex\n{"a b":["\xc3\xa9"]}',
    "bytes": b"sha512 | hmac-sha512:time | base64\n\xff\x00",
    "unknown": b"sha265 | append\n",
}

ANSWER_RULES = {
    "groups": b"^(a)(b)? => $1$2$0$$\nab",
    "json": b"(.*) => {{json:$1}}{{seq}}\n\"x",
    "no-group": b"a => $1\n",
    "no-arrow": b"a=>b\n",
    "bad-expression": b"( => b\n",
}

CONDITIONS = {
    "prefixes": b"from:client path:/chat/** ^ping\n/chat/a/b\nping",
    "order": b"path:/*/a from:server json:.a>1\n/b/a\n{\"a\":2}",
    "nothing": b"path:/a\n/a\n",
    "no-side": b"from:me x\n/\nx",
    "pattern": b"/**a*b\n/x/aab\n",
    "expression": b"[p]ath:/a x\n/a\npath:/a x",
}

DATA_FILES = {
    "csv": b"user,token\r\nAda,1\r\nBo,2\r\n",
    "quotes": b'a,b\n"x ""y"", z","1\n2"\n"",\n',
    "mark": b"\xef\xbb\xbfa\n1\n\n2",
    "ragged": b"a,b\n1\n",
    "open-quote": b'a\n"b\n',
    "objects": b'{"a":"x\\n","b":[1, 2]}\n\n{"b":null,"a":1,"c":2}\n',
    "objects-with-mark": b'\xef\xbb\xbf {"a":1}\r\n{"a":2}',
    "missing-member": b'{"a":1}\n{"b":1}\n',
}

# A matcher, and a message on the next line.
MATCHERS = {
    "pattern": b'"^a+$"\naa',
    "fields": b'{"/a":1,"/b/0":"{{name}}","":{"a":1.0,"b":["x"]}}\n{"a":1,"b":["x"]}',
    "nested": b'{".a":[{"b":"{{seq}}"},null,true]}\n{"a":[{"b":7},null,true]}',
    "equal": b'{"a":[1,2],"b":"x"}\n{"b":"x","a":[1,3]}',
    "bad-path": b'{"a":1}\n',
    "bad-template": b'{"/a":"{{"}\n',
}

SCENARIOS = {
    "login": b'''{"type":"message","direction":"out","data":"{\\"token\\":\\"x\\"}"}
{"type":"message","direction":"in","match":{"/type":"ready"},"set":{"sid":"/session"},"name":"login","timeout":"2s"}
{"type":"repeat"}
{"type":"pause","for":"1s-3s"}
{"type":"message","direction":"out","data":"{\\"sid\\":\\"{{sid}}\\",\\"id\\":{{seq}}}"}
{"type":"message","direction":"in","match":{"/id":"{{seq}}"},"strict":true}
''',
    "frames": b'''{"type":"ping","direction":"out","data":"x"}
{"type":"pong","direction":"in"}
{"type":"pong","direction":"out","base64":"AAE="}
{"type":"close","direction":"out","code":1000,"reason":"bye"}
{"type":"close","direction":"in","code":1000}
''',
    "recording": b'''{"type":"recording","time":"2026-05-01T12:00:00.000000Z"}
{"type":"open","url":"ws://h/","status":101}
{"type":"message","direction":"in","opcode":"text","bytes":2,"data":"hi","client":1}
{"type":"message","direction":"out","opcode":"binary","bytes":2,"base64":"AAE=","client":1}
''',
    "echoed": b'''{"type":"message","direction":"in","match":"type"}
{"type":"message","direction":"in","match":"direction","timeout":"9ms"}
''',
}

# Lines for sessions of application protocols; see ProtocolsTarget.swift.
SOCKET_IO = {
    "chat": b'''0{"sid":"a","pingInterval":25000,"pingTimeout":20000}
40{"sid":"b"}
tchat {"x":1} 'a b'
T/admin ask [1,2]
40/admin,{"sid":"c"}
43/admin,0[{"ok":true}]
4212["a",1]
2
w
o
''',
    "binary": b'''0{"sid":"a","pingInterval":1,"pingTimeout":0}
40
452-["a",{"_placeholder":true,"num":0},{"b":{"num":1,"_placeholder":true}}]
b\x01\x02
b
461-5[{"_placeholder":true,"num":0}]
b\xff
Ta {"$bytes":"AQI="}
44/a,{"message":"no"}
41
''',
}
GRAPHQL = {
    "subscription": b'''ographql-transport-ws
{"type":"connection_ack"}
tsubscription { a(b: "}{") } {"x":1}
T{ a }
{"id":"1","type":"next","payload":{"data":{"a":1}}}
{"id":"2","type":"error","payload":[{"message":"no"}]}
{"type":"ping"}
tcomplete 1
''',
    "legacy": b'''ographql-ws
{"type":"connection_ack"}
{"type":"ka"}
tfragment F on T { a } # {
t{ a(b: """"x" \\""" {""") }
{"id":"1","type":"data","payload":{"data":1,"errors":[]}}
{"type":"connection_error","payload":{"message":"no"}}
''',
}
PHOENIX = {
    "room": b'''o
tjoin room:a {"user":1}
Troom:a ask 1
["1","1","room:a","phx_reply",{"status":"ok","response":{}}]
["1","2","room:a","phx_reply",{"status":"error","response":{"reason":"no"}}]
[null,null,"room:a","new_msg",{"a":1}]
["1","1","room:a","phx_error",{}]
w
w
tleave room:a
o
''',
    "binary": b'''o
tjoin a
["1","1","a","phx_reply",{"status":"ok","response":{}}]
ta b {"$bytes":"AQI="}
b\x00\x01\x01\x011aex
b\x01\x01\x01\x01\x0212aokx
b\x02\x01\x01aex
["1","1","a","phx_close",{}]
''',
}
SIGNALR = {
    "hub": b'''o
{}\x1e{"type":6}\x1e
TAdd 1 2
{"type":3,"invocationId":"1","result":3}\x1e{"type":1,"target":"a","invocationId":"x","arguments":[1]}\x1e
tstream Counter 10
{"type":2,"invocationId":"2","it
em":42}\x1e
tcancel 2
w
{"type":7,"error":"e","allowReconnect":true}\x1e
''',
}
ACTION_CABLE = {
    "chat": b'''oactioncable-v1-json
{"type":"welcome"}
tsubscribe Chat {"room":1}
{"identifier":"{\\"channel\\":\\"Chat\\",\\"room\\":1}","type":"confirm_subscription"}
tChat speak {"text":"hi"}
{"identifier":"{\\"channel\\":\\"Chat\\",\\"room\\":1}","message":{"text":"hi"}}
{"type":"ping","message":1}
{"type":"disconnect","reason":"server_restart","reconnect":true}
w
''',
}
JSON_RPC = {
    "calls": b'''o
Tsum 1 'a b' {"x":1}
{"jsonrpc":"2.0","id":1,"result":[1]}
[{"id":2,"error":{"code":-1}},{"method":"n","params":{"subscription":"0x9"}}]
t[{"id":7,"method":"m"}]
''',
}
DEVTOOLS = {
    "commands": b'''o
TPage.navigate url=http://h/
{"method":"Page.frameStartedLoading","params":{"frameId":"A"}}
{"id":1,"result":{"frameId":"A"}}
{"id":9,"error":{"code":-32601,"message":"wasn't found"}}
t{"id":5,"method":"Target.setAutoAttach","sessionId":"B"}
{"id":5,"result":{},"sessionId":"B"}
''',
}
DECLARATIVE_PROTOCOLS = {
    path.stem: path.read_bytes() + b'''---
o
{"t":null,"s":null,"op":10,"d":{"heartbeat_interval":41250}}
{"type":"auth_required"}
{"type":"auth_ok"}
t"type":"subscribe_events"
[2,"1","Reset",{"type":"Soft"}]
w
w
o
'''
    for path in (pathlib.Path(__file__).resolve().parents[1] / "docs" / "protocols").glob("*.json")
}

CODECS = {
    "msgpack": bytes.fromhex("85a16193ccff d080cb3ff199999999999aa162c403000102a163d6ff514b67b0a164d9026869a16581c0c3"),
    "msgpack-keys": bytes.fromhex("8401c0c4010001d40500029101a0"),
    "cbor": bytes.fromhex("bf61619f01387ff93c00ff61625f42010243030405ff6163c11a514b67b0616482f7f8ff6165a1f6f5ff"),
    "cbor-keys": bytes.fromhex("a401f64100018101a0f97e006161"),
    "json": rb'''{ "$$a": {"$bytes": "AAE="}, "$1": [{"$float": "NaN"}, {"$tag": [2, {"$ext": [5, "AA=="]}]}], "b": -1.5e3 }''',
    "zlib": zlib.compress(bytes.fromhex("81a16101")),
    "zlib-stream": bytes.fromhex("789caa56ca2f50b23234a805000000ffff"),
    "bomb": zlib.compress(bytes(100_000)),
}

# The descriptor set of a message T with fields of most kinds, and such a message.
PROTOBUF_SET = zlib.decompress(base64.b64decode(
    "eNqdlMtu01AQhjt27daTEMIBUSsgitouqgo5UthUlE0thSKRVuGQFolNFKdOZNXxiWynKN2w4h1Ys2SDxFvwGjwFOzgX24kaUhCreCbfjOfy"
    "j/EX4OaQsWHo18cxS5k3GdTTYOQnaW80dqSL3FaAkwNbB2h1cobYuJb4fRadJzY8hl2d5ia5h0bUi1hia9xvUGW4HwHv9tnIuZbUrRQp28LV"
    "hneNDBmysBcNHRYP52qcjv2kfhGx99Gs3rH3E+Czph+13S/aoyMV3c5CnLd+GL4SAR0R65ky11P8YeDD6xNI0njST5e1/wnQfCMJcoDmIPBD"
    "2bu+W2psX2/LUaDzQlLNKI2nNAupvcbSnJtUUb/wp3KIFhWP5Akal71w4ssBlhr3F5KfiX+pgp5p+7D1TUNDOnllGE3CsKsSiKSVRm0hwQlH"
    "JP9yhVpRbpBtLEeTkefH3dn7gSMl5S0gPqcgGmaQLgoXkPIqaBPRYywvY5Uj6+JVwqeA5zILH1GGGLLVjSVzzNLzp6LLMEjyWFPGLnbZ4kjR"
    "ZZgbromrF0F0LuRcEMRBUybLN7ps6Bm19wCtYoikgnhy2mp1zw5bp83qivvhz1IvqWZyndf/Ueeq8f8S+VedX6kqoPa3e6/deA5b3zWEDikj"
    "BFJVBoVAWFdSJITClbAGUg0ahYGwErl4i0IirKnccZmCkDyorVUamtOk4AtPaq/JPWpOh0IqImJ7ne9ijUJMNhBGtiU3Yzkd51hdFIz46MGz"
    "MdMXeIQgMLuUJxI+RvZQ66V2eYlKiu8P5RTZQbi0b914d3BZ20fzeOF6dXW99vz1qgZnl+rqCP29OwhNYiAcVlfEj1uFfGO/AZZVpzY="
))
PROTOBUF_MESSAGE = bytes.fromhex(
    "08ffffffffffffffffff0110031d0000c03f2201612a010030013a020805420801000000020000004a040803100150016209088094eb"
    "dc031088276a232a210a1f0a0161121a32180a0911000000000000f03f0a0208000a031a01780a022001"
)
PROTOBUF = {
    "schema": len(PROTOBUF_SET).to_bytes(2, "big") + PROTOBUF_SET + PROTOBUF_MESSAGE,
    "message": PROTOBUF_MESSAGE,
    "guesses": bytes.fromhex("0a020a000a03ff0001120568c3a90a21180108021801f8ffffff0f01"),
    "group": bytes.fromhex("0b08010c"),
}
MESSAGE_RECORDS = {
    "lines": b"lines\na\r\n\nb\r\r\nc",
    "split": b"split:\\x1eb\na\x1ebc\x1e\x1eb",
    "overlap": b"split:aa\naaa",
    "array": b"array\n [1, {\"a\": [2]}, \"x,y\" ]",
    "u8": b"length:u8\n\x02ab\x00\x01c",
    "u16le": b"length:u16le\n\x02\x00ab",
    "varint": b"length:varint\n\xac\x02" + bytes(300),
    "skip": b"skip:3\n\xc3\xa9a",
}

STOMP = {
    "message": b"MESSAGE\nsubscription:0\nmessage-id:7\ndestination:/a\nx:a\\nb\\c\n\n{}\0\n",
    "length": b"\r\nMESSAGE\r\ndestination:/a\r\ncontent-length:3\r\n\r\na\0b\0RECEIPT\nreceipt-id:r0\n\n\0",
    "error": b"ERROR\nmessage:denied\nreceipt-id:r0\n\nno access\0",
    "escape": b"MESSAGE\na:\\t\n\n\0",
}

MQTT = {
    "publish": bytes.fromhex("30050001746161 3b060001740009 61 d000".replace(" ", "")),
    "confirmations": bytes.fromhex("9004000100804002000 2b0020003".replace(" ", "")),
    "length": bytes.fromhex("30ffffff7f"),
    "flags": bytes.fromhex("d100"),
}

TARGETS = {
    "frames": FRAMES,
    "compressed-frames": COMPRESSED_FRAMES,
    "inflating": INFLATING,
    "deflating": DEFLATING,
    "compression-offers": COMPRESSION_OFFERS,
    "close-frames": CLOSE_FRAMES,
    "session": SESSION,
    "utf8": UTF8,
    "http-heads": HTTP_HEADS,
    "http2-server": HTTP2_SERVER,
    "http2-client": HTTP2_CLIENT,
    "client-handshake": CLIENT_HANDSHAKE,
    "server-handshake": SERVER_HANDSHAKE,
    "request-environment": REQUEST_ENVIRONMENT,
    "extensions": EXTENSIONS,
    "urls": URLS,
    "proxy-choice": PROXY_CHOICE,
    "proxy-connect": PROXY_CONNECT,
    "proxy-socks": PROXY_SOCKS,
    "redirects": REDIRECTS,
    "cookies": COOKIES,
    "cookie-file": COOKIE_FILES,
    "challenges": CHALLENGES,
    "netrc": NETRC,
    "aws-profiles": AWS_PROFILES,
    "configuration": CONFIGURATION,
    "request-paths": REQUEST_PATHS,
    "request-conditions": REQUEST_CONDITIONS,
    "tls": TLS,
    "json": JSON,
    "json-paths": JSON_PATHS,
    "json-changes": JSON_CHANGES,
    "har": HAR,
    "shown-messages": SHOWN_MESSAGES,
    "json-events": JSON_EVENTS,
    "event-input": EVENT_INPUT,
    "encoded-input": ENCODED_INPUT,
    "options": {name: "\0".join(words).encode() for name, words in OPTIONS.items()},
    "records": RECORDS,
    "repl-lines": REPL_LINES,
    "histograms": HISTOGRAMS,
    "bench-results": BENCH_RESULTS,
    "templates": TEMPLATES,
    "filters": FILTERS,
    "answer-rules": ANSWER_RULES,
    "conditions": CONDITIONS,
    "data-files": DATA_FILES,
    "matchers": MATCHERS,
    "scenarios": SCENARIOS,
    "socketio": SOCKET_IO,
    "graphql": GRAPHQL,
    "phoenix": PHOENIX,
    "signalr": SIGNALR,
    "actioncable": ACTION_CABLE,
    "json-rpc": JSON_RPC,
    "devtools": DEVTOOLS,
    "declarative-protocols": DECLARATIVE_PROTOCOLS,
    "codecs": CODECS,
    "message-records": MESSAGE_RECORDS,
    "protobuf": PROTOBUF,
    "stomp": STOMP,
    "mqtt": MQTT,
}

files = {f"{target}/{name}": data for target, seeds in TARGETS.items() for name, data in seeds.items()}
if sys.argv[1:] == ["--check"]:
    found = {str(path.relative_to(SEEDS)): path.read_bytes() for path in SEEDS.rglob("*") if path.is_file()}
    stale = [name for name in sorted(files.keys() | found.keys()) if files.get(name) != found.get(name)]
    sys.exit(f"Fuzz/Seeds differs from Fuzz/seeds.py; run Fuzz/seeds.py: {', '.join(stale)}" if stale else 0)
shutil.rmtree(SEEDS)
for name, data in files.items():
    path = SEEDS / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
