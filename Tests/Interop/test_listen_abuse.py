"""`wsx listen` with misbehaving clients."""

import concurrent.futures
import socket
import time

import pytest

import wire
from processes import Listener, descriptor_count, memory_limit, peak_resident_bytes, resident_bytes, wait_until, wsx

MEBIBYTE = 1 << 20


@pytest.fixture(scope="module")
def server():
    """An echo server shared by the tests below. It must survive all of them."""
    with Listener("--echo", "--handshake-timeout", "700ms") as server:
        yield server
        assert wsx("connect", "-n", "1", server.url, "alive").out == b"alive\n"
        assert server.stop() == 0


def dial(server, upgraded=False):
    stream = wire.Stream(socket.create_connection(("127.0.0.1", server.port), timeout=60))
    if upgraded:
        stream.send(wire.upgrade_request(server.port))
        assert stream.read_head().startswith(b"HTTP/1.1 101 ")
    return stream


def answer_to(server, request):
    stream = dial(server)
    with stream.sock:
        try:
            stream.send(request)
        except OSError:
            pass
        return stream.read_to_end()


@pytest.mark.parametrize(
    "request_head, status",
    [
        (b"\x00\x01\x02garbage\xff\r\n\r\n", b"400"),
        (b"GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n", b"426"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: " + b"x" * 20_000 + b"\r\n\r\n", b"431"),
    ],
    ids=lambda value: repr(value[:50]))
def test_a_request_without_an_upgrade_gets_an_answer(server, request_head, status):
    assert answer_to(server, request_head).startswith(b"HTTP/1.1 " + status)


def test_a_request_head_of_a_megabyte_gets_431_and_is_not_kept(server):
    assert answer_to(server, b"GET / HTTP/1.1\r\nX: " + b"x" * MEBIBYTE).startswith(b"HTTP/1.1 431 ")


def test_a_slow_request_in_single_bytes_gets_408(server):
    stream = dial(server)
    request = wire.upgrade_request(server.port)
    with stream.sock:
        for byte in request:
            try:
                stream.send(bytes([byte]))
            except OSError:
                break
            time.sleep(0.01)
        assert stream.read_to_end().startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("verbose", [[], ["-v"]])
def test_spare_connections_of_browsers_are_logged_only_with_verbose(verbose):
    with Listener("--echo", "--handshake-timeout", "100ms", *verbose) as server:
        assert answer_to(server, b"").startswith(b"HTTP/1.1 408 ")
        assert answer_to(server, b"HELLO\r\n\r\n").startswith(b"HTTP/1.1 400 ")
        wait_until(lambda: "Rejected a request: 400" in server.err)
        assert server.err.count("Rejected a request: 408") == len(verbose)


@pytest.mark.parametrize(
    "data, code",
    [
        (wire.text("x"), 1002),
        (wire.text(b"\xff", is_masked=True), 1007),
        (wire.frame(wire.CLOSE, b"\x03", is_masked=True), 1002),
        (wire.frame(wire.BINARY, is_masked=True, claimed_length=(16 * MEBIBYTE) + 1), 1009),
    ],
    ids=["no mask", "no UTF-8", "half a close code", "too long"])
def test_a_client_that_violates_the_protocol_is_closed_with_the_right_code(server, data, code):
    stream = dial(server, upgraded=True)
    with stream.sock:
        stream.send(data)
        assert stream.read_until_close().close_code == code
        assert stream.read_to_end() == b""


def test_a_thousand_connections_leave_no_descriptor_behind(server):
    def connect(number):
        stream = dial(server, upgraded=True)
        with stream.sock:
            if number % 3 == 0:
                stream.send(wire.close(1000, is_masked=True))
                assert stream.read_until_close().close_code == 1000
            elif number % 3 == 1:
                stream.send(wire.text("x", is_masked=True))

    before = descriptor_count(server.pid)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(connect, range(1000)))
    wait_until(lambda: descriptor_count(server.pid) <= before, what="the descriptors' release")


def test_an_echo_client_that_floods_and_stops_reading_uses_bounded_memory():
    payload = wire.text("x" * 65_000, is_masked=True)
    with Listener("--echo") as server:
        stream = dial(server, upgraded=True)
        with stream.sock:
            stream.sock.settimeout(2)
            sent = 0
            try:
                while sent < 512 * MEBIBYTE:
                    stream.send(payload)
                    sent += len(payload)
            except TimeoutError:
                pass
            assert sent < 128 * MEBIBYTE, "the server never stopped reading"
            assert peak_resident_bytes(server.pid) < memory_limit(128 * MEBIBYTE)
            # Meanwhile, others are served.
            assert wsx("connect", "-n", "1", server.url, "hi").out == b"hi\n"
        assert server.stop() == 0


def test_a_client_that_resets_a_full_echo_is_removed_at_once():
    payload = wire.text("x" * 65_000, is_masked=True)
    with Listener("--echo", "--close-timeout", "60s") as server:
        for _ in range(3):
            stream = dial(server, upgraded=True)
            with stream.sock:
                stream.sock.settimeout(0.5)
                try:
                    while True:
                        stream.send(payload)
                except TimeoutError:
                    pass
        assert server.stop() == 0


def test_a_reader_that_falls_behind_is_disconnected_and_the_others_get_everything():
    line = b"x" * 1000 + b"\n"
    with Listener("--close-timeout", "200ms", stdin=-1) as server:
        slow = dial(server, upgraded=True)
        with slow.sock:
            count = 60_000
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                good = pool.submit(wsx, "connect", "--no-stdin", "-n", str(count), server.url)
                server.wait_for("Client 2 connected")
                pool.submit(server.send, line * count)
                result = good.result(60)
            assert (result.status, result.out == line * count) == (0, True)
            assert resident_bytes(server.pid) < memory_limit(128 * MEBIBYTE)
            server.wait_for("Client 1 disconnected")
