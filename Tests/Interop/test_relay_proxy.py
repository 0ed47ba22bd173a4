"""`wsx relay` without a URL is an HTTP proxy, which intercepts connections to the servers that clients name."""

import json
import socket
import ssl
import struct

import pytest

import wire
from processes import Listener, Proxy, assert_fails, environment, wait_until, wsx
from scripted_server import ScriptedServer
from services import OpenSSLServer
from tls import client_context, server_context


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    """The folder of the authority."""
    return tmp_path_factory.mktemp("authority") / "ca"


@pytest.fixture(scope="module")
def echo():
    with Listener("--echo") as server:
        yield server


@pytest.fixture(scope="module")
def secure_echo(certificates):
    with Listener("--echo", "--tls-cert", certificates.good.chain, "--tls-key", certificates.good.key) as server:
        yield server


@pytest.fixture(scope="module")
def make(authority, certificates):
    """Starts a proxy that trusts the test's servers."""
    return lambda *arguments, **options: Proxy(
        "--proxy-ca", authority, "--ca", certificates.root, *arguments, **options)


@pytest.fixture(scope="module")
def proxy(make):
    with make() as proxy:
        yield proxy


@pytest.fixture(scope="module")
def tunneling(make):
    """A proxy that intercepts nothing that the tests use."""
    with make("--intercept", "other.example") as proxy:
        yield proxy


def request(proxy, data):
    stream = wire.Stream(socket.create_connection(("127.0.0.1", proxy.port), timeout=60))
    stream.send(data)
    return stream


def tunnel(proxy, host, port, *fields):
    """Opens a tunnel and returns its stream."""
    lines = [f"CONNECT {host}:{port} HTTP/1.1".encode(), *fields]
    stream = request(proxy, b"\r\n".join(lines) + b"\r\n\r\n")
    assert status(stream.read_head()) == 200
    return stream


def secured(stream, authority, name="localhost", protocols=("http/1.1",)):
    context = client_context(authority / "ca.pem")
    context.set_alpn_protocols(list(protocols))
    stream.sock = context.wrap_socket(stream.sock, server_hostname=name)
    return stream


def status(head):
    return int(head.split(b" ", 2)[1])


def was_reset(stream):
    try:
        return stream.sock.recv(1) is None
    except ConnectionResetError:
        return True


def page(peer):
    """Answers a request, and returns its head."""
    head = peer.read_request()
    peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")
    return head


def connect(proxy, url, *arguments, **options):
    return wsx("connect", "--proxy", f"http://127.0.0.1:{proxy.port}", "-n", "1", *arguments, url, "hello", **options)


def local(url):
    """The URL with a name that certificates have."""
    return url.replace("127.0.0.1", "localhost")


