"""Invalid URLs and addresses without a server."""

import socket

import pytest

from processes import assert_fails, wsx


@pytest.mark.parametrize(
    "url, words",
    [("", ["the URL is empty"]),
     ("ws://", ["no host"]),
     ("ws:///path", ["no host"]),
     ("ws://:8080/", ["no host"]),
     ("ws:/host/", ["two slashes are missing"]),
     ("ws:host", ["two slashes"]),
     ("ftp://host/", ['unknown scheme "ftp"', "ws://"]),
     ("file:///etc/passwd", ['unknown scheme "file"']),
     ("javascript://alert(1)", ["unknown scheme"]),
     ("ws://host:port/", ['"port" is not a port']),
     ("ws://host:0/", ["is not a port"]),
     ("ws://host:65536/", ["is not a port"]),
     ("ws://host:99999999999999999999/", ["is not a port"]),
     ("ws://host:-1/", ["is not a port"]),
     ("ws://host:+80/", ["is not a port"]),
     ("ws://host:1:2/", ["more than one colon"]),
     ("ws://::1/", ["in brackets"]),
     ("ws://[::1/", []),
     ("ws://[]/", []),
     ("ws://[::g]/", ["is not an IPv6 address"]),
     ("ws://[1:2:3:4:5:6:7:8:9]/", ["is not an IPv6 address"]),
     ("ws://[::1]x/", []),
     ("ws://ho st/", ["space"]),
     ("ws://host/a b", ["space", "%20"]),
     ("ws://host/#fragment", ["fragment", "%23"]),
     ("ws://ho_s%t/", []),
     ("ws://h☃st/", ["not a host name", "letters, digits, and hyphens"]),
     ("ws://" + "a" * 256 + "/", ["the limit is 255"]),
     ("ws://host/%zz", ["is not a percent escape"]),
     ("ws://host/%", ["is not a percent escape"]),
     ("ws://a@b@host/", ["%40"]),
     ("ws://us%ffer@host/", ["UTF-8"]),
     ("ws://us%3Aer@host/", []),
     ("ws+unix:", ["no socket path"]),
     ("ws+unix::/path", ["no socket path"]),
     ("ws+unix:/a%00b", ["control character"]),
     ("echo://host", []),
     ("ws://\u202ehost/", []),
     ("ws://host/\x1b[31m", ["control character"])],
    ids=lambda value: value[:30].encode("unicode_escape").decode() if isinstance(value, str) else "")
def test_an_invalid_url_gets_one_line(url, words):
    result = wsx("connect", url, stdin=b"lost\n")
    assert_fails(result, 2, *words)
    assert result.out == b""
    assert "\x1b" not in result.err and "\u202e" not in result.err


def test_a_name_that_does_not_resolve_exits_3_and_is_shown():
    result = wsx("connect", "ws://name.invalid/")
    assert_fails(result, 3)
    # The second is the error on a machine without a name server.
    assert result.err.split("/: ")[1] in (
        "no such host: name.invalid; check the name\n",
        "cannot look up name.invalid: the name server does not answer; check the network connection\n")


def test_a_password_in_the_url_is_never_shown():
    result = wsx("connect", "ws://user:geheim@name.invalid/")
    assert_fails(result, 3)
    assert "geheim" not in result.err
    result = wsx("connect", "ws://user:geheim@127.0.0.1:1/", "-v")
    assert "geheim" not in result.err
    assert "dXNlcjpnZWhlaW0" not in result.err


@pytest.fixture
def refused_port():
    """A bound port that refuses connections and that no other program can listen on."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


def test_a_refused_port_exits_3_and_says_so(refused_port):
    result = wsx("connect", f"ws://127.0.0.1:{refused_port}/")
    assert_fails(result, 3, f"127.0.0.1:{refused_port}", "connection refused", "is the server running?")


def test_every_address_that_refuses_is_named(refused_port):
    result = wsx("connect", f"ws://localhost:{refused_port}/")
    assert_fails(result, 3, f"127.0.0.1:{refused_port}: connection refused")


def test_a_socket_file_that_is_missing_exits_3(tmp_path):
    assert_fails(wsx("connect", f"ws+unix:{tmp_path}/none"), 3, f"{tmp_path}/none", "no such file")


def test_a_socket_file_without_a_listener_exits_3(tmp_path):
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(f"{tmp_path}/dead")
    assert_fails(wsx("connect", f"ws+unix:{tmp_path}/dead"), 3, "connection refused")


def test_a_plain_file_is_not_a_socket(tmp_path):
    (tmp_path / "file").write_text("")
    assert_fails(wsx("connect", f"ws+unix:{tmp_path}/file"), 3)


@pytest.mark.parametrize("form", ["ws://127.0.0.1:{}", "http://127.0.0.1:{}/", "127.0.0.1:{}/path", ":{}", ":{}/?q", "ws://localhost:{}/",
                                  "WS://LOCALHOST:{}/", "ws://user:pass@127.0.0.1:{}/"])
def test_every_form_of_a_url_connects(wsx_echo, form):
    result = wsx("connect", "-n", "1", form.format(wsx_echo.port), "hi")
    assert (result.status, result.out, result.err) == (0, b"hi\n", "")


def test_only_the_requested_address_family_is_tried(wsx_echo):
    assert wsx("connect", "-4", "-n", "1", f"ws://localhost:{wsx_echo.port}/", "hi").out == b"hi\n"
    result = wsx("connect", "-6", f"ws://127.0.0.1:{wsx_echo.port}/")
    assert_fails(result, 3)
