"""`connect --http2` with servers that send malformed frames and responses: each ends the run with one line and status 5.

test_http2_connect.py has servers that only refuse or fail.
"""

import pytest

import http2
import wire
from http2 import END_HEADERS, END_STREAM, HEADERS, PING, PUSH_PROMISE, Server, frame
from http2_frames import (
    CONNECTION_ERRORS, FLOW_CONTROL_ERROR, LARGEST_WINDOW, PROTOCOL_ERROR, connection_errors)
from processes import assert_fails, wsx
from scripted_server import ScriptedServer

STATUS = (b":status", b"200")
OK = http2.headers(STATUS)


def outcome(sent, *words):
    """Answers a request with frames, and returns the codes of the client's reset and of its GOAWAY, or None.

    Asserts that the client ends with one line.
    """
    def script(peer):
        server = Server(peer)
        server.wait_for(HEADERS)
        server.send(sent)
        return server.finish_with_reset()

    with ScriptedServer(script) as server:
        assert_fails(wsx("connect", "--http2", "--quiet", "--no-stdin", server.url), 5, *words)
    return server.results[0]


@pytest.mark.parametrize("label", CONNECTION_ERRORS)
def test_a_malformed_frame_ends_the_connection(label):
    # Fields of trailers.
    sent, code = connection_errors(1, http2.header_block((b"x", b"y")))[label]
    assert outcome(OK + sent, "the peer violated the HTTP/2 protocol")[1] == code


def test_the_first_frame_is_settings():
    # §3.4.
    def script(peer):
        peer.read_exactly(len(http2.PREFACE))
        peer.send(frame(PING, bytes(8)))
        server = Server.__new__(Server)
        server.peer = peer
        server.payload = bytearray()
        return server.finish()

    with ScriptedServer(script) as server:
        assert_fails(wsx("connect", "--http2", "--quiet", server.url), 5, "the peer violated the HTTP/2 protocol")
    assert server.results == [PROTOCOL_ERROR]


# Responses, with the words that the error contains. nghttp2 finds most mistakes; these are one of each kind.
RESPONSES = {
    # §8.2: names and values.
    "upper case in a name": ([STATUS, (b"Upper", b"")], "header field"),
    "escape in a name": ([STATUS, (b"a\x1b[0m", b"")], "header field"),
    "line end in a value": ([STATUS, (b"x", b"a\r\nc: b")], 'the header field "x" is malformed'),
    "space before a value": ([STATUS, (b"x", b" a")], 'the header field "x" is malformed'),
    # §8.3.2: pseudo-fields.
    "no status": ([(b"x", b"y")], ""),
    "second status": ([STATUS, STATUS], ""),
    "status 101": ([(b":status", b"101")], ""),
    # §8.1.1.
    "lengths that differ": ([(b":status", b"403"), (b"content-length", b"1"), (b"content-length", b"2")], ""),
}


@pytest.mark.parametrize("label", RESPONSES)
def test_a_malformed_response_resets_the_stream(label):
    fields, words = RESPONSES[label]
    reset, goaway = outcome(http2.headers(*fields), "the peer violated the HTTP/2 protocol", words)
    assert (reset, goaway) == (PROTOCOL_ERROR, 0)


# What a server may not send on the stream of a WebSocket, or before it is open.
SEQUENCES = {
    "data before the response": http2.data(b"early"),
    "second response": OK + OK,
    "trailers with a pseudo-field": OK + http2.headers(STATUS, flags=END_HEADERS | END_STREAM),
}


@pytest.mark.parametrize("label", SEQUENCES)
def test_a_malformed_message_resets_the_stream(label):
    assert PROTOCOL_ERROR in outcome(SEQUENCES[label], "the peer violated the HTTP/2 protocol")


@pytest.mark.parametrize("body, flags", [(b"long", 0), (b"short", END_STREAM)], ids=["longer", "shorter"])
def test_a_refusal_with_another_length_is_shown(body, flags):
    # §8.1.1.
    def script(peer):
        server = Server(peer)
        server.wait_for(HEADERS)
        length = b"3" if body == b"long" else b"9"
        server.send(http2.headers((b":status", b"403"), (b"content-length", length)), http2.data(body, flags=flags))
        return server.finish_with_reset()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--http2", "--quiet", server.url)
        assert result.status == 4 and "403" in result.error_lines[0], result


@pytest.mark.parametrize("sent", [
    frame(PUSH_PROMISE, b"\0\0\0\2" + http2.header_block(*http2.GET), END_HEADERS, 1),
    http2.settings((http2.ENABLE_PUSH, 1)), http2.headers(STATUS, stream=3), http2.headers(STATUS, stream=2),
], ids=["promise", "setting", "response without a request", "pushed response"])
def test_a_server_pushes_nothing(sent):
    # §6.5.2, §8.4.
    assert outcome(OK + sent, "the peer violated the HTTP/2 protocol")[1] == PROTOCOL_ERROR


@pytest.mark.parametrize("sent", [
    http2.window_update(LARGEST_WINDOW, 1),
    http2.window_update(LARGEST_WINDOW - 70_000, 1) + http2.settings((http2.INITIAL_WINDOW_SIZE, 2**30)),
], ids=["update", "setting"])
def test_an_overflow_of_the_window_of_a_stream_resets_it(sent):
    # §6.9.1; nghttp2 also treats a setting in this way, and not as §6.9.2 requires.
    assert FLOW_CONTROL_ERROR in outcome(OK + sent, "the peer violated the HTTP/2 protocol")


def test_extended_connect_is_not_withdrawn():
    # RFC 8441 §3.
    sent = http2.settings((http2.ENABLE_CONNECT_PROTOCOL, 0))
    assert outcome(OK + sent, "the peer violated the HTTP/2 protocol")[1] == PROTOCOL_ERROR


@pytest.mark.parametrize("sent", [
    http2.data(wire.text("late")), http2.headers((b"x", b""), flags=END_HEADERS | END_STREAM), http2.headers(STATUS),
], ids=["data", "trailers", "response"])
def test_a_stream_that_ended_receives_nothing_more(sent):
    # §5.1: half-closed (remote). The end comes first.
    def script(peer):
        server = Server(peer)
        server.wait_for(HEADERS)
        server.send(OK, http2.data(wire.text("last"), flags=END_STREAM), sent)
        return server.finish()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--http2", "--quiet", "--no-stdin", server.url)
        assert_fails(result, 1, "the connection was lost")
        assert result.out == b"last\n"
