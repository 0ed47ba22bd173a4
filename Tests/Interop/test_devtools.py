"""Driving headless Chromium over its DevTools WebSocket, as JSON-RPC calls and their replies."""

import base64
import http.server
import json
import os
import re
import shutil
import signal
import threading
import urllib.request

import pytest

from processes import BINARY, Running, wsx

CHROMIUM = "chromium-headless-shell"
PAGE = b"""<!doctype html><title>A page for wsx</title><body style="background:#0a0">
<p id="greeting">Gr\xc3\xbc\xc3\x9fe</p><script>const answer = 42</script>"""


class PageHandler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def page_url():
    """A small page on a loopback port."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), PageHandler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join(10)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A headless Chromium; the value is the WebSocket URL of the browser."""
    if not shutil.which(CHROMIUM):
        pytest.skip(f"{CHROMIUM} is not installed")
    profile = tmp_path_factory.mktemp("profile")
    arguments = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-port=0",
        f"--user-data-dir={profile}", "about:blank",
    ]
    with Running(arguments, start_new_session=True) as process:
        try:
            yield process.wait_for(r"DevTools listening on (ws://\S+)", timeout=60).group(1).decode()
        finally:
            # With all its processes, which have the same pipes.
            os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture
def page(browser):
    """The WebSocket URL of a page of its own."""
    host = re.match(r"ws://([^/]+)/", browser).group(1)
    request = urllib.request.Request(f"http://{host}/json/new?about:blank", method="PUT")
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as response:
        return json.load(response)["webSocketDebuggerUrl"]


def results(out):
    """The results of the calls, by their ids; what has none is an event of the browser."""
    messages = [json.loads(line) for line in out.splitlines()]
    assert not [message for message in messages if "error" in message]
    return {message["id"]: message["result"] for message in messages if "id" in message}


def test_the_browser_says_who_it_is(browser):
    run = wsx("connect", "--json-rpc", "--correlate", "id", browser, "Browser.getVersion")
    assert (run.status, run.err) == (0, "")
    assert "Chrom" in results(run.out)[1]["product"] + results(run.out)[1]["userAgent"]


def test_a_page_is_navigated_evaluated_and_photographed(page, page_url, tmp_path):
    """One call after the other through a pipe, each made of what came before."""
    arguments = [BINARY, "connect", "--json-rpc", "--correlate", "id", page]
    with Running(arguments, stdin=-1) as client:
        client.send(f"Page.enable\nPage.navigate url={page_url}\n".encode())
        client.wait_for(r"Page\.loadEventFired", "out", 60)
        client.send(b"Runtime.evaluate expression='document.title + answer' returnByValue=true\n")
        client.send(b'Runtime.evaluate {"expression": "greeting.textContent"}\n')
        client.send(b"Page.captureScreenshot format=png\n")
        client.process.stdin.close()
        assert client.wait(60) == 0
        assert client.err == ""
        replies = results(client.out)
    assert replies[2]["frameId"]
    assert replies[3]["result"]["value"] == "A page for wsx42"
    assert replies[4]["result"]["value"] == "Grüße"
    image = base64.b64decode(replies[5]["data"], validate=True)
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    assert image.endswith(b"IEND\xaeB\x60\x82")


def test_calls_one_by_one_with_events_apart_from_replies(page, page_url):
    calls = [f"Page.navigate url={page_url}", "Page.enable", "Page.reload", "Runtime.evaluate expression=1+1"]
    run = wsx("connect", "--json-rpc", "--request", "-q", page, *calls)
    assert run.status == 0, run.err
    assert list(results(run.out)) == [1, 2, 3, 4]
    assert len(run.lines) == 4, "what the browser says of itself is on standard error"
    assert results(run.out)[4]["result"] == {"type": "number", "value": 2, "description": "2"}
    assert all("method" in json.loads(line) for line in run.error_lines)


def test_an_expression_is_waited_for_with_until_and_expect(page):
    call = "Runtime.evaluate awaitPromise=true expression='new Promise(done => setTimeout(done, 200, \"awake\"))'"
    run = wsx("connect", "--json-rpc", "--until", '"awake"', "--expect", "awake", "--timeout", "30s", page, call)
    assert (run.status, run.err) == (0, "")
    assert wsx("connect", "--json-rpc", "--expect", '"asleep"', page, call).status == 7


def test_a_method_that_there_is_not_is_answered_too(page):
    run = wsx("connect", "--json-rpc", page, "Page.fly")
    assert run.status == 0
    assert json.loads(run.lines[0])["error"]["code"] == -32601
