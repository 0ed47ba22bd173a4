"""How connect ends: its exit status and close frame for every cause."""

import json
import signal
import threading
import time

import pytest

import wire
from processes import BINARY, Running, assert_fails, shell, wsx
from scripted_server import ScriptedServer


def answering(*replies):
    """Returns a script that sends the replies at once, then waits for the close frame and returns it."""

    def script(peer):
        peer.upgrade(then=b"".join(replies))
        return peer.answer_close()

    return script


# Actions of the peer


@pytest.mark.parametrize("code", [None, 1000, 1001])
def test_a_normal_close_by_the_peer_exits_0(code):
    def script(peer):
        peer.upgrade(then=wire.text("last words") + wire.close(code, b"" if code is None else b"bye"))
        return peer.read_until_close().close_code

    with ScriptedServer(script) as server:
        result = wsx("connect", "--no-stdin", server.url)
    assert (result.status, result.out, result.err) == (0, b"last words\n", "")
    assert server.results == [code], "a close frame is answered with the same code"


@pytest.mark.parametrize("code", [1011, 4999])
def test_any_other_close_by_the_peer_exits_1_and_shows_code_and_reason(code):
    def script(peer):
        peer.upgrade(then=wire.close(code, "für\x1bnichts".encode()))
        return peer.read_until_close().close_code

    with ScriptedServer(script) as server:
        result = wsx("connect", "--no-stdin", server.url)
    assert_fails(result, 1, str(code), '"für\\u{1B}nichts"')
    assert server.results == [code]


def test_a_connection_that_ends_without_a_close_frame_exits_1():
    with ScriptedServer(lambda peer: peer.upgrade(then=wire.text("a"))) as server:
        result = wsx("connect", "--no-stdin", server.url)
    assert_fails(result, 1, "lost", "without a close frame")
    assert result.out == b"a\n"


def test_a_connection_that_is_reset_exits_1():
    def script(peer):
        peer.upgrade(then=wire.text("a"))
        peer.read_frame()
        peer.reset()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--linger", "forever", server.url, "hello")
    assert_fails(result, 1, "lost", "reset")


def test_an_unanswered_close_exits_6_after_the_close_timeout():
    def script(peer):
        peer.upgrade()
        peer.read_until_close()
        return peer.read_to_end()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--linger", "0", "--close-timeout", "300ms", server.url)
    assert_fails(result, 6, "no answer from the peer within 300 ms", "--close-timeout")
    assert server.results == [b""]


def never_closing(peer):
    """Echoes the first two messages, and never answers the close frame."""
    peer.upgrade()
    for _ in range(2):
        message = peer.read_next()
        if message is None or message.opcode == wire.CLOSE:
            break
        peer.send(wire.text(message.payload))
    peer.read_to_end()


@pytest.mark.parametrize("options", [["-1"], ["--request"], ["-n", "2"], ["--until", '"id":2']], ids=" ".join)
def test_a_peer_that_has_replied_to_all_messages_need_not_answer_the_close(options):
    with ScriptedServer(never_closing) as server:
        result = wsx("connect", *options, server.url, '{"id":1}', '{"id":2}')
    assert (result.status, result.err) == (0, ""), result
    assert len(result.lines) == 2


@pytest.mark.parametrize("options, messages", [
    (["-n", "2"], ["a", "b", "c"]), (["--expect", "a", "--linger", "300ms"], ["a", "b", "c"]),
    (["--linger", "300ms"], ["a"]), (["-n", "1"], []),
], ids=str)
def test_a_peer_that_may_not_have_read_all_messages_must_answer_the_close(options, messages):
    def script(peer):
        if messages:
            return never_closing(peer)
        peer.upgrade(then=wire.text("not asked for"))
        peer.read_to_end()

    with ScriptedServer(script) as server:
        result = wsx("connect", *options, "--close-timeout", "300ms", server.url, *messages)
    assert_fails(result, 6, "no answer from the peer within 300 ms", "--close-timeout")


