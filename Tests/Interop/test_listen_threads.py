"""`wsx listen --threads` runs several event loops on one port."""

import asyncio
import json
import re
import signal
import socket
import ssl

import pytest
import websockets

import wire
from processes import Listener, assert_fails, thread_count, wait_until, wsx
from test_listen_once import Client


def test_clients_are_distributed_and_each_gets_its_own_echoes():
    async def talk(url):
        clients = await asyncio.gather(*[websockets.connect(url) for _ in range(60)])

        async def chat(number):
            for index in range(20):
                await clients[number].send(f"{number} {index}")
                assert await clients[number].recv() == f"{number} {index}"

        await asyncio.gather(*[chat(number) for number in range(60)])
        await asyncio.gather(*[client.close() for client in clients])

    with Listener("--echo", "--threads", "3") as listener:
        assert thread_count(listener.pid) == 3
        asyncio.run(asyncio.wait_for(talk(listener.url), 60))
        wait_until(lambda: listener.err.count("disconnected: 1000") == 60)
        numbers = [int(number) for number in re.findall(r"Client (\d+) connected", listener.err)]
        assert len(set(numbers)) == 60
        # The client number identifies the thread. Sixty clients never all end up on the same thread.
        assert len({number % 3 for number in numbers}) > 1
        assert listener.stop() == 0


def test_all_threads_close_their_clients_at_the_end():
    async def wait_for_end(listener):
        clients = await asyncio.gather(*[websockets.connect(listener.url) for _ in range(30)])
        listener.signal(15)
        await asyncio.gather(*[client.wait_closed() for client in clients])
        assert {client.close_code for client in clients} == {1001}

    with Listener("--echo", "--threads", "4") as listener:
        asyncio.run(asyncio.wait_for(wait_for_end(listener), 60))
        assert listener.wait() == 0


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_session_is_resumed_whichever_thread_the_client_reaches(version):
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = context.maximum_version = version

    def connect(session=None):
        with socket.create_connection(("127.0.0.1", listener.port), timeout=60) as plain:
            with context.wrap_socket(plain, session=session) as stream:
                stream.sendall(wire.upgrade_request(listener.port))
                # With TLS 1.3, tickets arrive with the first data.
                assert stream.recv(1000).startswith(b"HTTP/1.1 101 ")
                return stream.session_reused, stream.session

    with Listener("--echo", "--threads", "3", "--tls-self-signed") as listener:
        _, session = connect()
        assert [connect(session)[0] for _ in range(30)] == [True] * 30
        wait_until(lambda: listener.err.count(" disconnected:") == 31)
        numbers = [int(number) for number in re.findall(r"Client (\d+) connected", listener.err)]
        assert len({number % 3 for number in numbers}) > 1


def test_threads_show_the_same_certificate():
    async def talk(url):
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        seen = set()
        for _ in range(20):
            async with websockets.connect(url, ssl=context) as client:
                seen.add(client.transport.get_extra_info("ssl_object").getpeercert(True))
                await client.send("x")
                assert await client.recv() == "x"
        assert len(seen) == 1

    with Listener("--echo", "--threads", "2", "--tls-self-signed") as listener:
        asyncio.run(asyncio.wait_for(talk(listener.url), 60))


def test_a_port_in_use_is_an_error_with_threads_too():
    with Listener("--echo") as listener:
        assert_fails(wsx("listen", "--echo", "--threads", "2", str(listener.port)), 3, "in use")


def test_two_servers_with_threads_do_not_share_a_port():
    with Listener("--echo", "--threads", "2") as listener:
        assert_fails(wsx("listen", "--echo", "--threads", "2", str(listener.port)), 3, "in use")


@pytest.mark.parametrize("arguments, words", [
    (["0"], ["--threads", "--echo"]),
    (["--broadcast", "0"], ["--threads", "--echo"]),
    (["--echo", "unix:/tmp/wsx-threads.sock"], ["--threads", "port"]),
    (["--echo", "--once", "0"], ["--threads", "--once"]),
])
def test_options_that_need_a_single_thread_are_rejected(arguments, words):
    assert_fails(wsx("listen", "--threads", "2", *arguments), 2, *words)


def test_events_of_several_threads_are_rejected():
    result = wsx("listen", "--threads", "2", "--echo", "--output", "json", "0")
    assert (result.status, json.loads(result.err)["option"]) == (2, "--threads"), result


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_does_not_wait_for_clients_that_do_not_answer(number):
    with Listener("--echo", "--threads", "4", "--close-timeout", "1h") as server:
        clients = [Client(server.port) for _ in range(20)]
        server.signal(number)
        # All clients on all threads receive a close frame, and none answers.
        for client in clients:
            assert client.read_frame().close_code == 1001
        assert server.process.poll() is None
        server.signal(number)
        assert server.wait(60) == 0
        # Each client has its line.
        assert server.err.count("disconnected: 1006") == 20
        for client in clients:
            client.sock.close()


def test_shutdown_waits_for_the_clients_of_all_threads():
    with Listener("--echo", "--threads", "4", "--close-timeout", "1h") as server:
        clients = [Client(server.port) for _ in range(20)]
        server.signal(signal.SIGINT)
        for client in clients:
            assert client.read_frame().close_code == 1001
        for client in clients:
            client.send(wire.close(1001, is_masked=True))
        assert server.wait(60) == 0
        assert server.err.count("disconnected: 1001") == 20
