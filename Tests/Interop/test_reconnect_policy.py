"""When a client opens another connection, and where: --reconnect-on, --reconnect-when, --reconnect-url, --stale, URLs that
programs write, and requests that are evaluated for each attempt."""

import json
import ssl
import threading

import pytest

import wire
from processes import BINARY, RECONNECT, Running, assert_fails, wsx
from scripted_server import ScriptedServer
from terminal import Screen
from tls import server_context

DELAY = ["--reconnect-delay", "50ms"]


def target(head):
    return head.split()[1].decode()


def refusal(status):
    return f"HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n".encode()


def serving(*ends):
    """A server whose connections end one after another: with a close code, a status instead of the upgrade, or bytes. The
    last one sends a message and waits for the client. Returns the request, and the messages of the client."""

    def script(peer):
        end = ends[server.connection_count - 1] if server.connection_count <= len(ends) else None
        head = peer.read_request()
        if isinstance(end, int) and end < 1000:
            peer.send(refusal(end))
            return head, None
        peer.upgrade(then=wire.text("done") if end is None else end if isinstance(end, bytes) else wire.close(end))
        received = []
        while (frame := peer.read_next()) is not None and frame.opcode != wire.CLOSE:
            received.append(frame.payload.decode())
        if frame is not None and (end is None or isinstance(end, bytes)):
            peer.send(wire.frame(wire.CLOSE, frame.payload))
        return head, received

    server = ScriptedServer(script)
    return server


# Codes


@pytest.mark.parametrize("options, end", [
    (["--reconnect"], 1001), (["--reconnect"], 1012), (["--reconnect"], 503), (["--reconnect"], 429),
    (["--reconnect-on", "1000"], 1000), (["--reconnect-on", "4000,4009"], 4000), (["--reconnect-on", "4000,4009"], 4009),
    (["--reconnect-on", "1000"], 1012), (["--reconnect-on", "401,403"], 401), (["--reconnect-on", "401"], 503),
    (["--reconnect-on", "401", "--bearer", "x"], 401), (["--reconnect-on", "1000", "--reconnect-on", "404"], 404),
    (["--reconnect-on", "always"], 1000), (["--reconnect-on", "always"], 4321), (["--reconnect-on", "always"], 404),
    (["--reconnect-on", "1005"], wire.close()), (["--reconnect-on", "401,4000..4009"], 4009),
], ids=str)
def test_codes_lead_to_another_connection(options, end):
    with serving(end) as server:
        result = wsx("connect", *options, *DELAY, "--no-stdin", "-n", "1", server.url)
        assert (result.status, result.lines, server.connection_count) == (0, ["done"], 2), result


@pytest.mark.parametrize("options, end, status", [
    (["--reconnect"], 1000, 7), (["--reconnect"], 4000, 1), (["--reconnect-on", "4000..4009"], 4010, 1), (["--reconnect-on", "1000,4000"], 4001, 1),
    (["--reconnect-on", "1000"], 401, 4), (["--reconnect-on", "401"], 1000, 7),
    # A violation of the protocol.
    (["--reconnect-on", "always"], b"\xf1\x00", 5),
], ids=str)
def test_other_codes_are_final(options, end, status):
    with serving(end) as server:
        result = wsx("connect", *options, *DELAY, "--no-stdin", "-n", "1", server.url)
        assert (result.status, server.connection_count) == (status, 1), result


def test_an_untrusted_certificate_is_final(certificates):
    def script(peer):
        with pytest.raises(ssl.SSLError):
            peer.start_tls(server_context(certificates.good))

    with ScriptedServer(script) as server:
        url = f"wss://127.0.0.1:{server.port}"
        assert_fails(wsx("connect", "--reconnect-on", "always", *DELAY, "--no-stdin", url), 3, "certificate")
        assert server.connection_count == 1


def test_a_goal_ends_the_run_whatever_the_code():
    message = wire.text("done") + wire.close(1000)
    with serving(message, message) as server:
        result = wsx("connect", "--reconnect-on", "always", *DELAY, "--no-stdin", "-n", "1", server.url)
        assert (result.status, server.connection_count) == (0, 1), result


def test_the_number_of_retries_limits_all_codes():
    with serving(*[1000] * 9) as server:
        result = wsx("connect", "--reconnect=2", "--reconnect-on", "1000", *DELAY, "--no-stdin", server.url)
        assert result.status == 1 and "gave up after 2 more attempts" in result.err, result
        assert server.connection_count == 3


