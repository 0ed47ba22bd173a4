"""The session page of `wsx convert`: the file, and the page it shows in a browser."""

import base64
import hashlib
import json
import re

import pytest

from browser import SHIFT
from processes import assert_fails, wsx
from session_page import SessionPage, at, binary, message, opening, write

LARGE = 100_000
CONTROLS = re.compile("[<>&\u2028\u2029]")


def scripts(path):
    """The JSON of the facts and of the events in the file."""
    contents = re.findall(r'<script type="application/json" class="(\w+)">(.*?)</script>', path.read_text(), re.DOTALL)
    assert not any(CONTROLS.search(content) for _, content in contents)
    return [(kind, json.loads(content)) for kind, content in contents]


SMALL = [
    {"type": "recording", "time": at(0)},
    opening(subprotocol="chat", status=101, address="127.0.0.1:9"),
    message(1, "out", {"id": 1, "method": "login", "user": "ann"}),
    message(1.0125, "in", {"id": 1, "result": {"ok": True}}),
    message(2, "in", {"type": "tick", "symbol": "A", "price": 10, "tags": ["x", "y"]}),
    message(3, "in", {"type": "tick", "symbol": "B", "price": 1}),
    message(4, "in", {"type": "tick", "symbol": "A", "price": 11.5, "tags": ["x", "z", "y"], "new": 12345678901234567890}),
    binary(5, "in", bytes(range(40))),
    {"type": "ping", "time": at(6), "direction": "in", "bytes": 2, "data": "hi"},
    {"type": "pong", "time": at(6.001), "direction": "out", "bytes": 2, "data": "hi"},
    {"type": "close", "time": at(8), "direction": "in", "code": 1001, "reason": "bye", "clean": True},
]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return write(tmp_path_factory.mktemp("small"), SMALL)


