"""Malformed HTTP/2 frames, which end a connection in either direction, with the codes that RFC 9113 requires."""

import struct

import http2
from http2 import (
    ACK, CANCEL, CONTINUATION, DATA, ENABLE_CONNECT_PROTOCOL, ENABLE_PUSH, END_HEADERS, GOAWAY, HEADERS,
    INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE, PADDED, PING, PRIORITY, PRIORITY_FIELDS, PUSH_PROMISE, RST_STREAM, SETTINGS,
    WINDOW_UPDATE, frame)

PROTOCOL_ERROR, FLOW_CONTROL_ERROR, STREAM_CLOSED, FRAME_SIZE_ERROR, COMPRESSION_ERROR = 1, 3, 5, 6, 9
UNKNOWN = 0xFA
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
    # A literal field with the name `x`.
    name = b"\x00\x01x"
    return {
        # §6: frames that belong to the connection, or to a stream.
        **{f"{label} on the connection": (frame(kind, payload, END_HEADERS * (kind in (HEADERS, CONTINUATION))),
                                          PROTOCOL_ERROR)
           for label, kind, payload in (
               ("data", DATA, b"x"), ("headers", HEADERS, field), ("priority", PRIORITY, bytes(5)),
               ("reset", RST_STREAM, bytes(4)), ("push", PUSH_PROMISE, bytes(4) + field),
               ("continuation", CONTINUATION, field))},
        **{f"{label} on a stream": (frame(kind, payload, flags, 1), PROTOCOL_ERROR)
           for label, kind, payload, flags in (
               ("settings", SETTINGS, b"", 0), ("acknowledgement of settings", SETTINGS, b"", ACK),
               ("ping", PING, bytes(8), 0), ("goaway", GOAWAY, bytes(8), 0))},
        # §4.2: sizes.
        **{f"{label} of {size} bytes": (frame(kind, bytes(size), 0, target), FRAME_SIZE_ERROR)
           for label, kind, target, sizes in (
               ("settings", SETTINGS, 0, (1, 5, 7)), ("ping", PING, 0, (0, 7, 9)), ("goaway", GOAWAY, 0, (0, 7)),
               ("reset", RST_STREAM, 1, (0, 3, 5)), ("window update", WINDOW_UPDATE, 0, (0, 3, 5)),
               ("window update of a stream", WINDOW_UPDATE, 1, (3, 5)), ("priority", PRIORITY, 1, (4, 6)))
           for size in sizes},
        "acknowledgement with settings": (frame(SETTINGS, bytes(6), ACK), FRAME_SIZE_ERROR),
        # nghttp2 has another code than FRAME_SIZE_ERROR.
        "padded data without a length": (frame(DATA, b"", PADDED, 1), PROTOCOL_ERROR),
        "padded headers without a length": (frame(HEADERS, b"", PADDED | END_HEADERS, stream), PROTOCOL_ERROR),
        "headers with a part of a priority": (
            frame(HEADERS, bytes(4), PRIORITY_FIELDS | END_HEADERS, stream), FRAME_SIZE_ERROR),
        **{f"{label} beyond the largest size": (beginning(kind, size, target), FRAME_SIZE_ERROR)
           for label, kind, size, target in (
               ("data", DATA, 16_385, 1), ("headers", HEADERS, 16_385, stream), ("settings", SETTINGS, 16_386, 0),
               ("ping", PING, 16_385, 0), ("unknown frame", UNKNOWN, 16_385, 0), ("data of 16 MiB", DATA, 2**24 - 1, 1))},
        "continuation beyond the largest size": (
            unfinished + beginning(CONTINUATION, 16_385, stream), FRAME_SIZE_ERROR),
        # §6.1, §6.2: padding.
        "padding as long as the data": (frame(DATA, b"\x03xx", PADDED, 1), PROTOCOL_ERROR),
        "padding beyond the data": (frame(DATA, b"\xff", PADDED, 1), PROTOCOL_ERROR),
        "padding beyond the headers": (
            frame(HEADERS, b"\xff" + field, PADDED | END_HEADERS, stream), PROTOCOL_ERROR),
        # §5.1: states.
        "data on an idle stream": (frame(DATA, b"x", 0, 99), PROTOCOL_ERROR),
        "reset of an idle stream": (http2.reset(CANCEL, stream=99), PROTOCOL_ERROR),
        "window update of an idle stream": (http2.window_update(1, stream=99), PROTOCOL_ERROR),
        "data on an even stream": (frame(DATA, b"x", 0, 2), PROTOCOL_ERROR),
        "reset of an even stream": (http2.reset(CANCEL, stream=2), PROTOCOL_ERROR),
        "window update of an even stream": (http2.window_update(1, stream=2), PROTOCOL_ERROR),
        "headers on an even stream": (frame(HEADERS, field, END_HEADERS, 2), PROTOCOL_ERROR),
        "push": (frame(PUSH_PROMISE, struct.pack("!I", 2) + field, END_HEADERS, 1), PROTOCOL_ERROR),
        # §6.10: header blocks.
        "continuation without headers": (frame(CONTINUATION, field, END_HEADERS, 1), PROTOCOL_ERROR),
        "continuation of another stream": (
            unfinished + frame(CONTINUATION, b"", END_HEADERS, stream + 2), PROTOCOL_ERROR),
        **{f"{label} within headers": (unfinished + inner, PROTOCOL_ERROR)
           for label, inner in (
               ("headers", frame(HEADERS, field, END_HEADERS, stream + 2)), ("data", frame(DATA, b"x", 0, 1)),
               ("priority", frame(PRIORITY, bytes(5), 0, 1)), ("reset", http2.reset(CANCEL)),
               ("settings", http2.settings()), ("acknowledgement", frame(SETTINGS, b"", ACK)),
               ("ping", frame(PING, bytes(8))), ("goaway", http2.goaway(0)), ("window update", http2.window_update(1)),
               ("unknown frame", frame(UNKNOWN, b"x")))},
        # §6.5.2, RFC 8441 §3: values of settings.
        "pushes enabled with 2": (http2.settings((ENABLE_PUSH, 2)), PROTOCOL_ERROR),
        "window of 2 GiB": (http2.settings((INITIAL_WINDOW_SIZE, 2**31)), FLOW_CONTROL_ERROR),
        "window of 4 GiB": (http2.settings((INITIAL_WINDOW_SIZE, 2**32 - 1)), FLOW_CONTROL_ERROR),
        "largest frame of 1 byte": (http2.settings((MAX_FRAME_SIZE, 1)), PROTOCOL_ERROR),
        "largest frame of 16,383 bytes": (http2.settings((MAX_FRAME_SIZE, 16_383)), PROTOCOL_ERROR),
        "largest frame of 16 MiB": (http2.settings((MAX_FRAME_SIZE, 2**24)), PROTOCOL_ERROR),
        "extended connect of 2": (http2.settings((ENABLE_CONNECT_PROTOCOL, 2)), PROTOCOL_ERROR),
        # §6.9: windows.
        "window update of nothing": (http2.window_update(0), PROTOCOL_ERROR),
        "window of the connection beyond 2 GiB": (http2.window_update(LARGEST_WINDOW) * 2, FLOW_CONTROL_ERROR),
        # RFC 7541 §5, §6: header blocks that cannot be decoded.
        "index of 0": (block(b"\x80"), COMPRESSION_ERROR),
        "index beyond the tables": (block(b"\xff\xff\xff\xff\x0f"), COMPRESSION_ERROR),
        "index in an empty table": (block(b"\xbe"), COMPRESSION_ERROR),
        "index of an evicted entry": (block(b"\x40\x01x\x01y\x20\xbe"), COMPRESSION_ERROR),
        "name beyond the tables": (block(b"\x0f\x7f\x01y"), COMPRESSION_ERROR),
        "integer without an end": (block(b"\xff" + b"\x80" * 20), COMPRESSION_ERROR),
        "truncated integer": (block(b"\xff\x80"), COMPRESSION_ERROR),
        "truncated name": (block(b"\x00\x7f"), COMPRESSION_ERROR),
        "truncated value": (block(name + b"\x05ab"), COMPRESSION_ERROR),
        "field without a value": (block(name), COMPRESSION_ERROR),
        "Huffman code of the end": (block(name + b"\x84\xff\xff\xff\xff"), COMPRESSION_ERROR),
        "Huffman padding of 8 bits": (block(name + b"\x82\x1f\xff"), COMPRESSION_ERROR),
        "Huffman padding of zeros": (block(name + b"\x81\x18"), COMPRESSION_ERROR),
        "table size beyond the setting": (block(b"\x3f\xe2\xff\x3f" + field), COMPRESSION_ERROR),
        "table size after a field": (block(field + b"\x20"), COMPRESSION_ERROR),
        "truncated table size": (block(b"\x3f"), COMPRESSION_ERROR),
    }


# The labels, which do not depend on the arguments.
CONNECTION_ERRORS = list(connection_errors(1, b""))
