"""Socket.IO 2, with a server written from the specification (Tests/Heavy has python-socketio 4)."""

import json

import pytest

import wire
from processes import assert_fails, wsx
from scripted_server import ScriptedServer
from test_bench import bench

QUERY = "?EIO=3&transport=websocket"


def serve(peer, ping_interval=25000):
    """Connects everyone to /, acknowledges events with their arguments, and sends back the attachments of `bytes`."""
    assert QUERY.encode() in peer.read_request()
    handshake = {"sid": "s", "upgrades": [], "pingInterval": ping_interval, "pingTimeout": 60000}
    peer.upgrade(then=wire.text("0" + json.dumps(handshake)) + wire.text("40"))
    pings, pending = 0, None
    while (frame := peer.read_next()) is not None and frame.opcode != wire.CLOSE:
        text = frame.payload.decode(errors="replace")
        if frame.opcode == wire.BINARY:
            assert frame.payload[:1] == b"\4"
            # Base64 is for clients without binary data, and possible for others.
            peer.send(wire.text('451-["bytes",{"_placeholder":true,"num":0}]') + wire.text("b4AQI="))
            peer.send(wire.text('461-%s[{"_placeholder":true,"num":0}]' % pending))
            peer.send(wire.frame(wire.BINARY, frame.payload[:1] + frame.payload[:0:-1]))
        elif text == "2":
            pings += 1
            peer.send(wire.text("3"))
            if pings == 3:
                peer.send(wire.text('42["pinged"]'))
        elif text.startswith("40/refused"):
            peer.send(wire.text('44/refused,"no"'))
        elif text.startswith("40"):
            peer.send(wire.text(text))
        elif text.startswith("451-"):
            pending = text[4:].split("[")[0]
        elif text.startswith("42"):
            namespace = text[2:].split(",")[0] + "," if text[2] == "/" else ""
            number, data = text[2 + len(namespace):].split("[", 1)
            if number:
                peer.send(wire.text(f"43{namespace}{number}[{data.split(',', 1)[1]}"))
    if frame is not None:
        peer.send(wire.frame(wire.CLOSE, frame.payload))
    return pings


@pytest.fixture(scope="module")
def server():
    with ScriptedServer(serve) as running:
        yield running


def connect(server, *arguments):
    return wsx("connect", "--timeout", "60s", "--protocol", "socket.io", *arguments)


@pytest.mark.parametrize("options, line, reply", [
    ([], "chat 1 x", '[1,"x"]'), ([], "/admin chat 7", "/admin 7"), (["--param", "namespace=/admin"], "chat 8", "8"),
    ([], 'bytes {"$bytes":"AQID"}', '{"$bytes":"AwIB"}'),
], ids=["event", "namespace", "default namespace", "binary"])
def test_events_are_acknowledged(server, options, line, reply):
    result = connect(server, "--request", *options, server.url + "?EIO=3", line)
    assert (result.status, result.lines[-1], result.err) == (0, reply, "")


def test_binary_data_is_received(server):
    result = connect(server, "-n", "1", server.url + "?EIO=3", 'bytes {"$bytes":"AQI="}')
    assert (result.status, result.lines) == (0, ['bytes {"$bytes":"AQI="}'])


def test_a_refused_namespace_is_reported(server):
    result = connect(server, "--request", "--fail", server.url + "?EIO=3", "/refused")
    assert (result.status, result.lines) == (7, ['/refused connect_error "no"'])


def test_the_version_is_detected_by_the_url(server):
    result = wsx("connect", "--protocol", "auto", "-n", "1", server.url + "socket.io/" + QUERY,
                 'bytes {"$bytes":"AQI="}')
    assert (result.status, result.lines) == (0, ['bytes {"$bytes":"AQI="}'])


def test_the_client_sends_the_pings():
    with ScriptedServer(lambda peer: serve(peer, ping_interval=100)) as server:
        result = connect(server, "--no-stdin", "-n", "1", server.url + "?EIO=3")
        assert (result.status, result.lines) == (0, ["pinged"])
        assert server.results[0] >= 3


def test_load(server):
    result, results = bench(
        "--protocol", "socket.io", server.url + "?EIO=3", "--mode", "request", "-m", "chat {{seq}}", "-c", "2", "-n",
        "20")
    assert (result.status, results["messages"]["received"]) == (0, 20)


def test_there_is_no_payload_for_authentication(server):
    assert_fails(connect(server, "--param", "auth={}", server.url + "?EIO=3"), 2, 'unknown parameter "auth"')


def test_other_versions_are_unknown(server):
    assert_fails(connect(server, server.url + "?EIO=2"), 2, "EIO=2")
