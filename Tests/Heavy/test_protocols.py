"""Application protocols with RabbitMQ, Socket.IO 2, and Chromium, and idle connections with heartbeats that are far apart.

The functions are those of Tests/Interop/protocol_cells.py, which has the matrix of all protocols.
"""

import json
from concurrent.futures import ThreadPoolExecutor

import protocol_cells
import pytest
from brokers import RabbitMQ
from browser import Chromium
from protocol_files import HomeAssistantServer
from protocol_servers import ActionCableServer, PhoenixServer, SignalRServer, SocketIOServer
from test_bench import bench, errors, faults

from processes import PEERS, ROOT, wsx
from terminal import Screen

# RabbitMQ


@pytest.fixture(scope="module")
def rabbitmq():
    with RabbitMQ() as server:
        yield server


def test_rabbitmq_at_the_prompt(rabbitmq):
    with Screen(width=180) as screen:
        protocol_cells.prompt(rabbitmq, screen)


@pytest.mark.parametrize("cell", [
    protocol_cells.pipe, protocol_cells.json_events, protocol_cells.request, protocol_cells.wrong_token])
def test_rabbitmq(rabbitmq, cell):
    cell(rabbitmq)


def test_rabbitmq_under_load(rabbitmq, tmp_path):
    protocol_cells.bench_requests(rabbitmq, tmp_path)


def test_rabbitmq_is_subscribed_again_after_a_restart():
    restart = protocol_cells.Restart(RabbitMQ)
    try:
        restart.finish()
    finally:
        restart.close()


# Socket.IO 2


class SocketIO2Server(SocketIOServer):
    """python-socketio 4."""

    modules = ()
    parameters = ()

    def _command(self, port):
        python = ROOT / ".build/socketio2/bin/python"
        return [python, PEERS / "socketio2_server.py", str(port), *self.arguments]

    @property
    def url(self):
        return f"ws://127.0.0.1:{self.port}/socket.io/?EIO=3&transport=websocket"


@pytest.fixture(scope="module")
def socketio2():
    with SocketIO2Server() as server:
        yield server


@pytest.mark.parametrize("cell", [protocol_cells.pipe, protocol_cells.json_events, protocol_cells.request])
def test_socketio2(socketio2, cell):
    cell(socketio2)


def test_socketio2_under_load(socketio2, tmp_path):
    protocol_cells.bench_requests(socketio2, tmp_path)


def test_socketio2_exchanges_binary_data_in_namespaces(socketio2):
    options = ["--protocol", "socket.io", "--request", socketio2.url]
    result = wsx("connect", *options, 'bytes {"$bytes":"AQID"}', "/admin chat 7")
    assert (result.status, result.err) == (0, "")
    assert {'bytes {"data":{"$bytes":"AQID"}}', '{"$bytes":"AwIB"}', "/admin 7"} <= set(result.lines)


# Idle connections


class BeatingRabbitMQ(RabbitMQ):
    """Expects heart-beats."""

    parameters = (*RabbitMQ.parameters[:2], "heart-beat=2000,2000")


@pytest.fixture(scope="module")
def idle_connections():
    """Idle connections to several servers at the same time, for up to 95 s."""
    with ThreadPoolExecutor(len(IDLE)) as executor:
        yield {name: executor.submit(protocol_cells.idle, *row) for name, row in IDLE.items()}


# The pattern of a heartbeat, as shown with -v.
IDLE = {
    "phoenix": (PhoenixServer, "Hidden: .*phoenix"),
    "signalr": (SignalRServer, r'→ text .*\{"type":6\}'),
    "actioncable": (ActionCableServer, "Hidden: ping"),
    "home-assistant": (HomeAssistantServer, "Hidden: pong"),
    "socket.io 2": (lambda: SocketIO2Server(0.3), "Hidden: pong"),
    "rabbitmq": (BeatingRabbitMQ, r"→ text +1 B"),
}


@pytest.mark.parametrize("name", IDLE)
def test_idle(idle_connections, name):
    idle_connections[name].result()


# Chromium


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    with Chromium(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
def page(chromium):
    """The options and the URL of a new page."""
    return ["--protocol", "devtools", chromium.new_page()]


LOOP = "Runtime.evaluate expression='for (let i = 0; i < 10000; i++) console.log(i); console.log(\"end\")'\n"


def test_chromium_sends_events_in_order(page):
    result = wsx(
        "connect", "--output", "json", "--until", '"end"', "--timeout", "60s", *page,
        stdin=f"Runtime.enable\n{LOOP}".encode())
    assert (result.status, result.err) == (0, "")
    events = [
        json.loads(event["data"]) for event in map(json.loads, result.lines)
        if event.get("protocol", {}).get("event") == "Runtime.consoleAPICalled"]
    assert [event["args"][0]["value"] for event in events] == [*range(10_000), "end"]


def test_chromium_replies_to_requests(page):
    lines = "".join(f"Runtime.evaluate expression=1*{number}\n" for number in range(100))
    result = wsx("connect", "--request", *page, stdin=lines.encode())
    assert (result.status, result.err) == (0, "")
    assert [json.loads(line)["result"]["value"] for line in result.lines] == [*range(100)]


def test_chromium_reports_errors(page):
    result = wsx("connect", "--request", "--fail", *page, "Page.fly")
    assert result.status == 7
    assert "'Page.fly' wasn't found" in result.err


def test_chromium_refuses_an_unknown_target(chromium):
    result = wsx("connect", "--protocol", "devtools", chromium.url[:-4] + "0000", stdin=b"")
    assert (result.status, "404" in result.err) == (4, True), result


def test_chromium_at_the_prompt(page):
    with Screen(width=180) as screen:
        screen.enter(f"$WSX connect {' '.join(page)}; echo status $?")
        screen.wait_for_last_line(">")
        screen.enter("Runtime.enable")
        screen.wait_for("← Runtime.executionContextCreated ")
        screen.enter("Runtime.evaluate expression=6*7")
        screen.wait_for(r'← #\d+ [\d.]+ m?s .*"value":42')
        screen.enter("/quit")
        screen.wait_for("status 0")


def test_chromium_under_load(page):
    result, results = bench(
        *page, "--mode", "request", "-m", "Runtime.evaluate expression=1*{{seq}}", "--expect", r'"value":\d+',
        "-n", "200", "--in-flight", "4")
    assert (result.status, result.err, faults(results), errors(results)) == (0, "", {}, {})
    assert results["messages"]["received"] == 200
