"""The configuration file: defaults, profiles, precedence, errors, and permissions."""

import json

import pytest

import wire
from processes import BINARY, Listener, Relay, Running, assert_fails, environment, wsx
from scripted_server import ScriptedServer
from terminal import RawTerminal, Screen


@pytest.fixture
def configure(tmp_path):
    """Writes a configuration file and returns the options of a run that uses it."""

    def write(text, mode=0o600):
        path = tmp_path / "config"
        path.write_text(text)
        path.chmod(mode)
        return {"env": environment(WSX_CONFIG=path, HOME=tmp_path)}

    return write


def request_of(*arguments, **options):
    """Runs wsx against a server and returns the result and the request. URL in an argument is the server's."""

    def script(peer):
        peer.upgrade(then=wire.text("hello") + wire.close(1000))
        peer.read_until_close()
        return peer.request

    with ScriptedServer(script) as server:
        result = wsx(*(word.replace("URL", server.url) for word in arguments), **options)
    return result, server.results[0] if server.results else None


def test_a_profile_has_the_url_and_options_of_a_server(configure, python_echo):
    options = configure(f"[local]\nurl = {python_echo.url}\noutput = json\ncount = 1\n")
    for words in (["@local", "hi"], ["connect", "@local", "hi"], ["-q", "@local", "hi"]):
        result = wsx(*words, **options)
        assert result.status == 0, result
        events = [json.loads(line) for line in result.lines]
        assert [event["data"] for event in events if event["type"] == "message"] == ["hi"], result


def test_one_profile_serves_connect_and_bench(configure, python_echo):
    options = configure(
        f"[local]\nurl = {python_echo.url}\nconnections = 2\nmessages = 20\nlinger = 5s\ncount = 1\nquiet\n")
    result = wsx("bench", "@local", "--output", "json", **options)
    assert result.status == 0, result
    assert json.loads(result.out)["connections"] == 2
    result = wsx("@local", "hi", **options)
    assert (result.status, result.out) == (0, b"hi\n"), result


def test_a_profile_of_a_server_has_its_address(configure):
    options = configure("[local]\naddress = 127.0.0.1:0\necho\nurl = :1\n")
    path = options["env"]["WSX_CONFIG"]
    with Listener(address="@local", env=environment(WSX_CONFIG=path)) as server:
        result = wsx("-n", "1", server.url, "hi")
    assert (result.status, result.out) == (0, b"hi\n"), result


def test_a_relay_reaches_the_server_of_a_profile(configure, python_echo):
    options = configure(f"[prod]\nurl = {python_echo.url}\nheader = X-A: b\nmessages = 20\n[local]\naddress = 127.0.0.1:0\n")
    for words in (["0", "@prod"], ["@local", "@prod"], ["@local", python_echo.url]):
        with Relay(words[1], address=words[0], **options) as relay:
            assert wsx("-n", "1", relay.url, "hi").out == b"hi\n"
    assert_fails(wsx("relay", "0", "@prdo", **options), 2, "unknown profile '@prdo'; did you mean '@prod'?")
    assert_fails(wsx("relay", "0", "@x", **options), 2, "unknown profile '@x'", "has @prod, @local")
    assert_fails(wsx("relay", "0", "@local", **options), 2, "the profile 'local' has no url")


def test_a_profile_of_a_relay_has_its_address_and_its_url(configure, python_echo):
    options = configure(f"[local]\nurl = {python_echo.url}\naddress = 127.0.0.1:0\n")
    with Running([BINARY, "relay", "--no-stdin", "@local"], env=environment(WSX_CONFIG=options["env"]["WSX_CONFIG"])) as relay:
        url = relay.wait_for(r"Listening on ([^\s;]+)").group(1).decode()
        assert wsx("-n", "1", url, "hi").out == b"hi\n"


def test_secrets_may_come_from_files_and_variables(configure, tmp_path):
    (tmp_path / "token").write_text("from-a-file\n")
    _, request = request_of("@p", "URL", **configure("[p]\nbearer = @~/token\n", mode=0o644))
    assert wire.field(request, b"Authorization") == b"Bearer from-a-file"
    options = configure("[p]\nbearer = env:WSX_TEST_TOKEN\n", mode=0o644)
    options["env"]["WSX_TEST_TOKEN"] = "from-a-variable"
    _, request = request_of("@p", "URL", **options)
    assert wire.field(request, b"Authorization") == b"Bearer from-a-variable"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_file_with_a_secret_must_be_private(configure, tmp_path, mode):
    result = wsx("-n", "1", "echo:", "hi", **configure("quiet\n[p]\nbearer = geheim\n", mode))
    assert_fails(result, 2, f"{tmp_path}/config, line 3:", "'bearer'", f"chmod 600 {tmp_path}/config")
    assert "geheim" not in result.err
    result = wsx("-n", "1", "echo:", "hi", **configure("[p]\nbearer = geheim\n"))
    assert (result.status, result.out) == (0, b"hi\n"), result


