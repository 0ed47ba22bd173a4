"""permessage-deflate (RFC 7692) byte for byte, in both roles, against Python's zlib.

The unit tests (CompressedMessageTests, MessageInflaterTests, MessageDeflaterTests) have all combinations of window sizes,
invalid data, and misplaced bits. These tests have a few of each.
"""

import random
import socket
import time
import zlib

import pytest

import wire
from either_role import ROLES, PeerOf, agreement
from wire import BINARY, CONTINUATION, PING, PONG, RSV1, RSV2, RSV3, TEXT, Deflater, Inflater

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


EXAMPLES = [
    ("f248cdc9c90700", b"Hello"),
    # §7.2.3.3: a block without compression. §7.2.3.4: a block marked as final. §7.2.3.5: two blocks.
    ("000500faff48656c6c6f00", b"Hello"),
    ("f348cdc9c9070000", b"Hello"),
    ("f2480500 0000ffffcac9c90700", b"Hello"),
    # §7.2.3.6: an empty message.
    ("00", b""),
    ("0200", b""),
    ("000000ffff00", b""),
    # The final zero byte is omitted. Many decompressors do not need it, so many compressors do not send it.
    ("f348cdc9c90700", b"Hello"),
    ("0300", b"")]


def test_the_examples_of_the_rfc_are_decompressed(role):
    frames, messages = b"", []
    with PeerOf(role) as peer:
        for payload, message in EXAMPLES:
            data = bytes.fromhex(payload)
            # In one frame, and in two frames split at every offset.
            frames += peer.compressed(TEXT, data)
            for cut in range(len(data) + 1):
                frames += peer.compressed(TEXT, data[:cut], is_final=False) + peer.frame(CONTINUATION, data[cut:])
            messages += [(TEXT, message)] * (len(data) + 2)
        assert outcome(peer, frames) == (messages, 1000)


def test_a_message_may_refer_to_the_previous_one(role):
    with PeerOf(role) as peer:
        # RFC 7692 §7.2.3.2.
        data = peer.compressed(TEXT, HELLO) + peer.compressed(TEXT, bytes.fromhex("f200110000"))
        assert outcome(peer, data) == ([(TEXT, b"Hello")] * 2, 1000)


def test_a_message_may_refer_to_an_earlier_one_that_ended_with_a_final_block(role):
    with PeerOf(role) as peer:
        data = peer.compressed(TEXT, bytes.fromhex("f348cdc9c9070000")) + peer.frame(TEXT, b"as it is")
        data += peer.compressed(TEXT, bytes.fromhex("f200110000"))
        assert outcome(peer, data) == ([(TEXT, b"Hello"), (TEXT, b"as it is"), (TEXT, b"Hello")], 1000)


@pytest.mark.parametrize("bits, is_alone", [(9, True), (12, False), (15, True), (15, False)])
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


def test_a_message_may_arrive_in_frames_and_packets_of_one_byte(role):
    message = "zwölf 水 🎈 and so on ".encode() * 5
    data = Deflater()(message)
    with PeerOf(role) as peer:
        peer.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        peer.send(peer.compressed(TEXT, b"", is_final=False))
        for index in range(len(data)):
            frames = peer.frame(PING) + peer.frame(CONTINUATION, data[index : index + 1], is_final=False)
            for byte in frames + peer.frame(CONTINUATION, is_final=False):
                peer.send(bytes([byte]))
        assert outcome(peer, peer.frame(CONTINUATION)) == ([(TEXT, message)], 1000)


@pytest.mark.parametrize(
    "violation",
    [lambda peer: peer.compressed(TEXT, HELLO[:3], is_final=False) + peer.compressed(CONTINUATION, HELLO[3:]),
     lambda peer: peer.compressed(PING, HELLO),
     lambda peer: peer.frame(TEXT, HELLO, reserved=RSV1 | RSV2),
     lambda peer: peer.frame(TEXT, b"x", reserved=RSV3)],
    ids=["continuation", "ping", "RSV1 and 2", "RSV3"])
def test_misplaced_reserved_bits_close_with_1002(role, violation):
    with PeerOf(role) as peer:
        data = peer.compressed(TEXT, HELLO) + violation(peer)
        assert outcome(peer, data) == ([(TEXT, b"Hello")], 1002)


@pytest.mark.parametrize(
    "arguments, extensions", [([], None), (["--compress=off"], None), ([], "x-other")], ids=["none", "off", "another"])
def test_a_compressed_message_without_negotiation_closes_with_1002(role, arguments, extensions):
    if role == "connect":
        extensions = None
    with PeerOf(role, *arguments, extensions=extensions) as peer:
        assert outcome(peer, peer.compressed(TEXT, HELLO)) == ([], 1002)


@pytest.mark.parametrize("data", [b"", noise(200), HELLO[:3], HELLO + b"Hello"], ids=lambda data: str(len(data)))
def test_invalid_deflate_data_closes_with_1007(role, data):
    with PeerOf(role) as peer:
        assert outcome(peer, peer.compressed(TEXT, data)) == ([], 1007)


