"""The live page of `--page` in a browser: what it shows while a run goes on, and what it sends."""

import json
import os
import signal
import socket
import subprocess

import pytest

import wire
from processes import BINARY, Listener, Relay, Running, run, wait_until
from scripted_server import ScriptedServer
from session_page import LivePage, SessionPage

PAGE = ("--page", "0")


@pytest.fixture(scope="module")
def echo():
    with Listener("--echo") as server:
        yield server


@pytest.fixture
def relay(echo):
    with Relay(echo.url, *PAGE) as relay:
        yield relay


def connect(server, path="/", *fields):
    """Connects a client and returns its stream."""
    client = wire.Stream(socket.create_connection(("127.0.0.1", server.port), timeout=60))
    client.send(wire.upgrade_request(server.port, path, *fields))
    assert b" 101 " in client.read_head()
    return client


def say(client, text):
    """Sends a text and waits for its echo."""
    client.send(wire.text(text, is_masked=True))
    assert client.read_message().payload == text.encode()


# What the page shows


def test_messages_of_three_connections_appear(browser, relay):
    clients = [connect(relay, f"/{number}") for number in (1, 2, 3)]
    say(clients[0], "before")
    with LivePage(browser, relay) as page:
        page.wait_for_last("client 1 before", "client 1 before")
        say(clients[2], '{"id": 1}')
        page.wait_for_last('client 3 {"id": 1}', 'client 3 {"id": 1}')
        clients[1].send(wire.close(4001, b"bye", is_masked=True))
        clients[1].read_until_close()
        wait_until(lambda: "".join(row[3] for row in page.connections()[2:3]).startswith("4001"), what="the end of client 2")
        assert [row[:2] for row in page.connections()] == [
            ["All", ""], ["client 1", "→1 ←1"], ["client 2", "→0 ←0"], ["client 3", "→1 ←1"]]
        assert page.connections()[1][3] == "open"
        assert [row[:2] for row in page.rows() if row[0]] == [[1, "out"], [2, "in"], [3, "out"], [4, "in"]]
        page.choose(3)
        assert [row[0] for row in page.rows()] == [0, 3, 4]
        # What arrives is searched, too.
        page.search("needle")
        say(clients[2], "a needle")
        page.wait_for_last("a needle", "a needle")
        assert page.problems == []


def test_the_list_stays_where_the_reader_is(browser, relay):
    client = connect(relay)
    with LivePage(browser, relay) as page:
        for number in range(100):
            say(client, f"m{number}")
        page.wait_for_last("m99", "m99")
        page.evaluate("document.getElementById('list').scrollTop = 0")
        wait_until(lambda: page.shown()[1] == "m0", what="the beginning of the list")
        say(client, "later")
        page.wait_for("document.getElementById('latest').textContent === '↓ 2 new'")
        assert page.shown()[1] == "m0"
        page.click("latest")
        page.wait_for_last("later", "later")
        assert page.problems == []


def test_texts_of_peers_are_never_markup(browser, relay):
    hostile = "</script><script>document.title='pwned'</script><img src=x onerror=alert(1)>\u202e"
    client = connect(relay, "/?q=%3Cb%3E")
    with LivePage(browser, relay) as page:
        say(client, hostile)
        wait_until(lambda: page.shown()[1:] and page.shown()[-1].startswith("</script>"), what="the text")
        page.select(2)
        assert page.text("data").startswith("</script><script>")
        assert page.evaluate("document.title") == "wsx relay"
        assert page.evaluate("document.querySelectorAll('#list :is(script, img, b), #content img').length") == 0
        assert page.problems == []


# Sending


def test_a_page_sends_to_both_sides(browser):
    received = []

    def script(peer):
        peer.upgrade()
        while (frame := peer.read_frame()).opcode != wire.CLOSE:
            received.append(frame.payload)
        return frame.payload

    with ScriptedServer(script) as server, Relay(f"ws://127.0.0.1:{server.port}", *PAGE) as relay:
        client = connect(relay)
        with LivePage(browser, relay) as page:
            page.wait_for_last("open " + relay.url)
            page.send('{"a": 1', "json", to="server")
            assert page.text("verdict").startswith("Not JSON")
            page.send('{"a": 1}', "json")
            page.wait_for_last('injected {"a": 1}')
            page.send("00 ff", "hex", to="client")
            page.wait_for_last('injected {"a": 1}', "injected 00 ff")
            message = client.read_message()
            assert (message.opcode, message.payload) == (wire.BINARY, b"\0\xff")
            assert [row[1] for row in page.rows()[-2:]] == ["out", "in"]
            assert received == [b'{"a": 1}']
            page.fill("code", "4002")
            page.fill("reason", "enough")
            page.evaluate("document.querySelector('#closing button').click()")
            assert client.read_until_close().payload == b"\x0f\xa2enough"
            client.send(wire.close(4002, is_masked=True))
            client.end_sending()
            page.wait_for("document.getElementById('whom').textContent === 'No connection is open'")
            assert page.problems == []


