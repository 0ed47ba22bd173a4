"""--page: a run on a live page, which sends, and holds messages with --hold."""

import contextlib
import http.client
import json
import socket
import subprocess
import time

import pytest

import wire
from listen_clients import close_as_client, connect
from live_page import Page, address, request
from processes import BINARY, Listener, Relay, Running, assert_fails, wsx
from scripted_server import ScriptedServer


def send(client, *messages):
    client.send(b"".join(wire.text(message, is_masked=True) for message in messages))


def receive(stream):
    return stream.read_message().payload.decode()


@contextlib.contextmanager
def relay(*options, **more):
    """A relay in front of an echo server, and a page."""
    with Listener("--echo") as server, Relay(server.url, "--no-stdin", "--page", "0", *options, **more) as program:
        with Page(program) as page:
            yield program, page


# Events


def test_a_page_shows_three_clients():
    with relay("--hide", "secret") as (program, page):
        assert page.hello["command"] == "relay" and page.hello["sides"] == ["client", "server"]
        assert page.hello["holds"] and page.hello["holding"] == [] and "--page 0" in page.hello["words"]
        for number in (1, 2, 3):
            client = connect(program)
            send(client, f"text {number}", "secret")
            assert receive(client) == f"text {number}"
            opened = page.wait(type="open", client=number)
            assert opened["status"] == 101 and opened["request_headers"]["upgrade"] == ["websocket"]
            page.wait(type="message", client=number, direction="in", data=f"text {number}")
            assert page.wait(type="message", client=number, direction="in")["hidden"] is True
            page.wait(type="message", client=number, direction="out", data=f"text {number}")
            close_as_client(client)
            page.wait(type="close", client=number, code=1000, clean=True)


def test_a_later_page_gets_the_history_and_the_end_is_told():
    with relay() as (program, page):
        send(client := connect(program), "before")
        assert receive(client) == "before"
        with Page(program) as other:
            other.wait(type="message", data="before", direction="out")
            program.signal(15)
            client.read_until_close()
            client.send(wire.close(1001, is_masked=True))
            assert [page.read_to_close(), other.read_to_close()] == [1001, 1001]
        assert page.events[-1] == {"type": "ended", "status": 0, "message": ""}
        assert page.messages() == other.messages()
        assert program.wait() == 0


def test_messages_are_shown_decoded_and_marked():
    with relay("--decode", "msgpack", "--rewrite", "a => b", "--drop", "json:.b", "--answer", "who => me") as (
            program, page):
        client = connect(program)
        client.send(wire.frame(wire.BINARY, b"\x81\xa1b\x01", is_masked=True))
        send(client, "who")
        assert receive(client) == "me"
        assert page.wait(type="message", direction="in", data='{"b":1}') | {"time": 0} == {
            "type": "message", "time": 0, "direction": "in", "opcode": "binary", "bytes": 4, "data": '{"b":1}',
            "decoded": "msgpack", "dropped": True, "hidden": True, "client": 1}
        assert page.wait(type="message", direction="in", data="who")["answered"] is True
        page.wait(type="message", direction="out", data="me")


def test_a_server_shows_what_it_sends(tmp_path):
    for options, count in ((["--echo"], 1), (["--broadcast"], 2), (["--exec"], 1)):
        more = {"program": ["cat"]} if options == ["--exec"] else {}
        with Listener("--page", "0", "-v", *(options if not more else []), **more) as program, Page(program) as page:
            assert page.hello["sides"] == ["client"]
            clients = [connect(program) for _ in range(count)]
            send(clients[0], "text")
            assert receive(clients[-1]) == "text"
            page.wait(type="message", direction="in", client=1, data="text")
            page.wait(type="message", direction="out", client=count, data="text")


def test_a_client_shows_its_run():
    def script(peer):
        peer.upgrade(then=wire.text("hello") + wire.frame(wire.PING, b"p"))
        peer.read_next()
        received = [peer.read_next().payload for _ in range(2)]
        peer.answer_close()
        return received

    with ScriptedServer(script) as server, Running(
            [BINARY, "connect", "--no-stdin", "-q", "--page", "0", server.url]) as program, Page(program) as page:
        assert page.hello["sides"] == ["server"] and page.hello["command"] == "connect"
        page.wait(type="open", status=101)
        page.wait(type="message", direction="in", data="hello")
        page.wait(type="ping", direction="in")
        page.ask(do="send", to="server", text="from the page")
        page.wait(type="message", direction="out", data="from the page")
        page.ask(do="send", to="server", base64="AAH/")
        page.wait(type="message", direction="out", base64="AAH/", opcode="binary")
        page.ask(do="send", to="client", text="x")
        assert "no client" in page.wait(type="problem")["message"]
        page.ask(do="close", to="server", code=4001, reason="done")
        page.wait(type="close", direction="out", code=4001, reason="done")
        page.wait(type="ended")
        assert page.read_to_close() == 1001
        assert (program.wait(), program.out) == (page.events[-1]["status"], b"hello\n")
    assert server.results == [[b"from the page", b"\x00\x01\xff"]]