@pytest.mark.parametrize(
    "pieces",
    [[b"caf\xe9"], [b"\xe6\xb0", b"x"], [b"x" * 70_000 + b"\xff"],
     # RFC 6455 §8.1 allows failing before the message ends. This one never ends.
     [b"fine", b"not \xff fine", None]],
    ids=lambda pieces: repr(pieces)[:30])
def test_compressed_text_that_is_not_utf8_closes_with_1007(role, pieces):
    stream = zlib.compressobj(wbits=-15)
    with PeerOf(role) as peer:
        data = b""
        for number, piece in enumerate(pieces):
            if piece is None:
                break
            flushed = stream.compress(piece) + stream.flush(zlib.Z_SYNC_FLUSH)
            is_final = number == len(pieces) - 1
            data += peer.frame(
                CONTINUATION if number else TEXT, flushed, is_final=is_final, reserved=0 if number else RSV1)
        assert outcome(peer, data) == ([], 1007)


def test_fragments_may_split_characters(role):
    message = "é水🎈".encode()
    stream = zlib.compressobj(wbits=-15)
    with PeerOf(role) as peer:
        data = peer.compressed(TEXT, b"", is_final=False)
        for byte in message:
            flushed = stream.compress(bytes([byte])) + stream.flush(zlib.Z_SYNC_FLUSH)
            data += peer.frame(CONTINUATION, flushed, is_final=False)
        assert outcome(peer, data + peer.frame(CONTINUATION, b"\x00")) == ([(TEXT, message)], 1000)


def block_that_refers_back(distance):
    """Returns a compressed message of three bytes, copied from this distance (RFC 1951 §3.2.5, §3.2.6)."""
    code = next(code for code in reversed(range(30)) if first_distance(code) <= distance)
    bits = "010"  # not the last block, fixed codes; numbers start with their lowest bit
    bits += "0000001"  # length 3
    bits += f"{code:05b}"
    extra_bits = max(0, code // 2 - 1)
    bits += "".join(str(distance - first_distance(code) >> bit & 1) for bit in range(extra_bits))
    bits += "0000000" + "000"  # the end of the block, and the header of the empty one
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[index : index + 8][::-1], 2) for index in range(0, len(bits), 8))