def test_a_page_sends_to_one_client_or_all(browser):
    with Listener(*PAGE) as server:
        clients = [connect(server) for _ in range(2)]
        with LivePage(browser, server) as page:
            page.wait_for("document.getElementById('whom').textContent === 'Send to all 2 clients'")
            page.send("to all")
            assert [client.read_message().payload for client in clients] == [b"to all"] * 2
            page.choose(2)
            page.send("to one")
            assert clients[1].read_message().payload == b"to one"
            page.wait_for_last("to all", "to one")
            assert page.problems == []


def test_the_page_of_connect_sends_to_the_server(browser, echo):
    with Running([BINARY, "connect", *PAGE, "--interactive", echo.url], stdin=subprocess.PIPE) as client:
        with LivePage(browser, client) as page:
            page.wait_for_last(f"open {echo.url}")
            page.send("from the page")
            page.wait_for_last("from the page", "from the page")
            assert [row[:2] for row in page.rows()] == [[0, "in"], [1, "out"], [2, "in"]]
            assert page.text("url") == echo.url
            page.evaluate("document.querySelector('#closing button').click()")
            assert client.wait() == 0
            page.wait_for("document.getElementById('notice').textContent.startsWith('wsx has ended with status 0')")
            assert page.shown()[1:3] == ["from the page", "from the page"]
            assert page.problems == []


# Saving and copying


def test_a_live_page_can_be_saved_and_opened(browser, relay, tmp_path):
    client = connect(relay, "/chat?token=secret-1", b"Cookie: id=secret-2")
    other = connect(relay)
    with LivePage(browser, relay) as page:
        say(client, '{"id": 1, "text": "</script>\u2028"}')
        page.wait_for_last(*['client 1 {"id": 1, "text": "</script> "}'] * 2)
        rows = page.rows()
        page.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=os.fspath(tmp_path))
        page.click("save-page")
        saved, = wait_until(lambda: list(tmp_path.glob("wsx-session-*.html")), what="the file")
    other.end_sending()
    text = saved.read_text()
    assert "secret-" not in text and "wsx-live" not in text.split("<script", 1)[0]
    with SessionPage(browser, saved) as page:
        page.choose(0)
        assert [row[:3] for row in page.rows()] == [row[:3] for row in rows]
        page.select(1)
        assert page.text("title").startswith("#1 → sent")
        assert page.evaluate("document.getElementById('live').checkVisibility()") is False
        assert page.requests == [saved.as_uri()]
        assert page.problems == []


@pytest.mark.parametrize(
    "text", ["it's \"$HOME\" `id` \\ !x", "two\nlines", "-x", "", "\x1b[31m\u202e", "{{seq}}"],
    ids=["quotes", "lines", "dash", "empty", "invisible", "braces"])
def test_a_message_is_copied_as_a_command_and_a_scenario(browser, echo, relay, text, tmp_path):
    ran = tmp_path / "ran"
    client = connect(relay, "/a'b", b"X-Test: it's", b"-x: y", f"exec: touch {ran}".encode(), b"Cookie: id=secret-1")
    os.symlink(BINARY, tmp_path / "wsx")
    with LivePage(browser, relay) as page:
        say(client, text)
        wait_until(lambda: page.evaluate("document.querySelectorAll('.row').length") == 3, what="the messages")
        page.select(1)
        page.evaluate("navigator.clipboard.writeText = async text => { globalThis.copied = text; }")

        def copied(menu, kind):
            page.evaluate(f"document.querySelector('#{menu} [value={kind}]').click()")
            return page.evaluate("copied")

        command = copied("message-copies", "wsx")
        result = run(["bash", "-c", f"{command} --output json --count 1"],
                     env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})
        assert result.status == 0, result
        messages = [event for event in map(json.loads, result.lines) if event["type"] == "message"]
        assert [event["data"] for event in messages] == [text]
        assert "x-test: it" in command and "'--header=-x: y'" in command and "cookie" not in command
        assert not ran.exists()
        path = tmp_path / "scenario.jsonl"
        path.write_text(copied("connection-copies", "scenario"))
        assert len(path.read_text().splitlines()) == 3
        result = run([BINARY, "connect", "--scenario", path, echo.url])
        assert result.status == 0, result
        assert copied("connection-copies", "curl").startswith("curl -i -N -g --http1.1 'http://127.0.0.1:")
        assert page.problems == []


