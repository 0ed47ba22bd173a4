"""Proxies: tunnels, refusals, the choice of proxy, and the confidentiality of credentials."""

import base64
import contextlib
import socket
import struct
import threading

import pytest

import wire
from processes import assert_fails, environment, wsx
from scripted_server import ScriptedServer
from services import CLOSED_ADDRESS, CREDENTIALS, OpenSSLServer, Squid
from tls import server_context

ENCODED = base64.b64encode(CREDENTIALS.encode()).decode()


def say_hello(*arguments, **options):
    return wsx("connect", "-n", "1", *arguments, "hello", **options)


def assert_shows_no_secret(result):
    assert "geheim" not in result.err and ENCODED not in result.err
    assert b"geheim" not in result.out and ENCODED.encode() not in result.out


def tunnel(peer, target_port):
    """Forwards bytes between a scripted proxy's client and a port until either side ends."""
    upstream = socket.create_connection(("127.0.0.1", target_port), 30)
    upstream.settimeout(60)

    def forward(source, sink):
        with contextlib.suppress(OSError):
            while piece := source.recv(1 << 16):
                sink.sendall(piece)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)

    thread = threading.Thread(target=forward, args=(upstream, peer.sock))
    thread.start()
    # Forward bytes that arrived with the request.
    upstream.sendall(bytes(peer.buffer))
    forward(peer.sock, upstream)
    thread.join(60)
    upstream.close()


# Tunnels


def test_a_tunnel_carries_plain_websockets(python_echo, route):
    result = say_hello("--compress=off", *route, python_echo.url)
    # The certificate of the TLS proxy is not trusted without --ca.
    if any(word.startswith("https:") for word in route):
        assert_fails(result, 3, "--ca")
    else:
        assert (result.status, result.out, result.err) == (0, b"hello\n", "")


def test_a_tunnel_carries_tls_inside_tls(nginx, certificates, squid):
    message = "x" * 1_000_000
    result = wsx(
        "connect", "--ca", certificates.root, "--proxy", f"https://{CREDENTIALS}@127.0.0.1:{squid.tls_port}", "-n", "1",
        nginx.url, stdin=message.encode())
    assert (result.status, result.out.decode(), result.err) == (0, message + "\n", "")


def test_verbose_shows_the_proxy_but_no_secret(nginx, certificates, route):
    result = say_hello("-v", "--ca", certificates.root, *route, nginx.url)
    assert (result.status, result.out) == (0, b"hello\n"), result
    assert_shows_no_secret(result)
    if route:
        port = route[1].rsplit(":", 1)[1]
        assert f"127.0.0.1:{port}" in result.err


def test_the_server_does_not_receive_proxy_credentials(guarded_tinyproxy):
    def script(peer):
        peer.upgrade(then=wire.close(1000))
        peer.read_until_close()
        return peer.request

    with ScriptedServer(script) as server:
        result = wsx(
            "connect", "--no-stdin", "--proxy", f"http://{CREDENTIALS}@127.0.0.1:{guarded_tinyproxy.port}", server.url)
    assert result.status == 0
    assert b"proxy" not in server.results[0].lower() and ENCODED.encode() not in server.results[0]


# SOCKS


def socks_server(target_port, results, method=0):
    """A scripted SOCKS5 server that records its requests."""

    def script(peer):
        version, count = peer.read_exactly(2)
        methods = peer.read_exactly(count)
        peer.send(bytes([5, method]))
        user = None
        if method == 2:
            assert peer.read_exactly(1) == b"\x01"
            user = tuple(peer.read_exactly(peer.read_exactly(1)[0]) for _ in range(2))
            peer.send(b"\x01\x00")
        request = peer.read_exactly(4)
        length = {1: 4, 4: 16}.get(request[3]) or peer.read_exactly(1)[0]
        host, port = peer.read_exactly(length), struct.unpack("!H", peer.read_exactly(2))[0]
        results.append((version, methods, user, request, host, port))
        peer.send(b"\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x00")
        tunnel(peer, target_port)

    return ScriptedServer(script)


