"""Optional steps, steps in any order, replies of several messages, and subprotocols of recordings."""


import pytest

from processes import Listener, wsx
from protocol_files import OBSServer
from protocol_servers import PhoenixServer
from scripted_server import ScriptedServer
from test_bench import bench, errors, faults
from test_bench_requests import answering
from test_scenarios import written
from test_streamed_replies import send


def out(data, **members):
    return {"type": "message", "direction": "out", "data": data, **members}


def awaiting(**members):
    return {"type": "message", "direction": "in", **members}


STREAM = [out('{"id":{{seq}}}'), awaiting(replyEnd="json:.done==true", name="chat")]


def stream(peer, request):
    for number in range(4):
        send(peer, id=request["id"], number=number, done=number == 3)


def test_the_table_shows_the_replies_of_a_step(tmp_path):
    path = written(tmp_path / "s.jsonl", STREAM)
    with ScriptedServer(answering(stream)) as server:
        result = wsx("bench", "--scenario", path, "-c", "1", "-n", "3", server.url)
    assert result.status == 0
    assert "chat: 4 messages each; first p50" in result.out.decode()


CHOICES = [
    awaiting(match={"/type": "welcome"}, data='{"type":"welcome"}', optional=True),
    awaiting(match={"/type": "ready"}, data='{"type":"ready"}'),
    out('{"op":"join","room":"r{{random 4}}"}', match={"/op": "join"}, set={"room": "/room"}),
    {"type": "anyOrder", "steps": [
        awaiting(match={"/joined": "{{room}}"}, data='{"joined":"{{room}}"}'),
        awaiting(match={"/count": 1}, data='{"count":1}')]},
    {"type": "anyOrder", "steps": [out("one"), out("two")]},
    awaiting(data="done"),
]


def test_a_server_plays_the_same_file(tmp_path):
    path = written(tmp_path / "s.jsonl", CHOICES)
    with Listener("--scenario", path) as server:
        result = wsx("connect", "--scenario", path, server.url)
        assert (result.status, result.err) == (0, "")
        # Another client, with a message of its own and in another order.
        result = wsx("connect", "-n", "5", "--linger", "forever", server.url, '{"op":"join","room":"x","extra":1}', "two", "one")
    assert result.status == 0
    assert '{"joined":"x"}' in result.lines and result.lines[-1] == "done"


def test_a_recorded_subprotocol_is_offered_and_accepted(tmp_path):
    path = tmp_path / "session.jsonl"
    with Listener("--echo", "-s", "chat.v2") as server:
        assert wsx("connect", "--record", path, "-s", "chat.v1,chat.v2", "-1", server.url, "hello").status == 0
        result = wsx("connect", "-v", "--scenario", path, server.url)
        assert result.status == 0 and "Sec-WebSocket-Protocol: chat.v2" in result.err
        result, results = bench(server.url, "--scenario", path, "-c", "1", "-n", "2")
        assert (result.status, faults(results), errors(results)) == (0, {}, {})
    with Listener("--scenario", path) as server:
        result = wsx("connect", "-v", "-s", "chat.v2", "-1", server.url, "hello")
    assert result.status == 0 and "Sec-WebSocket-Protocol: chat.v2" in result.err.split("HTTP/1.1 101", 1)[1]


@pytest.mark.parametrize("make_server", [OBSServer, PhoenixServer], ids=["obs", "phoenix"])
def test_a_recording_with_a_protocol_is_a_scenario_without_it(tmp_path, make_server):
    path = tmp_path / "session.jsonl"
    with make_server() as server:
        lines = [*server.opening, server.request(1)]
        recorded = wsx("connect", *server.options, "--record", path, "--request", server.url, *lines)
        assert recorded.status == 0, recorded
        result = wsx("connect", "-v", "--scenario", path, server.url)
        assert result.status == 0, result
        if make_server is OBSServer:
            assert "Sec-WebSocket-Protocol: obswebsocket.json" in result.err
        result, results = bench(server.url, "--scenario", path, "-c", "1", "-n", "1")
    assert (result.status, faults(results), errors(results)) == (0, {}, {})
