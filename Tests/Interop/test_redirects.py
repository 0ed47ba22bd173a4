"""Redirects: which ones are followed, and that credentials stay with their origin."""

import base64
import os
import re
import socket
import ssl

import pytest

import wire
from processes import assert_fails, environment, wsx
from scripted_server import ScriptedServer
from services import CREDENTIALS
from tls import server_context

ENCODED = base64.b64encode(CREDENTIALS.encode())


class Origins:
    """A server that represents several origins. It detects TLS by the first byte, and hosts by their Host field.

    Requests for /start are redirected to `location`. All others are upgraded. `requests` holds the scheme and the head
    of each request, in order.
    """

    def __init__(self, certificates, location=None, status=302, fields=()):
        self.context = server_context(certificates.good)
        self.location = location
        self.status = status
        self.fields = fields
        self.requests = []
        self.server = ScriptedServer(self.answer)
        self.port = self.server.port

    def __enter__(self):
        self.server.__enter__()
        return self

    def __exit__(self, *arguments):
        self.server.__exit__(*arguments)

    def answer(self, peer):
        scheme = "ws"
        if peer.sock.recv(1, socket.MSG_PEEK) == b"\x16":
            scheme = "wss"
            peer.start_tls(self.context)
        head = peer.read_request()
        if not head:
            return
        self.requests.append((scheme, head))
        path = head.split()[1]
        if path == b"/start" or path.startswith(b"/hop"):
            location = self.location(path) if callable(self.location) else self.location
            lines = [f"HTTP/1.1 {self.status} Elsewhere", f"Location: {location}", "Content-Length: 5",
                     "Connection: close", *self.fields]
            peer.send("\r\n".join([*lines, "", "moved"]).encode())
        else:
            peer.upgrade(then=wire.text("arrived") + wire.close(1000))
            peer.read_until_close()


def run(origins, certificates, *arguments, scheme="ws", userinfo="", host="example.test", **options):
    names = ["example.test", "sub.example.test", "localhost"]
    resolved = [word for name in names for word in ("--resolve", f"{name}:{origins.port}:127.0.0.1")]
    return wsx(
        "connect", "--ca", certificates.root, "--no-stdin", *resolved, *arguments,
        f"{scheme}://{userinfo}{host}:{origins.port}/start", **options)


# Credentials: the options, and the request field that carries them.
SECRETS = {
    "--auth": (["--auth", CREDENTIALS], b"Authorization"),
    "userinfo": ([], b"Authorization"),
    "--netrc": (["--netrc"], b"Authorization"),
    "--cookie": (["--cookie", "id=geheim"], b"Cookie"),
    "-H authorization": (["-H", "authorization:geheim"], b"Authorization"),
    "-H @FILE": (["-H", "@FILE"], b"Authorization"),
    "-H X-Login": (["-H", "X-Login: geheim"], b"X-Login"),
    "-s": (["-s", "chat,geheim"], b"Sec-WebSocket-Protocol"),
}

# Redirect targets: the scheme of the first request, the target, and whether the origin stays the same. PORT is the port
# of the server, and OTHER that of another one.
TARGETS = {
    "same origin, relative": ("ws", "next", True),
    "same origin over TLS, as https": ("wss", "https://example.test:PORT/next", True),
    "other port": ("ws", "ws://example.test:OTHER/next", False),
    "other host": ("ws", "ws://localhost:PORT/next", False),
    "its address": ("ws", "ws://127.0.0.1:PORT/next", False),
    "subdomain over TLS": ("wss", "wss://sub.example.test:PORT/next", False),
    "other scheme": ("ws", "wss://example.test:PORT/next", False),
}


# `ClientRequestRedirectTests` has the combinations.
@pytest.mark.parametrize("target, secret", [
    *((target, "-H authorization") for target in TARGETS), *(("other host", secret) for secret in SECRETS)])