def test_a_protocol_reconnects_after_a_code_of_its_own():
    def script(peer):
        peer.upgrade(b"Sec-WebSocket-Protocol: graphql-transport-ws")
        peer.read_next()
        if server.connection_count == 1:
            peer.send(wire.close(4499))
            return peer.read_until_close()
        peer.send(wire.text('{"type":"connection_ack"}') + wire.text('{"type":"ping"}'))
        return peer.answer_close()

    with ScriptedServer(script) as server:
        result = wsx(
            "connect", "--protocol", "graphql", "--reconnect-on", "4499", *DELAY, "--timeout", "30", "--linger", "0",
            server.url, stdin=b"")
        assert server.connection_count == 2, result


# Messages


def test_a_message_asks_for_another_connection():
    """It is written and counted, and the connection is closed with 1000."""

    def script(peer):
        peer.upgrade(then=wire.text("a") + wire.text("move") if server.connection_count == 1 else wire.text("b"))
        return peer.answer_close().close_code

    with ScriptedServer(script) as server:
        result = wsx("connect", "--reconnect-when", "^move", *DELAY, "--no-stdin", "-n", "3", server.url)
        assert (result.status, result.lines) == (0, ["a", "move", "b"]), result
        assert server.results == [1000, 1000]
    assert "a message matched --reconnect-when '^move'; reconnecting" in result.err


@pytest.mark.parametrize("options, first, lines", [
    (["--hide", "move"], "move", ["done"]),
    (["--ready", "done"], "move", ["x"]),
    (["--reconnect-when", "json:.op==\"bye\""], '{"op":"bye"}', ['{"op":"bye"}']),
    (["--answer", "move => ok"], "move", ["move"]),
], ids=str)
def test_the_condition_sees_what_answers_see(options, first, lines):
    def script(peer):
        peer.upgrade(then=wire.text(first) if server.connection_count == 1 else wire.text("done") + wire.text("x"))
        return peer.answer_close()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--reconnect-when", "move", *options, *DELAY, "--no-stdin", "-n", str(len(lines) + 1)
                     if lines[0] == first else "1", server.url)
        assert result.status == 0 and result.lines[: len(lines)] == lines, result
        assert server.connection_count == 2


def test_a_dropped_message_asks_for_nothing():
    with serving(wire.text("move") + wire.text("x")) as server:
        result = wsx("connect", "--reconnect-when", "move", "--drop", "move", "--no-stdin", "-n", "1", server.url)
        assert (result.status, result.lines, server.connection_count) == (0, ["x"], 1), result


@pytest.mark.parametrize("goal", [["-n", "1"], ["--until", "move"], ["--until", "^x"]], ids=str)
def test_a_goal_wins(goal):
    with serving(wire.text("move") + wire.text("x")) as server:
        result = wsx("connect", "--reconnect-when", "move", *goal, "--no-stdin", server.url)
        assert (result.status, server.connection_count) == (0, 1), result


def test_a_reply_that_is_the_goal_wins():
    """It is held as long as it may be a greeting: the ping before the question has no pong."""

    def script(peer):
        peer.upgrade()
        ping = peer.read_frame()
        assert (ping.opcode, peer.read_frame().payload) == (wire.PING, b"question")
        peer.send(wire.text("move") + wire.text("x"))
        return peer.answer_close()

    with ScriptedServer(script) as server:
        result = wsx("connect", "-1", "--reconnect-when", "move", *DELAY, server.url, "question")
        assert (result.status, result.lines[0], server.connection_count) == (0, "move", 1), result


def test_a_server_that_asks_and_closes_gets_another_connection():
    with serving(wire.text("move") + wire.close(1000)) as server:
        result = wsx("connect", "--reconnect-when", "move", *DELAY, "--no-stdin", "-n", "2", server.url)
        assert (result.status, result.lines, server.connection_count) == (0, ["move", "done"], 2), result


def test_lines_that_were_not_sent_continue_on_the_next_connection():
    closes, has_more, lines = threading.Event(), threading.Event(), []

    def script(peer):
        peer.upgrade()
        if server.connection_count == 1:
            lines.append(peer.read_next().payload)
            peer.send(wire.text("move"))
            close = peer.read_until_close()
            # Lines that the client reads before the answer wait.
            closes.set()
            assert has_more.wait(60)
            peer.send(wire.frame(wire.CLOSE, close.payload))
            return close.close_code
        while (frame := peer.read_next()).opcode != wire.CLOSE:
            lines.append(frame.payload)
        peer.send(wire.frame(wire.CLOSE, frame.payload))
        return frame.close_code

    with ScriptedServer(script) as server:
        with Running([BINARY, "connect", "--reconnect-when", "move", *DELAY, "--linger", "0", server.url],
                     stdin=-1) as client:
            client.send(b"first\n")
            assert closes.wait(60)
            client.send(b"second\nthird\n")
            has_more.set()
            client.process.stdin.close()
            assert client.wait() == 0, client.err
        assert server.results == [1000, 1000]
    assert lines == [b"first", b"second", b"third"]


