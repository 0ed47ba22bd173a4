"""The memory, open files, and places of clients that an HTTP/2 connection with many streams can take from `listen`."""

import contextlib
import os
import random
import struct
import threading

import pytest

import http2
from http2 import CANCEL, END_HEADERS, END_STREAM, ENHANCE_YOUR_CALM, GET, INTERNAL_ERROR, REFUSED_STREAM, WEBSOCKET, Client, changed
from processes import Listener, Relay, memory_limit, peak_resident_bytes, resident_bytes, wait_until, wsx

MEBIBYTE = 1 << 20
NO_WINDOW = (http2.INITIAL_WINDOW_SIZE, 0)


class Flood:
    """A connection that sends frames while another thread reads the answers."""

    def __init__(self, server, *settings):
        self.client = Client(server, *settings)
        self.client.read_until(lambda: self.client.settings)
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        with contextlib.suppress(OSError, AssertionError):
            self.client.read_to_end()

    def request(self, path, count):
        fields = changed(GET, _path=path)
        self.send(*[http2.headers(*fields, stream=stream, flags=END_HEADERS | END_STREAM)
                    for stream in range(1, 2 * count, 2)])

    def send(self, *frames):
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.client.send(*frames)

    def wait_for_answers(self, count):
        wait_until(lambda: len(self.client.heads) + len(self.client.ends) >= count, what=f"{count} answers")

    def close(self):
        self.client.stream.sock.close()


@contextlib.contextmanager
def floods(server, count, *settings):
    connections = [Flood(server, *settings) for _ in range(count)]
    yield connections
    for connection in connections:
        connection.close()


@pytest.fixture
def tree(tmp_path):
    directory = tmp_path / "tree"
    directory.mkdir()
    return directory


def assert_serves_others(server):
    assert wsx("connect", "-1", server.url, "alive").out == b"alive\n"


def test_pages_and_files_of_streams_without_a_window_hold_no_memory_and_one_open_file(tree):
    for number in range(1000):
        (tree / f"{number:04}-{'x' * 200}").touch()
    (tree / "file").write_bytes(random.randbytes(MEBIBYTE))
    with Listener("--http2", "--echo", "--serve", tree, "--max-memory", "16M", "--max-message-size", "4M") as server:
        before, files = resident_bytes(server.pid), len(os.listdir(f"/proc/{server.pid}/fd"))
        # Each page has 0.5 MB: together, 100 MB of pages and 200 MB of files.
        with floods(server, 4, NO_WINDOW) as connections:
            for connection, path in zip(connections, [b"/", b"/", b"/file", b"/file"]):
                connection.request(path, 100)
            for connection in connections:
                connection.wait_for_answers(100)
            assert len(os.listdir(f"/proc/{server.pid}/fd")) <= files + len(connections) + 1
            assert_serves_others(server)
            assert peak_resident_bytes(server.pid) < before + memory_limit(16 * MEBIBYTE)


def test_a_stream_gets_a_page_and_a_file_as_its_window_opens(tree):
    content = random.randbytes(300_000)
    (tree / "file").write_bytes(content)
    for number in range(300):
        (tree / f"{number:04}-{'x' * 200}").touch()
    with Listener("--http2", "--echo", "--serve", tree) as server, Client(server, NO_WINDOW) as client:
        for stream, path in ((1, b"/file"), (3, b"/")):
            client.request(changed(GET, _path=path), stream, END_HEADERS | END_STREAM)
            length = int(client.response(stream)[1]["content-length"])
            client.send(http2.window_update(10, stream=stream))
            client.read_until(lambda: stream in client.data)
            assert len(client.data[stream].buffer) == 10
            # As much as the first window of the connection allows, and then the rest.
            client.send(http2.window_update(MEBIBYTE, stream=stream))
            client.send(http2.window_update(MEBIBYTE))
            received = client.content(stream)
            assert len(received) == length and (stream != 1 or received == content)
        server.wait_for(r"Answered GET: 200, .*/file.* 29[0-9]\.\d KiB out\n")


def test_unfinished_messages_of_many_streams_hold_little_more_than_the_limit():
    options = ["--http2", "--answer", "^ => done", "--max-memory", "8M", "--max-message-size", "16M"]
    with Listener(*options) as server:
        before = resident_bytes(server.pid)
        head = struct.pack("!BBQ", 0x82, 0xFF, 10 * MEBIBYTE) + bytes(4)
        streams = range(1, 401, 2)
        with floods(server, 2) as connections:
            for connection in connections:
                connection.send(*[http2.headers(*WEBSOCKET, stream=stream) for stream in streams])
                connection.wait_for_answers(len(streams))
                window = connection.client.settings[http2.INITIAL_WINDOW_SIZE]
                # Together, what 400 windows allow is almost the limit.
                connection.send(*[http2.data(head + bytes(window - len(head)), stream) for stream in streams])
            legal = wsx("connect", "-1", "--binary", server.url, stdin=b"x" * 3_000_000 + b"\n")
            assert legal.out == b"done\n", legal
            assert peak_resident_bytes(server.pid) < before + memory_limit(32 * MEBIBYTE)


def test_responses_of_a_relay_that_clients_do_not_read_count(tree):
    (tree / "file").write_bytes(random.randbytes(MEBIBYTE))
    with Listener("--echo", "--serve", tree) as server:
        with Relay(server.url, "--http2", "--max-memory", "2M", "--max-message-size", "1M") as relay:
            with floods(relay, 1, NO_WINDOW) as [connection]:
                connection.request(b"/file", 100)
                connection.wait_for_answers(100)
                # Those that make no progress for 5 s are given up.
                relay.wait_for(r"Answered GET: 200, .*/file")
                wait_until(lambda: INTERNAL_ERROR in connection.client.ends.values(), what="a reset")
                assert_serves_others(relay)


def test_one_connection_takes_at_most_half_of_the_places():
    with Listener("--http2", "--echo", "--max-connections", "20") as server, Client(server) as client:
        streams = range(1, 21, 2)
        client.send(*[http2.headers(*WEBSOCKET, stream=stream) for stream in streams])
        client.read_until(lambda: len(client.heads) == 10)
        assert client.settings[http2.MAX_CONCURRENT_STREAMS] == 10
        # RFC 9113 §5.1.2: a stream beyond the advertised number is refused, and the connection continues.
        client.request(WEBSOCKET, 21)
        client.read_until(lambda: client.ends.get(21) == REFUSED_STREAM)
        client.say("hello", 1)
        assert client.message(1) == b"hello"
        assert_serves_others(server)


def test_streams_of_a_client_that_does_not_acknowledge_the_settings_are_few():
    with Listener("--http2", "--echo") as server, Client(server) as client:
        client.send(*[http2.headers(*WEBSOCKET, stream=stream) for stream in range(1, 301, 2)])
        client.read_until(lambda: len(client.heads) + len(client.ends) == 150)
        assert len(client.heads) == 100 and set(client.ends.values()) == {REFUSED_STREAM}
        # Now they are acknowledged.
        client.open(301)


def test_clients_that_cancel_all_requests_cost_few_lines_and_connections():
    requests = [http2.headers(*WEBSOCKET, stream=stream) + http2.reset(CANCEL, stream=stream)
                for stream in range(1, 2001, 2)]
    with Listener("--echo") as server, Relay(server.url, "--http2") as relay, Client(relay) as client:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            client.send(*requests)
        assert client.read_to_end() == ENHANCE_YOUR_CALM
        relay.wait_for("HTTP/2 connection from .* ended")
        assert_serves_others(relay)
        assert relay.err.count("\n") < 300 and server.err.count("connected from") < 110
