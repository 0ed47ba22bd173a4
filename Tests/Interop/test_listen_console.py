"""`wsx listen --console` in a real browser: connecting, sending, reading, and reconnecting."""

import base64
import json
import re
import struct
import zlib

import pytest

from console_page import ConsolePage
from processes import Listener, wait_until, wsx


@pytest.fixture(scope="module")
def server():
    with Listener("--echo", "--console", "--subprotocol", "chat") as server:
        yield server


@pytest.fixture
def page(browser, server):
    """The page. At the end, the browser must not have reported any problem."""
    with ConsolePage(browser, server) as page:
        yield page
        assert page.unexpected == []


def test_the_url_of_the_page_is_printed_at_the_start(tmp_path):
    with Listener("--console") as server:
        assert server.wait_for(rf"Console at http://127\.0\.0\.1:{server.port}/\n")
        assert "Console" not in wsx("connect", server.url, "hello").err
    with Listener("--console", "--tls-self-signed", address="[::1]:0") as server:
        assert server.wait_for(rf"Console at https://\[::1\]:{server.port}/\n")
    with Listener("--console", address=f"unix:{tmp_path}/socket") as server:
        server.stop()
        assert "Console" not in server.err


def test_text_json_and_bytes_are_sent_and_echoed_with_opcode_and_size(page, server):
    assert page.evaluate("document.getElementById('url').value") == server.url
    page.connect("json, chat")
    assert page.text("#state") == "Connected · chat · permessage-deflate"
    page.send("Grüße")
    page.send('{"a": 1}', "json")
    page.send("00 ff\n41", "hex")
    page.send("QUJD", "base64")
    rows = page.wait_for_rows(9)
    opened = rows[0]
    assert opened[0] == "open" and "subprotocol chat, permessage-deflate" in opened[3]
    expected = [
        ["text", "7 B", "Grüße"],
        ["text", "8 B", '{"a": 1}'],
        ["binary", "3 B", "00 ff 41  ..A"],
        ["binary", "3 B", "41 42 43  ABC"],
    ]
    for direction in ("out", "in"):
        assert [[row[0], row[2], row[3]] for row in rows if row[1] == direction] == expected
    page.wait_for("document.getElementById('traffic').textContent === '↑ 4 · 21 B   ↓ 4 · 21 B'")


def test_the_preview_of_a_dump_ends_with_a_whole_row(page):
    page.connect()
    page.send(" ".join(f"{number % 256:02x}" for number in range(4000)), "hex")
    preview, button = page.wait_for_rows(3)[2][3].split("… show all ")
    rows = preview.rstrip("\n").split("\n")
    assert button == "4,000 B"
    assert len(rows) == 13
    assert rows[-1].startswith("00c0  c0 c1 ") and rows[-1].endswith("  " + "." * 16)


def test_a_file_is_sent_as_a_binary_message(page, tmp_path):
    file = tmp_path / "data.bin"
    file.write_bytes(bytes(range(256)) * 2)
    page.connect()
    page.choose("file")
    page.click("send")
    assert page.text("#verdict") == "No file selected"
    node = page.call("Runtime.evaluate", expression="document.getElementById('file')")["result"]["objectId"]
    page.call("DOM.setFileInputFiles", files=[str(file)], objectId=node)
    page.wait_for("document.getElementById('verdict').textContent === 'binary, 512 B'")
    page.click("send")
    rows = page.wait_for_rows(3)
    assert [row[:3] for row in rows[1:]] == [["binary", "out", "512 B"], ["binary", "in", "512 B"]]
    assert rows[2][3].startswith("0000  00 01 02 03 04 05 06 07  08 09")
    assert rows[2][3].endswith("… show all 512 B")