def first_distance(code):
    return code + 1 if code < 4 else ((2 + code % 2) << (code // 2 - 1)) + 1


# No distance exceeds the largest window, so 15 bits are not tested.
@pytest.mark.parametrize("bits", [8, 14])
def test_a_reference_beyond_the_window_closes_with_1007(role, bits):
    message = noise(70_000)
    with PeerOf(role, extensions=agreement(role, peer_bits=bits)) as peer:
        data = peer.compressed(BINARY, Deflater(level=0)(message))
        data += peer.compressed(BINARY, block_that_refers_back(1 << bits))
        # The first reference has added three bytes.
        data += peer.compressed(BINARY, block_that_refers_back((1 << bits) + 1))
        assert outcome(peer, data) == ([(BINARY, message), (BINARY, message[-(1 << bits) :][:3])], 1007)


def test_without_context_takeover_a_message_cannot_refer_to_earlier_ones(role):
    with PeerOf(role, extensions=agreement(role, peer_is_alone=True)) as peer:
        data = peer.compressed(TEXT, HELLO) + peer.compressed(TEXT, HELLO)
        assert outcome(peer, data + peer.compressed(TEXT, block_that_refers_back(3))) == ([(TEXT, b"Hello")] * 2, 1007)


# Sending


def send_and_read(peer, messages, inflate):
    """Makes wsx send messages, and reads them."""
    peer.program.send(b"".join(message + b"\0" for message in messages))
    return [peer.read_message(inflate) for _ in messages]


def repetitive_messages():
    """Yields messages with repetitions, within and across messages, at distances around the small window sizes."""
    for period in [1, 63, 249, 250, 251, 255, 256, 257, 258, 262, 263, 300, 505, 512, 513, 770, 1000, 1024, 1025]:
        yield noise(period) * (3000 // period + 2)
    repeated = noise(240)
    for gap in [0, 1, 10, 15, 16, 17, 100, 262, 271, 272, 273, 500]:
        yield repeated + b"-" * 300 + noise(gap)
        yield repeated + noise(gap) + repeated
    yield prose(100_000)
    yield b"a" * 100_000


@pytest.mark.parametrize("bits, is_alone", [(8, False), (9, True), (15, False)])
def test_references_stay_within_the_negotiated_window(role, bits, is_alone):
    messages = list(repetitive_messages())
    with PeerOf(role, "--binary", extensions=agreement(role, own_bits=bits, own_is_alone=is_alone)) as peer:
        inflate = Inflater(bits, is_alone, is_strict=True)
        read = send_and_read(peer, messages, inflate)
        assert [message.payload for message in read] == messages
        assert sum(message.is_compressed for message in read) > len(read) / 2
    if bits < 15:
        # Prove that the inflater detects violations.
        with pytest.raises(zlib.error):
            Inflater(bits, is_strict=True)(Deflater()(noise((1 << bits) + 1) * 2))


@pytest.mark.parametrize("option", [["--compress-window-bits", "9"], ["--compress-no-context"]], ids=" ".join)
def test_requested_parameters_apply_even_if_the_peer_does_not_request_them(role, option):
    extensions = "permessage-deflate; client_max_window_bits"
    if role == "connect":
        # RFC 7692 §7.1.1.2, §7.1.2.2: a server need not repeat what a client declares about itself.
        extensions = "permessage-deflate; server_no_context_takeover; server_max_window_bits=9"
    with PeerOf(role, "--binary", *option, extensions=extensions) as peer:
        names = {"connect": "client", "listen": "server"}
        expected = "max_window_bits=9" if "9" in option else "no_context_takeover"
        assert f"{names[role]}_{expected}".encode() in peer.extensions
        messages = list(repetitive_messages())
        inflate = Inflater(9 if "9" in option else 15, "9" not in option, is_strict=True)
        assert [message.payload for message in send_and_read(peer, messages, inflate)] == messages


def test_a_message_that_does_not_shrink_is_sent_uncompressed(role):
    messages = [b"", b"a" * 63, b"a" * 64, noise(64), noise(5000), b"hello " * 11, noise(1 << 20), b"a" * (1 << 20)]
    with PeerOf(role, "--binary") as peer:
        read = send_and_read(peer, messages, Inflater())
        assert [message.payload for message in read] == messages
        assert [message.is_compressed for message in read] == [False, False, True, False, False, True, False, True]
        for message in read:
            if message.is_compressed:
                assert sum(message.frame_lengths) < len(message.payload)


@pytest.mark.parametrize("bits", [9, 15])
def test_messages_remain_readable_if_some_are_sent_uncompressed(role, bits):
    def message():
        kind = CHANCE.randrange(4)
        size = CHANCE.choice([100, 400, 1000, 5000, 33_000])
        if kind == 0:
            return noise(size)
        # A copy of part of an earlier message, which may have been sent compressed or uncompressed.
        if kind == 1 and messages:
            return CHANCE.choice(messages[-5:])[: CHANCE.randrange(40_000)]
        return prose(size) if kind == 2 else noise(size) + prose(size // 10)

    messages = []
    for _ in range(100):
        messages.append(message())
    with PeerOf(role, "--binary", extensions=agreement(role, own_bits=bits)) as peer:
        read = send_and_read(peer, messages, Inflater(bits))
        assert [message.payload for message in read] == messages
        assert 10 < sum(message.is_compressed for message in read) < 90


def test_similar_messages_refer_to_each_other(role):
    message = noise(1000)
    with PeerOf(role, "--binary") as peer:
        read = send_and_read(peer, [message] * 5, Inflater())
        lengths = [sum(message.frame_lengths) for message in read]
    # The first message does not shrink, so it is sent uncompressed and is not part of the peer's window.
    assert lengths[0] == 1000
    known = prose(1000)
    with PeerOf(role, "--binary") as peer:
        read = send_and_read(peer, [known] * 5, Inflater())
        lengths = [sum(message.frame_lengths) for message in read]
    assert lengths[0] > 100 > max(lengths[1:])


def test_an_idle_connection_keeps_its_windows(role):
    deflate, inflate = Deflater(bits=9), Inflater()
    message = prose(2000)
    with PeerOf(role, extensions=agreement(role, peer_bits=9)) as peer:
        for pause_s in [0, 2.2]:
            # The second pause exceeds the time for which an idle connection keeps its stream.
            time.sleep(pause_s)
            peer.send(peer.compressed(TEXT, deflate(message)))
            (read,) = send_and_read(peer, [message], inflate)
            assert (read.payload, read.is_compressed) == (message, True)
        data = peer.compressed(TEXT, block_that_refers_back(512)) + peer.compressed(TEXT, block_that_refers_back(513))
        assert outcome(peer, data) == ([(TEXT, message)] * 2 + [(TEXT, message[-512:][:3])], 1007)


@pytest.mark.parametrize("fragment_bytes", [1, 7, 1000])
def test_compressed_messages_are_sent_in_fragments(role, fragment_bytes):
    messages = ["zwölf 水 🎈 ".encode() * 40, prose(20_000), b"a" * 100_000, b"as it is"]
    with PeerOf(role, "--fragment-size", str(fragment_bytes)) as peer:
        read = send_and_read(peer, messages, Inflater())
        assert [message.payload for message in read] == messages
        for message in read:
            assert message.is_compressed == (message.payload != b"as it is")
            assert all(length == fragment_bytes for length in message.frame_lengths[:-1])
            assert 0 < message.frame_lengths[-1] <= fragment_bytes


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
