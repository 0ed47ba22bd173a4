"""Reconnecting and heartbeats: no line is lost, no server is overwhelmed, and dead peers are detected."""

import contextlib
import os
import signal
import threading
import time

import pytest

import wire
from processes import BINARY, PEERS, PYTHON, RECONNECT, PeerServer, Running, assert_fails, wait_until, wsx
from scripted_server import ScriptedServer
from services import CREDENTIALS, free_ports
from tls import server_context

# For a longer run of some minutes, set WSX_TEST_RESTARTS=50 WSX_TEST_LINES=10000.
RESTARTS = int(os.environ.get("WSX_TEST_RESTARTS", "20"))
LINES = int(os.environ.get("WSX_TEST_LINES", "2000"))


class Recorder:
    """The recording server, which can be killed and restarted on its port. `lines` is everything it has received."""

    def __init__(self, path):
        self._path = path
        path.touch()
        self.process = self._start(0)
        self.port = self.process.port
        self.url = self.process.url

    def __enter__(self):
        return self

    def __exit__(self, *arguments):
        self.process.__exit__(*arguments)

    @property
    def lines(self):
        """The complete lines of the file."""
        return self._path.read_bytes().split(b"\n")[:-1]

    def kill(self):
        """Kills it without a warning, whatever it is doing."""
        self.process.__exit__()

    def restart(self):
        self.process = self._start(self.port)

    def _start(self, port):
        return PeerServer([PYTHON, PEERS / "recording_server.py", str(port), self._path])


def without_repetitions(lines):
    return [*dict.fromkeys(lines)]


# No loss


def test_no_line_is_lost_if_the_server_is_killed_repeatedly(tmp_path):
    """Lines may arrive twice if the server was killed before a pong confirmed them."""
    expected = [b"%d" % number for number in range(LINES)]
    batch = LINES // RESTARTS
    with Recorder(tmp_path / "lines") as recorder:
        with Running([BINARY, "connect", *RECONNECT, "--linger", "0", recorder.url], stdin=-1) as client:
            for turn in range(RESTARTS):
                client.send(b"".join(line + b"\n" for line in expected[turn * batch : (turn + 1) * batch]))
                # Kill the server in the middle of a batch. Every other time, wait until a pong has confirmed part of
                # it.
                first = expected[turn * batch]
                wait_until(lambda: first in recorder.lines, 120, "the first line of a batch")
                if turn % 2:
                    recorder.process.wait_for("pong", "out", 60)
                recorder.kill()
                recorder.restart()
            client.send(b"".join(line + b"\n" for line in expected[RESTARTS * batch :]))
            client.process.stdin.close()
            assert client.wait(180) == 0, client.err
        lines = recorder.lines
    assert without_repetitions(lines) == expected
    # Confirmed lines are not sent again, so at most every line in flight arrives twice.
    assert len(lines) <= 2 * LINES


def test_messages_before_and_after_a_reconnect_form_one_stream():
    def script(peer):
        peer.upgrade(then=wire.text(f"{server.connection_count}"))
        if server.connection_count == 2:
            peer.send(wire.close(1000))
            peer.read_until_close()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--reconnect", "--no-stdin", server.url)
    assert (result.status, result.out) == (0, b"1\n2\n"), result
    assert server.connection_count == 2


@pytest.mark.parametrize("end", [b"", wire.close(1001), wire.close(1012)], ids=["none", "1001", "1012"])
def test_the_client_reconnects_to_a_server_that_leaves_or_restarts(end):
    def script(peer):
        peer.upgrade()
        if server.connection_count == 1:
            peer.send(end)
        else:
            peer.send(wire.text("back") + wire.close(1000))
        if end or server.connection_count > 1:
            peer.read_until_close()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--reconnect", "--no-stdin", server.url)
    assert (result.status, result.out) == (0, b"back\n"), result