def test_a_reply_to_a_message_that_has_not_been_read_does_not_confirm_it():
    def script(peer):
        peer.upgrade(then=wire.text("reply"))
        client_is_gone.wait(60)

    client_is_gone = threading.Event()
    with ScriptedServer(script) as server:
        result = wsx("connect", "-n", "1", "--linger", "1m", "--close-timeout", "300ms", server.url, stdin=b"a" * 50_000_000)
        client_is_gone.set()
    assert_fails(result, 6, "no answer from the peer within 300 ms")


@pytest.mark.alone
def test_an_unanswered_close_is_waited_for_only_once():
    def script(peer):
        peer.upgrade()
        peer.read_until_close()
        start = time.monotonic()
        peer.read_to_end()
        return time.monotonic() - start

    def seconds():
        with ScriptedServer(script) as server:
            assert wsx("connect", "--linger", "0", "--close-timeout", "2s", server.url).status == 6
        assert server.results[0] > 1.9
        return server.results[0]

    # Less than twice the limit. The fastest of several runs counts: the machine may be busy.
    assert any(seconds() < 3.9 for _ in range(10))


def test_messages_between_our_close_and_its_answer_are_printed():
    def script(peer):
        peer.upgrade()
        received = peer.read_until_close()
        peer.send(wire.text("late") + wire.frame(wire.CLOSE, received.payload))

    with ScriptedServer(script) as server:
        result = wsx("connect", "--linger", "0", server.url)
    assert (result.status, result.out) == (0, b"late\n")


# Options


def test_no_stdin_waits_until_the_peer_closes():
    def script(peer):
        peer.upgrade()
        time.sleep(1.5)
        peer.send(wire.text("at last") + wire.close(1001))
        return peer.read_until_close().close_code

    with ScriptedServer(script) as server:
        result = wsx("connect", "--no-stdin", server.url, stdin=b"unread\n")
    assert (result.status, result.out) == (0, b"at last\n")
    assert server.results == [1001]


def test_count_prints_exactly_the_requested_number_of_messages():
    with ScriptedServer(answering(*[wire.text(str(number)) for number in range(100)])) as server:
        result = wsx("connect", "-n", "3", server.url)
    assert (result.status, result.out, result.err) == (0, b"0\n1\n2\n", "")
    assert server.results[0].close_code == 1000


# Conditions: --until, --count, and --expect


@pytest.mark.parametrize("option", ["until", "expect", "ready", "answer", "hide"])
def test_conditions_can_be_about_a_value_of_a_message(option):
    messages = ['{"type":"wait","n":1}', '{"type":"done"}', '{"type":"late"}']
    options, out = {
        "until": (["--until", 'json:.type=="done"'], messages[:2]),
        "expect": (["--expect", "json:.n==1", "--expect", "json:!.n", "--count", "3"], messages),
        "ready": (["--ready", 'json:.type=="done"', "--count", "1"], messages[2:]),
        "answer": (["--answer", 'json:.type ~ ^w => {"n":{{last:.n}}}', "--count", "2"], messages[:2]),
        "hide": (["--hide", "json:.type ~ ^d", "--count", "2"], [messages[0], messages[2]]),
    }[option]
    with ScriptedServer(answering(*map(wire.text, messages))) as server:
        result = wsx("connect", "--no-stdin", *options, server.url)
    assert (result.status, result.out.decode().splitlines()) == (0, out), result
    assert_fails(wsx("connect", "--no-stdin", "--until", "json:.a ==", "echo:"), 2, "--until")


def answering_lines(*lines):
    return answering(*[wire.text(line) for line in lines])


def test_until_ends_at_the_matching_message_and_shows_nothing_after_it():
    with ScriptedServer(answering_lines("no", "almost ready", "more", "ready")) as server:
        result = wsx("connect", "--until", "^ready", "--until", "ready$", server.url, "hello")
    assert (result.status, result.lines, result.err) == (0, ["no", "almost ready"], "")
    assert server.results[0].close_code == 1000


def test_until_respects_an_explicit_linger_time():
    with ScriptedServer(answering_lines("no")) as server:
        result = wsx("connect", "--until", "ready", "--linger", "200ms", server.url, "hello")
    assert_fails(result, 6, "no message matched --until 'ready'; nothing arrived for 200 ms (--linger)")
    assert result.lines == ["no"]


