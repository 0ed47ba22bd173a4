"""curl commands: `wsx curl` with commands as pasted into a shell, and the commands that wsx prints."""

import os
import pathlib
import re
import shlex

import pytest

import wire
from processes import BINARY, Listener, Running, assert_fails, environment, require_program, run, wsx
from scripted_server import ScriptedServer
from terminal import Screen

CHROMIUM = r"""curl 'ws://127.0.0.1:PORT/socket?room=1' \
  -H 'Upgrade: websocket' \
  -H 'Origin: https://app.example' \
  -H 'Cache-Control: no-cache' \
  -H 'Accept-Language: en-US,en;q=0.9' \
  -H 'Connection: Upgrade' \
  -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==' \
  -b 'session=a1b2c3; theme=dark' \
  -H $'X-Text: it\'s here\u0021' \
  -H 'User-Agent: Mozilla/5.0 (X11; Linux x86_64)' \
  -H 'Sec-WebSocket-Version: 13' \
  -H 'Sec-WebSocket-Protocol: chat.v1' \
  -H 'Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits' \
  --insecure"""


def shell(line, **options):
    """Runs a line of bash in which wsx is the tested program."""
    return run(["bash", "-c", f'wsx() {{ "{BINARY}" "$@"; }}\n{line}'], **options)


def requests(line, **options):
    """Runs a line with PORT in it, as a user pastes it. Returns the result, and the head of each request."""

    def script(peer):
        head = peer.read_request()
        subprotocols = wire.field(head, b"Sec-WebSocket-Protocol")
        chosen = [b"Sec-WebSocket-Protocol: " + subprotocols.split(b",")[0]] if subprotocols else []
        peer.upgrade(*chosen, then=wire.close(1000))
        peer.read_until_close()
        return head

    with ScriptedServer(script) as server:
        result = shell(line.replace("PORT", str(server.port)), **options)
        return result, server.results


def fields(request):
    """The fields of a request by name, without the key."""
    lines = [line.split(b": ", 1) for line in request.rstrip().split(b"\r\n")[1:]]
    return {name.decode(): value.decode() for name, value in lines if name != b"Sec-WebSocket-Key"}


def test_a_command_that_a_browser_copied_makes_the_same_request():
    for command in (CHROMIUM, CHROMIUM.removeprefix("curl ")):
        result, (request,) = requests("wsx curl " + command)
        assert result.status == 0
        assert b"GET /socket?room=1 HTTP/1.1\r\n" in request
        # Nothing is encrypted, so nothing is insecure, and no option is ignored.
        assert result.err == ""
        sent = fields(request)
        assert sent.pop("Host").startswith("127.0.0.1:")
        assert sent == {
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
            "Origin": "https://app.example", "Sec-WebSocket-Protocol": "chat.v1",
            "Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits",
            "User-Agent": "Mozilla/5.0 (X11; Linux x86_64)", "Cache-Control": "no-cache",
            "Accept-Language": "en-US,en;q=0.9", "X-Text": "it's here!", "Cookie": "session=a1b2c3; theme=dark"}
        assert request.count(b"dGhlIHNhbXBsZSBub25jZQ==") == 0


COMMANDS = [
    part.split("\n", 1) for part in (pathlib.Path(__file__).parent / "curl_commands.txt").read_text().split("\n\n")[1:]]


