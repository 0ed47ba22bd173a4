"""What --reconnect sends again: nothing that has been answered, and nothing that keeps ending connections."""

import json
import threading
import time

import pytest

import wire
from processes import BINARY, RECONNECT, RECONNECT_LATER, Running, wait_until, wsx
from scripted_server import ScriptedServer
from terminal import Screen


class Service:
    """Reads messages, each of which `handle(peer, text)` may answer. A true result drops the connection. `received` has
    the messages of each connection. `answers_pings` applies to the first connection; others answer them."""

    def __init__(self, handle, upgrade=(), answers_pings=True):
        self.received = []
        self._handle = handle
        self._fields = upgrade
        self._answers_pings = answers_pings
        self.server = ScriptedServer(self._serve)

    def __enter__(self):
        self.server.__enter__()
        return self

    def __exit__(self, *arguments):
        self.server.__exit__(*arguments)

    @property
    def url(self):
        return self.server.url

    def _serve(self, peer):
        peer.upgrade(*self._fields)
        lines = []
        self.received.append(lines)
        while True:
            frame = peer.read_frame()
            if frame is None:
                return
            if frame.opcode == wire.CLOSE:
                peer.send(wire.frame(wire.CLOSE, frame.payload))
                return
            if frame.opcode == wire.PING:
                if self._answers_pings or lines is not self.received[0]:
                    peer.send(wire.frame(wire.PONG, frame.payload))
                continue
            if frame.opcode in (wire.TEXT, wire.BINARY):
                lines.append(frame.payload.decode("latin-1"))
                if self._handle(peer, lines[-1]):
                    return


# Replies and acknowledgements


@pytest.mark.parametrize("options, message", [
    (["--request"], "a"), (["--correlate", "id"], '{"id":1}'), (["--json-rpc"], "m"), (["-1"], "a")])
def test_no_connection_follows_the_last_reply(options, message):
    """The close frame arrives with the reply."""
    def serve(peer):
        peer.upgrade()
        frame = peer.read_frame()
        while frame.opcode == wire.PING:
            peer.send(wire.frame(wire.PONG, frame.payload))
            frame = peer.read_frame()
        reply = json.loads(frame.payload) | {"result": 1} if frame.payload.startswith(b"{") else frame.payload
        if isinstance(reply, dict):
            reply.pop("method", None)
            reply = json.dumps(reply).encode()
        peer.send(wire.text(reply) + wire.close(1001, b""))
        peer.read_until_close()

    with ScriptedServer(serve) as server:
        result = wsx("connect", *options, *RECONNECT, server.url, message, timeout=30)
    assert (result.status, len(result.lines), server.connection_count) == (0, 1, 1), result


@pytest.mark.parametrize("count", [2, 3, 4, 20, 5000])
def test_requests_with_the_same_id_are_answered_after_a_loss(count):
    """The first one is answered first, also among those that are sent again."""
    def handle(peer, text):
        if len(service.received) == 1:
            return len(service.received[0]) == count
        peer.send(wire.text(text))

    with Service(handle) as service:
        lines = "".join(json.dumps({"id": 1, "k": number}) + "\n" for number in range(count))
        result = wsx("connect", *RECONNECT, "--correlate", "id", "--reply-timeout", "20s", service.url, input=lines.encode())
    assert result.status == 0 and result.lines == lines.splitlines(), result


def test_a_large_batch_leaves_room_for_other_requests():
    """Its calls share their memory, which limits how much is in flight."""
    batch = [{"jsonrpc": "2.0", "id": number, "method": "m", "params": ["x" * 100]} for number in range(600)]

    def handle(peer, text):
        message = json.loads(text)
        if isinstance(message, dict):
            replies = [{"jsonrpc": "2.0", "id": call["id"], "result": 1} for call in [*batch, message]]
            peer.send(wire.text(json.dumps(replies[:-1])) + wire.text(json.dumps(replies[-1])))

    with Service(handle) as service:
        lines = json.dumps(batch) + '\n{"jsonrpc":"2.0","id":"last","method":"m"}\n'
        result = wsx("connect", *RECONNECT, "--json-rpc", "--reply-timeout", "20s", service.url, input=lines.encode())
    assert result.status == 0 and len(result.lines) == 2, result


