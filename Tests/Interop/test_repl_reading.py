"""How the prompt shows messages: JSON, dumps, folding, and looking back. The tests compare the rendered screen."""

import json
import re
import threading

import pytest

import wire
from processes import BINARY, Listener, Running, wait_until, wsx
from scripted_server import ScriptedServer
from terminal import RawTerminal, Screen
from test_repl import Conversation


@pytest.fixture
def screen():
    with Screen(width=100, height=40) as screen:
        yield screen


@pytest.fixture
def server(screen):
    """A conversation with a prompt without timestamps, which makes screens comparable."""
    with Conversation() as server:
        screen.enter(f"$WSX connect --timestamps off --color never {server.url}")
        screen.wait_for_last_line(">")
        yield server
        screen.press("C-c")
        screen.press("C-d")


def expect_wrapped(screen, text, timeout=60):
    """Waits for text that follows a file path. Long paths may wrap anywhere."""
    text = "".join(text.split())
    wait_until(lambda: text in "".join(screen.text.split()), timeout)


@pytest.mark.parametrize(
    "code, name", [(3000, "unauthorized"), (3003, "forbidden"), (3008, "timeout"), (1012, "service restart"),
                   (1013, "try again later"), (1014, "bad gateway")])
def test_registered_close_codes_are_shown_by_name(code, name):
    with ScriptedServer(lambda peer: (peer.upgrade(then=wire.close(code)), peer.read_until_close())) as server:
        result = wsx("connect", "-v", "--no-stdin", server.url)
    assert f"close  {code}    {name}\n" in result.err


# Layouts


def test_colors_distinguish_directions_and_opcodes():
    with Listener("--echo") as server:
        with RawTerminal("connect", "--color", "always", "--timestamps", "off", server.url, width=120) as terminal:
            terminal.wait_for(b"> ")
            terminal.type(b'{"a":[1,"b",null]}\r')
            terminal.wait_for(b"\x1b[38;5;28m\xe2\x86\x90\x1b[0m {")
            terminal.wait_for(b'\x1b[1;38;5;27m"a"\x1b[0m:[')
            for part in (b"\x1b[38;5;30m1\x1b[0m,", b'\x1b[38;5;28m"b"\x1b[0m,', b"\x1b[38;5;163mnull\x1b[0m"):
                assert part in terminal.output
            assert b"\x1b[38;5;30m\xe2\x86\x92\x1b[0m {" in terminal.output
            terminal.type(b"/ping\r")
            terminal.wait_for(b"\x1b[38;5;28m\xe2\x86\x90\x1b[0m \x1b[2mpong (after ")
            terminal.type(b"\x04")
            assert terminal.wait() == 0
            assert b"\x1b[38;5;28mDisconnected after " in terminal.output


# Folding


def test_a_message_longer_than_the_screen_opens_in_the_pager():
    with Screen(width=80, height=24, PAGER="less") as screen, Conversation() as server:
        screen.enter(f"$WSX connect {server.url}")
        screen.wait_for_last_line(">")
        server.send(wire.text(json.dumps(list(range(300)))))
        screen.wait_for("/1 shows all$")
        screen.type("half")
        screen.press("C-u")
        screen.enter("/1")
        screen.wait_for("^  20,$")
        server.send(wire.text("meanwhile"))
        screen.press("q")
        screen.wait_for("#3 ← meanwhile$|#2 ← meanwhile$")
        screen.enter("after")
        assert server.wait_for_frame().payload == b"after"
        screen.press("C-d")
        screen.wait_for_last_line("shell$")


