"""HTTP/2 frames as bytes, and a scripted HTTP/2 peer, implemented independently of wsx (RFC 9113, RFC 7541, RFC 8441)."""

import pathlib
import socket
import struct
import sys

import wire
from processes import PEERS_PYTHON

# Decodes the heads of responses, which may use Huffman codes. Part of Hypercorn.
sys.path += map(str, pathlib.Path(PEERS_PYTHON).parents[1].glob("lib/python*/site-packages"))

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS, PADDED, PRIORITY_FIELDS = 1, 1, 4, 8, 32
HEADER_TABLE_SIZE, ENABLE_PUSH, MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE = range(1, 6)
ENABLE_CONNECT_PROTOCOL = 8
NO_ERROR, INTERNAL_ERROR, REFUSED_STREAM, CANCEL, ENHANCE_YOUR_CALM = 0, 2, 7, 8, 11
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, payload=b"", flags=0, stream=0):
    """Returns the bytes of a frame."""
    return struct.pack("!I", len(payload))[1:] + struct.pack("!BBI", kind, flags, stream) + payload


def settings(*pairs):
    """Returns a SETTINGS frame with pairs of an identifier and a value."""
    return frame(SETTINGS, b"".join(struct.pack("!HI", *pair) for pair in pairs))


def integer(number, bits, first=0):
    """Returns a number with a prefix of `bits` bits (RFC 7541 §5.1)."""
    limit = (1 << bits) - 1
    if number < limit:
        return bytes([first | number])
    number -= limit
    encoded = bytearray([first | limit])
    while number >= 128:
        encoded.append(number % 128 | 128)
        number //= 128
    return bytes(encoded) + bytes([number])


def header_block(*fields):
    """Returns a header block of literal fields without indexing or Huffman coding."""
    return b"".join(
        b"\0" + integer(len(name), 7) + name + integer(len(value), 7) + value for name, value in fields)


def headers(*fields, stream=1, flags=END_HEADERS):
    """Returns a HEADERS frame."""
    return frame(HEADERS, header_block(*fields), flags, stream)


def data(payload, stream=1, flags=0):
    """Returns DATA frames, each with at most 16 KiB."""
    pieces = [payload[start:start + 16384] for start in range(0, len(payload), 16384)] or [b""]
    return b"".join(
        frame(DATA, piece, flags if index == len(pieces) - 1 else 0, stream) for index, piece in enumerate(pieces))


def reset(code, stream=1):
    return frame(RST_STREAM, struct.pack("!I", code), stream=stream)


def goaway(code, debug=b"", last_stream=1):
    return frame(GOAWAY, struct.pack("!II", last_stream, code) + debug)


def window_update(byte_count, stream=0):
    return frame(WINDOW_UPDATE, struct.pack("!I", byte_count), stream=stream)


class Server:
    """The server's end of an HTTP/2 connection of a `scripted_server.Peer`."""

    def __init__(self, peer, *pairs, allows_connect=True):
        self.peer = peer
        assert peer.read_exactly(len(PREFACE)) == PREFACE
        self.send(settings(*([(ENABLE_CONNECT_PROTOCOL, 1)] if allows_connect else []), *pairs))
        # The WebSocket frames of the client.
        self.payload = bytearray()

    def send(self, *frames):
        self.peer.send(b"".join(frames))

    def read(self):
        """Returns the type, flags, stream, and payload of the next frame; None at the end. Acknowledges settings."""
        head = self.peer.read_exactly(9)
        if head is None:
            return None
        kind, flags, stream = struct.unpack("!BBI", head[3:])
        payload = self.peer.read_exactly(int.from_bytes(head[:3], "big"))
        if kind == SETTINGS and not flags & ACK:
            self.send(frame(SETTINGS, flags=ACK))
        return kind, flags, stream, payload

    def wait_for(self, *kinds):
        """Returns the next frame of one of these types, or None at the end. Data is collected in `payload`."""
        while (received := self.read()) is not None:
            if received[0] == DATA:
                self.payload += received[3]
            if received[0] in kinds:
                return received
        return None

    def upgrade(self, *fields):
        """Accepts the first request."""
        self.wait_for(HEADERS)
        self.send(headers((b":status", b"200"), *fields))

    def read_message(self):
        """Returns the payload of the client's next message, which is a short frame."""
        while len(self.payload) < 6 or len(self.payload) < 6 + (self.payload[1] & 0x7F):
            if self.wait_for(DATA) is None:
                return None
        length = self.payload[1] & 0x7F
        message = wire.masked(bytes(self.payload[6:6 + length]), bytes(self.payload[2:6]))
        del self.payload[:6 + length]
        return message

    def finish(self):
        """Reads until the client closes the connection, and returns the code of its GOAWAY, or None."""
        return self.finish_with_reset()[1]

    def finish_with_reset(self):
        """Like finish(), with the code of the client's last RST_STREAM, or None, before that of GOAWAY."""
        codes = {RST_STREAM: None, GOAWAY: None}
        while (received := self.wait_for(*codes)) is not None:
            kind, _, _, payload = received
            codes[kind] = int.from_bytes(payload[4:8] if kind == GOAWAY else payload, "big")
        return tuple(codes.values())


