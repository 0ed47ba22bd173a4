"""`wsx listen` is fair: a client or program that never pauses does not block the others."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import threading

import pytest

import wire
from processes import Listener, memory_limit, peak_resident_bytes

pytestmark = pytest.mark.alone

ROUND_TRIPS = 50
MEBIBYTE = 1 << 20


def connect(listener, timeout=60, fields=()):
    stream = wire.Stream(socket.create_connection(("127.0.0.1", listener.port), timeout=timeout))
    stream.send(wire.upgrade_request(listener.port, "/", *fields))
    assert stream.read_head().startswith(b"HTTP/1.1 101 ")
    return stream


def text(message):
    return wire.text(message, is_masked=True)


class Flood:
    """Receives and counts everything on a connection, and sends `sends` repeatedly."""

    def __init__(self, stream, sends=b""):
        self.sock = stream.sock
        self.received_bytes = 0
        self.sent_bytes = 0
        threads = [self._take] + ([lambda: self._give(sends)] if sends else [])
        self.threads = [threading.Thread(target=thread, daemon=True) for thread in threads]
        for thread in self.threads:
            thread.start()

    def _take(self):
        with contextlib.suppress(OSError):
            while taken := len(self.sock.recv(MEBIBYTE)):
                self.received_bytes += taken

    def _give(self, block):
        with contextlib.suppress(OSError):
            while True:
                self.sock.sendall(block)
                self.sent_bytes += len(block)

    def stop(self):
        with contextlib.suppress(OSError):
            self.sock.shutdown(socket.SHUT_RDWR)
        for thread in self.threads:
            thread.join()
        self.sock.close()


def make_round_trips(stream, count=ROUND_TRIPS):
    for number in range(count):
        stream.send(text(f"{number}"))
        assert stream.read_message().payload == b"%d" % number


# The tests count the flood's messages where they leave the server. If turns were not shared, more than a million of
# them would pass per round trip of another client, however busy the machine is.
LIMIT = 200_000 * ROUND_TRIPS

FLOODING = ["sh", "-c", 'read what; case $what in flood) exec yes;; errors) exec yes >&2;; *) exec cat;; esac']


def test_a_program_that_writes_endlessly_does_not_block_others():
    with Listener(program=FLOODING) as listener:
        flooded, other = connect(listener), connect(listener)
        flooded.send(text("flood"))
        other.send(text("cat"))
        assert flooded.read_message().payload == b"y"
        flood = Flood(flooded)
        make_round_trips(other)
        messages = flood.received_bytes // 3
        flood.stop()
        assert messages < LIMIT


def test_a_program_with_endless_standard_error_does_not_block_others():
    with Listener(program=FLOODING) as listener:
        flooded, other = connect(listener), connect(listener)
        flooded.send(text("errors"))
        other.send(text("cat"))
        listener.wait_for(r"Client 1 \| y\n")
        before = len(listener.err)
        make_round_trips(other)
        lines = (len(listener.err) - before) // len("Client 1 | y\n")
        flooded.sock.close()
    assert lines < LIMIT


@pytest.mark.parametrize("mode", ["--echo", "--exec"])
def test_a_client_that_sends_endlessly_does_not_block_others(mode):
    options = {"--echo": {"arguments": ["--echo"]}, "--exec": {"program": ["cat"]}}[mode]
    with Listener(*options.pop("arguments", []), **options) as listener:
        other = connect(listener)
        flood = Flood(connect(listener), text("") * 100_000)
        make_round_trips(other)
        messages = flood.received_bytes // 2
        flood.stop()
        assert messages < LIMIT


def test_a_client_with_many_readers_does_not_block_others():
    readers_count = 50
    with Listener("--broadcast", "--no-stdin", stdout=subprocess.DEVNULL) as listener:
        readers = [Flood(connect(listener)) for _ in range(readers_count)]
        flood = Flood(connect(listener), text("") * 100_000)
        for _ in range(ROUND_TRIPS):
            # A new client receives no broadcast before its handshake response.
            with connect(listener).sock:
                pass
        deliveries = sum(reader.received_bytes // 2 for reader in readers)
        for each in [flood, *readers]:
            each.stop()
        assert deliveries < LIMIT * 10


def test_all_output_of_a_program_arrives_despite_the_turns_of_others():
    lines = 60_000
    script = f'read what; case $what in flood) exec yes;; *) seq {lines};; esac'
    with Listener(program=["sh", "-c", script]) as listener:
        floods = []
        for _ in range(5):
            stream = connect(listener)
            stream.send(text("flood"))
            floods.append(Flood(stream))
        other = connect(listener)
        other.send(text("count"))
        for number in range(1, lines + 1):
            assert other.read_message().payload == b"%d" % number
        assert other.read_until_close().close_code == 1000
        for flood in floods:
            flood.stop()


@pytest.mark.parametrize("options", [[], ["--fragment-size", "100k"], ["--delay", "50ms"], ["--throttle", "64M"]])
def test_large_messages_for_many_readers_stay_whole_and_in_order(options):
    with Listener("--broadcast", "--no-stdin", "--compress=off", *options, stdout=subprocess.DEVNULL) as listener:
        readers = [connect(listener) for _ in range(3)]
        sender = connect(listener)
        payloads = [bytes([number]) * size for number, size in enumerate([3 * MEBIBYTE, 5, 20_000, 2 * MEBIBYTE, 1])]

        def send_all():
            for payload in payloads:
                sender.send(wire.frame(wire.BINARY, payload, is_masked=True))

        thread = threading.Thread(target=send_all)
        thread.start()
        for reader in readers:
            reader.send(wire.frame(wire.PING, b"?", is_masked=True))
            for payload in payloads:
                assert reader.read_message().payload == payload
        thread.join()


@pytest.mark.parametrize("is_recorded", [False, True])
def test_a_large_message_is_not_copied_for_each_reader(is_recorded, tmp_path):
    recording = tmp_path / "recording"
    options = ["--record", str(recording)] if is_recorded else []
    with Listener("--broadcast", "--no-stdin", "--compress=off", *options, stdout=subprocess.DEVNULL) as listener:
        # The readers read nothing until the message is in all queues.
        readers = [connect(listener) for _ in range(20)]
        sender = connect(listener)
        size = 15 * MEBIBYTE
        sender.send(wire.frame(wire.BINARY, b"x" * size, is_masked=True))
        for reader in readers:
            assert len(reader.read_message().payload) == size
        peak = peak_resident_bytes(listener.pid)
    # The message exists as received, as sent, and as recorded. One copy per reader would take 300 MiB.
    assert peak < memory_limit(120 * MEBIBYTE)
    if is_recorded:
        events = re.findall(rb'"direction":"out".{1,80}"bytes":%d.*?"client":(\d+)' % size, recording.read_bytes())
        assert sorted(map(int, events)) == list(range(1, 21))


@pytest.mark.parametrize("floods_count", [1, 2])
def test_clients_that_fill_the_output_in_each_turn_do_not_block_others(floods_count):
    # One read inflates to several times the output's limit, but no single message does.
    message = wire.frame(
        wire.TEXT, wire.Deflater(is_alone=True)(b"a" * 200_000), reserved=wire.RSV1, is_masked=True)
    with Listener(stdout=subprocess.DEVNULL) as listener:
        other, yet_another = connect(listener), connect(listener)
        floods = []
        for _ in range(floods_count):
            stream = connect(listener, fields=[wire.EXTENSIONS + b": permessage-deflate"])
            floods.append(Flood(stream, message * 1000))
        for number in range(ROUND_TRIPS):
            for stream in (other, yet_another):
                stream.send(text("heard") + wire.frame(wire.PING, b"%d" % number, is_masked=True))
                assert stream.read_frame().payload == b"%d" % number
        for flood in floods:
            flood.stop()


def test_logged_frames_of_one_client_do_not_delay_others_by_a_whole_read():
    count = 2000
    with Listener("--echo", "-vv") as server:
        # All clients are ready in the same turn. Their order depends on the system.
        before, flood, after = connect(server), connect(server), connect(server)
        os.kill(server.pid, signal.SIGSTOP)
        flood.send(b"".join(text(f"flood {number}") for number in range(count)))
        before.send(text("another"))
        after.send(text("a third"))
        os.kill(server.pid, signal.SIGCONT)
        server.wait_for(f"flood {count - 1}", timeout=60)
        shown = server.err
        assert shown.index("another") < shown.index(f"flood {count // 2}")
        assert shown.index("a third") < shown.index(f"flood {count // 2}")


def test_inflated_messages_of_one_client_do_not_delay_others_by_a_whole_read():
    # In total a third more than the share of one turn, in half a read.
    message = wire.frame(
        wire.TEXT, wire.Deflater(is_alone=True)(b"a" * 200_000), reserved=wire.RSV1, is_masked=True)
    messages = message * 110
    assert len(messages) < 32 << 10
    with Listener("--echo", "-v") as server:
        # All clients are ready in the same turn. Their order depends on the system.
        before = connect(server)
        flood = connect(server, fields=[wire.EXTENSIONS + b": permessage-deflate"])
        after = connect(server)
        os.kill(server.pid, signal.SIGSTOP)
        flood.send(messages + wire.frame(wire.PING, b"the last", is_masked=True))
        before.send(wire.frame(wire.PING, b"another", is_masked=True))
        after.send(wire.frame(wire.PING, b"a third", is_masked=True))
        os.kill(server.pid, signal.SIGCONT)
        server.wait_for("the last", timeout=60)
        shown = server.err
        assert shown.index("another") < shown.index("the last")
        assert shown.index("a third") < shown.index("the last")