def test_the_last_reply_ends_the_run_although_it_asks_for_another_connection():
    def script(peer):
        peer.upgrade()
        while (frame := peer.read_next()).opcode != wire.CLOSE:
            peer.send(wire.text("move" if frame.payload == b"b" else "a"))
        peer.send(wire.frame(wire.CLOSE, frame.payload))

    with ScriptedServer(script) as server:
        result = wsx("connect", "--reconnect-when", "move", *DELAY, "--request", server.url, stdin=b"a\nb\n")
        assert (result.status, result.lines, server.connection_count) == (0, ["a", "move"], 1), result


def test_a_scenario_begins_anew(tmp_path):
    path = tmp_path / "scenario.jsonl"
    steps = [{"direction": "out", "data": "hello"}, {"direction": "in", "match": "^done"}]
    path.write_text("".join(json.dumps({"type": "message", **step}) + "\n" for step in steps))

    def script(peer):
        peer.upgrade()
        hello = peer.read_next().payload
        peer.send(wire.text("move" if server.connection_count == 1 else "done"))
        peer.answer_close()
        return hello

    with ScriptedServer(script) as server:
        result = wsx("connect", "--scenario", path, "--reconnect-when", "move", *DELAY, server.url)
        assert (result.status, server.results) == (0, [b"hello", b"hello"]), result


def test_the_prompt_moves_to_the_next_connection():
    def script(peer):
        peer.upgrade(then=wire.text("move" if server.connection_count < 3 else "stay"))
        return peer.answer_close().close_code

    with ScriptedServer(script) as server, Screen(width=120) as screen:
        screen.enter(f"$WSX connect --reconnect-when '^move' --reconnect-delay 50ms {server.url}")
        screen.wait_for("stay")
        screen.enter("/connect exec:/bin/echo")
        screen.wait_for("only the command line starts programs")
        screen.press("C-d")
        screen.wait_for_last_line("shell$")
        assert server.results == [1000, 1000, 1000]


# Feeds without messages


def answering_pings(peer):
    """A feed that sends a ping, and nothing else."""
    peer.upgrade(then=wire.frame(wire.PING, b"alive"))
    return peer.answer_close().close_code


def test_a_feed_without_messages_is_stale():
    with ScriptedServer(answering_pings) as server:
        result = wsx("connect", "--stale", "200ms", "--heartbeat", "20ms", "--no-stdin", server.url)
        assert_fails(result, 6, "no message arrived for 200 ms; --stale sets the limit")
        assert server.results == [1000]


@pytest.mark.parametrize("option", ["--hide", "--drop"])
def test_hidden_messages_do_not_refresh_a_feed(option):
    def script(peer):
        peer.upgrade()
        stop = threading.Event()

        def beat():
            while not stop.wait(0.02):
                peer.send(wire.text("beat"))

        thread = threading.Thread(target=beat)
        thread.start()
        frame = peer.read_until_close()
        stop.set()
        thread.join()
        peer.send(wire.frame(wire.CLOSE, frame.payload))
        return frame.close_code

    with ScriptedServer(script) as server:
        result = wsx("connect", "--stale", "300ms", option, "beat", "--no-stdin", server.url)
        assert_fails(result, 6, "--stale")


@pytest.mark.parametrize("frame", [wire.frame(0, b"", is_final=False), wire.frame(wire.PONG, b"alive")], ids=["empty", "pong"])
def test_a_message_that_makes_no_progress_is_stale(frame):
    def script(peer):
        peer.upgrade(then=wire.frame(wire.TEXT, b"half", is_final=False))
        stop = threading.Event()

        def beat():
            while not stop.wait(0.02):
                peer.send(frame)

        thread = threading.Thread(target=beat)
        thread.start()
        close = peer.read_until_close()
        stop.set()
        thread.join()
        peer.send(wire.frame(wire.CLOSE, close.payload))

    with ScriptedServer(script) as server:
        assert_fails(wsx("connect", "--stale", "200ms", "--timeout", "20", "--no-stdin", server.url), 6, "--stale")