@pytest.mark.parametrize("words, text, error", [
    (["echo:"], "\nquiett = 1\n", ", line 2: unknown option 'quiett'; did you mean 'quiet'?"),
    (["echo:"], "[p]\nheader X: y\n", ", line 2: expected 'option = value', '[profile]', or a comment"),
    (["@p"], "[p]\nurl = echo:\ncount = many\n", ", line 3: invalid value 'many' for 'count'"),
    (["@p"], "[p]\nurl = echo:\nbearer = a b\n", "--bearer: a token must be"),
    (["@p"], "[p]\nurl = ws:/h\n", "line 2)"),
    (["@p"], "[p]\nurl = echo:\nresolve = a\n", "line 3)"),
    (["@prdo"], "[prod]\n", "unknown profile '@prdo'; did you mean '@prod'?"),
    (["connect", "@x"], "[one]\n[two]\n", "has @one, @two"),
    (["@one"], "[one]\nquiet\n", ", line 1: the profile 'one' has no url"),
], ids=lambda value: value.split("\n")[-2] if isinstance(value, str) and "\n" in value else None)
def test_an_error_names_the_place(configure, words, text, error):
    assert_fails(wsx(*words, **configure(text)), 2, error)


def test_a_missing_file_is_an_error_only_if_it_is_needed(tmp_path):
    missing = tmp_path / "none"
    assert_fails(wsx("echo:", env=environment(WSX_CONFIG=missing)), 2, f"{missing}: no such file", "WSX_CONFIG")
    usual = {**environment(HOME=tmp_path), "XDG_CONFIG_HOME": ""}
    del usual["WSX_CONFIG"]
    assert wsx("-n", "1", "echo:", "hi", env=usual).out == b"hi\n"
    assert_fails(wsx("@p", env=usual), 2, f"unknown profile '@p'; {tmp_path}/.config/wsx/config does not exist")
    assert_fails(wsx("@p", env=environment(WSX_CONFIG="")), 2, "WSX_CONFIG is empty")


def test_help_and_the_version_need_no_valid_file(configure):
    options = configure("[")
    for words in (["--version"], ["help"], ["connect", "-h"], ["help", "profiles"], ["completions", "bash"]):
        assert wsx(*words, **options).status == 0
    assert_fails(wsx("echo:", **options), 2, "line 1")


def test_help_explains_profiles():
    result = wsx("help", "profiles")
    assert (result.status, result.lines[0]) == (0, "CONFIGURATION:")
    assert "    [prod]" in result.lines
    assert wsx("help", "config").out == result.out
    assert "profiles" in wsx("help").out.decode()


def test_the_completion_targets_are_profiles_and_recent_urls(configure, wsx_echo):
    options = configure("[prod]\nurl = wss://h/\n[local]\n")
    with Screen(WSX_CONFIG=options["env"]["WSX_CONFIG"]) as screen:
        for path in ("one", "two?token=x"):
            screen.enter(f"$WSX {wsx_echo.url}{path}")
            screen.wait_for_last_line(">")
            screen.press("C-d")
            screen.wait_for_last_line("shell$")
        screen.enter("clear; $WSX completions targets")
        screen.wait_for("^@local$")
        screen.wait_for_last_line("shell$")
        # A URL that may contain a secret is left out.
        assert screen.lines[-4:-1] == ["@prod", "@local", f"{wsx_echo.url}one"]
        assert (screen.state / "wsx/urls").stat().st_mode & 0o777 == 0o600


def test_the_prompt_completes_the_urls_that_shells_complete(wsx_echo):
    with Screen() as screen:
        screen.enter(f"$WSX {wsx_echo.url}one")
        screen.wait_for_last_line(">")
        screen.press("C-d")
        screen.wait_for_last_line("shell$")
        screen.enter("$WSX echo:")
        screen.wait_for_last_line(">")
        screen.type("/connect ws://1\t")
        screen.wait_for_last_line(f"> /connect {wsx_echo.url}one")
        screen.press("C-u")
        screen.type("/connect ws\t")
        screen.wait_for(r"^ws:// .*wss://$")


def test_without_arguments_a_terminal_shows_commands_to_try():
    with RawTerminal() as terminal:
        assert terminal.wait() == 0
    lines = terminal.output.decode().splitlines()
    assert sum(line.startswith("  wsx ") for line in lines) == 4, lines
    assert "'wsx help'" in lines[-1]
    assert_fails(wsx(), 2, "missing command")
