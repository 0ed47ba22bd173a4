"""`listen --http2` against clients that misuse HTTP/2: floods, bombs, and windows. See also test_http2_malformed.py.

Each ends at most its own connection, and costs a bounded amount of memory.
"""

import pytest

import http2
from http2 import (
    CANCEL, CONTINUATION, DATA, END_HEADERS, END_STREAM, ENHANCE_YOUR_CALM, GET, HEADERS, PING, WEBSOCKET, Client, frame)
from http2_frames import FLOW_CONTROL_ERROR, PROTOCOL_ERROR
from processes import Listener, memory_limit, peak_resident_bytes, wait_until, wsx

MEBIBYTE = 1 << 20


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
        assert client.read_to_end() == ENHANCE_YOUR_CALM
        assert wsx("connect", "--http2", "-1", server.url, "alive").out == b"alive\n"
        wait_until(lambda: "1000, from" in server.err)
        assert server.err.count("disconnected: 1006") < 110


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


# RFC 7541 §7.3: an entry of 4,000 bytes in the dynamic table, and references to it.
ENTRY = b"\x40" + http2.integer(1, 7) + b"x" + http2.integer(4000, 7) + b"y" * 4000
REFERENCE = b"\xbe"


def bomb(stream, references, first=REFERENCE):
    return frame(HEADERS, http2.header_block(*GET) + first + REFERENCE * references, END_HEADERS | END_STREAM, stream)


def test_a_bomb_of_references_is_rejected(client):
    client.send(bomb(3, 5, ENTRY), bomb(5, 10_000))
    assert client.response(3)[0] == 431
    client.read_until(lambda: 5 in client.ends)
    assert client.ends[5] == ENHANCE_YOUR_CALM and 5 not in client.heads
    # The table is that of the client, although the rest of the head was ignored: entry 62 is another field now.
    client.send(frame(HEADERS, http2.header_block(*GET) + b"\x40\x01z\x01z" + b"\xbe\xbf", END_HEADERS | END_STREAM, 7))
    assert client.response(7)[0] == 200
    client.say("alive")
    assert client.message() == b"alive"


@pytest.mark.parametrize("references", [5, 10_000], ids=["large", "bomb"])
def test_heads_that_exceed_the_limit_again_and_again_end_the_connection(client, references):
    try:
        client.send(bomb(3, references, ENTRY), *[bomb(stream, references) for stream in range(5, 303, 2)])
    except (BrokenPipeError, ConnectionResetError):
        pass
    assert client.read_to_end() == ENHANCE_YOUR_CALM


# Windows


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