def test_a_message_of_64_mib_is_folded_saved_and_shown_up_to_a_limit(screen, server, tmp_path):
    data = b"[" + b"1234567," * ((64 << 20) // 8 - 1) + b"123456]"
    assert len(data) == 64 << 20
    server.send(wire.text(data.decode()))
    screen.wait_for("^ +… 64.0 MiB, /1 shows more$", 60)
    screen.enter(f"/save {tmp_path}/all")
    expect_wrapped(screen, "/all (64.0 MiB).", 60)
    assert (tmp_path / "all").read_bytes() == data
    screen.enter("/show")
    screen.wait_for("^… only the beginning is shown; /save FILE 1 saves all of it$", 60)
    screen.wait_for_last_line(">", 30)


# Looking back


def test_messages_can_be_searched_after_the_connection_ended(screen):
    with ScriptedServer(lambda peer: (peer.upgrade(then=wire.text("kept") + wire.close(1000)), peer.read_until_close())) as server:
        screen.enter(f"$WSX connect --timestamps off {server.url}")
        screen.wait_for_last_line("(disconnected) >")
        screen.enter("/find kept")
        screen.wait_for("^  #1 ← kept$")
        screen.press("C-d")


# Display settings


def test_the_prompt_of_listen_has_the_same_commands(screen, tmp_path):
    screen.enter("$WSX listen 0")
    url = screen.wait_for(r"Listening on (ws://\S+/)[.;]").group(1)
    screen.wait_for_last_line(">")
    numbers = json.dumps(list(range(1000)), separators=(",", ":"))
    screen.enter(f"/record {tmp_path}/r")
    expect_wrapped(screen, "/r; /record stops it.")
    assert wsx("connect", "--linger", "0", url, '{"a":1}', numbers, "error").status == 0
    screen.wait_for(r'^  #1 @1 ← \{"a":1\}$')
    screen.wait_for(r"3891 B, /2 shows all$")
    screen.wait_for(r"^\d\d:\d\d:\d\d @1 disconnected: 1000; \d+\.\d s, 3 in, 0 out$")
    screen.enter("/record")
    expect_wrapped(screen, f"Recorded to {tmp_path}/r.")
    assert [json.loads(line).get("data") for line in (tmp_path / "r").read_text().splitlines()].count("error") == 1
    screen.enter("/find err")
    screen.wait_for("^Found 1 message.$")
    screen.enter("/filter error")
    screen.wait_for("^Showing only messages that match error;")
    assert wsx("connect", "--linger", "0", url, "warning").status == 0
    screen.wait_for(r"^\[/error/ 1 hidden\] >$")
    # The messages of clients that have left count.
    screen.wait_for(r"^ws://\S+ · ↑ 0 ↓ 4.* · filter /error/ · 0 clients$")
    screen.enter("/filter")
    screen.enter("/4")
    screen.wait_for("^  #4 @2 ← text, 7 B, .*\nwarning$")
    screen.press("C-d")


# Pipes


def test_a_pipe_gets_every_byte_unchanged_unless_pretty_is_given():
    lines = ['{"b":1,"a":[1e400,"\\u00e9"]}', "text \x1b[31m\u202e", '{"a":1}x']
    for options in ([], ["--no-pretty"], ["--color", "always"]):
        result = wsx("connect", "-n", "3", *options, "echo:", *lines)
        assert result.out.decode() == "".join(line + "\n" for line in lines)
    result = wsx("connect", "-n", "3", "--pretty", "echo:", *lines)
    pretty = '{\n  "b": 1,\n  "a": [\n    1e400,\n    "\u00e9"\n  ]\n}\n'
    assert result.out.decode() == pretty + lines[1] + "\n" + lines[2] + "\n"
    result = wsx("connect", "-n", "1", "--pretty", "--color", "always", "echo:", '[1,"x"]')
    assert result.out == b'[\n  \x1b[38;5;30m1\x1b[0m,\n  \x1b[38;5;28m"x"\x1b[0m\n]\n'
    for output in ("raw", "nul"):
        result = wsx("connect", "-n", "1", "--pretty", "--output", output, "echo:", "[1]")
        assert result.out.rstrip(b"\0") == b"[1]"


def test_output_on_a_terminal_is_indented_and_colored(screen):
    screen.enter("clear; echo '[1,\"\u009b\"]' | $WSX connect -n 1 --color never echo:; echo done")
    screen.wait_for("^done$")
    screen.wait_for('^\\[\n  1,\n  "\\\\u\\{9B\\}"\n\\]\ndone$')
    screen.enter("echo '[1]' | $WSX connect -n 1 --no-pretty echo:; echo again")
    screen.wait_for("^\\[1\\]\nagain$")


# Frames


def test_vv_shows_every_frame_in_both_directions():
    result = wsx("connect", "-vv", "-n", "1", "--timestamps", "off", "--color", "never", "--fragment-size", "200", "echo:", "a" * 300)
    compressed = re.search(r"→ frame +FIN RSV1 text masked [0-9a-f]{8} (\d+) B\n( +[0-9a-f]{2} .*\n)", result.err)
    assert compressed, result.err
    assert re.search(rf"← frame +FIN RSV1 text {compressed.group(1)} B\n{re.escape(compressed.group(2))}", result.err)
    result = wsx(
        "connect", "-vv", "-n", "1", "--timestamps", "off", "--compress=off", "--fragment-size", "300", "echo:", "a" * 400)
    assert re.search(r"→ frame +text masked [0-9a-f]{8} 300 B\n( +[0-9a-f]{4}  (61 ){8} (61 ){8} a{16}\n){16} +… 44 more bytes\n", result.err)
    assert re.search(r"→ frame +FIN continuation masked [0-9a-f]{8} 100 B\n", result.err)
    assert re.search(r"→ frame +FIN close masked [0-9a-f]{8} 2 B\n +03 e8  \.\.\n", result.err)
    assert re.search(r"← frame +FIN close 2 B\n +03 e8  \.\.\n", result.err)


def test_vv_of_listen_shows_frames_with_their_client():
    with Running([BINARY, "listen", "--echo", "-vv", "--timestamps", "off", "0"]) as server:
        server.wait_for("Listening on ")
        url = re.search(r"Listening on (ws://\S+?)[.;]?\n", server.err).group(1)
        assert wsx("connect", "-n", "1", "--compress=off", url, "hello").out == b"hello\n"
        server.wait_for("Client 1 disconnected")
        assert re.search(r"#1 ← frame +FIN text masked [0-9a-f]{8} 5 B\n +68 65 6c 6c 6f  hello\n", server.err)
        assert re.search(r"#1 → frame +FIN text 5 B\n +68 65 6c 6c 6f  hello\n", server.err)


# Hostile peers


HOSTILE = {
    "csi": "\x1b[31m\x1b[2J\x1b[10;10H\x1b[6n\x1b[?1049h\x1b[c",
    "osc": "\x1b]0;title\x07\x1b]52;c;aGk=\x1b\\\x1b]8;;http://evil.example\x07link\x1b]8;;\x07",
    "dcs": "\x1bP$q\"p\x1b\\\x1bX\x1b\\\x1b^x\x1b\\\x1b_x\x1b\\\x1bc\x1b(0",
    "c1": "\u009b31m\u009d0;t\u009c\u0090q\u009c\u0085\u008d\u0084",
    "c0": "\x00\x01\x05\x07\x08\x0b\x0c\x0e\x0f\x11\x13\x18\x1a\x7f over\rwrite",
    "bidi": "\u202aa\u202bb\u202cc\u202dd\u202ee\u2066f\u2067g\u2068h\u2069\u200e\u200f\u061c",
    "zero width": "a\u200bb\u200cc\u200dd\u2060e\ufefff\u180eg\u00adh\u034fi\u2061\u2064\u206a",
    "fillers": "a\u115f\u1160b\u3164c\uffa0d\u17b4\u17b5",
    "tags": "a\U000e0001\U000e0041\U000e007f\U000e0fff",
    "selectors": "a\ufe0f\ufe01\ufe02\U000e0101\U000e0102",
    "lines": "a\u2028b\u2029c\u0085d",
    "annotation": "a\ufff9b\ufffac\ufffbd\U0001d173\U0001bca0",
    "marks": "Z" + "\u0321\u0335\u0301\u0302\u0303" * 40,
    "wide": "\u6c34" * 60 + "\U0001f388" * 30,
    "long": "x" * 5000,
    "noncharacters": "\uffff\ufdd0\U0010ffff\ue000",
}
# Sequences from readline and from wsx's own colors: movement, erasing, bracketed paste, returns, and line feeds.
OWN = re.compile(r"\x1b\[\d*[ABCDGKJPX@]|\x1b\[\?2004[hl]|\x1b\[(?:0|1|2|7|(?:1;)?38;5;(?:27|28|30|161|163))m|\x1b\[m|\r\n|\r|\n|\x08|\t")
FORBIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff"
    "\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
    "|[\u0300-\u0360]{9}|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2}")


