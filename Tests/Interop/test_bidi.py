"""`--json-rpc` with WebDriver BiDi, whose calls need parameters and whose errors have a text as code."""

import json

import pytest

import wire
from processes import wsx
from scripted_server import ScriptedServer

SESSION = "session/0f2c936f-b1cd-4ac9-aab3-f63b0f33d55e"
ERROR = {"type": "error", "error": "invalid argument", "message": "no such thing"}


def serve(peer):
    """A browser: answers calls, after an event. It cannot read the id of `unreadable`."""
    peer.upgrade()
    calls = []
    while (frame := peer.read_next()).opcode != wire.CLOSE:
        calls.append(call := json.loads(frame.payload))
        peer.send(wire.text(json.dumps({"type": "event", "method": "log.entryAdded", "params": {"id": call["id"]}})))
        if call["method"] == "status":
            answer = {"type": "success", "id": call["id"], "result": {"ready": True}}
        else:
            answer = {**ERROR, "id": None if call["method"] == "unreadable" else call["id"]}
        peer.send(wire.text(json.dumps(answer)))
    peer.send(wire.frame(wire.CLOSE, frame.payload))
    return calls


@pytest.mark.parametrize("option, path", [("--json-rpc", SESSION), ("--json-rpc", "session"), ("--json-rpc=bidi", "")],
                         ids=["session", "new session", "on request"])
def test_calls_have_parameters_and_no_version(option, path):
    with ScriptedServer(serve) as server:
        result = wsx("connect", option, "-1", server.url + path, "status", "status a=1")
        assert (result.status, result.err) == (0, "")
        assert server.results == [[
            {"id": 1, "method": "status", "params": {}}, {"id": 2, "method": "status", "params": {"a": 1}}]]
    answers = [message for message in map(json.loads, result.lines) if message["type"] == "success"]
    assert [message["id"] for message in answers] == [1, 2]


@pytest.mark.parametrize("method", ["fly", "unreadable"])
def test_an_error_answers_its_call_or_the_only_one(method):
    with ScriptedServer(serve) as server:
        result = wsx("connect", "--json-rpc", "--fail", "--reply-timeout", "60s", server.url + SESSION, method)
    assert result.status == 7
    assert result.err.startswith("wsx: request 1") and "error invalid argument: no such thing" in result.err