# Tokens and ends


@pytest.mark.parametrize("fragment, words", [("", "no token"), ("#" + "0" * 32, "refuses this page")])
def test_a_page_without_the_token_says_what_to_do(browser, relay, fragment, words):
    url = relay.wait_for(r"Live page at (http://\S+)").group(1).decode().split("#")[0]
    with LivePage(browser, url + fragment) as page:
        page.wait_for(f"document.getElementById('notice').textContent.includes({json.dumps(words)})")
        assert page.text("notice").endswith("Open the URL that wsx printed when it started.")
        assert not page.rows()


def test_the_page_keeps_its_data_when_the_run_ends(browser, echo, tmp_path):
    with Running([BINARY, "relay", "--no-stdin", *PAGE, "0", echo.url]) as relay:
        relay.port = int(relay.wait_for(r"Listening on \S+:(\d+)").group(1))
        client = connect(relay)
        with LivePage(browser, relay) as page:
            say(client, "kept")
            page.wait_for_last("kept", "kept")
            relay.signal(signal.SIGTERM)
            assert relay.wait() == 0
            page.wait_for("document.getElementById('notice').textContent.startsWith('wsx has ended with status')")
            assert "kept" in page.shown()
            page.send("too late")
            assert page.text("verdict") == "No connection is open"


def test_a_lost_connection_is_tried_again(browser, relay):
    client = connect(relay)
    with LivePage(browser, relay) as page:
        say(client, "kept")
        page.wait_for_last("kept", "kept")
        relay.signal(signal.SIGKILL)
        page.wait_for("document.getElementById('notice').textContent.includes('tries again in 2 s')")
        assert page.shown()[-2:] == ["kept", "kept"]


# Holding


@pytest.fixture
def holding(echo):
    with Relay(echo.url, *PAGE, "--hold", 'from:client json:.op == "order"', "--hold", "from:server wait") as relay:
        yield relay


def send(client, *texts):
    for text in texts:
        client.send(wire.text(text, is_masked=True))


def wait_for_held(page, *texts):
    wait_until(lambda: [row[1] for row in page.held()] == list(texts), what=f"held: {texts}")


def test_a_held_message_is_edited_released_or_dropped_in_order(browser, holding):
    client = connect(holding)
    with LivePage(browser, holding) as page:
        page.wait_for_last("open " + holding.url)
        send(client, "first", '{"op":"order","n":1}', '{"op":"order","n":2}', '{"op":"order","n":3}')
        assert client.read_message().payload == b"first"
        wait_for_held(page, *[f'{{"op":"order","n":{number}}}' for number in (1, 2, 3)])
        assert page.held()[0] == ["client 1 to server", '{"op":"order","n":1}', "Release Edit Drop"]
        page.act(0, "Edit")
        assert page.text("whom") == "Edit held message 1: client 1 to server"
        assert page.evaluate("document.querySelector('#composer [name=form]:checked').value") == "json"
        page.send('{"op":"order","n":100}')
        assert client.read_message().payload == b'{"op":"order","n":100}'
        wait_for_held(page, '{"op":"order","n":2}', '{"op":"order","n":3}')
        # The composer is again for new messages.
        assert page.text("send") == "Send"
        page.act(0, "Drop")
        wait_for_held(page, '{"op":"order","n":3}')
        page.act(0, "Release")
        assert client.read_message().payload == b'{"op":"order","n":3}'
        wait_for_held(page)
        page.wait_for_last('{"op": "order", "n": 3}', '{"op": "order", "n": 3}')
        assert [row[1:3] for row in page.rows()[3:]] == [
            ["out", 'edited {"op": "order", "n": 100}'], ["in", '{"op": "order", "n": 100}'],
            ["out", 'dropped {"op": "order", "n": 2}'],
            ["out", '{"op": "order", "n": 3}'], ["in", '{"op": "order", "n": 3}']]
        assert page.problems == []


def test_keys_settle_held_messages(browser, holding):
    client = connect(holding)
    with LivePage(browser, holding) as page:
        page.wait_for_last("open " + holding.url)
        send(client, '{"op":"order","n":1}', '{"op":"order","n":2}')
        wait_for_held(page, '{"op":"order","n":1}', '{"op":"order","n":2}')
        page.evaluate("document.getElementById('list').focus()")
        page.press("h")
        page.press("d")
        wait_for_held(page, '{"op":"order","n":2}')
        page.press("r")
        wait_for_held(page)
        assert client.read_message().payload == b'{"op":"order","n":2}'
        assert page.evaluate("document.activeElement.id") == "condition"