@pytest.mark.parametrize(
    "scheme, url, options, address",
    [("socks5h", "ws://app.invalid/", [], (3, b"app.invalid", 80)),
     ("socks5h", "ws://127.0.0.9:99/", [], (1, bytes([127, 0, 0, 9]), 99)),
     ("socks5", "ws://127.0.0.9:99/", [], (1, bytes([127, 0, 0, 9]), 99)),
     ("socks5", "ws://app.invalid:99/", ["--resolve", "app.invalid:99:127.0.0.9"], (1, bytes([127, 0, 0, 9]), 99)),
     ("socks5", "ws://[2001:db8::1]/", [], (4, bytes.fromhex("20010db8000000000000000000000001"), 80)),
     ("socks5h", "ws://[2001:db8::1]/", [], (4, bytes.fromhex("20010db8000000000000000000000001"), 80))])
def test_the_proxy_resolves_names_with_socks5h_only(python_echo, scheme, url, options, address):
    seen = []
    with socks_server(python_echo.port, seen) as proxy:
        result = say_hello(*options, "--proxy", f"{scheme}://127.0.0.1:{proxy.port}", url)
    assert (result.status, result.out) == (0, b"hello\n"), result
    version, methods, _, request, host, port = seen[0]
    assert (version, methods, request[:3]) == (5, b"\x00", b"\x05\x01\x00")
    assert (request[3], host, port) == address


def test_with_socks5h_an_unknown_name_fails_at_the_proxy(microsocks):
    result = say_hello("--proxy", f"socks5h://127.0.0.1:{microsocks.port}", "ws://nowhere.invalid/")
    assert_fails(result, 3, "proxy")
    assert "no such host" not in result.err and "cannot look up" not in result.err


# SOCKS5HandshakeTests has all codes.
def test_a_refusal_of_a_socks_proxy_has_its_message():
    def script(peer):
        peer.read_exactly(3)
        peer.send(b"\x05\x00")
        peer.sock.recv(1 << 16)
        peer.send(bytes([5, 2, 0, 1, 0, 0, 0, 0, 0, 0]))
        peer.read_to_end()

    with ScriptedServer(script) as proxy:
        assert_fails(say_hello("--proxy", f"socks5h://127.0.0.1:{proxy.port}", "ws://app.invalid/"), 3, "forbid")


# Refusals


def test_a_refusal_by_squid_is_shown_with_status_and_body(squid):
    result = say_hello("--proxy", f"http://127.0.0.1:{squid.open_port}", f"wss://{CLOSED_ADDRESS}:443/")
    assert result.status == 3
    assert result.error_lines[0].startswith("wsx: ") and "403 Forbidden" in result.error_lines[0]
    assert f"127.0.0.1:{squid.open_port}" in result.error_lines[0]
    assert "  X-Squid-Error: ERR_ACCESS_DENIED 0" in result.error_lines
    # Squid's error pages have about fifty lines, most of them a style sheet.
    assert "<!DOCTYPE html" in result.err
    assert result.error_lines[-1].endswith("more lines)")


@pytest.mark.parametrize("option", ["--proxy-digest", "--proxy-anyauth"])
def test_the_password_of_a_proxy_is_sent_as_a_digest(python_echo, squid, option):
    proxy = f"127.0.0.1:{squid.port}"
    result = say_hello("-v", option, "--proxy", f"{CREDENTIALS}@{proxy}", python_echo.url)
    assert (result.status, result.out) == (0, b"hello\n"), result
    assert f"Logging in to the proxy http://{proxy} with Digest" in result.err
    assert result.err.count("→ Proxy-Authorization: •••") == 1
    assert_shows_no_secret(result)
    result = say_hello("-v", option, "--proxy", f"me:falsch@{proxy}", python_echo.url)
    assert result.status == 3 and "the proxy answered 407" in result.err
    assert "falsch" not in result.err and result.err.count("→ CONNECT") == 2


