"""Saved messages (--define), as a message of the command line and with /call, and /decode at the prompt."""

import json

import pytest

import wire
from processes import Listener, assert_fails, environment, wsx
from test_repl import Conversation
from terminal import Screen

CONFIGURATION = """
[prod]
url = {url}
define = sub={{"op":"subscribe","channel":{{{{json:channel}}}},"id":"{{{{uuid}}}}"}}
define = hello=hello {{{{name}}}} {{{{seq}}}}
define = next={{"after":{{{{last:/id}}}}}}
"""


@pytest.fixture
def profile(tmp_path):
    """Writes a profile with saved messages for a URL, and returns the environment of a run that uses it."""

    def write(url):
        path = tmp_path / "config"
        path.write_text(CONFIGURATION.format(url=url))
        return environment(WSX_CONFIG=path, HOME=tmp_path)

    return write


def test_a_saved_message_is_sent_with_values(profile):
    with Listener("--echo") as server:
        options = {"env": profile(server.url)}
        result = wsx("-1", "@prod", "sub", 'channel=a "b"', **options)
        sent = json.loads(result.out)
        assert (result.status, sent["op"], sent["channel"], len(sent["id"])) == (0, "subscribe", 'a "b"', 36), result
        # Braces in a value stay what they are, with and without --template.
        for extra in ([], ["--template"]):
            result = wsx("-1", *extra, "@prod", "hello", "name={{seq}}", "-x", "{{{{", **options)
            assert result.lines[0] == "hello {{seq}} 1", result
            assert result.lines[1] == ("{{" if extra else "{{{{"), result


def test_an_own_definition_replaces_that_of_the_profile_and_comes_from_a_file(profile, tmp_path):
    text = tmp_path / "hello.txt"
    text.write_text("from a file: {{name}}\n")
    with Listener("--echo") as server:
        result = wsx("-1", "@prod", "--define", f"hello=@{text}", "hello", "name=x", env=profile(server.url))
    assert (result.status, result.out) == (0, b"from a file: x\n"), result


@pytest.mark.parametrize("words, error", [
    (["sub"], 'the value of "channel" is missing; write \'sub channel=VALUE\''),
    (["sub", "chanel=x"], "did you mean 'channel'?"),
    (["sub", "channel=a", "channel=b"], "'channel' has two values"),
    (["sub", "trades"], "'sub' is a saved message, so expected NAME=VALUE after it"),
    (["next"], "none has arrived yet"),
    (["--define", "x={{env:WSX_NONE}}", "x"], "the environment variable 'WSX_NONE' is not set"),
    (["--define", "=x", "x"], "expected NAME=TEXT"),
    (["--define", "a b=x", "x"], "expected NAME=TEXT"),
    (["--define", "x={{a", "x"], "'}}' is missing"),
    (["--scenario", "/dev/null", "hello", "name=x"], "the scenario contains all messages"),
])
def test_mistakes_end_before_connecting(profile, words, error):
    assert_fails(wsx("@prod", *words, env=profile("ws://127.0.0.1:1")), 2, error)


def test_a_missing_variable_of_another_saved_message_does_no_harm(profile):
    with Listener("--echo") as server:
        result = wsx("-1", "--define", "x={{env:WSX_NONE}}", "@prod", "plain", env=profile(server.url))
    assert (result.status, result.out) == (0, b"plain\n"), result


def test_a_secret_in_a_saved_message_needs_a_private_file(tmp_path):
    path = tmp_path / "config"
    path.write_text('define = login={"token":"abcdefgh"}\n')
    path.chmod(0o644)
    assert_fails(wsx("-1", "ws://127.0.0.1:1", "x", env=environment(WSX_CONFIG=path)), 2, "'define' contains a secret")
    path.write_text('define = login={"token":"{{env:TOKEN}}"}\n')
    assert_fails(wsx("-1", "ws://127.0.0.1:1", "x", env=environment(WSX_CONFIG=path)), 3, "refused")


def test_call_and_decode_at_the_prompt(profile, tmp_path):
    profile("ws://127.0.0.1:1")
    with Conversation() as server, Screen() as screen:
        (tmp_path / "config").write_text(CONFIGURATION.format(url=server.url))
        screen.enter(f"WSX_CONFIG={tmp_path}/config $WSX --color never @prod; echo status $?")
        screen.wait_for_last_line(">")
        screen.enter("/call")
        screen.wait_for(r"^/call hello name=VALUE +hello")
        screen.type("/call he")
        screen.press("Tab", "Tab")
        screen.wait_for_last_line(r"> /call hello name=")
        screen.enter('"a b"')
        screen.wait_for("→ hello a b 1")
        screen.enter("/call next")
        screen.wait_for("none has arrived yet")
        server.send(wire.text('{"id":[7]}'))
        screen.wait_for("← ")
        screen.enter("/call next")
        screen.wait_for(r'→ \{"after": ?\[7\]\}')

        server.send(wire.frame(wire.BINARY, b"\x81\xa1a\x01"))
        screen.wait_for("81 a1 61 01")
        screen.enter("/decode msgpack")
        screen.wait_for("Decoding with msgpack")
        server.send(wire.frame(wire.BINARY, b"\x81\xa1b\x02"))
        screen.wait_for(r'\{"b": ?2\}')
        screen.enter("/decode off")
        screen.wait_for("not decoded")
        server.send(wire.frame(wire.BINARY, b"\x81\xa1c\x03"))
        screen.wait_for("81 a1 63 03")
        screen.press("C-d")
        screen.wait_for("status 0")
