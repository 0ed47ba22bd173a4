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
    difference = "no matching message within 300 ms; the closest message differs: /value: expected 5, received 4"
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


def test_a_connection_that_ends_too_early_fails(tmp_path):
    def leave(peer):
        peer.upgrade(then=wire.close(4001, b"bye"))
        peer.read_until_close()

    path = written(tmp_path / "s.jsonl", STEPS[1:2])
    with ScriptedServer(leave) as server:
        result = wsx("connect", "--scenario", path, server.url)
    assert_fails(result, 7, 'line 1 (login): the connection ended with 4001: "bye"')


def test_a_close_without_an_answer_fails_like_a_plain_connection(tmp_path):
    def serve(peer):
        peer.upgrade()
        peer.read_to_end()

    path, junit = written(tmp_path / "s.jsonl", STEPS[5:]), tmp_path / "results.xml"
    with ScriptedServer(serve) as server:
        plain = wsx("connect", "--close-timeout", "300ms", server.url)
        assert plain.status == 6
        result = wsx("connect", "--close-timeout", "300ms", "--scenario", path, "--junit", junit, server.url)
        assert_fails(result, 6, "line 1: the peer did not answer the close frame in time; --close-timeout")
        assert result.lines[0].startswith("FAIL  line 1: close  ")
        time = ElementTree.parse(junit).getroot().find("testsuite/testcase").get("time")
        assert float(time) >= 0.3, "the time of the failed step"
        written(path, [STEPS[5] | {"timeout": "200ms"}])
        result = wsx("connect", "--close-timeout", "300ms", "--scenario", path, server.url)
        assert_fails(result, 6, "line 1: the peer did not answer the close frame within 200 ms")


@pytest.mark.parametrize("frame, words", [
    (wire.frame(3, b""), "the peer violated the WebSocket protocol: opcode 3 is reserved"),
    (wire.text(b"x" * 100), "a message is larger than 50 bytes"),
])
def test_a_violation_is_the_reason_of_a_failure(tmp_path, frame, words):
    def serve(peer):
        peer.upgrade(then=frame)
        peer.read_to_end()

    path = written(tmp_path / "s.jsonl", STEPS[1:2])
    with ScriptedServer(serve) as server:
        result = wsx("connect", "--max-message-size", "50", "--scenario", path, server.url)
    assert_fails(result, 7, f"line 1 (login): {words}")


def test_verbose_runs_show_the_traffic(tmp_path):
    path = written(tmp_path / "s.jsonl", STEPS)
    with ScriptedServer(serve) as server:
        for flag, words in ("-v", ["GET / HTTP/1.1", "101", '{"token":"x"}', '"push"', "1000"]), (
                "-vv", ["GET / HTTP/1.1", "FIN text masked"]):
            result = wsx("connect", flag, "--scenario", path, server.url, env=environment(TOKEN="x"))
            assert result.status == 0
            for word in words:
                assert word in result.err
            assert [line.split()[0] for line in result.lines] == ["ok"] * 6


def test_results_that_cannot_be_written_are_not_called_a_recording(tmp_path):
    path = written(tmp_path / "s.jsonl", STEPS[5:])
    with Listener("--echo") as server:
        result = wsx("connect", "--scenario", path, "--junit", "/dev/full", server.url)
    assert_fails(result, 1, "writing /dev/full: no space left on device")


@pytest.mark.parametrize("line, position, message", [
    ('{"type":"mesage"}', (1, 9), "unknown type 'mesage'"),
    ('\n{"type":"pause","for":"soon"}', (2, 23), "'for'"),
    ("{", (1, 2), "not JSON"),
    ('{"type":"message","direction":"in","mathc":"x"}', (1, 36), "did you mean 'match'?"),
    ('{"type":"message","directon":"in","data":"x"}', (1, 19), "did you mean 'direction'?"),
    ('{"type":"pause","for":"1s-2s-3s"}', (1, 23), "'for'"),
    ('{"type":"message","direction":"out","data":"{{customer}}"}', (1, 45), "a column of --data FILE"),
    ('{"type":"message","direction":"in","match":{"/a":"{{sek}}"}}', (1, 51), "did you mean '{{seq}}'?"),
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
    (["--scenario", "x", "--heartbeat", "1s"], "--heartbeat"),
    (["--scenario", "x", "--junit", "-"], "--junit"),
])
def test_invalid_options_are_rejected(words, message):
    assert_fails(wsx("connect", *words, "ws://127.0.0.1:1/"), 2, message)


