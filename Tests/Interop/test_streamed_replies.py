"""`--reply-end`: replies that consist of several messages."""

import json
import threading

import pytest

import wire
from processes import assert_fails, wsx
from scripted_server import ScriptedServer
from test_bench import bench, errors, faults
from test_bench_requests import answering


def send(peer, **members):
    peer.send(wire.text(json.dumps(members).encode()))


def streaming(*texts, gap=0, then=lambda peer, request: None):
    """Returns a server that answers each request with messages, `gap` seconds apart, and then calls `then`."""

    def answer(peer, request):
        def send_rest(rest):
            send(peer, id=request.get("id"), text=rest[0], done=len(rest) == 1)
            if len(rest) > 1:
                threading.Timer(gap, send_rest, [rest[1:]]).start()
            else:
                then(peer, request)

        send_rest(texts)

    return answering(answer)


ENDS = [["--reply-end", "json:.done==true"], ["--reply-end", '"done": true']]


@pytest.mark.parametrize("end", ENDS, ids=["json", "regex"])
@pytest.mark.parametrize("matching", [[], ["--correlate", "id"]], ids=["order", "field"])
def test_a_reply_of_several_messages_has_the_time_of_each_part(end, matching):
    with ScriptedServer(streaming("a", "b", "c", gap=0.05)) as server:
        result, results = bench(
            server.url, "--mode", "request", "-m", '{"id":{{seq}}}', "-c", "2", "-n", "6", *end, *matching)
    assert (result.status, faults(results), errors(results)) == (0, {}, {})
    assert (results["messages"]["received"], results["messages"]["pushes"]) == (6, 0)
    stream = results["stream"]
    assert stream["messages"]["sum"] == 18 and stream["messages"]["min"] == stream["messages"]["max"] == 3
    # A timer may be late, but it is never early.
    assert stream["gap_us"]["min"] >= 50_000
    assert stream["last_us"] == results["latency_us"]
    assert stream["last_us"]["min"] >= stream["first_us"]["min"] + 100_000


def test_messages_outside_of_a_reply_are_pushes_and_the_last_message_is_checked():
    def then(peer, request):
        send(peer, event="tick")

    with ScriptedServer(streaming("bad", "good", then=then)) as server:
        result, results = bench(
            server.url, "--mode", "request", "-m", '{"id":{{seq}}}', "-c", "1", "-n", "5", "--correlate", "id",
            "--reply-end", "json:.done==true", "--expect", "good")
    assert (result.status, set(faults(results))) == (0, {"pushes"})
    assert results["messages"]["received"] == 5 and results["messages"]["pushes"] >= 4
    with ScriptedServer(streaming("good", "bad")) as server:
        result, results = bench(
            server.url, "--mode", "request", "-m", '{"id":{{seq}}}', "-c", "1", "-n", "5",
            "--reply-end", "json:.done==true", "--expect", "good")
    assert (result.status, faults(results)) == (7, {"mismatched": 5})
    assert results["stream"]["messages"]["sum"] == 0


def test_the_table_shows_the_times_of_streams():
    with ScriptedServer(streaming("a", "b")) as server:
        result = wsx("bench", "--mode", "request", "-m", "{}", "-n", "3", "-c", "1", "--reply-end", "true}$", server.url)
    assert result.status == 0
    lines = [line.split() for line in result.out.decode().splitlines()]
    assert ["replies", "2", "messages", "each"] in lines
    for name in ["first", "longest", "last"]:
        assert any(line[:1] == [name] and "p99" in line for line in lines)


def test_an_event_of_a_protocol_ends_its_reply(tmp_path):
    definition = tmp_path / "model.json"
    definition.write_text(json.dumps({"name": "model", "event": "/type", "prefix": '{"prompt":"', "suffix": '"}'}))

    def answer(peer, request):
        for number in range(len(request["prompt"])):
            send(peer, type="delta", number=number)
        send(peer, type="done")

    with ScriptedServer(answering(answer)) as server:
        result, results = bench(
            server.url, "--mode", "request", "--protocol", f"@{definition}", "-m", "hello", "-c", "2", "-n", "6",
            "--reply-end", "^done ")
    assert (result.status, faults(results), results["messages"]["pushes"]) == (0, {}, 0)
    assert results["stream"]["messages"]["sum"] == 6 * 6


@pytest.mark.parametrize(
    "words, message",
    [
        (["--reply-end", "x", "echo:"], "--reply-end"),
        (["--mode", "request", "-m", "a", "--reply-end", "(", "ws://127.0.0.1:1/"], "missing closing parenthesis"),
        (["--mode", "request", "-m", "a", "--reply-end", "json:", "ws://127.0.0.1:1/"], "--reply-end"),
    ],
)
def test_invalid_ends_are_rejected_before_connecting(words, message):
    assert_fails(wsx("bench", *words), 2, message)
