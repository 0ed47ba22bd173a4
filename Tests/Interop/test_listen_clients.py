"""`wsx listen` with other client implementations: Python's websockets, ws for Node, websocat, and wsx itself."""

import asyncio
import json
import signal
import socket

import pytest
import websockets

import wire
from processes import BINARY, NODE_ENVIRONMENT, PEERS, WEBSOCAT, Listener, Running, assert_fails, run, wait_until, wsx

MESSAGES = ["hello", "", "zwölf 水 🎈", "x" * 70_000]


def test_an_echo_serves_python_websockets(wsx_echo):
    async def talk():
        async with websockets.connect(wsx_echo.url, max_size=None) as connection:
            for message in [*MESSAGES, bytes(range(256)), b""]:
                await connection.send(message)
                assert await connection.recv() == message
            # A fragmented message.
            await connection.send(["a", "bc", "", "d"])
            assert await connection.recv() == "abcd"
            await asyncio.wait_for(await connection.ping(), 60)
            await connection.close(4001, "enough")
            return connection.close_code

    assert asyncio.run(talk()) == 4001


def test_an_echo_serves_node_ws(wsx_echo):
    result = run(
        ["node", PEERS / "ws_client.js", wsx_echo.url, str(len(MESSAGES)), *MESSAGES], env=NODE_ENVIRONMENT)
    assert result.out.decode().split("\n") == [*MESSAGES, "closed 1000 ", ""]


def test_echoes_are_shown_if_requested():
    with Listener("--echo", "-vv", "--timestamps", "off") as server:
        assert wsx("connect", "-n", "1", server.url, "hello").out == b"hello\n"
        server.wait_for(
            r"#1 ← frame +FIN text masked [0-9a-f]{8} 5 B\n +68 65 6c 6c 6f  hello\n"
            r"#1 → frame +FIN text 5 B\n +68 65 6c 6c 6f  hello\n#1 → text +5 B  hello\n")


def test_an_echo_serves_websocat(wsx_echo):
    lines = "".join(f"{message}\n" for message in MESSAGES if message).encode()
    with Running([WEBSOCAT, "-B", "200000", wsx_echo.url], stdin=-1) as client:
        client.send(lines)
        wait_until(lambda: client.out == lines, what="the echo")


def test_an_echo_survives_two_hundred_clients_at_once(wsx_echo):
    async def talk(number):
        async with websockets.connect(wsx_echo.url, open_timeout=60) as connection:
            opened.append(number)
            while len(opened) < 200:
                await asyncio.sleep(0.01)
            for turn in range(5):
                await connection.send(f"{number} {turn}")
                assert await connection.recv() == f"{number} {turn}"

    async def talk_all():
        await asyncio.gather(*map(talk, range(200)))

    opened = []
    asyncio.run(asyncio.wait_for(talk_all(), 60))


def relay():
    return Listener("--close-timeout", "500ms", stdin=-1)


def test_lines_of_standard_input_reach_every_kind_of_client():
    with relay() as server:
        node = Running(["node", PEERS / "ws_client.js", server.url, "3"], env=NODE_ENVIRONMENT)
        websocat = Running([WEBSOCAT, server.url], stdin=-1)
        own = Running([BINARY, "connect", "--no-stdin", server.url])

        async def python():
            async with websockets.connect(server.url) as connection:
                await asyncio.to_thread(wait_until, lambda: server.err.count("connected from") == 4)
                server.send("one\n\nzwei 🎈\n".encode())
                return [await connection.recv() for _ in range(3)]

        with node, websocat, own:
            assert asyncio.run(python()) == ["one", "", "zwei 🎈"]
            expected = "one\n\nzwei 🎈\n".encode()
            wait_until(lambda: own.out == expected)
            # websocat treats an empty message as the end and stops answering.
            wait_until(lambda: websocat.out.startswith(b"one\n"))
            assert node.wait() == 0
            assert node.out == expected + b"closed 1000 \n"
            assert server.stop() == 0
            assert own.wait() == 0


def test_messages_from_clients_are_written_to_standard_output():
    with relay() as server:
        for name in ["one", "two"]:
            assert wsx("connect", "--linger", "0", server.url, f"from {name}", "second").status == 0
        with Running([WEBSOCAT, server.url], stdin=-1) as client:
            client.send(b"from websocat\n")
            server.wait_for("from websocat\n", "out")
        assert server.out == b"from one\nsecond\nfrom two\nsecond\nfrom websocat\n\n", "websocat sends the newline as a part of the message"
        assert server.stop() == 0


def test_input_waits_for_the_first_client():
    with relay() as server:
        server.send(b"early\n")
        server.process.stdin.close()
        result = wsx("connect", "-n", "1", "--no-stdin", server.url)
        assert (result.status, result.out) == (0, b"early\n")


def test_the_end_of_the_input_does_not_end_the_server():
    with Listener() as server:
        assert wsx("connect", "--linger", "0", server.url, "still here").status == 0
        server.wait_for("still here\n", "out")


def test_binary_and_records_work_as_with_connect():
    with Listener("--binary", "--input", "nul", "--output", "nul", stdin=-1) as server:
        with Running([BINARY, "connect", "-n", "2", "--no-stdin", "--output", "json", server.url]) as client:
            client.wait_for('"open"', "out")
            server.send(b"\xff\n\0\0")
            assert client.wait() == 0
            messages = [json.loads(line) for line in client.out.splitlines()][1:3]
            assert [(message["opcode"], message["bytes"]) for message in messages] == [("binary", 2), ("binary", 0)]
            assert messages[0]["base64"] == "/wo="


# Events


