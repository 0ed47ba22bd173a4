"""The session page, which `wsx convert` writes, in a browser, as its users see it."""

import base64
import json
import re

from browser import Page
from processes import wait_until, wsx


def at(seconds):
    """The time of an event, in seconds since the connection was opened."""
    return f"2026-05-01T12:{int(seconds // 60):02}:{seconds % 60:09.6f}Z"


def opening(seconds=0, **members):
    return {"type": "open", "time": at(seconds), "url": "wss://h.example/chat", **members}


def message(seconds, direction, data, **members):
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return {"type": "message", "time": at(seconds), "direction": direction, "opcode": "text", "data": text, **members}


def binary(seconds, direction, data):
    return {"type": "message", "time": at(seconds), "direction": direction, "opcode": "binary",
            "base64": base64.b64encode(data).decode()}


def write(directory, events, *arguments, source="session.jsonl"):
    """Writes a recording, converts it, and returns the path of the page."""
    recording, path = directory / source, directory / "session.html"
    recording.write_text("".join(json.dumps(event) + "\n" for event in events))
    # A debug build on a busy machine needs more than a minute for 400,000 messages.
    result = wsx("convert", recording, path, *arguments, timeout=600)
    assert (result.status, result.err) == (0, "")
    return path


class SessionPage(Page):
    """A session page opened as a file, or a live one by its URL, with the given window size and color scheme."""

    def __init__(self, browser, path, width=1280, height=800, is_dark=False):
        super().__init__(browser)
        self.call("Network.enable")
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.open(path if isinstance(path, str) else path.as_uri())
        self.wait_for_rows()

    def wait_for_rows(self):
        """Waits until all events are filtered, and the rows in view are drawn."""
        self.wait_for("document.getElementById('counts').dataset.isComplete === 'true'")
        self.evaluate("new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))")

    @property
    def requests(self):
        """The URLs the page requested."""
        self.evaluate("0")
        return [event["params"]["request"]["url"] for event in self.events
                if event["method"] == "Network.requestWillBeSent"]

    @property
    def unexpected(self):
        """The problems the browser reports."""
        return self.problems

    def text(self, identifier):
        return self.evaluate(f"document.getElementById({json.dumps(identifier)}).textContent")

    def facts(self):
        """The facts of the connection by their names."""
        return self.evaluate("""Object.fromEntries(Array.from(document.querySelectorAll("#facts div"),
            fact => [fact.querySelector("dt").textContent, fact.querySelector("dd").textContent]))""")

    def rows(self):
        """The rows in view: number, or 0 for an event, direction, text, latency, and size of each."""
        return self.evaluate("""Array.from(document.querySelectorAll(".row"), row => [
            Number(row.querySelector(".number").textContent), row.classList.contains("out") ? "out" : "in",
            ...[".data", ".latency", ".size"].map(name => row.querySelector(name).textContent.replaceAll("\\xa0", " ")),
        ])""")

    def connections(self):
        """The list of connections: name, counts, URL, and state of each."""
        return self.evaluate("""Array.from(document.querySelectorAll("#connections button"), button =>
            ["name", "counts", "url", "rest"].map(part => button.querySelector("." + part).textContent))""")

    def choose(self, place):
        """Clicks at a connection of the list. The first one is all of them."""
        self.evaluate(f"""{{
            const button = document.querySelectorAll("#connections button")[{place}];
            button.focus();
            button.click();
        }}""")
        self.wait_for_rows()

    def click(self, identifier):
        self.evaluate(f"document.getElementById({json.dumps(identifier)}).click()")
        self.wait_for_rows()

    def search(self, words):
        """Types words into the search box, in place of others, and waits for the result."""
        self.evaluate("""{
            const field = document.getElementById("filter");
            field.focus();
            field.select();
        }""")
        if words:
            self.type(words)
        else:
            self.press("Delete")
            self.evaluate("""{
                const field = document.getElementById("filter");
                field.value = "";
                field.dispatchEvent(new Event("input", { bubbles: true }));
            }""")
        self.wait_for_rows()

    def press_keys(self, *keys, modifiers=0):
        for key in keys:
            self.press(key, modifiers)
        self.wait_for_rows()

    def select(self, number):
        """Clicks at the row of a message in view."""
        self.evaluate(f"""Array.from(document.querySelectorAll(".row"))
            .find(row => row.querySelector(".number").textContent === "{number}").click()""")
        self.wait_for_rows()

    def select_event(self, index):
        """Clicks at the row of an event in view, by its index among all events."""
        self.evaluate(f"document.querySelector('.row[data-index=\"{index}\"]').click()")
        self.wait_for_rows()

    def show_as(self, form):
        self.evaluate(f"document.querySelector('[name=view][value={form}]').click()")

    def selected(self):
        """The number of the message that is shown, the first words for an event, or None."""
        title = self.evaluate(
            "document.getElementById('head').hidden ? null : document.getElementById('title').textContent")
        number = re.match(r"#(\d+)", title or "")
        return int(number[1]) if number else title

    def embedded(self):
        """The lines about data inside the values of the message."""
        return self.evaluate("""document.getElementById("embedded").hidden ? []
            : Array.from(document.querySelectorAll("#embedded :is(h3, li)"), line => line.textContent)""")

    def shown_rows(self):
        """The texts of all rows that exist."""
        return self.evaluate("Array.from(document.querySelectorAll('.row .data'), data => data.textContent)")

    def links(self):
        """The links to related messages."""
        return self.evaluate("""Array.from(document.querySelectorAll("#relations button"),
            button => button.textContent.replaceAll("\\xa0", " "))""")

    def changes(self):
        """The changes since the previous message of the same kind: the heading, and the lines."""
        return self.evaluate("""document.getElementById("changes").hidden ? []
            : Array.from(document.querySelectorAll("#changes :is(h3, li)"), line => line.textContent)""")

    def colors(self, selector):
        """The color of the text of an element, and of the area behind it, as numbers."""
        return self.evaluate(f"""(() => {{
            const numbers = text => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
            const element = document.querySelector({json.dumps(selector)});
            let behind = element;
            while (/, 0\\)|transparent/.test(getComputedStyle(behind).backgroundColor)) behind = behind.parentElement;
            return [numbers(getComputedStyle(element).color), numbers(getComputedStyle(behind).backgroundColor)];
        }})()""")


