"""Headless Chromium, driven over the DevTools protocol."""

import json
import os
import queue
import re
import shutil
import signal
import subprocess
import threading
import urllib.request

import pytest

from processes import BINARY, Running, wait_until

CHROMIUM = "chromium-headless-shell"
# DevTools modifier bits, for keys held while another is pressed.
ALT, CONTROL, META, SHIFT = 1, 2, 4, 8
KEY_CODES = {"Enter": 13, "Tab": 9, "Escape": 27, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35, "F1": 112}


def require_chromium():
    """Skips the test without Chromium: Ubuntu has no package, only a snap."""
    if not shutil.which(CHROMIUM):
        pytest.skip(f"there is no package {CHROMIUM}")


class Chromium(Running):
    """A browser with a fresh profile. `url` is its DevTools WebSocket."""

    def __init__(self, profile):
        require_chromium()
        arguments = [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank",
        ]
        super().__init__(arguments, start_new_session=True)
        try:
            self.url = self.wait_for(r"DevTools listening on (ws://\S+)", timeout=60).group(1).decode()
        except AssertionError:
            self.__exit__()
            raise

    def __exit__(self, *exception):
        # Chromium's child processes hold the same pipes, so kill the whole group.
        os.killpg(self.pid, signal.SIGKILL)
        super().__exit__(*exception)

    def new_page(self):
        """Opens a new page and returns its WebSocket URL."""
        host = re.match(r"ws://([^/]+)/", self.url).group(1)
        request = urllib.request.Request(f"http://{host}/json/new?about:blank", method="PUT")
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as response:
            return json.load(response)["webSocketDebuggerUrl"]


class Page:
    """A page of a browser. Calls go through `wsx connect`, one per line."""

    def __init__(self, browser):
        arguments = [BINARY, "connect", "-q", "--max-message-size", "256M", browser.new_page()]
        self._client = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._replies = queue.Queue()
        self._number = 0
        self.events = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Page.close")
            self._client.stdin.close()
            self._client.wait(60)
        finally:
            self._end()

    def _end(self):
        self._client.kill()
        self._client.wait(60)
        self._thread.join(60)
        self._client.stdout.close()

    def _read(self):
        for line in self._client.stdout:
            message = json.loads(line)
            if "id" in message:
                self._replies.put(message)
            else:
                self.events.append(message)

    def call(self, method, timeout=60, **parameters):
        """Calls a DevTools method and returns its result."""
        self._number += 1
        self._client.stdin.write(
            json.dumps({"id": self._number, "method": method, "params": parameters}).encode() + b"\n")
        self._client.stdin.flush()
        reply = self._replies.get(timeout=timeout)
        assert reply["id"] == self._number and "error" not in reply, reply
        return reply["result"]

    def evaluate(self, expression, **options):
        """Evaluates an expression and returns its value as JSON. Awaits promises."""
        reply = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, **options)
        assert "exceptionDetails" not in reply, reply["exceptionDetails"]
        return reply["result"].get("value")

    def wait_for(self, expression, timeout=60):
        """Waits until an expression is true."""
        wait_until(lambda: self.evaluate(f"Boolean({expression})"), timeout, what=expression)

    def open(self, url):
        """Navigates to a URL and waits until the page has loaded."""
        self.call("Page.navigate", url=url)
        self.wait_for(f"location.href === {json.dumps(url)} && document.readyState === 'complete'")

    def type(self, text):
        """Types into the focused element."""
        self.call("Input.insertText", text=text)

    def press(self, key, modifiers=0):
        """Presses and releases a key."""
        code = KEY_CODES.get(key, ord(key[0].upper()))
        event = {"key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        # Keys that type a character carry text. With Control they type nothing.
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        text = {} if modifiers & (ALT | CONTROL | META) or not text else {"text": text}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **event, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    @property
    def problems(self):
        """Uncaught exceptions and console messages of the page."""
        # Earlier messages are delivered before this reply.
        self.evaluate("0")
        kinds = {
            "Runtime.exceptionThrown": lambda event: event["exceptionDetails"],
            "Log.entryAdded": lambda event: event["entry"]["text"],
            "Runtime.consoleAPICalled": lambda event: event["args"],
        }
        return [str(kinds[event["method"]](event["params"])) for event in self.events if event["method"] in kinds]
