"""Backpressure: a slow reader slows down the writer, no data is lost, and memory stays bounded."""

import hashlib
import subprocess
import threading
import time

import wire
from processes import BINARY, Running, memory_limit, peak_resident_bytes, shell
from scripted_server import ScriptedServer

MEBIBYTE = 1 << 20
PAUSE_S = 2


def test_a_server_that_stops_reading_pauses_the_input_and_no_line_is_lost():
    may_read = threading.Event()

    def script(peer):
        peer.upgrade()
        may_read.wait(60)
        count = 0
        while (received := peer.read_frame()).opcode == wire.TEXT:
            assert received.payload == b"%0200d" % count
            count += 1
            if count == 30_000:
                may_stop.set()
        peer.send(wire.frame(wire.CLOSE, received.payload))
        return count

    may_stop = threading.Event()
    written = 0

    with ScriptedServer(script, receive_buffer=65536) as server:
        with Running([BINARY, "connect", "--linger", "0", "--close-timeout", "60s", server.url], stdin=-1) as client:

            def feed():
                nonlocal written
                number = 0
                while not may_stop.is_set():
                    client.process.stdin.write(b"".join(b"%0200d\n" % line for line in range(number, number + 10_000)))
                    number += 10_000
                    written = number
                client.process.stdin.close()

            feeder = threading.Thread(target=feed)
            feeder.start()
            # The input has stalled once nothing could be written for a while.
            deadline = time.monotonic() + 60
            seen = -1
            while seen != written:
                assert time.monotonic() < deadline, "the input was never paused"
                seen = written
                time.sleep(1)
            assert peak_resident_bytes(client.pid) < memory_limit(64 * MEBIBYTE)
            may_read.set()
            feeder.join(60)
            assert client.wait(60) == 0
            assert client.err == ""
    assert server.results == [written]


def test_endless_input_to_a_paused_server_uses_bounded_memory():
    def script(peer):
        peer.upgrade()
        time.sleep(PAUSE_S)
        for _ in range(200_000):
            assert peer.read_frame().payload == b"y"
        peak.append(peak_resident_bytes(client.pid))

    peak = []
    with ScriptedServer(script, receive_buffer=65536) as server:
        yes = subprocess.Popen(["yes"], stdout=subprocess.PIPE)
        with Running([BINARY, "connect", "--linger", "1s", server.url], stdin=yes.stdout) as client:
            yes.stdout.close()
            assert client.wait(60) == 1
        yes.wait(60)
    assert peak[0] < memory_limit(64 * MEBIBYTE)


def test_a_slow_reader_of_standard_output_slows_the_server_down_and_gets_everything():
    line = b"x" * 1000
    count = 200_000
    written = 0

    def script(peer):
        nonlocal written
        peer.upgrade()
        data = wire.text(line) * 100
        for _ in range(count // 100):
            peer.send(data)
            written += 100
        peer.answer_close()

    with ScriptedServer(script) as server:
        client = subprocess.Popen(
            [BINARY, "connect", "-n", str(count), "--no-stdin", server.url], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE)
        try:
            seen = -1
            deadline = time.monotonic() + 60
            while seen != written or written == 0:
                assert time.monotonic() < deadline, "the server was never slowed down"
                seen = written
                time.sleep(1)
            assert written < count
            assert peak_resident_bytes(client.pid) < memory_limit(64 * MEBIBYTE)
            digest = hashlib.sha256()
            while piece := client.stdout.read1(1 << 20):
                digest.update(piece)
            assert client.wait(60) == 0
        finally:
            client.kill()
            client.wait(60)
            client.stdout.close()
    assert digest.digest() == hashlib.sha256((line + b"\n") * count).digest()


def test_a_reader_that_starts_late_gets_everything(wsx_echo):
    result = shell('set -o pipefail; seq 300000 | "$WSX" connect -q "$1" | (sleep 2; sha256sum)', wsx_echo.url)
    expected = hashlib.sha256(b"".join(b"%d\n" % number for number in range(1, 300_001))).hexdigest()
    assert (result.status, result.out.split()[0].decode(), result.err) == (0, expected, "")


def test_an_echo_larger_than_all_buffers_does_not_deadlock(wsx_echo):
    result = shell(
        'set -o pipefail; head -c 100000000 /dev/zero | tr "\\0" x | fold -w 100000 | "$WSX" connect -q "$1" | md5sum',
        wsx_echo.url)
    expected = shell('head -c 100000000 /dev/zero | tr "\\0" x | fold -w 100000 | { cat; echo; } | md5sum')
    assert (result.status, result.out, result.err) == (0, expected.out, "")


def test_the_run_ends_only_after_all_messages_are_written():
    def script(peer):
        peer.upgrade(then=wire.text("x" * 5_000_000) + wire.close(1000))
        peer.read_until_close()

    with ScriptedServer(script) as server:
        result = shell('set -o pipefail; "$WSX" connect "$1" | (sleep 2; wc -c)', server.url)
    assert (result.status, result.out.strip()) == (0, b"5000001")