def test_a_line_that_the_new_connection_does_not_allow_is_reported():
    """Its subscription has ended, so the session does not renew it."""
    def handle(peer, text):
        join, ref, topic, event, _ = json.loads(text)
        if event == "two":
            return True
        if event == "phx_join":
            peer.send(wire.text(json.dumps([join, ref, topic, "phx_reply", {"status": "ok", "response": {}}])))

    lines = "join a\na one\na two\nleave a\n"
    with Service(handle) as service:
        for options in [], ["-1"]:
            result = wsx("connect", "--protocol", "phoenix", *RECONNECT, "--linger", "300ms", *options, service.url, input=lines.encode())
            assert result.status != 0 and "not have reached the server" in result.err, result


def test_a_line_that_awaits_a_reply_is_sent_again_although_a_pong_has_arrived():
    pongs = []

    def handle(peer, text):
        if len(service.received) > 1:
            peer.send(wire.text(json.dumps({"jsonrpc": "2.0", "id": json.loads(text)["id"], "result": 1})))

    def serve(peer):
        if service.received:
            return service._serve(peer)
        peer.upgrade()
        lines = []
        service.received.append(lines)
        while True:
            frame = peer.read_frame()
            if frame.opcode == wire.PING:
                peer.send(wire.frame(wire.PONG, frame.payload))
                pongs.append(frame.payload)
                return
            lines.append(frame.payload.decode())

    service = Service(handle)
    service.server.script = serve
    with service:
        arguments = [BINARY, "connect", "--protocol", "json-rpc", "--reconnect", service.url]
        with Running(arguments, stdin=-1) as client:
            client.send(b"balance\n")
            client.wait_for(r"^1$", "out", 60)
            client.process.stdin.close()
            assert client.wait(60) == 0, client.err
    assert pongs and [len(lines) for lines in service.received] == [1, 1]


# Lines that end connections


def drops_poison(peer, text):
    return "poison" in text


@pytest.mark.parametrize("options, operands, stdin", [
    ([], [], b"fine\npoison \x1b[31m\nother\n"),
    (["--request"], [], b"poison 1\n"),
    ([], ["poison as operand"], b""),
    (["--protocol", "json-rpc"], [], b"poison 1\n"),
], ids=["line", "request", "operand", "protocol"])
def test_a_message_that_ends_every_connection_is_given_up(options, operands, stdin):
    with Service(drops_poison) as service:
        result = wsx("connect", *RECONNECT, *options, service.url, *operands, stdin=stdin)
    assert result.status == 1, result
    assert "gave up on the message" in result.err and "poison" in result.err and "\x1b" not in result.err, result.err
    counts = [sum("poison" in text for text in lines) for lines in service.received]
    # A connection on which another line was confirmed does not count.
    assert counts == [1] * (5 if b"fine" in stdin else 4), service.received
    # Afterwards, a connection begins with a single line, so none is read behind the one that ends the connection.
    assert all("other" not in lines for lines in service.received[2:])


def test_a_feed_flows_again_after_servers_that_ended_before_a_confirmation():
    """The server ends the first connections at once, and later ones after 50 messages. Lines took half a second each."""
    count = 400

    def handle(peer, text):
        lines = service.received[-1]
        if len(service.received) <= 3 or len(service.received) <= 7 and len(lines) == 50:
            peer.send(wire.close(1012))
            return True

    with Service(handle) as service:
        result = wsx("connect", *RECONNECT, "--linger", "0", service.url, stdin="".join(
            f"{number}\n" for number in range(count)).encode(), timeout=120)
    assert result.status == 0, result
    received = [int(text) for lines in service.received for text in lines]
    assert list(dict.fromkeys(received)) == list(range(count)), service.received
    assert len(service.received) == 8, result