def test_a_run_that_watches_a_feed_does_not_end_with_its_input():
    def script(peer):
        peer.upgrade()
        assert peer.read_next().payload == b"subscribe"
        peer.send(wire.text("1"))
        peer.answer_close()

    with ScriptedServer(script) as server:
        assert_fails(wsx("connect", "--stale", "1500ms", server.url, "subscribe"), 6, "--stale sets the limit")
        result = wsx("connect", "--stale", "1h", "--linger", "0", server.url, "subscribe")
        assert (result.status, server.connection_count) == (0, 2), result


def test_the_first_wait_for_a_connection_that_the_server_asks_for_is_none():
    def script(peer):
        peer.upgrade(then=wire.text("move"))
        peer.answer_close()

    with ScriptedServer(script) as server:
        result = wsx("connect", "--reconnect=2", "--reconnect-when", "move", "--no-stdin", server.url)
    waits = [line.split("reconnecting in ")[1] for line in result.err.splitlines() if "reconnecting in" in line]
    assert result.status == 1 and waits[0] == "0.0 s (attempt 1)" and len(waits) == 2, result


def test_a_stale_feed_is_replaced():
    def script(peer):
        if server.connection_count == 1:
            return answering_pings(peer)
        peer.upgrade(then=wire.text("news"))
        return peer.answer_close().close_code

    with ScriptedServer(script) as server:
        result = wsx("connect", *RECONNECT, "--stale", "200ms", "--no-stdin", "-n", "1", server.url)
        assert (result.status, result.lines, server.results) == (0, ["news"], [1000, 1000]), result


# Requests


@pytest.fixture
def program(tmp_path):
    """Creates a shell script that counts its runs as $n."""

    def create(script):
        path = tmp_path / "program"
        path.write_text(f"#!/bin/sh\necho >> {tmp_path}/runs\nn=$(wc -l < {tmp_path}/runs)\n{script}\n")
        path.chmod(0o755)
        return f"exec:{path}"

    return create


def taking_tickets(count):
    """A server that accepts each ticket once, and restarts after every connection but the last."""
    tickets = []

    def script(peer):
        head = peer.read_request()
        if head in tickets or b"ticket=" not in head:
            peer.send(refusal(401))
            return None
        tickets.append(head)
        peer.upgrade(then=wire.close(1012) if len(tickets) < count else wire.text("in"))
        return peer.read_until_close() and target(head)

    return ScriptedServer(script)


@pytest.mark.parametrize("command", ["connect", "plain"])
def test_a_program_writes_a_ticket_for_each_attempt(program, command):
    with taking_tickets(3) as server:
        url = program(f"echo {server.url}chat?ticket=geheim-$n; echo further lines")
        words = ["connect"] if command == "connect" else []
        result = wsx(*words, "-v", *RECONNECT, "--no-stdin", "-n", "1", url)
        assert (result.status, result.lines) == (0, ["in"]), result
        assert server.results == [f"/chat?ticket=geheim-{n}" for n in (1, 2, 3)]
    assert "geheim" not in result.err and f"127.0.0.1:{server.port}" in result.err


def test_a_ticket_in_a_template_is_renewed_without_programs():
    with taking_tickets(3) as server:
        url = f"{server.url}?ticket={{{{uuid}}}}"
        result = wsx("connect", "--template", *RECONNECT, "--no-stdin", "-n", "1", url)
        assert result.status == 0, result
        assert len(set(server.results)) == 3


def test_a_cursor_continues_in_the_url_and_in_messages():
    def script(peer):
        head = peer.read_request()
        peer.upgrade()
        first = peer.read_next().payload.decode()
        peer.send(wire.text('{"seq":%d}' % server.connection_count))
        if server.connection_count < 3:
            peer.send(wire.close(1012))
            peer.read_until_close()
        else:
            peer.answer_close()
        return target(head), first

    with ScriptedServer(script) as server:
        result = wsx(
            "connect", "--template", "--set", "after=.seq", *RECONNECT, "--no-stdin", "-n", "3", "-x",
            "from {{after | default:0}} {{connection}}", server.url + "?after={{after | default:0}}&c={{connection}}")
        assert result.status == 0, result
        assert server.results == [(f"/?after={n}&c={n + 1}", f"from {n} {n + 1}") for n in (0, 1, 2)]


