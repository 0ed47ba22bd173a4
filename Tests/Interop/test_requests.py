"""Requests and replies: --request, --correlate, --json-rpc, and --reply-timeout."""

import json
import os
import subprocess
import threading

import pytest

import wire
from processes import BINARY, Running, assert_fails, wait_until, wsx
from scripted_server import ScriptedServer


def request_lines(*ids):
    return b"".join(b'{"id":%d}\n' % number for number in ids)


def wait_a_moment(condition):
    """Whether the condition becomes true within half a second."""
    try:
        wait_until(condition, timeout=0.5)
        return True
    except AssertionError:
        return False


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


def test_operands_and_files_also_wait_for_replies(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"c\nd")

    def script(peer):
        peer.upgrade()
        payloads = []
        for _ in range(4):
            payloads.append(peer.read_next().payload)
            peer.send(wire.frame(wire.PING, b"?"))
            assert peer.read_frame().opcode == wire.PONG
            peer.send(wire.text("ok"))
        peer.answer_close()
        return payloads

    with ScriptedServer(script) as server:
        result = wsx("connect", "--request", "-i", "-x", "b", "-f", path, server.url, "a", stdin=b"e\n")
    assert (result.status, result.out, result.err) == (0, b"ok\n" * 4, "")
    assert server.results == [[b"a", b"b", b"c\nd", b"e"]]


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


def test_a_missing_reply_ends_a_sequential_run():
    def script(peer):
        peer.upgrade()
        peer.read_next()
        peer.send(wire.text("reply"))
        return received_until_close(peer)

    with ScriptedServer(script) as server:
        result = wsx("connect", "--request", "--reply-timeout", "300ms", server.url, stdin=b"a\nb\n")
    assert_fails(result, 6, "request 2: no reply within 300 ms; --reply-timeout sets the limit")
    assert result.out == b"reply\n"
    assert server.results == [[b"b"]]


# Correlated requests


def test_requests_are_in_flight_concurrently_and_answered_in_any_order():
    def script(peer):
        peer.upgrade()
        ids = [json.loads(peer.read_frame().payload)["id"] for _ in range(500)]
        for number in reversed(ids):
            peer.send(wire.text('{"id":%d}' % number))
        peer.answer_close()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--correlate", "id", "--output", "json", server.url, stdin=request_lines(*range(500)))
    assert (result.status, result.err) == (0, "")
    events = [json.loads(line) for line in result.lines]
    replies = [event for event in events if event["type"] == "message"]
    assert [(json.loads(reply["data"])["id"], reply["request"]) for reply in replies] == [
        (number, number + 1) for number in reversed(range(500))]
    assert all(reply["rtt_us"] > 0 for reply in replies)


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


@pytest.mark.parametrize("message, words", BAD_REQUESTS)
def test_an_input_line_without_the_field_is_an_error_and_is_not_sent(message, words):
    with ScriptedServer(lambda peer: (peer.upgrade(), received_until_close(peer))[1]) as server:
        lines = f'{{"id":5}}\n{message}\n{{"id":6}}\n'.encode()
        result = wsx("connect", "--correlate", "id", server.url, stdin=lines)
    assert result.status == 2, result
    assert f"wsx: input message 2: {words}" in result.err
    assert server.results == [[b'{"id":5}']]


def test_the_output_of_a_program_without_the_field_is_an_error():
    with ScriptedServer(lambda peer: (peer.upgrade(), received_until_close(peer))[1]) as server:
        result = wsx("connect", "--correlate", "id", "--exec", server.url, "--", "echo", '{"ID":1}')
    assert result.status == 1, result
    assert "line 1 of echo's output was not sent: it has no 'id'" in result.err
    assert server.results == [[]]


