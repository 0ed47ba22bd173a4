"""Mistakes on the command line are rejected with one line before anything connects."""

import pytest

import wire
from processes import BINARY, Listener, assert_fails, run, wsx
from scripted_server import ScriptedServer


@pytest.fixture(scope="module")
def untouched():
    """A server that must not receive any connection."""
    with ScriptedServer(lambda peer: peer.read_to_end()) as server:
        yield server
        assert server.connection_count == 0


# The unit tests combine all places with all kinds of controls (HeaderFieldTests, WebSocketURLTests).
BREAKS = ["\r\nX-Evil: 1", "\n", "\r", "a\rb", "\nb", "\x7f", "\x01"]
FIELDS = [
    "-H=X: a{}b", "-H=X{}: a", "--subprotocol=a{}b", "--origin=http://a{}b", "--host=a{}b", "--user-agent=a{}b",
    "--auth=us{}er:password", "--auth=user:pass{}word"]


def test_line_breaks_and_controls_in_the_request_are_rejected_before_connecting(untouched):
    for option, text in [*((option, BREAKS[0]) for option in FIELDS), *((FIELDS[0], text) for text in BREAKS)]:
        name, value = option.format(text).split("=", 1)
        result = wsx("connect", name, value, untouched.url)
        assert_fails(result, 2)
        assert not any(ord(character) < 0x20 or ord(character) == 0x7F for character in result.err[:-1]), result


def test_a_value_meant_for_another_option_is_rejected_before_connecting(untouched):
    values = [
        (["-o", "out.txt"], ["an origin such as https://app.example", "> FILE"]),
        (["-o", "json"], ["--output json"]),
        (["-ohttp://me:geheim@app.example"], ["an origin"]),
        (["-sS"], ["curl", "--quiet"]),
        (["-s", "wss://me:geheim@host/"], ["a URL", "--quiet"]),
        (["-b", "wss://me:geheim@host/?a=b"], ["a URL", "--binary"]),
        (["-b", "geheim"], ["name=value", "the file does not exist"]),
        (["-f", "wss://me:geheim@host/"], ["a URL", "omit curl's -f"]),
        (["-fsSL"], ["curl", "omit curl's -f"])]
    # MisplacedValueTests combines all values with all commands.
    for command, (options, words) in [*((["connect"], value) for value in values), (["bench"], values[0]), ([], values[4])]:
        result = wsx(*command, *options, untouched.url)
        assert_fails(result, 2, *words)
        assert "geheim" not in result.err, result


def test_a_proxy_in_curl_syntax_is_not_sent_as_a_message(untouched):
    for options in [["-x", "http://me:geheim@127.0.0.1:3128"], ["--execute=me:geheim@proxy:3128"]]:
        result = wsx("connect", *options, untouched.url)
        assert_fails(result, 2, "the address of a proxy", "--proxy URL")
        assert "geheim" not in result.err, result


def test_text_that_looks_like_a_proxy_can_be_sent_as_an_operand(wsx_echo):
    result = wsx("connect", "-n", "1", wsx_echo.url, "http://proxy:3128")
    assert (result.status, result.out) == (0, b"http://proxy:3128\n")


def test_an_origin_is_sent_unchanged():
    def script(peer):
        peer.upgrade(then=wire.close(1000))
        peer.read_until_close()
        return wire.field(peer.request, b"Origin")

    origins = ["null", "https://app.example", "http://[::1]:8080", "chrome-extension://abc"]
    with ScriptedServer(script) as server:
        for origin in origins:
            assert wsx("connect", "--no-stdin", "-o", origin, server.url).status == 0
    assert server.results == [origin.encode() for origin in origins]


def test_line_breaks_and_controls_in_the_url_are_rejected_before_connecting(untouched):
    base = f"127.0.0.1:{untouched.port}"
    path = f"ws://{base}/a{{}}b"
    places = [f"ws://{base}/?a{{}}b", f"ws://{{}}{base}/", f"ws://us{{}}er@{base}/"]
    for url in [*(place.format(BREAKS[0]) for place in places), *(path.format(text) for text in BREAKS)]:
        assert_fails(wsx("connect", url), 2)


