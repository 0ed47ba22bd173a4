"""Malformed HTTP/2 frames, which end a connection in either direction, with the codes that RFC 9113 requires."""

import struct

import http2
from http2 import (
    CONTINUATION, DATA, ENABLE_CONNECT_PROTOCOL, ENABLE_PUSH, END_HEADERS, HEADERS, INITIAL_WINDOW_SIZE, PADDED, PING,
    PUSH_PROMISE, RST_STREAM, SETTINGS, frame)

PROTOCOL_ERROR, FLOW_CONTROL_ERROR, STREAM_CLOSED, FRAME_SIZE_ERROR, COMPRESSION_ERROR = 1, 3, 5, 6, 9
LARGEST_WINDOW = 2**31 - 1


def beginning(kind, length, stream=0):
    """Returns the head of a frame whose payload never comes."""
    return struct.pack("!I", length)[1:] + struct.pack("!BBI", kind, 0, stream)


def connection_errors(stream, field):
    """Returns the frames and the code of GOAWAY for each malformed input.

    Stream 1 is open. `stream` is where the peer may begin a header block, and `field` the index of a field that may be
    its first.
    """
    def block(content):
        return frame(HEADERS, content, END_HEADERS, stream)

    unfinished = frame(HEADERS, field, 0, stream)
    return {
        # §6: frames that belong to the connection, or to a stream.
        "data on the connection": (frame(DATA, b"x"), PROTOCOL_ERROR),
        "settings on a stream": (frame(SETTINGS, b"", 0, 1), PROTOCOL_ERROR),
        # §4.2: sizes.
        "settings of 5 bytes": (frame(SETTINGS, bytes(5)), FRAME_SIZE_ERROR),
        "ping of 9 bytes": (frame(PING, bytes(9)), FRAME_SIZE_ERROR),
        "reset of 3 bytes": (frame(RST_STREAM, bytes(3), 0, 1), FRAME_SIZE_ERROR),
        "data beyond the largest size": (beginning(DATA, 16_385, 1), FRAME_SIZE_ERROR),
        "continuation beyond the largest size": (
            unfinished + beginning(CONTINUATION, 16_385, stream), FRAME_SIZE_ERROR),
        # §6.1, §6.2: padding.
        "padding beyond the data": (frame(DATA, b"\xff", PADDED, 1), PROTOCOL_ERROR),
        "padding beyond the headers": (
            frame(HEADERS, b"\xff" + field, PADDED | END_HEADERS, stream), PROTOCOL_ERROR),
        # §5.1: states.
        "data on an idle stream": (frame(DATA, b"x", 0, 99), PROTOCOL_ERROR),
        "headers on an even stream": (frame(HEADERS, field, END_HEADERS, 2), PROTOCOL_ERROR),
        "push": (frame(PUSH_PROMISE, struct.pack("!I", 2) + field, END_HEADERS, 1), PROTOCOL_ERROR),
        # §6.10: header blocks.
        "continuation without headers": (frame(CONTINUATION, field, END_HEADERS, 1), PROTOCOL_ERROR),
        "ping within headers": (unfinished + frame(PING, bytes(8)), PROTOCOL_ERROR),
        # §6.5.2, RFC 8441 §3: values of settings.
        "pushes enabled with 2": (http2.settings((ENABLE_PUSH, 2)), PROTOCOL_ERROR),
        "window of 2 GiB": (http2.settings((INITIAL_WINDOW_SIZE, 2**31)), FLOW_CONTROL_ERROR),
        "extended connect of 2": (http2.settings((ENABLE_CONNECT_PROTOCOL, 2)), PROTOCOL_ERROR),
        # §6.9: windows.
        "window update of nothing": (http2.window_update(0), PROTOCOL_ERROR),
        "window of the connection beyond 2 GiB": (http2.window_update(LARGEST_WINDOW) * 2, FLOW_CONTROL_ERROR),
        # RFC 7541 §5, §6: header blocks that cannot be decoded.
        "index beyond the tables": (block(b"\xff\xff\xff\xff\x0f"), COMPRESSION_ERROR),
        "truncated value": (block(b"\x00\x01x\x05ab"), COMPRESSION_ERROR),
        "table size beyond the setting": (block(b"\x3f\xe2\xff\x3f" + field), COMPRESSION_ERROR),
    }


# The labels, which do not depend on the arguments.
CONNECTION_ERRORS = list(connection_errors(1, b""))