def assert_harmless(output):
    """Asserts that the output contains only text and the sequences of readline and wsx."""
    # Some terminals would interpret invalid UTF-8 as C1 controls.
    text = output.decode("utf-8")
    # Returns and backspaces are readline's if they occur next to its own sequences, which the test texts never imitate.
    for sequence in ("\x1b[31m\x1b", "\x1b[2J", "\x1b[10;10H", "\rwrite", "\x08\x0b"):
        assert sequence not in text
    assert not (found := FORBIDDEN.search(OWN.sub("", text))), (found, text)


def hostile_messages(text):
    """Returns the text in every kind of frame, and in every place within JSON."""
    data = text.encode()
    quoted = json.dumps(text, ensure_ascii=False)
    # With controls below U+0020, the quoted texts are not valid JSON and are shown as text.
    return b"".join([
        wire.text(text), wire.text("line\n" + text + "\nline"), wire.text('{' + quoted + ':[' + quoted + ',1]}'),
        wire.text('{"' + text.replace('"', "") + '":1}'), wire.frame(wire.BINARY, data), wire.frame(wire.BINARY, data[:15]),
        wire.frame(wire.PING, text[:30].encode()), wire.frame(wire.PONG, data[:100]),
    ])


@pytest.mark.parametrize("color", ["never", "always"])
def test_no_message_can_control_the_terminal(color):
    data = b"".join(map(hostile_messages, HOSTILE.values())) + wire.text("the end")
    reason = HOSTILE["csi"][:30].encode()

    with ScriptedServer(lambda peer: (peer.upgrade(then=data + wire.close(4000, reason)), peer.read_until_close())) as server:
        with RawTerminal("connect", "-vv", "--color", color, server.url, width=100) as terminal:
            terminal.wait_for(b"(disconnected) > ")
            assert b"the end" in terminal.output
            # Six messages of each text; the others are pings and pongs.
            shows = [f"/show {6 * text + kind}" for text in range(len(HOSTILE)) for kind in (1, 2, 3)]
            for command in (*shows, "/find .", "/find (?s)[^a-z]+", "/find \\x{1b}", "/filter a"):
                terminal.type(command.encode() + b"\r")
            terminal.wait_for(b"/filter shows all again")
            terminal.type(b"\x04")
            terminal.wait()
            assert_harmless(terminal.output)


