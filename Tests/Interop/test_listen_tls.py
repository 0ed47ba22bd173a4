"""`wsx listen` over TLS with other clients: Python's websockets, ws for Node, curl, and OpenSSL."""

import asyncio
import os
import socket
import ssl

import pytest
import websockets

from processes import NODE_ENVIRONMENT, PEERS, Listener, Running, assert_fails, memory_limit, resident_bytes, run, wsx
from tls import client_context

MESSAGES = ["hello", "", "zwölf 水 🎈", "x" * 70_000]


@pytest.fixture(scope="module")
def tls_echo(certificates):
    """`wsx listen --echo` with the good certificate."""
    with Listener("--echo", *identity_options(certificates.good)) as server:
        yield server


@pytest.fixture(scope="module")
def guarded_echo(certificates):
    """`wsx listen --echo` that requires a client certificate."""
    options = ["--client-ca", certificates.root]
    with Listener("--echo", *identity_options(certificates.good), *options) as server:
        yield server


def identity_options(identity):
    return ["--tls-cert", identity.chain, "--tls-key", identity.key]


def talk_python(server, context, messages=MESSAGES):
    async def talk():
        async with websockets.connect(server.url, ssl=context, max_size=None, open_timeout=60) as connection:
            for message in messages:
                await connection.send(message)
                assert await asyncio.wait_for(connection.recv(), 60) == message

    asyncio.run(talk())


def talk_node(server, **variables):
    return run(
        ["node", PEERS / "ws_client.js", server.url, str(len(MESSAGES)), *MESSAGES],
        env={**NODE_ENVIRONMENT, **{name: os.fspath(value) for name, value in variables.items()}})


def test_python_websockets_can_connect(tls_echo, certificates):
    talk_python(tls_echo, client_context(certificates.root))


def test_node_ws_can_connect(tls_echo, certificates):
    result = talk_node(tls_echo, NODE_EXTRA_CA_CERTS=certificates.root)
    assert result.out.decode().split("\n") == [*MESSAGES, "closed 1000 ", ""]


@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_curl_gets_an_answer_over_each_version(tls_echo, certificates, version):
    result = run(
        ["curl", "--silent", "--show-error", "--include", "--max-time", "20", "--http1.1", "--cacert", certificates.root,
         f"--tlsv{version}", "--tls-max", version, tls_echo.url.replace("wss:", "https:")])
    assert result.out.startswith(b"HTTP/1.1 200 "), result


def test_the_whole_chain_is_sent_and_the_protocol_negotiated(tls_echo, certificates):
    result = run(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{tls_echo.port}", "-CAfile", certificates.root, "-alpn",
         "h2,http/1.1", "-verify_return_error", "-showcerts"])
    assert result.out.count(b"BEGIN CERTIFICATE") == 2
    assert b"ALPN protocol: http/1.1" in result.out
    assert b"Verify return code: 0 (ok)" in result.out or b"Verification: OK" in result.out


