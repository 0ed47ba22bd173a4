"""Access control of `wsx listen`: credentials, tokens, origins, and hosts."""

import base64
import socket

import pytest

import wire
from processes import Listener, environment, wsx


def request(port, *fields, target="/", host=None, upgrade=True):
    """Returns an upgrade request, or a plain one."""
    lines = [f"GET {target} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}"]
    if upgrade:
        lines += [
            "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version: 13"]
    return "\r\n".join([*lines, *fields, "", ""]).encode()


def answer(port, data):
    """Returns the status and the head of a server's answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as sock:
        stream = wire.Stream(sock)
        stream.send(data)
        head = stream.read_head()
    return int(head.split()[1]), head.decode()


def basic(user_and_password):
    return "Authorization: Basic " + base64.b64encode(user_and_password.encode()).decode()


@pytest.fixture(scope="module")
def closed():
    with Listener(
            "--echo", "-a", "me:p:wört", "--auth", "you:other", "--bearer", "t0ken", "--bearer", "env:TOKEN",
            env=environment(TOKEN="from-the-environment")) as server:
        yield server


def test_a_secret_can_be_read_from_a_file(tmp_path):
    path = tmp_path / "token"
    path.write_text("of-the-file\n")
    with Listener("--echo", "--bearer", f"@{path}") as server:
        assert wsx("connect", "--bearer", "of-the-file", "-n", "1", server.url, "hello").status == 0
        assert wsx("connect", server.url, "hello").status == 4


WRONG = {
    "none": [],
    "another password": [basic("me:p:wort")],
    "another's password": [basic("me:other")],
    "no base64": ["Authorization: Basic ???"],
    "another token": ["Authorization: Bearer t0ken2"],
    "another scheme": ["Authorization: Digest t0ken"],
}


@pytest.mark.parametrize("upgrade", [True, False], ids=["websocket", "plain"])
@pytest.mark.parametrize("fields", WRONG.values(), ids=WRONG)
def test_wrong_or_missing_credentials_are_rejected(closed, fields, upgrade):
    status, head = answer(closed.port, request(closed.port, *fields, upgrade=upgrade))
    assert status == 401
    assert 'WWW-Authenticate: Basic realm="wsx", charset="UTF-8"\r\n' in head
    assert 'WWW-Authenticate: Bearer realm="wsx"' in head
    assert ('error="invalid_token"' in head) == any("Bearer" in field for field in fields if not field.startswith("Proxy"))


@pytest.mark.parametrize("line", ["Authorization: Bearer s3cret", "Authorization Bearer s3cret", "Cookie s3cret"])
def test_presented_credentials_are_neither_logged_nor_echoed(line):
    with Listener("--echo", "--bearer", "t", "-vv") as server:
        status, head = answer(server.port, request(server.port, line))
        assert status in [400, 401]
        server.wait_for(r"Rejected a request: 40[01], from ")
        assert server.stop() == 0
        assert "s3cret" not in server.err + head


def test_a_secret_of_the_server_is_never_shown():
    with Listener("--echo", "-vv", "-a", "me:s3cret", "--bearer", "t0ken-s3cret") as server:
        assert wsx("connect", "-a", "me:s3cret", "-n", "1", server.url, "hello").status == 0
        assert server.stop() == 0
        assert "s3cret" not in server.err


# An independent implementation of the rules in the manual's section ACCESS.

ORIGINS = [
    # The origin, and its scheme, host, and port, or None if it is not the origin of a page.
    ("http://127.0.0.1:{port}", ("http", "127.0.0.1", "{port}")),
    ("http://127.0.0.1", ("http", "127.0.0.1", "80")),
    ("https://127.99.1.2:444", ("https", "127.99.1.2", "444")),
    ("http://localhost:3000", ("http", "localhost", "3000")),
    ("HTTP://LOCALHOST:3000", ("http", "localhost", "3000")),
    ("http://app.localhost", ("http", "app.localhost", "80")),
    ("http://[::1]:9000", ("http", "::1", "9000")),
    ("http://[::2]:9000", ("http", "::2", "9000")),
    ("http://localhost.evil.example", ("http", "localhost.evil.example", "80")),
    ("http://evil.example", ("http", "evil.example", "80")),
    ("https://evil.example:{port}", ("https", "evil.example", "{port}")),
    ("http://evil.example:{port}", ("http", "evil.example", "{port}")),
    ("https://app.example", ("https", "app.example", "443")),
    ("https://app.example:443", ("https", "app.example", "443")),
    ("http://app.example", ("http", "app.example", "80")),
    ("https://app.example.evil.example", ("https", "app.example.evil.example", "443")),
    ("http://192.0.2.1:{port}", ("http", "192.0.2.1", "{port}")),
    ("null", None),
    ("file://", None),
    ("chrome-extension://abcdef", ("chrome-extension", "abcdef", None)),
]
HOSTS = [
    ("127.0.0.1:{port}", "127.0.0.1", "{port}"),
    ("127.0.0.1", "127.0.0.1", None),
    ("localhost:{port}", "localhost", "{port}"),
    ("LocalHost:1", "localhost", "1"),
    ("app.localhost", "app.localhost", None),
    ("[::1]:{port}", "::1", "{port}"),
    ("192.0.2.1:{port}", "192.0.2.1", "{port}"),
    ("evil.example", "evil.example", None),
    ("evil.example:{port}", "evil.example", "{port}"),
    ("app.example:{port}", "app.example", "{port}"),
]


def is_of_this_machine(host):
    return host == "localhost" or host.endswith(".localhost") or host.startswith("127.") or host == "::1"


def may_come_in(origin, host, port):
    """Whether the documentation grants access if https://app.example is allowed."""
    text, parts = origin
    _, host_name, host_port = host
    is_address = host_name.replace(".", "").isdigit() or ":" in host_name
    if not (is_address or is_of_this_machine(host_name) or host_name == "app.example"):
        return False
    if parts is None or parts[0] not in ["http", "https"]:
        return False
    scheme, name, origin_port = parts[0], parts[1], (parts[2] or "").format(port=port)
    if (scheme, name, origin_port) == ("https", "app.example", "443"):
        return True
    if is_of_this_machine(name):
        return True
    own_port = host_port.format(port=port) if host_port else {"http": "80", "https": "443"}[scheme]
    return (name, origin_port) == (host_name, own_port)


def test_twenty_origins_at_ten_hosts_get_the_documented_answers():
    assert (len(ORIGINS), len(HOSTS)) == (20, 10)
    outcomes = {}
    with Listener("--echo", "-o", "https://app.example") as server:
        for origin in ORIGINS:
            for host in HOSTS:
                origin_text, host_text = (text.format(port=server.port) for text in (origin[0], host[0]))
                status, head = answer(
                    server.port, request(server.port, f"Origin: {origin_text}", host=host_text))
                expected = 101 if may_come_in(origin, host, server.port) else 403
                outcomes[origin_text, host_text] = status
                assert status == expected, (origin_text, host_text, head)
    # The table proves something only if both answers occur.
    assert {101, 403} == set(outcomes.values())
    assert 40 < list(outcomes.values()).count(101) < 160
