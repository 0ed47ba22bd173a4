"""Dead peers, idle clients, and limits on the number of clients."""

import contextlib
import os
import re
import resource
import select
import socket
import threading
import time

import pytest

import wire
from processes import Listener, assert_fails, wait_until, wsx
from test_listen_once import Client


def pong_until(client, is_over):
    """Answers pings until `is_over(number of pings)`."""
    count = 0
    while not is_over(count):
        frame = client.read_frame()
        if frame.opcode == wire.PING:
            count += 1
            client.send(wire.frame(wire.PONG, frame.payload, is_masked=True))


def test_clients_that_answer_or_send_anything_stay_connected():
    with Listener("--echo", "--heartbeat", "100ms", "--heartbeat-misses", "10", "-v") as server:
        with Client(server.port) as answering, Client(server.port) as talking:
            talked = 0

            def is_over(count):
                nonlocal talked
                talked += 1
                talking.send(wire.text(f"{talked}", is_masked=True))
                return count >= 15

            pong_until(answering, is_over)
            assert "disconnected" not in server.err
            assert "#1 → ping" in server.err and "#1 ← pong" in server.err
            answering.close(1000)
            talking.close(1000)


def test_a_pong_event_contains_the_round_trip_time():
    with Listener("--heartbeat", "50ms", "--heartbeat-misses", "100", "--output", "json") as server, Client(server.port) as client:
        pong_until(client, lambda count: count >= 1)
        server.wait_for(r'"type":"pong","time":"[^"]+","direction":"in".*"rtt_us":\d+,"client":1', "out")


def test_wsx_answers_heartbeats_by_default():
    with Listener("--echo", "--heartbeat", "200ms", "--heartbeat-misses", "5") as server:
        result = wsx("connect", "--linger", "2s", server.url, "hello")
        assert (result.status, result.out) == (0, b"hello\n")
        assert "no answer" not in server.err


def test_an_idle_client_is_closed_with_1001():
    with Listener("--echo", "--idle-timeout", "300ms") as server:
        started = time.monotonic()
        with Client(server.port) as client:
            frame = client.read_until_close()
            assert time.monotonic() - started > 0.295, "closed too early"
            assert (frame.close_code, frame.payload[2:]) == (1001, b"idle")
            client.close(1001)
        server.wait_for(r"Client 1 disconnected: 1001, idle for 300 ms, from ")


def test_a_client_that_sends_anything_is_not_idle():
    with Listener("--echo", "--idle-timeout", "1500ms") as server:
        with Client(server.port) as talking, Client(server.port) as idle:
            ended = None
            while not ended:
                talking.send(wire.frame(wire.PING, b"x", is_masked=True))
                assert talking.read_frame().opcode == wire.PONG
                idle.sock.settimeout(0.1)
                try:
                    ended = idle.read_frame()
                except TimeoutError:
                    pass
            assert ended.close_code == 1001
            assert "Client 1" not in re.sub(r"Client 1 connected.*\n", "", server.err)


def test_a_client_that_receives_anything_is_not_idle():
    with Listener("--idle-timeout", "1500ms", stdin=-1) as server, Client(server.port) as client:
        for number in range(20):
            time.sleep(0.1)
            server.send(f"{number}\n".encode())
            assert client.read_frame().payload == f"{number}".encode()
        assert client.read_until_close().close_code == 1001


def test_a_client_that_waits_for_a_delayed_answer_is_not_idle():
    with Listener("--echo", "--delay", "1s", "--idle-timeout", "250ms") as server, Client(server.port) as client:
        client.send(wire.text("question", is_masked=True))
        # Four times the idle timeout.
        assert client.read_frame().payload == b"question"
        assert client.read_until_close().close_code == 1001
        client.close(1001)
        server.wait_for("idle for 250 ms")


