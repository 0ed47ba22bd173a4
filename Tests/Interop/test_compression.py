"""permessage-deflate (RFC 7692) byte for byte, in both roles, against Python's zlib.

The unit tests (CompressedMessageTests, MessageInflaterTests, MessageDeflaterTests) have all combinations of window sizes,
invalid data, and misplaced bits. These tests have a few of each.
"""

import random

import pytest

import wire
from either_role import ROLES, PeerOf, agreement
from wire import BINARY, CONTINUATION, PING, PONG, TEXT, Deflater, Inflater

pytestmark = pytest.mark.parametrize("role", ROLES)

HELLO = bytes.fromhex("f248cdc9c90700")
CHANCE = random.Random(7692)


@pytest.fixture(autouse=True)
def the_same_chance():
    """Each test has the same messages, whatever ran before it."""
    CHANCE.seed(7692)


def noise(byte_count):
    """Returns incompressible bytes without a NUL."""
    return CHANCE.randbytes(byte_count).replace(b"\0", b"\1")


def prose(byte_count):
    """Returns text with repetitions at all distances."""
    words = [noise(CHANCE.randrange(1, 12)).hex().encode() for _ in range(200)]
    # Words have at least two digits.
    return b" ".join(CHANCE.choices(words, k=byte_count // 3 + 1))[:byte_count]


# Receiving


def outcome(peer, data):
    """Sends `data` and a close frame. Returns the messages wsx receives and the code it closes with."""
    peer.send(data + peer.close())
    code = peer.read_until_close().close_code
    return peer.received(), code


@pytest.mark.parametrize("bits, is_alone", [(9, True), (15, False)])
def test_messages_of_all_kinds_arrive_with_every_negotiated_window(role, bits, is_alone):
    deflaters = [Deflater(bits, is_alone, level) for level in ([6] if not is_alone else [0, 1, 6, 9])]
    repeated = prose(3000)
    messages = [
        b"", b"x", repeated, noise(100), repeated, noise(70_000), b"a" * 300_000, prose(40_000), repeated, b"",
        *[prose(CHANCE.randrange(300)) for _ in range(20)]]
    with PeerOf(role, extensions=agreement(role, peer_bits=bits, peer_is_alone=is_alone)) as peer:
        data = b""
        for number, message in enumerate(messages):
            compressed = deflaters[number % len(deflaters)](message)
            # Each message is sent compressed, compressed in fragments with a ping in between, and uncompressed.
            data += peer.compressed(BINARY, compressed)
            again = deflaters[number % len(deflaters)](message)
            cuts = sorted(CHANCE.choices(range(len(again) + 1), k=3))
            data += peer.compressed(BINARY, again[: cuts[0]], is_final=False)
            for start, end in zip(cuts, cuts[1:]):
                data += peer.frame(PING, b"between") + peer.frame(CONTINUATION, again[start:end], is_final=False)
            data += peer.frame(PONG) + peer.frame(CONTINUATION, again[cuts[-1] :])
            data += peer.frame(BINARY, message)
        expected = [(BINARY, message) for message in messages for _ in range(3)]
        received, code = outcome(peer, data)
        assert (received == expected, code) == (True, 1000)


@pytest.mark.parametrize("data", [b"", noise(200), HELLO[:3], HELLO + b"Hello"], ids=lambda data: str(len(data)))
def test_invalid_deflate_data_closes_with_1007(role, data):
    with PeerOf(role) as peer:
        assert outcome(peer, peer.compressed(TEXT, data)) == ([], 1007)


# Sending


def send_and_read(peer, messages, inflate):
    """Makes wsx send messages, and reads them."""
    peer.program.send(b"".join(message + b"\0" for message in messages))
    return [peer.read_message(inflate) for _ in messages]


def test_compressed_messages_are_sent_in_fragments(role):
    messages = ["zwölf 水 🎈 ".encode() * 40, prose(20_000), b"a" * 100_000, b"as it is"]
    with PeerOf(role, "--fragment-size", "7") as peer:
        read = send_and_read(peer, messages, Inflater())
        assert [message.payload for message in read] == messages
        for message in read:
            assert message.is_compressed == (message.payload != b"as it is")
            assert all(length == 7 for length in message.frame_lengths[:-1])
            assert 0 < message.frame_lengths[-1] <= 7


def test_disabled_compression_is_neither_offered_nor_accepted(role):
    with PeerOf(role, "--compress=off", extensions="permessage-deflate" if role == "listen" else None) as peer:
        assert peer.extensions is None
        (read,) = send_and_read(peer, [b"a" * 1000], None)
        assert (read.payload, read.frame_lengths) == (b"a" * 1000, [1000])


@pytest.mark.parametrize("arguments", [[], ["--compress=off"]], ids=["compressed", "as it is"])
def test_verbose_output_compares_wire_bytes_with_message_bytes(role, arguments):
    extensions = "permessage-deflate"
    if role == "connect" and arguments:
        extensions = None
    # With --linger, the client sends no ping.
    options = ["-v", "--linger", "1s"] if role == "connect" else ["-v"]
    message = b"hello " * 500
    with PeerOf(role, *options, *arguments, extensions=extensions) as peer:
        (read,) = send_and_read(peer, [message], Inflater())
        wire_bytes_sent = len(wire.frame(TEXT, b"x" * sum(read.frame_lengths), is_masked=role == "connect"))
        data = peer.compressed(TEXT, Deflater()(message)) if not arguments else peer.frame(TEXT, message)
        assert outcome(peer, data + peer.frame(TEXT, b"short")) == ([(TEXT, message), (TEXT, b"short")], 1000)
        match = peer.program.wait_for(r": 1 sent, 2 received; (.*) out \((.*) on the wire\), (.*) in \((.*) on the wire\)")
        # Wire bytes include close frames.
        wire_bytes_sent += len(wire.close(1000, is_masked=role == "connect"))
        wire_bytes_received = len(data + peer.frame(TEXT, b"short") + peer.close())
        assert [value.decode() for value in match.groups()] == [
            "3000 B", f"{wire_bytes_sent} B", "3005 B", f"{wire_bytes_received} B"]
        assert bool(arguments) == (wire_bytes_sent > 3000)
