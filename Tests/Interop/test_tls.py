"""TLS: trust, identity, negotiation, diagnostics, and shutdown."""

import hashlib
import os
import re
import select
import ssl
import threading
import time

import pytest

import wire
from certificates import PASSPHRASE
from processes import BINARY, Running, assert_fails, environment, memory_limit, peak_resident_bytes, wsx
from scripted_server import ScriptedServer
from services import OpenSSLServer
from terminal import RawTerminal
from tls import server_context

MEBIBYTE = 1 << 20
TLS_1_2 = (None, ssl.TLSVersion.TLSv1_2)
TLS_1_3 = (ssl.TLSVersion.TLSv1_3, None)


def say_hello(*arguments, **options):
    return wsx("connect", "-n", "1", *arguments, "hello", **options)


def assert_hello(result):
    assert (result.status, result.out, result.err) == (0, b"hello\n", ""), result


def echo_one(peer):
    """Echoes one message."""
    peer.upgrade()
    peer.send(wire.text(peer.read_message().payload))
    peer.answer_close()


# Trust


@pytest.mark.parametrize("kind", ["--ca FILE", "--ca DIR", "SSL_CERT_FILE", "SSL_CERT_DIR"])
def test_a_root_is_trusted_from_every_source(nginx, certificates, kind):
    place = certificates.root if "FILE" in kind else certificates.root_directory
    if kind.startswith("--ca"):
        assert_hello(say_hello("--ca", place, nginx.url))
    else:
        # Disable the system's roots, which OpenSSL would find through the other variable.
        other = "SSL_CERT_DIR" if kind == "SSL_CERT_FILE" else "SSL_CERT_FILE"
        variables = {kind: place, other: certificates.empty_directory / ("" if other == "SSL_CERT_DIR" else "none")}
        assert_hello(say_hello(nginx.url, env=environment(**variables)))


def test_ca_overrides_the_environment_variables(nginx, certificates):
    result = say_hello("--ca", certificates.strange_root, nginx.url, env=environment(SSL_CERT_FILE=certificates.root))
    assert_fails(result, 3, "--ca")


@pytest.mark.parametrize("content", [None, b"", b"not a certificate\n"])
def test_an_unreadable_ca_file_exits_2(nginx, tmp_path, content):
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_bytes(content)
    assert_fails(say_hello("--ca", path, nginx.url), 2, "--ca")


def test_insecure_connects_with_a_one_line_warning(nginx):
    result = say_hello("--insecure", nginx.url)
    assert (result.status, result.out) == (0, b"hello\n")
    assert len(result.error_lines) == 1 and "--insecure" in result.err


def test_insecure_says_nothing_without_tls():
    for words in (["-n", "1", "echo:", "hi"], ["bench", "-n", "1", "--output", "json", "echo:"]):
        assert (wsx(*words, "-k").status, wsx(*words, "-k").err) == (0, "")


def test_a_matching_pin_connects(nginx, certificates):
    ca = ["--ca", certificates.root]
    good, other = certificates.good.pin, certificates.client.pin
    assert_hello(say_hello(*ca, "--pin", good, nginx.url))
    assert_hello(say_hello(*ca, "--pin", other, "--pin", good, nginx.url))


# Client certificates


def client_url(nginx):
    return f"{nginx.url}client"


def test_a_location_that_requires_a_client_certificate_refuses_other_clients(nginx, certificates):
    result = say_hello("--ca", certificates.root, client_url(nginx))
    assert result.status == 4
    assert "403" in result.err and "client certificate: NONE" in result.err


def test_a_client_certificate_grants_access(nginx, certificates):
    identity = certificates.client
    assert_hello(say_hello(
        "--ca", certificates.root, "--cert", identity.chain, "--key", identity.key, client_url(nginx)))


@pytest.mark.parametrize("place", ["argument", "file", "environment"])
def test_an_encrypted_key_opens_with_its_passphrase(nginx, certificates, tmp_path, place):
    path = tmp_path / "passphrase"
    path.write_text(PASSPHRASE + "\n")
    value = {"argument": PASSPHRASE, "file": f"@{path}", "environment": "env:WSX_TEST_SECRET"}[place]
    identity = certificates.locked_client
    result = say_hello(
        "-v", "--ca", certificates.root, "--cert", identity.chain, "--key", identity.key, "--passphrase", value,
        client_url(nginx), env=environment(WSX_TEST_SECRET=PASSPHRASE))
    assert (result.status, result.out) == (0, b"hello\n"), result
    assert PASSPHRASE not in result.err


def test_the_terminal_prompts_for_a_passphrase_without_echo(nginx, certificates):
    identity = certificates.locked_client
    with RawTerminal(
            "connect", "--color", "never", "--ca", certificates.root, "--cert", identity.chain,
            "--key", identity.key, "-n", "1", client_url(nginx), "hello") as terminal:
        terminal.wait_for(b"assphrase")
        terminal.type(PASSPHRASE + "\r")
        assert terminal.wait() == 0
        assert b"hello" in terminal.output and PASSPHRASE.encode() not in terminal.output