@pytest.mark.parametrize("options", [["--json-rpc"], ["--protocol", "json-rpc"]], ids=" ".join)
@pytest.mark.parametrize("message", ['{"ID":1,"method":"a"}', '{"x":1}', '{"id":null,"method":"a"}', '{"id":1', "[]"])
def test_a_json_rpc_message_that_can_have_no_reply_is_an_error(options, message):
    result = wsx("connect", "-1", *options, "echo:", message)
    assert_fails(result, 2, "message 1: ")


@pytest.mark.parametrize("options", [["--json-rpc"], ["--protocol", "json-rpc"]], ids=" ".join)
def test_a_json_rpc_notification_is_sent_and_not_waited_for(options):
    with ScriptedServer(lambda peer: (peer.upgrade(), received_until_close(peer))[1]) as server:
        result = wsx("connect", "-1", *options, server.url, '{"method":"a"}')
    assert (result.status, result.out, result.err) == (0, b"", "")
    assert server.results == [[b'{"method":"a"}']]


def test_a_field_may_be_a_json_pointer():
    def script(peer):
        peer.upgrade()
        peer.read_frame()
        peer.send(wire.text('{"id":"x"}') + wire.text('{"meta":{"id":"\\u0078"}}'))
        peer.answer_close()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--correlate", "/meta/id", "--output", "json", server.url, '{"meta":{"id":"x"}}')
    replies = [json.loads(line) for line in result.lines if '"message"' in line]
    assert (result.status, [reply.get("request") for reply in replies]) == (0, [None, 1])


def test_sequential_requests_can_be_correlated():
    def script(peer):
        peer.upgrade()
        for number in range(3):
            assert peer.read_frame().payload == b'{"id":%d}' % number
            peer.send(wire.text("push") + wire.frame(wire.PING, b"?"))
            assert peer.read_frame().opcode == wire.PONG
            peer.send(wire.text('{"id":%d}' % number))
        peer.answer_close()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--request", "--correlate", "id", server.url, stdin=request_lines(0, 1, 2))
    assert (result.status, result.err) == (0, "")
    assert result.lines == [line for number in range(3) for line in ("push", '{"id":%d}' % number)]


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


def test_a_request_that_times_out_is_reported_as_an_event():
    with ScriptedServer(lambda peer: (peer.upgrade(), received_until_close(peer))) as server:
        result = wsx(
            "connect", "--correlate", "id", "--reply-timeout", "200ms", "--output", "json", server.url, '{"id":"a\\u001b"}')
    errors = [event for event in map(json.loads, result.lines) if event["type"] == "error"]
    assert result.status == 6
    assert [(error["kind"], error.get("request")) for error in errors] == [("timeout", 1), ("timeout", None)]
    assert errors[0]["message"].startswith("request 1 (id ")
    assert "\x1b" not in result.err


def test_a_batch_of_replies_answers_each_of_its_requests():
    def script(peer):
        peer.upgrade()
        for _ in range(3):
            peer.read_frame()
        peer.send(wire.text('[{"id":3},{"id":1},{"id":2}]'))
        peer.answer_close()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--correlate", "id", server.url, stdin=request_lines(1, 2, 3))
    assert (result.status, result.out, result.err) == (0, b'[{"id":3},{"id":1},{"id":2}]\n', "")


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


