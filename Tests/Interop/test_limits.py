"""Resources that a peer can make wsx use are bounded, in both roles: inflated messages, fragments, pings, lengths, and
connections."""

import contextlib
import os
import random
import select
import socket
import time
import zlib

import pytest

import wire
from either_role import ROLES, PeerOf, agreement
from processes import Listener, memory_limit, peak_resident_bytes, resident_bytes, wait_until
from sanitizer import SANITIZER
from wire import BINARY, CONTINUATION, PING, RSV1, TEXT

MEBIBYTE = 1 << 20
# Memory beyond the message itself that a run may need while a message at the limit arrives.
MARGIN_BYTES = 32 * MEBIBYTE
DEFAULT_LIMIT_BYTES = {"connect": 64 * MEBIBYTE, "listen": 16 * MEBIBYTE}

each_role = pytest.mark.parametrize("role", ROLES)


def bomb(mebibytes):
    """Returns a compressed message of this many MiB of zeros. It is less than a thousandth of that size."""
    stream = zlib.compressobj(9, zlib.DEFLATED, -15)
    first, second = (stream.compress(bytes(MEBIBYTE)) + stream.flush(zlib.Z_SYNC_FLUSH) for _ in range(2))
    return first + second * (mebibytes - 1) + b"\x00"


BOMB = bomb(1024)


def pieces(data, size):
    return [data[offset : offset + size] for offset in range(0, len(data), size)]


def in_fragments(peer, payloads):
    """Returns the frames of a compressed message in fragments. The last one does not end the message."""
    for number, payload in enumerate(payloads):
        if number == 0:
            yield peer.frame(TEXT, payload, reserved=RSV1, is_final=False)
        else:
            yield peer.frame(CONTINUATION, payload, is_final=False)


def send_until_closed(peer, chunks):
    """Sends until wsx answers, and returns its close frame."""
    for chunk in chunks:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            peer.send(chunk)
        if select.select([peer.sock], [], [], 0)[0]:
            break
    return peer.read_until_close()


def assert_survives(peer, baseline_bytes, code):
    """Asserts that a client exits with the right status, or that a server stays alive and returns its memory."""
    option = {1009: "--max-message-size", 1008: "--max-fragments"}.get(code)
    remedy = f"; raise {option} to accept it" if option else ""
    peer.sock.close()
    if peer.role == "connect":
        assert peer.program.wait() == (1 if option else 5)
        assert remedy in peer.program.err
        assert f"closed with {code}" in peer.program.err
    else:
        peer.program.wait_for("Client 1 disconnected: 1006, ")
        peer.program.wait_for(remedy)
        wait_until(lambda: resident_bytes(peer.pid) < baseline_bytes + memory_limit(4 * MEBIBYTE), what="the memory's release")
        assert peer.program.stop() == 0


WAYS = {
    "one frame": lambda peer: [peer.compressed(BINARY, BOMB)],
    "fragments": lambda peer: in_fragments(peer, pieces(BOMB, 500)),
}


@each_role
@pytest.mark.parametrize(
    "way, limit",
    [("one frame", None), ("fragments", None), ("one frame", 3)])
def test_a_message_of_a_mebibyte_that_inflates_to_a_gibibyte_closes_with_1009(role, way, limit):
    assert len(BOMB) < 1.1 * MEBIBYTE
    arguments = ["--max-message-size", f"{limit}M"] if limit else []
    limit_bytes = limit * MEBIBYTE if limit else DEFAULT_LIMIT_BYTES[role]
    if limit_bytes < len(BOMB):
        # In a single frame, the length alone would exceed the limit.
        way = "fragments"
    with PeerOf(role, *arguments) as peer:
        peer.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        before = resident_bytes(peer.pid)
        assert send_until_closed(peer, WAYS[way](peer)).close_code == 1009
        grown = peak_resident_bytes(peer.pid) - before
        assert grown < memory_limit(limit_bytes + MARGIN_BYTES), f"{grown >> 20} MiB"
        assert_survives(peer, before, 1009)


@each_role
def test_consecutive_compressed_messages_at_the_limit_are_accepted(role):
    limit, count = 20, 5
    data = bomb(limit)
    with PeerOf(role, "--max-message-size", f"{limit}M", "--output", "raw") as peer:
        before = resident_bytes(peer.pid)
        for _ in range(count):
            peer.send(peer.compressed(BINARY, data))
        peer.send(peer.frame(PING))
        assert peer.read_frame().opcode == wire.PONG
        peer.send(peer.compressed(BINARY, zlib.compress(bytes(limit * MEBIBYTE + 1), 9, -15)))
        assert peer.read_until_close().close_code == 1009
        # One read from the socket can hold three messages. The second waits until standard output has accepted the
        # first.
        grown = peak_resident_bytes(peer.pid) - before
        assert grown < memory_limit(3 * limit * MEBIBYTE + MARGIN_BYTES), f"{grown >> 20} MiB"
        peer.sock.close()
        wait_until(lambda: len(peer.program.out) == count * limit * MEBIBYTE, what="all of the output")


