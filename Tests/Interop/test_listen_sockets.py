"""Socket activation: sockets passed by systemd or a similar program."""

import os
import re
import shutil
import socket

import pytest

from processes import BINARY, PYTHON, Running, assert_fails, run, wsx
from services import free_ports

# Moves its descriptors to 3 and up, and then executes the program, like systemd.
LAUNCHER = """
import os, sys
descriptors, pid, command = sys.argv[1].split(","), sys.argv[2], sys.argv[3:]
descriptors = [os.dup(int(descriptor)) for descriptor in descriptors if descriptor]
high = [os.open("/dev/null", os.O_RDONLY) for _ in range(20)]
for index, descriptor in enumerate([os.dup(descriptor) for descriptor in descriptors]):
    os.dup2(descriptor, 3 + index, inheritable=True)
os.closerange(3 + len(descriptors), 200)
os.environ["LISTEN_PID"] = pid or str(os.getpid())
os.environ.setdefault("LISTEN_FDS", str(len(descriptors)))
os.execv(command[0], command)
"""


def launched(sockets, *arguments, pid="", **options):
    numbers = [sock.fileno() for sock in sockets]
    return [PYTHON, "-c", LAUNCHER, ",".join(map(str, numbers)), pid, BINARY, "listen", *arguments], {
        "pass_fds": numbers, **options}


def start(sockets, *arguments, **options):
    words, options = launched(sockets, *arguments, **options)
    return Running(words, **options)


def listening(family=socket.AF_INET, address=("127.0.0.1", 0)):
    sock = socket.socket(family)
    sock.bind(address)
    sock.listen(5)
    return sock


def test_a_tcp_socket_is_used_without_an_address():
    with listening() as sock, start([sock], "--echo", "--output", "json") as server:
        port = sock.getsockname()[1]
        server.wait_for(rf"^Listening on ws://127.0.0.1:{port}/\n")
        assert wsx("connect", "-n", "1", f":{port}", "hello").out == b"hello\n"
        server.wait_for(rf'"url":"ws://127.0.0.1:{port}/","port":{port}', "out")
        server.signal(15)
        assert server.wait() == 0


def test_clients_wait_in_the_queue_until_a_server_accepts_them():
    with listening() as sock:
        url = f"ws://127.0.0.1:{sock.getsockname()[1]}/"
        for _ in range(2):
            with Running([BINARY, "connect", "-n", "1", url, "hello"]) as client:
                with start([sock], "--once", "--echo") as server:
                    assert server.wait() == 0
                assert (client.wait(), client.out) == (0, b"hello\n")


@pytest.mark.parametrize("name", ["path", "abstract"])
def test_a_unix_socket_is_used_and_its_file_remains(tmp_path, name):
    path = tmp_path / "socket"
    address = os.fspath(path) if name == "path" else f"\0wsx-test-{os.getpid()}"
    with listening(socket.AF_UNIX, address) as sock, start([sock], "--echo") as server:
        shown = address.replace("\0", "@")
        server.wait_for(rf"^Listening on ws\+unix:{shown}\n")
        assert wsx("connect", "-n", "1", "--unix-socket", shown, "ws://localhost/", "hello").out == b"hello\n"
        server.signal(15)
        assert server.wait() == 0
        assert name == "abstract" or path.exists(), "wsx must not remove an inherited socket"


def test_several_sockets_are_served(tmp_path):
    path = os.fspath(tmp_path / "socket")
    with listening() as one, listening(socket.AF_UNIX, path) as two:
        with listening(socket.AF_INET6, ("::1", 0)) as three:
            with start([one, two, three], "--echo", "--output", "json") as server:
                port = one.getsockname()[1]
                other = three.getsockname()[1]
                server.wait_for(rf"Listening on ws://127.0.0.1:{port}/\nListening on ws\+unix:{path}\nListening on ws://\[::1\]:{other}/\n")
                urls = [f"ws://127.0.0.1:{port}/", f"ws+unix:{path}:/", f"ws://[::1]:{other}/"]
                for url in urls:
                    assert wsx("connect", "-n", "1", url, "hello").out == b"hello\n"
                for number, url in enumerate(urls, 1):
                    event = f'"url":"{url}","extensions":"permessage-deflate","http":"1.1","client":{number}}}'
                    server.wait_for(re.escape(event), "out")
                server.signal(15)
                assert server.wait() == 0


def test_a_passed_socket_overrides_the_address_with_a_notice():
    with listening() as sock, start([sock], "--echo", "1") as server:
        port = sock.getsockname()[1]
        server.wait_for(rf"^Ignoring 1: LISTEN_FDS passes the sockets\nListening on ws://127.0.0.1:{port}/\n")


def test_a_descriptor_that_does_not_listen_is_rejected():
    ends = socket.socketpair()
    with ends[0], ends[1], socket.socket() as fresh, socket.socket(type=socket.SOCK_DGRAM) as datagram:
        for sock, words in [(ends[0], "it is not a listening socket"), (fresh, "it is not a listening socket"), (datagram, "not a stream socket")]:
            command, options = launched([sock], "--echo")
            assert_fails(run(command, **options), 2, "LISTEN_FDS, descriptor 3: ", words)
    with open(os.devnull) as file:
        command, options = launched([file], "--echo")
        assert_fails(run(command, **options), 2, "LISTEN_FDS, descriptor 3: it is not a socket")
    with listening() as sock:
        command, options = launched([sock], "--echo", env={**os.environ, "LISTEN_FDS": "2"})
        assert_fails(run(command, **options), 2, "LISTEN_FDS, descriptor 4: it is not open")


def test_tls_works_on_passed_sockets():
    with listening() as sock, start([sock], "--echo", "--tls-self-signed") as server:
        port = sock.getsockname()[1]
        server.wait_for(rf"^Listening on wss://127.0.0.1:{port}/\n")
        result = wsx("connect", "-k", "-q", "-n", "1", f"wss://127.0.0.1:{port}/", "hello")
        assert result.out == b"hello\n"


@pytest.mark.skipif(not shutil.which("systemd-socket-activate"), reason="systemd is not installed")
def test_systemd_activates_wsx():
    port = free_ports(1)[0]
    command = ["systemd-socket-activate", "-l", f"127.0.0.1:{port}", BINARY, "listen", "--once", "--echo"]
    with Running(command) as server:
        server.wait_for("Listening on")
        assert wsx("connect", "-n", "1", f":{port}", "hello").out == b"hello\n"
        assert server.wait() == 0