@pytest.mark.parametrize("userinfo", ["", "me:falsch@", "geheim:x@"])
def test_a_proxy_that_rejects_the_password_is_reported(squid, guarded_tinyproxy, userinfo):
    for port, statuses in [(squid.port, ["407"]), (guarded_tinyproxy.port, ["401", "407"])]:
        result = say_hello("-v", "--proxy", f"http://{userinfo}127.0.0.1:{port}", "wss://127.0.0.1:1/")
        assert result.status == 3
        error = next(line for line in result.error_lines if line.startswith("wsx: "))
        assert any(status in error for status in statuses)
        assert "falsch" not in result.err and "geheim" not in result.err


@pytest.mark.parametrize("userinfo", ["", "me:falsch@"])
def test_a_socks_proxy_that_rejects_the_password_is_reported(guarded_microsocks, userinfo):
    result = say_hello("--proxy", f"socks5h://{userinfo}127.0.0.1:{guarded_microsocks.port}", "ws://127.0.0.1:1/")
    assert_fails(result, 3, "password" if userinfo else "USER:PASSWORD")
    assert "falsch" not in result.err


def test_an_unreachable_target_is_distinguished_from_an_unreachable_proxy(route, certificates):
    if route:
        # Nothing listens on port 1.
        result = say_hello("--ca", certificates.root, *route, "ws://127.0.0.1:1/")
        assert result.status == 3
        assert "proxy" in result.error_lines[0]
        scheme = route[1].split(":")[0]
        result = say_hello("--proxy", f"{scheme}://127.0.0.1:1", "ws://127.0.0.1:2/")
        assert_fails(result, 3, "connection refused", "127.0.0.1:1")


def test_the_page_of_a_proxy_cannot_control_the_terminal():
    def script(peer):
        peer.read_head()
        peer.send(b"HTTP/1.1 502 No\xc2\x9bpe\r\nX: \xe2\x80\xae\r\n\r\n\x1b]0;owned\x07\x9b31m\rbody")

    with ScriptedServer(script) as proxy:
        result = say_hello("--proxy", f"http://127.0.0.1:{proxy.port}", "ws://app.invalid/")
    assert result.status == 3
    assert "body" in result.err
    assert not [character for character in result.err if character in "\x1b\x07\r\x9b\u202e"]


def answers_and_ends(answer):
    """A server that waits for a request, sends these bytes, and ends its side."""

    def script(peer):
        peer.sock.recv(1 << 16)
        peer.send(answer)
        peer.end_sending()
        peer.read_to_end()

    return ScriptedServer(script)


def test_a_server_that_is_not_an_http_proxy_exits_3():
    for answer, words in [
        (b"", "closed"), (b"HTTP/1.1 200 O", "closed"), (b"SSH-2.0-OpenSSH\r\n", "not HTTP"), (b"\x05\xff", "socks5"),
        (b"\x15\x03\x01\x00\x02\x02\x0a", "https://"), (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000, "65536")
    ]:
        with answers_and_ends(answer) as proxy:
            assert_fails(say_hello("--proxy", f"http://127.0.0.1:{proxy.port}", "ws://app.invalid/"), 3, words)


def test_a_server_that_is_not_a_socks_proxy_exits_3():
    for answer in [b"", b"H", b"HTTP/1.1 400 Bad\r\n\r\n", b"\x00\x5a", b"\x05", b"\x05\x02", b"\x05\xff"]:
        with answers_and_ends(answer) as proxy:
            assert_fails(say_hello("--proxy", f"socks5h://127.0.0.1:{proxy.port}", "ws://127.0.0.1:1/"), 3, "proxy")


def test_an_invalid_proxy_exits_2_and_shows_no_secret():
    for url in ["ftp://127.0.0.1:1", "http://", "http://127.0.0.1:99999", "socks4://127.0.0.1:1", "http://a b:1",
                "http://me:geheim@127.0.0.1:x"]:
        result = say_hello("--proxy", url, "ws://127.0.0.1:1/")
        assert_fails(result, 2, "--proxy")
        assert "geheim" not in result.err, result