def refused(line):
    """Runs a line as `requests` does, with a server that refuses. Returns the head of the request."""

    def script(peer):
        head = peer.read_request()
        peer.send(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        return head

    with ScriptedServer(script) as server:
        shell(line.replace("PORT", str(server.port)))
    (head,) = server.results
    return head


@pytest.mark.parametrize("command", [command for _, command in COMMANDS], ids=[name for name, _ in COMMANDS])
def test_a_command_makes_the_same_request_as_with_curl(command):
    require_program("curl")
    command, count = re.subn(r"\b(?:wss?|https?)://[^/'\"]+/", "http://127.0.0.1:PORT/", command)
    assert count == 1
    request, expected = refused("wsx " + command), refused(command)
    assert request.split(b"\r\n")[0] == expected.split(b"\r\n")[0]
    ours, theirs = fields(request), fields(expected)
    # The fields of every upgrade, and those that curl adds by itself.
    for name in ("Host", "Upgrade", "Connection", "Sec-WebSocket-Version", "Sec-WebSocket-Extensions"):
        ours.pop(name, None), theirs.pop(name, None)
    for name in theirs.keys() - ours.keys():
        assert name in ("Accept", "Accept-Encoding")
        del theirs[name]
    if "curl/" in theirs["User-Agent"]:
        del ours["User-Agent"], theirs["User-Agent"]
    assert ours == theirs


def test_options_without_a_meaning_are_named_on_one_line_unless_silenced():
    result, _ = requests("wsx curl -i -N --http2 --retry 3 -w '%{http_code}' http://127.0.0.1:PORT/")
    assert (result.status, result.err) == (0, "wsx: ignored: -i, -N, --http2, --retry, -w\n")
    result, _ = requests("wsx curl -siN http://127.0.0.1:PORT/")
    assert (result.status, result.err) == (0, "")


def test_values_run_no_programs_and_read_no_variables(tmp_path):
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    variables = {**os.environ, "WSX_TEST_SECRET": "geheim"}
    line = (
        f"wsx curl ws://127.0.0.1:PORT/ -H 'exec:{program}' -H 'X: exec:{program}' -H 'Y: {{{{env:WSX_TEST_SECRET}}}}' "
        f"-b 'exec:{program}=1' -H 'Z: env:WSX_TEST_SECRET' --oauth2-bearer env:WSX_TEST_SECRET")
    result, (request,) = requests(line, env=variables)
    assert result.status == 0
    sent = fields(request)
    assert sent["exec"] == str(program) and sent["X"] == f"exec:{program}" and sent["Y"] == "{{env:WSX_TEST_SECRET}}"
    assert sent["Cookie"] == f"exec:{program}=1" and sent["Z"] == "env:WSX_TEST_SECRET"
    assert sent["Authorization"] == "Bearer env:WSX_TEST_SECRET"
    for options in (
            f"-u exec:{program}", f"-x exec://{program}", "-u env:WSX_TEST_SECRET", "-E c.pem:env:WSX_TEST_SECRET"):
        result, sent = requests(f"wsx curl ws://127.0.0.1:PORT/ {options}", env=variables)
        assert_fails(result, 2, "invalid value")
        assert sent == []
    result, sent = requests("wsx curl ws://127.0.0.1:PORT/ -H 'X: {{seq}}' -- --template")
    assert_fails(result, 2, "--template", "curl command")
    own = [
        f"-Hexec:{program}", f"-bexec:{program}", f"-vkuexec:{program}", f"--proxy exec:{program}",
        f"--encode exec:{program} x", f"--exec -- {program}"]
    for options in own:
        result, sent = requests(f"wsx curl ws://127.0.0.1:PORT/ -- {options}", env=variables)
        assert_fails(result, 2, "starts a program", "'wsx curl' starts none")
        assert sent == []
    (tmp_path / "config").write_text("exec\n")
    result, sent = requests(
        f"wsx curl ws://127.0.0.1:PORT/ -- -- {program}", env={**variables, "WSX_CONFIG": str(tmp_path / "config")})
    assert_fails(result, 2, "'exec' starts a program")
    assert not ran.exists()


def test_defaults_apply_and_options_of_the_command_replace_them(tmp_path):
    configuration = tmp_path / "config"
    configuration.write_text("user-agent = default\norigin = https://default.example\nheader = X: 1\n")
    variables = environment(WSX_CONFIG=configuration)
    result, (request,) = requests("wsx curl ws://127.0.0.1:PORT/ -H 'Origin: https://app.example'", env=variables)
    assert result.status == 0
    sent = fields(request)
    assert (sent["User-Agent"], sent["Origin"], sent["X"]) == ("default", "https://app.example", "1")
    result, (request,) = requests("wsx curl ws://127.0.0.1:PORT/ -H 'User-Agent:'", env=variables)
    assert "User-Agent" not in fields(request)


def printed(*arguments, secrets=True, **options):
    """The curl command that wsx prints for arguments of connect."""
    shows = ["--show-secrets"] if secrets else []
    result = wsx("connect", "--print-curl", *shows, *arguments, **options)
    assert result.status == 0
    return result.out.decode()


def without_key(request):
    return b"\r\n".join(
        line for line in request.split(b"\r\n") if not line.startswith((b"Sec-WebSocket-Key:", b"Host:")))


@pytest.mark.parametrize("arguments", [
    [], ["--compress=off"], ["--compress-window-bits", "11", "--compress-no-context"],
    ["-H", "X-Text: it's \"$HOME\" `id` \\ ! ü", "-H", "X-Empty:", "-H", "X-Tab: a\tb", "-H", "X-Control: \x9b2J"],
    ["-a", "me:p'w", "-b", "a=1", "-b", "b=2; c", "-s", "v1,v2", "-o", "https://app.example"],
    ["--user-agent", "", "--bearer", "exec:/bin/echo token", "-H", "X: exec:id"],
])
def test_wsx_curl_repeats_a_printed_command_byte_for_byte(arguments):
    direct, (expected,) = requests("wsx connect -q ws://127.0.0.1:PORT/a?b=1 " + shlex.join(arguments))
    text = printed("ws://127.0.0.1:PORT/a?b=1".replace("PORT", "7"), *arguments)
    repeated, (request,) = requests(f"wsx {text.replace('127.0.0.1:7', '127.0.0.1:PORT').rstrip()} -s")
    assert direct.status == repeated.status == 0
    assert without_key(request) == without_key(expected)


@pytest.mark.parametrize("arguments", [[], ["-s", "chat", "-b", "a=1", "-H", "X-Text: it's"], ["-a", "me:pw"]])
def test_curl_gets_the_upgrade_with_a_printed_command(arguments):
    require_program("curl")
    for tls in ([], ["--tls-self-signed"]):
        with Listener("--echo", "-s", "chat", *(["--auth", "me:pw"] if "-a" in arguments else []), *tls) as server:
            text = printed(server.url, *arguments, *(["-k"] if tls else []))
            # curl writes the head to standard output only with the first frame.
            with Running(["bash", "-c", f"exec {text.rstrip()} -v"]) as curl:
                curl.wait_for(r"< HTTP/1\.1 101 Switching Protocols")


def test_printing_neither_connects_nor_shows_secrets(tmp_path):
    with ScriptedServer(lambda peer: peer.read_request()) as server:
        url = server.url.replace("//", "//me:geheim1@") + "?token=geheim2"
        result = wsx("connect", "--print-curl", "-b", "session=geheim3", "-H", "X-Api-Key: geheim4", url)
        assert server.results == []
    assert result.status == 0
    assert "geheim" not in result.out.decode() + result.err and "Authorization: •••" in result.out.decode()
    assert result.err == "wsx: secrets are hidden; --print-curl --show-secrets or /curl secrets shows them\n"
    assert_fails(wsx("connect", "--print-curl", "echo:"), 2, "the built-in echo server has no address")
    assert_fails(wsx("connect", "--show-secrets", "echo:"), 2, "requires '--print-curl'")
    # A command of curl in, with what wsx adds, a command of curl out.
    result = wsx("curl", "-sS", "http://a.example/", "-u", "me:pw", "--", "--print-curl", "--show-secrets")
    assert b"-H 'Authorization: Basic bWU6cHc='" in result.out


def test_the_prompt_prints_the_current_connection():
    with Screen(width=100) as screen, Listener("--echo") as server:
        screen.enter(f"clear; $WSX connect -a me:hidden -H 'X: 1' {server.url}")
        screen.wait_for_last_line(">")
        screen.enter("/curl")
        screen.wait_for(rf"^curl -i -N --http1.1 http://127\.0\.0\.1:{server.port}/ \\$")
        screen.wait_for(r"^  -H 'Authorization: •••' \\$")
        screen.wait_for(r"^  -H 'X: 1' \\$")
        screen.enter("/curl secrets")
        screen.wait_for(r"^  -H 'Authorization: Basic bWU6aGlkZGVu' \\$")
        screen.press("C-d")
        screen.wait_for_last_line("shell$")