@pytest.mark.parametrize(("form", "text", "complaint"), [
    ("json", '{"a": ', r"Not JSON: .+"),
    ("json", "hello", r"Not JSON: .+"),
    ("hex", "0g", r"Not hexadecimal: “g” at character 2"),
    ("hex", "00 1", r"Not hexadecimal: “1” has an odd number of digits"),
    ("base64", "QUJ$", r"Not Base64: “\$” at character 4"),
    ("base64", "QUJDR", r"Not Base64: wrong length or padding"),
])
def test_invalid_input_is_not_sent(page, form, text, complaint):
    page.connect()
    page.send(text, form)
    page.wait_for("document.querySelector('#verdict[role=alert].wrong')")
    assert re.fullmatch(complaint, page.text("#verdict"))
    assert page.evaluate("document.getElementById('message').getAttribute('aria-invalid')") == "true"
    assert page.evaluate("document.getElementById('message').value") == text
    page.send("after")
    assert [row[3] for row in page.wait_for_rows(3)[1:]] == ["after", "after"]


def test_without_a_connection_the_message_stays_in_its_field(page):
    page.send("hello")
    page.wait_for("document.getElementById('verdict').textContent === 'Not connected; connect first'")
    assert page.evaluate("document.getElementById('message').value") == "hello"


def test_json_numbers_and_duplicate_names_are_shown_unchanged(page):
    page.connect()
    page.send('{"n":12345678901234567890.10,\n"n":[ ],"s":"a\\"}:,"}', "json")
    assert page.wait_for_rows(3)[2][3] == '{"n": 12345678901234567890.10, "n": [], "s": "a\\"}:,"}'
    page.click("pretty")
    laid_out = '{\n  "n": 12345678901234567890.10,\n  "n": [],\n  "s": "a\\"}:,"\n}'
    wait_until(lambda: [row[3] for row in page.rows()[1:]] == [laid_out] * 2)


def test_json_is_on_one_line_until_it_is_expanded(page):
    page.connect()
    page.send('{"a":[1,{"b":""}]}')
    assert page.wait_for_rows(3)[2][3] == '{"a": [1, {"b": ""}]}'
    page.evaluate("document.querySelector('.row.in').focus()")
    assert page.text("#entry-expand") == "Expand"
    page.click("entry-expand")
    assert page.rows()[2][3] == '{\n  "a": [\n    1,\n    {\n      "b": ""\n    }\n  ]\n}'
    assert page.text("#entry-expand") == "Collapse"
    page.press("Enter")
    assert page.rows()[2][3] == '{"a": [1, {"b": ""}]}'
    # Text is shown as it is, and there is nothing to expand.
    page.send("{a: 1}")
    assert page.wait_for_rows(5)[4][3] == "{a: 1}"
    page.evaluate("Array.from(document.querySelectorAll('.row')).at(-1).focus()")
    assert page.evaluate("document.getElementById('entry-expand').hidden")


def test_the_log_is_filtered_by_text_direction_and_kind(page):
    page.connect()
    for text, form in [("apple", "text"), ("(banana", "text"), ("0a ff", "hex")]:
        page.send(text, form)
    page.wait_for_rows(7)

    def shown():
        return [(row[0], row[1]) for row in page.rows()]

    page.fill("filter", "APPLE")
    page.wait_for("document.querySelectorAll('.row').length === 2")
    assert page.text("#counts") == "2 of 7"
    page.fill("filter", "(b")
    wait_until(lambda: [row[3] for row in page.rows()] == ["(banana"] * 2)
    page.fill("filter", "0a ff")
    wait_until(lambda: shown() == [("binary", "out"), ("binary", "in")])
    page.fill("filter", "no such thing")
    page.wait_for("document.getElementById('empty').textContent === 'No entries match the filter.'")
    page.fill("filter", "")
    page.wait_for_rows(7)
    for control, left in [
        ("out", [("open", "")] + [("text", "in")] * 2 + [("binary", "in")]),
        ("events", [("text", "in")] * 2 + [("binary", "in")]),
        ("text", [("binary", "in")]),
        ("binary", []),
    ]:
        page.click(f"show-{control}")
        wait_until(lambda: shown() == left, what=f"rows without {control}")


