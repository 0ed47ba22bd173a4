"""Faults that `wsx listen` injects on request, to test how clients reconnect, time out, and use slow networks."""

import asyncio
import concurrent.futures
import json
import re
import socket
import struct
import subprocess
import threading
import time

import pytest
import websockets

import wire
from processes import (
    NODE_ENVIRONMENT, PEERS, RECONNECT, Listener, assert_fails, memory_limit, resident_bytes, run, wait_until, wsx)


def open_client(server, *fields):
    """Opens a raw connection to the server."""
    sock = socket.create_connection(("127.0.0.1", server.port), 30)
    stream = wire.Stream(sock)
    stream.send(wire.upgrade_request(server.port, "/", *fields))
    assert b" 101 " in stream.read_head()
    return stream


def answer_of(server):
    """Returns the head of the server's answer to an upgrade request."""
    with socket.create_connection(("127.0.0.1", server.port), 30) as sock:
        stream = wire.Stream(sock)
        stream.send(wire.upgrade_request(server.port))
        return stream.read_head()


def send(stream, message):
    stream.send(wire.text(message, is_masked=True))


# Delays


def test_an_echo_is_delayed_and_stays_in_order():
    with Listener("--echo", "--delay", "300ms") as server:
        client = open_client(server)
        start = time.monotonic()
        for number in range(20):
            send(client, str(number))
        assert [client.read_message().payload for _ in range(20)] == [b"%d" % number for number in range(20)]
        assert time.monotonic() - start >= 0.295


def test_pings_are_answered_at_once_while_messages_are_delayed():
    with Listener("--echo", "--delay", "1h") as server:
        client = open_client(server)
        send(client, "late")
        client.send(wire.frame(wire.PING, b"now", is_masked=True))
        frame = client.read_frame()
        assert (frame.opcode, frame.payload) == (wire.PONG, b"now")


def test_standard_input_and_broadcasts_are_delayed_too():
    with Listener("--delay", "200ms", stdin=-1) as server:
        client = open_client(server)
        start = time.monotonic()
        server.send(b"line\n")
        assert client.read_message().payload == b"line"
        assert time.monotonic() - start >= 0.195
    with Listener("--broadcast", "--delay", "200ms") as server:
        sender, reader = open_client(server), open_client(server)
        start = time.monotonic()
        send(sender, "to all")
        assert reader.read_message().payload == b"to all"
        assert time.monotonic() - start >= 0.195


@pytest.mark.parametrize("mode", ["--echo", "--broadcast"])
def test_many_delayed_messages_pause_their_sender(mode):
    with Listener(mode, "--delay", "1h", "--max-message-size", "4M", "--compress=off") as server:
        sender, reader = open_client(server), open_client(server)
        # Even a busy server reads something within this time unless it has paused the client.
        sender.sock.settimeout(2)
        message = wire.frame(wire.BINARY, bytes(1 << 20), is_masked=True)
        sent = 0
        with pytest.raises(TimeoutError):
            for _ in range(200):
                sender.send(message)
                sent += 1
        # The limit for delayed messages, plus the sockets' buffers.
        assert 16 <= sent < 60
        assert resident_bytes(server.pid) < memory_limit(64 << 20)
        sender.sock.close()
        reader.sock.close()


def test_many_delayed_messages_are_sent_on_time():
    with Listener("--echo", "--delay", "500ms", "--compress=off", "--max-message-size", "4M") as server:
        async def talk():
            async with websockets.connect(server.url, max_size=None, compression=None) as connection:
                async def send_all():
                    for number in range(40):
                        await connection.send(bytes([number]) * (1 << 20))

                sending = asyncio.create_task(send_all())
                for number in range(40):
                    assert await connection.recv() == bytes([number]) * (1 << 20)
                await sending

        asyncio.run(asyncio.wait_for(talk(), 60))


def test_clients_that_leave_during_a_delay_leave_nothing_behind():
    with Listener("--echo", "--delay", "1h", "--compress=off") as server:
        message = wire.frame(wire.BINARY, bytes(200_000), is_masked=True)

        def round_of_clients():
            clients = [open_client(server) for _ in range(50)]
            for client in clients:
                client.send(message)
                client.send(wire.frame(wire.PING, is_masked=True))
            for client in clients:
                assert client.read_frame().opcode == wire.PONG
                client.sock.close()

        round_of_clients()
        before = resident_bytes(server.pid)
        for _ in range(10):
            round_of_clients()
        # The ten rounds have delayed 100 MB in total.
        assert resident_bytes(server.pid) < before + memory_limit(20 << 20)
        client = open_client(server)
        client.send(wire.frame(wire.PING, is_masked=True))
        assert client.read_frame().opcode == wire.PONG
        assert server.stop() == 0