def test_a_page_that_does_not_read_holds_nothing_up(tmp_path):
    count, path = 3000, tmp_path / "session.jsonl"

    def script(peer):
        peer.upgrade()
        for number in range(count):
            peer.send(wire.text(f"{number} " + "x" * 20_000))
        peer.answer_close()

    with ScriptedServer(script) as server, Relay(
            server.url, "--no-stdin", "--page", "0", "--record", path) as program, Page(program) as page:
        client = connect(program)
        for number in range(count):
            assert receive(client).startswith(f"{number} ")
        close_as_client(client)
        omitted = page.wait(type="omitted")
        page.wait(type="close")
        messages = page.messages()
        assert omitted["messages"] + len(messages) == count and omitted["messages"] > count / 3
        assert messages[-1]["data"].startswith(f"{count - 1} ")
        program.stop()
    recorded = [json.loads(line) for line in path.read_text().splitlines()]
    assert sum(event["type"] == "message" for event in recorded) == count


# Sending


def test_a_page_sends_to_both_sides_of_a_relay(tmp_path):
    path = tmp_path / "session.jsonl"
    with relay("--record", path) as (program, page):
        client = connect(program)
        page.wait(type="open")
        page.ask(do="send", to="client", text="for the client")
        assert receive(client) == "for the client"
        page.ask(do="send", to="server", client=1, text="for the server")
        assert receive(client) == "for the server"
        page.ask(do="ping", to="client", client=1)
        assert client.read_frame().opcode == wire.PING
        other = connect(program)
        page.wait(type="open", client=2)
        page.ask(do="send", to="client", text="for whom?")
        assert "recipient" in page.wait(type="problem")["message"]
        page.ask(do="close", to="client", client=1, code=4000, reason="bye")
        frame = client.read_until_close()
        assert (frame.close_code, frame.payload[2:]) == (4000, b"bye")
        page.ask(do="send", to="client", client=9, text="x")
        assert "no client 9" in page.wait(type="problem")["message"]
        assert other.sock.fileno() > 0
        program.stop()
    injected = [event["data"] for event in map(json.loads, path.read_text().splitlines()) if event.get("injected")]
    assert injected == ["for the client", "for the server"]


@pytest.mark.parametrize("text", [
    "", "nothing", "[]", "{}", '{"do":"send","to":"client"}', '{"do":"send","to":"both","text":"x"}',
    '{"do":"send","to":"client","base64":"!"}', '{"do":"close","to":"client","code":1005}',
    '{"do":"release","ids":[1.5]}', '{"do":"drop","ids":[7]}', '{"do":"hold","conditions":["("]}',
    '{"do":"hold","conditions":["^a","json:"]}', '{"do":"send","to":"client","client":"1","text":"x"}',
], ids=str)
def test_what_makes_no_sense_is_a_problem(text):
    with relay("--hold", "^x") as (_, page):
        page.stream.send(wire.text(text, is_masked=True))
        assert page.wait(type="problem")["message"]
        page.ask(do="hold", conditions=["^y"])
        assert page.wait(type="holding")["conditions"] == ["^y"]
        with contextlib.suppress(IndexError):
            assert [event for event in page.events if event["type"] == "holding"][1:] == []


# Who may open a page


def test_only_the_token_opens_a_page_and_wrong_ones_are_limited():
    with relay() as (_, page):
        for _ in range(9):
            assert request(page.port, "0" * 32)[0] == 403
        assert request(page.port, "", protocols="")[0] == 403
        status, head, _ = request(page.port, "0" * 32)
        assert status == 429 and int(wire.field(head, b"Retry-After")) <= 60
        # What other programs guess locks nobody out.
        assert request(page.port, page.token)[0] == 101


