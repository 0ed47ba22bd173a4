"""What a client must do with each protocol. The tests run these functions with every server in `SERVERS`.

Each column of the matrix is a test function, and each row a server. A cell is, for example, `test_pipe[mqtt]`.

| column | test |
| --- | --- |
| prompt | test_protocol_prompt.py: `test_prompt` |
| pipe, JSON, request | test_protocol_connect.py: `test_pipe`, `test_json`, `test_request` |
| login, bench | test_protocol_connect.py: `test_wrong_token`, `test_bench` |
| reconnect, idle | test_protocol_reconnect.py: `test_reconnect`, `test_idle` |

`make test-heavy` runs the same functions with RabbitMQ and Chromium, and the longer ones of `test_idle`.

| row | server |
| --- | --- |
| socket.io | python-socketio |
| graphql | ariadne |
| phoenix, signalr, stomp | written from the specification |
| json-rpc, devtools | written from the specification |
| mqtt | mosquitto |
| actioncable | Action Cable of Rails |
| discord, home-assistant, nostr, obs, ocpp, pusher, slack | written from the vendor's documentation |
"""

import contextlib
import json
import re
import subprocess

from brokers import Mosquitto, StompBroker
from protocol_files import (
    DiscordServer, HomeAssistantServer, NostrServer, OBSServer, OCPPServer, PusherServer, SlackServer)
from protocol_servers import (
    ActionCableServer, DevToolsServer, GraphQLServer, JSONRPCServer, PhoenixServer, SignalRServer, SocketIOServer)
from test_bench import bench, errors, faults

from processes import BINARY, RECONNECT, Running, wait_until, wsx

# The rows of the matrix.
SERVERS = {server.name: server for server in (
    SocketIOServer, GraphQLServer, PhoenixServer, SignalRServer, StompBroker, Mosquitto, ActionCableServer,
    JSONRPCServer, DevToolsServer, DiscordServer, HomeAssistantServer, NostrServer, OBSServer, OCPPServer, PusherServer,
    SlackServer)}


def text(lines):
    """Standard input with these lines."""
    return "".join(f"{line}\n" for line in lines).encode()


def last_event(server, count):
    """Options that end a run after the last of several events."""
    return ["--until", f"^{re.escape(server.event(count - 1))}$", "--timeout", "60s"]


def messages(result):
    """The received messages of JSON output."""
    events = map(json.loads, result.lines)
    return [event for event in events if event["type"] == "message" and event["direction"] == "in"]


def pipe(server):
    """Subscribes, sends, and receives events in order. Replies and confirmations may be among them."""
    count = server.event_count
    result = wsx(
        "connect", *server.options, *last_event(server, count), server.url,
        stdin=text([*server.opening, *server.flood(count)]))
    assert (result.status, result.err) == (0, ""), result
    events = [server.event(number) for number in range(count)]
    expected = set(events)
    assert [line for line in result.lines if line in expected] == events


def json_events(server):
    """Events have data and a protocol object."""
    count = min(server.event_count, 1000)
    result = wsx(
        "connect", *server.options, *last_event(server, count), "--output", "json", server.url,
        stdin=text([*server.opening, *server.flood(count)]))
    assert (result.status, result.err) == (0, ""), result
    received = messages(result)
    assert {event["protocol"]["name"] for event in received} == {server.name}
    events = [event for event in received if server.event_object.items() <= event["protocol"].items()]
    assert [event["data"] for event in events] == [server.data(number) for number in range(count)]


def request(server):
    """Each of many requests has its reply. Without replies in the protocol, nothing waits for one."""
    if not server.has_replies:
        result = wsx(
            "connect", *server.options, "--request", *last_event(server, server.event_count), server.url,
            stdin=text([*server.opening, *server.flood(server.event_count)]))
        assert (result.status, result.err, result.lines[-1]) == (0, "", server.event(server.event_count - 1))
        return
    first = len(server.opening) + 1
    numbers = range(first, first + 50)
    result = wsx(
        "connect", *server.options, "--request", "--reply-timeout", "30s", "--output", "json", server.url,
        stdin=text([*server.opening, *map(server.request, numbers)]))
    assert (result.status, result.err) == (0, ""), result
    replies = [message for message in messages(result) if message["protocol"]["role"] == "reply"]
    assert [reply["request"] for reply in replies] == list(range(1, numbers.stop))
    for number, reply in zip(numbers, replies[first - 1:]):
        assert re.fullmatch(server.reply(number), reply["data"]), (number, reply)