def test_cookies_of_the_handshake_are_sent_when_reconnecting():
    def script(peer):
        fields = [b"Set-Cookie: session=geheim; Path=/; HttpOnly", b"Set-Cookie: old=x; Max-Age=0"]
        peer.upgrade(*fields)
        if server.connection_count == 2:
            peer.send(wire.close(1000))
            peer.read_until_close()
        return wire.field(peer.request, b"Cookie")

    with ScriptedServer(script) as server:
        result = wsx("connect", "-v", "--reconnect", "--no-stdin", "-b", "own=1", server.url)
    assert result.status == 0, result
    assert server.results[0] == b"own=1"
    assert sorted(server.results[1].split(b"; ")) == [b"own=1", b"session=geheim"]
    assert "geheim" not in result.err


# Final errors


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_is_temporarily_unavailable_is_retried(status):
    def script(peer):
        if server.connection_count == 1:
            peer.read_request()
            peer.send(f"HTTP/1.1 {status} Later\r\nContent-Length: 0\r\n\r\n".encode())
        else:
            peer.upgrade(then=wire.text("hello") + wire.close(1000))
            peer.read_until_close()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--reconnect", "--no-stdin", server.url)
    assert (result.status, result.out) == (0, b"hello\n"), result


def test_a_bad_certificate_is_final(certificates):
    def script(peer):
        try:
            peer.start_tls(server_context(certificates.bad["expired"]))
        except OSError:
            pass

    with ScriptedServer(script) as server:
        url = server.url.replace("ws:", "wss:")
        assert_fails(wsx("connect", "--reconnect", "--ca", certificates.root, url), 3, "expired")
    assert server.connection_count == 1


def test_a_bad_certificate_after_a_good_one_is_final(certificates):
    def script(peer):
        is_first = server.connection_count == 1
        try:
            peer.start_tls(server_context(certificates.good if is_first else certificates.bad["wrong host"]))
            peer.upgrade(then=wire.text("hello"))
        except OSError:
            pass

    with ScriptedServer(script) as server:
        url = server.url.replace("ws:", "wss:")
        result = wsx("connect", "--reconnect", "--no-stdin", "--ca", certificates.root, url)
    assert result.status == 3 and result.out == b"hello\n", result
    assert server.connection_count == 2


# Attempts and delays


def test_the_number_of_attempts_is_limited():
    port = free_ports(1)[0]
    result = wsx("connect", "--reconnect=2", "--reconnect-delay", "50ms", f"ws://127.0.0.1:{port}/")
    assert result.status == 3
    errors = [line for line in result.error_lines if line.startswith("wsx: ")]
    assert "connection refused" in errors[-1]


def test_the_server_sees_the_configured_number_of_attempts():
    def script(peer):
        peer.read_request()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--reconnect=2", "--reconnect-delay", "50ms", "--no-stdin", server.url)
    assert result.status == 3, result
    assert server.connection_count == 3, "expected one attempt and two retries"


def test_the_limit_of_the_whole_run_includes_all_attempts():
    port = free_ports(1)[0]
    result = wsx("connect", "--reconnect", "--timeout", "1s", f"ws://127.0.0.1:{port}/")
    assert result.status == 6


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_wait(number, status):
    port = free_ports(1)[0]
    with Running([BINARY, "connect", "--reconnect", f"ws://127.0.0.1:{port}/"], stdin=-1) as client:
        client.wait_for("econnect")
        client.signal(number)
        assert client.wait(60) == status


CLIENT_COUNT = 200