@pytest.mark.parametrize("offered, chosen", [
    ("TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256"),
    ("TLS_CHACHA20_POLY1305_SHA256:TLS_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384"),
])
def test_the_cipher_suite_with_sha_256_is_preferred(tls_echo, offered, chosen):
    result = run(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{tls_echo.port}", "-tls1_3", "-ciphersuites", offered])
    assert f"Cipher is {chosen}".encode() in result.out


@pytest.mark.parametrize("suites, offered, chosen", [
    ("TLS_AES_256_GCM_SHA384:TLS_AES_128_CCM_SHA256:TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256", None),
    ("TLS_CHACHA20_POLY1305_SHA256:TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256",
     "TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384"),
    ("TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:TLS_AES_128_CCM_SHA256",
     "TLS_AES_128_CCM_SHA256", "TLS_AES_128_CCM_SHA256"),
], ids=["fewer", "order", "more"])
def test_cipher_suites_of_the_system_stay(tmp_path, monkeypatch, suites, offered, chosen):
    settings = tmp_path / "openssl.cnf"
    settings.write_text(
        f"openssl_conf = a\n[a]\nssl_conf = b\n[b]\nsystem_default = c\n[c]\nCiphersuites = {suites}\n")
    monkeypatch.setenv("OPENSSL_CONF", str(settings))
    with Listener("--echo", "--tls-self-signed") as server:
        monkeypatch.delenv("OPENSSL_CONF")
        result = run(
            ["openssl", "s_client", "-connect", f"127.0.0.1:{server.port}", "-tls1_3", "-ciphersuites", offered])
    assert f"Cipher is {chosen or '(NONE)'}".encode() in result.out


def test_a_client_may_not_renegotiate(tls_echo):
    command = ["openssl", "s_client", "-connect", f"127.0.0.1:{tls_echo.port}", "-tls1_2"]
    with Running(command, stdin=-1) as client:
        client.wait_for("Verify return code", "out")
        client.send(b"R\n")
        client.wait_for("no renegotiation|handshake failure|unexpected message")


def test_a_silent_client_is_disconnected_after_the_handshake_timeout(certificates):
    options = ["--handshake-timeout", "300ms"]
    with Listener("--echo", *identity_options(certificates.good), *options) as server:
        with socket.create_connection(("127.0.0.1", server.port), 20) as sock:
            assert sock.recv(100) == b""


def test_two_hundred_concurrent_tls_clients_are_served(tls_echo, certificates):
    context = client_context(certificates.root)
    opened = []

    async def talk(number):
        async with websockets.connect(tls_echo.url, ssl=context, open_timeout=60) as connection:
            opened.append(number)
            while len(opened) < 200:
                await asyncio.sleep(0.01)
            await connection.send(str(number))
            assert await connection.recv() == str(number)

    async def talk_all():
        await asyncio.gather(*map(talk, range(200)))

    asyncio.run(asyncio.wait_for(talk_all(), 60))
    assert resident_bytes(tls_echo.pid) < memory_limit(128 << 20)


# Self-signed certificates


def test_a_self_signed_certificate_is_verified_by_its_pin(certificates):
    with Listener("--echo", "--tls-self-signed") as server:
        pin = server.wait_for(r"sha256//[A-Za-z0-9+/]{43}=").group().decode()
        assert_fails(wsx("connect", server.url), 3, "self-signed")
        result = wsx("connect", "-k", "--pin", pin, "-n", "1", server.url, "hello")
        assert (result.status, result.out) == (0, b"hello\n"), result
        assert wsx("connect", "-k", "--pin", certificates.good.pin, server.url).status == 3

        certificate = ssl.get_server_certificate(("127.0.0.1", server.port))
        context = ssl.create_default_context(cadata=certificate)
        talk_python(server, context, ["it is made out to 127.0.0.1"])
        assert talk_node(server, NODE_TLS_REJECT_UNAUTHORIZED="0").out.endswith(b"closed 1000 \n")
        curl = ["curl", "--silent", "--max-time", "20", "-k", "--pinnedpubkey", pin]
        assert run([*curl, "-o", "/dev/null", "-w", "%{http_code}", server.url.replace("wss:", "https:")]).out == b"200"


def test_each_run_generates_a_new_certificate():
    pins = set()
    for _ in range(2):
        with Listener("--echo", "--tls-self-signed") as server:
            pins.add(server.wait_for(r"sha256//[A-Za-z0-9+/]{43}=").group())
    assert len(pins) == 2


# Client certificates


def test_a_client_with_a_certificate_is_accepted(guarded_echo, certificates):
    talk_python(guarded_echo, client_context(certificates.root, certificates.client))
    identity = certificates.client
    result = wsx(
        "connect", "--ca", certificates.root, "--cert", identity.chain, "--key", identity.key, "-n", "1",
        guarded_echo.url, "hello")
    assert (result.status, result.out) == (0, b"hello\n"), result


@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_a_client_without_a_certificate_is_rejected(guarded_echo, certificates, version):
    result = run(
        ["curl", "--silent", "--show-error", "--max-time", "20", "--cacert", certificates.root, f"--tlsv{version}",
         "--tls-max", version, guarded_echo.url.replace("wss:", "https:")])
    assert result.status in (35, 56) and result.out == b"", result
    assert "alert" in result.err
    assert_fails(wsx("connect", "--ca", certificates.root, guarded_echo.url), 3, "--cert")
    assert talk_node(guarded_echo, NODE_EXTRA_CA_CERTS=certificates.root).out.startswith(b"error ")


@pytest.mark.parametrize("kind", ["good", "expired", "unknown authority"])
def test_a_client_with_an_invalid_certificate_is_rejected(guarded_echo, certificates, kind):
    # The good certificate is for servers only.
    identity = certificates.good if kind == "good" else certificates.bad[kind]
    with pytest.raises((OSError, websockets.InvalidHandshake, websockets.ConnectionClosed)):
        talk_python(guarded_echo, client_context(certificates.root, identity))


# Invalid files


@pytest.mark.parametrize(
    "options, word",
    [(["--tls-cert", "/no/such/file", "--tls-key", "/no/such/file"], "--tls-cert"),
     (["--tls-cert", "/dev/null", "--tls-key", "/dev/null"], "--tls-cert"),
     (["--tls-key", "/dev/null"], "--tls-cert"),
     (["--tls-self-signed", "--client-ca", "/no/such/file"], "--client-ca")])
def test_invalid_files_exit_2(options, word):
    assert_fails(wsx("listen", "--echo", *options, "0"), 2, word)
