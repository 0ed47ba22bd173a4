"""`wsx listen` and `wsx connect` count the messages that an output lacks at the end."""

import contextlib
import os
import re
import select
import signal
import socket
import subprocess

import pytest

import wire
from listen_clients import close_as_client, connect, fill, pipe_is_empty
from processes import BINARY, Listener, Running, wait_until

# More than a pipe takes, and, even as events, less than the queue at which receiving pauses.
MESSAGES_COUNT = 6000


class BlockedPipe:
    """A pipe that nobody reads until the end."""

    def __enter__(self):
        self.reading, self.writing = os.pipe()
        return self

    def __exit__(self, *_):
        for descriptor in (self.reading, self.writing):
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def rest(self):
        """Everything in the pipe, after its writer has ended."""
        os.close(self.writing)
        with open(self.reading, "rb") as stream:
            return stream.read()


def send_messages(client, count=MESSAGES_COUNT):
    """Sends messages, and waits until the server has received them."""
    client.send(b"".join(wire.text(f"message {number}", is_masked=True) for number in range(count)))
    client.send(wire.frame(wire.PING, b"received", is_masked=True))
    while client.read_frame().payload != b"received":
        pass


def assert_counted(err, written_count, sent_count=MESSAGES_COUNT):
    match = re.search(
        r"^wsx: writing standard output: (\d+) received messages were not written because its reader was too slow\n",
        err, re.MULTILINE)
    assert match, err
    assert int(match.group(1)) == sent_count - written_count
    assert written_count < sent_count


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("options", [[], ["--output", "json"], ["--broadcast", "--no-stdin"]])
def test_messages_that_a_blocked_output_did_not_take_are_counted(number, options):
    with BlockedPipe() as pipe, Listener("--close-timeout", "100ms", *options, stdout=pipe.writing) as listener:
        send_messages(connect(listener))
        listener.signal(number)
        assert listener.wait() == 1
        complete = pipe.rest().split(b"\n")[:-1]
        written = [line for line in complete if line.startswith(b"message ") or b'"type":"message"' in line]
        assert_counted(listener.err, len(written))


def test_a_second_signal_ends_at_once_and_the_loss_is_reported():
    with BlockedPipe() as pipe, Listener("--close-timeout", "1h", stdout=pipe.writing) as listener:
        client = connect(listener)
        send_messages(client)
        listener.signal(signal.SIGTERM)
        assert client.read_until_close().close_code == 1001
        listener.signal(signal.SIGTERM)
        assert listener.wait() == 1
        assert_counted(listener.err, pipe.rest().count(b"\n"))


def test_a_run_with_once_that_is_stopped_reports_what_it_did_not_write():
    with BlockedPipe() as pipe, Listener("--once", stdout=pipe.writing) as listener:
        client = connect(listener)
        send_messages(client)
        close_as_client(client)
        client.sock.close()
        listener.wait_for("Client 1 disconnected")
        listener.signal(signal.SIGTERM)
        assert listener.wait() == 1
        assert_counted(listener.err, pipe.rest().count(b"\n"))


def test_messages_that_were_not_read_are_mentioned():
    with BlockedPipe() as pipe, Listener("--close-timeout", "100ms", stdout=pipe.writing) as listener:
        fill(connect(listener))
        listener.signal(signal.SIGTERM)
        assert listener.wait() == 1
        assert "too slow; more had arrived and was not read\n" in listener.err


def test_nothing_is_reported_if_everything_was_written():
    with Listener("--close-timeout", "100ms") as listener:
        send_messages(connect(listener))
        assert listener.stop() == 0
        assert "not written" not in listener.err
        assert listener.out.count(b"\n") == MESSAGES_COUNT


def test_a_recording_without_its_end_is_reported(tmp_path):
    path = tmp_path / "recording"
    os.mkfifo(path)
    reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    options = ["--record", os.fspath(path), "--close-timeout", "100ms"]
    with Listener(*options, stdout=subprocess.DEVNULL) as listener:
        client = connect(listener)
        send_messages(client, 2000)
        listener.signal(signal.SIGTERM)
        assert listener.wait() == 1
        assert f"wsx: recording to {path}: the end is missing because the pipe's reader was too slow\n" in listener.err
    os.close(reading)


def test_connect_counts_messages_that_a_blocked_output_did_not_take(tmp_path):
    path = tmp_path / "recording"
    lines = [b"message %d" % number for number in range(MESSAGES_COUNT)]
    with BlockedPipe() as pipe, Listener(stdin=subprocess.PIPE) as listener:
        with Running(
            [BINARY, "connect", "--no-stdin", "--record", path, listener.url], stdout=pipe.writing
        ) as client:
            listener.send(b"\n".join(lines) + b"\n")
            wait_until(lambda: path.exists() and path.read_bytes().count(b'"type":"message"') == len(lines))
            client.signal(signal.SIGTERM)
            assert client.wait() == 143
            assert_counted(client.err, pipe.rest().count(b"\n"))


