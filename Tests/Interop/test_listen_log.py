"""The log of `wsx listen`: one line per connection, which no client can forge."""

import os
import re
import signal
import socket
import ssl
import struct

import pytest

import wire
from processes import BINARY, Listener, Running, wsx
from test_listen_access import answer, request
from test_listen_once import Client

FIELD = r'"(?:[^"\\]|\\["\\]|\\u\{[0-9A-F]+\})*…?"'
END = (
    rf'Client (\d+) disconnected: (\d+)( {FIELD})?((?:, [^,"]+)?), from ([0-9.]+:\d+)(, origin {FIELD})?, path ({FIELD}), '
    r'status 101, \d+\.\d s, [0-9.]+ (?:B|KiB|MiB) in, [0-9.]+ (?:B|KiB|MiB) out')
REJECTED = (
    rf'Rejected a request: (\d+), from ([0-9.]+:\d+)(, origin {FIELD})?(, path {FIELD})?, \d+\.\d s, \d+ B in, \d+ B out: .*')


def end_of(server):
    """Returns a client's last line, matched against END."""
    return re.fullmatch(END, server.wait_for(r"Client \d+ disconnected.*").group().decode())


@pytest.mark.parametrize(("field", "line"), [
    (b"X: y", r"Client 1 connected from {0}: /\nClient 1 disconnected: 1006, from {0}, path"),
    (b"Origin: http://elsewhere.example", "Rejected a request: 403, from {0}, origin"),
])
def test_the_address_of_a_client_that_leaves_immediately_is_known(field, line):
    with Listener("--echo") as server:
        os.kill(server.pid, signal.SIGSTOP)
        sock = socket.create_connection(("127.0.0.1", server.port))
        address = "%s:%d" % sock.getsockname()
        sock.sendall(wire.upgrade_request(server.port, "/", field))
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        sock.close()
        os.kill(server.pid, signal.SIGCONT)
        server.wait_for(line.format(re.escape(address)))


def test_a_connection_leaves_one_complete_line():
    with Listener("--echo") as server:
        with Client(server.port, b"Origin: http://localhost:3000") as client:
            address = "%s:%d" % client.sock.getsockname()
            client.send(wire.text("x" * 100, is_masked=True))
            assert client.read_frame().payload == b"x" * 100
            client.close(1000, b"bye")
        line = end_of(server)
        assert line.groups() == (
            "1", "1000", ' "bye"', "", address, ', origin "http://localhost:3000"', '"/"')
        assert line.group().endswith("117 B in, 106 B out")
        assert server.stop() == 0
        assert server.err.count("\n") == 3, server.err


def test_a_lost_or_invalid_connection_leaves_one_line_too():
    with Listener("--echo") as server:
        with Client(server.port):
            pass
        assert end_of(server).group(2) == "1006"
    with Listener("--echo") as server:
        with Client(server.port) as client:
            client.send(wire.text("not masked"))
            client.read_to_end()
        server.wait_for(r'Client 1 disconnected: 1006, [a-z ]+mask[a-z ]*, from .*, path "/", status 101, ')


def test_a_refused_request_leaves_one_line():
    with Listener("--echo", "--path", "/chat") as server:
        head = answer(server.port, request(server.port, "Origin: http://localhost", target="/x?token=s3cret"))[1]
        line = server.wait_for("Rejected a request.*").group().decode()
        assert re.fullmatch(REJECTED, line).groups()[0] == "404"
        assert ', origin "http://localhost", path "/x", ' in line
        assert "s3cret" not in line
        assert line.endswith("There is no WebSocket endpoint at this path; use /chat.")
        assert head.startswith("HTTP/1.1 404")
        answer(server.port, b"garbage\r\n\r\n")
        line = server.wait_for("Rejected a request: 400.*").group().decode()
        assert re.fullmatch(REJECTED, line)


def test_a_failed_tls_handshake_leaves_one_line():
    with Listener("--echo", "--tls-self-signed") as server:
        context = ssl.create_default_context()
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as sock:
            with pytest.raises(ssl.SSLError):
                context.wrap_socket(sock, server_hostname="localhost")
        server.wait_for(r"Rejected a client: TLS, from 127\.0\.0\.1:\d+, \d+\.\d s, \d+ B in, \d+ B out: .+\n")