def test_json_events_are_complete():
    with Listener("--echo", "--output", "json") as server:
        # With --linger, the client sends no ping.
        words = ["--linger", "1s", "-i", "--output", "json", server.url, "hello"]
        with Running([BINARY, "connect", *words], stdin=-1) as client:
            client.wait_for('"hello"', "out")
            assert wsx("connect", "--binary", "--close-code", "4000", "--close-reason", "bye", "-n", "1", server.url, "b").status == 0
            client.process.stdin.close()
            assert client.wait() == 0
        wait_until(lambda: server.out.count(b'"close"') == 2)
        assert server.stop() == 0
    events = [json.loads(line) for line in server.out.splitlines()]
    assert events[0]["type"] == "listening"
    assert (events[0]["port"], events[0]["url"]) == (server.port, server.url)
    kinds = [(event["type"], event["client"]) for event in events[1:]]
    assert sorted(kinds) == sorted(
        [("open", 1), ("message", 1), ("open", 2), ("message", 2), ("close", 2), ("close", 1)])
    message = next(event for event in events if event["type"] == "message")
    assert {name: message[name] for name in ("direction", "opcode", "bytes", "data")} == {
        "direction": "in", "opcode": "text", "bytes": 5, "data": "hello"}
    closed = next(event for event in events if event["type"] == "close" and event["client"] == 2)
    assert (closed["code"], closed["reason"], closed["clean"]) == (4000, "bye", True)
    for event in events:
        assert len(event["time"]) == len("2026-01-31T15:04:05.123456Z") and event["time"].endswith("Z")
    own = [json.loads(line) for line in client.out.splitlines()]
    assert [event["type"] for event in own] == ["open", "message", "close"]
    assert all("client" not in event for event in own)


def test_json_events_can_represent_any_bytes():
    hostile = "\x00\x1b[31m\"\\\x7f\x85\u202e\u2028🎈\n\r\t"
    with Listener("--output", "json") as server:
        assert wsx("connect", "--linger", "0", server.url, hostile.replace("\x00", "")).status == 0
        assert wsx("connect", "--linger", "0", "--binary", server.url, stdin=b"\xff\x00\n").status == 0
        wait_until(lambda: server.out.count(b'"close"') == 2)
        assert server.stop() == 0
    messages = [event for event in map(json.loads, server.out.splitlines()) if event["type"] == "message"]
    assert messages[0]["data"] == hostile.replace("\x00", "")
    assert messages[1]["base64"] == "/wA="
    assert all(byte == 0x0A or 0x20 <= byte < 0x7F or byte >= 0x80 for byte in server.out)
    assert b"\xe2\x80\xae" not in server.out


def test_a_client_that_disappears_is_reported_with_1006():
    with Listener("--output", "json") as server:
        with socket.create_connection(("127.0.0.1", server.port)) as sock:
            stream = wire.Stream(sock)
            stream.send(wire.upgrade_request(server.port))
            assert stream.read_head().startswith(b"HTTP/1.1 101 ")
        server.wait_for('"close"', "out")
        closed = json.loads(server.out.splitlines()[-1])
        assert (closed["code"], closed["clean"]) == (1006, False)


# Shutdown


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("options", [["--echo"], []])
def test_a_signal_closes_every_client_with_1001_and_exits_0(number, options):
    async def talk(server):
        connections = [await websockets.connect(server.url) for _ in range(5)]
        await asyncio.to_thread(wait_until, lambda: server.err.count("connected from") == 5)
        server.signal(number)
        for connection in connections:
            await asyncio.wait_for(connection.wait_closed(), 60)
        return [connection.close_code for connection in connections]

    with Listener(*options) as server:
        assert asyncio.run(talk(server)) == [1001] * 5
        assert server.wait() == 0


def test_a_signal_without_clients_ends_at_once():
    with Listener("--echo") as server:
        assert server.stop() == 0
        assert server.err.count("\n") == 1


def test_a_client_that_does_not_answer_delays_the_end_by_the_close_timeout_only():
    with Listener("--echo", "--close-timeout", "300ms") as server:
        with socket.create_connection(("127.0.0.1", server.port)) as sock:
            stream = wire.Stream(sock)
            stream.send(wire.upgrade_request(server.port))
            stream.read_head()
            server.signal(signal.SIGTERM)
            assert stream.read_until_close().close_code == 1001
            assert server.wait() == 0


# Negotiation and refusals


# Socket files


def test_a_socket_file_serves_and_is_removed(tmp_path):
    path = tmp_path / "echo.sock"
    with Listener("--echo", address=f"unix:{path}") as server:
        assert server.url == f"ws+unix:{path}"
        for url in (server.url, f"{server.url}:/request?x"):
            assert wsx("connect", "-n", "1", url, "hi").out == b"hi\n"
        assert wsx("connect", "-n", "1", "--unix-socket", path, "ws://localhost/x", "hi").out == b"hi\n"

        async def talk():
            async with websockets.unix_connect(str(path), uri="ws://localhost/") as connection:
                await connection.send("hi")
                return await connection.recv()

        assert asyncio.run(talk()) == "hi"
        assert server.stop() == 0
    assert not path.exists()


def test_a_socket_file_in_use_exits_3_and_is_not_removed(tmp_path):
    path = tmp_path / "echo.sock"
    with Listener("--echo", address=f"unix:{path}") as server:
        result = wsx("listen", "--echo", f"unix:{path}")
        assert_fails(result, 3, "address already in use", "delete the socket file")
        assert "Port 0" not in result.err
        assert wsx("connect", "-n", "1", server.url, "hi").out == b"hi\n"


# echo:
