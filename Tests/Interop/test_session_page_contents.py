"""What the session page shows of a message and of a handshake: decoded data, matches, beginnings, and paper."""

import base64
import json
import random

import pytest

from processes import wsx
from session_page import SessionPage, at, binary, message, opening, write


def encoded(value):
    """JSON in unpadded Base64 of the URL-safe alphabet."""
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def jwt(**claims):
    return f"{encoded({'alg': 'HS256'})}.{encoded(claims)}.c2lnbmF0dXJl"


# Numbers


def test_numbers_are_those_of_the_whole_recording(browser, tmp_path):
    """The prompt numbers the messages of all clients, without pings."""
    path = write(tmp_path, [
        {"type": "recording", "time": at(0)}, opening(client=1), opening(client=2),
        message(1, "in", "one", client=1), message(2, "in", "two", client=2), message(3, "out", "three"),
        {"type": "ping", "time": at(4), "direction": "in", "bytes": 0, "data": "", "client": 1},
        message(5, "in", "four", client=1)])
    with SessionPage(browser, path) as page:
        assert [(row[0], row[2]) for row in page.rows()] == [
            (0, "open wss://h.example/chat"), (1, "one"), (3, "three"), (0, "ping "), (4, "four")]
        page.select(4)
        assert page.text("title").startswith("#4 ")
        assert page.text("times").endswith("1.00\xa0s after ping")


def test_what_a_relay_did_to_a_message_is_marked(browser, tmp_path):
    path = write(tmp_path, [
        opening(client=1), message(1, "in", "a", client=1, edited=True), message(2, "in", "b", client=1, dropped=True),
        message(3, "in", '","edited":true', client=1), message(4, "out", "c", client=1, injected=True)])
    with SessionPage(browser, path) as page:
        assert [row[2] for row in page.rows()[1:]] == ["edited a", "dropped b", '","edited":true', "injected c"]
        page.select(1)
        assert page.text("title") == "#1 → sent, text, 1 Bedited"
        assert page.problems == []


# Handshakes


HANDSHAKE = opening(
    subprotocol="chat", status=101, address="127.0.0.1:9",
    request_headers={"host": ["h.example"], "cookie": ["id=secret-1"]},
    headers={"upgrade": ["websocket"], "set-cookie": ["a=secret-2", "b=secret-3"], "x-\u202e": ["line\u202e"]},
    timings={"lookup_us": 1200, "connect_us": 310, "tls_us": 3200, "upgrade_us": 2290, "total_us": 7000},
    tls={"version": "TLSv1.3", "cipher": "TLS_AES_128_GCM_SHA256", "resumed": False})


def test_the_handshake_is_shown_without_secrets(browser, tmp_path):
    path = write(tmp_path, [HANDSHAKE, message(1, "in", "hello")])
    assert "secret-" not in path.read_text()
    with SessionPage(browser, path) as page:
        page.select_event(0)
        assert page.text("data").replace("\xa0", " ").splitlines() == [
            "wss://h.example/chat",
            "Times: lookup 1.20 ms, connect 310 us, TLS 3.20 ms, upgrade 2.29 ms, total 7.00 ms",
            "Address: 127.0.0.1", "TLS: TLSv1.3, TLS_AES_128_GCM_SHA256", "",
            "Request", "cookie: •••", "host: h.example", "",
            "Response 101", "set-cookie: •••", "set-cookie: •••", "upgrade: websocket"]
        page.search("upgrade: websocket")
        assert [row[0] for row in page.rows()] == [0]
        assert page.problems == []


def test_a_handshake_without_header_fields_says_so(browser, tmp_path):
    with SessionPage(browser, write(tmp_path, [opening()])) as page:
        page.select_event(0)
        assert page.text("data").splitlines() == [
            "wss://h.example/chat", "", "Request", "The header fields were not recorded.", "",
            "Response 101", "The header fields were not recorded."]


def test_a_har_file_has_requests_and_times(browser, tmp_path):
    fields = {"request": [("User-Agent", "Test"), ("Authorization", "Bearer secret-4"), (":method", "GET")],
              "response": [("Server", "a")]}
    entry = {"_resourceType": "websocket", "startedDateTime": at(0), "_webSocketMessages": [],
             "request": {"url": "wss://a.example/"}, "response": {"status": 101}}
    # Connecting includes TLS, and -1 is unknown.
    entry["timings"] = {"dns": -1, "connect": 5, "ssl": 3.5, "wait": 2, "receive": 100, "comment": "none"}
    for side, pairs in fields.items():
        entry[side]["headers"] = [{"name": name, "value": value} for name, value in pairs]
    source, path = tmp_path / "x.har", tmp_path / "x.html"
    source.write_text(json.dumps({"log": {"version": "1.2", "creator": {}, "entries": [entry]}}))
    assert wsx("convert", source, path).status == 0
    assert "secret-4" not in path.read_text()
    with SessionPage(browser, path) as page:
        page.select_event(0)
        assert page.text("data").replace("\xa0", " ").splitlines()[1:] == [
            "Times: connect 1.50 ms, TLS 3.50 ms, upgrade 2.00 ms, total 7.00 ms", "",
            "Request", "authorization: •••", "user-agent: Test", "", "Response 101", "server: a"]


# Data inside values


def test_data_inside_values_is_decoded_as_by_inspect(browser, tmp_path):
    inner = {"list": [1, {"at": 1577836800.25}]}
    value = {
        "token": jwt(sub="ann", exp=1577836800), "session": jwt(exp=4000000000), "s": 1577836800, "ms": 1577836800123,
        "ns": "1577836800123456789", "small": 157783680, "word": "informationtechnology",
        "inner": json.dumps(inner), "bytes": base64.b64encode(bytes(range(24))).decode(),
        "text": base64.b64encode(b"<b>Hello</b> hello").decode(), "a b": [True, "[]"]}
    with SessionPage(browser, write(tmp_path, [opening(), message(1, "in", value), message(2, "in", jwt(sub="x")),
                                               message(3, "in", "hello"), binary(4, "in", b"{}")])) as page:
        page.select(1)
        lines = page.embedded()
        token = '.token JSON Web Token, not verified{"alg": "HS256"}{"sub": "ann", "exp": 1577836800}'
        assert lines[:2] == ["10 decoded values", lines[1]]
        assert lines[1].startswith(f"{token}expired 2020-01-01T00:00:00.000000Z, ") and lines[1].endswith(" d ago")
        assert "expires 2096-10-02T07:06:40.000000Z, in " in lines[2]
        assert [line.split(",")[0] for line in lines[3:6]] == [
            ".s 2020-01-01T00:00:00.000000Z", ".ms 2020-01-01T00:00:00.123000Z", ".ns 2020-01-01T00:00:00.123456Z"]
        assert lines[6] == '.inner JSON{"list": [1, {"at": 1577836800.25}]}'
        assert lines[7].startswith(".inner → .list[1].at 2020-01-01T00:00:00.250000Z")
        assert lines[8] == ".bytes Base64, 24 B00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f …"
        assert lines[9] == ".text Base64, 18 B<b>Hello</b> hello"
        assert lines[10] == '."a b"[1] JSON[]'
        page.select(2)
        assert page.embedded() == ["1 decoded value", 'JSON Web Token, not verified{"alg": "HS256"}{"sub": "x"}']
        for number in (3, 4):
            page.select(number)
            assert page.embedded() == []
        assert page.problems == []


def test_only_so_many_values_are_decoded(browser, tmp_path):
    with SessionPage(browser, write(tmp_path, [opening(), message(1, "in", [1577836800] * 101)])) as page:
        page.select(1)
        assert len(page.embedded()) == 102 and page.embedded()[-1] == "… the rest is not decoded"


# Regular expressions


TEXTS = ["aaab", "foo bar food foo", "aXbYb", "c12 a1", "xxxy y", "a😀b😀", "ABab", "x]é Ü", "line\nline b", "aaaa",
         '"abc" "d"', "tick 11.50"]
PATTERNS = [
    "a+b", "^a|b$", "a{2,3}", "(?:ab|a)c*", r"\bfoo\b", r"[a-c]\d+", "x*?y", "a.*?b", "(a*)*b", "(?<n>ab)+", r"\u0041",
    r"[\]x]", "é|ü", r"\p{L}+", r"\d+\.\d", r"a\B", ".{3}", "(|a)b", "😀", '[^"]+"', "a{2}", "(x+x+)+y", r"\s", "$^"]


@pytest.fixture(scope="module")
def texts(browser, tmp_path_factory):
    events = [message(number, "in", text) for number, text in enumerate(TEXTS, start=1)]
    with SessionPage(browser, write(tmp_path_factory.mktemp("texts"), events)) as page:
        page.click("regex")
        yield page
        assert page.problems == []


@pytest.mark.parametrize("pattern", PATTERNS, ids=range(len(PATTERNS)))
def test_expressions_have_the_meaning_of_the_browser(texts, pattern):
    expected = texts.evaluate(f"""{json.dumps(TEXTS)}.flatMap((text, index) => {{
        const pattern = new RegExp({json.dumps(pattern)}, "giu");
        if (text.search(pattern) < 0) return [];
        // A row is one line.
        const matches = Array.from(text.replaceAll("\\n", " ").matchAll(pattern), match => match[0]);
        return [[index + 1, ...matches.filter(Boolean)]];
    }})""")
    texts.search(pattern)
    found = texts.evaluate("""Array.from(document.querySelectorAll(".row"), row => [
        Number(row.querySelector(".number").textContent),
        ...Array.from(row.querySelectorAll("mark"), mark => mark.textContent)])""")
    assert found == expected


@pytest.mark.parametrize("pattern, problem", [
    ("(tick", "Unterminated group"), ("[", "Unterminated character class"), ("*", "Nothing to repeat"),
    ("(?=t)", "Only groups of the form (?: or (?<name> are supported"), (r"(t)\1", r"\1 is not supported"),
    ("(?:a{999}){999}", "It is too long")], ids=["group", "class", "repeat", "ahead", "reference", "long"])
def test_an_invalid_expression_is_reported_and_changes_nothing(texts, pattern, problem):
    texts.search("tick")
    texts.search(pattern)
    assert texts.text("problem") == f"Invalid regular expression: {problem}"
    assert texts.evaluate("document.getElementById('filter').ariaInvalid") == "true"
    assert [row[0] for row in texts.rows()] == [len(TEXTS)]
    texts.search("tick")
    assert texts.text("problem") == ""


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*z", "a*a*a*a*a*z"])
def test_no_expression_takes_exponential_time(browser, tmp_path, pattern):
    with SessionPage(browser, write(tmp_path, [opening(), message(1, "in", "a" * 100_000 + "!")])) as page:
        page.click("regex")
        page.search(pattern)
        assert page.rows() == []


def test_the_page_says_that_long_messages_are_searched_only_at_the_beginning(browser, tmp_path):
    text = "x" * (4 << 20)
    path = write(tmp_path, [opening(), message(1, "in", text + "end"), message(2, "in", "end")])
    with SessionPage(browser, path) as page:
        page.search("end")
        assert [row[0] for row in page.rows()] == [2]
        assert page.text("counts") == "1 of 3, 1 searched only at the beginning"
        page.search("xxx")
        assert [row[0] for row in page.rows()] == [1]


def test_the_page_says_that_an_expression_with_many_steps_has_not_seen_all(browser, tmp_path):
    # The letters have no order, so each leads to a new state.
    bits = "".join(random.Random(1).choices("ab", k=1 << 20))
    with SessionPage(browser, write(tmp_path, [opening(), message(1, "in", bits), message(2, "in", "a")])) as page:
        page.click("regex")
        page.search("[ab]*a.{900}z")
        assert page.text("counts") == "0 of 3, 1 searched only at the beginning"


# Long messages


@pytest.mark.parametrize("text", [
    '"' * 200_000, "\\" * 200_001, "\x01" * 200_000, "é" * 200_000, "a" + "😀" * 100_000, "<" * 200_000,
    "\\u0" * 70_000], ids=["quote", "backslash", "control", "accent", "emoji", "markup", "escape"])
def test_a_long_message_is_shown_from_its_beginning_and_copied_whole(browser, tmp_path, text):
    with SessionPage(browser, write(tmp_path, [opening(), message(1, "in", text)])) as page:
        page.evaluate("""navigator.clipboard.writeText = async text => { window.copied = text; }""")
        page.select(1)
        shown = page.evaluate("document.getElementById('data').firstChild.textContent").replace("\\u{1}", "\x01")
        assert 1000 < len(shown) < len(text) and text.startswith(shown)
        total = f"… {len(text.encode()):,} B in total; Save and Copy have all of it"
        assert page.evaluate("document.querySelector('#data .rest').textContent") == total
        for _ in range(2):
            page.evaluate("document.querySelector('.more')?.click()")
        assert page.text("data").replace("\\u{1}", "\x01").startswith(text)
        page.click("copy")
        assert page.evaluate(f"window.copied === {json.dumps(text)}")
        assert page.problems == []


def test_a_long_binary_message_is_shown_from_its_beginning(browser, tmp_path):
    data = bytes(range(256)) * 1000
    with SessionPage(browser, write(tmp_path, [opening(), binary(1, "in", data)])) as page:
        page.evaluate("""navigator.clipboard.writeText = async text => { window.copied = text; }""")
        page.select(1)
        lines = page.text("data").splitlines()
        assert lines[1].startswith("0010  10 11 12 13") and len(lines) < 1000
        page.click("copy")
        assert page.evaluate("window.copied") == data.hex(" ")
        page.evaluate("document.querySelector('.more').click()")
        assert len(page.text("data").splitlines()) > len(lines)
        assert page.evaluate("document.activeElement.id") == "content"


def test_long_json_is_indented(browser, tmp_path):
    with SessionPage(browser, write(tmp_path, [opening(), message(1, "in", list(range(200_000)))])) as page:
        page.select(1)
        assert page.text("data").startswith("[\n  0,\n  1,\n")


# Paper


def test_all_filtered_rows_are_printed(browser, tmp_path):
    events = [message(number / 10, "in", f"{number} {'odd' if number % 2 else 'even'}") for number in range(5002)]
    with SessionPage(browser, write(tmp_path, events), is_dark=True) as page:
        count = len(page.rows())
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert len(page.shown_rows()) == 5000
        assert page.text("unprinted") == "2 more rows are not printed."
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        page.wait_for_rows()
        assert len(page.rows()) == count
        page.search("odd")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.shown_rows() == [f"{number} odd" for number in range(1, 5002, 2)]
        assert page.text("unprinted") == ""
        page.call("Emulation.setEmulatedMedia", media="print")
        # The list has the height of its rows, one below the other, on white paper.
        assert page.evaluate("""{
            const rows = Array.from(document.querySelectorAll(".row"), row => row.getBoundingClientRect());
            rows.every((row, index) => row.height > 10 && (index === 0 || row.top >= rows[index - 1].bottom))
                && document.getElementById("list").getBoundingClientRect().height > 2500 * 15;
        }""")
        assert sum(page.colors("body")[1]) > 700
        assert page.problems == []
