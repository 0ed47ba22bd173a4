"""The page of `wsx listen --console`: its permissions, accessibility, and resistance to hostile peers."""

import base64
import hashlib
import http.client
import json
import re

import pytest

from browser import CONTROL, SHIFT
from console_page import ConsolePage
from processes import Listener, wait_until, wsx
from scripted_server import ScriptedServer
from wire import TEXT, frame

MAXIMUM_ENTRIES = 5000


@pytest.fixture(scope="module")
def server():
    with Listener("--echo", "--console") as server:
        yield server


@pytest.fixture
def page(browser, server):
    """The page. At the end, the browser must not have reported any problem."""
    with ConsolePage(browser, server) as page:
        yield page
        assert page.problems == []


def get(server, target="/"):
    """Returns the head of the answer to a request, and its content."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request("GET", target)
        response = connection.getresponse()
        return response, response.read().decode()
    finally:
        connection.close()


# Permissions


def test_the_policy_contains_the_hashes_of_script_and_style(server):
    response, text = get(server)
    assert response.status == 200
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Referrer-Policy"] == "no-referrer"

    def source(element):
        content, = re.findall(rf"<{element}[^>]*>(.*?)</{element}>", text, re.DOTALL)
        return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"

    policy = dict(part.split(" ", 1) for part in response.headers["Content-Security-Policy"].split("; "))
    assert policy == {
        "default-src": "'none'", "script-src": source("script"), "style-src": source("style"), "img-src": "data:",
        "connect-src": "ws: wss:", "base-uri": "'none'", "form-action": "'none'", "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'", "trusted-types": "'none'",
    }


def test_the_page_loads_nothing_external(server):
    _, text = get(server)
    assert re.findall(r'<[^>]*\s(?:src|href)="(?!data:)', text) == []
    assert "url(" not in text and "@import" not in text
    assert "innerHTML" not in text and "insertAdjacentHTML" not in text and "document.write" not in text


def test_the_browser_enforces_the_policy(browser, server):
    with ConsolePage(browser, server) as page:
        assert page.evaluate("""new Promise(resolve => {
            document.addEventListener("securitypolicyviolation", event => resolve(event.effectiveDirective));
            fetch("/").catch(() => {});
        })""") == "connect-src"
        for sink in ["document.body.innerHTML = '<b>x</b>'", "document.createElement('script').text = 'pwned = 1'"]:
            assert page.evaluate(f"(() => {{ try {{ {sink} }} catch (error) {{ return error.name }} }})()") == "TypeError"
        assert page.evaluate("""new Promise(resolve => {
            document.addEventListener("securitypolicyviolation", event => resolve(event.effectiveDirective));
            const image = document.createElement("img");
            image.src = "/image.png";
            document.body.append(image);
        })""") == "img-src"


def test_the_page_is_served_at_the_root_only_and_takes_precedence_over_files(tmp_path):
    (tmp_path / "index.html").write_text("a file")
    (tmp_path / "other.html").write_text("another file")
    with Listener("--echo", "--console", "--serve", tmp_path) as server:
        assert "<title>wsx console</title>" in get(server)[1]
        assert get(server, "/other.html")[1] == "another file"
    with Listener("--echo") as server:
        assert "wsx console" not in get(server)[1]


def test_a_page_can_connect_to_its_server_at_any_address(server):
    own = ["--host", f"192.0.2.7:{server.port}"]
    assert wsx("connect", *own, "-o", f"http://192.0.2.7:{server.port}", server.url, "hello").out == b"hello\n"
    assert wsx("connect", *own, "-o", f"http://192.0.2.8:{server.port}", server.url, "hello").status == 4


# Accessibility

CONTROLS = """Array.from(document.querySelectorAll("button, input, textarea, [tabindex='0']"))
    .filter(control => control.checkVisibility() && !(control.type === "radio" && !control.checked))
    .map(control => control.id || control.value)"""


def test_every_control_has_a_name(page):
    page.connect()
    page.send("hello")
    page.wait_for_rows(3)
    page.evaluate("document.querySelector('.row').focus()")
    for form in ["text", "json", "file"]:
        page.choose(form)
        nodes = page.call("Accessibility.getFullAXTree")["nodes"]
        roles = {"button", "textbox", "searchbox", "checkbox", "radio", "switch", "combobox", "log", "form", "group"}
        named = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes
                 if not node["ignored"] and node["role"]["value"] in roles]
        assert [role for role, name in named if not name] == []
        assert {"Log", "Connection", "Message", "URL", "Subprotocols", "Filter by text", "Send as", "This entry"} <= {
            name for _, name in named}


def test_the_tab_key_reaches_every_control(page):
    page.evaluate("document.activeElement.blur()")
    page.choose("json")
    expected = page.evaluate(CONTROLS)
    assert len(expected) > 20
    reached = []
    for _ in range(len(expected) + 5):
        page.press("Tab")
        control = page.evaluate("document.activeElement.id || document.activeElement.value || ''")
        if control in reached:
            break
        if control:
            # The focus is visible on the control itself, or on the label that represents it.
            assert page.evaluate("""(() => {
                const control = document.activeElement;
                const shown = control.closest(".tabs label") ?? control;
                return getComputedStyle(shown).outlineStyle === "solid";
            })()"""), control
            reached.append(control)
    # The first Tab continues from the last focused element.
    start = reached.index(expected[0])
    assert reached[start:] + reached[:start] == expected


def test_everything_can_be_done_with_keys(page):
    page.evaluate("document.getElementById('url').focus()")
    page.press("Enter")
    page.wait_for_state("open")
    page.press("Escape")
    assert page.evaluate("document.activeElement.id") == "message"
    for text, modifiers in [("one", 0), ("two", CONTROL)]:
        page.type(text)
        page.press("Enter", modifiers)
        page.wait_for("document.getElementById('message').value === ''")
    page.type("three")
    page.press("Enter", SHIFT)
    page.type("lines")
    page.press("Enter")
    rows = page.wait_for_rows(7)
    assert [row[3] for row in rows if row[1] == "in"] == ["one", "two", "three\nlines"]

    def message():
        return page.evaluate("document.getElementById('message').value")

    page.type("a draft")
    for expected in ["three\nlines", "three\nlines", "two", "one", "one"]:
        page.press("ArrowUp")
        # In the message of two lines, the first press moves the cursor up.
        assert message() == expected
    for expected in ["two", "three\nlines", "a draft"]:
        page.press("ArrowDown")
        assert message() == expected
    page.press("/", CONTROL)
    assert page.evaluate("document.activeElement.id") == "filter"
    page.press("F1")
    page.wait_for("document.getElementById('shortcuts').open")
    page.press("Escape")
    page.wait_for("!document.getElementById('shortcuts').open")


def test_entries_can_be_read_with_keys(page):
    page.connect()
    page.send("x" * 3000)
    page.wait_for_rows(3)
    page.evaluate("document.getElementById('log').focus()")
    page.press("End")
    assert page.evaluate("document.activeElement.matches('.row.in')")
    page.press("ArrowUp")
    assert page.evaluate("document.activeElement.matches('.row.out')")
    page.press("Home")
    assert page.evaluate("document.activeElement.matches('.row.open')")
    page.press("End")
    length = "document.activeElement.querySelector('.data').textContent.length"
    assert page.evaluate(length) < 1100
    page.press("Enter")
    assert page.evaluate(length) == 3000
    page.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Collapse"
    page.press("Enter")
    assert page.evaluate("document.querySelector('.row.in .data').textContent.length") < 1100
    page.evaluate("document.querySelector('.row.in').focus()")
    page.press("e")
    assert page.evaluate("document.activeElement.id") == "message"
    assert page.evaluate("document.activeElement.value") == "x" * 3000


def test_announcements_for_screen_readers_are_limited(page):
    page.connect()
    announced = "document.getElementById('announcer')"
    assert page.evaluate(f"{announced}.getAttribute('role')") == "status"
    assert page.evaluate("document.getElementById('log').getAttribute('aria-live')") == "off"
    page.wait_for(f"{announced}.textContent.startsWith('open: ws://')")
    page.send("hello")
    page.wait_for(f"{announced}.textContent === 'Received: hello'")
    for _ in range(10):
        page.send("more")
    page.wait_for(f"/^\\d+ messages received$/.test({announced}.textContent)")


CONTRASTS = """(() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const light = color => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        const [red, green, blue, alpha] = Array.from(canvas.getImageData(0, 0, 1, 1).data, value => {
            const share = value / 255;
            return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return alpha === 0 ? null : 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const behind = element => light(getComputedStyle(element).backgroundColor) ?? behind(element.parentElement);
    return Array.from(document.querySelectorAll("body *")).filter(element => element.checkVisibility()
        && Array.from(element.childNodes).some(node => node.nodeType === 3 && node.data.trim())).map(element => {
        const [one, other] = [light(getComputedStyle(element).color), behind(element)];
        return [(Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05), element.outerHTML.slice(0, 80)];
    });
})()"""


def test_light_and_dark_mode_follow_the_system_and_the_button(page):
    def background():
        return page.evaluate("getComputedStyle(document.getElementById('log')).backgroundColor")

    page.connect()
    page.send('{"name": ["string", 1, true]}', "json")
    page.send("00", "hex")
    page.send("0g", "hex")
    page.wait_for_rows(5)
    page.wait_for("document.querySelector('.data .literal')")
    page.fill("filter", "1")
    page.click("retries")
    page.wait_for("document.querySelector('.row.open mark') && document.querySelector('.row.in mark')")
    seen = {}
    for scheme in ["light", "dark"]:
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        seen[scheme] = background()
        # WCAG 2.2, 1.4.3: the contrast of text is at least 4.5.
        assert [text for contrast, text in page.evaluate(CONTRASTS) if contrast < 4.5] == []
    assert seen["light"] != seen["dark"]
    for theme, expected in [("light", "light"), ("dark", "dark"), ("auto", "dark")]:
        page.click("theme")
        assert page.text("#theme") == f"Theme: {theme}"
        assert background() == seen[expected]


# The controls lower than a finger needs, except for the buttons of an entry, which a mouse reaches.
LOW = """Array.from(document.querySelectorAll("button, input:not([type=radio]), textarea, .tabs span"))
    .filter(control => control.checkVisibility() && !control.closest("#log"))
    .filter(control => control.getBoundingClientRect().height < 32)
    .map(control => control.id || control.textContent)"""


@pytest.mark.parametrize("width", [320, 360, 390, 768, 1280])
def test_the_page_does_not_scroll_sideways(page, width):
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=780, deviceScaleFactor=1, mobile=False)
    page.connect()
    page.send("x" * 500)
    page.send(" ".join(["00"] * 100), "hex")
    page.send(json.dumps({"list": ["y" * 50] * 10}))
    page.wait_for_rows(7)
    for identifier in ["connection", "tools", "log", "composer"]:
        assert page.evaluate(f"document.getElementById('{identifier}').scrollWidth") <= width, identifier
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.getElementById('log').clientHeight") > 150
    assert page.evaluate(LOW) == []


@pytest.mark.parametrize("width", [360, 390])
def test_the_url_has_its_own_row_on_a_phone(page, width):
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=780, deviceScaleFactor=1, mobile=False)
    beside = page.evaluate("""{
        const row = document.getElementById("url").getBoundingClientRect();
        Array.from(document.querySelectorAll("#connection :is(input, button)"))
            .filter(control => control.getBoundingClientRect().top < row.bottom).map(control => control.id);
    }""")
    assert beside == ["url"]
    assert page.evaluate("document.getElementById('url').offsetWidth") > width - 40


def test_the_buttons_of_an_entry_are_below_it_on_phones(page):
    page.call("Emulation.setDeviceMetricsOverride", width=390, height=780, deviceScaleFactor=1, mobile=True)
    page.connect()
    page.send('{"a": 1}')
    page.wait_for_rows(3)
    page.evaluate("document.querySelector('.row.in').focus()")
    page.wait_for("document.getElementById('entry-copy').checkVisibility()")
    assert page.evaluate("""document.getElementById("actions").getBoundingClientRect().top
        >= document.querySelector(".row.in .data").getBoundingClientRect().bottom""")
    assert page.evaluate("document.getElementById('entry-copy').getBoundingClientRect().height") >= 32


# Hostile peers


def test_thousands_of_messages_per_second_do_not_freeze_the_page(browser):
    count = 20_000
    with Listener("--console", stdin=-1) as server, ConsolePage(browser, server) as page:
        page.connect()
        server.send("".join(json.dumps({"seq": number, "list": [1, 2, 3]}) + "\n" for number in range(count)).encode())
        page.wait_for(f"document.getElementById('traffic').textContent.includes('↓ {count:,} ')", timeout=120)
        # The last message is shown, with a limited number before it.
        page.wait_for("document.getElementById('counts').textContent === '5,000 entries · 15,001 dropped'")
        page.wait_for(f"Array.from(document.querySelectorAll('.row')).at(-1).textContent.includes('{count - 1}')")
        assert page.evaluate("document.querySelectorAll('.row').length") == MAXIMUM_ENTRIES
        page.wait_for("document.getElementById('log').scrollHeight - document.getElementById('log').scrollTop"
                      " - document.getElementById('log').clientHeight < 8")
        assert page.is_pressed("follow")
        # Only rows near the view are highlighted.
        assert page.evaluate("document.querySelectorAll('.data .name').length") < MAXIMUM_ENTRIES
        page.click("clear")
        page.wait_for("document.getElementById('counts').textContent === '0 entries'")
        assert page.problems == []


def test_the_view_can_be_paused(browser):
    with Listener("--console", stdin=-1) as server, ConsolePage(browser, server) as page:
        page.connect()
        server.send(b"before\n")
        page.wait_for_rows(2)
        page.click("pause")
        server.send(b"after\n" * 7000)
        page.wait_for("document.getElementById('counts').textContent === '2 of 5,000 · 5,000 new · 2,002 dropped'")
        assert [row[3] for row in page.rows()[1:]] == ["before"]
        page.click("pause")
        page.wait_for("document.querySelectorAll('.row').length === 5000")
        page.wait_for("document.getElementById('counts').textContent === '5,000 entries · 2,002 dropped'")
        assert page.problems == []


def test_new_messages_do_not_scroll_a_view_that_the_user_moved(browser):
    with Listener("--console", stdin=-1) as server, ConsolePage(browser, server) as page:
        page.connect()
        server.send(b"line\n" * 300)
        page.wait_for("document.querySelectorAll('.row').length === 301")
        page.call("Input.dispatchMouseEvent", type="mouseWheel", x=400, y=300, deltaX=0, deltaY=-2000)
        wait_until(lambda: not page.is_pressed("follow"))
        server.send(b"line\n" * 10)
        page.wait_for("document.querySelectorAll('.row').length === 311")
        assert page.evaluate("document.getElementById('log').scrollHeight - document.getElementById('log').scrollTop"
                             " - document.getElementById('log').clientHeight > 500")
        page.click("latest")
        page.wait_for("document.getElementById('latest').hidden")
        assert page.is_pressed("follow")
        page.wait_for("document.getElementById('log').scrollHeight - document.getElementById('log').scrollTop"
                      " - document.getElementById('log').clientHeight < 8")


HOSTILE = [
    "<img src=x onerror=\"pwned = 1\"><script>pwned = 1</script>",
    '{"<img src=x onerror=pwned=1>": "</span><script>pwned = 1</script>"}',
    "\x1b[31m\x00\x07 \u202eevil\u202c \u2066x\u2069 \u200b\ufeff\U000e0041",
    "Z" + "\u0301" * 1000,
]


def test_hostile_text_is_shown_as_plain_text(browser, server):
    def serve(peer):
        peer.upgrade()
        for text in HOSTILE:
            peer.send(frame(TEXT, text.encode()))
        peer.read_to_end()

    with ScriptedServer(serve) as hostile, ConsolePage(browser, server) as page:
        page.connect(url=hostile.url)
        rows = page.wait_for_rows(1 + len(HOSTILE))
        assert rows[1][3] == HOSTILE[0]
        assert "</span><script>pwned = 1</script>" in rows[2][3]
        assert rows[3][3] == (
            r"\u{1B}[31m\u{0}\u{7} \u{202E}evil\u{202C} \u{2066}x\u{2069} \u{200B}\u{FEFF}\u{E0041}")
        assert page.evaluate("typeof pwned") == "undefined"
        assert page.evaluate("document.querySelectorAll('#log img, #log script').length") == 0
        # Stacked combining marks stay within their row.
        assert page.evaluate("getComputedStyle(document.querySelector('.row')).overflow") == "clip"
        assert page.problems == []


def test_escaped_text_is_decoded_and_joiners_are_text(browser, server):
    def serve(peer):
        peer.upgrade()
        peer.send(frame(TEXT, rb'{"a":"Zo\u00eb\n\u202e\/ \ud83d\udc69\u200d\ud83d\udcbb \ud83d \u0022 \\u0041 a\u200db"}'))
        peer.send(frame(TEXT, "\U0001f469\u200d\U0001f4bb a\u200db \u0645\u06cc\u200c\u062e \u0627\u200c\u0628".encode()))
        peer.read_to_end()

    with ScriptedServer(serve) as peer, ConsolePage(browser, server) as page:
        page.connect(url=peer.url)
        rows = page.wait_for_rows(3)
        assert '"a": "Zo\u00eb\\n\\u202e/ \U0001f469\u200d\U0001f4bb \\ud83d \\u0022 \\\\u0041 a\\u200db"' in rows[1][3]
        assert rows[2][3] == "\U0001f469\u200d\U0001f4bb a\\u{200D}b \u0645\u06cc\u200c\u062e \u0627\\u{200C}\u0628"
        assert page.problems == []


def test_a_long_line_is_truncated_and_shown_on_demand(page):
    page.connect()
    page.evaluate("""{
        document.getElementById("message").value = "x".repeat(1 << 20);
        document.getElementById("send").click();
    }""")
    rows = page.wait_for_rows(3)
    assert rows[2][2] == "1,048,576 B"
    assert rows[2][3] == "x" * 1000 + "… show all 1.0 MiB"
    page.evaluate("document.querySelector('.row.in').focus()")
    page.evaluate("document.querySelector('.row.in button.rest').click()")
    page.wait_for("document.querySelector('.row.in .data').textContent.length === 1 << 20")
    page.click("entry-expand")
    page.wait_for("document.querySelector('.row.in .data').textContent.length < 2000")
