"""`wsx relay` between clients and servers of others, with a web application behind it."""

import json

import pytest

from brokers import Mosquitto
from browser import Page
from processes import NODE_ENVIRONMENT, PEERS, PEERS_PYTHON, Relay, run, wsx
from services import PASSWORD, USER, Service, free_ports


class WebApplication(Service):
    """peers/web_application.py."""

    def __init__(self, websockets="auto"):
        super().__init__(lambda port: [PEERS_PYTHON, PEERS / "web_application.py", str(port), websockets])
        self.url = f"http://127.0.0.1:{self.port}"


class MosquittoWebSockets(Mosquitto):
    """mosquitto with a WebSocket listener. It also needs another listener."""

    def _command(self, port):
        command = super()._command(*free_ports(1))
        with open(self.directory / "mosquitto.conf", "a") as file:
            file.write(f"listener {port} 127.0.0.1\nprotocol websockets\nsocket_domain ipv4\n")
        return command


@pytest.fixture(scope="module")
def application():
    with WebApplication() as server:
        yield server


@pytest.fixture(scope="module")
def relay(application):
    with Relay(application.url) as relay:
        yield relay


PYTHON_CLIENT = [PEERS_PYTHON, PEERS / "websockets_client.py"]
NODE_CLIENT = ["node", PEERS / "ws_client.js"]


@pytest.mark.parametrize("client, end", [
    (PYTHON_CLIENT, "closed 4123 over"), (NODE_CLIENT, "closed 1000 ")], ids=["websockets", "ws"])
@pytest.mark.parametrize("server", ["auto", "wsproto", "python_echo", "node_echo"])
def test_messages_pass_between_clients_and_servers_of_others(request, client, end, server):
    messages = ["a", "grüße 🦆", "x" * 100_000, ""]

    def converse(url):
        with Relay(url) as relay:
            result = run([*client, relay.url, str(len(messages)), *messages], env=NODE_ENVIRONMENT)
            assert (result.status, result.lines) == (0, [*messages, end]), (result, relay.err)

    if server.endswith("echo"):
        converse(request.getfixturevalue(server).url)
    else:
        with WebApplication(server) as application:
            converse(f"ws://127.0.0.1:{application.port}/echo")


def test_close_codes_pass_from_a_server_of_others(relay):
    result = run([*NODE_CLIENT, f"{relay.url}echo", "2", "first", "close 4321 reason"], env=NODE_ENVIRONMENT)
    assert result.lines == ["first", "closed 4321 reason"]


@pytest.mark.parametrize("transports", [["polling", "websocket"], ["polling"], ["websocket"]], ids="+".join)
def test_socketio_clients_work_with_every_transport(socketio, transports):
    with Relay(f"http://127.0.0.1:{socketio.port}") as relay:
        result = run([PEERS_PYTHON, PEERS / "socketio_client.py", f"http://localhost:{relay.port}", *transports])
        assert result.status == 0, (result, relay.err)
    assert json.loads(result.out) == [transports[-1], ["grüße", {"a": [1]}], True, True]


def test_mqtt_clients_work_with_the_websocket_listener_of_mosquitto():
    with MosquittoWebSockets() as broker, Relay(f"ws://127.0.0.1:{broker.port}") as relay:
        result = run([PEERS_PYTHON, PEERS / "mqtt_client.py", str(relay.port), USER, PASSWORD])
        assert (result.status, result.lines) == (0, ["0", "1", "1000", "30000"]), (result, relay.err)
        result = wsx("connect", *broker.options, "--until", "^events/n", f"{relay.url}mqtt", stdin=b"sub events/#\npub events/n 7\n")
        assert (result.status, result.lines[-1]) == (0, "events/n 7"), (result, relay.err)