def test_lines_become_json_rpc_calls():
    def script(peer):
        peer.upgrade()
        calls = []
        for _ in range(5):
            call = json.loads(peer.read_frame().payload)
            calls.append(call)
            peer.send(wire.text(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": None})))
        peer.answer_close()
        return calls

    lines = ["ping", "sum 1 2.5 '3'", 'open url=http://h/?a=b "n"=1', "set {\"a\": [1, 2]}", '{"id":"own","method":"x"}']
    with ScriptedServer(script) as server:
        result = wsx("connect", "--json-rpc", server.url, stdin="\n".join(lines).encode())
    assert (result.status, result.err) == (0, "")
    assert server.results == [[
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 2, "method": "sum", "params": [1, 2.5, "3"]},
        {"jsonrpc": "2.0", "id": 3, "method": "open", "params": ["url=http://h/?a=b", '"n"=1']},
        {"jsonrpc": "2.0", "id": 4, "method": "set", "params": {"a": [1, 2]}},
        {"id": "own", "method": "x"},
    ]]


@pytest.mark.parametrize("line, words", [("m 'a", "the quote at byte 3 is not closed"), ("", "the method is missing")])
def test_a_line_that_is_not_a_call_is_bad_input(line, words):
    with ScriptedServer(lambda peer: (peer.upgrade(), received_until_close(peer))[1]) as server:
        result = wsx("connect", "--json-rpc", server.url, stdin=f"{line}\nmore\n".encode())
    assert_fails(result, 2, "input message 1", words)
    assert server.results == [[]]


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


@pytest.mark.parametrize("reply, errors", [
    ('[{"id":1,"result":1},{"id":2,"error":{"code":1,"message":"a"}},{"id":3,"error":{"message":"b"}}]',
        ["request 1 (id 2): error 1: a", "request 1 (id 3): error b"]),
    ('{"id":1,"error":null,"result":3}', []),
    ('{"id":1,"error":"text"}', ["request 1: error text"]),
    ('{"id":1,"result":{"error":{"code":1,"message":"inside"}}}', []),
], ids=["batch", "null", "JSON-RPC 1.0", "in the result"])
def test_errors_are_found_in_batches_and_older_formats(reply, errors):
    with ScriptedServer(replying(reply)) as server:
        batch = '[{"jsonrpc":"2.0","id":1,"method":"x"}]'
        result = wsx("connect", "--json-rpc", "--fail", server.url, batch)
    assert [line.removeprefix("wsx: ") for line in result.error_lines][: len(errors)] == errors
    assert result.status == (7 if errors else 0)


def test_an_error_without_a_request_is_also_reported():
    pushed = '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}'
    with ScriptedServer(lambda peer: (
            peer.upgrade(then=wire.text(pushed)), peer.read_frame(), peer.send(wire.text('{"id":1,"result":0}')),
            peer.answer_close())) as server:
        result = wsx("connect", "--json-rpc", "--fail", server.url, "go")
    assert result.status == 7
    assert "wsx: reply without an id: error -32700: Parse error" in result.error_lines


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


def test_an_operand_that_is_not_a_call_is_rejected_before_anything_is_sent():
    result = wsx("connect", "--json-rpc", "ws://127.0.0.1:1/", "a", "m [")
    assert_fails(result, 2, "message 2: the bracket at byte 3 is not closed")


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


def test_requests_that_are_still_queued_count_as_unanswered():
    def script(peer):
        peer.upgrade()
        peer.read_frame()
        peer.send(wire.close(1001))
        peer.read_until_close()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--request", server.url, "a", "b", "c")
    assert_fails(result, 1, "3 requests were not answered")


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


def test_an_unanswered_request_is_sent_again_with_the_same_number():
    answers_first = iter([True, False])

    def script(peer):
        peer.upgrade()
        payloads = [peer.read_frame().payload for _ in range(3)]
        if next(answers_first):
            peer.send(wire.text('{"id":"hello"}') + wire.text('{"id":2}'))
            # The pong proves that both replies were read.
            peer.send(wire.frame(wire.PING, b"?"))
            while peer.read_frame().opcode != wire.PONG:
                pass
            peer.reset()
            return payloads
        peer.send(wire.text('{"id":"hello"}') + wire.text('{"id":1}') + wire.text('{"id":3}'))
        return payloads + received_until_close(peer)

    with ScriptedServer(script) as server:
        arguments = [BINARY, "connect", "--reconnect", "--correlate", "id", "--output", "json", "-i", server.url]
        with Running([*arguments, '{"id":"hello"}'], stdin=-1) as client:
            client.send(request_lines(1, 2))
            client.wait_for(r'"type":"error"', "out")
            client.send(request_lines(3))
            client.process.stdin.close()
            assert client.wait(60) == 0, client.err
            messages = [json.loads(line) for line in client.out.decode().splitlines()]
    replies = [(event["data"], event["request"]) for event in messages if event["type"] == "message"]
    assert replies == [('{"id":"hello"}', 1), ('{"id":2}', 3), ('{"id":"hello"}', 1), ('{"id":1}', 2), ('{"id":3}', 4)]
    assert server.results == [
        [b'{"id":"hello"}', b'{"id":1}', b'{"id":2}'], [b'{"id":"hello"}', b'{"id":1}', b'{"id":3}']]


# Conflicting options


@pytest.mark.parametrize("arguments, words", [
    (["--reply-timeout", "1s"], ["requires '--request', '--correlate', '--json-rpc', or '--protocol'"]),
    (["--json-rpc", "--correlate", "key"], ["omit --correlate"]),
    (["--request", "--heartbeat", "1s", "--heartbeat-message", "x"], ["--correlate"]),
    (["--correlate", ""], ["--correlate"]),
])
def test_conflicting_options_exit_2(arguments, words):
    assert_fails(wsx("connect", *arguments, "echo:"), 2, *words)


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


def test_operands_insert_values_of_the_reply_before_them():
    def script(peer):
        peer.upgrade()
        seen = []
        for number in range(2):
            seen.append(peer.read_next().payload)
            peer.send(wire.text('{"token":%d}' % number))
        peer.answer_close()
        return seen

    with ScriptedServer(script) as server:
        result = wsx("connect", "--request", "--template", server.url, "login", "token {{last:.token}}")
    assert (result.status, result.err) == (0, ""), result
    assert server.results == [[b"login", b"token 0"]]


def test_json_rpc_calls_insert_values_of_the_reply_before_them():
    def script(peer):
        peer.upgrade()
        seen = []
        for number in range(3):
            call = json.loads(peer.read_frame().payload)
            seen.append(call)
            peer.send(wire.text(json.dumps({"id": call["id"], "result": number * 10})))
        peer.answer_close()
        return seen

    lines = b"start\nnext {{last:.result}}\nnext {{last:.result}}\n"
    with ScriptedServer(script) as server:
        result = wsx("connect", "--json-rpc", "--request", "--template", server.url, stdin=lines)
    assert (result.status, result.err) == (0, ""), result
    assert [(call["id"], call.get("params")) for call in server.results[0]] == [(1, None), (2, [0]), (3, [10])]


@pytest.mark.parametrize("line, words", [
    ("{{last:.missing}}", "input message 2: "), ("{{nope}}", "input message 2: unknown placeholder"),
])
def test_a_template_that_cannot_be_evaluated_names_its_line(line, words):
    def script(peer):
        peer.upgrade()
        seen = [peer.read_next().payload]
        peer.send(wire.text('{"a":1}'))
        return seen + received_until_close(peer)

    with ScriptedServer(script) as server:
        result = wsx("connect", "--request", "--template", server.url, stdin=f"a\n{line}\nb\n".encode())
    assert result.status == 2, result
    assert f"wsx: {words}" in result.err
    assert server.results == [[b"a"]]


def test_a_request_that_is_sent_again_has_the_same_values():
    def script(peer):
        peer.upgrade()
        seen = peer.read_frame().payload
        if server.connection_count == 1:
            peer.reset()
            return seen
        peer.send(wire.text("ok"))
        while (received := peer.read_frame()).opcode != wire.CLOSE:
            peer.send(wire.frame(wire.PONG, received.payload))
        peer.send(wire.frame(wire.CLOSE, received.payload))
        return seen

    with ScriptedServer(script) as server:
        result = wsx("connect", "--request", "--template", "--reconnect", server.url, stdin=b"{{random 20}} {{time}}\n")
    assert result.status == 0, result
    assert server.results[0] == server.results[1]