def test_a_client_that_waits_for_a_full_output_is_not_idle():
    read_end, write_end = os.pipe()
    with Listener("--idle-timeout", "300ms", stdout=write_end) as server, Client(server.port) as client:
        os.close(write_end)
        message = wire.frame(wire.BINARY, b"x" * 1_000_000, is_masked=True)
        sender = threading.Thread(target=lambda: [client.send(message) for _ in range(30)], daemon=True)
        sender.start()
        # The output stays unread for several times the idle timeout, so the server does not read from the client.
        assert not select.select([client.sock], [], [], 1.5)[0]
        assert sender.is_alive()
        reader = threading.Thread(target=read_all, args=(read_end,), daemon=True)
        reader.start()
        sender.join(60)
        assert "disconnected" not in server.err
        client.close(1000)
        server.wait_for("Client 1 disconnected: 1000, ")
        assert server.stop() == 0
        reader.join(60)


def read_all(descriptor):
    with open(descriptor, "rb") as file:
        while file.read(1 << 16):
            pass


def test_up_to_the_limit_clients_are_served_and_others_wait():
    with Listener("--echo", "--max-connections", "2") as server:
        with Client(server.port) as first, Client(server.port) as second:
            third = wire.Stream(socket.create_connection(("127.0.0.1", server.port), timeout=60))
            third.send(wire.upgrade_request(server.port))
            fourth = wire.Stream(socket.create_connection(("127.0.0.1", server.port), timeout=60))
            fourth.send(wire.upgrade_request(server.port))
            server.wait_for(r"wsx: the limit of 2 clients is reached: new clients wait; raise --max-connections to serve more\n")
            for client in [first, second]:
                client.send(wire.text("x", is_masked=True))
                assert client.read_frame().payload == b"x"
            assert "Client 3" not in server.err
            first.close(1000)
            assert third.read_head().startswith(b"HTTP/1.1 101 ")
            second.close(1000)
            assert fourth.read_head().startswith(b"HTTP/1.1 101 ")
            third.sock.close()
            fourth.sock.close()
        server.wait_for("Client 4 disconnected")
        assert server.err.count("the limit of 2 clients is reached") == 1
        assert server.stop() == 0


def test_incomplete_requests_do_not_block_others_forever():
    with Listener("--echo", "--max-connections", "3", "--handshake-timeout", "300ms") as server:
        slow = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(4)]
        for sock in slow:
            sock.sendall(b"GET / HTTP/1.1\r\nHost:")
        result = wsx("connect", "-n", "1", server.url, "hello")
        assert (result.status, result.out) == (0, b"hello\n")
        for sock in slow:
            sock.close()


def test_a_hundred_consecutive_clients_share_a_few_slots():
    with Listener("--echo", "--max-connections", "5") as server:
        for _ in range(100):
            with Client(server.port) as client:
                client.send(wire.text("x", is_masked=True))
                assert client.read_frame().payload == b"x"
        wait_until(lambda: server.err.count("disconnected") == 100)


def test_the_descriptor_limit_is_distinguished_from_max_connections():
    def few_descriptors():
        resource.setrlimit(resource.RLIMIT_NOFILE, (48, 48))

    with Listener("--echo", "--max-connections", "1000", preexec_fn=few_descriptors) as server:
        clients = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(20)]
        server.wait_for("the limit on open files is reached with 16 clients")
        assert "--max-connections" not in server.err
        for client in clients:
            client.close()


def test_a_descriptor_limit_below_the_first_client_is_reported():
    def hardly_any_descriptors():
        resource.setrlimit(resource.RLIMIT_NOFILE, (12, 12))

    with Listener("--echo", preexec_fn=hardly_any_descriptors) as server:
        with contextlib.ExitStack() as stack:
            for _ in range(8):
                stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=60))
            server.wait_for(r"wsx: the limit on open files is reached with \d+ clients?: new clients wait; raise it")


@pytest.mark.parametrize("arguments", [
    ["--max-connections", "0"], ["--idle-timeout", "0"], ["--heartbeat", "0"], ["--heartbeat-misses", "2"]])
def test_ineffective_values_are_rejected(arguments):
    assert_fails(wsx("listen", *arguments, "0"), 2, arguments[0])
