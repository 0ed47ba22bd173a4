"""Sessions saved as HAR files and pages: `/save` at the prompt, and `--record`."""

import json
import os
import pathlib
import signal

import jsonschema
import pytest

import wire
from processes import BINARY, Listener, Running, assert_fails, wait_until, wsx
from terminal import Screen
from test_repl import Conversation
from test_session_page import scripts

SCHEMA = json.loads((pathlib.Path(__file__).parent / "har" / "schema.json").read_text())


@pytest.fixture
def screen():
    with Screen(width=100, height=40) as screen:
        yield screen


@pytest.fixture
def server(screen):
    """A conversation with a prompt."""
    with Conversation() as server:
        screen.enter(f"$WSX connect --timestamps off --color never '{server.url}?token=secret-1'")
        screen.wait_for_last_line(">")
        yield server
        screen.press("C-c")
        screen.press("C-d")


def har_messages(path):
    """The messages of each connection of a HAR file: direction, opcode, and data."""
    har = json.loads(path.read_text())
    jsonschema.validate(har, SCHEMA)
    return [[(message["type"], message["opcode"], message["data"]) for message in entry["_webSocketMessages"]]
            for entry in har["log"]["entries"]]


def page_messages(path):
    return [[event[1:2] + event[4:] for event in content if event[1] != "in open"]
            for kind, content in scripts(path) if kind == "events"]


def saved(screen, path):
    """Waits for the notice about a saved file. The terminal wraps long lines."""
    wait_until(lambda: f"in{path}.".replace(" ", "") in screen.text.replace("\n", "").replace(" ", ""), what="notice")


# The prompt


def test_save_writes_the_session_as_a_page_or_a_har_file(screen, server, tmp_path):
    server.send(wire.text("first") + wire.frame(wire.BINARY, b"\0\1"))
    screen.wait_for("#2 ← ")
    screen.enter("typed")
    screen.wait_for("#3 → typed")
    for name, read in [("s.html", page_messages), ("s.har", har_messages)]:
        screen.enter(f"/save {tmp_path}/{name}")
        saved(screen, tmp_path / name)
        assert "secret-1" not in (tmp_path / name).read_text()
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
        expected = {
            "s.html": [[["in text", "first"], ["in binary", "AAE="], ["out text", "typed"]]],
            "s.har": [[("receive", 1, "first"), ("receive", 2, "AAE="), ("send", 1, "typed")]]}
        assert read(tmp_path / name) == expected[name]
    assert "/?token=•••" in scripts(tmp_path / "s.html")[0][1]["url"]


def test_save_with_a_number_writes_the_message(screen, server, tmp_path):
    server.send(wire.text("<p>"))
    screen.wait_for("#1 ← ")
    screen.enter(f"/save {tmp_path}/s.html 1")
    wait_until((tmp_path / "s.html").exists, what="the file")
    assert (tmp_path / "s.html").read_text() == "<p>"


def test_save_never_replaces_a_file_or_claims_success(screen, server, tmp_path):
    screen.enter(f"/save {tmp_path}/s.html")
    screen.wait_for("^wsx: /save: no messages yet$")
    server.send(wire.text("first"))
    screen.wait_for("#1 ← ")
    (tmp_path / "s.html").write_text("mine")
    for place, why in [("s.html", "file already exists"), ("no/such.har", "no such file or directory")]:
        screen.enter(f"/save {tmp_path}/{place}")
        wait_until(lambda why=why: why.replace(" ", "") in screen.text.replace("\n", "").replace(" ", ""), what=why)
    assert "Saved" not in screen.text
    assert [path.name for path in tmp_path.iterdir()] == ["s.html"] and (tmp_path / "s.html").read_text() == "mine"


def test_a_server_saves_the_connections_of_its_clients(screen, tmp_path):
    screen.enter("$WSX listen --timestamps off --color never 0")
    url = screen.wait_for(r"^Listening on (\S+);").group(1)
    for text in ("one", "two"):
        assert wsx("connect", "--linger", "0", url, text).status == 0
        screen.wait_for(f"← {text}$")
    screen.enter(f"/save {tmp_path}/s.har")
    saved(screen, tmp_path / "s.har")
    assert har_messages(tmp_path / "s.har") == [[("send", 1, "one")], [("send", 1, "two")]]
    screen.press("C-c")


# --record


@pytest.mark.parametrize("name, read, expected", [
    ("s.har", har_messages, [[("send", 1, "hello"), ("receive", 1, "hello")]]),
    ("s.html", page_messages, [[["out text", "hello"], ["in text", "hello"]]])], ids=["har", "html"])
def test_a_recording_in_another_format_is_written_at_the_end(tmp_path, name, read, expected):
    result = wsx("connect", "--record", tmp_path / name, "echo:", "hello")
    assert (result.status, result.out) == (0, b"hello\n")
    messages = read(tmp_path / name)
    assert [[message for message in connection if "close" not in message[0]] for connection in messages] == expected
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_recording_in_another_format_never_replaces_a_file(tmp_path):
    path = tmp_path / "s.har"
    path.write_text("mine")
    result = wsx("connect", "--record", path, "echo:", "hello")
    assert_fails(result, 2, "--record", "file already exists; use another name")
    assert path.read_text() == "mine"
    assert_fails(wsx("connect", "--record", tmp_path / "no/s.har", "echo:", "hello"), 2, "--record", "no such file")


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path):
    path = tmp_path / "s.html"
    with Running([BINARY, "connect", "--record", path, "echo:"], stdin=-1) as client:
        client.process.stdin.write(b"hello\n")
        client.process.stdin.flush()
        client.wait_for("hello", stream="out")
        path.write_text("mine")
        client.process.stdin.close()
        assert client.wait() != 0
    assert path.read_text() == "mine" and [path.name for path in tmp_path.iterdir()] == ["s.html"]


def test_a_run_without_a_connection_writes_no_file(tmp_path):
    result = wsx("connect", "--record", tmp_path / "s.har", "ws://127.0.0.1:1/", "hello")
    assert result.status != 0 and "s.har is not written: no connection was opened" in result.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["s.har", "s.html"])
def test_a_server_writes_its_clients_when_it_is_stopped(tmp_path, name):
    with Listener("--echo", "--record", tmp_path / name) as server:
        for text in ("one", "two"):
            assert wsx("connect", server.url, text).out == text.encode() + b"\n"
        server.stop()
    if name == "s.har":
        assert har_messages(tmp_path / name) == [
            [("send", 1, text), ("receive", 1, text)] for text in ("one", "two")]
    else:
        assert [[row for row in rows if "text" in row[0]] for rows in page_messages(tmp_path / name)] == [
            [["out text", text], ["in text", text]] for text in ("one", "two")]


def test_a_killed_run_leaves_no_file(tmp_path):
    with Listener("--record", tmp_path / "s.har", env={**os.environ, "TMPDIR": str(tmp_path)}) as server:
        assert wsx("connect", "--linger", "0", server.url, "one").status == 0
        server.signal(signal.SIGKILL)
        server.wait()
    assert list(tmp_path.iterdir()) == []