def test_other_origins_and_hosts_are_refused():
    with relay() as (program, page):
        for origin in ("http://example.com", "null", f"http://localhost:{page.port}", "http://127.0.0.1:1",
                       f"https://127.0.0.1:{page.port}"):
            assert request(page.port, page.token, f"Origin: {origin}".encode())[0] == 403, origin
        assert request(page.port, page.token, host="example.com")[0] == 403
        assert request(page.port, page.token, f"Origin: http://127.0.0.1:{page.port}".encode())[0] == 101


def test_at_most_eight_pages_are_open():
    with relay() as (program, page):
        others = [request(page.port, page.token) for _ in range(7)]
        assert [status for status, _, _ in others] == [101] * 7
        assert request(page.port, page.token)[0] == 503
        others[0][2].sock.close()
        deadline = time.monotonic() + 60
        while request(page.port, page.token)[0] == 503:
            assert time.monotonic() < deadline


def test_the_page_itself_has_nothing_of_the_run_and_a_strict_policy():
    with relay("-H", "Authorization: Bearer topsecret99") as (program, page):
        assert "topsecret99" not in page.hello["words"]
        connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=60)
        connection.request("GET", "/")
        response = connection.getresponse()
        text = response.read().decode()
        policy = response.headers["Content-Security-Policy"]
        assert response.status == 200 and '<meta name="wsx-live"' in text
        assert page.token not in text and program.url not in text
        assert "connect-src 'self';" in policy and "default-src 'none'" in policy
        connection.request("GET", "/other")
        assert connection.getresponse().status == 404


def test_the_url_is_told_with_quiet_and_not_recorded(tmp_path):
    path = tmp_path / "session.jsonl"
    with Listener("--echo") as server, Running(
            [BINARY, "relay", "-q", "--no-stdin", "--page", "0", "--record", path, "0", server.url]) as program:
        _, token = address(program)
        program.signal(15)
        assert program.wait() == 0
    assert token not in path.read_text() and len(program.err.splitlines()) == 1


# Holding


def test_messages_of_both_directions_are_held_edited_released_and_dropped(tmp_path):
    path = tmp_path / "session.jsonl"
    with relay("--hold", "^hold", "--record", path) as (program, page):
        assert page.hello["holding"] == ["^hold"]
        client = connect(program)
        send(client, "free", "hold 1", "behind", "hold 2", "hold 3")
        assert receive(client) == "free"
        first = page.wait(type="held", data="hold 1")
        assert (first["client"], first["from"], first["opcode"], first["bytes"]) == (1, "client", "text", 6)
        assert page.wait(type="held", data="behind")["behind"] is True
        second, third = page.wait(type="held", data="hold 2")["id"], page.wait(type="held", data="hold 3")["id"]
        client.send(wire.frame(wire.PING, b"passes", is_masked=True))
        assert client.read_frame().payload == b"passes"
        # In order, whichever is released first.
        page.ask(do="release", ids=[third])
        page.ask(do="drop", ids=[second])
        assert page.wait(type="settled") == {"type": "settled", "id": second, "how": "dropped", "by": "page"}
        page.ask(do="release", ids=[first["id"]], text="hold edited")
        assert page.wait(type="settled", id=first["id"])["how"] == "edited"
        assert page.wait(type="message", data="hold edited")["edited"] is True
        assert page.wait(type="settled", id=third)["how"] == "released"
        # The echo is held on its way back.
        answer = page.wait(type="held", data="hold edited", **{"from": "server"})
        page.ask(do="release", ids=[answer["id"]], base64="AQI=")
        assert client.read_message().payload == b"\x01\x02" and receive(client) == "behind"
        page.ask(do="release", all=True)
        assert receive(client) == "hold 3"
        program.stop()
    recorded = [event for event in map(json.loads, path.read_text().splitlines()) if event["type"] == "message"]
    assert [(event["direction"], event.get("data"), event.get("edited"), event.get("dropped")) for event in recorded
            if event["direction"] == "in"] == [
        ("in", "free", None, None), ("in", "hold 2", None, True), ("in", "hold edited", True, None),
        ("in", "behind", None, None), ("in", "hold 3", None, None)]
    assert [event.get("data") for event in recorded if event["direction"] == "out"] == [
        "free", "\x01\x02", "behind", "hold 3"]


