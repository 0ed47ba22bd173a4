"""The page of `wsx listen --console` in a browser, as its users see it."""

import json

from browser import Page

# Chromium logs this when a server is unreachable, which some tests cause on purpose.
EXPECTED = "WebSocket connection to"


class ConsolePage(Page):
    """The console page of a server."""

    def __init__(self, browser, server, trusts_all=False):
        super().__init__(browser)
        if trusts_all:
            self.call("Security.setIgnoreCertificateErrors", ignore=True)
        # Wide enough for 16 bytes of a dump.
        self.call("Emulation.setDeviceMetricsOverride", width=1000, height=600, deviceScaleFactor=1, mobile=False)
        self.open(server.url.replace("ws", "http", 1))
        # The page's script is a module and runs after the page has loaded.
        self.wait_for("document.getElementById('url').value !== ''")

    def click(self, identifier):
        self.evaluate(f"document.getElementById({json.dumps(identifier)}).click()")

    def fill(self, identifier, text):
        """Puts text into a field and fires the events of typing."""
        self.evaluate(f"""{{
            const field = document.getElementById({json.dumps(identifier)});
            field.focus();
            field.value = {json.dumps(text)};
            field.dispatchEvent(new Event("input", {{ bubbles: true }}));
        }}""")

    def is_pressed(self, identifier):
        return self.evaluate(f"document.getElementById({json.dumps(identifier)}).getAttribute('aria-pressed')") == "true"

    def text(self, selector):
        return self.evaluate(f"document.querySelector({json.dumps(selector)}).textContent")

    def choose(self, form):
        self.evaluate(f"document.querySelector('[name=form][value={form}]').click()")

    def connect(self, subprotocols="", url=None):
        if url:
            self.fill("url", url)
        self.fill("subprotocols", subprotocols)
        self.click("connect")
        self.wait_for_state("open")

    def wait_for_state(self, state):
        self.wait_for(f"document.getElementById('state').dataset.state === '{state}'")

    def send(self, text, form="text"):
        self.choose(form)
        self.fill("message", text)
        self.click("send")

    def rows(self):
        """The rows of the log: kind, direction, size, and text of each."""
        return self.evaluate("""Array.from(document.querySelectorAll(".row"), row => [
            row.querySelector(".kind").textContent,
            row.classList.contains("in") ? "in" : row.classList.contains("out") ? "out" : "",
            row.querySelector(".size").textContent,
            row.querySelector(".data").textContent,
        ])""")

    def wait_for_rows(self, count):
        """Waits until the log has this many rows, and returns them."""
        self.wait_for(f"document.querySelectorAll('.row').length >= {count}")
        rows = self.rows()
        assert len(rows) == count, rows
        return rows

    def wait_for_row(self, kind, text):
        """Waits for a row of this kind that contains the text."""
        self.wait_for(f"""Array.from(document.querySelectorAll(".row")).some(row =>
            row.querySelector(".kind").textContent === {json.dumps(kind)}
            && row.querySelector(".data").textContent.includes({json.dumps(text)}))""")

    @property
    def unexpected(self):
        """The problems the browser reports, except for unreachable servers."""
        return [problem for problem in self.problems if EXPECTED not in problem]