def closing(code, *messages):
    """Returns a script that sends the messages and a close frame at once."""
    return lambda peer: (peer.upgrade(then=b"".join(map(wire.text, messages)) + wire.close(code)), peer.read_until_close())


@pytest.mark.parametrize("code, words", [(None, "closed without a code"), (1000, "closed with 1000"), (1001, "closed with 1001")])
def test_a_peer_that_closes_before_until_matches_exits_7(code, words):
    with ScriptedServer(closing(code, "no")) as server:
        result = wsx("connect", "--until", "ready", "--no-stdin", server.url)
    assert_fails(result, 7, f"{words} before --until 'ready' matched")
    assert result.lines == ["no"]


def test_with_count_and_until_either_goal_suffices_and_errors_name_both():
    with ScriptedServer(closing(1000, "one")) as server:
        result = wsx("connect", "-n", "3", "--until", "ready", "--until", "go", "--no-stdin", server.url)
        assert_fails(result, 7, "closed with 1000 after 1 of 3 messages and before --until 'ready' or 'go' matched")
        assert wsx("connect", "-n", "3", "--until", "one", "--no-stdin", server.url).status == 0
        assert wsx("connect", "-n", "1", "--until", "ready", "--no-stdin", server.url).status == 0


def test_an_abnormal_end_keeps_its_status_and_reports_progress():
    with ScriptedServer(closing(1011, "one")) as server:
        result = wsx("connect", "-n", "3", "--no-stdin", server.url)
    assert_fails(result, 1, "1011 (internal error); 1 of 3 messages")


def test_an_unmet_goal_is_reported_as_an_event():
    with ScriptedServer(closing(1000)) as server:
        result = wsx("connect", "--until", "ready", "--no-stdin", "--output", "json", server.url)
    last = json.loads(result.lines[-1])
    assert (last["type"], last["kind"]) == ("error", "expectation")
    assert last["message"] == "closed with 1000 before --until 'ready' matched"


def test_a_close_requested_by_the_input_does_not_meet_the_goal():
    with ScriptedServer(answering()) as server:
        result = wsx("connect", "--input", "json", "-n", "1", server.url, stdin=b'{"type":"close","code":1000}\n')
    assert_fails(result, 7, "closed with 1000 after 0 of 1 message")


def test_until_and_expect_search_binary_messages_too():
    with ScriptedServer(answering(wire.frame(wire.BINARY, b"\x00\xffready\xfe"))) as server:
        result = wsx("connect", "--until", "ready", "--expect", "^.ready", server.url, "hello")
    assert_fails(result, 7, "'^.ready'")
    assert result.out == b"\x00\xffready\xfe\n"