WEBSOCKET = [
    (b":method", b"CONNECT"), (b":protocol", b"websocket"), (b":scheme", b"http"), (b":path", b"/"),
    (b":authority", b"127.0.0.1"), (b"sec-websocket-version", b"13"),
]
GET = [(b":method", b"GET"), (b":scheme", b"http"), (b":path", b"/"), (b":authority", b"127.0.0.1")]


def changed(fields, **changes):
    """Returns the fields with new values, or without those whose value is None. Underscores stand for hyphens, and a
    leading one for a colon."""
    changes = {
        (":" + name[1:] if name.startswith("_") else name).replace("_", "-").encode(): value
        for name, value in changes.items()}
    kept = [(name, changes.pop(name, value)) for name, value in fields]
    return [(name, value) for name, value in kept + list(changes.items()) if value is not None]


class Client:
    """The client's end of an HTTP/2 connection with a listener, which reads and writes exact frames."""

    def __init__(self, listener, *pairs, context=None, starts_with=None):
        from hpack import Decoder
        sock = socket.create_connection(("127.0.0.1", listener.port), timeout=60)
        if context:
            sock = context.wrap_socket(sock, server_hostname="127.0.0.1")
        self.stream = wire.Stream(sock)
        self.decoder = Decoder()
        # By stream: the fields of the response, the data, and whether the stream has ended, with the code of a reset.
        self.heads, self.data, self.ends = {}, {}, {}
        self.settings, self.goaway = {}, None
        self.send(starts_with or PREFACE + settings(*pairs))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stream.sock.close()

    def send(self, *frames):
        self.stream.send(b"".join(frames))

    def request(self, fields, stream=1, flags=END_HEADERS):
        self.send(headers(*fields, stream=stream, flags=flags))

    def read(self):
        """Reads a frame and returns its type, flags, stream, and payload; None at the end. Acknowledges settings."""
        head = self.stream.read_exactly(9)
        if head is None:
            return None
        kind, flags, stream = struct.unpack("!BBI", head[3:])
        payload = self.stream.read_exactly(int.from_bytes(head[:3], "big"))
        if kind == SETTINGS and not flags & ACK:
            self.settings.update(struct.iter_unpack("!HI", payload))
            self.send(frame(SETTINGS, flags=ACK))
        elif kind == HEADERS:
            self.heads[stream] = dict(self.decoder.decode(payload))
        elif kind == DATA:
            self.data.setdefault(stream, wire.Stream(None)).buffer += payload
        elif kind == GOAWAY:
            self.goaway = int.from_bytes(payload[4:8], "big")
        if kind == RST_STREAM:
            self.ends[stream] = int.from_bytes(payload, "big")
        elif kind in (HEADERS, DATA) and flags & END_STREAM:
            self.ends.setdefault(stream, None)
        return kind, flags, stream, payload

    def read_until(self, condition):
        """Reads frames until the condition holds; fails at the end of the connection."""
        while not condition():
            assert self.read() is not None, (self.heads, self.ends, self.goaway)

    def read_to_end(self):
        """Reads until the connection ends, and returns the code of GOAWAY, or None."""
        try:
            while self.read() is not None:
                pass
        except ConnectionError:
            pass
        return self.goaway

    def response(self, stream=1):
        """Returns the status and the fields of a response, which need not be complete."""
        self.read_until(lambda: stream in self.heads or stream in self.ends)
        fields = self.heads.get(stream, {":status": "0"})
        return int(fields[":status"]), fields

    def content(self, stream=1):
        """Returns the data of a response."""
        self.read_until(lambda: stream in self.ends)
        return bytes(self.data[stream].buffer) if stream in self.data else b""

    def open(self, stream=1, **changes):
        """Opens a WebSocket."""
        self.request(changed(WEBSOCKET, **changes), stream)
        status, fields = self.response(stream)
        assert status == 200, fields
        return fields

    def message(self, stream=1):
        """Returns the payload of the next short frame of a WebSocket."""
        def has_frame():
            buffer = self.data[stream].buffer if stream in self.data else b""
            return len(buffer) >= 2 and len(buffer) >= 2 + buffer[1]
        self.read_until(has_frame)
        return self.data[stream].read_frame().payload

    def say(self, text, stream=1, flags=0):
        self.send(data(wire.text(text, is_masked=True), stream, flags))
