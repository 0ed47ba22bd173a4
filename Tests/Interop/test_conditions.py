"""Conditions with `from:` and `path:`: --hide, --answer, and --rewrite in `wsx listen` and `wsx relay`, and /hide."""

import json

import pytest

import wire
from processes import Listener, Relay, assert_fails, wsx
from terminal import Screen
from test_relay_prompt import Prompt
from test_repl import Conversation


@pytest.fixture(scope="module")
def echo():
    with Listener("--echo") as server:
        yield server


def shown(process):
    return [(event["direction"], event["data"]) for event in map(json.loads, process.out.splitlines()) if event["type"] == "message"]


class TestPaths:
    def test_answers_depend_on_the_path_of_the_client(self):
        rules = ["--answer", "path:/a/* ^hi => a", "--answer", "path:/b/** ^hi => b", "--answer", "^hi => other"]
        with Listener(*rules) as server:
            for path, answer in [("/a/1", "a"), ("/a/1/2", "other"), ("/b/1/2?q", "b"), ("/%61/x", "a"), ("/", "other")]:
                assert wsx("-1", server.url + path.removeprefix("/"), "hi").lines == [answer], path

    def test_hidden_messages_depend_on_the_path_of_the_client(self):
        with Listener("--hide", "path:/quiet ^", "--json") as server:
            for path in ("quiet", "quiet/", "loud"):
                assert wsx(server.url + path, path).status == 0
            server.wait_for('"data":"loud"', "out")
            server.stop()
            assert shown(server) == [("in", "quiet/"), ("in", "loud")]

    def test_changes_depend_on_the_path_of_the_client(self, echo):
        with Relay(echo.url, "--rewrite", "path:/a/* from:client x => y") as relay:
            assert [wsx("-1", relay.url + path, "x").out for path in ("a/1", "b/1")] == [b"y\n", b"x\n"]


class TestSides:
    @pytest.mark.parametrize("condition, expected", [
        ("from:client ^", [("out", "x")]), ("from:server ^", [("in", "x")]), ("^", []),
        ("path:/other from:client ^", [("in", "x"), ("out", "x")])])
    def test_hidden_messages_are_those_of_the_side(self, echo, condition, expected):
        with Relay(echo.url, "--hide", condition, "--json") as relay:
            assert wsx("-1", relay.url, "x").lines == ["x"]
            relay.wait_for('"type":"close"', "out")
            relay.stop()
            assert sorted(shown(relay)) == expected

    @pytest.mark.parametrize("options, reply", [
        (["--rewrite", "from:client a => b"], "b"), (["--rewrite", "from:server a => b"], "b"),
        (["--rewrite-from", "server", "--rewrite", "from:client a => b", "--rewrite", "a => c", "--rewrite", "b => d"], "d"),
        (["--rewrite-from", "client", "--rewrite", "from:server a => b", "--rewrite", "b => c"], "b")])
    def test_a_rule_names_the_side_that_it_changes(self, echo, options, reply):
        with Relay(echo.url, *options) as relay:
            assert wsx("-1", relay.url, "a").lines == [reply]


@pytest.mark.parametrize("command, words, message", [
    (["connect"], ["--hide", "from:client x", "echo:"], "only 'wsx relay' knows 'from:'"),
    (["connect"], ["--answer", "path:/a x => y", "echo:"], "know 'path:'"),
    (["bench"], ["--answer", "path:/a x => y", "echo:"], "'[p]ath:'"),
    (["listen"], ["--hide", "from:server x", "0"], "only 'wsx relay' knows 'from:'"),
    (["listen"], ["--answer", "path:/a => y", "0"], "a condition must follow 'path:/a'"),
    (["relay"], ["--hide", "from:me x", "0", "ws://127.0.0.1:1"], "from:client or from:server"),
    (["relay"], ["--rewrite", "path:a x => y", "0", "ws://127.0.0.1:1"], "'path:a' is not a path"),
])
def test_mistakes_are_one_line(command, words, message):
    assert_fails(wsx(*command, *words), 2, message)


def test_an_expression_may_begin_with_the_letters_of_a_prefix():
    result = wsx("--hide", "[p]ath:/a x", "-n", "1", "echo:", "path:/a x", "path:/b x")
    assert (result.status, result.lines) == (0, ["path:/b x"])


class TestTheCommand:
    def test_hides_at_the_prompt_of_a_client(self):
        with Screen(width=100, height=30) as screen, Conversation() as server:
            screen.enter(f"$WSX connect --hide ^beat --timestamps off --color never {server.url}")
            screen.wait_for_last_line(">")
            screen.enter("/hide")
            screen.wait_for(r"^\^beat$")
            screen.enter("/hide json:.op==\"tick\"")
            screen.wait_for("Hiding messages that match json:")
            server.send(wire.text('{"op":"tick"}') + wire.text("beat") + wire.text("one"))
            screen.wait_for("#3 ← one")
            assert "← beat" not in screen.text and '← {"op"' not in screen.text
            screen.enter("/hide path:/a x")
            screen.wait_for("/hide: only 'wsx listen' and 'wsx relay' know 'path:'")
            screen.enter("/hide off")
            screen.wait_for("No messages are hidden any more")
            server.send(wire.text("beat"))
            screen.wait_for("#4 ← beat")
            screen.enter("/hide")
            screen.wait_for("No messages are hidden; for example")
            screen.press("C-d")

    def test_hides_at_the_prompt_of_a_relay(self):
        with Screen(width=100, height=40) as screen, Prompt(screen) as prompt:
            screen.enter("/hide path:/ from:server tick")
            screen.wait_for("Hiding messages that match path:/ from:server tick")
            prompt.exchange(1, "tick")
            prompt.exchange(2, "end")
            screen.wait_for("@2 → end$")
            assert "@1 ← tick" in screen.text and "→ tick" not in screen.text
