"""`listen --http2` against clients that misuse HTTP/2: floods, bombs, and malformed frames.

Each ends at most its own connection, and costs a bounded amount of memory.
"""

import struct

import pytest

import http2
import wire
from http2 import (
    CANCEL, CONTINUATION, DATA, END_HEADERS, END_STREAM, ENHANCE_YOUR_CALM, GET, GOAWAY, HEADERS, PING, RST_STREAM,
    SETTINGS, WEBSOCKET, WINDOW_UPDATE, Client, changed, frame)
from processes import Listener, memory_limit, peak_resident_bytes, wait_until, wsx

MEBIBYTE = 1 << 20
PROTOCOL_ERROR, FLOW_CONTROL_ERROR, STREAM_CLOSED, FRAME_SIZE_ERROR, COMPRESSION_ERROR = 1, 3, 5, 6, 9
PRIORITY, PUSH_PROMISE = 2, 5


@pytest.fixture(scope="module")
def server():
    with Listener("--http2", "--echo") as server:
        yield server
        # Whatever happened, other clients are served.
        assert wsx("connect", "--http2", "-1", server.url, "alive").out == b"alive\n"
        assert peak_resident_bytes(server.pid) < memory_limit(64 * MEBIBYTE)
        assert server.stop() == 0


@pytest.fixture
def client(server):
    with Client(server) as client:
        client.open()
        yield client


def send_until_closed(client, frames):
    """Sends frames again and again until the server closes the connection, and returns the code of its GOAWAY."""
    try:
        for _ in range(1000):
            client.send(*frames)
    except (BrokenPipeError, ConnectionResetError):
        pass
    else:
        client.stream.end_sending()
    return client.read_to_end()


# Floods


def test_a_rapid_reset_ends_the_connection():
    # RFC 9113 §10.5; CVE-2023-44487.
    pairs = [http2.headers(*WEBSOCKET, stream=stream) + http2.reset(CANCEL, stream=stream) for stream in range(1, 9999, 2)]
    with Listener("--http2", "--echo") as server, Client(server) as client:
        try:
            client.send(*pairs)
        except (BrokenPipeError, ConnectionResetError):
            pass
        client.read_to_end()
        assert wsx("connect", "--http2", "-1", server.url, "alive").out == b"alive\n"
        # The first 1,000, and those of the time that it took.
        wait_until(lambda: "1000, from" in server.err)
        assert server.err.count("disconnected: 1006") < 2000


def test_streams_that_the_server_must_reset_end_the_connection(client):
    # CVE-2025-8671: the client does not reset the streams itself.
    streams = range(3, 2003, 2)
    frames = [http2.headers(*WEBSOCKET, stream=stream) + http2.window_update(0, stream=stream) for stream in streams]
    try:
        client.send(*frames)
    except (BrokenPipeError, ConnectionResetError):
        pass
    assert client.read_to_end() in (ENHANCE_YOUR_CALM, PROTOCOL_ERROR)


def test_malformed_requests_end_the_connection_in_the_end(client):
    frames = [http2.headers(*WEBSOCKET, (b"Upper", b""), stream=stream) for stream in range(3, 2003, 2)]
    try:
        client.send(*frames)
    except (BrokenPipeError, ConnectionResetError):
        pass
    assert client.read_to_end() == ENHANCE_YOUR_CALM


@pytest.mark.parametrize("flood", [
    frame(PING, bytes(8)), http2.settings((http2.INITIAL_WINDOW_SIZE, 70_000)),
], ids=["ping", "settings"])
def test_frames_that_want_an_answer_do_not_pile_up(client, flood):
    # Nothing is read meanwhile: CVE-2019-9512, CVE-2019-9515.
    send_until_closed(client, [flood * 1000])


def test_settings_with_many_entries_end_the_connection(client):
    client.send(http2.settings(*[(http2.INITIAL_WINDOW_SIZE, 70_000)] * 33))
    assert client.read_to_end() == ENHANCE_YOUR_CALM


def test_a_continuation_flood_ends_the_connection(client):
    # CVE-2024-27316.
    block = http2.header_block((b"x", b"y" * 100))
    client.send(frame(HEADERS, http2.header_block(*GET), 0, 3))
    assert send_until_closed(client, [frame(CONTINUATION, block, 0, 3)] * 10) is not None