@pytest.mark.parametrize("arguments, message, words", [
    (["--reconnect", "--template", "-H", "X-After: {{a | default:0}}"], "a\r\nX", "control character"),
    (["--reconnect-url", "/?a={{a | unbase64}}"], "!!", "not Base64"),
    (["--reconnect-url", "/?a={{a}}"], "a" * 70000, "longer than 64 KiB"),
    (["--reconnect-url", "{{a}}"], "a" * 70000, "longer than 64 KiB"),
    (["--param", "b=foo://x", "--reconnect-url", "{{b}}"], "", "--reconnect-url '{{b}}': unknown scheme"),
], ids=["header", "filter", "large", "large location", "scheme"])
def test_a_received_value_that_cannot_be_inserted_ends_the_run(arguments, message, words):
    with serving(wire.text(json.dumps({"a": message})) + wire.close(1012)) as server:
        arguments = [server.url.rstrip("/") + word if word.startswith("/") else word for word in arguments]
        result = wsx("connect", "--set", "a=.a", *arguments, *DELAY, "--timeout", "20", "--no-stdin", server.url)
        assert result.status == 2 and words in result.error_lines[-1], result
        assert server.connection_count == 1


@pytest.mark.parametrize("output, words", [
    ("echo; echo ws://x", "URL"), ("exit 3", "URL: running"), ("echo ftp://x/", "/program': unknown scheme"),
    ("head -c 70000 /dev/zero | tr '\\0' a", "URL: running"), ("echo echo:", "only on the command line"),
], ids=["empty", "status", "scheme", "large", "echo"])
def test_a_program_that_writes_no_url_is_an_error(program, output, words):
    assert_fails(wsx("connect", "--no-stdin", program(output)), 2, words)


def test_a_load_test_asks_a_program_for_its_url_once(program, wsx_echo, tmp_path):
    url = program(f"echo {wsx_echo.url}")
    assert wsx("bench", "-q", "-c", "3", "-n", "3", url).status == 0
    assert (tmp_path / "runs").read_text() == "\n"


def test_programs_write_urls_only_where_the_user_says_so(program, tmp_path):
    url = program("echo ws://127.0.0.1:1")
    for arguments in ["relay", "0", url], ["check", url]:
        assert_fails(wsx(*arguments), 2, "URL")
    path = tmp_path / "config"
    path.write_text(f"[p]\nurl = {url}\n")
    path.chmod(0o666)
    assert_fails(wsx("connect", "@p", env={"WSX_CONFIG": str(path), "PATH": "/usr/bin:/bin"}), 2, "url", "chmod")
    assert not (tmp_path / "runs").exists()
    path.chmod(0o600)
    assert_fails(wsx("connect", "@p", env={"WSX_CONFIG": str(path), "PATH": "/usr/bin:/bin"}), 3, "127.0.0.1:1")
    assert (tmp_path / "runs").exists()


# The next address


def greeting(message):
    """A server whose first connection gets a message, and the others `arrived`. Returns the requests."""

    def script(peer):
        head = peer.read_request()
        peer.upgrade(then=wire.text(message() if server.connection_count == 1 and message else "arrived"))
        peer.answer_close()
        return head

    server = ScriptedServer(script)
    return server


def moving(url):
    return json.dumps({"type": "session_reconnect", "session": {"reconnect_url": url}})


MOVING = [
    "--set", "next=.session.reconnect_url", "--reconnect-url", "{{next}}", "--reconnect-when",
    'json:.type=="session_reconnect"', *DELAY, "--no-stdin", "--until", "arrived",
]
LOGIN = ["-H", "Authorization: Bearer geheim", "-H", "X-Public: 1", "-b", "sid=geheim"]


@pytest.mark.parametrize("trust", [[], ["--location-trusted"]], ids=str)
def test_a_message_names_the_next_address(trust):
    """Another origin gets no login, as after a redirect."""
    with greeting(None) as other, greeting(lambda: moving(other.url + "ws?id=7")) as server:
        other.connection_count = 1
        result = wsx("connect", *MOVING, *LOGIN, *trust, server.url)
        assert result.status == 0 and result.lines[-1] == "arrived", result
        [first], [second] = server.results, other.results
        assert wire.field(first, b"Authorization") == b"Bearer geheim" and wire.field(first, b"Cookie") == b"sid=geheim"
        assert target(second) == "/ws?id=7"
        assert wire.field(second, b"Authorization") == (b"Bearer geheim" if trust else None)
        assert wire.field(second, b"Cookie") == (b"sid=geheim" if trust else None)
        assert wire.field(second, b"Host") == b"127.0.0.1:%d" % other.port
    assert ("not sent there: Authorization" in result.err) == (not trust)