def test_the_prompt_keeps_a_message_that_ends_every_connection_for_the_user():
    poisonous = threading.Event()
    poisonous.set()

    def handle(peer, text):
        if text == "poison" and poisonous.is_set():
            return True
        peer.send(wire.text(f"re: {text}"))

    with Service(handle) as service, Screen(width=140) as screen:
        screen.enter(f"$WSX connect {' '.join(RECONNECT_LATER)} {service.url}; echo status $?")
        screen.wait_for_last_line(">")
        screen.enter("/retry")
        screen.wait_for("no message was given up")
        screen.enter("poison")
        for attempt in (1, 2, 3):
            screen.wait_for(rf"\(attempt {attempt}\)")
            screen.wait_for("1 unconfirmed")
            screen.enter("/reconnect")
        screen.wait_for('gave up on the message "poison".*/retry.*/drop')
        screen.wait_for(r"\(attempt 4\)")
        screen.enter("/reconnect")
        wait_until(lambda: len(service.received) == 5, 60, "another connection")
        screen.enter("hello")
        screen.wait_for("← re: hello")
        poisonous.clear()
        screen.enter("/retry")
        screen.wait_for("← re: poison")
        screen.enter("/drop")
        screen.wait_for("no message was given up$")
        screen.enter("/quit")
        screen.wait_for("status 0")
    assert service.received[4] == ["hello", "poison"]


# Retry-After


def unavailable(value, count=1):
    """A server that rejects the first connections with 503, and the times of all connections."""
    times = []

    def script(peer):
        times.append(time.monotonic())
        if len(times) <= count:
            peer.read_request()
            peer.send(b"HTTP/1.1 503 Busy\r\nRetry-After: " + value() + b"\r\nContent-Length: 0\r\n\r\n")
        else:
            peer.upgrade(then=wire.text("hello") + wire.close(1000))
            peer.read_until_close()

    return ScriptedServer(script), times


def http_date(seconds):
    return time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + seconds)).encode()


@pytest.mark.parametrize("value", [lambda: b"1", lambda: http_date(2)], ids=["seconds", "date"])
def test_the_client_waits_as_long_as_retry_after_says(value):
    server, times = unavailable(value)
    with server:
        result = wsx("connect", *RECONNECT, "--no-stdin", server.url)
    assert (result.status, result.out) == (0, b"hello\n"), result
    # A date is in whole seconds, so the second one may be only a second away.
    assert times[1] - times[0] >= 0.95, result.err


@pytest.mark.parametrize("value, words", [
    (b"3600", r"try again in 3600 s; reconnecting in 300\.0 s, the longest wait \(attempt 1\)"),
    (b"99999999999999999999", r"reconnecting in 300\.0 s, the longest wait"),
    (b"20", r"try again in 20 s; reconnecting in 20\.0 s \(attempt 1\)"),
    (b"-20", r"try again later; reconnecting in 0\.[0-3] s \(attempt 1\)"),
    (b"soon", r"try again later; reconnecting in 0\.[0-3] s \(attempt 1\)"),
])
def test_the_announced_wait_does_not_contradict_retry_after(value, words):
    server, _ = unavailable(lambda: value)
    with server, Running([BINARY, "connect", "--reconnect", "--no-stdin", server.url]) as client:
        client.wait_for(words)


@pytest.mark.parametrize("line", ["/reconnect", "typed"])
def test_the_user_does_not_wait_for_retry_after(line):
    server, times = unavailable(lambda: b"250", count=2)
    with server, Screen(width=140) as screen:
        screen.enter(f"$WSX connect --reconnect {server.url}")
        screen.wait_for(r"\(attempt 1\)")
        screen.enter(line)
        wait_until(lambda: len(times) == 2, 60, "an attempt")
        screen.wait_for(r"\(attempt 2\)")
        screen.enter(line)
        screen.wait_for("← hello")
        screen.press("C-d")
        screen.wait_for_last_line("shell$")
