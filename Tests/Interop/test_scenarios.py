"""`wsx connect --scenario`: recordings and hand-written files as tests."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

import wire
from processes import Listener, assert_fails, environment, wsx
from scripted_server import ScriptedServer


def serve(peer):
    """A service with a login, requests, and pushes."""
    peer.upgrade(then=wire.text(b'{"type":"hello"}'))
    login = json.loads(peer.read_frame().payload)
    peer.send(wire.text(json.dumps({"type": "ready", "session": "s-" + login["token"], "time": 1}).encode()))
    while (frame := peer.read_frame()).opcode != wire.CLOSE:
        request = json.loads(frame.payload)
        peer.send(wire.text(b'{"type":"push"}'))
        peer.send(wire.text(json.dumps({"id": request["id"], "sid": request["sid"], "value": request["id"] * 2}).encode()))
    peer.send(wire.frame(wire.CLOSE, frame.payload))


STEPS = [
    {"type": "message", "direction": "out", "data": '{"token":{{json:env:TOKEN}}}'},
    {"type": "message", "direction": "in", "match": {"/type": "ready"}, "set": {"sid": "/session"}, "name": "login"},
    {"type": "pause", "for": "10ms-20ms"},
    {"type": "message", "direction": "out", "data": '{"sid":{{json:sid}},"id":{{seq}}}'},
    {"type": "message", "direction": "in", "match": {"/id": "{{seq}}", "/value": 4}, "name": "query", "timeout": "5s"},
    {"type": "close", "direction": "out", "code": 1000},
]


def written(path, steps):
    path.write_text("".join(json.dumps(step) + "\n" for step in steps))
    return path


def test_each_step_is_reported(tmp_path):
    path = written(tmp_path / "s.jsonl", STEPS)
    with ScriptedServer(serve) as server:
        result = wsx("connect", "--scenario", path, server.url, env=environment(TOKEN="a\"b"))
    assert (result.status, result.err) == (0, "")
    starts = [line.rsplit("  ", 1)[0] for line in result.lines]
    assert starts == [
        "ok    line 1: send", "ok    line 2: receive (login)", "ok    line 3: pause", "ok    line 4: send",
        "ok    line 5: receive (query)", "ok    line 6: close"]
    assert all(line.endswith(" ms") for line in result.lines)


def test_a_failed_step_shows_the_difference_and_ends_the_run(tmp_path):
    steps = [dict(step) for step in STEPS]
    steps[4] |= {"match": {"/id": "{{seq}}", "/value": 5}, "timeout": "300ms"}
    path, junit = written(tmp_path / "s.jsonl", steps), tmp_path / "results.xml"
    with ScriptedServer(serve) as server:
        result = wsx("connect", "--scenario", path, "--junit", junit, server.url, env=environment(TOKEN="x"))
    difference = "no matching message within 300 ms; the last one differs: /value: expected 5, received 4"
    assert_fails(result, 7, f"the scenario failed in line 5 (query): {difference}")
    assert result.lines[-1] == f"FAIL  line 5: receive (query)  {difference}"
    cases = ElementTree.parse(junit).getroot().findall("testsuite/testcase")
    assert [case.get("name") for case in cases][4] == "line 5: receive (query)"
    assert [[child.tag for child in case] for case in cases] == [[], [], [], [], ["failure"], ["skipped"]]


def test_a_recorded_session_is_a_scenario(tmp_path):
    path = tmp_path / "session.jsonl"
    with Listener("--answer", r'^\{"id":(\d+)\}$ => {"id":$1,"time":{{time}}}') as server:
        recorded = wsx("connect", "--record", path, "--request", server.url, '{"id":1}', '{"id":2}')
        assert recorded.status == 0
        played = wsx("connect", "--scenario", path, "--ignore", "/time", server.url)
        assert (played.status, played.err) == (0, "")
        assert sum("receive" in line for line in played.lines) >= 2


def test_a_difference_from_the_recording_fails(tmp_path):
    path = tmp_path / "session.jsonl"
    with Listener("--answer", "a => one") as server:
        assert wsx("connect", "--record", path, "-1", server.url, "a").status == 0
    steps = [json.loads(line) for line in path.read_text().splitlines()]
    for step in steps:
        if step["type"] == "message" and step["direction"] == "in":
            step["timeout"] = "300ms"
    written(path, steps)
    with Listener("--answer", "a => two") as server:
        result = wsx("connect", "--scenario", path, server.url)
    assert_fails(result, 7, "expected one, received two")


def test_a_connection_that_ends_too_early_fails(tmp_path):
    def leave(peer):
        peer.upgrade(then=wire.close(4001, b"bye"))
        peer.read_until_close()

    path = written(tmp_path / "s.jsonl", STEPS[1:2])
    with ScriptedServer(leave) as server:
        result = wsx("connect", "--scenario", path, server.url)
    assert_fails(result, 7, "line 1 (login): the connection ended with 4001")


def test_an_expected_close_passes(tmp_path):
    def leave(peer):
        peer.upgrade(then=wire.close(4001, b"bye"))
        peer.read_until_close()

    path = written(tmp_path / "s.jsonl", [{"type": "close", "direction": "in", "code": 4001}])
    with ScriptedServer(leave) as server:
        result = wsx("connect", "--scenario", path, server.url)
    assert result.lines[0].startswith("ok    line 1: receive close")


@pytest.mark.parametrize("line, position, message", [
    ('{"type":"mesage"}', (1, 9), "unknown type 'mesage'"),
    ('{"type":"message","direction":"in","match":"("}', (1, 44), "'match'"),
    ('{"type":"message","direction":"out","data":"{{nme}}"}', (1, 44), "unknown placeholder"),
    ('{"type":"message","direction":"out","data":"a","x":1}', (1, 48), "unknown member 'x'"),
    ('\n{"type":"pause","for":"soon"}', (2, 23), "'for'"),
    ("{", (1, 2), "not JSON"),
    ("", (1, 1), "the file has no steps"),
])
def test_an_invalid_file_is_rejected_with_its_position(tmp_path, line, position, message):
    path = tmp_path / "bad.jsonl"
    path.write_text(line)
    result = wsx("connect", "--scenario", path, "ws://127.0.0.1:1/")
    assert_fails(result, 2, f"bad.jsonl, line {position[0]}, column {position[1]}: ", message)


@pytest.mark.parametrize("words, message", [
    (["--scenario", "/nonexistent"], "/nonexistent"),
    (["--junit", "x.xml"], "--scenario"),
    (["--scenario", "x", "--ignore", "time"], "expected JSON Pointers"),
    (["--scenario", "x", "--reconnect"], "--reconnect"),
])
def test_invalid_options_are_rejected(words, message):
    assert_fails(wsx("connect", *words, "ws://127.0.0.1:1/"), 2, message)


def test_a_greeting_that_comes_with_the_response_is_not_missed(tmp_path):
    def serve(peer):
        peer.upgrade(then=wire.text(b"welcome"))
        peer.answer_close()

    path = written(tmp_path / "s.jsonl", [{"type": "message", "direction": "in", "match": "welcome"}])
    with ScriptedServer(serve) as server:
        result = wsx("connect", "--scenario", path, server.url)
    assert (result.status, result.err) == (0, "")


def test_a_refused_connection_fails_the_first_test_case(tmp_path):
    path = written(tmp_path / "s.jsonl", [{"type": "message", "direction": "out", "data": "a"}])
    junit = tmp_path / "results.xml"
    assert_fails(wsx("connect", "--scenario", path, "--junit", junit, "ws://127.0.0.1:1/"), 3, "127.0.0.1:1")
    suite = ElementTree.parse(junit).getroot().find("testsuite")
    assert (suite.get("failures"), suite.get("skipped")) == ("1", "0")