@pytest.mark.parametrize("location", ["/next?x=1", "next?x=1"])
def test_an_address_of_the_same_origin_gets_the_login(location):
    with greeting(lambda: moving(location)) as server:
        result = wsx("connect", *MOVING, *LOGIN, server.url)
        assert result.status == 0, result
        first, second = server.results
    assert target(second) == "/next?x=1" and wire.field(second, b"Authorization") == b"Bearer geheim"


@pytest.mark.parametrize("message", ['{"type":"session_reconnect"}', moving(None), moving("")], ids=str)
def test_an_address_without_a_value_is_that_of_the_command_line(message):
    with greeting(lambda: message) as server:
        assert wsx("connect", *MOVING, server.url + "first").status == 0
        assert [target(head) for head in server.results] == ["/first", "/first"]


def test_an_address_that_is_no_text_is_that_of_the_command_line():
    with greeting(lambda: moving({"a": 1})) as server:
        assert wsx("connect", *MOVING, server.url + "first").status == 0
        assert [target(head) for head in server.results] == ["/first", "/first"]


def test_a_path_leads_to_the_server_that_named_it():
    """It gets no login there if it got none before."""

    def script(peer):
        head = peer.read_request()
        peer.upgrade(then=wire.text("arrived" if other.connection_count == 2 else moving("/resume")))
        peer.answer_close()
        return head

    with ScriptedServer(script) as other, greeting(lambda: moving(other.url + "first")) as server:
        result = wsx("connect", *MOVING, *LOGIN, server.url)
        assert (result.status, server.connection_count) == (0, 1), result
        assert [target(head) for head in other.results] == ["/first", "/resume"]
        assert all(wire.field(head, b"Authorization") is None for head in other.results)


@pytest.mark.parametrize("options", [
    ["--param", "a=ws://", "--reconnect-url", "{{a}}{{host}}:{{port}}/x"],
    ["--param", "a=ws://1", "--reconnect-url", "{{a}}{{rest}}:{{port}}/x"],
    ["--param", "a=ws://127.0.0.1", "--reconnect-url", "{{a}}:{{port}}/x"],
], ids=["scheme", "host", "port"])
def test_an_origin_that_messages_complete_gets_no_login(options):
    with greeting(None) as other, greeting(
            lambda: json.dumps({"host": "127.0.0.1", "rest": "27.0.0.1", "port": other.port})) as server:
        other.connection_count = 1
        result = wsx(
            "connect", "--set", "host=.host", "--set", "rest=.rest", "--set", "port=.port", *options,
            "--reconnect-when", "host", *DELAY, "--no-stdin", "--until", "arrived", *LOGIN, server.url)
        assert result.status == 0 and "not sent there: Authorization" in result.err, result
        [head] = other.results
    assert (target(head), wire.field(head, b"Authorization"), wire.field(head, b"Cookie")) == ("/x", None, None)


def test_messages_complete_the_path_of_an_origin_of_the_user():
    with greeting(None) as other, greeting(lambda: '{"id":"@a:1"}') as server:
        other.connection_count = 1
        result = wsx(
            "connect", "--set", "id=.id", "--param", f"a={other.url}x", "--reconnect-url", "{{a}}{{id}}",
            "--reconnect-when", "id", *DELAY, "--no-stdin", "--until", "arrived", *LOGIN, server.url)
        assert result.status == 0, result
        [head] = other.results
    assert (target(head), wire.field(head, b"Authorization")) == ("/x%40a%3A1", b"Bearer geheim")


@pytest.mark.parametrize("secret", ["{{env:SECRET}}", "{{env:SECRET | sha256}}", "{{exec:echo geheim}}"])
@pytest.mark.parametrize("trust", [[], ["--location-trusted"]], ids=str)
def test_secrets_in_the_address_do_not_follow_to_another_origin(secret, trust):
    moves = [word.replace("{{next}}", "{{next}}?token=" + secret) for word in MOVING]
    environment = {"SECRET": "geheim", "PATH": "/usr/bin:/bin"}
    with greeting(None) as other, greeting(lambda: moving(other.url)) as server:
        other.connection_count = 1
        result = wsx("connect", *moves, *trust, server.url, env=environment)
        assert other.connection_count == (2 if trust else 1), result
    assert result.status == 0 if trust else (
        result.status == 4 and "would send secrets (--reconnect-url)" in result.error_lines[-1]), result
    with greeting(lambda: moving("/x")) as server:
        assert wsx("connect", *moves, server.url, env=environment).status == 0
        assert target(server.results[1]).startswith("/x?token=")


