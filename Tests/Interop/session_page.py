"""The session page, which `wsx convert` writes, in a browser, as its users see it."""

import json

from browser import Page


class SessionPage(Page):
    """A session page opened as a file, with the given window size and color scheme."""

    def __init__(self, browser, path, width=1280, height=800, is_dark=False):
        super().__init__(browser)
        self.call("Network.enable")
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.open(path.as_uri())
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
        """The rows in view: number, direction, text, latency, and size of each."""
        return self.evaluate("""Array.from(document.querySelectorAll(".row"), row => [
            Number(row.querySelector(".number").textContent), row.classList.contains("out") ? "out" : "in",
            ...[".data", ".latency", ".size"].map(name => row.querySelector(name).textContent.replaceAll("\\xa0", " ")),
        ])""")

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
        """Clicks at the row of an event in view."""
        self.evaluate(f"""Array.from(document.querySelectorAll(".row"))
            .find(row => row.querySelector(".number").textContent === "{number}").click()""")
        self.wait_for_rows()

    def selected(self):
        """The number of the event in the message view, or None."""
        return self.evaluate("""document.getElementById("head").hidden ? null
            : Number(/#(\\d+)/.exec(document.getElementById("title").textContent)[1])""")

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