@pytest.mark.parametrize("command", ["connect", "bench"])
def test_an_incomplete_certificate_file_is_reported_by_its_missing_part(certificates, command):
    identity, other = certificates.client, certificates.good
    result = wsx(command, "--cert", identity.chain, "wss://127.0.0.1:1/")
    assert_fails(result, 2, "the --cert file contains no private key; name the key's file with --key FILE")
    result = wsx(command, "--cert", identity.key, "--key", identity.chain, "wss://127.0.0.1:1/")
    assert_fails(result, 2, "the --cert file contains a private key but no certificate")


def test_a_mismatched_key_in_the_certificate_file_is_reported_without_mentioning_key(certificates, tmp_path):
    path = tmp_path / "mixed.pem"
    path.write_bytes(certificates.client.chain.read_bytes() + certificates.good.key.read_bytes())
    result = wsx("connect", "--cert", path, "wss://127.0.0.1:1/")
    assert_fails(result, 2, "the private key in the --cert file does not belong to its first certificate")
    assert "--key" not in result.err


def test_an_encrypted_key_without_a_terminal_names_the_key_in_the_error(certificates):
    identity = certificates.locked_client
    result = wsx("connect", "--cert", identity.chain, "--key", identity.key, "wss://127.0.0.1:1/")
    assert_fails(result, 2, "--passphrase", f"encrypted key {identity.key}")


# Negotiation


@pytest.mark.parametrize("versions, shown", [(TLS_1_2, "TLS 1.2"), (TLS_1_3, "TLS 1.3")])
def test_verbose_shows_the_negotiated_parameters_and_the_certificates(certificates, versions, shown):
    def script(peer):
        echo_one(peer)
        return peer.sock.cipher()[0]

    with ScriptedServer(script, context=server_context(certificates.good, versions=versions)) as server:
        result = say_hello("-v", "--ca", certificates.root, server.url)
    assert result.status == 0
    leaf = certificates.good.certificate.certificate
    names = ["CN=good", "CN=wsx test intermediate"]
    for word in [shown, server.results[0], *names, str(leaf.not_valid_after.year), certificates.good.pin]:
        assert word in result.err, result
    assert "PRIVATE" not in result.err


def test_a_tls_1_2_server_is_rejected_if_1_3_is_required(certificates):
    with OpenSSLServer(certificates.good, "-tls1_2") as server:
        connect = ["connect", "--ca", certificates.root]
        assert_fails(wsx(*connect, "--tls-min", "1.3", server.url), 3, "TLS 1.3", "--tls-min")
        assert wsx(*connect, "--tls-min", "1.2", server.url).status in (4, 5)


@pytest.mark.parametrize(
    "versions, labels",
    [(TLS_1_2, {"CLIENT_RANDOM"}),
     (TLS_1_3, {"CLIENT_HANDSHAKE_TRAFFIC_SECRET", "SERVER_HANDSHAKE_TRAFFIC_SECRET", "CLIENT_TRAFFIC_SECRET_0",
                "SERVER_TRAFFIC_SECRET_0"})])
def test_keys_are_logged_to_the_file_in_the_environment(certificates, tmp_path, versions, labels):
    path = tmp_path / "keys"
    with ScriptedServer(echo_one, context=server_context(certificates.good, versions=versions)) as server:
        for _ in range(2):
            result = say_hello("--ca", certificates.root, server.url, env=environment(SSLKEYLOGFILE=path))
            assert (result.status, result.out) == (0, b"hello\n"), result
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Z0-9_]+ [0-9a-f]{64} ([0-9a-f]{64}|[0-9a-f]{96})", line) for line in lines), lines
    assert labels <= {line.split()[0] for line in lines}
    # The second run appends to the file.
    assert len({line.split()[1] for line in lines}) == 2
    assert path.stat().st_mode & 0o077 == 0, "only the owner may read the secrets"


@pytest.mark.parametrize("versions", [TLS_1_2, TLS_1_3])
def test_a_reconnect_resumes_the_session(certificates, versions):
    def script(peer):
        peer.upgrade()
        if not peer.sock.session_reused and server.connection_count == 1:
            peer.send(wire.text("first"))
            peer.sock.close()
            return False
        peer.send(wire.text("second") + wire.close(1000))
        peer.read_until_close()
        return peer.sock.session_reused

    with ScriptedServer(script, context=server_context(certificates.good, versions=versions)) as server:
        result = wsx("connect", "--ca", certificates.root, "--reconnect", "--no-stdin", server.url)
    assert (result.status, result.out) == (0, b"first\nsecond\n"), result
    assert server.results == [False, True]


