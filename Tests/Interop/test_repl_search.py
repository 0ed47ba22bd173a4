"""Ctrl-F: the incremental search through messages at the prompt."""

import threading

import pytest

import wire
from terminal import RawTerminal, Screen
from test_repl import Conversation


@pytest.fixture
def server():
    with Conversation() as server:
        yield server


@pytest.fixture(params=["100x30", "40x12"])
def prompt(request, server):
    """A prompt with three messages, in a wide and in a narrow window."""
    width, height = map(int, request.param.split("x"))
    with Screen(width, height) as screen:
        connect(screen, server)
        yield screen


def connect(screen, server):
    screen.enter(f"$WSX connect --color never {server.url}")
    screen.wait_for_last_line(">")
    server.send(b"".join(map(wire.text, ['{"a":"pear"}', '{"a":"漢字"}', '{"a":"apple"}'])))
    screen.wait_for('#3 ← {"a":"apple"}$')


def test_enter_shows_the_match_and_keeps_the_typed_line(prompt, server):
    prompt.type("typed")
    prompt.press("C-f")
    prompt.type('"a')
    prompt.wait_for(r"""^\(find\) '"a' 1 of 3  #3 ←""")
    prompt.press("C-f")
    prompt.wait_for(r"""^\(find\) '"a' 2 of 3  #2 ←""")
    prompt.press("Up", "Down", "Down")
    prompt.wait_for(r"""^\(find\) '"a' 1 of 3  #3 ←""")
    prompt.type('":"漢')
    prompt.wait_for(r"""^\(find\) '"a":"漢' 1 of 1  #2 ←""")
    prompt.press("Enter")
    prompt.wait_for('^ *#2 ← text, 14 B.*\n{\n  "a": "漢字"\n}$')
    prompt.wait_for_last_line("> typed")
    prompt.press("Enter")
    assert server.wait_for_frame().payload == b"typed"


@pytest.mark.parametrize("key", ["Escape", "C-g", "C-c", "C-a", "C-d", "Left"])
def test_a_key_that_is_none_of_the_search_returns_to_the_line(server, key):
    with Screen() as screen:
        connect(screen, server)
        screen.type("typed")
        screen.press("C-f")
        screen.type("zzz")
        screen.wait_for_last_line("(find) 'zzz' no match")
        screen.press("BSpace")
        screen.wait_for_last_line("(find) 'zz' no match")
        screen.press(key)
        screen.wait_for_last_line("> typed")
        screen.type("!")
        screen.wait_for_last_line("> typed!")
        screen.press("C-f")
        screen.wait_for_last_line("(find) '' Ctrl-F repeats 'zz'")
        screen.press("C-f")
        screen.wait_for_last_line("(find) 'zz' no match")
        screen.press("Enter")
        screen.wait_for_last_line("> typed!")


def test_a_search_in_a_flood_answers_keys(server):
    done = threading.Event()

    def flood():
        number = 0
        while not done.is_set():
            server.send(b"".join(wire.text(f'{{"number":{number + index}}}') for index in range(100)))
            number += 100

    with Screen() as screen:
        connect(screen, server)
        thread = threading.Thread(target=flood, daemon=True)
        thread.start()
        screen.press("C-f")
        screen.type("number")
        match = screen.wait_for(r"""^\(find\) 'number' .* of [\d,]{3,}…?  (#\d+) ← {"number":\d+}$""")
        # The match that is shown stays.
        screen.wait_for(r"^\(find\) 'number' [\d,]{5,} of [\d,]{5,}…?  " + match.group(1) + " ←")
        done.set()
        thread.join(60)
        server.send(wire.text("the last one"))
        screen.press("C-g", "C-f")
        screen.type("last")
        number = screen.wait_for(r"^\(find\) 'last' 1 of 1  #(\d+) ← the last one$").group(1)
        screen.press("Enter")
        screen.wait_for(f"^ *#{number} ← text, 12 B")
        screen.wait_for_last_line(">")


def test_a_pasted_text_is_searched_and_not_run(server):
    with Screen() as screen:
        connect(screen, server)
        screen.press("C-f")
        screen.paste('"a":"ap\n')
        screen.wait_for(r"""^\(find\) '"a":"ap' 1 of 1  #3 ←""")
        screen.press("Escape")
        screen.wait_for_last_line(">")


def test_hostile_messages_are_escaped(server):
    with Screen() as screen:
        connect(screen, server)
        server.send(wire.text("evil \x1b[2J\r\n\x9b2J \u202e text"))
        screen.wait_for("#4 ←")
        screen.press("C-f")
        screen.type("evil")
        screen.wait_for(r"^\(find\) 'evil' 1 of 1  #4 ← evil \\u\{1B\}\[2J\\u\{D\}\\u\{A\}\\u\{9B\}2J \\u\{202E\} text$")


@pytest.mark.parametrize("mode", ["emacs", "vi"])
def test_the_user_can_bind_ctrl_f(server, tmp_path, mode):
    (tmp_path / "inputrc").write_text(f'set editing-mode {mode}\n"\\C-f": "bound"\n')
    with Screen(INPUTRC=tmp_path / "inputrc") as screen:
        connect(screen, server)
        screen.press("C-f")
        screen.wait_for_last_line("> bound")


def test_vi_mode_has_the_search(server, tmp_path):
    (tmp_path / "inputrc").write_text("set editing-mode vi\n")
    with Screen(INPUTRC=tmp_path / "inputrc") as screen:
        connect(screen, server)
        screen.type("ab")
        screen.press("C-f")
        screen.type("pear")
        screen.wait_for_last_line("""(find) 'pear' 1 of 1  #1 ← {"a":"pear"}""")
        screen.press("C-g")
        screen.wait_for_last_line("> ab")
        screen.type("c")
        screen.wait_for_last_line("> abc")


def test_a_dumb_terminal_has_find_instead(server):
    with RawTerminal("connect", server.url, TERM="dumb") as terminal:
        terminal.wait_for(b"> ")
        terminal.type(b"typed\x06")
        terminal.wait_for(b"wsx: Ctrl-F needs a terminal that can be drawn again; /find REGEX searches, too")
        assert b"(find)" not in terminal.output
        terminal.type(b"!\r")
        assert server.wait_for_frame().payload == b"typed!"


def test_the_end_of_the_input_ends_a_search(server):
    with RawTerminal("connect", server.url) as terminal:
        terminal.wait_for(b"> ")
        terminal.type(b"\x06abc")
        terminal.wait_for(b"(find) 'abc'")
        terminal.signal()
        terminal.wait()
        assert terminal.attributes == terminal.attributes_before
