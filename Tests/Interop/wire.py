"""Frames, compression, and opening handshakes as bytes, implemented independently of wsx (RFC 6455, RFC 7692)."""

import base64
import contextlib
import hashlib
import random
import socket
import struct
import zlib
from dataclasses import dataclass

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
RSV1, RSV2, RSV3 = 4, 2, 1
EXTENSIONS = b"Sec-WebSocket-Extensions"
KEY_SUFFIX = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


@dataclass
class Frame:
    """A received frame."""

    opcode: int
    payload: bytes
    is_final: bool
    reserved: int
    is_masked: bool

    @property
    def close_code(self):
        """The code of a close frame, or None if it has no code."""
        return struct.unpack("!H", self.payload[:2])[0] if len(self.payload) >= 2 else None


def frame(opcode, payload=b"", *, is_final=True, reserved=0, is_masked=False, claimed_length=None):
    """Returns the bytes of a frame. `claimed_length` replaces the real payload length by a false 64-bit one."""
    first = (0x80 if is_final else 0) | reserved << 4 | opcode
    mask_bit = 0x80 if is_masked else 0
    length = len(payload)
    if claimed_length is not None:
        head = struct.pack("!BBQ", first, mask_bit | 127, claimed_length)
    elif length < 126:
        head = struct.pack("!BB", first, mask_bit | length)
    elif length < 1 << 16:
        head = struct.pack("!BBH", first, mask_bit | 126, length)
    else:
        head = struct.pack("!BBQ", first, mask_bit | 127, length)
    if not is_masked:
        return head + payload
    key = random.randbytes(4)
    return head + key + masked(payload, key)


def text(message, **options):
    """Returns the bytes of a text message."""
    return frame(TEXT, message.encode() if isinstance(message, str) else message, **options)


def close(code=None, reason=b"", **options):
    """Returns the bytes of a close frame."""
    return frame(CLOSE, b"" if code is None else struct.pack("!H", code) + reason, **options)