def test_shutdown_does_not_wait_for_delayed_messages():
    with Listener("--echo", "--delay", "1h") as server:
        client = open_client(server)
        send(client, "never")
        client.send(wire.frame(wire.PING, is_masked=True))
        assert client.read_frame().opcode == wire.PONG
        server.signal(15)
        assert client.read_frame().close_code == 1001
        client.send(wire.close(1001, is_masked=True))
        assert server.wait() == 0


# Losses


def test_a_seed_reproduces_the_losses():
    def received(*options):
        with Listener("--echo", "--drop-rate", "50%", *options) as server:
            clients = []
            for _ in range(2):
                client = open_client(server)
                for number in range(64):
                    send(client, str(number))
                client.send(wire.close(1000, is_masked=True))
                payloads = []
                while (frame := client.read_frame()).opcode != wire.CLOSE:
                    payloads.append(int(frame.payload))
                assert payloads == sorted(payloads)
                clients.append(payloads)
            return clients

    first = received("--seed", "1")
    assert received("--seed", "1") == first
    assert received("--seed", "2") != first
    assert first[0] != first[1]


# Closes


def test_the_close_waits_for_delayed_answers():
    with Listener("--echo", "--close-after", "2", "--delay", "200ms") as server:
        client = open_client(server)
        start = time.monotonic()
        for message in ["one", "two", "three"]:
            send(client, message)
        assert [client.read_frame().payload for _ in range(2)] == [b"one", b"two"]
        assert client.read_frame().close_code == 1012
        assert time.monotonic() - start >= 0.195


def test_messages_after_the_close_are_ignored():
    with Listener("--close-after", "1", "--output", "json") as server:
        client = open_client(server)
        send(client, "taken")
        send(client, "ignored")
        client.send(wire.frame(wire.PING, is_masked=True))
        assert client.read_frame().opcode == wire.CLOSE
        client.send(wire.close(1012, is_masked=True))
        server.wait_for('"type":"close"', "out")
        messages = [event["data"] for event in map(json.loads, server.out.splitlines()) if event["type"] == "message"]
        assert messages == ["taken"]


# Refusals


def test_every_request_is_refused_with_the_given_status_and_fields():
    with Listener("--echo", "--reject", "401", "-H", "WWW-Authenticate: Basic realm=x") as server:
        for _ in range(3):
            head = answer_of(server)
            assert head.startswith(b"HTTP/1.1 401 Unauthorized\r\n")
            assert wire.field(head, b"WWW-Authenticate") == b"Basic realm=x"
        result = wsx("connect", server.url, "x")
        assert result.status == 4
        assert "This server rejects requests (--reject).\n" in result.err
        assert "Rejected a request" in server.err


def test_a_refusal_has_the_fields_that_its_status_requires():
    with Listener("--echo", "--reject", "426") as server:
        head = answer_of(server)
        assert head.startswith(b"HTTP/1.1 426 ")
        assert wire.field(head, b"Upgrade") == b"websocket" and wire.field(head, b"Sec-WebSocket-Version") == b"13"


def test_a_client_retries_until_it_is_accepted():
    with Listener("--echo", "--reject", "503x2", "-H", "Retry-After: 1") as server:
        result = wsx("connect", *RECONNECT, "-n", "1", server.url, "hello", timeout=120)
        assert (result.status, result.out) == (0, b"hello\n")
        assert server.err.count("Rejected a request") == 2
        assert server.err.count(": 503, ") == 2


def test_a_redirect_leads_to_another_server():
    with Listener("--echo") as target, Listener("--reject", "307", "-H", f"Location: {target.url}") as server:
        assert wsx("connect", "-L", "-n", "1", server.url, "hello").out == b"hello\n"


