"""Errors of the system that are rare: each is reported at once, with its cause."""

import errno
import os
import resource
import socket
import subprocess
from pathlib import Path

import pytest

import wire
from processes import BINARY, Listener
from sanitizer import SANITIZER

pytestmark = pytest.mark.skipif(bool(SANITIZER), reason="sanitizers replace system calls, and need much memory")

SOURCE = Path(__file__).with_name("failing_calls.c")


@pytest.fixture(scope="module")
def failing(tmp_path_factory):
    """Returns the environment in which a call fails."""
    library = tmp_path_factory.mktemp("failing") / "failing.so"
    subprocess.run(["clang", "-O2", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True)
    return lambda call, number: {**os.environ, "LD_PRELOAD": str(library), "FAILING": f"{call}:{number}"}


@pytest.mark.parametrize("number, words", [
    (errno.ENOBUFS, "no buffer space available"), (errno.ENOMEM, "not enough memory"),
    (errno.EPERM, "operation not permitted")])
@pytest.mark.parametrize("scheme, options", [("ws", []), ("wss", []), ("ws", ["--http2"])], ids=str)
def test_a_write_error_that_leaves_the_socket_open_is_reported_in_handshakes(failing, scheme, options, number, words):
    # The server waits for the request.
    with socket.create_server(("127.0.0.1", 0)) as server:
        result = subprocess.run(
            [BINARY, "connect", "--connect-timeout", "1h", *options, f"{scheme}://127.0.0.1:{server.getsockname()[1]}/"],
            env=failing("send", number), capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert words in result.stderr and result.returncode == 3, result


@pytest.mark.parametrize("number, words", [
    (errno.ENOBUFS, "no buffer space available"), (errno.EPERM, "operation not permitted"),
    (errno.EINVAL, "invalid argument")])
def test_an_error_of_accept_is_named_and_is_not_the_limit_on_open_files(failing, number, words):
    with Listener("--echo", env=failing("accept4", number)) as listener:
        with socket.create_connection(("127.0.0.1", listener.port)):
            listener.wait_for(f"wsx: accepting a client: {words}; trying again\n")
        assert listener.stop() == 0
        assert listener.err.count("accepting a client") == 1 and "open files" not in listener.err


def test_the_limit_on_open_files_is_still_named(failing):
    with Listener("--echo", env=failing("accept4", errno.EMFILE)) as listener:
        with socket.create_connection(("127.0.0.1", listener.port)):
            listener.wait_for("wsx: the limit on open files is reached with 0 clients")


def test_a_failure_of_the_random_number_generator_has_a_message(failing):
    with Listener("--echo") as listener:
        result = subprocess.run(
            [BINARY, "connect", listener.url, "x"], env=failing("getrandom", errno.ENOSYS), capture_output=True,
            text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert result.stderr == (
        "wsx: the system's source of random bytes failed: function not implemented; allow the call getrandom\n")
    assert result.returncode == 1


def test_a_lack_of_memory_has_a_message():
    limit = 400 << 20
    with Listener(
        "--echo", "--max-message-size", "1G", "--max-memory", "4G", "--compress=off",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    ) as listener:
        client = wire.Stream(socket.create_connection(("127.0.0.1", listener.port), timeout=60))
        client.send(wire.upgrade_request(listener.port))
        assert b" 101 " in client.read_head()
        with pytest.raises(OSError):
            client.send(b"\x82\xff" + (900 << 20).to_bytes(8, "big") + bytes(4))
            for _ in range(900):
                client.send(bytes(1 << 20))
        assert listener.wait() == 1
        assert "wsx: the system has no memory left for this process; raise its limit, or lower" in listener.err
