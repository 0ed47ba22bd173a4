"""Requests and replies: --request, --correlate, --json-rpc, and --reply-timeout."""

import json
import os
import subprocess
import threading

import pytest

import wire
from processes import BINARY, Running, assert_fails, wait_a_moment, wait_until, wsx
from scripted_server import ScriptedServer


def request_lines(*ids):
    return b"".join(b'{"id":%d}\n' % number for number in ids)


def received_until_close(peer):
    """Returns the payloads up to the client's close frame, and answers that."""
    payloads = []
    while (received := peer.read_frame()).opcode != wire.CLOSE:
        payloads.append(received.payload)
    peer.send(wire.frame(wire.CLOSE, received.payload))
    return payloads


# Sequential requests


def test_a_request_is_sent_after_the_previous_reply():
    def script(peer):
        peer.upgrade()
        for number in range(1000):
            assert peer.read_next().payload == b"%d" % number
            # If the client had sent anything else, it would arrive before the pong.
            peer.send(wire.frame(wire.PING, b"?"))
            assert peer.read_frame().opcode == wire.PONG
            peer.send(wire.text("reply %d" % number))
        return peer.answer_close().close_code

    with ScriptedServer(script) as server:
        result = wsx("connect", "--request", server.url, stdin=b"".join(b"%d\n" % number for number in range(1000)))
    assert (result.status, result.err) == (0, "")
    assert result.lines == [f"reply {number}" for number in range(1000)]
    assert server.results == [1000]


def test_a_reply_after_the_end_of_the_input_is_waited_for():
    may_answer = threading.Event()

    def script(peer):
        peer.upgrade()
        peer.read_frame()
        may_answer.wait(60)
        peer.send(wire.text("at last"))
        peer.answer_close()

    with ScriptedServer(script) as server:
        with Running([BINARY, "connect", "--request", server.url], stdin=-1) as client:
            client.process.stdin.write(b"question\n")
            client.process.stdin.close()
            # Longer than the linger time without requests.
            with pytest.raises(Exception):
                client.process.wait(1.5)
            may_answer.set()
            assert client.wait() == 0
            assert client.out == b"at last\n"


# Correlated requests


BAD_REQUESTS = [
    ('{"ID":1}', "it has no 'id' to match its reply; rename 'ID'"), ('{"a":{"id":1}}', "it has no 'id'"),
    ("text", "it is not JSON"), ('{"id":null}', "its 'id' is neither a string nor a number"),
    ('{"id":{"a":1}}', "its 'id' is neither"), ('[{"id":1},{"x":2}]', "it has no 'id'"), ("[]", "it has no 'id'"),
]


@pytest.mark.parametrize("message, words", BAD_REQUESTS)
@pytest.mark.parametrize("options", [["--correlate", "id"], ["-1", "--request", "--correlate", "id"]], ids=" ".join)
def test_a_message_without_the_field_is_an_error_before_the_connection(message, words, options, tmp_path):
    def script(peer):
        raise AssertionError("the client connected")

    path = tmp_path / "message"
    path.write_text(message)
    with ScriptedServer(script) as server:
        assert_fails(wsx("connect", *options, server.url, '{"id":5}', message), 2, f"message 2: {words}")
        assert_fails(wsx("connect", *options, "--file", path, server.url), 2, f"message 1: {words}")


def test_the_output_of_a_program_without_the_field_is_an_error():
    with ScriptedServer(lambda peer: (peer.upgrade(), received_until_close(peer))[1]) as server:
        result = wsx("connect", "--correlate", "id", "--exec", server.url, "--", "echo", '{"ID":1}')
    assert result.status == 1, result
    assert "line 1 of echo's output was not sent: it has no 'id'" in result.err
    assert server.results == [[]]


def test_a_request_that_times_out_is_reported_and_the_others_continue():
    given_up = threading.Event()

    def script(peer):
        peer.upgrade()
        peer.read_frame()
        peer.read_frame()
        peer.send(wire.text('{"id":2}'))
        given_up.wait(60)
        peer.send(wire.text('{"id":1}'))
        peer.read_frame()
        peer.send(wire.text('{"id":3}'))
        peer.answer_close()

    with ScriptedServer(script) as server:
        with Running([BINARY, "connect", "--correlate", "id", "--reply-timeout", "300ms", server.url], stdin=-1) as client:
            client.send(request_lines(1, 2))
            client.wait_for(r"wsx: request 1 \(id 1\): no reply within 300 ms\n")
            given_up.set()
            client.wait_for(r"wsx: request 1: the reply arrived \d+ ms late\n")
            client.send(request_lines(3))
            client.process.stdin.close()
            assert client.wait() == 6
            assert client.out == b'{"id":2}\n{"id":1}\n{"id":3}\n'
            assert client.err.splitlines()[2] == "wsx: 1 request had no reply within 300 ms; --reply-timeout sets the limit"


def test_a_slow_reader_of_the_output_causes_no_timeouts():
    """A reply that has arrived is not late just because our own output is full."""
    reply = b'{"id":%d,"x":"' + b"x" * 1_000_000 + b'"}'

    def script(peer):
        peer.upgrade()
        for number in range(12):
            peer.read_frame()
            peer.send(wire.text(reply % number))
        peer.answer_close()

    with ScriptedServer(script) as server:
        arguments = [BINARY, "connect", "--correlate", "id", "--reply-timeout", "1s", server.url]
        with Running(["bash", "-c", '"$@" | (sleep 3; wc -c)', "bash", *arguments], stdin=-1) as client:
            client.send(request_lines(*range(12)))
            client.process.stdin.close()
            assert client.wait() == 0
            assert client.err == ""
            assert int(client.out) == sum(len(reply % number) + 1 for number in range(12))


