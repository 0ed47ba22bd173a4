"""Headless Firefox, driven over WebDriver BiDi."""

import json
import os
import queue
import signal
import subprocess
import threading

from processes import BINARY, Running, environment, require_program

FIREFOX = "firefox-esr"
# Nothing outside of this machine is resolved.
PREFERENCES = {
    "network.dns.disabled": True, "app.update.enabled": False, "datareporting.policy.dataSubmissionEnabled": False,
    "browser.shell.checkDefaultBrowser": False}


class Firefox(Running):
    """A browser with a fresh profile and one page, which accepts any certificate."""

    def __init__(self, profile):
        require_program(FIREFOX)
        (profile / "user.js").write_text("".join(
            f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items()))
        super().__init__(
            [FIREFOX, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0", "about:blank"],
            start_new_session=True, env=environment(HOME=profile))
        self._client = None
        try:
            url = self.wait_for(r"WebDriver BiDi listening on (ws://\S+)", timeout=120).group(1).decode()
            self._client = subprocess.Popen(
                [BINARY, "connect", "-q", f"{url}/session"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self._replies = queue.Queue()
            self._number = 0
            self._thread = threading.Thread(target=self._read, daemon=True)
            self._thread.start()
            self.call("session.new", capabilities={"alwaysMatch": {"acceptInsecureCerts": True}})
            self._page = self.call("browsingContext.create", type="tab")["context"]
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *exception):
        if self._client:
            self._client.kill()
            self._client.wait(60)
            self._thread.join(60)
            self._client.stdin.close()
            self._client.stdout.close()
        # Its child processes hold the same pipes.
        os.killpg(self.pid, signal.SIGKILL)
        super().__exit__(*exception)

    def _read(self):
        for line in self._client.stdout:
            message = json.loads(line)
            if "id" in message:
                self._replies.put(message)

    def call(self, method, timeout=300, **parameters):
        """Calls a method of WebDriver BiDi and returns its result."""
        self._number += 1
        self._client.stdin.write(
            json.dumps({"id": self._number, "method": method, "params": parameters}).encode() + b"\n")
        self._client.stdin.flush()
        reply = self._replies.get(timeout=timeout)
        assert reply["id"] == self._number and reply["type"] == "success", reply
        return reply["result"]

    def open(self, url):
        """Navigates to a URL and waits until the page has loaded."""
        self.call("browsingContext.navigate", context=self._page, url=url, wait="complete")

    def evaluate(self, expression, timeout=300):
        """Evaluates an expression and returns its value as JSON. Awaits promises."""
        reply = self.call(
            "script.evaluate", timeout, target={"context": self._page}, awaitPromise=True,
            expression=f"Promise.resolve({expression}).then(JSON.stringify)")
        assert reply["type"] == "success", reply
        return json.loads(reply["result"]["value"])
