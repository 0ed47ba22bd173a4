"""Names, addresses, and routes: the choice of address, and the time limit of each phase."""

import contextlib
import pathlib
import signal
import threading
import time

import pytest

import wire
from processes import BINARY, PYTHON, Running, assert_fails, run, thread_count, wait_until, wsx
from scripted_server import ScriptedServer
from services import Blackhole, can_use_ipv6, free_ports
from tls import server_context

needs_ipv6 = pytest.mark.skipif(not can_use_ipv6(), reason="this machine has no IPv6")


def greet(peer):
    """Sends a greeting, and returns the client's address and the requested Host."""
    peer.upgrade(then=wire.text("hello"))
    peer.answer_close()
    return peer.sock.getpeername()[0], wire.field(peer.request, b"Host").decode()


def receive(*arguments, **options):
    return wsx("connect", "-n", "1", "--no-stdin", *arguments, **options)


def assert_hello(result):
    assert (result.status, result.out, result.err) == (0, b"hello\n", ""), result


# Address families


@needs_ipv6
@pytest.mark.parametrize(
    "option, family", [("-4", "127.0.0.1"), ("-6", "::1"), (None, "::1")], ids=["-4", "-6", "neither"])
def test_localhost_uses_the_requested_family(option, family):
    port, = free_ports(1)
    with ScriptedServer(greet, address="::1", port=port) as six, ScriptedServer(greet, port=port) as four:
        assert_hello(receive(*([option] if option else []), f"ws://localhost:{six.port}/"))
    servers = {"127.0.0.1": four, "::1": six}
    assert [result[0] for result in servers.pop(family).results] == [family]
    assert [server.results for server in servers.values()] == [[]]


@needs_ipv6
@pytest.mark.parametrize("address, option", [("127.0.0.1", "-6"), ("::1", "-4")])
def test_the_other_family_is_not_a_fallback(address, option):
    with ScriptedServer(greet, address=address) as server:
        assert_fails(receive(option, f"ws://localhost:{server.port}/"), 3, "connection refused")
        assert_hello(receive(f"ws://localhost:{server.port}/"))


@needs_ipv6
@pytest.mark.parametrize("host", ["[::1]", "[0:0::1]", "[::1%25lo]", "[::1%lo]"])
def test_an_ipv6_address_may_have_a_zone(host):
    with ScriptedServer(greet, address="::1") as server:
        assert_hello(receive(f"ws://{host}:{server.port}/"))
    # RFC 6874 §4: a zone has a meaning on this machine only.
    assert "%" not in server.results[0][1]


# --resolve


@pytest.mark.parametrize(
    "rule", ["APP.invalid:PORT:127.0.0.1", "*:PORT:127.0.0.1"])
def test_resolve_assigns_an_address_to_a_name(rule):
    with ScriptedServer(greet) as server:
        assert_hello(receive("--resolve", rule.replace("PORT", str(server.port)), f"ws://app.invalid:{server.port}/"))
    assert server.results == [("127.0.0.1", f"app.invalid:{server.port}")]


@pytest.mark.parametrize("option, address", [("-4", "::1"), ("-6", "127.0.0.1")])
def test_a_rule_without_an_address_of_the_requested_family_exits_3(option, address):
    result = receive(option, "--resolve", f"app.invalid:1:{address}", "ws://app.invalid:1/")
    assert_fails(result, 3, "app.invalid", option)


# Happy eyeballs (RFC 8305)


def test_if_all_addresses_refuse_all_are_named():
    result = receive("--resolve", "app.invalid:1:127.0.0.2,127.0.0.3", "ws://app.invalid:1/")
    assert_fails(result, 3, "127.0.0.2", "127.0.0.3", "connection refused")


# Source addresses


@pytest.mark.parametrize("address, status", [("192.0.2.77", 3), ("localhost", 2)])
def test_a_source_address_of_another_machine_is_rejected(address, status):
    with ScriptedServer(greet) as server:
        assert_fails(receive("--source-ip", address, server.url), status, "--source-ip" if status == 2 else address)
    assert server.connection_count == 0