@pytest.fixture
def page(browser, small):
    """A page of a few messages. At the end, the browser must not have reported any problem."""
    with SessionPage(browser, small) as page:
        yield page
        assert page.problems == []
        assert page.requests == [small.as_uri()]


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A page of many messages, one per millisecond."""
    events = [opening()]
    for number in range(LARGE):
        direction = "out" if number % 4 == 0 else "in"
        events.append(message(number / 1000, direction, {"type": f"t{number % 3}", "number": number}))
    return write(tmp_path_factory.mktemp("large"), events)


# The file


def test_the_file_contains_each_event_in_order(small):
    assert scripts(small) == [
        ("connection", {
            "url": "wss://h.example/chat", "start_us": 1777636800000000, "status": 101, "subprotocol": "chat",
            "address": "127.0.0.1", "sent": 1, "received": 5}),
        ("events", [
            [0, "in open", 0, 0, "wss://h.example/chat"],
            *[[round(float(event["time"][-10:-1]) * 1e6), f"{event['direction']} text", number, len(event["data"]),
               event["data"]] for number, event in enumerate(SMALL[2:7], start=1)],
            [5_000_000, "in binary", 6, 40, base64.b64encode(bytes(range(40))).decode()],
            [6_000_000, "in ping", 0, 2, "aGk="], [6_001_000, "out pong", 0, 2, "aGk="],
            [8_000_000, "in close", 0, 1001, "bye"]])]


def test_the_file_is_private_and_loads_nothing_external(small):
    text = small.read_text()
    assert small.stat().st_mode & 0o777 == 0o600
    assert re.findall(r'<[^>]*\s(?:src|href)="(?!data:)', text) == []
    style, = re.findall("<style>(.*?)</style>", text, re.DOTALL)
    assert "url(" not in style and "@import" not in style and "innerHTML" not in text

    def source(pattern):
        content, = re.findall(pattern, text, re.DOTALL)
        return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"

    policy, = re.findall(r'<meta http-equiv="Content-Security-Policy" content="(.*?)">', text)
    assert dict(part.split(" ", 1) for part in policy.split("; ")) == {
        "default-src": "'none'", "script-src": source(r'<script type="module">(.*?)</script>'),
        "style-src": source("<style>(.*?)</style>"), "img-src": "data:", "base-uri": "'none'", "form-action": "'none'",
        "require-trusted-types-for": "'script'", "trusted-types": "'none'"}


def test_the_page_without_its_messages_is_small(small):
    assert small.stat().st_size < 170_000


def test_secrets_are_masked(tmp_path):
    path = write(tmp_path, [
        opening(url="wss://u:pw-1@h.example/?access_token=tok-2", headers={"Set-Cookie": ["id=cookie-3"]})])
    text = path.read_text()
    assert "h.example" in text
    assert not any(secret in text for secret in ["pw-1", "tok-2", "cookie-3"])


def test_an_existing_file_is_not_replaced(tmp_path, small):
    path = tmp_path / "x.html"
    path.write_text("mine")
    assert_fails(wsx("convert", small.parent / "session.jsonl", path), 2, "x.html: file already exists")
    assert path.read_text() == "mine"


def test_an_invalid_recording_leaves_no_file(tmp_path):
    source = tmp_path / "session.jsonl"
    source.write_text(json.dumps(opening()) + "\n{\"type\":\n")
    assert_fails(wsx("convert", source, tmp_path / "x.html"), 2, "line 2")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["session.jsonl"]


def test_a_page_is_not_an_input(small, tmp_path):
    assert_fails(wsx("convert", small, tmp_path / "x.har"), 2, "neither a HAR file nor a recording")


# The page


def test_the_page_shows_the_facts(page):
    assert page.text("url") == "wss://h.example/chat"
    facts = {name: value.replace("\xa0", " ") for name, value in page.facts().items()}
    assert facts.pop("Started").startswith("2026-05-0")
    assert facts == {
        "Duration": "8.00 s", "Sent": "1 · 43 B", "Received": "5 · 280 B",
        "Replies": "1 · median 12.5 ms · longest 12.5 ms", "Subprotocol": "chat", "Address": "127.0.0.1",
        "Closed": "1001 going away: “bye”"}


def test_the_list_shows_each_event(page):
    page.wait_for("document.querySelector('.latency:not(:empty)')")
    rows = page.rows()
    assert [row[:2] for row in rows] == [
        [0, "in"], [1, "out"], [2, "in"], [3, "in"], [4, "in"], [5, "in"], [6, "in"], [0, "in"], [0, "out"], [0, "in"]]
    assert rows[0][2] == "open wss://h.example/chat"
    assert rows[1][2:] == ['{"id": 1, "method": "login", "user": "ann"}', "", "43 B"]
    assert rows[2][2:] == ['{"id": 1, "result": {"ok": true}}', "12.5 ms", f"{len(SMALL[3]['data'])} B"]
    assert rows[6][2].startswith("00 01 02 03") and rows[6][4] == "40 B"
    assert [row[2] for row in rows[7:]] == ["ping hi", "pong hi", "close 1001 going away: “bye”"]


def test_a_message_is_shown_with_its_changes_and_relations(page):
    page.wait_for("document.querySelector('.latency:not(:empty)')")
    page.select(5)
    assert page.text("title") == "#5 ← received, text, 100 B"
    assert page.links() == ["Previous of its kind #3"]
    assert page.changes() == [
        "3 changes since #3", ".price 10 → 11.5", '+.tags[1] "z"', "+.new 12345678901234567890"]
    assert page.text("data").startswith('{\n  "type": "tick",\n  "symbol": "A",\n  "price": 11.5,')
    page.select(2)
    assert page.links() == ["Reply to #1 after 12.5 ms"]
    page.press_keys("r")
    assert page.selected() == 1 and page.links() == ["Reply #2 after 12.5 ms"]
    page.press_keys("r")
    assert page.selected() == 2


def test_messages_can_be_shown_as_they_are_and_in_hex(page):
    page.select(2)
    for form, text in [("raw", SMALL[3]["data"]), ("hex", "0000  7b 22 69 64 22 3a 20 31  2c 20")]:
        page.show_as(form)
        assert page.text("data").startswith(text)
    page.select(6)
    assert page.text("data").splitlines()[1].startswith("0010  10 11 12 13")
    page.press_keys("Escape")
    assert page.selected() is None


def test_an_image_is_shown(browser, tmp_path):
    png = base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
    with SessionPage(browser, write(tmp_path, [opening(), binary(1, "in", png)])) as page:
        page.select(1)
        page.wait_for("document.querySelector('#data img')?.naturalWidth === 1")
        assert page.text("data") == "PNG image, 1 × 1"
        assert page.problems == []


@pytest.mark.parametrize("button, hidden", [
    ("show-out", [1]), ("show-in", [2, 3, 4, 5, 6]), ("show-text", [1, 2, 3, 4, 5]), ("show-binary", [6]),
    ("show-events", [0, 0, 0, 0])])
def test_a_button_hides_a_kind(page, button, hidden):
    page.click(button)
    assert [row[0] for row in page.rows()] == [
        number for number in [0, 1, 2, 3, 4, 5, 6, 0, 0, 0] if number not in hidden]
    assert page.text("counts") == f"{10 - len(hidden)} of 10"
    page.click(button)
    assert page.text("counts") == "10 in total"


@pytest.mark.parametrize("words, found", [
    ("TICK", [3, 4, 5]), ('"symbol":"B"', [4]), ("bye", [0]), ("0e 0f 10", [6]), ("nothing", [])])
def test_the_search_has_the_meaning_of_the_console(page, words, found):
    page.search(words)
    assert [row[0] for row in page.rows()] == found
    assert page.evaluate("document.getElementById('empty').hidden") == bool(found)
    page.press_keys("Escape")
    assert len(page.rows()) == 10


def test_a_part_of_the_timeline_can_be_selected_with_keys_and_pointer(page):
    page.evaluate("document.getElementById('timeline').focus()")
    page.press_keys("End")
    assert page.selected() == "← close, received"
    page.press_keys("Home")
    assert page.selected() == "← handshake"
    page.press_keys("PageUp", "PageUp", modifiers=SHIFT)
    assert [row[0] for row in page.rows()] == [0, 1, 2]
    page.press_keys("Escape")
    assert len(page.rows()) == 10
    box = page.evaluate("JSON.parse(JSON.stringify(document.getElementById('timeline').getBoundingClientRect()))")
    y = box["y"] + 30
    for kind, share in [("mousePressed", 0.4), ("mouseMoved", 0.5), ("mouseReleased", 0.7)]:
        if kind == "mouseReleased":
            page.call("Input.dispatchMouseEvent", type="mouseMoved", x=box["x"] + share * box["width"], y=y, buttons=1)
        page.call("Input.dispatchMouseEvent", type=kind, x=box["x"] + share * box["width"], y=y, button="left",
                  buttons=0 if kind == "mouseReleased" else 1, clickCount=1)
    page.wait_for_rows()
    assert [row[0] for row in page.rows()] == [5, 6]
    page.click("range")
    assert len(page.rows()) == 10


def test_keys_reach_everything(page):
    page.press_keys("?")
    assert page.evaluate("document.getElementById('shortcuts').open")
    page.press_keys("Escape")
    assert not page.evaluate("document.getElementById('shortcuts').open")
    page.press_keys("/")
    assert page.evaluate("document.activeElement.id") == "filter"
    page.type("tick")
    page.wait_for_rows()
    page.press_keys("Enter")
    assert (page.evaluate("document.activeElement.id"), page.selected()) == ("list", 3)
    page.press_keys("n")
    assert page.selected() == 5
    page.press_keys("p", "Enter")
    assert (page.evaluate("document.activeElement.id"), page.selected()) == ("content", 3)
    assert page.evaluate("""Array.from(document.querySelectorAll("#list [aria-selected=true]"), row => row.id)""") == [
        page.evaluate("document.getElementById('list').getAttribute('aria-activedescendant')")]


# Several connections


def test_connections_can_be_chosen_or_shown_together(browser, tmp_path):
    events = []
    for client in (1, 2):
        events += [opening(url="/chat", client=client), message(client, "in", f"hello from {client}", client=client)]
    events += [message(1.5, "in", "again from 1", client=1),
               {"type": "close", "time": at(3), "direction": "in", "code": 1000, "reason": "", "client": 2}]
    with SessionPage(browser, write(tmp_path, events)) as page:
        assert [row[2] for row in page.rows()[1:]] == ["hello from 1", "again from 1"]
        assert page.connections() == [
            ["All", "", "", "2"], ["client 1", "→2 ←0", "/chat", ""],
            ["client 2", "→1 ←0", "/chat", "1000 normal closure"]]
        page.choose(2)
        assert [row[:3] for row in page.rows()] == [
            [0, "in", "open /chat"], [2, "out", "hello from 2"], [0, "out", "close 1000 normal closure"]]
        page.press_keys("ArrowUp", "ArrowUp", "Enter")
        assert page.text("url") == "All connections" and page.text("counts") == "6 in total"
        assert [row[2] for row in page.rows()[2:5]] == [
            "client 1 hello from 1", "client 1 again from 1", "client 2 hello from 2"]
        page.select(2)
        assert page.text("times").endswith("2.00\xa0s after open")
        assert page.problems == []


def test_one_of_several_connections_can_be_converted(tmp_path):
    events = [opening(), message(1, "in", "first"), opening(2), message(3, "in", "second")]
    path = write(tmp_path, events, "--connection", "2")
    # The number is that of the recording.
    assert [content[1][2:] for kind, content in scripts(path) if kind == "events"] == [[2, 6, "second"]]


def test_a_har_file_becomes_a_page_with_all_connections(browser, tmp_path):
    def entry(url, data):
        return {"_resourceType": "websocket", "startedDateTime": "2026-01-01T00:00:00Z", "request": {"url": url},
                "response": {"status": 101, "headers": [{"name": "Sec-WebSocket-Protocol", "value": "chat"}]},
                "_webSocketMessages": [
                    {"type": "send", "time": 1767225600.5, "opcode": 1, "data": data},
                    {"type": "receive", "time": 1767225601, "opcode": 2, "data": "AQI="}]}

    source = tmp_path / "session.har"
    source.write_text(json.dumps({"log": {"version": "1.2", "creator": {}, "entries": [
        entry("wss://a.example/?token=secret-1", "one"), entry("wss://b.example/", "two")]}}))
    result = wsx("convert", source, tmp_path / "x.html")
    assert (result.status, result.err) == (0, "")
    assert "secret-1" not in (tmp_path / "x.html").read_text()
    with SessionPage(browser, tmp_path / "x.html") as page:
        assert [row[:3] for row in page.rows()] == [
            [0, "in", "open wss://a.example/?token=•••"], [1, "out", "one"], [2, "in", "01 02"]]
        assert page.facts()["Subprotocol"] == "chat"
        assert page.problems == []


# Many messages


def test_a_page_of_many_messages_can_be_read_searched_and_filtered(browser, large):
    with SessionPage(browser, large) as page:
        assert page.text("counts") == f"{LARGE + 1:,} in total"
        assert len(page.rows()) < 100
        page.press_keys("End")
        assert page.selected() == LARGE
        assert page.rows()[-1][:3] == [LARGE, "in", '{"type": "t0", "number": 99999}']
        page.press_keys("Home", "ArrowDown", "PageDown")
        assert 10 < page.selected() < 100
        page.search("99998")
        assert [row[0] for row in page.rows()] == [LARGE - 1]
        page.press_keys("Enter")
        page.wait_for("document.querySelector('#changes li')?.textContent.includes('99998')")
        assert page.changes() == [f"1 change since #{LARGE - 4}", ".number 99995 → 99998"]
        page.search("")
        assert page.text("counts") == f"{LARGE + 1:,} in total"
        # The selected message is still in view.
        assert LARGE - 1 in [row[0] for row in page.rows()]
        page.click("show-in")
        assert page.text("counts") == f"{LARGE // 4 + 1:,} of {LARGE + 1:,}"
        assert page.problems == []
        assert page.requests == [large.as_uri()]


@pytest.mark.heavy
def test_a_list_beyond_the_height_that_browsers_allow_can_be_scrolled(browser, tmp_path):
    events = [opening()] + [message(0, "in", str(number)) for number in range(400_000)]
    with SessionPage(browser, write(tmp_path, events)) as page:
        page.press_keys("End")
        assert page.rows()[-1][2] == "399999"
        page.evaluate("document.getElementById('list').scrollTop = document.getElementById('list').scrollHeight / 2")
        page.wait_for_rows()
        assert abs(page.rows()[0][0] - 200_000) < 100


# Hostile contents


HOSTILE = [
    "</script><script>document.title='pwned'</script>", "<!--<script>", "<img src=x onerror=alert(1)>",
    "a\u202e\u2066b\u200bc", "nul \0 and \x1b[31m", "\u2028line\u2029ends",
    '{"half": "\\ud800", "n": 1e400, "a": "\\u0000"}',
    "[" * 5000 + "]" * 5000, "x" * 3_000_000, '{"k":"' + "y" * 100_000 + '"}', "", " ", "\n" * 100_000,
    '{"__proto__": 1}',
]


def test_hostile_messages_are_only_text(browser, tmp_path):
    path = write(tmp_path, [
        opening(url="wss://h.example/</script>", subprotocol="</dd><b>x"),
        *[message(1 + number, "in", text) for number, text in enumerate(HOSTILE)],
        {"type": "close", "time": at(99), "direction": "in", "code": 1006, "reason": "</p>\u202e", "clean": False}])
    with SessionPage(browser, path) as page:
        assert page.evaluate("document.title").startswith("wsx session ")
        assert len(page.rows()) == len(HOSTILE) + 2
        assert page.evaluate("document.querySelectorAll('#list :is(script, img, b), #facts b').length") == 0
        for index in range(len(HOSTILE) + 2):
            page.select_event(index)
            assert page.selected() == {0: "← handshake", len(HOSTILE) + 1: "← close, received"}.get(index, index)
        assert page.facts()["Closed"] == "1006 no close frame: “</p>\\u{202E}”" or "1006" in page.facts()["Closed"]
        page.select(4)
        assert page.text("data") == "a\\u{202E}\\u{2066}b\\u{200B}c"
        page.select(5)
        assert page.text("data") == "nul \\u{0} and \\u{1B}[31m"
        # The message is marked, and the row shows the surroundings of a match.
        page.search("pwned")
        assert "pwned" in page.rows()[0][2] and len(page.rows()) == 1
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
        assert page.problems == []
        assert page.requests == [path.as_uri()]


# Looks


@pytest.mark.parametrize("width", [360, 390, 700, 1280])
def test_the_page_needs_no_horizontal_scrolling(browser, small, width):
    with SessionPage(browser, small, width=width) as page:
        for _ in range(2):
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            beyond = page.evaluate("""Array.from(document.querySelectorAll("button, .row, #facts dd, #timeline svg"))
                .filter(element => element.checkVisibility() && element.getBoundingClientRect().right > innerWidth)
                .map(element => element.outerHTML)""")
            assert beyond == []
            page.select(5)
        assert page.problems == []


def test_a_narrow_page_shows_the_list_or_the_message(browser, small):
    with SessionPage(browser, small, width=390) as page:
        def top():
            return page.evaluate("""{
                const box = document.querySelector("main").getBoundingClientRect();
                document.elementFromPoint(box.x + 100, box.y + 60).closest("#list, #message").id;
            }""")

        assert top() == "list"
        page.select(2)
        assert top() == "message"
        page.click("close")
        assert top() == "list"
        assert page.evaluate("document.activeElement.id") == "list"


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
def test_texts_have_contrast(browser, small, is_dark):
    def luminance(color):
        parts = [part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in color]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))

    with SessionPage(browser, small, is_dark=is_dark) as page:
        page.wait_for("document.querySelector('.latency:not(:empty)')")
        page.select(5)
        for selector in ["#url", "#facts dt", "#counts", ".row .time", ".row .direction", ".row .name",
                         ".latency:not(:empty)", "#times", "#relations button", "#changes del",
                         "#changes ins", "#data .literal", "#hint"]:
            low, high = sorted(luminance(color) for color in page.colors(selector))
            assert (high + 0.05) / (low + 0.05) >= 4.5, selector
        page_color = page.colors("body")[1]
        assert (sum(page_color) < 200) == is_dark