class TestWebApplication:
    """The pages are those of `localhost`, while the application only knows `127.0.0.1`, so nothing works by chance."""

    @pytest.fixture
    def page(self, browser, relay):
        with Page(browser) as page:
            page.own = f"http://localhost:{relay.port}"
            page.open(f"{page.own}/login")
            page.evaluate("document.forms[0].submit()")
            page.wait_for("document.title === 'Home'")
            yield page
            page.call("Network.clearBrowserCookies")
            assert page.problems == []

    def test_redirects_and_cookies_keep_the_browser_at_the_relay(self, page):
        assert page.evaluate("location.href") == f"{page.own}/"
        (cookie,) = page.call("Network.getCookies")["cookies"]
        assert (cookie["name"], cookie["domain"], cookie["httpOnly"]) == ("session", "localhost", True)

    def test_pages_upload_and_download(self, page):
        digests = page.evaluate("""(async () => {
            const file = new Uint8Array(5_000_000).map((_, index) => index % 251)
            const hex = buffer => [...new Uint8Array(buffer)].map(byte => byte.toString(16).padStart(2, "0")).join("")
            const form = new FormData()
            form.append("file", new Blob([file]), "file")
            const upload = async body => (await fetch("/upload", { method: "POST", body })).text()
            const results = [hex(await crypto.subtle.digest("SHA-256", file)), await upload(file), await upload(form)]
            const download = await (await fetch("/download?3000000")).arrayBuffer()
            return [...results, download.byteLength]
        })()""")
        assert digests == [digests[0]] * 3 + [3_000_000]

    def test_pages_receive_events_of_a_response_without_end(self, page):
        assert page.evaluate("""new Promise((resolve, reject) => {
            const source = new EventSource("/events")
            source.onmessage = event => { source.close(); resolve(event.data) }
            source.onerror = reject
        })""") == "first"

    def test_pages_use_websockets_with_cookies_and_their_origin(self, page):
        result = page.evaluate("""new Promise(resolve => {
            const socket = new WebSocket(`ws://${location.host}/live`, ["other", "chat"])
            const received = []
            socket.binaryType = "arraybuffer"
            socket.onopen = () => ["hi", new Uint8Array([0, 255]), "close 4000 bye"].forEach(data => socket.send(data))
            socket.onmessage = ({ data }) => received.push(typeof data === "string" ? data : [...new Uint8Array(data)])
            socket.onclose = event =>
                resolve([socket.protocol, socket.extensions, received, event.code, event.reason, event.wasClean])
        })""")
        assert result == ["chat", "permessage-deflate", ["hi", [0, 255]], 4000, "bye", True]

    def test_many_requests_at_once_are_answered(self, page):
        assert page.evaluate("""Promise.all(Array.from({ length: 100 }, async (_, index) => {
            const response = await fetch(`/download?${index}000`)
            return (await response.arrayBuffer()).byteLength === index * 1000
        })).then(results => results.every(Boolean))""") is True

    def test_pages_of_others_are_refused(self, browser, relay, application):
        with Page(browser) as page:
            page.open(f"{application.url}/login")
            assert page.evaluate(f"""new Promise(resolve => {{
                new WebSocket("ws://127.0.0.1:{relay.port}/echo").onopen = () => resolve("a loopback page")
            }})""") == "a loopback page"
            assert page.evaluate(f"""(() => {{
                const frame = document.createElement("iframe")
                frame.sandbox = "allow-scripts"
                frame.srcdoc = `<script>
                    const socket = new WebSocket("ws://127.0.0.1:{relay.port}/echo")
                    socket.onopen = () => parent.postMessage("open", "*")
                    socket.onerror = () => parent.postMessage("refused", "*")
                </` + `script>`
                return new Promise(resolve => {{
                    onmessage = event => resolve(event.data)
                    document.body.append(frame)
                }})
            }})()""") == "refused"

    def test_curl_uploads_and_follows_redirects(self, relay, tmp_path):
        origin = f"http://localhost:{relay.port}"
        jar, body = tmp_path / "jar", tmp_path / "body"
        body.write_bytes(bytes(3_000_000))
        page = run(["curl", "-sSL", "-c", jar, "-b", jar, "-H", f"Origin: {origin}", "-d", "user=ann", f"{origin}/login"])
        assert b"Hello, ann" in page.out, page
        # curl waits for "100 Continue" before it sends a large body.
        upload = ["curl", "-sSv", "-H", f"Origin: {origin}", "-H", "Expect: 100-continue"]
        by_length = run([*upload, "--data-binary", f"@{body}", f"{origin}/upload"])
        in_chunks = run([*upload, "-H", "Transfer-Encoding: chunked", "--data-binary", f"@{body}", f"{origin}/upload"])
        assert by_length.out == in_chunks.out and len(by_length.out) == 64, (by_length, in_chunks)
        assert "HTTP/1.1 100 Continue" in by_length.err