def test_a_connection_to_a_proxy_uses_the_source_address_too():
    def script(peer):
        peer.read_head()
        peer.send(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
        return peer.sock.getpeername()[0]

    with ScriptedServer(script) as proxy:
        receive("--source-ip", "127.0.0.5", "--proxy", f"http://127.0.0.1:{proxy.port}", "ws://app.invalid/")
    assert proxy.results == ["127.0.0.5"]


# Internationalized names


@pytest.mark.parametrize("host", ["bücher.test", "bücher。test"])
def test_an_international_name_is_sent_in_ascii(certificates, host):
    names = []
    context = server_context(certificates.good, on_server_name=names.append)
    with ScriptedServer(greet, context=context) as server:
        assert_hello(receive(
            "--ca", certificates.root, "--resolve", f"bücher.test:{server.port}:127.0.0.1", f"wss://{host}:{server.port}/"))
    assert names == ["xn--bcher-kva.test"]
    assert server.results[0][1] == f"xn--bcher-kva.test:{server.port}"


# Unix domain sockets


def test_a_missing_socket_file_exits_3(tmp_path):
    assert_fails(receive("--unix-socket", tmp_path / "none", "ws://app.invalid/"), 3, "no such file")


def test_with_a_socket_file_the_name_is_not_resolved(tmp_path):
    def script(peer):
        peer.upgrade(then=wire.text("hello"))
        peer.answer_close()
        return wire.field(peer.request, b"Host")

    with ScriptedServer(script, path=tmp_path / "socket") as server:
        assert_hello(receive("--unix-socket", tmp_path / "socket", "ws://app.invalid/"))
    assert server.results == [b"app.invalid"]


# Time limits


def stay_silent(peer):
    """Stays silent until the client disconnects."""
    with contextlib.suppress(OSError):
        peer.read_to_end()


def assert_times_out(result, cause, limit="300 ms"):
    assert_fails(result, 6, f"timed out after {limit}: {cause}", "raise --connect-timeout")


def test_a_timeout_while_connecting_names_the_phase():
    with Blackhole("127.0.0.1") as hole:
        result = receive("--connect-timeout", "300ms", f"ws://127.0.0.1:{hole.port}/")
    assert_times_out(result, "the host does not answer")
    assert f"127.0.0.1:{hole.port}" in result.err


def test_a_timeout_in_the_tls_handshake_names_the_phase():
    with ScriptedServer(stay_silent) as server:
        result = receive("--connect-timeout", "300ms", server.url.replace("ws:", "wss:"))
    assert_times_out(result, "the port is open, but does not answer the TLS handshake; wrong port")


def test_a_timeout_in_the_upgrade_names_the_phase(certificates):
    for context in [None, server_context(certificates.good)]:
        with ScriptedServer(stay_silent, context=context) as server:
            result = receive("--connect-timeout", "1", "--ca", certificates.root, server.url)
        assert_times_out(result, "the port is open, but does not answer the HTTP request; wrong port?", "1 s")


@pytest.mark.parametrize(
    "scheme, answers",
    [("http", [b"HTTP/1.1 200"]), ("socks5h", [b"\x05\x02", b"\x01\x00"]), ("https", [])],
    ids=["half an answer", "SOCKS after the password", "TLS"])
def test_a_timeout_at_the_proxy_names_the_phase(scheme, answers):
    def script(peer):
        for answer in answers:
            peer.sock.recv(1 << 16)
            peer.send(answer)
        peer.read_to_end()

    with ScriptedServer(script) as proxy:
        result = receive(
            "--connect-timeout", "300ms", "--proxy", f"{scheme}://me:geheim@127.0.0.1:{proxy.port}", "ws://app.invalid/")
    assert_fails(result, 6, "timed out after 300 ms: the proxy does not answer; check its port")
    assert "geheim" not in result.err


def test_a_timeout_while_connecting_to_the_proxy_names_the_phase():
    with Blackhole("127.0.0.1") as hole:
        result = receive(
            "--connect-timeout", "300ms", "--proxy", f"http://127.0.0.1:{hole.port}", "ws://app.invalid/")
    assert_fails(result, 6, "timed out after 300 ms: the host does not answer", f"127.0.0.1:{hole.port}")


def test_the_limit_covers_all_phases_together(certificates):
    """Each phase takes less than the limit, but together they take more."""

    def script(peer):
        time.sleep(0.4)
        peer.start_tls(server_context(certificates.good))
        time.sleep(0.4)
        try:
            peer.upgrade()
            peer.read_to_end()
        except OSError:
            pass

    with ScriptedServer(script) as server:
        result = receive(
            "--ca", certificates.root, "--connect-timeout", "700ms", server.url.replace("ws:", "wss:"))
    assert_times_out(result, "the port is open, but does not answer the HTTP request", "700 ms")


# A name server that never answers, in the test's own namespaces. $1 is a resolv.conf.
SILENT_NAME_SERVER = """
ip link set lo up && mount --bind "$1" /etc/resolv.conf || exit 90
exec 3> >(exec "$2" -c '
import socket, sys
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sock.bind(("127.0.0.1", 53))
sys.stdin.read()')
until grep -q "0100007F:0035" /proc/net/udp; do :; done
exec "${@:3}" ws://app.example/
"""


@pytest.fixture
def silent_name_server(tmp_path):
    """The command before which a program's lookups never end."""
    if run(["unshare", "-rmn", "true"]).status != 0:
        pytest.skip("the test needs mount namespaces to replace the name server")
    path = tmp_path / "resolv.conf"
    # resolv.conf(5): the maximum, several minutes per lookup.
    path.write_text("nameserver 127.0.0.1\noptions timeout:30 attempts:5\n")
    return ["unshare", "-rmn", "bash", "-c", SILENT_NAME_SERVER, "bash", path, PYTHON]


@pytest.mark.parametrize("options", [[], ["--proxy", "socks5://127.0.0.1:1"]])
def test_a_timeout_of_the_lookup_names_the_phase_and_the_host(silent_name_server, options):
    result = run(
        [*silent_name_server, BINARY, "connect", "--connect-timeout", "300ms", "--no-stdin", *options], timeout=60)
    assert_times_out(result, "the name server does not answer")
    assert "connecting to ws://app.example/: " in result.err


def test_lookups_that_never_end_take_four_threads_and_do_not_delay_the_exit(silent_name_server):
    with Running([*silent_name_server, BINARY, "bench", "-c", "1000", "-d", "1h"]) as bench:
        def threads():
            # The shell has become wsx.
            name = pathlib.Path(f"/proc/{bench.pid}/exe").resolve().name
            return thread_count(bench.pid) if name == "wsx" else 0

        # Besides the main thread and that of the load.
        wait_until(lambda: threads() >= 6)
        assert threads() == 6
        bench.signal(signal.SIGINT)
        # Far less than the time after which a lookup gives up.
        assert bench.wait(timeout=60) == 130


@pytest.mark.parametrize("phase", ["TLS handshake", "upgrade"])
def test_an_interrupt_ends_every_phase(phase):
    was_asked = threading.Event()

    def script(peer):
        peer.sock.recv(1)
        was_asked.set()
        stay_silent(peer)

    with ScriptedServer(script) as server:
        url = server.url if phase == "upgrade" else server.url.replace("ws:", "wss:")
        with Running([BINARY, "connect", url]) as client:
            assert was_asked.wait(60)
            client.signal(signal.SIGINT)
            assert client.wait() == 130