# Choice of proxy


@pytest.mark.parametrize("version, problem", [
    ("Squid Cache: Version 5.7. configure options: '--with-gnutls' '--enable-inline'", "squid-openssl"), (None, "is missing")])
def test_a_squid_of_the_wrong_flavor_or_none_is_named(monkeypatch, tmp_path, version, problem):
    program = tmp_path / "squid"
    if version:
        program.write_text(f'#!/bin/sh\necho "{version}"\n')
        program.chmod(0o755)
    monkeypatch.setattr(Squid, "program", program)
    with pytest.raises(pytest.fail.Exception, match=problem):
        Squid(identity=None)


@pytest.fixture(scope="module")
def refusing_proxy():
    """A proxy that refuses everything, which reveals whether it was used."""

    def script(peer):
        peer.read_head()
        peer.send(b"HTTP/1.1 403 Asked\r\nContent-Length: 0\r\n\r\n")

    with ScriptedServer(script) as proxy:
        yield f"http://me:geheim@127.0.0.1:{proxy.port}"


def asks_the_proxy(url, *arguments, **variables):
    """Whether wsx used the refusing proxy instead of connecting to the server directly."""
    result = say_hello(*arguments, url, env=environment(**variables))
    assert_shows_no_secret(result)
    if result.status == 3:
        assert "403 Asked" in result.err, result
        return True
    assert (result.status, result.out) == (0, b"hello\n"), result
    return False


@pytest.mark.parametrize(
    "name, schemes",
    [("https_proxy", "wss"), ("all_proxy", "ws wss"), ("HTTP_PROXY", "")])
def test_an_environment_variable_sets_the_proxy(python_echo, nginx, certificates, refusing_proxy, name, schemes):
    for scheme, url in [("ws", python_echo.url), ("wss", nginx.url)]:
        options = ["--ca", certificates.root]
        assert asks_the_proxy(url, *options, **{name: refusing_proxy}) == (scheme in schemes.split())


# NoProxyListTests has all forms of exceptions.
EXCEPTIONS = [("127.0.0.1", True), ("127.0.0.0/8:PORT", True), ("127.0.0.1:1", False), ("10.0.0.0/8", False)]


@pytest.mark.parametrize("place", ["no_proxy", "--no-proxy"])
def test_a_host_in_the_exceptions_is_connected_to_directly(python_echo, refusing_proxy, place):
    for exceptions, is_direct in EXCEPTIONS:
        exceptions = exceptions.replace("PORT", str(python_echo.port))
        options, variables = ([place, exceptions], {}) if place.startswith("-") else ([], {place: exceptions})
        assert asks_the_proxy(python_echo.url, *options, all_proxy=refusing_proxy, **variables) != is_direct, exceptions


def test_the_certificate_of_the_proxy_is_verified(nginx, certificates):
    for kind in ["expired", "wrong address", "self-signed"]:
        with OpenSSLServer(certificates.bad[kind]) as proxy:
            result = say_hello(
                "--ca", certificates.root, "--proxy", f"https://{CREDENTIALS}@127.0.0.1:{proxy.port}", nginx.url)
        assert_fails(result, 3, "proxy")
        assert_shows_no_secret(result)


def test_a_pin_applies_to_the_server_and_not_to_the_proxy(certificates, squid):
    def script(peer):
        peer.upgrade(then=wire.text("hello"))
        peer.answer_close()

    with ScriptedServer(script, context=server_context(certificates.other)) as server:
        result = wsx(
            "connect", "--ca", certificates.root, "--pin", certificates.other.pin, "--proxy",
            f"https://127.0.0.1:{squid.open_tls_port}", "-n", "1", server.url)
    assert (result.status, result.out) == (0, b"hello\n"), result