def test_what_a_server_sends_waits_in_its_own_order(browser, holding):
    client = connect(holding)
    with LivePage(browser, holding) as page:
        page.wait_for_last("open " + holding.url)
        send(client, "wait 1", "other", "wait 2")
        wait_for_held(page, "wait 1", "other", "wait 2")
        assert [row[0] for row in page.held()] == ["server to client 1"] * 3
        page.click("release-all")
        assert [client.read_message().payload for _ in range(3)] == [b"wait 1", b"other", b"wait 2"]
        wait_for_held(page)
        assert page.problems == []


def test_a_close_waits_behind_a_held_message(browser, holding):
    client = connect(holding)
    with LivePage(browser, holding) as page:
        page.wait_for_last("open " + holding.url)
        send(client, '{"op":"order"}')
        client.send(wire.close(1000, b"done", is_masked=True))
        wait_for_held(page, '{"op":"order"}', "close 1000 done")
        page.act(0, "Release")
        wait_for_held(page)
        assert client.read_message().payload == b'{"op":"order"}'
        assert client.read_until_close().payload[:2] == b"\x03\xe8"
        assert page.problems == []


def test_conditions_are_added_and_removed_on_the_page(browser, relay):
    client = connect(relay)
    with LivePage(browser, relay) as page:
        page.wait_for_last("open " + relay.url)
        page.evaluate("document.getElementById('show-holding').click()")
        for words in ("(", "stop"):
            page.fill("condition", words)
            page.press("Enter")
            if words == "(":
                page.wait_for("document.getElementById('failure').textContent !== ''")
        wait_until(lambda: page.text("conditions") == "stop ✕", what="the condition")
        assert page.evaluate("document.getElementById('condition').value") == ""
        send(client, "stop")
        wait_for_held(page, "stop")
        page.evaluate("document.querySelector('#conditions button').click()")
        wait_until(lambda: page.text("conditions") == "", what="no condition")
        page.click("release-all")
        assert client.read_message().payload == b"stop"
        say(client, "stop")
        assert page.problems == []


def test_a_page_that_opens_later_shows_what_is_held(browser, holding):
    client = connect(holding)
    with LivePage(browser, holding) as first:
        first.wait_for_last("open " + holding.url)
        send(client, '{"op":"order"}')
        wait_for_held(first, '{"op":"order"}')
        with LivePage(browser, holding) as second:
            wait_for_held(second, '{"op":"order"}')
            second.act(0, "Drop")
            wait_for_held(first)


# Looks


@pytest.mark.parametrize("width", [360, 390, 800, 1440])
def test_the_live_page_needs_no_horizontal_scrolling(browser, relay, width):
    clients = [connect(relay, f"/a-rather-long-path/{number}") for number in range(3)]
    with LivePage(browser, relay, width=width) as page:
        say(clients[0], "x" * 500)
        page.wait_for("document.querySelectorAll('.row').length >= 4")
        for panel in ("sending", "holding"):
            page.evaluate(f"document.getElementById('{panel}').hidden = false")
        page.wait_for_rows()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        beyond = page.evaluate("""Array.from(document.querySelectorAll("header *, #sending *, #holding *, .row"))
            .filter(element => element.checkVisibility() && element.getBoundingClientRect().right > innerWidth)
            .map(element => element.outerHTML)""")
        assert beyond == []
        assert page.problems == []


def test_controls_have_names(browser, relay):
    with LivePage(browser, relay) as page:
        page.wait_for("!document.getElementById('live').hidden")
        page.call("Accessibility.enable")
        nodes = page.call("Accessibility.getFullAXTree")["nodes"]
        controls = [node for node in nodes if not node["ignored"] and node["role"]["value"] in (
            "button", "textbox", "searchbox", "radio", "slider", "listbox", "DisclosureTriangle")]
        assert len(controls) > 15
        assert [node for node in controls if not node.get("name", {}).get("value")] == []


@pytest.mark.heavy
def test_a_full_page_leaves_out_the_oldest_messages(browser, relay):
    client = connect(relay)
    with LivePage(browser, relay) as page:
        for number in range(36):
            say(client, str(number) + "x" * (1 << 20))
            wait_until(lambda: page.shown() and page.shown()[-1].startswith(f"{number}x"), what=f"message {number}")
        wait_until(lambda: page.rows()[-1][0] == 72, what="the last reply")
        assert page.text("counts").endswith(" messages are not in the page")
        left_out = int(page.text("counts").split(", ")[-1].split()[0])
        assert 8 <= left_out < 40
        page.press_keys("Home")
        assert page.rows()[0][0] == left_out + 1
        page.select(left_out + 1)
        assert page.text("data").startswith(f"{left_out // 2}x")
        assert page.problems == []
