"""`listen --http2` and `relay --http2` with browsers, and a client on Node's http2; see docs/HTTP2.md."""

import contextlib
import os

import pytest

from browser import Chromium, Page
from certificates import Certificates
from firefox import Firefox
from processes import NODE_ENVIRONMENT, Listener, Relay, require_program, run, wait_until

CLIENT_JS = os.path.join(os.path.dirname(__file__), "http2_client.js")
LARGE = ["--max-message-size", "64M"]
# One after the other on two WebSockets of the page: text, binary, 64 MiB, and a close code.
PAGE = """<!doctype html><title>test</title><script>
const opened = (socket) => new Promise((resolve, reject) => {
  socket.binaryType = "arraybuffer";
  socket.onopen = resolve;
  socket.onerror = () => reject(new Error("not connected"));
});
const reply = (socket, message) => new Promise((resolve) => {
  socket.onmessage = (event) => resolve(event.data);
  socket.send(message);
});
const run = async () => {
  const url = location.href.replace("http", "ws").replace("page.html", "");
  const sockets = [new WebSocket(url), new WebSocket(url)];
  await Promise.all(sockets.map(opened));
  const report = { extensions: sockets[0].extensions };
  report.text = await reply(sockets[0], "aé水🎈");
  report.binary = [...new Uint8Array(await reply(sockets[1], new Uint8Array([0, 255, 128])))];
  const large = new Uint8Array(64 << 20).map((_, index) => (index * 2654435761) >> 13);
  const returned = new Uint8Array(await reply(sockets[0], large));
  report.large = returned.length === large.length && returned.every((byte, index) => byte === large[index]);
  for (const socket of sockets) {
    const end = new Promise((resolve) => { socket.onclose = resolve; });
    socket.close(4000);
    const { code, wasClean } = await end;
    (report.closes ??= []).push([code, wasClean]);
  }
  return report;
};
</script>"""


@pytest.fixture(scope="module")
def identity(tmp_path_factory):
    identity = Certificates(tmp_path_factory.mktemp("certificates")).good
    return ["--tls-cert", identity.chain, "--tls-key", identity.key]


@pytest.fixture(params=["listen", "relay"])
def server(request, identity, tmp_path):
    """A server with a page and an echo, over TLS, and the process whose log names the version."""
    (tmp_path / "page.html").write_text(PAGE)
    with contextlib.ExitStack() as resources:
        options = ["--echo", "--serve", tmp_path, *LARGE]
        if request.param == "listen":
            yield resources.enter_context(Listener("-v", "--http2", *identity, *options))
        else:
            target = resources.enter_context(Listener(*options))
            yield resources.enter_context(Relay(target.url, "-v", "--http2", "--no-stdin", *identity, *LARGE))


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    with Chromium(tmp_path_factory.mktemp("profile")) as browser, Page(browser) as page:
        page.call("Security.setIgnoreCertificateErrors", ignore=True)
        yield page


@pytest.fixture(scope="module")
def firefox(tmp_path_factory):
    with Firefox(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_browsers_open_websockets_over_http2(server, name, request):
    page = request.getfixturevalue(name)
    page.open(f"https://127.0.0.1:{server.port}/page.html")
    report = page.evaluate("run()", timeout=600)
    assert report == {
        "extensions": "permessage-deflate", "text": "aé水🎈", "binary": [0, 255, 128], "large": True,
        "closes": [[4000, True]] * 2}, server.err
    wait_until(lambda: server.err.count("GET / HTTP/2\n") == 2, what="two requests over HTTP/2")


@pytest.mark.parametrize("command", ["listen", "relay"])
def test_a_paused_stream_of_node_does_not_stop_another(command):
    require_program("node")
    with contextlib.ExitStack() as resources:
        server = resources.enter_context(Listener(*["--http2"] * (command == "listen"), "--echo"))
        if command == "relay":
            server = resources.enter_context(Relay(server.url, "--http2", "--no-stdin"))
        result = run(["node", CLIENT_JS, str(server.port), "256"], env=NODE_ENVIRONMENT, timeout=600)
        assert (result.status, result.out, result.err) == (0, b"256 0\n64\n", ""), result