def masked(payload, key):
    """Masks or unmasks a payload with a key of four bytes."""
    pattern = (key * (len(payload) // 4 + 1))[: len(payload)]
    number = int.from_bytes(payload, "little") ^ int.from_bytes(pattern, "little")
    return number.to_bytes(len(payload), "little")


def accept_value(key):
    """Returns the Sec-WebSocket-Accept for a Sec-WebSocket-Key."""
    return base64.b64encode(hashlib.sha1(key + KEY_SUFFIX).digest())


def upgrade_response(request, *fields, accept=None):
    """Returns a server's response that accepts a request."""
    lines = [
        b"HTTP/1.1 101 Switching Protocols",
        b"Upgrade: websocket",
        b"Connection: Upgrade",
        b"Sec-WebSocket-Accept: " + (accept or accept_value(field(request, b"Sec-WebSocket-Key"))),
        *fields,
    ]
    return b"\r\n".join(lines) + b"\r\n\r\n"


def upgrade_request(port, path="/", *fields):
    """Returns a client's upgrade request."""
    lines = [
        f"GET {path} HTTP/1.1".encode(),
        f"Host: 127.0.0.1:{port}".encode(),
        b"Upgrade: websocket",
        b"Connection: Upgrade",
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        b"Sec-WebSocket-Version: 13",
        *fields,
    ]
    return b"\r\n".join(lines) + b"\r\n\r\n"


def field(head, name):
    """Returns the value of a header field, or None if the field is missing."""
    for line in head.split(b"\r\n")[1:]:
        key, _, value = line.partition(b":")
        if key.lower() == name.lower():
            return value.strip()
    return None


# The end of every compressed message, which is not transmitted (RFC 7692 §7.2.1).
FLUSH_MARKER = b"\x00\x00\xff\xff"


class Deflater:
    """Compresses messages. They may refer to earlier ones unless `is_alone`."""

    def __init__(self, bits=15, is_alone=False, level=6):
        self.is_alone = is_alone
        self._new = lambda: zlib.compressobj(level, zlib.DEFLATED, -bits)
        self._stream = self._new()

    def __call__(self, message):
        if self.is_alone:
            self._stream = self._new()
        data = self._stream.compress(message) + self._stream.flush(zlib.Z_SYNC_FLUSH)
        assert data.endswith(FLUSH_MARKER)
        return data[:-4]


class Inflater:
    """Decompresses messages. They may refer to earlier ones unless `is_alone`.

    zlib accepts references beyond the window if the data is still in its output. `is_strict` decompresses one byte at a
    time, so zlib rejects all references beyond the window.
    """

    def __init__(self, bits=15, is_alone=False, is_strict=False):
        self.is_alone = is_alone
        self.is_strict = is_strict
        self._new = lambda: zlib.decompressobj(-bits)
        self._stream = self._new()

    def __call__(self, data):
        if self.is_alone:
            self._stream = self._new()
        data += FLUSH_MARKER
        if not self.is_strict:
            return self._stream.decompress(data)
        message = bytearray()
        while piece := self._stream.decompress(data, 1):
            message += piece
            data = self._stream.unconsumed_tail
        return bytes(message)


@dataclass
class Message:
    """A received message, with its frame lengths and whether it was compressed."""

    opcode: int
    payload: bytes
    is_compressed: bool
    frame_lengths: list


class Stream:
    """A socket that is read in heads and frames."""

    def __init__(self, sock):
        self.sock = sock
        self.buffer = bytearray()

    def send(self, data):
        self.sock.sendall(data)

    def read_head(self):
        """Returns everything up to and including the empty line, or less at the end of the stream."""
        while b"\r\n\r\n" not in self.buffer:
            if not self._fill():
                break
        end = self.buffer.find(b"\r\n\r\n")
        return self._take(len(self.buffer) if end < 0 else end + 4)

    def read_frame(self):
        """Returns the next frame, or None at the end of the stream."""
        header = self.read_exactly(2)
        if header is None:
            return None
        first, second = header
        length = second & 0x7F
        if length == 126:
            length = struct.unpack("!H", self.read_exactly(2))[0]
        elif length == 127:
            length = struct.unpack("!Q", self.read_exactly(8))[0]
        key = self.read_exactly(4) if second & 0x80 else None
        payload = self.read_exactly(length)
        if payload is None:
            return None
        if key is not None:
            payload = masked(payload, key)
        return Frame(first & 0xF, payload, bool(first & 0x80), first >> 4 & 7, key is not None)

    def read_message(self, inflate=None):
        """Returns the next message, skipping control frames. `inflate` decompresses compressed payloads."""
        frames = []
        while not frames or not frames[-1].is_final:
            received = self.read_frame()
            if received.opcode < CLOSE:
                assert received.reserved in ([0, RSV1] if not frames else [0])
                assert (received.opcode == CONTINUATION) == bool(frames)
                frames.append(received)
        payload = b"".join(frame.payload for frame in frames)
        is_compressed = frames[0].reserved == RSV1
        return Message(
            frames[0].opcode, inflate(payload) if is_compressed else payload, is_compressed,
            [len(frame.payload) for frame in frames])

    def read_until_close(self):
        """Returns the next close frame, skipping all others, or None at the end of the stream."""
        while True:
            received = self.read_frame()
            if received is None or received.opcode == CLOSE:
                return received

    def end_sending(self):
        """Ends our direction of the connection, unless the other end has already closed it."""
        with contextlib.suppress(OSError):
            self.sock.shutdown(socket.SHUT_WR)

    def read_to_end(self):
        """Returns all remaining bytes."""
        while self._fill():
            pass
        return self._take(len(self.buffer))

    def read_exactly(self, count):
        """Returns exactly `count` bytes, or None if the stream ends first."""
        while len(self.buffer) < count:
            if not self._fill():
                return None
        return self._take(count)

    def _take(self, count):
        taken = bytes(self.buffer[:count])
        del self.buffer[:count]
        return taken

    def _fill(self):
        try:
            piece = self.sock.recv(1 << 16)
        except ConnectionResetError:
            return False
        self.buffer += piece
        return bool(piece)