@pytest.mark.parametrize(("data", "form", "words", "marks"), [
    ("one, two, One", "text", "one", ["one", "One"]),
    # JSON is found without the spaces that are shown, and without those that were received.
    ('{"id":5,"b":[1,2]}', "text", '"id":5', ['"id"', ": ", "5"]),
    ('{"id": 5}', "text", '{"id":5}', ["{", '"id"', ": ", "5", "}"]),
    ('{"id":5}', "text", '"id": 5', ['"id"', ": ", "5"]),
    # Escapes are found as they were received, and as text.
    (r'{"name":"Zo\u00eb"}', "text", "Zo\u00eb", ["Zo\u00eb"]),
    (r'{"name":"Zo\u00eb"}', "text", r"Zo\u00eb", ["Zo\u00eb"]),
    (r'["ZO\u00cb"]', "text", "Zo\u00eb", ["ZO\u00cb"]),
    (r'["a\/b\u003c"]', "text", "a/b<", ["a/b<"]),
    ("a\u202eb", "text", r"\u{202e}", [r"\u{202E}"]),
    (r"a\d+ (b", "text", r"\d+ (", [r"\d+ ("]),
    ("6f 6e 65 ff", "hex", "one", ["one"]),
    (" ".join(f"{number:02x}" for number in range(16)), "hex", "07 08", ["07  08"]),
])
def test_matches_are_highlighted_and_counted(page, data, form, words, marks):
    page.connect()
    page.send("another message")
    page.send(data, form)
    page.wait_for_rows(5)
    page.fill("filter", words)
    shown = "Array.from(document.querySelectorAll('.row.in mark'), mark => mark.textContent)"
    wait_until(lambda: page.evaluate(shown) == marks)
    assert page.text("#counts") == "2 of 5"
    page.click("pretty")
    # Line breaks may separate matches into more pieces.
    received = re.sub(r"\s", "", "".join(marks))
    page.wait_for(f"{shown}.join('').replace(/\\s/g, '') === {json.dumps(received)}")
    page.fill("filter", "")
    page.wait_for_rows(5)
    assert page.evaluate(shown) == []


def test_events_are_found_and_highlighted(page):
    page.connect()
    page.wait_for_rows(1)
    page.fill("filter", "127.0.0.1")
    page.wait_for("document.querySelector('.row.open mark')?.textContent === '127.0.0.1'")


GIF = "R0lGODlhAQABAAAAACwAAAAAAQABAAACAkwBADs="


