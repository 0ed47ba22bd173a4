"""`listen --http2` with malformed frames and requests: each ends its connection or its stream, as RFC 9113 requires.

test_http2_abuse.py has floods, and test_http2_bad_servers.py the same for clients.
"""

import pytest

import http2
import wire
from http2 import (
    CANCEL, DATA, END_HEADERS, END_STREAM, GET, HEADERS, PADDED, PING, PREFACE, PRIORITY_FIELDS, WEBSOCKET, Client,
    changed, frame)
from http2_frames import (
    CONNECTION_ERRORS, FLOW_CONTROL_ERROR, LARGEST_WINDOW, PROTOCOL_ERROR, STREAM_CLOSED, connection_errors)
from processes import Listener, wsx

POST = changed(GET, _method=b"POST")


@pytest.fixture(scope="module")
def server():
    with Listener("--http2", "--echo") as server:
        yield server
        # Whatever happened, other clients are served.
        assert wsx("connect", "--http2", "-1", server.url, "alive").out == b"alive\n"
        assert server.stop() == 0


@pytest.fixture
def client(server):
    with Client(server) as client:
        client.open()
        yield client


def assert_alive(client):
    client.say("alive")
    assert client.message() == b"alive"


@pytest.mark.parametrize("label", CONNECTION_ERRORS)
def test_a_malformed_frame_ends_the_connection(client, label):
    sent, code = connection_errors(3, http2.header_block(GET[0]))[label]
    client.send(sent)
    assert client.read_to_end() == code


def test_the_only_client_fails_the_run():
    with Listener("--http2", "--once", "--echo") as server, Client(server) as client:
        client.open()
        client.send(frame(DATA, b"x"))
        assert client.read_to_end() == PROTOCOL_ERROR
        assert server.wait() == 5
        assert "the peer violated the HTTP/2 protocol" in server.err


def test_the_first_frame_is_settings(server):
    # §3.4.
    with Client(server, starts_with=PREFACE + frame(PING, bytes(8))) as client:
        assert client.read_to_end() == PROTOCOL_ERROR


# Requests, with the way they end: a status, or the code of a reset. nghttp2 finds most mistakes; these are one of each kind,
# and those that wsx itself finds.
REQUESTS = {
    # §8.2: names and values.
    "upper case": ([*GET, (b"Upper", b"")], PROTOCOL_ERROR),
    "line feed in a name": ([*GET, (b"a\nb", b"")], PROTOCOL_ERROR),
    "line end in a value": ([*GET, (b"x", b"a\r\nc: b")], PROTOCOL_ERROR),
    "space before a value": ([*GET, (b"x", b" a")], PROTOCOL_ERROR),
    "tab after a value": ([*GET, (b"x", b"a\t")], PROTOCOL_ERROR),
    # §8.2.2: fields of connections.
    "field connection": ([*GET, (b"connection", b"close")], PROTOCOL_ERROR),
    "field te": ([*GET, (b"te", b"gzip")], PROTOCOL_ERROR),
    # §8.3: pseudo-fields.
    "pseudo-field after a field": ([(b"x", b""), *GET], PROTOCOL_ERROR),
    "second method": ([WEBSOCKET[0], *WEBSOCKET], PROTOCOL_ERROR),
    "no authority": (changed(GET, _authority=None), PROTOCOL_ERROR),
    "relative path": (changed(GET, _path=b"x"), PROTOCOL_ERROR),
    "space in the path": (changed(GET, _path=b"/ HTTP/1.1"), PROTOCOL_ERROR),
    "slash in the authority": (changed(GET, _authority=b"a/b"), PROTOCOL_ERROR),
    "user in the authority": (changed(GET, _authority=b"user@127.0.0.1"), 400),
    "another host": ([*GET, (b"host", b"other")], 400),
    # RFC 8441 §4.
    "protocol without connect": ([(b":protocol", b"websocket"), *GET], PROTOCOL_ERROR),
    "extended connect without a path": (changed(WEBSOCKET, _path=None), PROTOCOL_ERROR),
    "unknown protocol": (changed(WEBSOCKET, _protocol=b"connect-udp"), 501),
    # §8.1.1: lengths.
    "lengths that differ": ([*POST, (b"content-length", b"1"), (b"content-length", b"2")], PROTOCOL_ERROR),
    "length of a body that is missing": ([*POST, (b"content-length", b"5")], PROTOCOL_ERROR),
}


@pytest.mark.parametrize("label", REQUESTS)
def test_a_malformed_request_ends_its_stream(client, label):
    fields, outcome = REQUESTS[label]
    client.request(fields, 3, END_HEADERS | END_STREAM)
    status, fields = client.response(3)
    # Later versions of nghttp2, as in Debian 13, reject a user themselves.
    outcomes = [outcome, PROTOCOL_ERROR] if label == "user in the authority" else [outcome]
    assert (status or client.ends.get(3)) in outcomes, (status, fields, client.ends)
    assert_alive(client)


