"""Pastes of several messages at the prompt."""

import pytest

import wire
from terminal import Screen
from test_repl import Conversation
from test_repl_editing import connect, history_file, leave, screen, server, stored, texts, wait_for_texts  # noqa: F401

QUESTION = r"^Paste of 3 messages: \[l\] send each, \[o\] send as one, \[Enter\] edit$"


@pytest.fixture
def prompt(screen, server):
    connect(screen, server, "--color never")
    return screen


def paste(screen, text, question=QUESTION):
    screen.paste(text)
    screen.wait_for(question)


def test_each_line_is_sent_and_the_history_has_it(prompt, server):
    paste(prompt, '{"a":1}\n\n{"b":\n2}\n漢字\n')
    server.send(wire.text("meanwhile"))
    prompt.wait_for(r"^ *#1 ← meanwhile\n(ws://.*\n)?Paste of 3 messages")
    assert texts(server) == []
    prompt.type("l")
    wait_for_texts(server, '{"a":1}', '{"b":\n2}', "漢字")
    prompt.wait_for("^--paste lines sends each line without asking.$")
    paste(prompt, "1\n2\n3")
    prompt.type("l")
    wait_for_texts(server, '{"a":1}', '{"b":\n2}', "漢字", "1", "2", "3")
    prompt.wait_for_last_line(">")
    assert prompt.text.count("--paste lines") == 1
    leave(prompt)
    assert stored(history_file(prompt)) == ['{"a":1}', '{"b":', "2}", "漢字", "1", "2", "3"]


def test_all_lines_are_sent_as_one_message(prompt, server):
    paste(prompt, "one\ntwo\nthree\n")
    prompt.type("o")
    wait_for_texts(server, "one\ntwo\nthree")
    prompt.wait_for("^--paste one keeps the lines in one message without asking.$")
    prompt.wait_for_last_line(">")
    prompt.press("Up")
    prompt.wait_for("^> one\ntwo\nthree$")


def test_enter_edits_the_paste(prompt, server):
    paste(prompt, "one\ntwo\nthree")
    prompt.type("x")
    prompt.press("Enter")
    prompt.wait_for("^> one\ntwo\nthree$")
    prompt.type("!")
    prompt.press("Enter")
    wait_for_texts(server, "one\ntwo\nthree!")


def test_commands_in_a_paste_run_in_order(prompt, server):
    paste(prompt, "first\n/send  second\n/bogus")
    prompt.type("l")
    wait_for_texts(server, "first", " second")
    prompt.wait_for("^wsx: unknown command '/bogus'")
    prompt.wait_for_last_line(">")


def test_a_paste_during_the_question_is_no_answer(prompt, server):
    paste(prompt, "one\ntwo\nthree")
    prompt.paste("lol\n")
    prompt.press("Enter")
    prompt.wait_for("^> one\ntwo\nthree$")
    assert texts(server) == []


def test_a_paste_into_a_typed_line_is_one_message(prompt, server):
    prompt.type("typed ")
    prompt.paste("one\ntwo")
    prompt.wait_for("^> typed one\ntwo$")
    prompt.press("Enter")
    wait_for_texts(server, "typed one\ntwo")


def test_the_option_answers_in_advance(screen, server):
    connect(screen, server, "--paste lines")
    screen.paste("one\n/send two\n")
    wait_for_texts(server, "one", "two")
    leave(screen)
    assert "--paste" not in screen.text.split("\n", 1)[1]


def test_the_configuration_file_keeps_one_message(server, tmp_path):
    (tmp_path / "config").write_text("paste = one\n")
    with Screen(WSX_CONFIG=tmp_path / "config") as screen:
        connect(screen, server)
        screen.paste("one\ntwo\n")
        screen.wait_for("^> one\ntwo$")
        screen.press("Enter")
        wait_for_texts(server, "one\ntwo")


def test_a_narrow_window_shows_the_question_on_one_row():
    with Conversation() as server, Screen(width=40, height=12) as screen:
        connect(screen, server)
        screen.paste("漢字\n" * 3)
        screen.wait_for_last_line("3 messages: [l]ines [o]ne [Enter] edit")
        screen.resize(30, 12)
        screen.wait_for_last_line("[l] [o] [Enter]")
        screen.resize(80, 12)
        screen.wait_for(QUESTION)
        assert screen.text.count("[l]") == 1
        screen.type("l")
        wait_for_texts(server, "漢字", "漢字", "漢字")


def test_the_prompt_of_a_server_asks_too():
    with Screen() as screen:
        screen.enter("$WSX listen --color never 127.0.0.1:0")
        screen.wait_for_last_line(">")
        screen.paste("/clients\n/clients")
        screen.wait_for(r"^Paste of 2 messages: ")
        screen.type("l")
        screen.wait_for("^No clients.\nNo clients.$")