def test_credentials_stay_with_their_origin(certificates, tmp_path, target, secret):
    scheme, location, is_same = TARGETS[target]
    options, name = SECRETS[secret]
    if "@FILE" in options:
        path = tmp_path / "fields"
        path.write_text("X-Harmless: yes\nAuthorization: Bearer geheim\n")
        options = ["-H", f"@{path}"]
    userinfo = f"{CREDENTIALS}@" if secret == "userinfo" else ""
    user, password = CREDENTIALS.split(":", 1)
    netrc = tmp_path / "netrc"
    netrc.write_text(f"machine example.test login {user} password {password}\ndefault login x password x\n")
    with Origins(certificates) as other, Origins(certificates) as origins:
        location = location.replace("PORT", str(origins.port)).replace("OTHER", str(other.port))
        origins.location = location
        resolve = ["--resolve", f"example.test:{other.port}:127.0.0.1"]
        result = run(
            origins, certificates, "-L", "-v", *resolve, *options, scheme=scheme, userinfo=userinfo,
            env=environment(NETRC=netrc))
    assert (result.status, result.out) == (0, b"arrived\n"), result
    # -v shows the fields whose names do not suggest a secret.
    shown = [line for line in result.err.splitlines() if f"→ {name.decode()}: " not in line]
    assert not any(value in line for line in shown for value in ["geheim", ENCODED.decode()])
    requests = origins.requests + other.requests
    assert len(requests) == 2
    (_, first), (_, second) = requests
    assert any(secret in wire.field(first, name) for secret in [b"geheim", ENCODED])
    if is_same:
        assert wire.field(second, name) == wire.field(first, name)
    else:
        assert b"geheim" not in second and ENCODED not in second, second
        assert wire.field(second, b"Cookie") is None and wire.field(second, b"Proxy-Authorization") is None
        assert re.search(f"not sent there: .*{name.decode()}.*; --location-trusted", result.err, re.I)


def test_a_trusted_redirect_keeps_everything(certificates):
    with Origins(certificates) as origins:
        origins.location = f"wss://localhost:{origins.port}/next"
        result = run(
            origins, certificates, "--location-trusted", "--bearer", "geheim", "-H", "X-Login: geheim", "-s", "geheim")
    assert result.status == 0, result
    head = origins.requests[1][1]
    assert wire.field(head, b"Authorization") == b"Bearer geheim"
    assert wire.field(head, b"X-Login") == b"geheim"
    assert wire.field(head, b"Sec-WebSocket-Protocol") == b"geheim"
    assert "not sent" not in result.err


def test_a_pipe_says_which_origin_a_redirect_leads_to(certificates):
    with Origins(certificates) as origins:
        origins.location = "next"
        assert run(origins, certificates, "-L").err == ""
        origins.location = f"ws://localhost:{origins.port}/next"
        assert run(origins, certificates, "-L", "-q").err == ""
        result = run(origins, certificates, "-L", "-H", "X-Login: geheim", "-b", "id=geheim", "-s", "geheim")
    assert result.status == 0
    assert result.err == (
        f"wsx: redirected to ws://localhost:{origins.port}/next; not sent there: Sec-WebSocket-Protocol, X-Login, "
        "Cookie; --location-trusted sends everything\n")


# The arguments, the name of the secret in the error, and whether the run stays with its server.
SECRET_MESSAGES = {
    "--first-message with a variable": (["--first-message", "{{env:TOKEN}}"], "--first-message"),
    "--first-message from a file": (["--first-message", "@FILE"], "--first-message"),
    "--answer": (["--answer", "x => {{env:TOKEN}}"], "--answer"),
    "MESSAGE": (["--template", "{{env:TOKEN}}"], "MESSAGE"),
    "a login in --param": (["--protocol", "mqtt", "--param", "username=me", "--param", "password=geheim"], "--param password"),
}


@pytest.mark.parametrize("case", SECRET_MESSAGES)
def test_messages_with_secrets_stay_with_their_origin(certificates, tmp_path, case):
    arguments, name = SECRET_MESSAGES[case]
    path = tmp_path / "secret"
    path.write_text("geheim")
    rows = tmp_path / "rows.csv"
    rows.write_text("user,api_token\nme,geheim\n")
    arguments = [argument.replace("@FILE", f"@{path}").replace("ROWS", str(rows)) for argument in arguments]
    # A message goes last.
    with Origins(certificates) as other, Origins(certificates, location="?") as origins:
        origins.location = f"ws://localhost:{other.port}/next"
        options = ["--resolve", f"localhost:{other.port}:127.0.0.1"]
        url = f"ws://example.test:{origins.port}/start"
        command = ["connect", "--no-stdin", *options, "--resolve", f"example.test:{origins.port}:127.0.0.1", "-L"]
        message = arguments[1:] if name == "MESSAGE" else []
        given = arguments[:1] if name == "MESSAGE" else arguments
        result = wsx(*command, *given, url, *message, env=environment(TOKEN="geheim"))
        assert result.status == 4, result
        assert name in result.err and "--location-trusted" in result.err and "geheim" not in result.err
        assert other.requests == []
        wsx(*command, "--location-trusted", "--max-time", "5s", *given, url, *message, env=environment(TOKEN="geheim"))
        assert len(other.requests) == 1


def test_a_line_with_a_secret_stays_with_its_origin(certificates, wsx_echo):
    with Origins(certificates) as origins:
        origins.location = wsx_echo.url
        url = f"ws://localhost:{origins.port}/start"
        options = {"input": b"one\n{{env:TOKEN}}\nthree\n", "env": environment(TOKEN="geheim")}
        result = wsx("connect", "--template", "-L", url, **options)
        assert result.status == 4 and b"geheim" not in result.out, result
        assert "{{env:" in result.err and "--location-trusted" in result.err and "geheim" not in result.err
        result = wsx("connect", "--template", "--location-trusted", url, **options)
        assert (result.status, result.out) == (0, b"one\ngeheim\nthree\n"), result


