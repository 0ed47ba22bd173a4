"""Protocol files and recipes with the servers of others: Crossbar, jupyter_server, a central system of OCPP, and NATS."""

import json
import urllib.request

import pytest

from processes import BINARY, ROOT, Running, environment, wait_until, wsx
from services import answers, free_ports

PEERS = ROOT / ".build/heavy-peers/bin"
PROTOCOLS = ROOT / "docs/protocols"


class Server(Running):
    """A server in a directory of its own."""

    def __init__(self, port, ready, command, directory, **variables):
        self.port = port
        super().__init__(command, cwd=directory, env=environment(HOME=directory, **variables))
        # Jupyter says that it is running before it listens.
        wait_until(lambda: ready in self.err + self.out.decode() and answers(port), timeout=120, what=ready)


# WAMP


CROSSBAR = {
    "version": 2,
    "workers": [{
        "type": "router",
        "realms": [{"name": "realm1", "roles": [{"name": "anonymous", "permissions": [{
            "uri": "", "match": "prefix", "allow": {"call": True, "register": True, "publish": True, "subscribe": True},
            "disclose": {"caller": False, "publisher": False}, "cache": True}]}]}],
        "transports": [{"type": "websocket", "endpoint": {"type": "tcp", "interface": "127.0.0.1"},
                        "auth": {"anonymous": {"type": "static", "role": "anonymous"}}}]}]}


@pytest.fixture(scope="module")
def crossbar(tmp_path_factory):
    directory = tmp_path_factory.mktemp("crossbar")
    (port,) = free_ports(1)
    CROSSBAR["workers"][0]["transports"][0]["endpoint"]["port"] = port
    (directory / "config.json").write_text(json.dumps(CROSSBAR))
    command = [ROOT / ".build/crossbar/bin/crossbar", "start", "--cbdir", directory, "--color", "false"]
    with Server(port, "NODE_BOOT_COMPLETE", command, directory) as server:
        yield server


def wamp(server, *arguments):
    return ["--protocol", f"@{PROTOCOLS}/wamp.json", "--param", "realm=realm1", *arguments,
            f"ws://127.0.0.1:{server.port}/"]


def test_crossbar_answers_a_call_and_reports_an_error(crossbar):
    result = wsx("connect", "-1", "--fail", *wamp(crossbar, "--pick", ".[3]"), '[48,1,{},"wamp.session.count"]')
    assert (result.status, result.lines) == (0, ["[1]"]), result
    result = wsx("connect", "-1", "--fail", *wamp(crossbar), '[48,48,{},"com.example.no"]')
    assert (result.status, "wamp.error.no_such_procedure" in result.err) == (7, True), result


def test_crossbar_refuses_an_unknown_realm(crossbar):
    result = wsx("connect", "--protocol", f"@{PROTOCOLS}/wamp.json", "--param", "realm=no",
                 f"ws://127.0.0.1:{crossbar.port}/", stdin=b"")
    assert (result.status, "no_such_realm" in result.err) == (4, True), result


def test_crossbar_confirms_subscriptions_and_delivers_events(crossbar):
    with Running([BINARY, "connect", "--no-stdin", *wamp(crossbar), '[32,1,{},"com.example.topic"]']) as client:
        client.wait_for(r"\[33,1,\d+\]\n", "out")
        publication = '[16,7,{"acknowledge":true},"com.example.topic",["x"]]'
        result = wsx("connect", "-1", "--fail", *wamp(crossbar), publication)
        assert (result.status, result.lines[0][:6]) == (0, "[17,7,"), result
        client.wait_for(r'\[36,\d+,\d+,\{\},\["x"\]\]\n', "out")


def test_crossbar_matches_replies_without_a_file(crossbar):
    hello = '[1,"realm1",{"roles":{"caller":{}}}]'
    result = wsx("connect", "-s", "wamp.2.json", "--first-message", hello, "--ready", r"^\[2,", "--correlate", "/1=/2,/1",
                 "--output", "json", f"ws://127.0.0.1:{crossbar.port}/", '[48,48,{},"wamp.session.count"]',
                 '[48,7,{},"com.example.no"]')
    replies = {event["request"]: json.loads(event["data"])[0] for event in map(json.loads, result.lines)
               if event["type"] == "message"}
    assert (result.status, replies) == (0, {1: 50, 2: 8}), result


# Jupyter


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    """The URL of a kernel."""
    directory = tmp_path_factory.mktemp("jupyter")
    (port,) = free_ports(1)
    command = [PEERS / "jupyter-server", "--no-browser", "--allow-root", f"--ServerApp.port={port}",
               "--ServerApp.ip=127.0.0.1", "--IdentityProvider.token=t", f"--ServerApp.root_dir={directory}"]
    with Server(port, "is running at", command, directory):
        request = urllib.request.Request(f"http://127.0.0.1:{port}/api/kernels?token=t", method="POST")
        with urllib.request.urlopen(request) as response:
            identifier = json.load(response)["id"]
        yield f"ws://127.0.0.1:{port}/api/kernels/{identifier}/channels?token=t"


