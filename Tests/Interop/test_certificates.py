"""Certificates: the good one is accepted on every route, and each bad one is rejected for its own reason."""

import re
from dataclasses import dataclass, field

import pytest

from processes import assert_fails, wsx
from services import OpenSSLServer

# OpenSSL needs these options to present a weak key or to speak old TLS versions.
INSECURE = ["-cipher", "ALL:@SECLEVEL=0"]
ASKS_FOR_CERTIFICATE = ["-Verify", "1", "-verify_return_error"]


@dataclass
class Bad:
    """A bad certificate: the expected error, the expected name, and the options that cause it.

    `certificate` is a key of `Certificates.bad`. None selects the good one.
    """

    words: str
    certificate: str | None = None
    name: str | None = None
    server: list = field(default_factory=list)
    pins_another: bool = False


MATRIX = {
    "expired": Bad("expired on", "expired"),
    "not yet valid": Bad("is not yet valid", "not yet valid"),
    "self-signed": Bad("is self-signed", "self-signed"),
    "unknown authority": Bad("an untrusted authority: CN ?= ?wsx strange root", "unknown authority"),
    "wrong host": Bad("is not for .localhost. but for .elsewhere.test", "wrong host", name="localhost"),
    "wrong address": Bad(r"is not for the address 127\.0\.0\.1 but for .*127\.0\.0\.9", "wrong address"),
    "wildcard across two labels": Bad(
        "a wildcard matches only one label", "wildcard across two labels", name="a.b.example.test"),
    "common name only": Bad("no subject alternative name", "common name only", name="localhost"),
    "not for servers": Bad("is not for this purpose, according to its key usage", "not for servers"),
    "wrong pin": Bad("does not have the pinned key", pins_another=True),
    "TLS 1.0 only": Bad("only TLS versions before 1.2", server=["-tls1", *INSECURE]),
    "TLS 1.1 only": Bad("only TLS versions before 1.2", server=["-tls1_1", *INSECURE]),
    "missing intermediate": Bad("wsx test intermediate, which is not trusted and which the server did not send", "missing intermediate"),
    "weak key": Bad("a weak key: .*1024 bits", "weak key", server=INSECURE),
    "client certificate asked for, TLS 1.2": Bad(
        "requires a client certificate", server=["-tls1_2", *ASKS_FOR_CERTIFICATE]),
    "client certificate asked for, TLS 1.3": Bad(
        "requires a client certificate", server=["-tls1_3", *ASKS_FOR_CERTIFICATE]),
}
# These kinds share one message.
SAME_REASON = [
    {"TLS 1.0 only", "TLS 1.1 only"},
    {"client certificate asked for, TLS 1.2", "client certificate asked for, TLS 1.3"}]


@pytest.fixture(scope="module")
def connect_to(certificates):
    """Returns a function that runs wsx against a server with this kind of certificate. Servers start on first use."""
    servers = {}

    def connect(kind, *arguments, name=None):
        bad = MATRIX[kind]
        if kind not in servers:
            identity = certificates.bad[bad.certificate] if bad.certificate else certificates.good
            servers[kind] = OpenSSLServer(identity, "-CAfile", certificates.root, *bad.server)
        expected_name = name or bad.name
        name = ["--tls-server-name", expected_name] if expected_name else []
        pin = ["--pin", certificates.client.pin] if bad.pins_another else []
        return wsx("connect", "--ca", certificates.root, *name, *pin, *arguments, servers[kind].url)

    yield connect
    for server in servers.values():
        server.__exit__()


def assert_rejects(connect_to, kind, *arguments):
    """Asserts that this kind is rejected for its own reason, and returns the run."""
    result = connect_to(kind, *arguments)
    assert_fails(result, 3)
    assert re.search(MATRIX[kind].words, result.err), result
    assert "geheim" not in result.err
    return result


def test_a_bad_certificate_is_rejected_for_its_own_reason(connect_to):
    kinds = {}
    for kind in MATRIX:
        line = re.sub(r":\d+/", "/", assert_rejects(connect_to, kind).err)
        kinds.setdefault(line, set()).add(kind)
    assert [same for same in kinds.values() if len(same) > 1 and same not in SAME_REASON] == []


# Routes carry bytes and do not know of certificates, so a pair of each route and one kind is enough.
def test_a_bad_certificate_is_rejected_on_every_route(connect_to, route):
    assert_rejects(connect_to, "wrong host", *route)
    assert_rejects(connect_to, "client certificate asked for, TLS 1.3", *route)


def test_the_same_servers_are_accepted_with_the_right_options(connect_to, certificates):
    """The server's page is not an upgrade: status 4, or 5 if the page does not count as a rejection, but never 3."""
    own = ["--cert", certificates.client.chain, "--key", certificates.client.key]
    for kind, options, name in [
        ("wrong host", [], "elsewhere.test"),
        ("wrong address", [], "localhost"),
        ("wildcard across two labels", [], "b.example.test"),
        ("unknown authority", ["-k"], None),
        ("self-signed", ["-k"], None),
        ("wrong pin", ["--pin", certificates.good.pin], None),
        ("client certificate asked for, TLS 1.2", own, None),
        ("client certificate asked for, TLS 1.3", own, None),
    ]:
        result = connect_to(kind, *options, name=name)
        assert result.status in (4, 5), (kind, result)
        assert "200" in result.err, (kind, result)


def test_a_chain_in_another_order_is_accepted_and_noted(certificates):
    for version in "-tls1_2", "-tls1_3":
        with OpenSSLServer(certificates.bad["wrong order"], version) as server:
            result = wsx("connect", "-v", "--ca", certificates.root, server.url)
            assert result.status in (4, 5) and "200" in result.err, result
            assert re.search(r"note: the chain is out of order: .* is not followed by its issuer .*intermediate", result.err)
    with OpenSSLServer(certificates.good) as server:
        assert "out of order" not in wsx("connect", "-v", "--ca", certificates.root, server.url).err


def test_the_good_certificate_is_accepted_on_every_route(nginx, certificates, route):
    result = wsx("connect", "--ca", certificates.root, *route, "-n", "1", nginx.url, "hello")
    assert (result.status, result.out, result.err) == (0, b"hello\n", "")


def test_the_good_certificate_is_accepted_for_each_of_its_names(nginx, certificates):
    for name in ["localhost", "example.test", "one.example.test", "::1"]:
        result = wsx("connect", "--ca", certificates.root, "--tls-server-name", name, "-n", "1", nginx.url, "hello")
        assert (result.status, result.out, result.err) == (0, b"hello\n", ""), result


def test_the_name_in_the_url_is_verified(nginx, certificates):
    for host in ["localhost", "example.test", "one.example.test", "LOCALHOST", "example.test."]:
        result = wsx(
            "connect", "--ca", certificates.root, "--resolve", f"{host}:{nginx.port}:127.0.0.1", "-n", "1",
            f"wss://{host}:{nginx.port}/", "hello")
        assert (result.status, result.out) == (0, b"hello\n"), result


def test_a_bad_certificate_of_the_proxy_names_the_proxy(certificates, nginx):
    with OpenSSLServer(certificates.bad["expired"]) as proxy:
        result = wsx(
            "connect", "--ca", certificates.root, "--proxy", f"https://127.0.0.1:{proxy.port}", nginx.url)
    assert_fails(result, 3, "expired", f"127.0.0.1:{proxy.port}")