def test_python_and_node_see_the_refusal():
    with Listener("--echo", "--reject", "429") as server:
        async def connect():
            async with websockets.connect(server.url):
                pass

        with pytest.raises(Exception, match="429"):
            asyncio.run(connect())
        result = run(["node", PEERS / "ws_client.js", server.url, "1", "x"], env=NODE_ENVIRONMENT)
        assert "429" in result.err + result.out.decode()


def test_requests_that_are_invalid_anyway_do_not_count():
    with Listener("--echo", "--path", "/chat", "--reject", "503x1") as server:
        assert answer_of(server).startswith(b"HTTP/1.1 404 ")
        url = server.url + "chat"
        assert "503" in wsx("connect", url, "x").err
        assert wsx("connect", "-n", "1", url, "x").out == b"x\n"


# Pings


def test_pings_are_logged_but_not_answered():
    with Listener("--echo", "--no-pong", "--output", "json") as server:
        client = open_client(server)
        client.send(wire.frame(wire.PING, b"anybody?", is_masked=True))
        send(client, "hello")
        assert client.read_frame().payload == b"hello"
        server.wait_for('"type":"ping"', "out")
        client.send(wire.close(1000, is_masked=True))
        assert client.read_frame().opcode == wire.CLOSE


# Slow networks


def test_a_large_message_is_throttled_in_both_directions():
    with Listener("--echo", "--throttle", "256k", "--compress=off") as server:
        async def talk():
            async with websockets.connect(
                    server.url, compression=None, max_size=None, ping_interval=None) as connection:
                start = time.monotonic()
                await connection.send(b"x" * (1 << 18))
                assert await connection.recv() == b"x" * (1 << 18)
                return time.monotonic() - start

        # A second in each direction, minus the tenth of a second that may arrive at once.
        assert asyncio.run(asyncio.wait_for(talk(), 60)) >= 1.7


def test_tls_is_throttled_too():
    with Listener("--echo", "--throttle", "100k", "--tls-self-signed", "--compress=off") as server:
        start = time.monotonic()
        result = wsx(
            "connect", "-qk", "--input", "message", "-n", "1", server.url, stdin=b"x" * 100_000)
        assert (result.status, result.out) == (0, b"x" * 100_000 + b"\n")
        assert time.monotonic() - start >= 1.5


def test_each_client_has_its_own_rate():
    with Listener("--echo", "--throttle", "64k", "--compress=off") as server:
        busy, idle = open_client(server), open_client(server)
        busy.send(wire.frame(wire.BINARY, bytes(1 << 19), is_masked=True))
        send(idle, "hello")
        assert idle.read_message().payload == b"hello"
        assert not busy.buffer
        busy.sock.setblocking(False)
        with pytest.raises(BlockingIOError):
            busy.sock.recv(1)


def test_a_throttled_client_is_not_disconnected():
    with Listener("--throttle", "5M", "--compress=off", "--input", "message", stdin=-1) as server:
        readers = [open_client(server) for _ in range(2)]
        wait_until(lambda: server.err.count("connected from") == 2)
        server.send(b"x" * (32 << 20))
        server.process.stdin.close()
        # This takes over six seconds, longer than the time limit for readers that accept nothing.
        with concurrent.futures.ThreadPoolExecutor() as pool:
            for message in pool.map(lambda reader: reader.read_message(), readers):
                assert len(message.payload) == 32 << 20
        assert "1013" not in server.err


def test_a_client_that_reads_nothing_is_disconnected_even_if_it_is_throttled():
    line = b"x" * 65_535 + b"\n"
    with Listener("--throttle", "64M", "--compress=off", stdin=-1) as server:
        stuck, reader = open_client(server), open_client(server)
        wait_until(lambda: server.err.count("connected from") == 2)
        feeder = threading.Thread(target=lambda: server.send(line * 512), daemon=True)
        feeder.start()
        for _ in range(512):
            assert len(reader.read_message().payload) == 65_535
        feeder.join(60)
        # When the client resumes reading, it finds that it has been closed.
        assert stuck.read_until_close().close_code == 1013


# Combinations


@pytest.mark.parametrize("options", [
    ["--echo", "--fragment-size", "1k"],
    ["--echo", "--fragment-size", "1k", "--delay", "1ms-20ms", "--throttle", "1M", "--seed", "1", "--no-pong"],
])
def test_messages_are_fragmented_on_every_output_path(options):
    with Listener(*options, "--compress=off") as server:
        client = open_client(server)
        send(client, "x" * 2500)
        message = client.read_message()
        assert message.payload == b"x" * 2500
        assert message.frame_lengths == [1024, 1024, 452]


