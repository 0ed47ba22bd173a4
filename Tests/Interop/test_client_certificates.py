"""Client certificates that servers request after the handshake, and PKCS #12 files."""

import select
import ssl

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.serialization import pkcs12

import wire
from certificates import PASSPHRASE
from processes import BINARY, Listener, Running, assert_fails, environment, run, wsx
from scripted_server import ScriptedServer
from services import OpenSSLServer
from terminal import RawTerminal
from tls import server_context

TLS_1_3 = (ssl.TLSVersion.TLSv1_3, None)


def say_hello(certificates, *arguments, **options):
    return wsx("connect", "--ca", certificates.root, "-n", "1", *arguments, "hello", **options)


def assert_hello(result):
    assert (result.status, result.out, result.err) == (0, b"hello\n", ""), result


def own(certificates):
    return ["--cert", certificates.client.chain, "--key", certificates.client.key]


# Requests after the handshake (RFC 8446 §4.6.2)


def asking_context(certificates, mode=ssl.CERT_REQUIRED, authority=None):
    """A context whose server requests no certificate during the handshake."""
    context = server_context(certificates.good, versions=TLS_1_3)
    context.load_verify_locations(authority or certificates.root)
    context.verify_mode = mode
    context.post_handshake_auth = True
    return context


def ask(peer):
    """Sends a request for a certificate."""
    peer.sock.verify_client_post_handshake()
    peer.sock.do_handshake()


def read_answer(peer):
    """Reads the client's certificate, while it sends nothing else, and returns its subject. None for no certificate."""
    peer.sock.settimeout(0)
    select.select([peer.sock], [], [], 30)
    with pytest.raises(ssl.SSLWantReadError):
        peer.sock.recv(1)
    peer.sock.settimeout(60)
    certificate = peer.sock.getpeercert()
    return certificate and certificate["subject"][0][0][1]


def serve_after_asking(peer, request_count=1):
    peer.read_request()
    for _ in range(request_count):
        ask(peer)
        subject = read_answer(peer)
    peer.upgrade()
    while (received := peer.read_frame()) is not None and received.opcode != wire.CLOSE:
        peer.send(wire.frame(received.opcode, received.payload))
    if received is not None:
        peer.send(wire.frame(wire.CLOSE, received.payload))
    return subject


@pytest.mark.parametrize("request_count", [1, 2])
def test_a_certificate_requested_during_the_upgrade_is_sent(certificates, request_count):
    def script(peer):
        return serve_after_asking(peer, request_count)

    with ScriptedServer(script, context=asking_context(certificates)) as server:
        assert_hello(say_hello(certificates, *own(certificates), server.url))
    assert server.results == ["client"]


def test_bench_sends_a_certificate_requested_during_the_upgrade(certificates):
    with ScriptedServer(serve_after_asking, context=asking_context(certificates)) as server:
        result = wsx("bench", "--ca", certificates.root, *own(certificates), "-c", "2", "-n", "4", server.url)
    assert result.status == 0, result
    assert server.results == ["client"] * 2


def test_a_server_that_asks_twice_at_once_is_answered(certificates):
    def script(peer):
        peer.read_request()
        ask(peer)
        # OpenSSL does not send a second request before the answer to the first.
        with pytest.raises(ssl.SSLError):
            ask(peer)
        subject = read_answer(peer)
        peer.upgrade()
        peer.send(wire.text(peer.read_message().payload))
        peer.answer_close()
        return subject

    with ScriptedServer(script, context=asking_context(certificates)) as server:
        assert_hello(say_hello(certificates, *own(certificates), server.url))
    assert server.results == ["client"]


def test_a_server_that_requires_a_certificate_for_a_path_says_so(certificates):
    def script(peer):
        peer.read_request()
        ask(peer)
        with pytest.raises(ssl.SSLError, match="PEER_DID_NOT_RETURN_A_CERTIFICATE"):
            peer.sock.recv(1)

    with ScriptedServer(script, context=asking_context(certificates)) as server:
        result = say_hello(certificates, server.url)
    assert_fails(result, 3, "the server requires a client certificate; use --cert and --key")