def announced_waits():
    """Drops many clients at once. Returns two sorted lists in seconds: the delays that the clients announce, and the
    times until they are back."""
    opened, came_back = [], []
    is_dropped = threading.Event()
    is_over = threading.Event()

    def script(peer):
        moment = time.monotonic()
        peer.upgrade()
        if is_dropped.is_set():
            came_back.append(moment)
            is_over.wait(60)
        else:
            opened.append(peer)
            is_dropped.wait(60)

    with ScriptedServer(script) as server, contextlib.ExitStack() as stack:
        stack.callback(is_over.set)
        # Clients of a server on the same machine would return sooner.
        arguments = [
            "--reconnect", "--no-stdin", "--resolve", f"*:{server.port}:127.0.0.1", f"ws://server.invalid:{server.port}/"]
        clients = [
            stack.enter_context(Running([BINARY, "connect", *arguments])) for _ in range(CLIENT_COUNT)]
        wait_until(lambda: len(opened) == CLIENT_COUNT, 60, "all clients")
        drop_time = time.monotonic()
        is_dropped.set()
        wait_until(lambda: len(came_back) == CLIENT_COUNT, 60, "all clients again")
        waits = [float(client.wait_for(r"reconnecting in (\d+\.\d) s ").group(1)) for client in clients]
    return sorted(waits), sorted(moment - drop_time for moment in came_back)


@pytest.mark.alone
def test_two_hundred_clients_do_not_reconnect_at_the_same_time():
    """No interval of 100 ms has more than a tenth of the clients. A rare exception is possible by chance, but not twice
    in a row. The test judges the announced delays, because clients on a busy machine may return late and together."""
    worst = []
    while len(worst) < 2:
        waits, times = announced_waits()
        # Delays are announced in tenths of a second, and no client returns early.
        assert all(seconds >= wait - 0.06 for wait, seconds in zip(waits, times))
        worst.append(max(map(waits.count, waits)))
        if worst[-1] <= CLIENT_COUNT // 10:
            return
    raise AssertionError(f"{worst} of {CLIENT_COUNT} clients within 100 ms")


# Heartbeats


BEAT = ["--heartbeat", "200ms", "--heartbeat-misses", "2"]


def test_a_peer_that_answers_no_pings_is_disconnected_after_the_misses():
    times = []

    def script(peer):
        # This is before the client's first interval can start.
        start = time.monotonic()
        peer.upgrade()
        while received := peer.read_frame():
            if received.opcode == wire.PING:
                times.append(time.monotonic() - start)
        return time.monotonic() - start

    with ScriptedServer(script) as server:
        result = wsx("connect", "--no-stdin", *BEAT, server.url)
    assert_fails(result, result.status)
    assert result.status in (1, 6)
    assert "heartbeat" in result.err
    assert len(times) == 2, "one ping per heartbeat that may be missed"
    assert times[0] >= 0.195
    assert server.results[0] >= 0.595


def test_a_stopped_process_is_disconnected(tmp_path):
    with Recorder(tmp_path / "lines") as recorder:
        with Running([BINARY, "connect", "--no-stdin", *BEAT, recorder.url]) as client:
            recorder.process.wait_for("pong\npong\n", "out")
            recorder.process.signal(signal.SIGSTOP)
            assert client.wait() in (1, 6)
            assert "heartbeat" in client.err


def test_the_client_reconnects_after_losing_a_dead_peer():
    def script(peer):
        peer.upgrade()
        if server.connection_count == 1:
            peer.read_to_end()
            return
        peer.send(wire.text("back") + wire.close(1000))
        peer.read_until_close()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--reconnect", "--no-stdin", *BEAT, server.url)
    assert (result.status, result.out) == (0, b"back\n"), result
    assert server.connection_count == 2


# Combinations


def test_a_reconnect_uses_the_same_route_and_credentials(certificates, guarded_tinyproxy):
    def script(peer):
        peer.upgrade()
        if server.connection_count == 1:
            peer.send(wire.text("first"))
        else:
            peer.send(wire.text("second") + wire.close(1000))
            peer.read_until_close()
        return wire.field(peer.request, b"Authorization")

    with ScriptedServer(script, context=server_context(certificates.good)) as server:
        result = wsx(
            "connect", *RECONNECT, "--no-stdin", "--ca", certificates.root, "--auth", CREDENTIALS, "--proxy",
            f"http://{CREDENTIALS}@127.0.0.1:{guarded_tinyproxy.port}", server.url)
    assert (result.status, result.out) == (0, b"first\nsecond\n"), result
    assert server.results[0] is not None and server.results[0] == server.results[1]
    assert "geheim" not in result.err
