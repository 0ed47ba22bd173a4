"""--pick writes one value of each JSON message. The server is Python's websockets."""

import json
import re

import pytest

from processes import Listener, assert_fails, wsx

TRADES = [
    {"type": "trade", "user": {"name": "Ann \"A\"\n"}, "prices": [1.5, 20], "odd key": {"x": None}},
    {"type": "heartbeat"},
    {"type": "trade", "user": {"name": "é🎈"}, "prices": [], "odd key": {"x": {"y": [True, {}]}}},
]
LINES = "".join(json.dumps(trade, ensure_ascii=index == 0) + "\n" for index, trade in enumerate(TRADES))


def pick(server, path, *options, messages=LINES):
    """Returns what a run writes for echoes of these messages."""
    result = wsx("connect", "--linger", "500ms", "--pick", path, *options, server.url, stdin=messages.encode())
    assert (result.status, result.err) == (0, ""), result
    return result.out.decode()


@pytest.mark.parametrize("path, expected", [
    (".user.name", 'Ann "A"\n\né🎈\n'),
    ("/user/name", 'Ann "A"\n\né🎈\n'),
    (".prices", "[1.5,20]\n[]\n"),
    (".prices[0]", "1.5\n"),
    (".prices[-1]", "20\n"),
    ('."odd key".x', 'null\n{"y":[true,{}]}\n'),
    (".type", "trade\nheartbeat\ntrade\n"),
    (".nothing", ""),
])
def test_a_path_picks_a_value(python_echo, path, expected):
    assert pick(python_echo, path) == expected


def test_a_dot_picks_the_whole_message_on_one_line(python_echo):
    messages = '{ "a" : [ 1.0 , "b c" ] }\nno JSON\n"text"\n{"a":1\n7\n'
    assert pick(python_echo, ".", messages=messages) == '{"a":[1.0,"b c"]}\ntext\n7\n'


def test_json_in_binary_messages_is_picked(python_echo):
    assert pick(python_echo, ".type", "--binary") == "trade\nheartbeat\ntrade\n"
    result = wsx(
        "connect", "--input", "hex", "--linger", "500ms", "--pick", ".", python_echo.url,
        stdin=b'"\xff"'.hex().encode() + b"\n" + b'"ok"'.hex().encode())
    assert (result.status, result.out) == (0, b"ok\n")


def test_events_have_the_value_as_data(python_echo):
    lines = pick(python_echo, ".user", "--output", "json").splitlines()
    messages = [event for event in map(json.loads, lines) if event["type"] == "message"]
    assert [json.loads(event["data"]) for event in messages] == [TRADES[0]["user"], TRADES[2]["user"]]
    assert [event["bytes"] for event in messages] == [len(event["data"].encode()) for event in messages]


def test_large_messages_are_picked(python_echo):
    message = json.dumps({"items": [{"id": index, "text": "x" * 1000} for index in range(5000)], "last": "end"})
    assert pick(python_echo, ".last", messages=message + "\n") == "end\n"
    assert pick(python_echo, ".items[-1].id", messages=message + "\n") == "4999\n"


def test_a_server_picks_values_of_its_clients():
    with Listener("--pick", ".a") as server:
        result = wsx("connect", "--linger", "0", server.url, stdin=b'{"a":1}\n{"b":2}\n{"a":"x y"}\n')
        assert result.status == 0
        server.wait_for("1\nx y\n", "out")
        assert server.out == b"1\nx y\n"


@pytest.mark.parametrize("path, position", [
    ("", "at the end"), ("user", "at character 1"), (".a..b", "at character 4"), (".a[]", "at character 4"),
    ("/~2", "at character 2"), (".a|.b", "at character 3"),
])
def test_an_invalid_path_is_an_error_with_its_position(path, position):
    assert_fails(wsx("connect", "--pick", path, "echo:"), 2, f"invalid value '{path}' for '--pick'", position)


# --format


def test_a_format_writes_the_time_and_the_latency_of_a_reply(python_echo):
    result = wsx("connect", "--request", "--format", "{{{time} {latency}}}", python_echo.url, "x")
    assert result.status == 0, result
    assert re.fullmatch(r"\{\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z \d+\.\d{3}\}\n", result.out.decode())
    assert wsx("connect", "--format", "{latency}|", python_echo.url, "x").out == b"|\n"


def test_a_format_has_binary_and_decoded_messages(python_echo):
    result = wsx("connect", "--binary", "--format", "{kind} {data}", python_echo.url, "x")
    assert (result.status, result.out) == (0, b"binary x\n")
    result = wsx(
        "connect", "--encode", "msgpack", "--decode", "msgpack", "--format", "{size} {data.a}", python_echo.url, '{"a":1}')
    assert (result.status, result.out) == (0, b"4 1\n")