def test_a_bomb_of_references_is_rejected(client):
    # RFC 7541 §7.3: an entry of 4,000 bytes in the dynamic table, and 10,000 references to it.
    entry = b"\x40" + http2.integer(1, 7) + b"x" + http2.integer(4000, 7) + b"y" * 4000
    client.send(frame(HEADERS, http2.header_block(*GET) + entry + b"\xbe" * 10_000, END_HEADERS | END_STREAM, 3))
    assert client.response(3)[0] == 431
    client.say("alive")
    assert client.message() == b"alive"


def test_a_table_size_beyond_the_setting_ends_the_connection(client):
    client.send(frame(HEADERS, http2.integer(1 << 20, 5, 0x20) + http2.header_block(*GET), END_HEADERS, 3))
    assert client.read_to_end() == COMPRESSION_ERROR


# Windows


@pytest.mark.parametrize("frames, code", [
    ([http2.window_update(0x7FFFFFFF)] * 2, FLOW_CONTROL_ERROR),
    ([http2.settings((http2.INITIAL_WINDOW_SIZE, 0x80000000))], FLOW_CONTROL_ERROR),
], ids=["connection", "setting"])
def test_an_overflow_of_the_window_ends_the_connection(client, frames, code):
    client.send(*frames)
    assert client.read_to_end() == code


def test_an_overflow_of_the_window_of_a_stream_ends_the_stream(client):
    client.open(3)
    client.send(http2.window_update(0x7FFFFFFF, stream=3))
    client.read_until(lambda: 3 in client.ends)
    assert client.ends[3] == FLOW_CONTROL_ERROR
    client.say("alive")
    assert client.message() == b"alive"


def test_data_beyond_the_window_is_not_kept(server):
    with Client(server, (http2.INITIAL_WINDOW_SIZE, 0)) as client:
        client.open()
        try:
            for _ in range(2000):
                client.send(frame(DATA, b"\x82\xfe" + bytes(16_000), stream=1))
        except (BrokenPipeError, ConnectionResetError):
            pass
        client.read_to_end()
        assert client.goaway == FLOW_CONTROL_ERROR or client.ends.get(1) is not None


# Malformed frames

CONNECTION_ERRORS = {
    "data on the connection": (frame(DATA, b"x"), PROTOCOL_ERROR),
    "headers on the connection": (http2.headers(*GET, stream=0), PROTOCOL_ERROR),
    "reset of the connection": (http2.reset(CANCEL, stream=0), PROTOCOL_ERROR),
    "priority of the connection": (frame(PRIORITY, bytes(5)), PROTOCOL_ERROR),
    "continuation without headers": (frame(CONTINUATION, b"", END_HEADERS, 1), PROTOCOL_ERROR),
    "settings on a stream": (frame(SETTINGS, b"", 0, 1), PROTOCOL_ERROR),
    "ping on a stream": (frame(PING, bytes(8), 0, 1), PROTOCOL_ERROR),
    "goaway on a stream": (frame(GOAWAY, bytes(8), 0, 1), PROTOCOL_ERROR),
    "push of a client": (frame(PUSH_PROMISE, struct.pack("!I", 2) + http2.header_block(*GET), END_HEADERS, 1),
                         PROTOCOL_ERROR),
    "settings of 5 bytes": (frame(SETTINGS, bytes(5)), FRAME_SIZE_ERROR),
    "acknowledgement with settings": (frame(SETTINGS, bytes(6), 1), FRAME_SIZE_ERROR),
    "ping of 7 bytes": (frame(PING, bytes(7)), FRAME_SIZE_ERROR),
    "reset of 3 bytes": (frame(RST_STREAM, bytes(3), 0, 1), FRAME_SIZE_ERROR),
    "window update of 3 bytes": (frame(WINDOW_UPDATE, bytes(3)), FRAME_SIZE_ERROR),
    "goaway of 7 bytes": (frame(GOAWAY, bytes(7)), FRAME_SIZE_ERROR),
    "frame of 16,385 bytes": (frame(DATA, bytes(16_385), 0, 1), FRAME_SIZE_ERROR),
    "window update of 0": (http2.window_update(0), PROTOCOL_ERROR),
    "data on an idle stream": (frame(DATA, b"x", 0, 99), PROTOCOL_ERROR),
    "reset of an idle stream": (http2.reset(CANCEL, stream=99), PROTOCOL_ERROR),
    "window update of an idle stream": (http2.window_update(1, stream=99), PROTOCOL_ERROR),
    "even stream": (http2.headers(*GET, stream=2), PROTOCOL_ERROR),
    "padding beyond the frame": (frame(DATA, b"\xff", 8, 1), PROTOCOL_ERROR),
    "headers within headers": (frame(HEADERS, b"\x82", 0, 3) + http2.headers(*GET, stream=5), PROTOCOL_ERROR),
    "data within headers": (frame(HEADERS, b"\x82", 0, 3) + frame(DATA, b"x", 0, 1), PROTOCOL_ERROR),
    "index beyond the tables": (frame(HEADERS, b"\xff\xff\xff\xff\x0f", END_HEADERS, 3), COMPRESSION_ERROR),
    "index of 0": (frame(HEADERS, b"\x80", END_HEADERS, 3), COMPRESSION_ERROR),
    "truncated block": (frame(HEADERS, b"\x00\x7f", END_HEADERS, 3), COMPRESSION_ERROR),
    "invalid Huffman code": (frame(HEADERS, b"\x00\x01x\x84\xff\xff\xff\xff", END_HEADERS, 3), COMPRESSION_ERROR),
    "enabled push with 2": (http2.settings((2, 2)), PROTOCOL_ERROR),
    "largest frame of 1 byte": (http2.settings((5, 1)), PROTOCOL_ERROR),
}