def test_broadcasts_are_fragmented():
    with Listener("--broadcast", "--fragment-size", "1k", "--delay", "10ms", "--compress=off", stdin=-1) as server:
        sender, reader = open_client(server), open_client(server)
        send(sender, "y" * 1500)
        assert reader.read_message().frame_lengths == [1024, 476]
        server.send(b"z" * 1025 + b"\n")
        for client in [sender, reader]:
            assert client.read_message().frame_lengths == [1024, 1]


def test_output_of_programs_is_delayed_and_their_end_follows_it():
    with Listener("--delay", "300ms", "--fragment-size", "2", program=["sh", "-c", "echo hello"]) as server:
        start = time.monotonic()
        client = open_client(server)
        message = client.read_message()
        assert (message.payload, message.frame_lengths) == (b"hello", [2, 2, 1])
        assert time.monotonic() - start >= 0.295
        assert client.read_frame().close_code == 1000


def test_a_program_pauses_while_much_of_its_output_is_delayed():
    with Listener("--delay", "1h", "--compress=off", program=["yes", "x" * 1000]) as server:
        client = open_client(server)
        client.send(wire.frame(wire.PING, is_masked=True))
        assert client.read_frame().opcode == wire.PONG
        wait_until(lambda: resident_bytes(server.pid) > 16 << 20)
        client.send(wire.frame(wire.PING, is_masked=True))
        assert client.read_frame().opcode == wire.PONG
        assert resident_bytes(server.pid) < memory_limit(64 << 20)
        client.sock.close()
        server.wait_for("Client 1 disconnected")


def test_five_hundred_clients_with_delays_and_throttling():
    async def talk(url, number):
        async with websockets.connect(url, open_timeout=120, ping_interval=None) as connection:
            for turn in range(5):
                await connection.send(f"{number} {turn} " + "x" * 1000)
                assert (await connection.recv()).startswith(f"{number} {turn} ")

    async def talk_all(url):
        await asyncio.gather(*(talk(url, number) for number in range(500)))

    with Listener("--echo", "--delay", "10ms-300ms", "--throttle", "32k", "--handshake-timeout", "2m") as server:
        asyncio.run(asyncio.wait_for(talk_all(server.url), 240))
        wait_until(lambda: len(re.findall(r"Client \d+ disconnected: 1000\b", server.err)) == 500)
        assert server.stop() == 0


# Usage


@pytest.mark.parametrize("options, words", [
    (["--delay", "2s-1s"], "'2s-1s' for '--delay': expected a duration such as 250ms, or a range such as 100ms-2s"),
    (["--close-code", "4000"], "'--close-code' requires '--close-after'"),
    (["--replay", "/nowhere"], "--replay /nowhere: no such file or directory"),
    (["--seed", "1"], "'--seed' requires '--delay' or '--drop-rate'"),
])
def test_invalid_options_are_reported_in_one_line(options, words):
    assert_fails(wsx("listen", *options, "0"), 2, words)


@pytest.mark.parametrize("leaves", [False, True], ids=["stays", "leaves with a reset"])
def test_a_stopped_reader_does_not_block_a_delayed_broadcast(leaves):
    options = ["--broadcast", "--no-stdin", "--delay", "20ms", "--close-timeout", "200ms"]
    with Listener(*options, stdout=subprocess.DEVNULL) as listener:
        def connect():
            stream = wire.Stream(socket.create_connection(("127.0.0.1", listener.port), timeout=60))
            stream.send(wire.upgrade_request(listener.port))
            assert stream.read_head().startswith(b"HTTP/1.1 101")
            return stream

        stopped, reader, sender = connect(), connect(), connect()
        payload, count = bytes(64 << 10), 1000

        def send_all():
            message = wire.frame(wire.BINARY, payload, is_masked=True)
            for _ in range(count):
                sender.send(message)

        thread = threading.Thread(target=send_all)
        thread.start()
        for number in range(count):
            assert len(reader.read_message().payload) == len(payload)
            if leaves and number == 600:
                stopped.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                stopped.sock.close()
        thread.join()
        listener.wait_for("Client 1 disconnected")