class Restart:
    """A client of a server that is restarted: it has to log in and subscribe again."""

    def __init__(self, make_server):
        self._stack = contextlib.ExitStack()
        self._server = self._stack.enter_context(make_server())
        arguments = [BINARY, "connect", *self._server.options, *RECONNECT, self._server.url]
        self._client = self._stack.enter_context(Running(arguments, stdin=subprocess.PIPE))
        self._send([*self._server.opening, *self._server.flood(1)])
        # Identifiers in an event may differ after the restart.
        self._event = re.sub(r"\d+", r"\\d+", re.escape(self._server.event(0)))
        self._client.wait_for(self._event, "out")
        self._server.stop()
        self._client.wait_for("reconnecting")
        self._server.start()

    def finish(self):
        """Sends and receives with the new connection, and ends."""
        client = self._client
        client.wait_for("connected to", timeout=120)
        self._send(self._server.flood(1))
        client.wait_for(rf"{self._event}(.*\n)+.*{self._event}", "out", 60)
        with contextlib.suppress(BrokenPipeError):
            client.process.stdin.close()
        assert client.wait() == 0, client.err
        for line in client.err.splitlines():
            assert "connect" in line, client.err

    def _send(self, lines):
        # If the client has ended, the next wait fails with its error.
        with contextlib.suppress(BrokenPipeError):
            self._client.send(text(lines))

    def close(self):
        self._stack.close()


def prompt(server, screen):
    """Shows events and the replies to typed lines."""
    words = " ".join(f"'{word}'" for word in [*server.options, server.url])
    screen.enter(f"$WSX connect {words}; echo status $?")
    screen.wait_for_last_line(">")
    for line in [*server.opening, *server.flood(1)]:
        screen.enter(line)
    screen.wait_for(rf"← {re.escape(server.event(0))}$")
    if server.has_replies:
        screen.enter(server.request(7))
        screen.wait_for(rf"← #\d+ \d[\d.]* [mu]?s .*{server.reply(7)}")
    screen.enter("/quit")
    screen.wait_for("status 0")


def bench_requests(server, directory):
    """Matches each request with its reply. Subscriptions that precede them make it a scenario, as do events."""
    if server.has_replies and not server.opening:
        result, results = bench(
            *server.options, server.url, "--mode", "request", "-m", server.request("{{seq}}"),
            "--expect", f"^{server.reply('[0-9]+')}$", "-c", "3", "-n", "60", "--in-flight", "4")
        expected = 60
    else:
        file = directory / "scenario.jsonl"
        file.write_text("".join(json.dumps(step) + "\n" for step in scenario(server)))
        result, results = bench(*server.options, server.url, "--scenario", file, "-c", "3", "-n", "60", check_sum=False)
        expected = 60
    assert (result.status, result.err, errors(results)) == (0, "", {}), result
    problems = {name: count for name, count in faults(results).items() if name != "pushes"}
    assert (problems, results["messages"]["received"]) == ({}, expected)


def scenario(server):
    """The steps of a load: the opening, and then a request and its reply, or a line and its event, again and again."""
    def out(line):
        return {"type": "message", "direction": "out", "data": line}

    def incoming(match):
        return {"type": "message", "direction": "in", "match": match}

    for line in server.opening:
        yield out(line)
        if server.has_replies:
            yield incoming("")
    yield {"type": "repeat"}
    if server.has_replies:
        yield out(server.request("{{seq}}"))
        yield incoming(f"{server.reply('[0-9]+')}$")
    else:
        for line in server.flood(1):
            yield out(line)
        yield incoming(f"^{re.escape(server.heading)} ")


def wrong_token(server):
    """Is refused with the words of the server, and not retried."""
    result = wsx("connect", *server.wrong_options, "--reconnect", "--timeout", "30s", server.wrong_url, stdin=b"")
    assert result.status == server.refusal_status, result
    assert result.err.startswith("wsx: ") and server.refusal in result.err, result
    assert result.err.count("\nwsx: ") == 0, result


def idle(make_server, heartbeat):
    """Stays connected during three heartbeats, whose pattern appears with -v, and then receives an event."""
    with make_server() as server:
        arguments = [BINARY, "connect", "-v", *server.options, server.url]
        with Running(arguments, stdin=subprocess.PIPE) as client:
            client.send(text(server.opening))
            wait_until(lambda: len(re.findall(heartbeat, client.err)) >= 3, 120, "three heartbeats")
            assert client.process.poll() is None
            client.send(text(server.flood(1)))
            client.wait_for(re.escape(server.event(0)), "out")