@pytest.mark.parametrize("asks", [True, False])
def test_a_403_mentions_a_client_certificate_only_if_the_server_asked_for_one(certificates, asks):
    def script(peer):
        peer.read_request()
        if asks:
            ask(peer)
            assert not read_answer(peer)
        peer.send(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")

    with ScriptedServer(script, context=asking_context(certificates, ssl.CERT_OPTIONAL)) as server:
        result = say_hello(certificates, server.url)
    assert result.status == 4, result
    assert ("the server requested a client certificate: use --cert and --key" in result.err) == asks


def test_a_rejected_certificate_is_reported(certificates):
    def script(peer):
        peer.read_request()
        ask(peer)
        with pytest.raises(ssl.SSLError, match="CERTIFICATE_VERIFY_FAILED"):
            peer.sock.recv(1)

    context = asking_context(certificates, authority=certificates.strange_root)
    with ScriptedServer(script, context=context) as server:
        result = say_hello(certificates, *own(certificates), server.url)
    assert_fails(result, 3, "the server rejected the client certificate (unknown CA)")


def test_a_server_that_leaves_after_its_request_is_reported(certificates):
    def script(peer):
        peer.read_request()
        ask(peer)

    with ScriptedServer(script, context=asking_context(certificates)) as server:
        result = say_hello(certificates, *own(certificates), server.url)
    assert_fails(result, 3, "connecting to wss://")


# TLS 1.2


@pytest.mark.parametrize("command", ["connect", "bench"])
def test_a_server_that_wants_to_renegotiate_is_reported_with_the_remedy(certificates, command):
    with OpenSSLServer(certificates.good, "-tls1_2", page=False, stdin=-1) as server:
        with Running([BINARY, command, "--ca", certificates.root, *own(certificates), server.url]) as client:
            server.wait_for(r"Sec-WebSocket-Key", "out")
            # A line that starts with `R` makes s_server renegotiate and request a certificate.
            server.send(b"R\n")
            assert client.wait() == 3
            assert client.err.count("\n") == 1 or command == "bench"
            assert "the server wants to renegotiate TLS 1.2" in client.err
            assert "let the server request it in the first handshake, or use TLS 1.3" in client.err


# PKCS #12 files


@pytest.fixture(scope="module")
def pkcs12_file(certificates, tmp_path_factory):
    """The client's key, certificate, and intermediate certificate, in a file whose name does not reveal its format."""
    path = tmp_path_factory.mktemp("pkcs12") / "client.bin"
    leaf = certificates.client.certificate
    path.write_bytes(pkcs12.serialize_key_and_certificates(
        b"client", leaf.key, leaf.certificate, [certificates.intermediate.certificate],
        serialization.BestAvailableEncryption(PASSPHRASE.encode())))
    return path


@pytest.fixture(scope="module")
def guarded_echo(certificates):
    options = ["--tls-cert", certificates.good.chain, "--tls-key", certificates.good.key]
    with Listener("--echo", *options, "--client-ca", certificates.root) as server:
        yield server


def test_a_pkcs12_file_authenticates_a_client(certificates, guarded_echo, pkcs12_file):
    result = say_hello(certificates, "-v", "--cert", pkcs12_file, "--passphrase", PASSPHRASE, guarded_echo.url)
    assert (result.status, result.out) == (0, b"hello\n"), result
    assert PASSPHRASE not in result.err


def test_the_terminal_prompts_for_the_passphrase_of_a_pkcs12_file(certificates, guarded_echo, pkcs12_file):
    with RawTerminal(
            "connect", "--color", "never", "--ca", certificates.root, "--cert", pkcs12_file, "-n", "1",
            guarded_echo.url, "hello") as terminal:
        terminal.wait_for(f"Passphrase for {pkcs12_file}".encode())
        terminal.type(PASSPHRASE + "\r")
        assert terminal.wait() == 0
        assert b"hello" in terminal.output and PASSPHRASE.encode() not in terminal.output


def test_errors_of_a_pkcs12_file_exit_2(certificates, pkcs12_file, tmp_path):
    url = "wss://127.0.0.1:1/"
    cut = tmp_path / "cut.p12"
    cut.write_bytes(pkcs12_file.read_bytes()[:500])
    phrase = ["--passphrase", PASSPHRASE]
    for options, words in [
        (["--cert", pkcs12_file, "--passphrase", "falsch"], "wrong passphrase for the private key"),
        (["--cert", pkcs12_file], "--passphrase"),
        (["--cert", cut, *phrase], "in PKCS #12 format, cannot be read"),
        (["--cert", pkcs12_file, "--key", certificates.client.key, *phrase], "omit --key"),
        (["--cert", certificates.client.chain, "--key", pkcs12_file, *phrase], "omit --key"),
        (["--cert", pkcs12_file, "--key", pkcs12_file, *phrase], "omit --key"),
    ]:
        result = wsx("connect", *options, url)
        assert_fails(result, 2, words)
        assert "falsch" not in result.err and PASSPHRASE not in result.err


def test_a_pkcs12_file_of_an_old_program_is_reported_with_the_command_that_converts_it(
        certificates, guarded_echo, tmp_path):
    old, new = tmp_path / "old.p12", tmp_path / "new.pem"
    identity = certificates.client
    result = run(["openssl", "pkcs12", "-export", "-legacy", "-in", identity.chain, "-inkey", identity.key,
                  "-passout", f"pass:{PASSPHRASE}", "-out", old])
    assert result.status == 0, result
    options = ["--passphrase", "env:WSX_TEST_SECRET", guarded_echo.url]
    secret = environment(WSX_TEST_SECRET=PASSPHRASE)
    result = say_hello(certificates, "--cert", old, *options, env=secret)
    assert_fails(result, 2, "'openssl pkcs12 -legacy -in FILE -out FILE.pem'")
    result = run(["openssl", "pkcs12", "-legacy", "-in", old, "-out", new, "-passin", f"pass:{PASSPHRASE}",
                  "-passout", f"pass:{PASSPHRASE}"])
    assert result.status == 0, result
    assert_hello(say_hello(certificates, "--cert", new, *options, env=secret))