# JSON-RPC


def replying(*replies):
    """Returns a script that answers each request in turn, then waits for the close frame."""

    def script(peer):
        peer.upgrade()
        for reply in replies:
            peer.read_frame()
            peer.send(wire.text(reply))
        return peer.answer_close().close_code

    return script


NOT_FOUND = '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method\\u0007 not found"}}'


@pytest.mark.parametrize("options, status", [([], 0), (["--fail"], 7)], ids=["without --fail", "with --fail"])
def test_an_error_reply_is_reported_and_fails_the_run_with_fail(options, status):
    with ScriptedServer(replying(NOT_FOUND, '{"jsonrpc":"2.0","id":2,"result":null}')) as server:
        result = wsx("connect", "--json-rpc", *options, server.url, "nope", "yes")
    assert result.status == status
    assert result.lines == [NOT_FOUND, '{"jsonrpc":"2.0","id":2,"result":null}']
    assert result.error_lines[0] == "wsx: request 1: error -32601: Method\\u{7} not found"
    assert result.error_lines[1:] == (["wsx: the server reported 1 error (--fail)"] if status else [])


@pytest.mark.parametrize("pushed", [
    '{"event":"log","error":"disk warm"}', '{"id":"zz","error":{"code":1,"message":"not ours"}}',
    '{"jsonrpc":"2.0","method":"error","params":[],"error":1}',
], ids=["event", "foreign id", "notification"])
def test_an_error_unrelated_to_our_calls_does_not_fail_the_run(pushed):
    with ScriptedServer(lambda peer: (
            peer.upgrade(then=wire.text(pushed)), peer.read_frame(), peer.send(wire.text('{"id":1,"result":0}')),
            peer.answer_close())) as server:
        result = wsx("connect", "--json-rpc", "--fail", server.url, "go")
    assert (result.status, result.err) == (0, "")


# Messages that are not replies


def test_other_messages_go_to_standard_output_or_with_quiet_to_standard_error():
    def script(peer):
        peer.upgrade(then=wire.text("before"))
        peer.read_frame()
        peer.send(wire.text('{"event":1}') + wire.text('{"id":1}') + wire.text("after"))
        peer.answer_close()

    arguments = ["connect", "--correlate", "id", "--linger", "500ms"]
    with ScriptedServer(script) as server:
        loud = wsx(*arguments, server.url, '{"id":1}')
        quiet = wsx(*arguments, "-q", server.url, '{"id":1}')
    assert (loud.status, loud.lines, loud.err) == (0, ["before", '{"event":1}', '{"id":1}', "after"], "")
    assert (quiet.status, quiet.lines, quiet.error_lines) == (0, ['{"id":1}'], ["before", '{"event":1}', "after"])


def test_a_reader_of_standard_error_that_leaves_does_not_block_the_replies():
    sent = []

    def script(peer):
        peer.upgrade()
        peer.read_frame()
        for number in range(300):
            peer.send(wire.text("x" * 1000) * 100)
            sent.append(number)
        peer.send(wire.text('{"id":1}'))
        return peer.answer_close().close_code

    reader, writer = os.pipe()
    with ScriptedServer(script) as server:
        process = subprocess.Popen(
            [BINARY, "connect", "--correlate", "id", "-q", "--reply-timeout", "1h", server.url, '{"id":1}'],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=writer)
        os.close(writer)
        wait_until(lambda: (count := len(sent)) and not wait_a_moment(lambda: len(sent) > count))
        assert len(sent) < 300
        os.close(reader)
        try:
            out, _ = process.communicate(timeout=60)
        finally:
            process.kill()
        assert (process.returncode, out) == (0, b'{"id":1}\n')
    assert server.results == [1000]


# Ends


def test_a_normal_close_with_unanswered_requests_exits_1():
    def script(peer):
        peer.upgrade()
        for _ in range(3):
            peer.read_frame()
        peer.send(wire.text('{"id":2}') + wire.close(1000))
        peer.read_until_close()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--correlate", "id", server.url, stdin=request_lines(1, 2, 3))
    assert_fails(result, 1, "the peer closed the connection: 2 requests were not answered")


def test_a_lost_connection_reports_the_number_of_unanswered_requests():
    def script(peer):
        peer.upgrade()
        peer.read_frame()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--request", server.url, "a")
    assert result.status == 1
    assert result.error_lines[0] == "wsx: 1 request was not answered"
    assert "lost" in result.error_lines[1]


def test_the_linger_time_starts_at_the_last_reply():
    def script(peer):
        peer.upgrade()
        peer.read_frame()
        peer.send(wire.text("reply"))
        peer.send(wire.text("push"))
        peer.answer_close()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--request", "--linger", "400ms", server.url, "a")
    assert (result.status, result.lines, result.err) == (0, ["reply", "push"], "")


# Reconnecting


# Conflicting options


# Templates


def test_a_fast_pipe_inserts_values_of_the_reply_before_each_request():
    """All lines are read at once, and each one refers to the reply to the one before it."""

    def script(peer):
        peer.upgrade()
        seen = []
        for number in range(1, 51):
            seen.append(json.loads(peer.read_next().payload))
            peer.send(wire.text('{"token":%d}' % number))
        peer.answer_close()
        return seen

    lines = b'{"first":true,"seq":{{seq}}}\n' + b'{"token":{{last:.token}},"seq":{{seq}}}\n' * 49
    with ScriptedServer(script) as server:
        result = wsx("connect", "--request", "--template", server.url, stdin=lines)
    assert (result.status, result.err) == (0, ""), result
    assert [message.get("token", 0) for message in server.results[0]] == list(range(50))
    assert [message["seq"] for message in server.results[0]] == list(range(1, 51))