def test_a_header_file_has_one_field_per_line(tmp_path):
    path = tmp_path / "headers"
    # Some programs treat U+0085 and U+2028 as line breaks. In a header file they are not.
    path.write_bytes("X-One: 1\r\n\r\nX-Two:  zwölf\u0085Y: no\u2028Z: no  \nX-Three: a: b".encode())

    def script(peer):
        peer.upgrade(then=wire.close(1000))
        peer.read_until_close()
        return [wire.field(peer.request, name) for name in (b"X-One", b"X-Two", b"X-Three", b"X-Four")]

    with ScriptedServer(script) as server:
        result = wsx("connect", "--no-stdin", "-H", f"@{path}", "-H", "X-Four: 4", server.url)
    assert (result.status, result.err) == (0, "")
    assert server.results == [[b"1", "zwölf\u0085Y: no\u2028Z: no".encode(), b"a: b", b"4"]]


def test_an_argument_that_is_not_utf8_is_rejected(untouched):
    for argument in [b"\xff", b"a\xc3", b"\xed\xa0\x80"]:
        assert_fails(run([BINARY, "connect", untouched.url, argument]), 2, "UTF-8")
        assert_fails(run([BINARY, "connect", b"-H", b"X: " + argument, untouched.url]), 2, "UTF-8")


MISTAKES = [
    (["connect", "--lingr", "1s", "echo:"], ["'--lingr'", "did you mean '--linger'?"]),
    (["connect", "--ec\x1b[31mho", "echo:"], ["unknown option"]),
    (["connect", "--echo", "echo:"], ["'--echo' is an option of 'wsx listen', not of this command"]),
    (["connect", "--basic-auth", "me:geheim", "echo:"], ["use --auth USER:PASSWORD"]),
    (["listen", "ws://me:geheim@127.0.0.1:80"], ["•••@127.0.0.1", "[ADDRESS:]PORT"]),
    (["-v", "connect", "echo:"], ["'-v' must follow the command", "'wsx connect -v ...'"]),
    ([], ["missing command"]),
    (["listen"], ["needs [ADDRESS:]PORT; try 'wsx listen 8080'"]),
    (["connect", "--until", "a)b", "echo:"], ["unmatched closing parenthesis at character 2"]),
    (["listen", "--echo", "--output", "hex", "0"], ["'--echo' cannot be used with '--output=hex'"]),
    (["connect", "--linger"], ["needs a value"]),
    (["connect", "--linger", "soon", "echo:"], ["invalid value 'soon'", "--linger", "forever"]),
    (["connect", "-f", "/nonexistent/file", "echo:"], ["/nonexistent/file", "no such file"]),
    (["connect", "-f", "/", "echo:"], ["--file /", "directory"]),
    (["listen", "70000"], ["port"]),
    (["help", "nothing"], ["nothing"]),
    (["bench"], ["needs URL; try 'wsx bench echo:'"]),
    (["connect", "--ca", "/", "--cacert=/nonexistent/ca.pem", "wss://127.0.0.1:1"], ["/nonexistent/ca.pem"]),
    (["connect", "-s", "a b", "echo:"], ["is not a subprotocol"]),
]


def test_an_invalid_argument_gets_one_line_with_the_reason():
    for arguments, words in MISTAKES:
        result = wsx(*arguments)
        assert_fails(result, 2, *words)
        assert "\x1b" not in result.err and "geheim" not in result.err, result
        assert result.out == b"", result


def test_a_port_in_use_exits_3_and_says_so(wsx_echo):
    assert_fails(wsx("listen", str(wsx_echo.port)), 3, "address already in use", "Port 0 picks a free port")


def test_response_headers_of_listen_are_checked():
    assert_fails(wsx("listen", "-H", "X: a\r\nY: b", "0"), 2)
    assert_fails(wsx("listen", "-H", "Sec-WebSocket-Accept: x", "0"), 2, "Sec-WebSocket-Accept")
    with Listener("--echo", "-H", "X-Served-By: wsx") as server:
        result = wsx("connect", "-v", "--linger", "0", server.url)
        assert "X-Served-By: wsx" in result.err