@pytest.mark.parametrize("names_localhost", [False, True], ids=str)
def test_each_host_gets_its_own_stored_login(tmp_path, names_localhost):
    stored = "machine 127.0.0.1 login u password geheim\n"
    (tmp_path / ".netrc").write_text(stored + "machine localhost login v password w\n" * names_localhost)
    with greeting(None) as other, serving(1012) as server:
        other.connection_count = 1
        url = f"ws://localhost:{other.port}/"
        result = wsx("connect", "--netrc", "--reconnect-url", url, *DELAY, "--no-stdin", "-n", "1", server.url,
                     env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"})
        assert result.status == 0, result
        assert wire.field(server.results[0][0], b"Authorization") == b"Basic dTpnZWhlaW0="
        assert wire.field(other.results[0], b"Authorization") == (b"Basic djp3" if names_localhost else None)


@pytest.mark.parametrize("form", ["echo:", "{{env:NEXT}}"])
def test_later_connections_may_lead_to_the_embedded_server(form):
    with serving(1012) as server:
        result = wsx("connect", "--reconnect-url", form, *DELAY, "--no-stdin", "-n", "1", "-x", "hi", server.url,
                     env={"NEXT": "echo:", "PATH": "/usr/bin:/bin"})
        assert (result.status, result.lines) == (0, ["hi"]), result


def test_later_connections_lead_from_the_embedded_server_to_another_one():
    with greeting(None) as server:
        server.connection_count = 1
        result = wsx("connect", "--reconnect-url", server.url, "--reconnect-when", "hi", *DELAY, "--timeout", "30",
                     "--no-stdin", "-x", "hi", "--until", "arrived", "echo:")
        assert (result.status, server.connection_count) == (0, 2), result


def test_certificates_that_are_not_verified_are_reported_before_an_address_needs_it(certificates):
    with greeting(None) as other, greeting(lambda: moving(other.url.replace("ws:", "wss:"))) as server:
        other.connection_count = 1
        other.context = server_context(certificates.good)
        result = wsx("connect", "-k", *MOVING, server.url)
    assert result.status == 0 and "certificates are not verified" in result.err, result


def test_an_address_from_a_message_is_no_redirect_that_counts():
    def redirecting(peer):
        peer.read_request()
        peer.send(b"HTTP/1.1 302 No\r\nContent-Length: 0\r\nLocation: %s\r\n\r\n" % last.url.encode())

    with greeting(None) as last, ScriptedServer(redirecting) as other, greeting(lambda: moving(other.url)) as server:
        last.connection_count = 1
        result = wsx("connect", *MOVING, "-L", "--max-redirects", "1", server.url)
        assert (result.status, last.connection_count) == (0, 2), result


def test_a_variable_of_the_prompt_outlives_the_connection():
    def script(peer):
        peer.upgrade(then=wire.text('{"a":"one"}'))
        if server.connection_count == 1:
            peer.read_next()
            peer.send(wire.text('{"a":"two"}') + wire.close(1012))
        return peer.answer_close()

    with ScriptedServer(script) as server, Screen(width=120) as screen:
        screen.enter(f"$WSX connect --template --reconnect --reconnect-delay 50ms --no-history {server.url}")
        screen.wait_for("one")
        screen.enter("/set added=.a")
        screen.enter("go")
        screen.wait_for("(?s)one.*two.*one")
        screen.press("C-d")
        screen.wait_for_last_line("shell$")
        assert server.connection_count == 2


def test_the_prompt_says_that_another_url_ends_the_one_of_later_connections():
    with greeting(None) as server, Screen(width=120) as screen:
        screen.enter(f"$WSX connect --reconnect-url {server.url}later {server.url}")
        screen.wait_for("Connected")
        screen.enter("/connect " + server.url + "typed")
        screen.wait_for("/connect ends --reconnect-url.")
        screen.press("C-d")
        screen.wait_for_last_line("shell$")


def test_values_after_the_beginning_are_encoded():
    with greeting(lambda: '{"type":"session_reconnect","id":"a/b?c&d"}') as server:
        result = wsx(
            "connect", "--set", "id=.id", "--reconnect-url", server.url + "resume?id={{id}}", "--reconnect-when", "session",
            *DELAY, "--no-stdin", "--until", "arrived", *LOGIN, server.url)
        assert result.status == 0, result
        first, second = server.results
    assert target(second) == "/resume?id=a%2Fb%3Fc%26d" and wire.field(second, b"Authorization") == b"Bearer geheim"


@pytest.mark.parametrize("form", ["exec:{0}", "{{{{exec:{0}}}}}"])
def test_the_address_of_a_program_is_the_users(program, form):
    with greeting(None) as other, greeting(lambda: "move") as server:
        other.connection_count = 1
        command = program(f"echo {other.url}ws")[len("exec:"):]
        result = wsx(
            "connect", "--reconnect-url", form.format(command), "--reconnect-when", "move", *DELAY, "--no-stdin",
            "--until", "arrived", *LOGIN, server.url)
        assert result.status == 0, result
        [head] = other.results
    assert target(head) == "/ws" and wire.field(head, b"Authorization") == b"Bearer geheim"


@pytest.mark.parametrize("location, status, words", [
    ("ws://127.0.0.1:1/", 4, "would drop the encryption"), ("ftp://x/", 4, "scheme"), ("wss://[", 4, "--reconnect-url"),
], ids=str)
def test_an_address_that_a_redirect_must_not_have_ends_the_run(certificates, location, status, words):
    with greeting(lambda: moving(location)) as server:
        server.context = server_context(certificates.good)
        result = wsx("connect", *MOVING, "--ca", certificates.root, "--reconnect-on", "always", server.url)
    assert result.status == status and words in result.error_lines[-1], result


def test_a_client_certificate_stays_with_its_server(certificates):
    shown = []

    def script(peer):
        shown.append(bool(peer.sock.getpeercert()))
        peer.upgrade(then=wire.text(moving(other.url) if peer.sock.getsockname()[1] == server.port else "arrived"))
        peer.answer_close()

    def context():
        context = server_context(certificates.good)
        context.load_verify_locations(certificates.root)
        context.verify_mode = ssl.CERT_OPTIONAL
        return context

    with ScriptedServer(script, context=context()) as other, ScriptedServer(script, context=context()) as server:
        result = wsx(
            "connect", *MOVING, "--ca", certificates.root, "--cert", certificates.client.chain, "--key",
            certificates.client.key, server.url)
        assert result.status == 0, result
    assert shown == [True, False]


def test_secrets_in_messages_do_not_follow_to_another_origin():
    with greeting(None) as other, greeting(lambda: moving(other.url)) as server:
        result = wsx("connect", *MOVING, "--first-message", "{{env:SECRET}}", server.url,
                     env={"SECRET": "geheim", "PATH": "/usr/bin:/bin"})
    assert result.status == 4 and "would send secrets" in result.error_lines[-1], result
    assert other.connection_count == 0


# Arguments


@pytest.mark.parametrize("arguments, words", [
    (["--reconnect-on", ""], "HTTP statuses"), (["--reconnect-on", "99"], "HTTP statuses"),
    (["--reconnect-on", "1000,"], "HTTP statuses"), (["--reconnect-on", "600"], "HTTP statuses"),
    (["--reconnect-on", "5000"], "close codes"), (["--reconnect-on", "never"], "'always'"),
    (["--reconnect-when", "("], "--reconnect-when"), (["--reconnect-when", "path:/a x"], "path:"),
    (["--stale", "0"], "--stale"), (["--stale", "0.001ms"], "the minimum is 1ms"),
    (["--reconnect-url", "{{env:HOME}}://x"], "--reconnect-url '"), (["--reconnect-url", ""], "--reconnect-url"),
    (["--reconnect-url", "{{nxt}}", "--set", "next=.a"], "did you mean"),
    (["--reconnect-url", "{{last:.url}}"], "--reconnect-url"), (["--reconnect-url", "ws://"], "--reconnect-url 'ws://'"),
    (["--reconnect-url", "ws://{{next}}/", "--set", "next=.a"], "placeholders can be"),
], ids=str)
def test_invalid_arguments(arguments, words):
    assert_fails(wsx("connect", *arguments, "ws://127.0.0.1:1"), 2, words)


@pytest.mark.parametrize("option", [
    ["--reconnect-on", "1000"], ["--reconnect-when", "x"], ["--reconnect-url", "ws://x"],
], ids=str)
def test_programs_have_one_connection(option):
    result = wsx("connect", "--exec", *option, "ws://127.0.0.1:1", "--", "cat")
    assert_fails(result, 2, option[0], "--exec")


def test_a_template_without_its_option_is_named():
    """A placeholder with filters has blanks, which no URL may have."""
    assert_fails(wsx("connect", "ws://127.0.0.1:1/?a={{a | default:0}}"), 2, "%20, or add --template")
