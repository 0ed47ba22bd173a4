"""`wsx listen` as a mock server: `--first-message` and `--answer`."""

import asyncio

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


@pytest.mark.parametrize("words, message", [
    (["--answer", "ping"], "expected 'REGEX => TEXT'"),
    (["--answer", "ping => {{sek}}"], "did you mean '{{seq}}'?"),
    (["--first-message", ""], "--first-message"),
    (["--replay", "x.jsonl", "--answer", "a => b"], "--answer"),
])
def test_invalid_rules_are_rejected(words, message):
    assert_fails(wsx("listen", *words, "0"), 2, message)