@each_role
def test_a_message_of_empty_blocks_ends_with_1009(role):
    # Blocks with fixed codes.
    payload = b"\x02\x08\x20\x80\x00" * 13_000
    assert zlib.decompressobj(-15).decompress(payload) == b""
    with PeerOf(role, "--max-message-size", "1M") as peer:
        # Fill the window first, so there is more to lose.
        peer.send(peer.compressed(BINARY, wire.Deflater()(random.Random(1).randbytes(1 << 15))))
        before = resident_bytes(peer.pid)
        sent = 0

        def fragments():
            nonlocal sent
            for fragment in in_fragments(peer, [payload] * 1000):
                yield fragment
                sent += 1

        assert send_until_closed(peer, fragments()).close_code == 1009
        assert sent < 200
        assert peak_resident_bytes(peer.pid) - before < memory_limit(8 * MEBIBYTE)
        assert_survives(peer, before, 1009)


@each_role
@pytest.mark.parametrize(
    "reserved, first, payload",
    [(0, b"x", b"x"), (RSV1, b"\x62", b"\x60")],
    ids=["one byte", "compressed, one byte"])
def test_ten_million_continuation_frames_end_at_the_limit_with_1008(role, reserved, first, payload):
    with PeerOf(role) as peer:
        before = resident_bytes(peer.pid)
        batch = peer.frame(CONTINUATION, payload, is_final=False) * 100_000
        peer.send(peer.frame(BINARY, first, reserved=reserved, is_final=False))
        assert send_until_closed(peer, [batch] * 100).close_code == 1008
        grown = peak_resident_bytes(peer.pid) - before
        assert grown < memory_limit(4 * MEBIBYTE), f"{grown >> 10} KiB"
        assert_survives(peer, before, 1008)


def send_a_million_pings(peer):
    """Sends pings in batches of a hundred with the same payload. Returns the payload of the last batch."""
    for start in range(0, 1_000_000, 100):
        peer.send(peer.frame(PING, b"%125d" % start) * 100)
    return b"%125d" % start


@each_role
def test_a_million_pings_from_a_peer_that_does_not_read_use_bounded_memory(role):
    with PeerOf(role, "--output", "text", receive_buffer=4096) as peer:
        before = resident_bytes(peer.pid)
        latest = send_a_million_pings(peer)
        grown = peak_resident_bytes(peer.pid) - before
        assert grown < memory_limit(4 * MEBIBYTE), f"{grown >> 10} KiB"
        # Once the peer reads, it finds an answer to its latest ping.
        count = 0
        while (pong := peer.read_frame()).payload != latest:
            count += 1
        assert pong.opcode == wire.PONG
        assert count < 100_000
        peer.send(peer.close())
        assert peer.read_until_close().close_code == 1000


@each_role
def test_events_of_a_million_pings_wait_for_their_reader(role):
    with PeerOf(role, receive_buffer=4096) as peer:
        before = resident_bytes(peer.pid)
        send_a_million_pings(peer)
        grown = peak_resident_bytes(peer.pid) - before
        assert grown < memory_limit(8 * MEBIBYTE), f"{grown >> 10} KiB"


@each_role
@pytest.mark.parametrize("length, code", [((1 << 63) - 1, 1009), (1 << 63, 1002)])
def test_an_excessive_length_is_rejected_at_once(role, length, code):
    with PeerOf(role) as peer:
        before = resident_bytes(peer.pid)
        header = peer.frame(BINARY, reserved=RSV1, claimed_length=length)
        # An invalid length is rejected before the masking key arrives. A length over the limit is rejected with the
        # whole header.
        if code == 1002:
            header = header[:10]
        peer.send(header)
        # The payload is never sent, so an end that waited for it would not answer.
        assert peer.read_until_close().close_code == code
        assert peak_resident_bytes(peer.pid) - before < memory_limit(4 * MEBIBYTE)
        assert_survives(peer, before, code)


