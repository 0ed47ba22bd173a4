"""`wsx listen --once` serves one client and exits with its status."""

import signal
import socket
import subprocess

import pytest

import wire
from processes import BINARY, Listener, Running, shell, wsx


def once(*arguments, **options):
    return Listener("--once", "--close-timeout", "500ms", *arguments, **options)


class Client(wire.Stream):
    """A client driven by the test."""

    def __init__(self, port, *fields):
        super().__init__(socket.create_connection(("127.0.0.1", port), timeout=60))
        self.send(wire.upgrade_request(port, "/", *fields))
        assert self.read_head().startswith(b"HTTP/1.1 101 ")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def close(self, *frame):
        self.send(wire.close(*frame, is_masked=True))
        self.read_to_end()


@pytest.mark.parametrize("frame, status, words", [
    ((1000, b"bye"), 0, ""), ((1001,), 0, ""), ((), 0, ""),
    ((1011, b"broken"), 1, 'the peer closed the connection: 1011 (internal error) "broken"'),
    ((4000,), 1, "the peer closed the connection: 4000"),
])
def test_the_exit_status_reflects_the_end_of_the_client(frame, status, words):
    with once("--echo") as server:
        with Client(server.port) as client:
            client.close(*frame)
        assert server.wait() == status
        if words:
            assert f"wsx: {words}\n" in server.err
        else:
            assert "wsx:" not in server.err


def test_input_is_sent_and_output_is_written_until_the_client_leaves(tmp_path):
    out = tmp_path / "out"
    script = """printf 'a\nb\n' | "$0" listen --once 0 > "$1" """
    with Running(["bash", "-c", script, BINARY, out]) as pipeline:
        port = int(pipeline.wait_for(r"Listening on ws://127.0.0.1:(\d+)/\n").group(1))
        with Client(port) as client:
            assert [client.read_frame().payload for _ in range(2)] == [b"a", b"b"]
            for message in ["one", "two"]:
                client.send(wire.text(message, is_masked=True))
            client.close(1000)
        assert pipeline.wait() == 0
    assert out.read_bytes() == b"one\ntwo\n"


def test_the_end_of_the_input_does_not_end_the_run():
    with once(stdin=subprocess.PIPE) as server:
        server.send(b"a\n")
        server.process.stdin.close()
        with Client(server.port) as client:
            assert client.read_frame().payload == b"a"
            client.send(wire.text("late", is_masked=True))
            server.wait_for("late\n", "out")
            assert server.process.poll() is None
            client.close(1000)
        assert (server.wait(), server.out) == (0, b"late\n")


def test_no_other_client_is_accepted_after_the_first():
    with once("--echo") as server:
        waiting = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        with Client(server.port) as client:
            # Connections without a request are closed, and so is the port.
            assert waiting.recv(1) == b""
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", server.port), timeout=60)
            client.send(wire.text("still there", is_masked=True))
            assert client.read_frame().payload == b"still there"
            client.close(1000)
        waiting.close()
        assert server.wait() == 0


def test_refused_requests_do_not_count():
    with once("--echo", "--bearer", "t") as server:
        assert wsx("connect", server.url, "x").status == 4
        assert wsx("connect", "--bearer", "t", "-o", "http://evil.example", server.url, "x").status == 4
        assert wsx("connect", "--bearer", "t", "-n", "1", server.url, "hello").out == b"hello\n"
        assert server.wait() == 0


def test_all_output_is_written_before_the_end_even_to_a_slow_reader():
    # More than the pipe and a single write can hold.
    message = b"x" * 60_000
    with once(stdout=subprocess.PIPE) as server:
        with Client(server.port) as client:
            for _ in range(50):
                client.send(wire.frame(wire.BINARY, message, is_masked=True))
            client.close(1000)
        assert server.wait() == 0
        assert server.out == (message + b"\n") * 50


def test_a_stuck_reader_is_waited_for_beyond_the_close_timeout(tmp_path):
    result = shell(
        """
        "$WSX" listen --once --close-timeout 100ms 0 2> "$1/log" | (sleep 1; wc -c) &
        until url=$(grep -om1 'ws://.*' "$1/log"); do sleep 0.05; done
        head -c 300000 /dev/zero | "$WSX" connect --input message --binary --linger 0 "$url"
        wait
        """, tmp_path)
    assert result.out.split() == [b"300001"], result


def test_a_unix_socket_serves_once_and_is_removed(tmp_path):
    path = tmp_path / "socket"
    with once("--echo", address=f"unix:{path}") as server:
        assert wsx("connect", "-n", "1", f"ws+unix:{path}", "hello").out == b"hello\n"
        assert server.wait() == 0
        assert not path.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_run_like_any_server(number):
    with once("--echo") as server:
        server.signal(number)
        assert server.wait() == 0
    with once("--echo") as server, Client(server.port) as client:
        server.signal(number)
        assert client.read_until_close().close_code == 1001
        client.close(1001)
        assert server.wait() == 0


def test_a_client_that_misses_its_heartbeats_exits_6():
    with once("--echo", "--heartbeat", "50ms") as server, Client(server.port):
        assert server.wait() == 6
        assert "the peer sent nothing" in server.err


# Status of the client's program


@pytest.mark.parametrize("script, status, words", [
    ("exit 0", 0, None), ("exit 3", 1, "sh exited with status 3"), ("kill -9 $$", 1, "sh was killed by signal 9"),
])
def test_a_failed_program_exits_1(script, status, words):
    with once(program=["sh", "-c", script]) as server, Client(server.port) as client:
        assert client.read_until_close().close_code == (1011 if status else 1000)
        client.send(wire.close(1011 if status else 1000, is_masked=True))
        assert server.wait() == status
        lines = [line for line in server.err.splitlines() if line.startswith("wsx: ")]
        assert lines == ([f"wsx: {words}"] if words else [])


def test_a_program_that_fails_after_its_client_left_exits_1():
    with once("--output", "json", "--exec-grace", "20s", program=["sh", "-c", "cat; exit 5"]) as server:
        with Client(server.port) as client:
            client.close(1000)
        assert server.wait() == 1
        assert server.err.count("sh exited with status 5") == 1
        assert "wsx: sh exited with status 5\n" in server.err
        assert b'"kind":"program","message":"sh exited with status 5","client":1' in server.out


def test_a_program_that_has_to_be_terminated_has_not_failed():
    with once("--exec-grace", "100ms", program=["sh", "-c", "trap 'exit 7' TERM; echo; sleep 30 & wait"]) as server:
        with Client(server.port) as client:
            assert client.read_frame().payload == b""
            client.close(1000)
        assert server.wait() == 0


def test_without_once_failed_programs_do_not_end_the_server():
    with Listener(program=["sh", "-c", "exit 3"]) as server:
        with Client(server.port) as client:
            assert client.read_until_close().close_code == 1011
        server.wait_for("Client 1: sh exited with status 3\n")
        assert server.stop() == 0


def test_a_program_that_writes_too_long_a_line_exits_1():
    with once("--max-message-size", "10", program=["sh", "-c", "echo 12345678901; cat"]) as server:
        with Client(server.port) as client:
            assert client.read_until_close().close_code == 1011
            client.send(wire.close(1011, is_masked=True))
            assert server.wait() == 1
        assert "wsx: a line of sh's output has more than 10 bytes" in server.err