@pytest.mark.parametrize("name", CONNECTION_ERRORS)
def test_a_malformed_frame_ends_the_connection(client, name):
    sent, code = CONNECTION_ERRORS[name]
    client.send(sent)
    assert client.read_to_end() == code


STREAM_ERRORS = {
    "upper case": [*GET, (b"Upper", b"")],
    "connection field": [*GET, (b"connection", b"close")],
    "upgrade field": [*GET, (b"upgrade", b"websocket")],
    "chunked": [*GET, (b"transfer-encoding", b"chunked")],
    "te other than trailers": [*GET, (b"te", b"gzip")],
    "line feed in a value": [*GET, (b"x", b"a\r\nb: c")],
    "nul in a value": [*GET, (b"x", b"a\0")],
    "colon in a name": [*GET, (b"a:b", b"")],
    "empty name": [*GET, (b"", b"")],
    "pseudo-field after a field": [(b"x", b""), *GET],
    "pseudo-field of responses": [*GET, (b":status", b"200")],
    "unknown pseudo-field": [(b":x", b""), *GET],
    "second method": [(b":method", b"GET"), *GET],
    "second path": [(b":path", b"/x"), *GET],
    "no method": changed(GET, _method=None),
    "no scheme": changed(GET, _scheme=None),
    "no path": changed(GET, _path=None),
    "empty path": changed(GET, _path=b""),
    "relative path": changed(GET, _path=b"x"),
    "no authority": changed(GET, _authority=None),
    "protocol without connect": [(b":protocol", b"websocket"), *GET],
    "connect with a path only": [(b":method", b"CONNECT"), (b":path", b"/"), (b":authority", b"h")],
    "extended connect without a path": changed(WEBSOCKET, _path=None),
    "lengths that differ": [*GET, (b"content-length", b"1"), (b"content-length", b"2")],
    "negative length": [*GET, (b"content-length", b"-1")],
    "space in the authority": changed(GET, _authority=b"a b"),
    "space in the path": changed(GET, _path=b"/ HTTP/1.1"),
}


@pytest.mark.parametrize("name", STREAM_ERRORS)
def test_a_malformed_request_resets_its_stream(client, name):
    client.request(STREAM_ERRORS[name], 3, END_HEADERS | END_STREAM)
    status, fields = client.response(3)
    # Either the stream is reset, or the request is answered as one that HTTP does not allow.
    assert client.ends.get(3) == PROTOCOL_ERROR if status == 0 else status == 400, (status, fields, client.ends)
    client.say("alive")
    assert client.message() == b"alive"


def test_a_body_whose_length_differs_resets_the_stream(client):
    client.request(changed(GET, _method=b"POST", content_length=b"3"), 3)
    client.send(http2.data(b"four", stream=3, flags=END_STREAM))
    client.read_until(lambda: client.ends.get(3) == PROTOCOL_ERROR or 3 in client.heads)
    client.say("alive")
    assert client.message() == b"alive"


def test_frames_on_an_ended_stream_do_no_harm(client):
    client.open(3)
    client.send(http2.data(wire.close(1000, is_masked=True), stream=3, flags=END_STREAM))
    client.read_until(lambda: 3 in client.ends)
    client.send(http2.data(b"x", stream=3), frame(PING, bytes(8)))
    while (received := client.read()) is not None and received[0] != PING:
        pass
    assert received is not None or client.goaway == STREAM_CLOSED