def test_a_load_test_says_which_origin_a_redirect_leads_to(certificates, wsx_echo):
    with Origins(certificates) as origins:
        origins.location = f"{wsx_echo.url}next"
        url = f"ws://localhost:{origins.port}/start"
        result = wsx("bench", "-L", "-c", "2", "-n", "10", "-H", "X-Login: geheim", url)
        assert result.status == 0, result
        assert f"redirected to {wsx_echo.url}next; not sent there: X-Login" in result.err
        assert result.err.count("redirected") == 1
        result = wsx(
            "bench", "-L", "-c", "2", "-n", "10", "-m", "{{env:TOKEN}}", url, env=environment(TOKEN="geheim"))
        assert result.status == 4 and "--message" in result.err, result


@pytest.mark.parametrize("location, is_same", [("ws://localhost:PORT/next", False), ("/next", True)])
def test_a_cookie_set_by_the_origin_stays_with_it(certificates, location, is_same):
    with Origins(certificates, fields=["Set-Cookie: id=geheim; Path=/"]) as origins:
        origins.location = location.replace("PORT", str(origins.port))
        result = run(origins, certificates, "-L", "-v")
    assert result.status == 0
    assert "geheim" not in result.err
    # This test does not check whether the cookie is sent back to its own origin.
    assert is_same or b"geheim" not in origins.requests[1][1]


# Statuses and locations


@pytest.mark.parametrize("status", [302, 308])
def test_a_redirect_is_followed_with_the_option(certificates, status):
    with Origins(certificates, location="/next", status=status) as origins:
        result = run(origins, certificates, "--location")
        assert (result.status, result.out, result.err) == (0, b"arrived\n", "")
        result = run(origins, certificates)
        assert result.status == 4
        assert f"{status} Elsewhere" in result.err and "--location" in result.err
    assert [head.split()[1] for _, head in origins.requests] == [b"/start", b"/next", b"/start"]


@pytest.mark.parametrize(
    "location, words",
    [("ftp://example.test/", "ftp"), ("ws+unix:/tmp/socket", "unix")])
def test_an_unusable_location_exits_4(certificates, location, words):
    with Origins(certificates, location=location) as origins:
        result = run(origins, certificates, "-L")
    assert result.status == 4
    assert result.error_lines[0].startswith("wsx: ") and words in result.error_lines[0]
    assert len(origins.requests) == 1


@pytest.mark.parametrize("options", [[], ["-L"]])
def test_a_password_in_a_location_is_not_shown(certificates, options):
    with Origins(certificates, location="ws://you:geheim@127.0.0.1:99999/") as origins:
        result = run(origins, certificates, "-v", *options)
    assert result.status == 4
    assert "geheim" not in result.err


@pytest.mark.parametrize("length", ["", "Content-Length: 100\r\n", "Transfer-Encoding: chunked\r\n"])
def test_the_body_of_a_redirect_is_not_waited_for(length):
    def script(peer):
        head = peer.read_request()
        if head.split()[1] == b"/start":
            # The body is announced, or would end with the connection, but it never arrives.
            peer.send(f"HTTP/1.1 302 Found\r\nLocation: /next\r\n{length}\r\n".encode())
            peer.read_until_close()
            return
        peer.upgrade(then=wire.text("arrived") + wire.close(1000))
        peer.read_until_close()

    with ScriptedServer(script) as server:
        result = wsx("connect", "-L", "--no-stdin", "--connect-timeout", "5s", f"{server.url}start")
    assert (result.status, result.out, result.err) == (0, b"arrived\n", "")


def test_a_location_cannot_control_the_terminal(certificates):
    for options in [[], ["-L"], ["-L", "-v"]]:
        with Origins(certificates, location="\u202e\x9b://x") as origins:
            result = run(origins, certificates, *options)
        assert result.status == 4, "a head with control characters is not HTTP"
        assert not [character for character in result.err if character in "\x1b\x9b\u202e"]


def test_a_redirect_never_downgrades_from_tls(certificates):
    location = "ws://localhost:PORT/next"
    with Origins(certificates) as origins:
        origins.location = location.replace("PORT", str(origins.port))
        result = run(origins, certificates, "-L", scheme="wss")
    assert result.status == 4
    assert any(line.startswith("wsx: ") and "wss" in line and "ws://" in line for line in result.error_lines)
    assert len(origins.requests) == 1


# Limits