FORGERIES = {
    "quotes": 'http://localhost", path "/admin", status 101',
    "backslash": "http://localhost\\",
    "escape that looks like ours": "http://\\u{A}Client 9 disconnected: 1000",
    "bidirectional": "http://\u202eevil",
    "invisible": "http://a\u200b\u00ad\u2028b",
    "tab": "http://a\tb",
    "C1 control": "http://\u0085\u009b2J",
    "marks": "http://e" + "\u0301" * 50,
    "long": "http://" + "x" * 10_000,
    "long and quoted": "http://" + '"' * 10_000,
    "not UTF-8": b"http://\xff\xfe\xc0",
}


@pytest.mark.parametrize("origin", FORGERIES.values(), ids=FORGERIES)
def test_an_origin_cannot_forge_log_lines(origin):
    origin = origin if isinstance(origin, bytes) else origin.encode()
    with Listener("--echo", "-o", "*") as server:
        with Client(server.port, b"Origin: " + origin) as client:
            client.close(1000)
        line = end_of(server)
        assert line and line.group(7) == '"/"', server.err
        assert len(line.group(6)) < 1500
        assert_harmless(server.err)
    with Listener("--echo") as server:
        data = request(server.port).replace(b"\r\n\r\n", b"\r\nOrigin: " + origin + b"\r\n\r\n")
        assert answer(server.port, data)[0] == 403
        line = server.wait_for("Rejected a request.*").group().decode()
        assert re.fullmatch(REJECTED, line), line
        assert_harmless(server.err)


def test_a_long_path_is_truncated():
    with Listener("--echo") as server:
        with Client(server.port) as client:
            client.close(1000)
        stream = wire.Stream(socket.create_connection(("127.0.0.1", server.port), timeout=60))
        stream.send(wire.upgrade_request(server.port, '/"' + "x" * 15_000))
        assert stream.read_head().startswith(b"HTTP/1.1 101 ")
        stream.sock.close()
        line = server.wait_for("Client 2 disconnected.*").group().decode()
        assert ', path "/\\"xxx' in line and 'x…", status 101' in line
        assert max(len(line) for line in server.err.splitlines()) < 400


def test_a_close_reason_cannot_forge_log_lines():
    with Listener("--echo") as server:
        with Client(server.port) as client:
            client.close(1000, 'x", from 1.2.3.4:5\r\n\x1b[2J\u202e'.encode())
        assert end_of(server).group(3) == ' "x\\", from 1.2.3.4:5\\u{D}\\u{A}\\u{1B}[2J\\u{202E}"'


def test_a_quiet_server_logs_nothing():
    with Running([BINARY, "listen", "-q", "--once", "--output", "json", "0"]) as server:
        port = int(server.wait_for(r'"port":(\d+)', "out").group(1))
        assert answer(port, request(port, "Origin: http://evil.example"))[0] == 403
        with Client(port) as client:
            client.close(1000)
        assert (server.wait(), server.err) == (0, "")


def test_the_summary_of_a_verbose_server_follows_the_last_line():
    with Listener("--echo", "-v") as server:
        assert wsx("connect", "-n", "1", server.url, "x").status == 0
        server.wait_for(r"Client 1 disconnected: 1000, from .*\nClient 1: 1 sent, 1 received; ")


def assert_harmless(text):
    for character in text:
        assert character == "\n" or character.isprintable() or character in "\u0301\ufffd", repr(character)


def test_the_query_of_an_accepted_client_is_not_logged():
    with Listener("--echo") as listener:
        stream = wire.Stream(socket.create_connection(("127.0.0.1", listener.port)))
        stream.send(wire.upgrade_request(listener.port, "/chat?token=s3cret"))
        assert stream.read_head().startswith(b"HTTP/1.1 101")
        stream.sock.close()
        listener.wait_for("Client 1 disconnected")
        assert "connected from" in listener.err and ": /chat\n" in listener.err
        assert "s3cret" not in listener.err