def test_a_refused_connection_fails_the_first_test_case(tmp_path):
    path = written(tmp_path / "s.jsonl", [{"type": "message", "direction": "out", "data": "a"}])
    junit = tmp_path / "results.xml"
    assert_fails(wsx("connect", "--scenario", path, "--junit", junit, "ws://127.0.0.1:1/"), 3, "127.0.0.1:1")
    suite = ElementTree.parse(junit).getroot().find("testsuite")
    assert (suite.get("failures"), suite.get("skipped")) == ("1", "0")


def test_messages_on_the_command_line_are_rejected(tmp_path):
    path = written(tmp_path / "s.jsonl", STEPS[5:])
    assert_fails(wsx("connect", "--scenario", path, "ws://127.0.0.1:1/", "hello"), 2, "MESSAGE with --scenario")


def test_the_results_do_not_replace_the_scenario(tmp_path):
    path = written(tmp_path / "s.jsonl", STEPS[5:])
    assert_fails(wsx("connect", "--scenario", path, "--junit", path, "ws://127.0.0.1:1/"), 2, "reads the same file")
    assert path.read_text()


def test_a_quiet_run_writes_only_the_failed_step(tmp_path):
    path = written(tmp_path / "s.jsonl", [
        {"type": "message", "direction": "out", "data": "a"}, {"type": "message", "direction": "in", "data": "a"}])
    with Listener("--echo") as server:
        result = wsx("connect", "--quiet", "--scenario", path, server.url)
        assert (result.status, result.out, result.err) == (0, b"", "")
    with Listener("--answer", "a => b") as server:
        steps = [json.loads(line) for line in path.read_text().splitlines()]
        written(path, [steps[0], steps[1] | {"strict": True}])
        result = wsx("connect", "--quiet", "--scenario", path, server.url)
        assert_fails(result, 7, "expected a, received b")
        assert len(result.lines) == 1 and result.lines[0].startswith("FAIL")


def test_a_time_limit_ends_the_run(tmp_path):
    path = written(tmp_path / "s.jsonl", [{"type": "message", "direction": "in", "match": "never"}])
    with Listener("--echo") as server:
        result = wsx("connect", "--timeout", "200ms", "--scenario", path, server.url)
    assert_fails(result, 6, "line 1: timed out after 200 ms (--timeout): nothing arrived")
    assert result.lines == ["FAIL  line 1: receive  timed out after 200 ms (--timeout): nothing arrived"]


def test_a_message_that_cannot_be_encoded_is_found_before_connecting(tmp_path):
    path = written(tmp_path / "s.jsonl", [
        {"type": "message", "direction": "out", "data": "{}"}, {"type": "message", "direction": "out", "data": "hello"}])
    for command in ["connect", "bench"]:
        result = wsx(command, "--scenario", path, "--encode", "cbor", "ws://127.0.0.1:1/")
        assert_fails(result, 2, "s.jsonl, line 2: --encode cannot encode the message: cbor: ")


@pytest.mark.parametrize("source", ["recording", "events"])
def test_a_session_with_codecs_is_replayed_with_the_same_codecs(tmp_path, source):
    """MessagePack of an echo: the recording has its bytes, and the events have its decoded text."""
    codecs = ["--encode", "msgpack", "--decode", "msgpack"]
    path = tmp_path / "session.jsonl"
    with Listener("--echo") as server:
        recorded = wsx("connect", *codecs, "--record", path, "--json", "-1", server.url, '{"a":1}')
        assert recorded.status == 0
        if source == "events":
            events = [json.loads(line) for line in recorded.lines]
            assert [event["decoded"] for event in events if event["type"] == "message"] == ["msgpack"]
            written(path, events[:1] + [{"type": "message", "direction": "out", "data": '{"a":1}'}] + events[1:2])
        result = wsx("connect", *codecs, "--scenario", path, server.url, timeout=60)
        assert (result.status, result.err) == (0, "")
        result = wsx("bench", *codecs, "--scenario", path, "-c", "2", "-n", "4", server.url, timeout=60)
        assert (result.status, result.err) == (0, "")


def saying(frame):
    """Returns a script that sends a frame."""

    def script(peer):
        peer.upgrade(then=frame)
        peer.answer_close()

    return script


def incoming(**members):
    return [{"type": "message", "direction": "in", **members}]