class LivePage(SessionPage):
    """The live page of a run. Whether its rows are complete is only known after a while."""

    def __init__(self, browser, run, **options):
        self.url = run if isinstance(run, str) else run.wait_for(r"Live page at (http://\S+)").group(1).decode()
        super().__init__(browser, self.url, **options)

    def shown(self):
        """The texts of the rows in view."""
        return [row[2] for row in self.rows()]

    def wait_for_last(self, *texts):
        """Waits until the last rows in view have these texts."""
        wait_until(lambda: self.shown()[-len(texts):] == list(texts), what=f"{texts} in the page")

    def fill(self, identifier, text):
        self.evaluate(f"""{{
            const field = document.getElementById({json.dumps(identifier)});
            field.focus();
            field.value = {json.dumps(text)};
            field.dispatchEvent(new Event("input", {{ bubbles: true }}));
        }}""")

    def send(self, text, form="text", to=None):
        """Sends a message with the composer."""
        for name, value in [("side", to), ("form", form)]:
            if value:
                self.evaluate(f"document.querySelector('#composer [name={name}][value={value}]').click()")
        self.fill("draft", text)
        self.click("send")

    def held(self):
        """The held messages: whose they are, their data, and the words of their buttons."""
        return self.evaluate("""Array.from(document.querySelectorAll("#held li"), row => [
            row.querySelector(".quiet").textContent, row.querySelector(".data").textContent,
            Array.from(row.querySelectorAll("button"), button => button.textContent).join(" ")])""")

    def act(self, place, words):
        """Clicks at a button of a held message."""
        self.evaluate(f"""Array.from(document.querySelectorAll("#held li")[{place}].querySelectorAll("button"))
            .find(button => button.textContent === {json.dumps(words)}).click()""")
