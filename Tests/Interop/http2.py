"""HTTP/2 frames as bytes, and a scripted HTTP/2 peer, implemented independently of wsx (RFC 9113, RFC 7541, RFC 8441)."""

import struct

import wire

DATA, HEADERS, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 5, 6, 7, 8, 9
END_STREAM, ACK, END_HEADERS = 1, 1, 4
HEADER_TABLE_SIZE, INITIAL_WINDOW_SIZE, ENABLE_CONNECT_PROTOCOL = 1, 4, 8
REFUSED_STREAM, CANCEL, ENHANCE_YOUR_CALM = 7, 8, 11
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
        code = None
        while (received := self.read()) is not None:
            if received[0] == GOAWAY:
                code = int.from_bytes(received[3][4:8], "big")
        return code
