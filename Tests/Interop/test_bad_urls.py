"""Invalid URLs and addresses without a server."""

import socket

import pytest

from processes import assert_fails, wsx


@pytest.mark.parametrize(
    "url, words",
    [
        ("", ["the URL is empty"]),
        ("ftp://host/", ['unknown scheme "ftp"', "ws://"]),
        ("ws://host:65536/", ["is not a port"]),
        ("ws://h☃st/", ["not a host name", "letters, digits, and hyphens"]),
        ("ws://\u202ehost/", []),
        ("ws://host/\x1b[31m", ["control character"]),
        ("ws:/host/", ["two slashes are missing"]),
        ("ws://host:port/", ['"port" is not a port']),
        ("ws://host:1:2/", ["more than one colon"]),
        ("ws://[::g]/", ["is not an IPv6 address"]),
        ("ws://" + "a" * 256 + "/", ["the limit is 255"]),
        ("ws://host/%zz", ["is not a percent escape"]),
        ("ws://a@b@host/", ["%40"]),
        ("ws+unix:", ["no socket path"]),
        ("echo://host", []),
    ],
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


@pytest.fixture
def refused_port():
    """A bound port that refuses connections and that no other program can listen on."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


def test_a_refused_port_exits_3_and_says_so(refused_port):
    result = wsx("connect", f"ws://127.0.0.1:{refused_port}/")
    assert_fails(result, 3, f"127.0.0.1:{refused_port}", "connection refused", "is the server running?")


def test_a_socket_file_without_a_listener_exits_3(tmp_path):
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(f"{tmp_path}/dead")
    assert_fails(wsx("connect", f"ws+unix:{tmp_path}/dead"), 3, "connection refused")


@pytest.mark.parametrize("form", ["ws://127.0.0.1:{}", "127.0.0.1:{}/path", ":{}/?q"])
def test_every_form_of_a_url_connects(wsx_echo, form):
    result = wsx("connect", "-n", "1", form.format(wsx_echo.port), "hi")
    assert (result.status, result.out, result.err) == (0, b"hi\n", "")
