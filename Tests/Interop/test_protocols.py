"""Application protocols of wsx connect: --protocol. The servers are those of protocol_servers.py."""

import subprocess

import pytest
from protocol_servers import GraphQLServer, SocketIOServer

import wire
from processes import BINARY, RECONNECT, Running, assert_fails, wait_until, wsx
from scripted_server import ScriptedServer
from terminal import Screen


def connected(server, *arguments):
    """A client whose standard input stays open."""
    return Running([BINARY, "connect", *server.options, *arguments, server.url], stdin=subprocess.PIPE)


# Pipes


def test_socketio_shows_events_as_they_would_be_typed(socketio):
    result = wsx("connect", *socketio.options, "--count", "3", socketio.url, stdin=b"flood 3\n")
    assert (result.status, result.err) == (0, "")
    assert result.lines == ["n 0", "n 1", "n 2"]


def test_socketio_receives_10000_events_in_order(socketio):
    result = wsx("connect", *socketio.options, "--count", "10000", socketio.url, stdin=b"flood 10000\n")
    assert (result.status, result.err) == (0, "")
    assert result.lines == [f"n {number}" for number in range(10_000)]


def test_socketio_server_that_ends_the_session_while_wsx_closes_does_not_fail_the_run():
    def script(peer):
        peer.upgrade(then=wire.text('0{"sid":"s","pingInterval":25000,"pingTimeout":20000}'))
        peer.read_frame()
        peer.send(wire.text('40{"sid":"s"}'))
        close = peer.read_until_close()
        peer.send(wire.text("1") + wire.frame(wire.CLOSE, close.payload))

    with ScriptedServer(script) as server:
        result = wsx("connect", "--protocol", "socket.io", "--linger", "0", server.url, "chat 1")
    assert (result.status, result.err) == (0, "")


def test_graphql_unwraps_results_and_ends_with_the_subscription(graphql):
    result = wsx("connect", *graphql.options, "--request", graphql.url, stdin=b"subscription { count(n: 2) }\n")
    assert (result.status, result.err) == (0, "")
    assert result.lines == ['{"data":{"count":0}}', '{"data":{"count":1}}', "complete 1"]


def test_graphql_reads_documents_from_files(graphql, tmp_path):
    path = tmp_path / "add.graphql"
    path.write_text("# Adds\nquery Q($a: Int!) {\n  add(a: $a, b: 2)\n}\n")
    result = wsx("connect", *graphql.options, "-1", graphql.url, f'@{path} {{"a":1}}')
    assert (result.status, result.lines, result.err) == (0, ['{"data":{"add":3}}'], "")
    result = wsx("connect", *graphql.options, "-1", graphql.url, "@/nonexistent")
    assert_fails(result, 2, "message 1: reading /nonexistent: no such file")


def test_an_invalid_line_ends_a_pipe_with_its_number_and_the_expected_form(socketio):
    result = wsx("connect", *socketio.options, socketio.url, stdin=b"chat 1\n[]\n")
    assert_fails(result, 2, "input message 2: the array is not an event; write EVENT [ARGUMENT...], as in: ")


# JSON events


# Requests


def test_a_request_without_a_reply_times_out(socketio):
    result = wsx(
        "connect", *socketio.options, "--request", "--reply-timeout", "300ms", socketio.url, stdin=b"unknown 1\nchat 2\n")
    assert (result.status, result.lines) == (6, ["2"])
    assert 'wsx: request 1 (id "0"): no reply within 300 ms' in result.err


# Logins and ends


def test_a_wrong_token_is_refused_with_the_words_of_the_server(socketio, graphql):
    for server in socketio, graphql:
        result = wsx("connect", *server.wrong_options, "--reconnect", server.url, stdin=b"")
        assert_fails(result, 4, f"wsx: {server.name}: ", server.refusal)


@pytest.mark.parametrize("make_server, line", [(SocketIOServer, "chat 1"), (GraphQLServer, "{ add(a: 1, b: 2) }")])
def test_lines_reach_a_restarted_server(make_server, line):
    with make_server() as server, connected(server, *RECONNECT) as client:
        client.send(f"{line}\n".encode())
        if make_server is GraphQLServer:
            client.wait_for('"add":3', "out")
        else:
            client.send(b"flood 1\n")
            client.wait_for("n 0", "out")
        server.stop()
        client.wait_for("reconnecting")
        client.send(b"flood 2\n" if make_server is SocketIOServer else b"{ add(a: 3, b: 4) }\n")
        server.start()
        client.wait_for("n 1\n" if make_server is SocketIOServer else '"add":7', "out")
        client.process.stdin.close()
        assert client.wait() == 0


def test_a_subscription_continues_after_a_restart(graphql):
    with connected(graphql, *RECONNECT) as client:
        client.send(b"subscription { tick }\n")
        client.wait_for('"tick":3', "out")
        graphql.restart()
        client.wait_for(r'"tick":0}}(.*\n)+.*"tick":0}}', "out")


def test_socketio_stays_connected_idle_for_three_heartbeats():
    with SocketIOServer(0.3) as server, connected(server, "-v") as client:
        wait_until(lambda: client.err.count("Hidden: ping") >= 3)
        client.send(b"flood 1\n")
        client.wait_for("n 0", "out")
        assert client.process.poll() is None


# Recordings


# The prompt


@pytest.fixture
def screen():
    with Screen(width=100) as screen:
        yield screen


def enter(screen, server, *arguments):
    words = " ".join(f"'{word}'" for word in [*server.options, *arguments, server.url])
    screen.enter(f"$WSX connect {words}; echo status $?")
    screen.wait_for_last_line(">")


def test_the_prompt_renews_a_subscription_after_a_restart(screen, graphql):
    enter(screen, graphql, *RECONNECT)
    screen.enter("subscription { tick }")
    screen.wait_for(r'"tick":1')
    graphql.restart()
    screen.wait_for(r'"tick":0(.*\n)+.*"tick":0')
    screen.enter("/quit")
    screen.wait_for("status 0")
