"""Drives headless Chromium over its DevTools WebSocket, with JSON-RPC calls and replies."""

import base64
import http.server
import json
import threading

import pytest

from processes import BINARY, Running, wsx

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
    """Serves a small page on a loopback port."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), PageHandler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join(60)


@pytest.fixture
def page(browser):
    """The WebSocket URL of a new page."""
    return browser.new_page()


def results(out):
    """The results of the calls, by id. Messages without an id are browser events."""
    messages = [json.loads(line) for line in out.splitlines()]
    assert not [message for message in messages if "error" in message]
    return {message["id"]: message["result"] for message in messages if "id" in message}


def test_the_browser_returns_its_version(browser):
    run = wsx("connect", "--json-rpc", "--correlate", "id", browser.url, "Browser.getVersion")
    assert (run.status, run.err) == (0, "")
    assert "Chrom" in results(run.out)[1]["product"] + results(run.out)[1]["userAgent"]


def test_a_page_is_loaded_evaluated_and_captured(page, page_url, tmp_path):
    """Sends one call after the other through a pipe. Each depends on earlier ones."""
    arguments = [BINARY, "connect", "--json-rpc", "--correlate", "id", page]
    with Running(arguments, stdin=-1) as client:
        client.send(b"Page.enable\n")
        client.wait_for(r'"id":1,"result"', "out", 60)
        client.send(f"Page.navigate url={page_url}\n".encode())
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


def test_sequential_calls_separate_events_from_replies(page, page_url):
    calls = [f"Page.navigate url={page_url}", "Page.enable", "Page.reload", "Runtime.evaluate expression=1+1"]
    run = wsx("connect", "--json-rpc", "--request", "-q", page, *calls)
    assert run.status == 0, run.err
    assert list(results(run.out)) == [1, 2, 3, 4]
    assert len(run.lines) == 4, "the browser's events go to standard error"
    assert results(run.out)[4]["result"] == {"type": "number", "value": 2, "description": "2"}
    assert all("method" in json.loads(line) for line in run.error_lines)


def test_until_and_expect_wait_for_an_expression(page):
    call = "Runtime.evaluate awaitPromise=true expression='new Promise(done => setTimeout(done, 200, \"awake\"))'"
    run = wsx("connect", "--json-rpc", "--until", '"awake"', "--expect", "awake", "--timeout", "30s", page, call)
    assert (run.status, run.err) == (0, "")
    assert wsx("connect", "--json-rpc", "--expect", '"asleep"', page, call).status == 7


def test_an_unknown_method_gets_an_error_reply(page):
    run = wsx("connect", "--json-rpc", page, "Page.fly")
    assert run.status == 0
    assert json.loads(run.lines[0])["error"]["code"] == -32601