# Addresses


def test_tls_works_over_a_socket_file(certificates, tmp_path):
    with ScriptedServer(echo_one, path=tmp_path / "socket", context=server_context(certificates.good)):
        assert_hello(say_hello(
            "--ca", certificates.root, "--unix-socket", tmp_path / "socket", "wss://example.test/"))


# Servers without TLS


def test_a_server_without_tls_is_distinguished_from_one_with_a_bad_certificate(python_echo):
    assert_fails(say_hello(f"wss://127.0.0.1:{python_echo.port}/"), 3, "ws://")


@pytest.mark.parametrize("banner", [b"SSH-2.0-OpenSSH\r\n", b"", b"\x15\x03\x01", b"\x16\x03\x03\xff\xff"])
def test_a_server_that_speaks_another_protocol_exits_3(banner):
    def script(peer):
        peer.sock.recv(1 << 16)
        peer.send(banner)
        # Unread bytes would reset the connection and discard the banner.
        peer.end_sending()
        peer.read_to_end()

    with ScriptedServer(script) as server:
        result = say_hello(server.url.replace("ws:", "wss:"))
    assert_fails(result, 3, "TLS")


def test_a_tls_server_is_recognized_by_a_client_without_tls(certificates, nginx):
    result = say_hello(f"ws://127.0.0.1:{nginx.port}/")
    assert result.status == 4 and "HTTPS port" in result.err, "the error must use the answer of nginx"
    with OpenSSLServer(certificates.good) as server:
        assert_fails(say_hello(f"ws://127.0.0.1:{server.port}/"), 3, "wss://")


# Shutdown


def test_tls_ends_with_a_close_notify(certificates):
    def script(peer):
        peer.upgrade()
        peer.answer_close()
        # An end without a close_notify would raise an error here.
        return peer.read_to_end()

    with ScriptedServer(script, context=server_context(certificates.good)) as server:
        assert wsx("connect", "--ca", certificates.root, "--linger", "0", server.url).status == 0
    assert server.results == [b""]


@pytest.mark.parametrize("versions", [TLS_1_2, TLS_1_3])
def test_a_close_frame_without_a_close_notify_is_a_normal_end(certificates, versions):
    def script(peer):
        peer.upgrade(then=wire.text("hello"))
        peer.answer_close()
        # Python sends a close_notify only in unwrap().
        peer.sock.close()

    with ScriptedServer(script, context=server_context(certificates.good, versions=versions)) as server:
        assert_hello(wsx("connect", "--ca", certificates.root, "-n", "1", server.url))


# Large amounts of data


def test_a_server_that_stops_reading_causes_bounded_memory_use(certificates):
    may_end = threading.Event()

    def script(peer):
        peer.upgrade()
        may_end.wait(60)

    with ScriptedServer(script, receive_buffer=4096, context=server_context(certificates.good)) as server:
        command = [BINARY, "connect", "--compress=off", "--ca", certificates.root, server.url]
        with Running(command, stdin=-1) as client:
            written = feed(client)
            assert peak_resident_bytes(client.pid) < memory_limit(64 * MEBIBYTE)
            may_end.set()
            client.wait()
    assert written < 64 * MEBIBYTE


def feed(client):
    """Writes lines until nothing is accepted for a second, and returns the number of bytes written."""
    descriptor = client.process.stdin.fileno()
    os.set_blocking(descriptor, False)
    lines = (b"x" * 1023 + b"\n") * 64
    written = 0
    while select.select([], [descriptor], [], 1)[1]:
        written += os.write(descriptor, lines)
    return written


def test_a_slow_reader_of_standard_output_gets_everything_with_bounded_memory(certificates):
    line = b"x" * 1000
    count = 150_000
    written = 0

    def script(peer):
        nonlocal written
        peer.upgrade()
        for _ in range(count // 100):
            peer.send(wire.text(line) * 100)
            written += 100
        peer.answer_close()

    with ScriptedServer(script, context=server_context(certificates.good)) as server:
        read_end, write_end = os.pipe()
        command = [
            BINARY, "connect", "--compress=off", "--ca", certificates.root, "-n", str(count), "--no-stdin", server.url]
        with open(read_end, "rb") as output, Running(command, stdout=write_end) as client:
            os.close(write_end)
            seen = -1
            deadline = time.monotonic() + 60
            while seen != written or written == 0:
                assert time.monotonic() < deadline and client.process.poll() is None, client.err
                seen = written
                time.sleep(1)
            assert written < count
            assert peak_resident_bytes(client.pid) < memory_limit(64 * MEBIBYTE)
            digest = hashlib.sha256()
            while piece := output.read1(1 << 20):
                digest.update(piece)
            assert client.wait() == 0
    assert digest.digest() == hashlib.sha256((line + b"\n") * count).digest()