def test_delayed_messages_that_the_end_discards_are_counted():
    with Listener("--delay", "1h", stdin=subprocess.PIPE) as listener:
        client = connect(listener)
        listener.send(b"one\ntwo\nthree\n")
        wait_until(lambda: pipe_is_empty(listener.process.stdin))
        client.send(wire.frame(wire.PING, b"received", is_masked=True))
        assert client.read_frame().payload == b"received"
        listener.signal(signal.SIGTERM)
        assert client.read_until_close().close_code == 1001
        client.sock.close()
        assert listener.wait() == 1
        assert "wsx: sending to clients: 3 delayed messages were not sent\n" in listener.err


def test_data_that_a_client_does_not_read_is_mentioned_at_the_end():
    with Listener("--compress=off", "--close-timeout", "100ms", stdin=subprocess.PIPE) as listener:
        client = connect(listener)
        # Until the system's buffers, the client's queue, and the pipe are full.
        pipe = listener.process.stdin.fileno()
        os.set_blocking(pipe, False)
        while select.select([], [pipe], [], 0.5)[1]:
            os.write(pipe, b"x" * 4_000 + b"\n")
        listener.signal(signal.SIGTERM)
        assert listener.wait() == 1
        assert re.search(r"^wsx: sending to clients: \d+ bytes that clients did not read", listener.err, re.M)
        client.sock.close()


def queue_for(listener):
    """Sends more than the system takes for a client that does not read."""
    listener.send(b"".join(b"x" * 1_000_000 + b"\n" for _ in range(12)))


def connect_slowly(listener):
    """A client whose kernel takes little, so that the rest remains in the server."""
    sock = socket.socket()
    sock.settimeout(60)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.connect(("127.0.0.1", listener.port))
    client = wire.Stream(sock)
    client.send(wire.upgrade_request(listener.port))
    assert b" 101 " in client.read_head()
    return client


def test_a_client_that_reads_everything_and_does_not_answer_the_close_frame_has_lost_nothing():
    with Listener("--compress=off", stdin=subprocess.PIPE) as listener:
        client = connect_slowly(listener)
        queue_for(listener)
        wait_until(lambda: pipe_is_empty(listener.process.stdin))
        listener.signal(signal.SIGTERM)
        assert client.read_until_close().close_code == 1001
        client.sock.close()
        assert listener.wait() == 0
        assert "not sent" not in listener.err and " lost" not in listener.err, listener.err


def test_output_that_a_client_does_not_read_after_its_close_frame_is_logged_as_lost():
    with Listener("--compress=off", "--close-timeout", "100ms", stdin=subprocess.PIPE) as listener:
        client = connect_slowly(listener)
        queue_for(listener)
        wait_until(lambda: pipe_is_empty(listener.process.stdin))
        client.send(wire.close(1000, is_masked=True))
        listener.wait_for("disconnected: 1000")
        assert listener.stop() == 0
        assert re.search(r" out, \d+\.\d MiB lost\n", listener.err), listener.err
        client.sock.close()


def test_echoes_that_a_client_does_not_read_are_no_loss_of_the_user():
    with Listener("--echo", "--compress=off", "--close-timeout", "100ms") as listener:
        fill(connect(listener))
        assert listener.stop() == 0
        assert "not sent" not in listener.err


def test_input_that_remains_when_the_only_client_goes_is_mentioned():
    with Listener("--once", "--compress=off", stdin=subprocess.PIPE) as listener:
        client = connect(listener)
        close_as_client(client)
        listener.send(b"one\ntwo\n")
        client.sock.close()
        assert listener.wait() == 1
        assert "wsx: sending to clients: the rest of standard input was not sent\n" in listener.err


@pytest.mark.parametrize("options", [["--once"], []])
def test_nothing_is_mentioned_if_everything_was_sent(options):
    with Listener(*options, stdin=subprocess.PIPE) as listener:
        client = connect(listener)
        listener.send(b"one\n")
        listener.process.stdin.close()
        assert client.read_message().payload == b"one"
        if options:
            close_as_client(client)
            client.sock.close()
        else:
            listener.signal(signal.SIGTERM)
            client.send(wire.close(client.read_until_close().close_code, is_masked=True))
        assert listener.wait() == 0
        assert "not sent" not in listener.err