def test_conditions_change_on_the_page_and_know_sides():
    with relay("--hold", "from:server ^a") as (program, page):
        client = connect(program)
        send(client, "a")
        held = page.wait(type="held")
        assert held["from"] == "server"
        page.ask(do="hold", conditions=["from:client ^b"])
        page.wait(type="holding")
        page.ask(do="release", ids=[held["id"]])
        assert receive(client) == "a"
        send(client, "b")
        page.ask(do="release", ids=[page.wait(type="held", data="b", **{"from": "client"})["id"]])
        assert receive(client) == "b"


def test_a_second_release_keeps_the_edit_and_settled_ones_do_not_stop_others():
    with relay("--hold", "from:client ^hold") as (program, page):
        client = connect(program)
        send(client, "hold 1", "hold 2")
        first, second = (page.wait(type="held", data=f"hold {number}")["id"] for number in (1, 2))
        page.ask(do="release", ids=[second], text="edited")
        page.ask(do="release", ids=[second])
        page.ask(do="release", ids=[99, first])
        assert "99" in page.wait(type="problem")["message"]
        assert (receive(client), receive(client)) == ("hold 1", "edited")


def test_edits_count_toward_the_limit():
    with relay("--hold", "from:client ^hold") as (program, page):
        client = connect(program)
        send(client, "hold 1", "hold 2", "hold 3")
        ids = [page.wait(type="held", data=f"hold {number}")["id"] for number in (1, 2, 3)]
        for number in ids[1:]:
            page.ask(do="release", ids=[number], text="x" * (10 << 20))
        assert receive(client) == "hold 1" and len(receive(client)) == 10 << 20
        assert b"16 MiB" in program.wait_for(".*all are released").group()


def test_a_server_writes_an_edited_message():
    with Listener("--page", "0", "--hold", "^hold") as program, Page(program) as page:
        client = connect(program)
        send(client, "hold 1", "two")
        page.ask(do="release", ids=[page.wait(type="held")["id"]], text="edited")
        page.wait(type="message", data="two")
        close_as_client(client)
        page.wait(type="close")
    assert program.out == b"edited\ntwo\n"


def test_the_end_of_the_input_waits_for_held_messages():
    with Listener("--echo", "--no-stdin") as server, Running(
            [BINARY, "connect", "-q", "--linger", "50ms", "--page", "0", "--hold", "^hold", server.url],
            stdin=subprocess.PIPE) as program:
        with Page(program) as page:
            program.process.stdin.write(b"hold 1\n")
            program.process.stdin.close()
            held = page.wait(type="held")["id"]
            time.sleep(0.2)
            page.ask(do="release", ids=[held])
            assert program.wait() == 0
    assert program.out == b"hold 1\n"


def test_secrets_with_quotes_are_masked_in_the_command_line():
    with relay("--auth", "user:pa'SECRET", "-H", "X-Token: aa'SECRET") as (_, page):
        assert "SECRET" not in page.hello["words"], page.hello


def test_a_decoded_message_is_edited_as_text():
    with relay("--decode", "msgpack", "--hold", "from:client json:.a==1") as (
            program, page):
        client = connect(program)
        client.send(wire.frame(wire.BINARY, b"\x81\xa1a\x01", is_masked=True))
        held = page.wait(type="held")
        assert (held["data"], held["opcode"], held["decoded"]) == ('{"a":1}', "binary", "msgpack")
        page.ask(do="release", ids=[held["id"]], text="no JSON")
        assert str(held["id"]) in page.wait(type="problem")["message"]
        page.ask(do="release", ids=[held["id"]], text='{"a":2}')
        message = client.read_message()
        assert (message.opcode, message.payload) == (wire.BINARY, b"\x81\xa1a\x02")
        assert page.wait(type="message", edited=True)["data"] == '{"a":2}'


def test_a_rewritten_message_is_held_as_rewritten():
    with relay("--rewrite", "one => two", "--hold", "from:client two") as (program, page):
        client = connect(program)
        send(client, "one")
        page.ask(do="release", ids=[page.wait(type="held", data="two")["id"]])
        assert receive(client) == "two"


def test_a_close_waits_behind_a_held_message():
    with relay("--hold", "from:client ^hold") as (program, page):
        client = connect(program)
        send(client, "hold")
        client.send(wire.close(4000, b"later", is_masked=True))
        held = page.wait(type="held", data="hold")
        waiting = page.wait(type="held", opcode="close")
        assert (waiting["code"], waiting["reason"], waiting["behind"]) == (4000, "later", True)
        page.ask(do="release", ids=[held["id"]])
        assert page.wait(type="settled", id=waiting["id"])["how"] == "released"
        assert receive(client) == "hold"
        assert client.read_until_close().close_code == 4000


