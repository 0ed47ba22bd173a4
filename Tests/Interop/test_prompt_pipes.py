"""Messages at the prompt that pass through shell commands, and completion of their paths."""

import re

import pytest

import wire
from test_repl import Conversation
from terminal import Screen

MESSAGE = '{"user":{"name":"Zoë","id":7},"items":[1]}'


@pytest.fixture
def screen():
    with Screen() as screen:
        yield screen


@pytest.fixture
def server():
    with Conversation() as server:
        yield server


@pytest.fixture
def prompt(screen, server):
    screen.enter(f"$WSX connect --color never {server.url}; echo status $?")
    screen.wait_for_last_line(">")
    yield screen
    if "status 0" not in screen.text:
        screen.press("C-u", "C-d")
        screen.wait_for("status 0")


def test_received_messages_pass_through_a_command_until_it_is_stopped(prompt, server):
    prompt.enter("/pipe while read -r line; do echo \"got $line\"; done")
    prompt.wait_for("Received messages go to 'while")
    server.send(wire.text("one") + wire.text("two"))
    prompt.wait_for(r"^got one\ngot two$")
    prompt.enter("/pipe")
    prompt.wait_for("Showing received messages again")
    server.send(wire.text("three"))
    prompt.wait_for(r"#3 .*three")
    assert not re.search(r"^got three", prompt.text, re.MULTILINE)
    prompt.enter("/show 1")
    prompt.wait_for("^one$")


def test_only_messages_that_pass_the_filters_reach_the_command(prompt, server):
    prompt.enter("/pick .user.name")
    prompt.enter("/pipe sed -u 's/^/got /'")
    prompt.wait_for("go to 'sed")
    server.send(wire.text('{"x":1}') + wire.text(MESSAGE))
    prompt.wait_for("^got Zoë$")


def test_the_end_of_a_command_is_reported_and_messages_are_shown_again(prompt, server):
    prompt.enter("/pipe head -n 1 | tr a-z A-Z; exit 3")
    prompt.wait_for("go to 'head")
    server.send(wire.text("first"))
    prompt.wait_for("^FIRST$")
    prompt.wait_for("exited with status 3. Showing received messages again")
    server.send(wire.text("second"))
    prompt.wait_for("#2 .*second")


def test_control_characters_of_a_command_are_escaped(prompt, server):
    prompt.enter(r"/pipe while read -r x; do printf '\033[2J%s\n' $x; printf '\033]0;t\n' >&2; done")
    prompt.wait_for("go to 'while")
    server.send(wire.text("m"))
    prompt.wait_for(r"\\u\{1B\}\[2Jm")
    prompt.wait_for(r"\\u\{1B\}\]0;t")


def test_one_message_can_be_shown_through_a_command(prompt, server):
    server.send(wire.text(MESSAGE) + wire.text("last"))
    prompt.wait_for("#2 .*last")
    prompt.enter("/show 1 | tr a-z A-Z | cut -c 1-20")
    prompt.wait_for(r'^\{"USER":\{"NAME":"ZO')
    prompt.enter("/show | rev")
    prompt.wait_for("^tsal$")
    prompt.enter("/show 1 | exit 4")
    prompt.wait_for("/show: 'exit 4' exited with status 4")
    prompt.enter("/show 9 | cat")
    prompt.wait_for("no message 9")
    prompt.enter("/show 1 |")
    prompt.wait_for("the command after | is missing")


def test_a_command_that_writes_much_is_shown_to_its_end(prompt, server):
    server.send(wire.text("m"))
    prompt.wait_for("#1 .*m")
    prompt.enter("/show 1 | seq 1 30000")
    prompt.wait_for("^30000$")


@pytest.mark.parametrize("command, keys, ending", [
    ("sleep 100", ["C-c"], 15),
    ("sleep 100", ["C-\\"], 15),
    ("trap 'echo pressed 1' TERM; while :; do sleep 1; done", ["C-c", "C-c"], 9),
])
def test_ctrl_c_ends_the_command_that_shows_a_message_and_not_the_session(prompt, server, command, keys, ending):
    server.send(wire.text("one"))
    prompt.wait_for("#1 .*one")
    prompt.enter(f"/show 1 | echo pressed 0; {command}")
    for count, key in enumerate(keys):
        prompt.wait_for(f"^pressed {count}$")
        prompt.press(key)
    prompt.wait_for(rf"killed by\s+signal {ending}$")
    server.send(wire.text("two"))
    prompt.wait_for("#2 .*two")


def test_the_command_ends_with_the_prompt(prompt, server, tmp_path):
    prompt.enter(f"/pipe echo $$ > {tmp_path}/pid; exec cat")
    prompt.wait_for("go to 'echo")
    prompt.press("C-d")
    prompt.wait_for("status 0")
    prompt.enter(f"tail --pid $(cat {tmp_path}/pid) -f /dev/null; echo gone")
    prompt.wait_for("^gone$")


def test_tab_completes_the_paths_of_received_messages(prompt, server):
    server.send(wire.text(MESSAGE))
    prompt.wait_for("#1 .*Zoë")
    prompt.type("/pick .u")
    prompt.press("Tab")
    prompt.wait_for_last_line("> /pick .user")
    prompt.press("Tab")
    prompt.wait_for_last_line("> /pick .user.")
    prompt.press("Tab")
    prompt.wait_for(r"^\.user\.id +\.user\.name$")
    prompt.type("n")
    prompt.press("Tab", "Enter")
    prompt.wait_for("Showing")
    server.send(wire.text(MESSAGE))
    prompt.wait_for(r"#2 \S+ Zoë$")


def test_the_line_being_typed_makes_way_for_the_reader_of_standard_output(screen, server):
    screen.enter(f"$WSX connect --color never {server.url} | sed -u 's/^/got /'; echo status $?")
    screen.wait_for_last_line(">")
    screen.type("half a line")
    screen.wait_for_last_line("> half a line")
    server.send(wire.text("message"))
    screen.wait_for("^got message$")
    screen.wait_for_last_line("> half a line")
    screen.type("!")
    screen.wait_for_last_line("> half a line!")
    screen.press("C-u", "C-d")
    screen.wait_for("status 0")