@pytest.mark.parametrize("arguments, status, words", [
    (["--expect", "y", "--expect", "a", "--expect", "z"], 7, "no message matched --expect 'y', 'z'"),
    (["--expect", "b", "--count", "1"], 7, "--expect 'b'"),
    (["--expect", "z", "--linger", "forever", "--timeout", "400ms"], 7, "--expect 'z' within 400 ms (--timeout)"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_expect_decides_the_status_at_the_end(arguments, status, words):
    with ScriptedServer(answering_lines("a", "b")) as server:
        result = wsx("connect", "--linger", "200ms", *arguments, server.url, "hello")
    if words:
        assert_fails(result, status, words)
    else:
        assert (result.status, result.err) == (status, "")


@pytest.mark.parametrize("end, pattern, status", [(b"done", r"^x=(\w+\s?)+done$", 0), (b"!", r"^x=((\w+)+ ?)+$", 7)])
def test_a_long_message_is_matched_or_reported_as_too_expensive(end, pattern, status):
    message = b"x=" + b"word " * 8000 + end
    with ScriptedServer(answering(wire.text(message))) as server:
        result = wsx("connect", "--linger", "200ms", "--expect", pattern, server.url, "hello")
    assert (result.status, result.out) == (status, message + b"\n")
    lines = result.err.splitlines()
    assert len(lines) == (2 if status else 0)
    if status:
        assert lines[0].startswith(f"wsx: searching '{pattern}': some text needs too many steps ")
        assert "no message matched" in lines[1]


@pytest.mark.parametrize("pattern, status", [("1", 0), ("9", 7)])
def test_a_reader_that_leaves_early_ends_the_run_with_the_status_of_expect(pattern, status):
    def script(peer):
        peer.upgrade(then=wire.text("1"))
        while (received := peer.read_frame()) and received.opcode != wire.CLOSE:
            pass
        peer.send(wire.frame(wire.CLOSE, received.payload))

    with ScriptedServer(script) as server:
        script = '"$WSX" connect --no-stdin --expect "$2" "$1" | head -1; exit ${PIPESTATUS[0]}'
        result = shell(script, server.url, pattern)
    assert (result.status, result.out) == (status, b"1\n")


def test_timeout_exits_6_and_closes():
    with ScriptedServer(answering(wire.text("a"))) as server:
        result = wsx("connect", "--no-stdin", "--timeout", "400ms", server.url)
    assert_fails(result, 6, "400 ms", "--timeout")
    assert result.out == b"a\n"
    assert server.results[0].close_code == 1000


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_closes_the_connection_and_determines_the_status(number, status):
    with ScriptedServer(answering(wire.text("ready"))) as server:
        with Running([BINARY, "connect", "--no-stdin", server.url]) as client:
            client.wait_for("ready", "out")
            client.signal(number)
            assert client.wait() == status
            assert client.err == ""
    assert server.results[0].close_code == 1000


# Sending


def test_operands_are_sent_in_order_without_reading_standard_input():
    def script(peer):
        peer.upgrade()
        payloads = []
        while (received := peer.read_frame()).opcode != wire.CLOSE:
            payloads.append(received.payload)
        peer.send(wire.frame(wire.CLOSE, received.payload))
        return payloads

    with ScriptedServer(script) as server:
        result = wsx("connect", "--linger", "0", server.url, "one", "", "two\nlines", "--", "-3", stdin=b"unread\n")
    assert (result.status, result.err) == (0, "")
    assert server.results == [[b"one", b"", b"two\nlines", b"-3"]]


def test_input_before_the_connection_opens_is_sent_after_it_opens():
    may_upgrade = threading.Event()

    def script(peer):
        peer.read_request()
        may_upgrade.wait(60)
        peer.upgrade()
        payloads = [peer.read_message().payload for _ in range(3)]
        peer.answer_close()
        return payloads

    with ScriptedServer(script) as server:
        with Running([BINARY, "connect", server.url], stdin=-1) as client:
            client.send(b"a\nb\n")
            may_upgrade.set()
            client.send(b"c\n")
            client.process.stdin.close()
            assert client.wait() == 0
    assert server.results == [[b"a", b"b", b"c"]]


def test_a_line_is_sent_as_soon_as_it_is_written():
    def script(peer):
        peer.upgrade()
        for _ in range(3):
            peer.send(wire.text(peer.read_message().payload))
        peer.answer_close()

    with ScriptedServer(script) as server:
        with Running([BINARY, "connect", server.url], stdin=-1) as client:
            for number in range(3):
                client.send(b"%d\n" % number)
                client.wait_for(f"{number}\n", "out")
            client.process.stdin.close()
            assert client.wait() == 0


def test_an_answer_to_a_binary_message_that_is_not_utf_8_is_text():
    def script(peer):
        peer.upgrade(then=wire.frame(wire.BINARY, b"\xffa"))
        answer = peer.read_frame()
        peer.send(wire.close(1000))
        peer.read_until_close()
        return answer.opcode, answer.payload

    with ScriptedServer(script) as server:
        result = wsx("connect", "--no-stdin", "--answer", '^(.)a => {{json:$1}} $1', server.url)
    assert (result.status, result.err) == (0, ""), result
    assert server.results == [(wire.TEXT, '"\N{REPLACEMENT CHARACTER}" \N{REPLACEMENT CHARACTER}'.encode())]