def jupyter(kernel, code):
    return wsx("connect", "-1", "--fail", "--output", "json", "--timeout", "60s", "--protocol",
               f"@{PROTOCOLS}/jupyter.json", kernel, json.dumps(code))


def test_jupyter_executes_code_and_reports_exceptions(kernel):
    result = jupyter(kernel, "print(6 * 7)")
    # The output has a channel of its own, and may follow the reply.
    events = [event for event in map(json.loads, result.lines) if event["type"] == "message"]
    replies = [event["request"] for event in events if event["protocol"]["event"] == "execute_reply"]
    assert (result.status, replies) == (0, [1]), result
    result = jupyter(kernel, "1 / 0")
    assert (result.status, "ZeroDivisionError" in result.err) == (7, True), result


def test_jupyter_shows_the_messages_of_other_clients(kernel):
    with Running([BINARY, "connect", "--no-stdin", "--protocol", f"@{PROTOCOLS}/jupyter.json", kernel]) as client:
        wait_until(lambda: jupyter(kernel, "print('seen')").status == 0 and b"seen" in client.out, what="the output")


# OCPP


CENTRAL_SYSTEM = """\
import asyncio, sys, websockets
from datetime import datetime, timezone
from ocpp.routing import on
from ocpp.v16 import ChargePoint, call, call_result
from ocpp.v16.enums import Action, RegistrationStatus, ResetType

class Point(ChargePoint):
    @on(Action.boot_notification)
    def boot(self, charge_point_vendor, charge_point_model, **more):
        time = datetime.now(timezone.utc).isoformat()
        return call_result.BootNotification(current_time=time, interval=300, status=RegistrationStatus.accepted)

    @on(Action.status_notification)
    async def status(self, **more):
        self.task = asyncio.create_task(self.reset())
        return call_result.StatusNotification()

    async def reset(self):
        print(await self.call(call.Reset(type=ResetType.soft)), flush=True)

async def connected(socket):
    try:
        await Point(socket.request.path.strip("/"), socket).start()
    except websockets.ConnectionClosed:
        pass

async def main():
    async with websockets.serve(connected, "127.0.0.1", int(sys.argv[1]), subprotocols=["ocpp1.6"]):
        print("ready", flush=True)
        await asyncio.Future()

asyncio.run(main())
"""


@pytest.fixture
def central_system(tmp_path):
    (tmp_path / "central_system.py").write_text(CENTRAL_SYSTEM)
    (port,) = free_ports(1)
    with Running([PEERS / "python", tmp_path / "central_system.py", str(port)]) as server:
        server.wait_for("ready", "out")
        server.port = port
        yield server


def ocpp(server, *arguments):
    return wsx("connect", "--fail", "--protocol", f"@{PROTOCOLS}/ocpp.json", *arguments[:-1],
               f"ws://127.0.0.1:{server.port}/CP1", arguments[-1])


def test_a_central_system_accepts_a_charge_point_and_reports_an_error(central_system):
    result = ocpp(central_system, "-1", '"BootNotification",{"chargePointModel":"m","chargePointVendor":"v"}')
    assert (result.status, json.loads(result.out)["status"]) == (0, "Accepted"), result
    result = ocpp(central_system, "-1", '"BootNotification",{"chargePointModel":"m"}')
    assert (result.status, "incomplete" in result.err) == (7, True), result


def test_a_central_system_gets_an_answer_to_its_call(central_system):
    line = '"StatusNotification",{"connectorId":1,"errorCode":"NoError","status":"Available"}'
    result = ocpp(central_system, "--until", "^Reset", line)
    assert (result.status, result.lines) == (0, ["{}", 'Reset {"type":"Soft"}']), result
    central_system.wait_for("ResetStatus.accepted|status='Accepted'", "out")


# NATS


@pytest.fixture
def nats(tmp_path):
    ports = free_ports(2)
    (tmp_path / "nats.conf").write_text(
        "listen: 127.0.0.1:%d\nwebsocket { listen: \"127.0.0.1:%d\", no_tls: true }\n" % tuple(ports))
    with Server(ports[1], "Server is ready", ["nats-server", "-c", tmp_path / "nats.conf"], tmp_path) as server:
        yield server


def nats_run(server, *lines):
    return wsx("connect", "--eol", "crlf", "--decode", "text", "--no-stdin", "--answer", "^PING => PONG\r\n",
               "--until", "^(MSG|-ERR|PONG)", "--timeout", "20s", f"ws://127.0.0.1:{server.port}/", *lines)


def test_nats_answers_and_delivers_messages(nats):
    result = nats_run(nats, 'CONNECT {"verbose":false}', "SUB news.> 1", "PUB news.today 5", "hello")
    assert (result.status, b"MSG news.today 1 5\r\nhello\r\n" in result.out) == (0, True), result
    result = nats_run(nats, 'CONNECT {"verbose":false}', "PING")
    assert (result.status, b"PONG\r\n" in result.out) == (0, True), result


def test_nats_reports_an_error(nats):
    result = nats_run(nats, "NONSENSE")
    assert (result.status, b"-ERR 'Unknown Protocol Operation'" in result.out) == (0, True), result