def test_inflated_echoes_to_a_client_that_does_not_read_use_bounded_memory():
    # Repetitions at a distance of 300 bytes compress well on the way in. The window of 256 bytes on the way out misses
    # them.
    chance = random.Random(1)
    message = chance.randbytes(300) * (8 * MEBIBYTE // 300)
    compressed = wire.Deflater(level=9)(message)
    assert len(compressed) < len(message) / 100
    with PeerOf("listen", "--echo", extensions=agreement("listen", own_bits=8), receive_buffer=4096) as peer:
        before = resident_bytes(peer.pid)
        peer.sock.settimeout(1)
        frames = peer.compressed(BINARY, compressed)
        with pytest.raises(TimeoutError):
            for _ in range(1000):
                peer.send(frames)
        grown = peak_resident_bytes(peer.pid) - before
        assert grown < memory_limit(80 * MEBIBYTE), f"{grown >> 20} MiB"


def test_messages_of_many_clients_that_wait_for_standard_output_use_bounded_memory():
    mebibytes, client_count = 8, 20
    data = bomb(mebibytes)
    reading, writing = os.pipe()
    with Listener("--output", "raw", stdout=writing) as server, contextlib.ExitStack() as stack:
        os.close(writing)
        streams = []
        for _ in range(client_count):
            stream = wire.Stream(stack.enter_context(socket.create_connection(("127.0.0.1", server.port))))
            stream.send(wire.upgrade_request(server.port, "/", b"Sec-WebSocket-Extensions: permessage-deflate"))
            assert b"permessage-deflate" in stream.read_head()
            streams.append(stream)
        before = resident_bytes(server.pid)
        for stream in streams:
            stream.send(wire.frame(BINARY, data, reserved=RSV1, is_masked=True))
        # By now, all messages have been received or wait undecoded.
        time.sleep(1)
        left = client_count * mebibytes * MEBIBYTE
        while left > 0:
            left -= len(os.read(reading, MEBIBYTE))
        grown = peak_resident_bytes(server.pid) - before
        assert grown < memory_limit(4 * mebibytes * MEBIBYTE), f"{grown >> 20} MiB"
    os.close(reading)


class Crowd:
    """Many clients of one echo server, all with compression or all without."""

    def __init__(self, count, is_compressed):
        self.server = Listener("--echo")
        fields = [b"Sec-WebSocket-Extensions: permessage-deflate"] if is_compressed else []
        self.streams = []
        for _ in range(count):
            stream = wire.Stream(socket.create_connection(("127.0.0.1", self.server.port), timeout=60))
            stream.send(wire.upgrade_request(self.server.port, "/", *fields))
            self.streams.append(stream)
        for stream in self.streams:
            assert stream.read_head().startswith(b"HTTP/1.1 101 ")
        self.codecs = [(wire.Deflater(9), wire.Inflater()) if is_compressed else None for _ in self.streams]

    def __enter__(self):
        return self

    def __exit__(self, *arguments):
        for stream in self.streams:
            stream.sock.close()
        self.server.__exit__(*arguments)

    @property
    def resident_bytes(self):
        return resident_bytes(self.server.pid)

    def exchange(self, number):
        """Each client sends a message of 100 to 200 bytes and receives the echo."""
        messages = []
        for index, (stream, codec) in enumerate(zip(self.streams, self.codecs)):
            message = b'{"client": %d, "number": %d, ' % (index, number) + b'"values": [17, 18, 19, 20, 21]' * 4 + b"}"
            messages.append(message)
            if codec:
                stream.send(wire.frame(TEXT, codec[0](message), reserved=RSV1, is_masked=True))
            else:
                stream.send(wire.frame(TEXT, message, is_masked=True))
        for stream, codec, message in zip(self.streams, self.codecs, messages):
            echoed = stream.read_message(codec and codec[1])
            assert (echoed.payload, echoed.is_compressed) == (message, codec is not None)


@pytest.mark.skipif(SANITIZER != "", reason="a sanitizer changes the memory per connection")
def test_an_idle_connection_after_compressed_messages_uses_little_more_memory_than_a_plain_one():
    count = 1000
    with Crowd(count, is_compressed=True) as compressed, Crowd(count, is_compressed=False) as plain:

        def difference():
            return (compressed.resident_bytes - plain.resident_bytes) / count

        # Connections allocate compression state, at least 40 KiB, with their first message. The resident memory of two
        # equal servers differs by up to 1.5 KiB for each connection.
        assert difference() < 8192
        # There are far more connections than streams, so streams change owners all the time.
        for crowd in (compressed, plain):
            for number in range(4):
                crowd.exchange(number)
        # 64 streams of up to 270 KiB and 256 of up to 40 KiB.
        assert compressed.resident_bytes - plain.resident_bytes < 32 * MEBIBYTE
        wait_until(lambda: difference() < 8192, what="the release of the streams")
        # All connections continue with their windows intact.
        compressed.exchange(4)