def test_no_close_reason_can_control_the_terminal():
    reasons = [text[:30].encode()[:123] for text in HOSTILE.values()]

    with ScriptedServer(lambda peer: (peer.upgrade(then=wire.close(4000, reasons.pop())), peer.read_until_close())) as server:
        while reasons:
            with RawTerminal("connect", "-vv", server.url, width=100) as terminal:
                terminal.wait_for(b"(disconnected) > ")
                terminal.type(b"\x04")
                terminal.wait()
                assert_harmless(terminal.output)


def test_invalid_utf8_never_reaches_the_terminal():
    invalid = [bytes(range(0x80, 0xa0)), b"\xc2", b"\xe2\x80", b"\xff\xfe\xfd", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x9b"]
    data = b"".join(
        wire.frame(wire.BINARY, raw) + wire.frame(wire.BINARY, b"x" * 20 + raw) + wire.frame(wire.PING, raw)
        + wire.frame(wire.PONG, raw) for raw in invalid) + wire.text("the end")

    with ScriptedServer(lambda peer: (peer.upgrade(then=data), peer.read_until_close())) as server:
        with RawTerminal("connect", "-vv", server.url, width=100) as terminal:
            terminal.wait_for(b"the end")
            terminal.type(b"".join(b"/show %d\r" % number for number in range(1, 2 * len(invalid) + 1)) + b"/find (?s).\r")
            terminal.wait_for(b"Found ")
            terminal.type(b"\x04")
            terminal.wait()
            assert_harmless(terminal.output)


@pytest.mark.parametrize("place", ["field", "status", "body", "location", "subprotocol", "extension"])
def test_no_response_can_control_the_terminal(place):
    text = "".join(text for name, text in HOSTILE.items() if name not in ("c0", "long")).encode()
    head = {
        "field": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX: " + text,
        "status": b"HTTP/1.1 404 " + text + b"\r\nContent-Length: 0",
        "body": b"HTTP/1.1 403 No\r\nContent-Length: " + str(len(text)).encode() + b"\r\nContent-Type: text/plain",
        "location": b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ws://" + text,
        "subprotocol": b"HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: " + text,
        "extension": b"HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Extensions: " + text,
    }[place]

    def script(peer):
        request = peer.read_request()
        accept = wire.accept_value(wire.field(request, b"Sec-WebSocket-Key"))
        peer.send(head + b"\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n" + (text if place == "body" else b""))

    with ScriptedServer(script) as server:
        with RawTerminal("connect", "-v", "--color", "never", "-L", "-s", "chat", "--close-timeout", "1s", server.url, width=100) as terminal:
            # None of these responses opens a connection, except fields with permitted characters.
            wait_until(lambda: b"(disconnected) > " in terminal.read() or terminal.process.poll() is not None)
            terminal.type(b"\x04")
            terminal.wait()
            assert b"wsx: " in terminal.output
            assert_harmless(terminal.output)


# Speed


def test_a_half_typed_line_stays_intact_in_a_flood_and_no_message_is_lost(screen, tmp_path):
    stop = threading.Event()
    sent = 0

    def flood(server):
        nonlocal sent
        # About a thousand messages per second, one by one.
        while not stop.wait(0.001):
            server.send(wire.text(json.dumps({"number": sent})))
            sent += 1

    with Conversation() as server:
        screen.enter(f"$WSX connect --record {tmp_path}/r {server.url}")
        screen.wait_for_last_line(">")
        flooding = threading.Thread(target=flood, args=(server,), daemon=True)
        flooding.start()
        try:
            for character in "typed meanwhile":
                screen.type(character)
            screen.press("Left", "Left", "BSpace")
            wait_until(lambda: sent > 500, 60)
        finally:
            stop.set()
            flooding.join()
        screen.wait_for_last_line("> typed meanwhle")
        assert sum("> typed" in line for line in screen.lines) == 1
        screen.press("i", "Enter")
        assert server.wait_for_frame().payload == b"typed meanwhile"
        screen.enter("/tail 3")
        screen.wait_for(rf'^#?\s*#{sent} ← {{"number":{sent - 1}}}\n *#{sent + 1} → typed meanwhile$')
        screen.enter("/400")
        screen.wait_for(r'^#400 ← text, \d+ B, .*\n{\n  "number": 399\n}$')
        screen.press("C-d")
        screen.wait_for_last_line("shell$")
    events = [json.loads(line) for line in (tmp_path / "r").read_text().splitlines()]
    received = [json.loads(event["data"])["number"] for event in events if event.get("direction") == "in" and "data" in event]
    assert received == list(range(sent))


def test_ten_thousand_messages_at_once_are_counted_and_cause_few_redraws():
    count = 10_000
    data = b"".join(wire.text(f"message {number}") for number in range(count))
    with Conversation() as server:
        with RawTerminal("connect", "--color", "never", server.url) as terminal:
            terminal.wait_for(b"> ")
            terminal.type(b"half")
            terminal.wait_for(b"half")
            before = terminal.output.count(b"half")
            server.send(data)
            terminal.wait_for(b" more messages in ")
            assert all(f"message {number}\r\n".encode() in terminal.output for number in range(200))
            assert terminal.output.count(b"half") - before < 100
            hidden = sum(int(number.replace(b",", b"")) for number in re.findall(rb"\xe2\x80\xa6 ([\d,]+) more messages", terminal.read()))
            assert hidden <= count - 200
            terminal.type(b"\x15/tail 1\r")
            terminal.wait_for(b"#10000 \xe2\x86\x90 message 9999\r\n")
            terminal.type(b"\x04")
            assert terminal.wait() == 0