class TestRequests:
    def test_in_origin_form_get_a_page_of_help(self, proxy):
        stream = request(proxy, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert status(stream.read_head()) == 400
        assert b"HTTP proxy" in stream.read_to_end()

    @pytest.mark.parametrize("number, target", enumerate([
        "localhost", "localhost:", "localhost:0", "localhost:65536", "*.example:443", "a%00b:443", "u@localhost:1",
        "localhost:1/", "a..b:1", ".:1", "[::1%25lo]:1", "[::1]", "::1:443", "/", "http://localhost:1/", "a%2eb:1",
        "local\xc3\xa9host:1"]), ids=lambda value: value if isinstance(value, int) else "target")
    def test_for_tunnels_need_a_host_and_a_port(self, proxy, number, target):
        stream = request(proxy, f"CONNECT {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode("latin-1"))
        assert status(stream.read_head()) == 400

    @pytest.mark.parametrize("field", ["Content-Length: 5", "Transfer-Encoding: chunked", "Host: y"])
    def test_for_tunnels_have_no_body_and_one_host(self, proxy, field):
        stream = request(proxy, f"CONNECT localhost:1 HTTP/1.1\r\nHost: x\r\n{field}\r\n\r\n".encode())
        assert status(stream.read_head()) == 400

    @pytest.mark.parametrize("number, target", enumerate([
        "http://u:p@localhost/", "http:///", "http://*.example/", "http://a b/", "ftp://localhost/", "localhost:80"]),
        ids=lambda value: value if isinstance(value, int) else "target")
    def test_need_the_url_of_a_server(self, proxy, number, target):
        stream = request(proxy, f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert status(stream.read_head()) == 400

    def test_go_to_the_server_of_their_url(self, proxy):
        with ScriptedServer(page) as server:
            port = server.port
            fields = b"Host: elsewhere\r\nProxy-Authorization: Basic eDp5\r\nOrigin: http://other.example\r\n"
            stream = request(proxy, f"GET http://localhost:{port}/a?b HTTP/1.1\r\n".encode() + fields + b"\r\n")
            assert stream.read_to_end().endswith(b"\r\n\r\nhi")
        head = server.results[0]
        assert head.startswith(b"GET /a?b HTTP/1.1\r\n") and wire.field(head, b"Host") == f"localhost:{port}".encode()
        assert b"Proxy-" not in head and b"http://other.example" in head and b"CDN-Loop" in head

    def test_concern_a_server_as_a_whole_without_a_path(self, proxy):
        with ScriptedServer(page) as server:
            request(proxy, f"OPTIONS http://localhost:{server.port} HTTP/1.1\r\nHost: x\r\n\r\n".encode()).read_to_end()
        assert server.results[0].startswith(b"OPTIONS * HTTP/1.1\r\n")

    def test_open_websockets(self, proxy, echo):
        client = request(proxy, wire.upgrade_request(echo.port, local(echo.url)))
        assert status(client.read_head()) == 101
        client.send(wire.text("hi", is_masked=True))
        assert client.read_message().payload == b"hi"

    def test_do_not_open_websockets_that_are_not_intercepted(self, tunneling, echo):
        client = request(tunneling, wire.upgrade_request(echo.port, local(echo.url)))
        assert status(client.read_head()) == 403
        assert b"--intercept" in client.read_to_end()

    def test_pass_unchanged_responses(self, proxy):
        fields = [b"Location: http://localhost/x", b"Set-Cookie: a=b; Domain=localhost; Secure",
                  b"Strict-Transport-Security: max-age=1", b"Alt-Svc: h2=\":1\""]

        def script(peer):
            peer.read_request()
            peer.send(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n" + b"\r\n".join(fields) + b"\r\n\r\n")

        with ScriptedServer(script) as server:
            stream = request(proxy, f"GET http://localhost:{server.port}/ HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            head = stream.read_head()
        assert all(field in head for field in fields[:-1]) and b"Alt-Svc" not in head


class TestInterceptedTunnels:
    def test_carry_websockets_without_tls(self, proxy, echo):
        result = connect(proxy, local(echo.url))
        assert (result.status, result.out) == (0, b"hello\n")

    def test_carry_websockets_with_tls(self, proxy, secure_echo, authority):
        result = connect(proxy, local(secure_echo.url), "--ca", authority / "ca.pem")
        assert (result.status, result.out, result.err) == (0, b"hello\n", "")

    def test_carry_addresses(self, proxy, secure_echo, authority):
        result = connect(proxy, secure_echo.url, "--ca", authority / "ca.pem")
        assert (result.status, result.out, result.err) == (0, b"hello\n", "")

    def test_carry_requests_with_the_host_of_the_client(self, proxy, certificates, authority):
        with ScriptedServer(page, context=server_context(certificates.good)) as server:
            stream = secured(tunnel(proxy, "localhost", server.port), authority)
            stream.send(b"GET /a HTTP/1.1\r\nHost: virtual.example\r\nConnection: close\r\n\r\n")
            assert stream.read_to_end().endswith(b"\r\n\r\nhi")
        # The connection on which the server was verified is the one of the request.
        assert len(server.results) == 1
        assert wire.field(server.results[0], b"Host") == b"virtual.example"

    @pytest.mark.parametrize("target, expected", [
        ("https://localhost:PORT/x", 200), ("wss://LOCALHOST:PORT/x", 200), ("http://localhost:PORT/x", 400),
        ("https://localhost:1/", 400), ("*", 400), ("localhost:PORT", 400)])
    def test_carry_requests_for_their_server_only(self, proxy, certificates, authority, target, expected):
        with ScriptedServer(lambda peer: page(peer) if expected == 200 else None,
                            context=server_context(certificates.good)) as server:
            stream = secured(tunnel(proxy, "localhost", server.port), authority)
            target = target.replace("PORT", str(server.port))
            stream.send(f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            assert status(stream.read_head()) == expected

    def test_contain_no_other_tunnel(self, proxy, echo):
        stream = tunnel(proxy, "localhost", echo.port)
        stream.send(f"CONNECT localhost:{echo.port} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert status(stream.read_head()) == 400

    def test_may_begin_with_the_request_at_once(self, proxy, echo):
        start = f"CONNECT localhost:{echo.port} HTTP/1.0\r\n\r\n".encode()
        client = request(proxy, start + wire.upgrade_request(echo.port))
        assert status(client.read_head()) == 200
        assert status(client.read_head()) == 101

    def test_are_recorded_with_their_urls(self, make, secure_echo, authority, tmp_path):
        recording = tmp_path / "recording.jsonl"
        with make("--record", recording) as proxy:
            url = local(secure_echo.url) + "chat?a=b"
            assert connect(proxy, url, "--ca", authority / "ca.pem").status == 0
            proxy.stop()
        events = [json.loads(line) for line in recording.read_text().splitlines()]
        assert [event["url"] for event in events if event["type"] == "open"] == [url]
        assert [event["data"] for event in events if event["type"] == "message"] == ["hello", "hello"]

    def test_of_other_protocols_pass_untouched(self, proxy):
        def script(peer):
            data = peer.read_exactly(4)
            peer.send(data[::-1])

        with ScriptedServer(script) as server:
            stream = tunnel(proxy, "localhost", server.port)
            stream.send(b"\x00\x01\x02\x03")
            assert stream.read_to_end() == b"\x03\x02\x01\x00"

    @pytest.mark.parametrize("beginning", [b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", b"HELLO\r\n", b"A" * 40],
                             ids=["SSH", "no blank", "long word"])
    def test_of_protocols_that_begin_with_a_letter_pass_untouched(self, proxy, beginning):
        def script(peer):
            peer.send(peer.read_exactly(len(beginning))[::-1])

        with ScriptedServer(script) as server:
            stream = tunnel(proxy, "localhost", server.port)
            # The first byte alone does not tell.
            stream.send(beginning[:1])
            stream.send(beginning[1:])
            assert stream.read_to_end() == beginning[::-1]

    def test_without_a_word_of_the_client_end(self, make):
        with make("--handshake-timeout", "10ms") as proxy:
            stream = tunnel(proxy, "localhost", 1)
            assert stream.read_to_end() == b""
            proxy.wait_for("408, .*sent no request in its tunnel")

    def test_without_a_request_close_the_connection_to_the_server(self, proxy, certificates, authority):
        with ScriptedServer(lambda peer: peer.sock.recv(1), context=server_context(certificates.good)) as server:
            secured(tunnel(proxy, "localhost", server.port), authority).sock.close()
        assert server.results == [b""]

    def test_answer_challenges_on_another_connection(self, make, certificates, authority):
        def script(peer):
            head = peer.read_request()
            if b"Authorization: Digest" not in head:
                return peer.send(
                    b'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm="r", nonce="n", qop="auth"\r\n'
                    b"Content-Length: 0\r\n\r\n")
            peer.upgrade()
            return peer.answer_close()

        with ScriptedServer(script, context=server_context(certificates.good)) as server, make(
                "--intercept", "localhost", "--auth", "me:secret", "--digest") as proxy:
            result = wsx("connect", "--proxy", f"http://127.0.0.1:{proxy.port}", "--ca", authority / "ca.pem",
                         f"wss://localhost:{server.port}/", stdin=b"")
            assert result.status == 0
        assert len(server.results) == 2


class TestServersThatCannotBeVerified:
    def test_are_reported_to_clients(self, proxy, certificates, authority):
        with OpenSSLServer(certificates.bad["expired"]) as server:
            stream = secured(tunnel(proxy, "localhost", server.port), authority)
            stream.send(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert status(stream.read_head()) == 502
            assert b"expired" in stream.read_to_end()
            proxy.wait_for(f'502, from .*, url "https://localhost:{server.port}/".*expired')

    def test_are_reported_to_websockets(self, proxy, authority):
        result = connect(proxy, "wss://localhost:1/", "--ca", authority / "ca.pem")
        assert result.status == 4 and "connection refused" in result.err

    def test_may_have_only_http2(self, proxy, certificates, authority):
        with OpenSSLServer(certificates.good, "-alpn", "h2") as server:
            stream = secured(tunnel(proxy, "localhost", server.port), authority)
            stream.send(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert b"only HTTP/2" in stream.read_to_end()


class TestClients:
    def test_that_do_not_trust_the_authority_are_logged(self, proxy, secure_echo, certificates):
        result = connect(proxy, local(secure_echo.url), "--ca", certificates.root)
        assert result.status == 5 or result.status == 3
        proxy.wait_for(r"TLS for localhost, .*unknown CA.*--print-ca.*--intercept")

    @pytest.mark.parametrize("leaves", [True, False], ids=["leaves", "stalls"])
    def test_that_do_not_complete_their_hello_are_logged(self, make, secure_echo, leaves):
        with make("--handshake-timeout", "30s" if leaves else "200ms") as proxy:
            stream = tunnel(proxy, "localhost", secure_echo.port)
            stream.send(b"\x16\x03\x01\x02\x00\x01\x00")
            if leaves:
                # Perhaps before the server is connected.
                stream.end_sending()
                proxy.wait_for("TLS for localhost, from .* 7 B in, 0 B out: .*closed the connection|499, .* left before")
            else:
                proxy.wait_for("TLS for localhost, from .* 7 B in, 0 B out: .*did not continue its handshake in time")
            assert "got the certificate" not in proxy.err

    @pytest.mark.parametrize("is_intercepted", [True, False], ids=["intercepted", "tunneled"])
    def test_that_leave_before_the_server_answers_give_up_their_place(self, make, is_intercepted):
        with ScriptedServer(lambda peer: peer.read_to_end()) as silent:
            options = [] if is_intercepted else ["--intercept", "other.example"]
            with make("--max-connections", "1", "--connect-timeout", "10m", "--proxy",
                      f"http://127.0.0.1:{silent.port}", *options) as proxy:
                first = request(proxy, b"CONNECT localhost:1 HTTP/1.1\r\n\r\n")
                if is_intercepted:
                    assert status(first.read_head()) == 200
                    first.send(b"\x16\x03\x01\x02\x00\x01\x00")
                proxy.wait_for("limit")
                first.sock.close()
                proxy.wait_for("499, from .*localhost:1.*left before its tunnel was open")
                assert status(request(proxy, b"GET / HTTP/1.1\r\n\r\n").read_head()) == 400

    def test_that_speak_only_http2_are_logged(self, make, secure_echo, authority):
        with make() as proxy:
            with pytest.raises(ssl.SSLError):
                secured(tunnel(proxy, "localhost", secure_echo.port), authority, protocols=["h2"])
            proxy.wait_for("TLS for localhost, .*only HTTP/2")

    def test_need_the_login_of_the_proxy(self, make, echo):
        with make("--proxy-login", "me:secret") as proxy:
            stream = request(proxy, wire.upgrade_request(echo.port, local(echo.url)))
            head = stream.read_head()
            assert status(head) == 407 and wire.field(head, b"Proxy-Authenticate").startswith(b"Basic realm=")
            for login, expected in [("me:secret", 0), ("me:wrong", 4)]:
                result = wsx("connect", "--proxy", f"http://{login}@127.0.0.1:{proxy.port}", "-n", "1",
                             local(echo.url), "hello")
                assert (result.status == 0) == (expected == 0)
            assert "secret" not in proxy.err

    def test_may_use_tls_with_the_proxy(self, make, secure_echo, certificates, authority, tmp_path):
        trusted = tmp_path / "trusted.pem"
        identity = certificates.good
        with make("--tls-cert", identity.chain, "--tls-key", identity.key) as proxy:
            trusted.write_bytes(certificates.root.read_bytes() + (authority / "ca.pem").read_bytes())
            result = wsx("connect", "--proxy", f"https://localhost:{proxy.port}", "--ca", trusted, "-n", "1",
                         local(secure_echo.url), "hello")
            assert (result.status, result.out, result.err) == (0, b"hello\n", "")


class TestLogins:
    @pytest.fixture(scope="class")
    def guarded(self, make):
        with make("--intercept", "localhost", "--bearer", "token-of-the-relay", "-H", "X-Extra: 1") as proxy:
            yield proxy

    def head(self, proxy, host, *fields):
        with ScriptedServer(page) as server:
            lines = [f"GET http://{host}:{server.port}/ HTTP/1.1", "Host: x", *fields]
            request(proxy, "\r\n".join([*lines, "", ""]).encode()).read_to_end()
        return server.results[0]

    def test_go_to_the_only_host_that_is_intercepted(self, guarded):
        head = self.head(guarded, "localhost")
        assert b"Bearer token-of-the-relay" in head and b"X-Extra: 1" in head

    def test_do_not_go_to_others(self, guarded):
        head = self.head(guarded, "127.0.0.1", "Authorization: mine")
        assert b"token-of-the-relay" not in head and b"X-Extra" not in head and b"Authorization: mine" in head

    def test_of_netrc_go_to_that_host_only(self, make, tmp_path):
        path = tmp_path / "netrc"
        path.write_text("default login me password secret77")
        path.chmod(0o600)
        with make("--intercept", "localhost", "--netrc", env=environment(NETRC=str(path))) as proxy:
            assert b"\r\nAuthorization: Basic " in self.head(proxy, "localhost")
            assert b"Authorization" not in self.head(proxy, "127.0.0.1")

    def test_do_not_go_in_the_clear_to_other_machines(self, make):
        with ScriptedServer(page) as server:
            address = f"api.example:{server.port}"
            with make("--intercept", "api.example", "--bearer", "token", "--resolve", f"{address}:127.0.0.1") as proxy:
                fields = "Host: x\r\nOrigin: https://evil.example"
                stream = request(proxy, f"GET http://{address}/ HTTP/1.1\r\n{fields}\r\n\r\n".encode())
                head = stream.read_head()
            # There is no login to protect.
            assert status(head) == 200 and b"Resource-Policy" not in head
        assert b"token" not in server.results[0]

    @pytest.mark.parametrize("fields, expected", [
        (["Origin: https://evil.example"], 403), (["Referer: https://evil.example/"], 403),
        (["Sec-Fetch-Site: cross-site"], 403), (["Origin: http://localhost:9"], 200), ([], 200)])
    def test_are_not_for_pages_of_other_sites(self, guarded, fields, expected):
        with ScriptedServer(lambda peer: page(peer) if expected == 200 else None) as server:
            lines = [f"GET http://localhost:{server.port}/ HTTP/1.1", "Host: x", *fields]
            stream = request(guarded, "\r\n".join([*lines, "", ""]).encode())
            assert status(stream.read_head()) == expected
            if expected != 200:
                socket.create_connection(("127.0.0.1", server.port)).close()

    def test_go_with_a_client_certificate_to_that_host_only(self, make, certificates, authority):
        def script(peer):
            page(peer)
            return bool(peer.sock.getpeercert())

        context = server_context(certificates.good, client_authority=certificates.root)
        context.verify_mode = ssl.CERT_OPTIONAL
        with make("--intercept", "localhost", "--cert", certificates.client.chain, "--key",
                  certificates.client.key) as proxy, ScriptedServer(script, context=context) as server:
            for host in ["localhost", "127.0.0.1"]:
                data = f"GET https://{host}:{server.port}/ HTTP/1.1\r\nHost: x\r\n\r\n".encode()
                assert status(request(proxy, data).read_head()) == 200
        assert server.results == [True, False]


class TestTunnels:
    def test_pass_untouched_with_one_line(self, tunneling, secure_echo, certificates):
        result = connect(tunneling, local(secure_echo.url), "--ca", certificates.root)
        assert (result.status, result.out, result.err) == (0, b"hello\n", "")
        tunneling.wait_for(
            rf'Answered CONNECT: 200, from .*, url "localhost:{secure_echo.port}", .* in, .* out\n')

    def test_pass_the_end_of_one_side(self, tunneling):
        def script(peer):
            data = peer.read_to_end()
            peer.send(data.upper())

        with ScriptedServer(script) as server:
            stream = tunnel(tunneling, "localhost", server.port)
            stream.send(b"abc")
            stream.end_sending()
            assert stream.read_to_end() == b"ABC"

    def test_pass_much_at_the_pace_of_the_receiver(self, tunneling):
        data = bytes(range(256)) * (1 << 15)

        def script(peer):
            peer.send(data)
            peer.sock.shutdown(socket.SHUT_WR)
            return peer.read_to_end()

        with ScriptedServer(script) as server:
            stream = tunnel(tunneling, "localhost", server.port)
            assert stream.read_to_end() == data
            stream.send(data)
            stream.end_sending()
        assert server.results == [data]

    def test_pass_a_reset(self, tunneling):
        with ScriptedServer(lambda peer: peer.read_exactly(1) and peer.reset()) as server:
            stream = tunnel(tunneling, "localhost", server.port)
            stream.send(b"x")
            assert was_reset(stream)
            tunneling.wait_for(rf'CONNECT: 200, .*, url "localhost:{server.port}", .*the server is lost')

    def test_are_refused_if_the_server_cannot_be_reached(self, tunneling):
        stream = request(tunneling, b"CONNECT localhost:1 HTTP/1.1\r\n\r\n")
        assert status(stream.read_head()) == 502
        assert b"connection refused" in stream.read_to_end()

    def test_end_with_the_proxy(self, make):
        with make("--intercept", "other.example") as proxy, ScriptedServer(was_reset) as server:
            stream = tunnel(proxy, "localhost", server.port)
            assert proxy.stop() == 0
            assert f'url "localhost:{server.port}"' in proxy.err and "the proxy has ended" in proxy.err
            assert was_reset(stream)
        assert server.results == [True]


class TestLoops:
    @pytest.mark.parametrize("options", [(), ("--intercept", "other.example")], ids=["intercepted", "tunneled"])
    @pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.1", "[::ffff:127.0.0.1]", "[::FFFF:7f00:1]"])
    def test_to_the_proxy_itself_end(self, make, options, host):
        with make(*options) as proxy:
            data = f"GET http://{host}:{proxy.port}/ HTTP/1.1\r\nHost: x\r\n\r\n".encode()
            assert status(request(proxy, data).read_head()) == 508
            if options:
                stream = request(proxy, f"CONNECT {host}:{proxy.port} HTTP/1.1\r\n\r\n".encode())
                assert status(stream.read_head()) == 508

    def test_to_another_address_of_the_proxy_end(self, make):
        with make("--proxy-login", "a:b", address="*:0") as proxy:
            login = b"Proxy-Authorization: Basic YTpi\r\n"
            data = f"GET http://127.0.0.9:{proxy.port}/ HTTP/1.1\r\nHost: x\r\n".encode() + login + b"\r\n"
            assert status(request(proxy, data).read_head()) == 508

    def test_of_two_proxies_end(self, make):
        with socket.socket() as reserved:
            reserved.bind(("127.0.0.1", 0))
            port = reserved.getsockname()[1]
        with make("--intercept", "other.example", "--proxy", f"http://127.0.0.1:{port}") as first, make(
                "--intercept", "other.example", "--proxy", f"http://127.0.0.1:{first.port}", address=str(port)):
            stream = request(first, b"CONNECT localhost:1 HTTP/1.1\r\n\r\n")
            assert status(stream.read_head()) == 502
            first.wait_for("508, from .*has passed this relay before")

    @pytest.mark.parametrize("variable", ["https_proxy", "http_proxy", None])
    def test_through_the_environment_are_an_error(self, variable):
        with socket.socket() as reserved:
            reserved.bind(("127.0.0.1", 0))
            port = reserved.getsockname()[1]
        url = f"http://localhost:{port}"
        options = ["--proxy", url] if variable is None else []
        result = wsx("relay", *options, str(port), env=environment(**({variable: url} if variable else {})))
        assert_fails(result, 2, variable or "--proxy", "itself")


class TestOptions:
    @pytest.mark.parametrize("number, options, words", [(number, *row) for number, row in enumerate([
        (["--intercept", "a.example:443"], ["--intercept", "port"]), (["--intercept", ""], ["--intercept"]),
        (["--intercept", "a/b"], ["--intercept"]), (["--intercept", "ü*.example"], ["--intercept", "ASCII"]),
        (["--auth", "a:b"], ["--auth", "--intercept"]), (["--bearer", "x"], ["--bearer"]), (["-H", "A: b"], ["--header"]),
        (["--netrc"], ["--netrc"]), (["--cert", "x"], ["--cert"]), (["--intercept", "*.a", "--auth", "a:b"], ["--auth"]),
        (["--intercept", "a", "--intercept", "b", "--auth", "a:b"], ["--auth"]),
        (["--http2"], ["--http2"]), (["--host", "x"], ["--host"]), (["--unix-socket", "x"], ["--unix-socket"]),
        (["--tls-server-name", "x"], ["--tls-server-name"]), (["--origin", "https://a.example"], ["--origin", "login"]),
        (["--proxy-login", "me"], ["--proxy-login", "password"]),
    ])], ids=lambda value: value if isinstance(value, int) else "")
    def test_without_effect_are_errors(self, number, options, words):
        assert_fails(wsx("relay", *options, "0"), 2, *words)

    @pytest.mark.parametrize("options", [("--intercept", "a"), ("--proxy-login", "a:b")], ids=["intercept", "login"])
    def test_of_a_proxy_need_no_url(self, options):
        assert_fails(wsx("relay", *options, "0", "ws://localhost"), 2, options[0], "URL")

    def test_need_a_login_beyond_this_machine(self):
        assert_fails(wsx("relay", "*:0"), 2, "--proxy-login")

    def test_of_faults_and_rules_apply(self, make, secure_echo, authority):
        with make("--answer", "hello => answer of the relay", "--reject", "503x1") as proxy:
            ca = ["--ca", authority / "ca.pem"]
            result = connect(proxy, local(secure_echo.url), *ca)
            assert result.status == 4 and "--reject" in result.err
            assert connect(proxy, local(secure_echo.url), *ca).out == b"answer of the relay\n"

    def test_may_end_the_run_after_a_client(self, make, secure_echo, authority):
        with make("--once") as proxy:
            assert connect(proxy, local(secure_echo.url), "--ca", authority / "ca.pem").status == 0
            assert proxy.wait() == 0

    def test_limit_connections(self, make, echo):
        with make("--max-connections", "1") as proxy:
            stream = tunnel(proxy, "localhost", echo.port)
            waiting = request(proxy, f"CONNECT localhost:{echo.port} HTTP/1.1\r\n\r\n".encode())
            proxy.wait_for("limit")
            stream.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            stream.sock.close()
            assert status(waiting.read_head()) == 200