@pytest.mark.parametrize("options, count", [([], None), (["--max-redirects", "3"], 4), (["--max-redirects", "0"], 1)])
def test_a_redirect_loop_ends(certificates, options, count):
    with Origins(certificates, location="/start") as origins:
        result = run(origins, certificates, "-L", *options)
    assert result.status == 4
    assert any(line.startswith("wsx: ") and "redirect" in line for line in result.error_lines)
    assert len(origins.requests) == count if count else 2 < len(origins.requests) <= 51


def test_the_time_limit_covers_all_redirects(certificates):
    with Origins(certificates, location="/start") as origins:
        result = run(origins, certificates, "-L", "--max-redirects", "1000000", "--connect-timeout", "500ms")
    assert_fails(result, 6, "500 ms")


@pytest.mark.parametrize("scheme, location, is_shown", [
    ("wss", "/next", True), ("ws", "wss://127.0.0.1:PORT/next", True), ("wss", "wss://127.0.0.1:OTHER/next", False),
    ("wss", "wss://localhost:PORT/next", False)])
def test_a_client_certificate_is_presented_to_its_server_only(certificates, scheme, location, is_shown):
    subjects = []

    def answer(peer):
        is_secure = peer.sock.recv(1, socket.MSG_PEEK) == b"\x16"
        if is_secure:
            context = server_context(certificates.good)
            context.verify_mode = ssl.CERT_OPTIONAL
            context.load_verify_locations(certificates.root)
            peer.start_tls(context)
        head = peer.read_request()
        if head.split()[1] == b"/start":
            where = location.replace("PORT", str(server.port)).replace("OTHER", str(other.port))
            peer.send(f"HTTP/1.1 302 Elsewhere\r\nLocation: {where}\r\nContent-Length: 0\r\n\r\n".encode())
            return
        subjects.append(peer.sock.getpeercert())
        peer.upgrade(then=wire.close(1000))
        peer.read_until_close()

    with ScriptedServer(answer) as server, ScriptedServer(answer) as other:
        result = wsx(
            "connect", "-L", "--ca", certificates.root, "--cert", certificates.client.chain, "--key",
            certificates.client.key, f"{scheme}://127.0.0.1:{server.port}/start")
    assert result.status == 0, result
    assert [bool(subject) for subject in subjects] == [is_shown]


@pytest.mark.parametrize("command", [["connect"], ["bench", "-n", "1"], ["connect", "--scenario", "FILE"]], ids=" ".join)
def test_a_failure_after_a_redirect_names_the_target(certificates, tmp_path, command):
    (tmp_path / "steps").write_text('{"type":"message","direction":"out","data":"a"}\n')
    words = [os.fspath(tmp_path / "steps") if word == "FILE" else word for word in command]
    with ScriptedServer(lambda peer: (peer.read_request(), peer.send(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"))) as other:
        with Origins(certificates, location=f"ws://localhost:{other.port}/gone") as origins:
            result = wsx(*words, "-L", f"ws://127.0.0.1:{origins.port}/start")
    assert result.status == 4
    assert f"connecting to ws://localhost:{other.port}/gone: the server answered 404" in result.err


# nginx


@pytest.mark.parametrize(
    "path", ["moved/302", "wss"])
def test_redirects_of_nginx_are_followed(nginx, certificates, path):
    result = wsx("connect", "--ca", certificates.root, "-L", "-n", "1", f"{nginx.url}{path}", "hello")
    assert (result.status, result.out, result.err) == (0, b"hello\n", "")


def test_nginx_redirects_from_ws_to_wss(nginx, certificates):
    url = f"ws://127.0.0.1:{nginx.plain_port}/"
    result = wsx("connect", "--ca", certificates.root, "-L", "-n", "1", url, "hello")
    assert (result.status, result.out) == (0, b"hello\n")
    # The ports are not the default ones.
    assert result.err.startswith("wsx: redirected to wss://127.0.0.1:") and result.err.count("\n") == 1


@pytest.mark.parametrize("options, userinfo", [(["--auth", CREDENTIALS], ""), ([], f"{CREDENTIALS}@")])
def test_a_password_grants_access_to_a_location_of_nginx(nginx, certificates, options, userinfo):
    path = "to-private"
    url = nginx.url.replace("://", f"://{userinfo}")
    result = wsx("connect", "-v", "--ca", certificates.root, "-L", *options, "-n", "1", f"{url}{path}", "hello")
    assert (result.status, result.out) == (0, b"hello\n"), result
    assert "geheim" not in result.err and ENCODED.decode() not in result.err


@pytest.mark.parametrize("options", [[], ["--bearer", "falsch"]])
def test_nginx_requires_a_password(nginx, certificates, options):
    result = wsx("connect", "-v", "--ca", certificates.root, *options, f"{nginx.url}private")
    assert result.status == 4
    error = next(line for line in result.error_lines if line.startswith("wsx: "))
    assert "401" in error and "Basic" in error and "--auth" in error
    assert "falsch" not in result.err
