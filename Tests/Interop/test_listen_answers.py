"""`wsx listen` as a mock server: `--first-message` and `--answer`."""

import asyncio
import json

import pytest
import websockets

from processes import Listener, assert_fails, wsx


def exchanged(url, *messages, replies):
    """Sends messages, and returns this many received ones."""

    async def exchange():
        async with websockets.connect(url) as client:
            for message in messages:
                await client.send(message)
            return [await asyncio.wait_for(client.recv(), 60) for _ in range(replies)]

    return asyncio.run(exchange())


def test_clients_are_greeted_and_answered():
    with Listener("--first-message", "hello {{connection}}", "--answer", r"^add (\d+)$ => added $1 as {{seq}}") as server:
        assert exchanged(server.url, "add 5", "add 6", replies=3) == ["hello 1", "added 5 as 2", "added 6 as 3"]
        assert exchanged(server.url, "add 7", replies=2) == ["hello 2", "added 7 as 2"]


def test_other_messages_are_handled_as_usual():
    with Listener("--echo", "--answer", "^ping$ => pong") as server:
        assert exchanged(server.url, "ping", "other", "ping", replies=3) == ["pong", "other", "pong"]


def test_answers_insert_values_of_json_messages():
    rule = '"op":"get" => {"id":{{last:/id}},"key":{{json:last:/key}}}'
    with Listener("--answer", rule) as server:
        reply, = exchanged(server.url, json.dumps({"op": "get", "id": 7, "key": 'a"b'}, separators=(",", ":")), replies=1)
    assert json.loads(reply) == {"id": 7, "key": 'a"b'}


def test_answered_messages_are_written(tmp_path):
    path = tmp_path / "session.jsonl"
    with Listener("--answer", "ping => pong", "--record", path) as server:
        exchanged(server.url, "ping", replies=1)
    events = [json.loads(line) for line in path.read_text().splitlines()]
    messages = [(event["direction"], event["data"], event["client"]) for event in events if event["type"] == "message"]
    assert messages == [("in", "ping", 1), ("out", "pong", 1)]


def test_a_search_that_takes_too_many_steps_is_reported():
    with Listener("--answer", "^(x+x+)+$ => pong", "--answer", "^x => other") as server:
        assert exchanged(server.url, "x" * 5000 + "!!", replies=1) == ["other"]
        server.wait_for(r"wsx: searching '\^\(x\+x\+\)\+\$': some text needs too many steps .*\n")


@pytest.mark.parametrize("words, message", [
    (["--answer", "ping"], "expected 'REGEX => TEXT'"),
    (["--answer", "ping => {{sek}}"], "did you mean '{{seq}}'?"),
    (["--first-message", ""], "--first-message"),
    (["--replay", "x.jsonl", "--answer", "a => b"], "--answer"),
])
def test_invalid_rules_are_rejected(words, message):
    assert_fails(wsx("listen", *words, "0"), 2, message)