def png(width, height):
    """A black PNG image, with one bit per pixel."""
    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    pixels = zlib.compress(bytes((width + 7) // 8 + 1) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


@pytest.mark.parametrize(("kind", "size"), [("png", "300 × 500"), ("jpeg", "300 × 500"), ("webp", "300 × 500"),
                                            ("gif", "1 × 1")])
def test_images_are_shown_with_their_dimensions(page, kind, size):
    data = GIF if kind == "gif" else page.evaluate(f"""(() => {{
        const canvas = document.createElement("canvas");
        canvas.width = 300;
        canvas.height = 500;
        canvas.getContext("2d").fillRect(0, 0, 100, 100);
        return canvas.toDataURL("image/{kind}").split("base64,")[1];
    }})()""")
    page.connect()
    page.send(data, "base64")
    page.wait_for("document.querySelectorAll('.row .data img').length === 2")
    row = page.rows()[2]
    assert (row[2], row[3]) == (f"{len(base64.b64decode(data)):,} B", f"{kind.upper()} image, {size}")
    assert page.evaluate("document.querySelector('.in img').alt") == row[3]
    assert page.evaluate("document.querySelector('.in img').height") <= 192
    # Expanded, the entry is a dump.
    page.evaluate("document.querySelector('.row.in').focus()")
    page.press("Enter")
    assert page.evaluate("document.querySelectorAll('.row.in img').length") == 0
    assert base64.b64decode(data)[:4].hex(" ") in page.rows()[2][3]
    page.press("Enter")
    page.wait_for("document.querySelector('.row.in img')")


@pytest.mark.parametrize("data", [
    b'<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>', b"<html><img src=x></html>",
    b"\x89PNG\r\n\x1a\n broken", png(8192, 4096),
    pytest.param(png(1, 1) + bytes(4 << 20), marks=pytest.mark.heavy),
], ids=["svg", "html", "broken", "too many pixels", "too many bytes"])
def test_other_binary_messages_stay_dumps(page, data):
    page.connect()
    page.send(base64.b64encode(data).decode(), "base64")
    page.wait_for("document.querySelectorAll('.row').length === 3")
    # This image is read after the other one.
    page.send(GIF, "base64")
    page.wait_for("document.querySelectorAll('.row')[4]?.querySelector('img')")
    assert page.evaluate("document.querySelectorAll('img').length") == 2
    assert data[:8].hex(" ") in page.rows()[2][3]


TOGGLES = ["retries", "show-out", "show-in", "show-text", "show-binary", "show-events", "pretty", "follow", "pause"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_toggles_show_their_state(page, scheme):
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    assert page.evaluate("Array.from(document.querySelectorAll('[aria-pressed]'), button => button.id)") == TOGGLES
    looks = {True: set(), False: set()}
    for toggle in TOGGLES:
        was_pressed = page.is_pressed(toggle)
        assert was_pressed == (toggle not in {"pretty", "pause"})
        for expected in [not was_pressed, was_pressed]:
            page.evaluate(f"document.getElementById('{toggle}').focus()")
            page.press(" ")
            assert page.is_pressed(toggle) == expected
            page.evaluate("document.activeElement.blur()")
            looks[expected].add(page.evaluate(f"""(() => {{
                const style = getComputedStyle(document.getElementById('{toggle}'));
                return [style.color, style.backgroundColor, style.borderColor, style.boxShadow].join();
            }})()"""))
    assert len(looks[True]) == len(looks[False]) == 1
    assert looks[True] != looks[False]


def test_the_page_reconnects_when_its_server_is_back(browser):
    with Listener("--echo", "--console") as server, ConsolePage(browser, server) as page:
        page.connect()
        assert server.stop() == 0
        page.wait_for_row("close", "1001 going away")
        page.wait_for_row("error", "Could not connect")
        with Listener("--echo", "--console", address=str(server.port)):
            page.wait_for_state("open")
            page.send("again")
            wait_until(lambda: [row[3] for row in page.rows() if row[0] == "text"] == ["again"] * 2)
            page.click("connect")
            page.wait_for_row("close", "1000 normal closure")
            page.wait_for_state("closed")
        assert page.unexpected == []


def test_the_buttons_reconnect_and_give_up(browser):
    with Listener("--echo", "--console") as server, ConsolePage(browser, server) as page:
        page.connect()
        page.click("reconnect")
        server.wait_for("Client 2 connected")
        page.wait_for("document.querySelectorAll('.row.open').length === 2")
        page.wait_for_state("open")
        # With retries disabled, a lost connection stays lost.
        page.click("retries")
        server.stop()
        page.wait_for_state("closed")
        page.click("retries")
        page.click("reconnect")
        page.wait_for_state("waiting")
        page.click("connect")
        page.wait_for_state("closed")
        assert page.unexpected == []


def test_close_codes_and_reasons_of_the_server_are_shown(browser):
    with Listener("--console", "--input", "json", stdin=-1) as server, ConsolePage(browser, server) as page:
        page.connect()
        server.send(b'{"type":"close","code":4000,"reason":"enough <b>"}\n')
        page.wait_for_row("close", "4000 “enough <b>”")
        # The connection was not lost, so the page does not retry.
        page.wait_for_state("closed")
        assert page.unexpected == []


def test_the_page_can_connect_to_other_servers(page):
    with Listener("--broadcast", "--subprotocol", "other", "-v") as other:
        page.connect("other", url=f"localhost:{other.port}/path?x=1")
        other.wait_for(r"Client 1 connected from \S+ /path, subprotocol other\n")
        other.wait_for(r"GET /path\?x=1 HTTP/1\.1")
        assert page.text("#state").startswith("Connected · other")
        page.send("to the other")
        other.wait_for("to the other", "out")


def test_an_invalid_url_is_reported(page):
    page.fill("url", "gopher://x")
    page.click("connect")
    page.wait_for("document.querySelector('.row.error')")
    assert page.evaluate("document.getElementById('state').dataset.state") == "closed"


def test_the_path_of_the_server_is_the_default(browser):
    with Listener("--echo", "--console", "--path", '/a"b&lt;<c>') as server, ConsolePage(browser, server) as page:
        assert page.evaluate("document.getElementById('url').value") == f"{server.url}a%22b&lt;%3Cc%3E"
        page.connect()
        page.send("hello")
        page.wait_for_rows(3)
        assert page.unexpected == []


def test_a_page_served_over_tls_connects_with_tls(browser):
    with Listener("--echo", "--console", "--tls-self-signed") as server:
        with ConsolePage(browser, server, trusts_all=True) as page:
            page.connect()
            page.wait_for_row("open", f"wss://127.0.0.1:{server.port}/ in ")


def test_the_log_is_saved_as_events_that_wsx_can_send(page, browser, tmp_path):
    page.connect("chat")
    page.send("hello \u202e\x1b[31m")
    page.send("ff 00", "hex")
    page.wait_for_rows(5)
    page.click("connect")
    page.wait_for_rows(6)
    page.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    page.click("save")
    file = tmp_path / "wsx-console.jsonl"
    wait_until(file.exists, what="the file")
    wait_until(lambda: file.read_text().endswith("}\n"), what="its end")
    lines = file.read_text().splitlines()
    assert "\u202e" not in file.read_text() and "\x1b" not in file.read_text()
    events = [json.loads(line) for line in lines]
    assert [event["type"] for event in events] == ["recording", "open", *["message"] * 4, "close"]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", event.pop("time")) for event in events)
    assert events[1]["subprotocol"] == "chat"
    assert events[2] == {
        "type": "message", "direction": "out", "opcode": "text", "bytes": 14, "data": "hello \u202e\x1b[31m"}
    assert events[5] in [
        {"type": "message", "direction": "in", "opcode": "binary", "bytes": 2, "base64": "/wA="}, events[3]]
    assert events[6] == {"type": "close", "direction": "out", "code": 1000, "reason": "", "clean": True}
    # As a recording, the file replays exactly what was sent.
    run = wsx("connect", "-q", "--input", "json", "--output", "json", "echo:", stdin=file.read_bytes())
    assert (run.status, run.err) == (0, "")
    received = [json.loads(line) for line in run.lines]
    assert [event.get("data", event.get("base64")) for event in received if event["type"] == "message"] == [
        "hello \u202e\x1b[31m", "/wA="]


def test_the_log_and_its_entries_can_be_copied(page):
    page.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    page.connect()
    page.send("hello")
    page.send("41 42", "hex")
    page.wait_for_rows(5)
    page.click("show-events")
    page.wait_for_rows(4)
    page.click("copy")
    page.wait_for("document.getElementById('announcer').textContent === 'Copied the log'")
    lines = page.evaluate("navigator.clipboard.readText()", userGesture=True).splitlines()
    assert all(re.match(r"\d\d:\d\d:\d\d\.\d{3} [→←] ", line) for line in lines)
    assert sorted(line[13:] for line in lines) == [
        "← binary  2 B  41 42", "← text  5 B  hello", "→ binary  2 B  41 42", "→ text  5 B  hello"]


def test_the_log_can_be_cleared(page):
    page.connect()
    page.send("hello")
    page.wait_for_rows(3)
    page.click("clear")
    page.wait_for("document.querySelectorAll('.row').length === 0")
    page.wait_for("document.getElementById('traffic').textContent === '↑ 0 · 0 B   ↓ 0 · 0 B'")
    page.send("next")
    assert [row[3] for row in page.wait_for_rows(2)] == ["next", "next"]
