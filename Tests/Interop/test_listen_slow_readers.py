"""`wsx listen` closes a slow reader only for what it does to others."""

import contextlib
import subprocess
import threading
import time

import pytest

from listen_clients import connect
from processes import Listener, wait_until

pytestmark = pytest.mark.alone

LINE_BYTES = 64 << 10
# Three times as much as the kernel and the queue of a paused client hold.
LINES_COUNT = 1200
# Over twice the limit for a client that others wait for.
LONG_PAUSE = 2.5


def line(number):
    return b"%07d " % number + b"x" * (LINE_BYTES - 9)


@contextlib.contextmanager
def feeding(listener, count=LINES_COUNT):
    """Writes lines to standard input, until the block ends or the server does."""
    def feed():
        with contextlib.suppress(BrokenPipeError):
            for number in range(count):
                listener.send(line(number) + b"\n")

    thread = threading.Thread(target=feed, daemon=True)
    thread.start()
    yield thread


def read_all(stream, count=LINES_COUNT):
    for number in range(count):
        assert stream.read_message().payload == line(number)


def in_parallel(*actions):
    """Runs actions in threads and raises the first failure."""
    failures = []

    def run(action):
        try:
            action()
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def wait_until_stuck(read, timeout=60):
    """Waits until a counter no longer changes."""
    last = [read(), time.monotonic()]

    def is_stuck():
        now = read()
        if now != last[0]:
            last[:] = now, time.monotonic()
        return time.monotonic() - last[1] > 0.5

    wait_until(is_stuck, timeout)


def written_bytes(pid):
    """The number of bytes that a process has written."""
    with open(f"/proc/{pid}/io") as counters:
        return next(int(entry.split()[1]) for entry in counters if entry.startswith("wchar"))


@pytest.mark.parametrize("options", [[], ["--broadcast"], ["--delay", "1ms"]])
def test_clients_that_pause_together_are_kept(options):
    with Listener("--compress=off", *options, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as listener:
        clients = [connect(listener) for _ in range(2)]
        with feeding(listener) as feeder:
            wait_until_stuck(lambda: written_bytes(listener.pid))
            time.sleep(LONG_PAUSE)
            in_parallel(*[lambda client=client: read_all(client) for client in clients])
            feeder.join(60)
        assert "1013" not in listener.err


def test_clients_that_stop_reading_do_not_shorten_the_time_of_others():
    with Listener("--compress=off", stdin=subprocess.PIPE) as listener:
        reader, slow = connect(listener), connect(listener)
        count = LINES_COUNT * 2
        over = threading.Event()

        def stop_reading_again_and_again():
            while not over.is_set():
                offender = connect(listener)
                closed_count = listener.err.count("closed with 1013")
                while listener.err.count("closed with 1013") == closed_count and not over.wait(0.02):
                    pass
                offender.sock.close()

        def read_with_pauses():
            """Reads on average 10 MB/s, in bursts with pauses of a third of the limit."""
            for number in range(count):
                if number % 48 == 0 and listener.err.count("closed with 1013") >= 4:
                    time.sleep(0.3)
                assert slow.read_message().payload == line(number)

        offending = threading.Thread(target=stop_reading_again_and_again)
        offending.start()
        try:
            with feeding(listener, count):
                in_parallel(lambda: read_all(reader, count), read_with_pauses)
        finally:
            over.set()
            offending.join()
        assert "Client 1 " not in "".join(text for text in listener.err.splitlines() if "1013" in text)
        assert "Client 2 " not in "".join(text for text in listener.err.splitlines() if "1013" in text)