def test_malformed_trailers_end_their_stream(client):
    # §8.1.
    client.open(3)
    client.send(http2.headers((b":path", b"/"), stream=3, flags=END_HEADERS | END_STREAM))
    client.read_until(lambda: 3 in client.ends)
    assert client.ends[3] == PROTOCOL_ERROR
    assert_alive(client)


@pytest.mark.parametrize("body, flags", [(b"four", END_STREAM), (b"fo", END_STREAM), (b"four", 0)],
                         ids=["longer", "shorter", "longer without an end"])
def test_a_body_whose_length_differs_resets_the_stream(client, body, flags):
    # §8.1.1.
    client.open(3)
    client.request([*POST, (b"content-length", b"3")], 5)
    client.send(http2.data(body, stream=5, flags=flags))
    client.read_until(lambda: client.ends.get(5) == PROTOCOL_ERROR)
    assert_alive(client)


@pytest.mark.parametrize("sent", [
    http2.window_update(LARGEST_WINDOW, 3),
    http2.window_update(LARGEST_WINDOW - 70_000, 3) + http2.settings((http2.INITIAL_WINDOW_SIZE, 2**30)),
], ids=["update", "setting"])
def test_an_overflow_of_the_window_of_a_stream_resets_it(client, sent):
    # §6.9.1; nghttp2 also treats a setting in this way, and not as §6.9.2 requires.
    client.open(3)
    client.send(sent)
    client.read_until(lambda: 3 in client.ends)
    assert client.ends[3] == FLOW_CONTROL_ERROR
    assert_alive(client)


@pytest.mark.parametrize("sent", [
    http2.data(b"x", stream=3), http2.headers((b"x", b""), stream=3, flags=END_HEADERS | END_STREAM),
    http2.headers(*WEBSOCKET, stream=3)], ids=["data", "trailers", "headers"])
@pytest.mark.parametrize("is_reset", [False, True], ids=["ended", "reset"])
def test_frames_on_an_ended_stream_do_no_harm(client, sent, is_reset):
    # §5.1: STREAM_CLOSED, for the stream or the connection, unless the frames are ignored.
    client.open(3)
    if is_reset:
        client.send(http2.reset(CANCEL, 3))
    else:
        client.send(http2.data(wire.close(1000, is_masked=True), stream=3, flags=END_STREAM))
        client.read_until(lambda: 3 in client.ends)
    client.send(sent, frame(PING, bytes(8)))
    while (received := client.read()) is not None and received[0] != PING:
        pass
    assert client.goaway == STREAM_CLOSED if received is None else client.ends.get(3) in (None, STREAM_CLOSED)


def test_a_stream_that_ended_its_request_accepts_no_data(client):
    # §5.1: half-closed (remote).
    # In one write: data that arrives after the server has ended the stream, too, is ignored.
    head = http2.headers(*WEBSOCKET, stream=3, flags=END_HEADERS | END_STREAM)
    client.send(head, http2.data(b"x", stream=3))
    assert client.read_to_end() == STREAM_CLOSED or client.ends[3] == STREAM_CLOSED


def test_streams_are_opened_in_order(client):
    # §5.1.1.
    client.open(5)
    client.request(WEBSOCKET, 3)
    client.send(frame(PING, bytes(8)))
    while (received := client.read()) is not None and received[0] != PING:
        pass
    assert 3 not in client.heads


VALID = {
    "unknown frame": frame(0xFA, b"x", 0xFF, 99),
    "unknown flags": frame(PING, bytes(8), 0xF0),
    "padding of data": frame(DATA, b"\x02\0\0", PADDED, 1),
    "headers with a priority": frame(
        HEADERS, bytes(5) + http2.header_block(*GET), PRIORITY_FIELDS | END_HEADERS | END_STREAM, 3),
    "trailers": http2.headers(*WEBSOCKET, stream=3) + http2.headers((b"x", b""), stream=3, flags=END_HEADERS | END_STREAM),
    "host that equals the authority": http2.headers(*GET, (b"host", b"127.0.0.1"), stream=3),
    "host without an authority": http2.headers(*changed(GET, _authority=None), (b"host", b"127.0.0.1"), stream=3),
}


@pytest.mark.parametrize("label", VALID)
def test_what_is_unusual_but_valid_is_accepted(client, label):
    client.send(VALID[label])
    assert_alive(client)
    assert client.ends.get(3) is None and client.heads.get(3, {}).get(":status") in (None, "200", "400", "426")