def test_what_a_side_leaves_behind_is_dropped_and_reported():
    with relay("--hold", "^hold") as (program, page):
        client = connect(program)
        send(client, "hold 1", "hold 2")
        page.wait(type="held", data="hold 2")
        client.sock.close()
        assert page.wait(type="settled")["how"] == page.wait(type="settled")["how"] == "lost"
        program.wait_for("2 held messages of client 1 were dropped")


def test_a_server_that_leaves_drops_what_waits():
    def script(peer):
        peer.upgrade(then=wire.text("hold"))
        peer.read_next()

    with ScriptedServer(script) as server, Relay(
            server.url, "--no-stdin", "--page", "0", "--hold", "^hold") as program, Page(program) as page:
        client = connect(program)
        page.wait(type="held")
        send(client, "now")
        assert page.wait(type="settled")["how"] == "lost"
        program.wait_for("1 held message for client 1 was dropped")
        assert client.read_until_close().close_code == 1014


def test_too_many_messages_are_all_released_in_order():
    with relay("--hold", "from:client ^0$") as (program, page):
        client = connect(program)
        page.wait(type="open")
        send(client, *map(str, range(1001)))
        assert [receive(client) for _ in range(1001)] == [str(number) for number in range(1001)]
        assert page.wait(type="settled")["how"] == "limit"
        assert program.err.count("more than 1,000 messages, or 16 MiB, were held") == 1


def test_nothing_is_held_without_a_page():
    with Listener("--echo") as server, Relay(
            server.url, "--no-stdin", "--page", "0", "--hold", "^hold") as program:
        client = connect(program)
        send(client, "hold 1")
        assert receive(client) == "hold 1"
        with Page(program) as page, Page(program):
            send(client, "hold 2", "hold 3")
            page.wait(type="held", data="hold 3")
        assert [receive(client), receive(client)] == ["hold 2", "hold 3"]


def test_a_later_page_gets_what_is_held():
    with relay("--hold", "^hold") as (program, page):
        client = connect(program)
        send(client, "hold")
        held = page.wait(type="held")
        with Page(program) as other:
            assert other.wait(type="held") == held
            other.ask(do="release", ids=[held["id"]])
            assert page.wait(type="settled", id=held["id"])["how"] == "released"


def test_a_server_holds_what_clients_send():
    with Listener("--echo", "--page", "0", "--hold", "path:/ ^hold") as program, Page(program) as page:
        client = connect(program)
        send(client, "hold")
        page.ask(do="release", ids=[page.wait(type="held")["id"]], text="edited")
        assert receive(client) == "edited"


def test_a_client_holds_what_the_server_sends():
    def script(peer):
        peer.upgrade()
        # The page is open.
        assert peer.read_frame().payload == b"go"
        peer.send(wire.text("hold 1") + wire.text("two"))
        peer.answer_close()

    with ScriptedServer(script) as server, Running(
            [BINARY, "connect", "--no-stdin", "-q", "--page", "0", "--hold", "^hold", "-n", "2", server.url]) as (
            program):
        with Page(program) as page:
            page.wait(type="open")
            page.ask(do="send", to="server", text="go")
            page.wait(type="held", data="two")
            page.ask(do="hold", conditions=[])
            page.ask(do="release", all=True)
            assert program.wait() == 0
    assert program.out == b"hold 1\ntwo\n"


# Usage


@pytest.mark.parametrize("arguments, words", [
    (["relay", "0", "ws://127.0.0.1:1", "--hold", "x"], ["--hold", "--page"]),
    (["listen", "--echo", "0", "--threads", "2", "--page", "0"], ["--page", "--threads"]),
    (["relay", "0", "ws://127.0.0.1:1", "--page", "0", "--hold", "x", "--decode", "zlib-stream"], ["--hold"]),
    (["relay", "0", "ws://127.0.0.1:1", "--page", "x"], ["--page", "port"]),
    (["connect", "--no-stdin", "ws://127.0.0.1:1", "--page", "0", "--hold", "from:client x"], ["--hold", "from:"]),
    (["bench", "ws://127.0.0.1:1", "--page", "0"], ["--page"]),
], ids=str)
def test_combinations_that_cannot_work(arguments, words):
    assert_fails(wsx(*arguments), 2, *words)


def test_a_port_in_use_is_an_error():
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        assert_fails(wsx("listen", "--echo", "0", "-q", "--page", port), 3, "--page")
