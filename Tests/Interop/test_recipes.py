"""Runs every recipe of README.md and docs/recipes.md as written, with the addresses and sizes of the tests."""

import base64
import collections
import contextlib
import csv
import datetime
import hashlib
import hmac
import json
import os
import re
import shlex
import signal
import subprocess
import threading
import time
import urllib.request

import pytest

import wire
from brokers import Mosquitto
from browser import require_chromium
from hosts import Hosts, why_there_are_none
from protocol_files import JupyterServer, OBSServer, OCPPServer, WAMPServer
from live_page import Page
from processes import BINARY, PEERS, PEERS_PYTHON, PYTHON, ROOT, Listener, Running, environment, run, wait_until, wsx
from scripted_server import ScriptedServer
from services import free_ports

PIPE = subprocess.PIPE
DOCUMENTS = "README.md", "docs/recipes.md"


def read_recipes():
    """Returns the scripts of all recipes, by heading."""
    recipes = {}
    for document in DOCUMENTS:
        text = (ROOT / document).read_text()
        for section in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
            heading = section.split("\n", 1)[0]
            scripts = re.findall(r"^```bash\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
            assert len(scripts) == 1, f"{document}: '{heading}' has {len(scripts)} scripts"
            assert heading not in recipes, f"two recipes are called '{heading}'"
            recipes[heading] = scripts[0]
    return recipes


RECIPES = read_recipes()
TESTED = set()


@pytest.fixture
def kitchen(request, tmp_path):
    """The environment for the script of a test marked with `recipe`."""
    return Kitchen(RECIPES[request.node.get_closest_marker("recipe").args[0]], tmp_path)


def recipe(heading):
    """Marks the test of a recipe."""
    TESTED.add(heading)
    return pytest.mark.recipe(heading)


class Script(Running):
    """A script in the background. All its processes end with the block."""

    def __init__(self, script, **options):
        super().__init__(["bash", "-c", script], start_new_session=True, **options)

    def __exit__(self, *exception):
        self._end_processes()
        super().__exit__(*exception)

    def wait(self, timeout=60):
        """Waits for the shell, and ends what it left in the background, which would keep the output open."""
        self.process.wait(timeout)
        self._end_processes()
        return super().wait(timeout)

    def _end_processes(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def wait_for_address(self):
        """Returns the URL of the server that the script starts."""
        return self.wait_for(r"Listening on (\S+)\n").group(1).decode()


class Kitchen:
    """A recipe's script, and the directory in which it runs."""

    def __init__(self, script, directory):
        self.script = script
        self.directory = directory
        (directory / "bin").mkdir()
        (directory / "bin/wsx").symlink_to(BINARY)
        # Chromium and other programs write to the home directory.
        self.environment = environment(PATH=f"{directory}/bin:{os.environ['PATH']}", HOME=directory)

    def adapt(self, replacements):
        """Replaces texts in the script. Each text must occur."""
        for old, new in replacements.items():
            assert old in self.script, f"no {old!r} in the recipe"
            self.script = self.script.replace(old, str(new))

    def write(self, name, content):
        path = self.directory / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def read(self, name):
        return (self.directory / name).read_bytes()

    def run(self, replacements, stdin=b"", **options):
        """Runs the script to completion."""
        self.adapt(replacements)
        return run(["bash", "-c", self.script], stdin=stdin, cwd=self.directory, env=self.environment, **options)

    def start(self, replacements, **options):
        """Starts the script."""
        self.adapt(replacements)
        return Script(self.script, cwd=self.directory, env=self.environment, **options)


def serving(script):
    """Returns a server that runs a shell script for each client."""
    return Listener(program=["sh", "-c", script])


def get(url):
    """Returns the page at a server's address."""
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url.replace("ws", "http", 1)) as response:
        return response.read().decode()


def test_each_recipe_has_a_test():
    assert TESTED == RECIPES.keys()


# Computed values


@recipe("Watch trades that arrive in batches")
def test_watch_trades(kitchen):
    batch = '[{"T":"trade","price":1},{"T":"ping"},{"T":"quote","price":2},{"T":"trade","price":3}]'
    script = f"""echo '{batch}'; read -r line; [ "$line" = '{{"T":"pong"}}' ] && echo '{batch}'; cat"""
    with serving(script) as server:
        result = kitchen.run({"ws://localhost:8080/trades": server.url})
    assert (result.status, result.out, result.err) == (0, b"1\n3\n1\n", "")


@recipe("Show what is inside a binary protocol")
def test_show_a_binary_protocol(kitchen, wsx_echo):
    message = bytes.fromhex("05930180a178029106")
    with kitchen.start({" 8081 ": " 0 ", "ws://localhost:8080/": wsx_echo.url}) as relay:
        result = run([BINARY, "-1", "--binary", "--output", "hex", relay.wait_for_address()], stdin=message)
        assert result.out.strip() == message.hex().encode()
        relay.wait_for(re.escape('"data":"[1,{},\\"x\\"]","record":1,"records":2'), "out")


@recipe("Log in with a challenge")
def test_log_in_with_a_challenge(kitchen):
    with OBSServer() as server:
        result = kitchen.run({"ws://localhost:4455": server.wrong_url, "PASSWORD=secret": "PASSWORD=t"})
    assert result.status == 0, result
    assert "obsVersion" in result.out.decode()


@recipe("Sign a login with a fresh timestamp")
def test_sign_a_login(kitchen):
    with serving("read -r line; echo \"$line\"; cat") as server:
        result = kitchen.run({"wss://exchange.example/ws": server.url})
    assert result.status == 0, result
    sent = json.loads(result.out)
    text = f"{sent['ts']}GET/users/self/verify".encode()
    assert sent["sign"] == base64.b64encode(hmac.new(b"secret", text, hashlib.sha256).digest()).decode()


@recipe("Write the audio in JSON messages to a file")
def test_write_audio(kitchen):
    with serving("""read -r line; echo '{"audio":"AAECAwD/"}'; cat""") as server:
        result = kitchen.run({"ws://localhost:8080/speak": server.url})
    assert (result.status, result.err) == (0, "")
    assert kitchen.read("speech.pcm") == bytes([0, 1, 2, 3, 0, 255])


def speech_service(peer):
    """Stands in for Vosk: a partial result for each chunk, and the text after the last message."""
    peer.upgrade()
    chunks = []
    while (frame := peer.read_next()).opcode in (wire.BINARY, wire.PING):
        if frame.opcode == wire.BINARY:
            chunks.append(frame.payload)
            peer.send(wire.text('{"partial":"one"}'))
    assert json.loads(frame.payload) == {"eof": 1}
    peer.send(wire.text('{"text":"one two"}') + wire.close(1000))
    peer.read_next()
    return chunks


@recipe("Transcribe speech")
def test_transcribe_speech(kitchen):
    speech = os.urandom(3200 * 5 + 100)
    kitchen.write("speech.pcm", speech)
    with ScriptedServer(speech_service) as server:
        result = kitchen.run({"ws://localhost:2700/": server.url, "--every 100ms": "--every 1ms"})
        assert (result.status, result.out, result.err) == (0, b"one two\n", "")
    assert [len(chunk) for chunk in server.results[0]] == [3200] * 5 + [100]
    assert b"".join(server.results[0]) == speech


def telephone_service(peer):
    """Stands in for the server of a Twilio media stream: sends the audio of each message back, then other messages."""
    peer.upgrade()
    events = []
    while not events or events[-1]["event"] != "stop":
        frame = peer.read_next()
        if frame.opcode == wire.PING:
            continue
        events.append(json.loads(frame.payload))
        if events[-1]["event"] == "media":
            peer.send(wire.text(json.dumps({"event": "media", "media": events[-1]["media"]})))
    peer.send(wire.text('{"event":"mark","media":{"payload":null}}') + wire.text('{"event":"clear"}') + wire.close(1000))
    peer.read_next()
    return [event["event"] for event in events]


@recipe("Stream audio as a telephone call")
def test_stream_a_telephone_call(kitchen):
    audio = os.urandom(160 * 6)
    kitchen.write("in.ulaw", audio)
    with ScriptedServer(telephone_service) as server:
        result = kitchen.run({
            "ws://localhost:8080/call": server.url, "--every 20ms": "--every 1ms", "--linger 5s": "--linger forever"})
        assert (result.status, result.err) == (0, "")
    assert server.results[0] == ["start"] + ["media"] * 6 + ["stop"]
    assert kitchen.read("out.ulaw") == audio


# README.md


@recipe("Send a message and print the reply")
def test_send_a_message(kitchen, wsx_echo):
    result = kitchen.run({"ws://localhost:8080/": wsx_echo.url})
    assert (result.status, result.out, result.err) == (0, b"hello\n", "")


@recipe("Log in, send a message, and print the reply")
def test_log_in(kitchen):
    login = '{"token":"secret"}'
    script = f'''echo hello; read -r login; [ "$login" = '{login}' ] || exit 1; echo welcome; read -r line; echo "re: $line"; cat'''
    with serving(script) as server:
        result = kitchen.run({"ws://localhost:8080/": server.url})
    assert (result.status, result.out, result.err) == (0, b"re: hello\n", "")


@recipe("Check a service in CI")
@pytest.mark.parametrize(("reply", "status"), [('{"status":"ok"}', 0), ('{"status":"down"}', 7)])
def test_check_a_service(kitchen, reply, status):
    with serving(f"read request && echo '{reply}' && sleep 60") as server:
        result = kitchen.run({"wss://api.example/health": server.url, "2s": "20s"})
    assert (result.status, result.lines) == (status, [reply])


@recipe("Check a service in CI")
def test_check_a_service_that_does_not_answer(kitchen):
    with serving("sleep 60") as server:
        assert kitchen.run({"wss://api.example/health": server.url, "2s": "200ms"}).status == 6


@recipe("Follow a feed without its heartbeats")
def test_follow_a_feed(kitchen):
    with serving('''for n in 1 2 3; do echo '{"op":"heartbeat"}'; echo "{\\"price\\":$n}"; done; cat''') as server:
        result = kitchen.run({"wss://feed.example/prices": server.url})
    assert (result.status, result.lines, result.err) == (0, ['{"price":1}', '{"price":2}', '{"price":3}'], "")


@recipe("Call JSON-RPC methods")
def test_call_json_rpc(kitchen):
    with serving("""jq -c --unbuffered '{jsonrpc, id, result: .method}'""") as server:
        result = kitchen.run({"ws://localhost:8545/": server.url})
    assert result.status == 0, result
    assert result.lines == [
        '{"jsonrpc":"2.0","id":1,"result":"eth_chainId"}', '{"jsonrpc":"2.0","id":2,"result":"eth_getBalance"}']


@recipe("Watch messages in a browser, and change some by hand")
def test_watch_messages(kitchen, wsx_echo):
    with kitchen.start({"8081": 0, "8080": 0, "wss://api.example": wsx_echo.url}) as relay:
        page = Page(relay)
        with Running([BINARY, "connect", "-1", relay.wait_for_address(), '{"op":"order"}']) as client:
            page.ask(do="release", ids=[page.wait(type="held")["id"]])
            assert client.wait() == 0
            assert client.out == b'{"op":"order"}\n'


@recipe("Change what an application with a built-in URL sends")
def test_change_what_an_application_sends(kitchen, wsx_echo):
    with kitchen.start({"9000": 0}) as relay:
        proxy = relay.wait_for(r"(http://127\.0\.0\.1:\d+)").group(1).decode()
        result = wsx("connect", "-1", "--proxy", proxy, wsx_echo.url, '{"limit":5}')
    assert (result.status, result.out) == (0, b'{"limit":1000}\n')


@recipe("Check how a server closes connections")
def test_check_how_a_server_closes(kitchen, wsx_echo):
    result = kitchen.run({"ws://localhost:8080/": wsx_echo.url})
    assert result.status == 0 and result.lines[-1].endswith(", 0 failed")


@recipe("Show a log to every connected client")
def test_show_a_log(kitchen):
    log = kitchen.write("app.log", "one\n")
    with kitchen.start({"8080": 0}) as server:
        url = server.wait_for_address()
        with Running([BINARY, "connect", "--no-stdin", url]) as first:
            first.wait_for("one\n", "out")
            with Running([BINARY, "connect", "--no-stdin", "-v", url]) as second:
                second.wait_for("101 Switching Protocols")
                with log.open("a") as file:
                    file.write("two\n")
                first.wait_for("two\n", "out")
                second.wait_for("two\n", "out")


@recipe("Load-test a server and draw the results")
def test_load_test(kitchen, wsx_echo):
    result = kitchen.run({
        "-c 100 -r 20k": "-c 4 -r 100", "--warmup 5s -d 30s": "--warmup 200ms -d 1s",
        "ws://localhost:8080/": wsx_echo.url})
    assert result.status == 0, result
    assert kitchen.read("latency.html").lower().startswith(b"<!doctype html>")


# Scripts and CI


@recipe("Wait until a server is ready")
def test_wait_until_ready(kitchen):
    with serving("echo starting; sleep 0.2; echo ready; sleep 60") as server:
        result = kitchen.run({"ws://localhost:8080/": server.url})
    assert (result.status, result.out) == (0, b"starting\nready\n"), result


@recipe("Keep the URL and the login of a server in a profile")
def test_keep_a_profile(kitchen):
    for name in ("WSX_CONFIG", "XDG_CONFIG_HOME"):
        kitchen.environment.pop(name, None)
    kitchen.environment["STAGING_TOKEN"] = "geheim"
    with Listener("--bearer", "geheim", program=["sh", "-c", "read -r line; echo \"got $line\""]) as server:
        result = kitchen.run({"wss://staging.example/socket": server.url})
    assert (result.status, result.out, result.err) == (0, b'got {"op":"health"}\n', ""), result


@recipe("Log in on a web page and connect with its cookies")
def test_connect_with_cookies_of_curl(kitchen):
    kitchen.write("login.txt", "user=me&password=geheim")

    def script(peer):
        head = peer.read_request()
        if head.startswith(b"POST"):
            assert b"user=me&password=geheim" in peer.read_exactly(23)
            peer.send(b"HTTP/1.1 204 OK\r\nSet-Cookie: sid=1; Path=/\r\nConnection: close\r\n\r\n")
            return None
        peer.upgrade(b"Set-Cookie: node=2; Path=/")
        peer.read_message()
        peer.send(wire.text("up"))
        peer.answer_close()
        return wire.field(head, b"Cookie")

    with ScriptedServer(script) as server:
        result = kitchen.run({"localhost:8080": f"127.0.0.1:{server.port}"})
    assert (result.status, result.out) == (0, b"up\n"), result
    assert server.results == [None, b"sid=1"]
    assert [line.split("\t")[5] for line in kitchen.read("jar.txt").decode().splitlines() if "\t" in line] == ["sid", "node"]


@recipe("Repeat the connection of a web page")
def test_repeat_the_connection_of_a_page(kitchen):
    def script(peer):
        peer.upgrade()
        peer.read_message()
        peer.send(wire.text("up"))
        peer.answer_close()
        return wire.field(peer.request, b"Origin"), wire.field(peer.request, b"Cookie")

    with ScriptedServer(script) as server:
        result = kitchen.run({"wss://chat.example/": server.url})
    assert (result.status, result.out, result.err) == (0, b"up\n", ""), result
    assert server.results == [(b"https://app.example", b"session=a1b2c3")]


@recipe("Send one request and print its reply")
def test_one_request(kitchen):
    with serving("while read -r line; do echo \"got $line\"; done") as server:
        result = kitchen.run({"ws://localhost:8080/api": server.url})
    assert (result.status, result.out, result.err) == (0, b'got {"op":"health"}\n', "")


@recipe("Send a file of requests and keep late replies")
def test_keep_late_replies(kitchen):
    kitchen.write("requests.txt", "a\nb\nc\n")
    with serving("while read -r line; do sleep 0.1; echo $line; done") as server:
        result = kitchen.run({"ws://localhost:8080/": server.url, "10s": "1500ms"})
    assert (result.status, kitchen.read("replies.txt")) == (0, b"a\nb\nc\n"), result


@recipe("Log in and print the messages of a feed")
def test_log_in_to_a_feed(kitchen):
    kitchen.write("login.json", '{"token":"t"}\n')
    with serving("read -r line; echo welcome; echo \"got $line\"; echo two") as server:
        result = kitchen.run({"ws://localhost:8080/": server.url})
    assert (result.status, result.lines) == (0, ['got {"token":"t"}', "two"]), result


@recipe("Answer a challenge with a program")
def test_answer_a_challenge(kitchen):
    kitchen.write("sign.sh", '#!/bin/sh\nread -r _ value; echo "signed: $value"\n').chmod(0o755)
    script = 'echo challenge: 17; read -r line; [ "$line" = "signed: 17" ] || exit 1; echo welcome; read -r line; echo "re: $line"; cat'
    with serving(script) as server:
        result = kitchen.run({"ws://localhost:8080/": server.url})
    assert (result.status, result.out, result.err) == (0, b"re: hello\n", "")


@recipe("Turn a session into a test")
def test_turn_a_session_into_a_test(kitchen, wsx_echo):
    kitchen.write("requests.txt", "a\nb\n")
    result = kitchen.run({"ws://localhost:8080/": wsx_echo.url})
    assert result.status == 0, result
    assert b'failures="0"' in kitchen.read("results.xml")


@recipe("Send a log as it grows")
def test_send_a_log(kitchen):
    log = kitchen.write("app.log", "one\n")
    with Listener() as server, kitchen.start({"ws://collector.example/": server.url}):
        server.wait_for("one\n", "out")
        with log.open("a") as file:
            file.write("two\n")
        server.wait_for("two\n", "out")


@recipe("Pick the first match from a stream")
def test_pick_the_first_match(kitchen):
    kitchen.script = kitchen.script.rstrip("\n") + '; echo "${PIPESTATUS[0]}"\n'
    with serving("while echo info && echo error; do sleep 0.05; done") as server:
        result = kitchen.run({"ws://localhost:8080/": server.url})
    assert result.out == b"error\n0\n", result


@recipe("Keep a subscription alive")
def test_keep_a_subscription(kitchen):
    def script(peer):
        if server.connection_count > 2:
            return None
        peer.upgrade()
        message = peer.read_frame()
        peer.reset()
        return message.payload

    with ScriptedServer(script) as server:
        with kitchen.start({"ws://localhost:8080/": server.url}, stdin=PIPE):
            wait_until(lambda: len(server.ended_results) >= 2, timeout=60)
    assert server.results[:2] == [b'{"subscribe":"trades"}'] * 2


@recipe("Stay with a chat gateway that asks for new connections")
def test_chat_gateway(kitchen):
    tickets = set()

    def script(peer):
        ticket = peer.read_request().split()[1]
        assert ticket not in tickets, "a ticket is used once"
        tickets.add(ticket)
        number = len(tickets)
        peer.upgrade(then=wire.text('{"type":"hello"}') + wire.text(
            f'{{"type":"events_api","envelope_id":"e{number}","payload":{{"text":"{number}"}}}}'))
        answer = peer.read_next().payload
        if number == 1:
            peer.send(wire.text('{"type":"disconnect","reason":"refresh_requested"}'))
            assert peer.answer_close().close_code == 1000
        else:
            peer.send(wire.close(1000 if number == 2 else 4001))
            peer.read_until_close()
        return json.loads(answer)

    (kitchen.directory / "docs").symlink_to(ROOT / "docs")
    with ScriptedServer(script) as server:
        kitchen.write("open-connection.sh", f"""#!/bin/sh\necho >> runs\necho "{server.url}?ticket=$(wc -l < runs)"\n""").chmod(0o755)
        result = kitchen.run({"--reconnect-on 1000": "--reconnect-delay 50ms --reconnect-on 1000"})
    assert result.status == 1 and "4001" in result.err, result
    assert [answer["envelope_id"] for answer in server.results] == ["e1", "e2", "e3"]
    events = [line for line in kitchen.read("events.txt").decode().splitlines() if line.startswith("events_api")]
    assert events == [f'events_api {{"text":"{number}"}}' for number in (1, 2, 3)]


@recipe("Follow an event service to the address that it names")
def test_event_service(kitchen):
    def script(peer):
        target = peer.read_request().split()[1].decode()
        number = server.connection_count
        peer.upgrade(then=wire.text(json.dumps({"metadata": {"message_type": "session_welcome"}})))
        if number == 1:
            session = {"reconnect_url": server.url + "next?id=a%20b&n=1"}
            peer.send(wire.text(json.dumps({
                "metadata": {"message_type": "session_reconnect"}, "payload": {"session": session}})))
            peer.answer_close()
        else:
            peer.send(wire.text(json.dumps({"metadata": {"message_type": "notification"}})) + wire.close(1000))
            peer.read_until_close()
        return target

    with ScriptedServer(script) as server:
        result = kitchen.run({"wss://eventsub.example/": server.url, "--stale": "--reconnect-delay 50ms --stale"})
    assert (result.status, server.results) == (0, ["/ws", "/next?id=a%20b&n=1"]), result
    types = [json.loads(line)["metadata"]["message_type"] for line in kitchen.read("events.jsonl").splitlines()]
    assert types == ["session_welcome", "session_reconnect", "session_welcome", "notification"]


@recipe("Follow a market feed without a gap")
def test_market_feed(kitchen):
    def script(peer):
        target = peer.read_request().split()[1].decode()
        first = int(target.split("after=")[1]) + 1
        peer.upgrade()
        assert peer.read_next().payload == b'{"subscribe":"trades"}'
        peer.send(wire.text(f'{{"seq":{first}}}') + wire.text(f'{{"seq":{first + 1}}}'))
        if server.connection_count == 1:
            # Pings are answered, and nothing is sent.
            peer.answer_close()
        else:
            peer.send(wire.close(1012 if server.connection_count == 2 else 1000))
            peer.read_until_close()
        return target

    with ScriptedServer(script) as server:
        result = kitchen.run({
            "wss://market.example/": server.url, "--reconnect": "--reconnect --reconnect-delay 50ms",
            "--stale 20s": "--stale 1s"})
    assert (result.status, server.results) == (0, [f"/trades?after={after}" for after in (0, 2, 4)]), result
    assert kitchen.read("trades.jsonl").splitlines() == [b'{"seq":%d}' % number for number in range(1, 7)]


@recipe("Extract fields from received messages")
def test_extract_fields(kitchen, wsx_echo):
    result = kitchen.run({"ws://localhost:8080/": wsx_echo.url})
    assert result.status == 0, result
    assert re.fullmatch(rb'\["\d{4}-\d\d-\d\dT[\d:.]+Z","hello"\]\n', result.out)


@recipe("Print one value of each message")
def test_pick_a_value(kitchen):
    feed = """for price in 1.50 2 "'3'" null 5 6; do echo '{"time":1}'; echo "{'trade':{'price':$price}}"; done"""
    with serving(feed + " | tr \\' '\"'; sleep 60") as server:
        result = kitchen.run({"ws://localhost:8080/trades": server.url})
    assert (result.status, result.lines, result.err) == (0, ["1.50", "2", "3", "null", "5"], "")


@recipe("Send a file as one binary message")
def test_send_a_file(kitchen, wsx_echo):
    image = bytes(range(256)) * 8
    kitchen.write("image.png", image)
    assert kitchen.run({"ws://localhost:8080/": wsx_echo.url}).status == 0
    assert kitchen.read("thumbnail.png") == image


@recipe("Send and receive bytes as hexadecimal digits")
def test_hexadecimal_digits(kitchen, wsx_echo):
    result = kitchen.run({"ws://localhost:8080/": wsx_echo.url})
    assert (result.status, result.out) == (0, b"cafef00d\n"), result


@recipe("Record a session and send it again")
def test_record_and_replay(kitchen, wsx_echo):
    kitchen.write("requests.txt", "a\nb\n")
    result = kitchen.run({"ws://localhost:8080/": wsx_echo.url})
    assert (result.status, result.out) == (0, b"a\nb\na\nb\n"), result


@recipe("Turn a recorded session into a test and a mock server")
def test_scenario_of_a_session(kitchen):
    kitchen.write("requests.txt", '{"op":1}\n{"op":2}\n')
    mock_port, = free_ports(1)
    # The mock server needs a moment to listen.
    kitchen.script = kitchen.script.replace(" &\n", " & sleep 1\n")
    with Listener("--answer", '"op":(\\d) => {"op":$1,"time":{{time}},"id":{{seq}}}') as server:
        result = kitchen.run({"ws://localhost:8080/": server.url, "8081": mock_port})
    assert result.status == 0, result
    assert sum(line.startswith("ok") for line in result.lines) >= 4


@recipe("Let a program talk to a server")
def test_let_a_program_talk(kitchen, wsx_echo):
    result = kitchen.run({"ws://localhost:8080/": wsx_echo.url})
    assert (result.status, result.err) == (0, "sh | got hello\n")


@recipe("Measure the effect of compression")
def test_measure_compression(kitchen, wsx_echo):
    kitchen.write("requests.txt", "the same words over and over, " * 20 + "\n")
    result = kitchen.run({"ws://localhost:8080/": wsx_echo.url})
    assert result.status == 0, result
    sent, on_the_wire = re.search(r"(\d+) B out \((\d+) B on the wire\)", result.err).groups()
    assert int(on_the_wire) < int(sent)


@recipe("Drive a browser")
def test_drive_a_browser(kitchen):
    require_chromium()
    kitchen.write("index.html", "<!doctype html><title>A page for wsx</title>")
    chromium = "chromium-headless-shell --no-sandbox --disable-gpu --disable-dev-shm-usage"
    with Listener("--serve", kitchen.directory) as server:
        # The browser runs until the block ends.
        kitchen.script += "echo done\n"
        with kitchen.start({
            "chromium --headless": f"{chromium} --user-data-dir=profile", "9222": free_ports(1)[0],
            "https://www.rfc-editor.org/rfc/rfc6455": server.url.replace("ws", "http", 1),
        }) as script:
            script.wait_for("done\n", "out", timeout=120)
            assert script.out.decode().splitlines() == ["A page for wsx", "done"], script.err
    assert kitchen.read("page.png").startswith(b"\x89PNG")


@recipe("Record the WebSockets of a browser tab")
def test_record_a_tab(kitchen):
    require_chromium()
    kitchen.write("index.html", """<!doctype html><title>A page for wsx</title><script>
        for (const name of ["tea", "milk"]) {
            const socket = new WebSocket(location.href.replace("http", "ws") + name, "chat.v1");
            socket.binaryType = "arraybuffer";
            socket.onopen = () => { socket.send(`grüße from ${name}`); socket.send(new Uint8Array([0, 1, 255])) };
            socket.onmessage = ({data}) => { if (data instanceof ArrayBuffer) socket.close() };
        }</script>""")
    chromium = "chromium-headless-shell --headless --no-sandbox --disable-gpu --disable-dev-shm-usage"
    (port,) = free_ports(1)
    events = kitchen.directory / "events.jsonl"
    with Listener("--echo", "--subprotocol", "chat.v1", "--serve", kitchen.directory) as server:
        # The browser runs until the block ends.
        kitchen.script += "echo done\n"
        with kitchen.start({
            "chromium --": f"{chromium} --", "9222": port, "http://localhost:8080/": server.url.replace("ws", "http", 1),
        }) as script:
            wait_until(
                lambda: events.exists() and events.read_text().count('"Network.webSocketClosed"') >= 2, timeout=120,
                what="the end of both connections")
            (tab,) = json.loads(get(f"http://127.0.0.1:{port}/json"))
            get(f"http://127.0.0.1:{port}/json/close/{tab['id']}")
            script.wait_for("done\n", "out", timeout=120)
    listed = [
        line for line in wsx("convert", "--list", kitchen.directory / "session.har").lines if "/milk" in line or "/tea" in line]
    assert sorted(re.sub(r"^\d: |, [^,]+$", "", line) for line in listed) == [
        f"{server.url}{name}, status 101, 2 sent, 2 received" for name in ("milk", "tea")]
    assert b"from milk" in kitchen.read("session.html") and b"from tea" in kitchen.read("session.html")
    # On a busy machine, those from before the reload may come first, without their openings.
    recording = wsx("convert", "--connection", listed[0].split(":")[0], kitchen.directory / "session.har", "-").lines
    assert kitchen.read("session.jsonl")
    opened, *messages = [json.loads(line) for line in recording][1:]
    name = opened["url"].removeprefix(server.url)
    assert (opened["status"], opened["subprotocol"]) == (101, "chat.v1")
    assert [(event["direction"], event.get("data", event.get("base64"))) for event in messages] == [
        ("out", f"grüße from {name}"), ("out", "AAH/"), ("in", f"grüße from {name}"), ("in", "AAH/")]
    assert abs(time.time() - datetime.datetime.fromisoformat(opened["time"]).timestamp()) < 600


# Networks and TLS


@recipe("Emit a Socket.IO event and print its ack")
def test_socketio_ack(kitchen, socketio):
    kitchen.write("login.json", '{"token":"t"}')
    result = kitchen.run({"http://localhost:3000": f"http://127.0.0.1:{socketio.port}"})
    assert (result.status, result.lines) == (0, ['{"x":1}']), result


@recipe("Follow topics of an MQTT broker")
def test_mqtt_topics(kitchen):
    user, password = (value.split("=", 1)[1] for value in Mosquitto.parameters[:2])
    kitchen.environment["PASSWORD"] = password
    with Mosquitto() as broker:
        with kitchen.start({"=me": f"={user}", "ws://localhost:9001": broker.url}, stdout=PIPE) as client:
            # The broker keeps the message for clients that subscribe later.
            message = ["pub -q 1 -r sensors/hall 21"]
            assert wsx("connect", "--request", *broker.options, broker.url, *message).status == 0
            client.wait_for("sensors/hall 21\n", "out")


@recipe("Call a GraphQL server")
def test_graphql_call(kitchen, graphql):
    kitchen.adapt({"--protocol graphql": shlex.join(graphql.options)})
    result = kitchen.run({"ws://localhost:4000/graphql": graphql.url})
    assert (result.status, result.lines) == (0, ['{"data":{"add":3}}']), result


@recipe("Call WAMP procedures and follow a topic")
def test_wamp(kitchen):
    with WAMPServer() as server:
        kitchen.adapt({"@wamp.json": server.protocol, "ws://localhost:8080/ws": server.url})
        with kitchen.start({}, stdout=PIPE) as client:
            client.wait_for(r"5\n\[33,1,5512315355\]\n", "out")
            publication = '[16,7,{"acknowledge":true},"com.example.topic",["x"]]'
            assert wsx("connect", "-1", *server.options, server.url, publication).status == 0
            client.wait_for(r'\[36,5512315355,4429313566,{},\["x"\]\]\n', "out")


@recipe("Call WAMP procedures and follow a topic")
def test_wamp_error(kitchen):
    with WAMPServer() as server:
        result = kitchen.run({
            "@wamp.json": server.protocol, "ws://localhost:8080/ws": server.url, "com.example.add": "com.example.no",
            "wsx connect --reconnect": "exit $?; wsx connect"})
    assert (result.status, "wamp.error.no_such_procedure" in result.err) == (7, True), result


@recipe("Run code in a Jupyter kernel")
@pytest.mark.parametrize(("code", "status"), [("print(6*7)", 0), ("1/0", 7)])
def test_jupyter(kitchen, code, status):
    with JupyterServer() as server:
        result = kitchen.run({
            'curl -s -X POST "http://localhost:8888/api/kernels?token=$TOKEN"': "echo '{\"id\":\"k\"}'",
            "@jupyter.json": server.protocol, "ws://localhost:8888/": server.url, "print(6*7)": code})
    assert result.status == status, result
    assert ('"text":"42\\n"' if status == 0 else '"ename":"ZeroDivisionError"') in result.out.decode(), result


@recipe("Play an OCPP charge point")
def test_ocpp(kitchen):
    with OCPPServer() as server:
        result = kitchen.run({"@ocpp.json": server.protocol, "ws://localhost:9000/CP1": server.url})
    assert (result.status, result.lines) == (0, ['{"status":"Accepted","interval":300}']), result


@recipe("Publish and subscribe on a NATS server")
def test_nats(kitchen):
    lines = []

    def script(peer):
        peer.upgrade(then=wire.frame(wire.BINARY, b"INFO {}\r\n"))
        lines.extend(peer.read_message().payload for _ in range(4))
        peer.send(wire.frame(wire.BINARY, b"MSG news.today 1 5\r\nhello\r\n"))
        peer.send(wire.frame(wire.BINARY, b"PING\r\n"))
        lines.append(peer.read_message().payload)
        peer.send(wire.close(1000))
        peer.read_to_end()

    with ScriptedServer(script) as server:
        result = kitchen.run({"ws://localhost:8080/": server.url})
    assert (result.status, result.err) == (0, ""), result
    assert lines == [b'CONNECT {"verbose":false}\r\n', b"SUB news.> 1\r\n", b"PUB news.today 5\r\n", b"hello\r\n", b"PONG\r\n"]
    assert b"MSG news.today 1 5\r\nhello\r\n" in result.out and b"PING" not in result.out


@recipe("Load-test a Socket.IO server")
def test_socketio_load(kitchen, socketio):
    kitchen.write("login.json", '{"token":"t"}')
    changes = {"-c 50 -d 10s": "-c 2 -n 10", "http://localhost:3000": f"http://127.0.0.1:{socketio.port}"}
    result = kitchen.run(changes)
    assert result.status == 0, result


@recipe("Read and write MessagePack as JSON")
def test_messagepack(kitchen, wsx_echo):
    result = kitchen.run({"ws://localhost:8080/": wsx_echo.url})
    assert (result.status, result.lines) == (0, ['{"op":"health"}'])


@recipe("Print only what changes")
def test_print_changes(kitchen):
    with serving("""echo '{"bid":1,"ask":2}'; echo '{"bid":1,"ask":3}'""") as server:
        result = kitchen.run({"ws://localhost:8080/ticker": server.url})
    assert (result.status, result.lines) == (0, ['{"bid":1,"ask":2}', ".ask 2 → 3"]), result


@recipe("Connect through a proxy with a client certificate")
def test_proxy_and_client_certificate(kitchen, certificates, microsocks):
    kitchen.write("ca.pem", certificates.root.read_bytes())
    kitchen.write("me.pem", certificates.client.chain.read_bytes())
    kitchen.write("me.key", certificates.client.key.read_bytes())
    options = ["--tls-cert", certificates.good.chain, "--tls-key", certificates.good.key, "--client-ca",
               certificates.root]
    with Listener("--echo", *options) as server:
        result = kitchen.run(
            {"localhost:1080": f"127.0.0.1:{microsocks.port}", "wss://internal.example/": server.url}, stdin=b"hello\n")
    assert (result.status, result.out) == (0, b"hello\n"), result


@recipe("Present a client certificate from a PKCS #12 file")
def test_pkcs12(kitchen, certificates):
    identity = certificates.client
    options = ["-in", identity.chain, "-inkey", identity.key, "-passout", "pass:geheim"]
    assert run(["openssl", "pkcs12", "-export", *options, "-out", kitchen.directory / "me.p12"]).status == 0
    kitchen.environment["P12_PASSPHRASE"] = "geheim"
    options = ["--tls-cert", certificates.good.chain, "--tls-key", certificates.good.key, "--client-ca",
               certificates.root]
    with Listener("--echo", *options) as server:
        result = kitchen.run(
            {"wss://internal.example/": f"--ca {certificates.root} {server.url}"}, stdin=b"hello\n")
    assert (result.status, result.out) == (0, b"hello\n"), result


@recipe("Renew a token that expires")
def test_expiring_token(kitchen):
    def script(peer):
        peer.upgrade(then=wire.close(1012 if server.connection_count < 3 else 1000))
        peer.read_until_close()
        return wire.field(peer.request, b"Authorization")

    kitchen.write("bin/gcloud", "#!/bin/sh\necho >> runs\necho token-$(wc -l < runs)\n").chmod(0o755)
    with ScriptedServer(script) as server:
        result = kitchen.run({
            "--reconnect": "--reconnect --reconnect-delay 50ms",
            "wss://api.example/feed": server.url})
    assert result.status == 0, result
    assert server.results == [b"Bearer token-1", b"Bearer token-2", b"Bearer token-3"]


@recipe("Connect to an AWS API Gateway with IAM authorization")
def test_aws_api_gateway(kitchen):
    def script(peer):
        peer.upgrade()
        message = peer.read_next().payload
        peer.send(wire.text(message) + wire.close(1000))
        peer.read_until_close()
        return peer.request, message

    kitchen.environment |= {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret"}
    with ScriptedServer(script) as server:
        result = kitchen.run({
            "--aws-sigv4": f"--resolve '*:{server.port}:127.0.0.1' --aws-sigv4", "wss://": "ws://",
            ".com/prod": f".com:{server.port}/prod",
        })
    assert result.status == 0, result
    request, message = server.results[0]
    assert b"/us-east-1/execute-api/aws4_request, " in wire.field(request, b"Authorization")
    assert message == b'{"action":"hello"}'


@recipe("Trust a server by its public key")
def test_trust_by_public_key(kitchen):
    with Listener("--echo", "--tls-self-signed") as server:
        pin = server.wait_for(r"sha256//[A-Za-z0-9+/]+=").group().decode()
        result = kitchen.run({
            "sha256//I4gj3MBH1SVyMGPke+LGm6OWCsP2pXJdugWacrEeUSc=": pin, "wss://localhost:8443/": server.url,
        }, stdin=b"hello\n")
    assert (result.status, result.out) == (0, b"hello\n"), result


@recipe("Serve TLS with a temporary certificate")
def test_serve_tls(kitchen):
    with kitchen.start({"8443": 0}) as server:
        url = server.wait_for_address()
        pin = server.wait_for(r"sha256//[A-Za-z0-9+/]+=").group().decode()
        assert wsx("connect", "-k", "--pin", pin, "-n", "1", url, "hello").out == b"hello\n"


# Servers


@recipe("Talk to a server from a browser")
def test_console(kitchen):
    with kitchen.start({"8080": 0}) as server:
        url = server.wait_for_address()
        assert 'id="connect"' in get(url)
        assert wsx("connect", "-n", "1", url, "hello").out == b"hello\n"


@recipe("Serve a page and its WebSocket on one port")
def test_serve_a_page(kitchen):
    kitchen.write("app.log", "one\n")
    (kitchen.directory / "public").mkdir()
    kitchen.write("public/index.html", "the page")
    with kitchen.start({"8080": 0}) as server:
        url = server.wait_for_address()
        assert get(url) == "the page"
        assert wsx("connect", "--no-stdin", "-n", "1", "--timeout", "30s", url).out == b"one\n"


@recipe("Receive from one client that knows a token")
def test_receive_with_a_token(kitchen):
    kitchen.write("token.txt", "open sesame\n".replace(" ", "-"))
    with kitchen.start({"8080": 0}) as server:
        url = server.wait_for_address()
        assert wsx("connect", url, "hello").status == 4
        assert wsx("connect", "--linger", "0", "--bearer", "open-sesame", url, "hello").status == 0
        assert server.wait() == 0
    assert kitchen.read("received.txt") == b"hello\n"


@recipe("Run a program for each client")
def test_run_a_program(kitchen):
    with kitchen.start({"8080": 0}) as server:
        assert wsx("connect", "-n", "1", server.wait_for_address(), "hello").out == b"you said: hello\n"


@recipe("Relay messages between clients")
def test_relay_messages(kitchen):
    with kitchen.start({"8080": 0}) as server:
        url = server.wait_for_address()
        with Running([BINARY, "connect", "--no-stdin", "-v", url]) as reader:
            reader.wait_for("101 Switching Protocols")
            assert wsx("connect", "--linger", "0", url, "hello").status == 0
            reader.wait_for("hello\n", "out")


@recipe("Test how a client handles a bad network")
def test_bad_network(kitchen):
    with kitchen.start({"8080": 0, "100ms-2s": "10ms-50ms", "1%": "50%", "30s": "2s"}) as server:
        result = wsx(
            "connect", "--linger", "forever", server.wait_for_address(), stdin=b"".join(b"%d\n" % n for n in range(40)))
    assert result.status == 1 and "1012" in result.err, result
    # The messages arrive in order, but not all of them. A fair coin keeps 1 to 39 of 40, except once in 500 billion
    # runs.
    numbers = [int(line) for line in result.lines]
    assert numbers == sorted(numbers) and 0 < len(numbers) < 40


@recipe("Give each path of a mock server its own answers")
def test_answer_by_path(kitchen):
    with kitchen.start({" 8080": " 0"}) as server:
        url = server.wait_for_address()
        assert wsx("-1", url + "chat/a", "hello").out == b"welcome\n"
        assert wsx("-1", url + "time/a/b", "x").out.startswith(b"20")
        assert wsx("-1", url, "hello").out == b"hello\n"
        assert wsx(url + "quiet/a", "x", "--timeout", "1", "-n", "1").out == b""


@recipe("Record an application whose URL is built in")
def test_record_an_application(kitchen):
    with serving("sed -u 's/hello/welcome/'") as server:
        kitchen.write("app", f"#!/bin/sh\nwsx -1 {server.url} hello\n").chmod(0o755)
        kitchen.environment["XDG_STATE_HOME"] = os.fspath(kitchen.directory / "state")
        result = kitchen.run({})
    assert (result.status, result.lines) == (0, ["welcome"]), result
    events = [json.loads(line) for line in kitchen.read("session.jsonl").splitlines()]
    assert [event["data"] for event in events if event["type"] == "message"] == ["hello", "welcome"]
    assert b"welcome" in kitchen.read("session.html")


@recipe("Change a message on its way")
def test_change_a_message(kitchen):
    with serving("cat") as server, kitchen.start({"8080": 0, "wss://api.example": server.url}) as relay:
        result = wsx("-n", "2", relay.wait_for_address(), '{"amount": 5}', '{"item":"tea","amount":2}')
    assert result.status == 0
    assert sorted(result.lines) == ['{"amount":1000}', '{"error":"sold out"}']


@recipe("Answer from a recording")
def test_answer_from_a_recording(kitchen):
    with serving("sed -u 's/hello/welcome/'") as server:
        options = ["--record", kitchen.directory / "session.jsonl", "-n", "1"]
        assert wsx("connect", *options, server.url, "hello").status == 0
    with kitchen.start({"8080": 0}) as server:
        assert wsx("connect", "-n", "1", server.wait_for_address(), "hello").out == b"welcome\n"


@recipe("Answer as a server did in the browser")
def test_answer_as_in_the_browser(kitchen):
    kitchen.write("session.har", (ROOT / "Tests/Interop/har/chromium.har").read_bytes())
    with kitchen.start({"8080": 0}) as server:
        result = wsx("connect", "-n", "1", server.wait_for_address(), '{"op":"join","room":"tea"}')
        assert result.lines == ['{"op":"joined","members":2}']
    assert server.out.startswith(b"1: wss://chat.example/room")


# Load tests


@recipe("Find the highest throughput of a server")
def test_throughput(kitchen, wsx_echo):
    result = kitchen.run({
        "-c 50 --in-flight 32 -d 10s": "-c 2 --in-flight 4 -d 300ms", "ws://localhost:8080/": wsx_echo.url})
    assert result.status == 0 and b"p99" in result.out, result


@recipe("Measure a server that does not echo")
def test_request_mode(kitchen):
    with serving("jq -c --unbuffered '{id, ok: (.op == \"health\")}'") as server:
        result = kitchen.run({"-c 50 -d 10s": "-c 2 -n 20", "ws://localhost:8080/": server.url})
    assert result.status == 0 and b"20 answered" in result.out, result


@recipe("Measure how fast a model streams its answers")
def test_streamed_answers(kitchen):
    with Listener("--answer", '"prompt" => {"type":"done"}') as server:
        result = kitchen.run({"-c 20 -d 60s": "-c 2 -n 6", "ws://localhost:8080/chat": server.url})
    assert result.status == 0 and b"longest gap" in result.out, result


@recipe("Measure how fast a chat server reaches everyone")
def test_broadcast(kitchen):
    with Listener("--broadcast", "--no-stdin") as server:
        result = kitchen.run({"-c 1001 -r 10": "-c 5 -r 20 -d 1s", "ws://localhost:8080/": server.url})
    assert result.status == 0 and b"p99" in result.out, result


@recipe("Measure the rooms of a chat with its own messages")
def test_broadcast_of_a_service(kitchen):
    with Listener("--broadcast", "--no-stdin") as server:
        result = kitchen.run({
            "-c 1001 -r 10 --warmup 2s": "-c 5 -r 20 -d 1s --warmup 200ms", "ws://localhost:8080/chat": server.url})
    assert result.status == 0 and b"all correct" in result.out, result


@recipe("Load several rooms of a chat")
def test_broadcasts_in_rooms(kitchen):
    rooms = collections.defaultdict(list)
    lock = threading.Lock()

    def script(peer):
        peer.upgrade()
        room = None
        while (frame := peer.read_frame()).opcode != wire.CLOSE:
            message = json.loads(frame.payload)
            with lock:
                room = message["room"]
                if message["op"] == "join":
                    rooms[room].append(peer)
                    continue
                for reader in rooms[room]:
                    if reader is not peer:
                        reader.send(wire.text(frame.payload))
        with lock:
            rooms[room].remove(peer)
            peer.send(wire.frame(wire.CLOSE, frame.payload))

    with ScriptedServer(script) as server:
        result = kitchen.run({"-c 101 -r 10": "-c 4 -r 20 -n 20", "ws://localhost:8080/chat": server.url})
    assert sorted(rooms) == ["games", "lobby", "music"]
    assert result.status == 0 and b"all correct" in result.out, result
    for room in rooms:
        messages = json.loads(kitchen.read(f"{room}.json"))["messages"]
        assert (messages["sent"], messages["received"]) == (20, 60)
    assert b"passed" in kitchen.read("rooms.html")


@recipe("Find the number of users that a server can serve")
def test_number_of_users(kitchen, wsx_echo):
    result = kitchen.run({
        "500@1m,500@5m,0@30s": "5@300ms,5@500ms,0@300ms", "1s-3s": "10ms-30ms",
        "ws://localhost:8080/echo": wsx_echo.url})
    assert result.status == 0 and b"stage3" in result.out, result
    assert b"stage3" in kitchen.read("users.html")


@recipe("Let all clients reconnect at once")
def test_reconnect_storm(kitchen, wsx_echo):
    result = kitchen.run({"-c 1000": "-c 20", "5s -d 1m": "300ms -d 2s", "ws://localhost:8080/": wsx_echo.url})
    assert result.status == 0 and b"handshake" in result.out, result


@recipe("Increase the rate until the server falls behind")
def test_increase_the_rate(kitchen, wsx_echo):
    result = kitchen.run({
        "-c 100": "-c 5", "1k@10s,10k@1m,50k@1m": "50@300ms,100@300ms,200@300ms",
        "ws://localhost:8080/echo": wsx_echo.url})
    assert result.status == 0 and b"stage3" in result.out, result


@recipe("Fail a build that became slower")
def test_fail_a_slower_build(kitchen, wsx_echo):
    replacements = {
        "-c 50 -d 10s": "-c 2 -n 200", "p99<20ms": "p99<20s", "ws://localhost:8080/": wsx_echo.url}
    result = kitchen.run(replacements)
    assert result.status == 0, result
    kitchen.script = kitchen.script.replace("p99<20s", "p99<1us")
    assert kitchen.run({}).status == 7


@recipe("Write the results of each second as CSV")
def test_seconds_as_csv(kitchen, wsx_echo):
    result = kitchen.run({"-c 50 -d 30s": "-c 2 -d 1200ms", "ws://localhost:8080/": wsx_echo.url})
    assert (result.status, result.err) == (0, ""), result
    columns = ["second", "sent", "received", "p50_us", "p99_us", "max_us"]
    results = json.loads(kitchen.read("run.json"))

    def rows():
        header, *rows = csv.reader(kitchen.read("seconds.csv").decode().splitlines())
        assert header == [*columns, "connections", "errors"]
        return [[float(value) for value in row] for row in rows]

    seconds = [[second[column] for column in columns] for second in results["per_second"]]
    assert len(seconds) == 2 and rows() == [[*second, 2, 0] for second in seconds]
    results["timeline"]["errors"] = [
        {"kind": "timeout", "seconds": [[-1, 1], [1, 4]]},
        {"kind": "close", "code": 1011, "name": "internal error", "seconds": [[1, 2]]}]
    kitchen.write("run.json", json.dumps(results))
    kitchen.script = kitchen.script.split("\n", 1)[1]
    assert kitchen.run({}).status == 0
    assert [row[-1] for row in rows()] == [0, 6]


@recipe("Show a session to somebody else")
def test_a_page_of_a_session(kitchen, wsx_echo):
    result = kitchen.run({"wss://chat.example/room": wsx_echo.url}, stdin=b"hello page\n")
    assert result.status == 0, result
    page = (kitchen.directory / "session.html").read_text()
    assert page.startswith("<!doctype html>") and "hello page" in page


@recipe("Fail a pull request on a regression")
def test_fail_a_pull_request(kitchen, wsx_echo):
    kitchen.environment |= {"GITHUB_SHA": "1f3c", "GITHUB_STEP_SUMMARY": f"{kitchen.directory}/summary.md"}
    (kitchen.directory / "base.json").write_bytes(
        wsx("bench", "-c", "2", "-n", "200", "--output", "json", wsx_echo.url).out)
    result = kitchen.run({"-c 50 -d 30s": "-c 2 -n 200", "p99<20ms": "p99<20s", "ws://localhost:8080/": wsx_echo.url})
    assert result.status == 0, result
    assert (kitchen.directory / "summary.md").read_text().startswith("### Pull request: passed")


@recipe("Check a server against the RFCs")
def test_check_a_server(kitchen, wsx_echo):
    (kitchen.directory / "known-failures.txt").write_text("")
    result = kitchen.run({"ws://localhost:8080/": wsx_echo.url, "'12.*'": "'[1-9]*' --case '3.*'"})
    assert result.status == 0, result
    assert (kitchen.directory / "check.xml").exists()


@recipe("Check a client against the RFCs")
def test_check_a_client(kitchen):
    result = kitchen.run({"9001": str(free_ports(1)[0]), "python3 -": f"{PYTHON} -"})
    assert result.status == 0, result
    assert b"websockets: 27 cases, 27 passed, 0 failed" in result.out


def test_the_workflow_for_conformance_runs(tmp_path):
    workflow = (ROOT / "docs/ci/conformance.yml").read_text()
    steps = re.findall(r"^        run: \|\n((?:          .*\n)+)", workflow, re.MULTILINE)
    assert len(steps) == 2
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/wsx").symlink_to(BINARY)
    (tmp_path / "known-failures.txt").write_text("")
    client = f"exec {PEERS_PYTHON} {PEERS}/faulty_peer.py run"
    for path, line in (("server", 'exec wsx listen --echo "$2"'), ("client", f'sleep 2; {client} "$1"')):
        (tmp_path / path).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / path).chmod(0o755)
    variables = environment(PATH=f"{tmp_path}/bin:{os.environ['PATH']}", HOME=tmp_path)
    for step in steps:
        for port, free in zip(("8080", "9001"), free_ports(2)):
            step = step.replace(port, str(free))
        step = step.replace("wsx check", "wsx check --case '1.1.*' --case '5.*'")
        with Script("set -e\n" + step, env=variables, cwd=tmp_path) as script:
            assert script.wait(60) == 0


def test_the_workflow_of_the_recipe_runs(tmp_path):
    workflow = (ROOT / "docs/ci/load-test.yml").read_text()
    steps = re.findall(r"^        run: \|\n((?:          .*\n)+)", workflow, re.MULTILINE)
    assert len(steps) == 2
    (tmp_path / "base").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/wsx").symlink_to(BINARY)
    for path in ("server", "base/server"):
        (tmp_path / path).write_text('#!/bin/sh\nexec wsx listen --echo "$2"\n')
        (tmp_path / path).chmod(0o755)
    variables = environment(
        PATH=f"{tmp_path}/bin:{os.environ['PATH']}", HOME=tmp_path, GITHUB_SHA="1f3c",
        GITHUB_STEP_SUMMARY=tmp_path / "summary.md")
    for step, limit, status in ((steps[0], "p99<20s", 0), (steps[1], "p99<20s", 0), (steps[1], "received<1", 7)):
        for port, free in zip(("8080", "8081"), free_ports(2)):
            step = step.replace(port, str(free))
        step = step.replace("-c 50 -d 30s", "-c 2 -n 200").replace("p99<20ms", limit)
        with Script("set -e\n" + step, env=variables, cwd=tmp_path) as script:
            assert script.wait(60) == status
        assert (tmp_path / "base.json").stat().st_size > 0
    assert (tmp_path / "summary.md").read_text().startswith("### Pull request: failed")


@recipe("Load a server from several machines")
def test_several_machines(kitchen, tmp_path_factory):
    if why := why_there_are_none():
        pytest.skip(why)
    kitchen.adapt({
        "-c 5k -r 50k": "-c 5 -r 100 -d 1s", "+20 sec": "+6 sec",
        "ws://target.example/": f"ws://{Hosts.address}:8080/"})
    with Hosts(tmp_path_factory.mktemp("hosts"), "one", "two", "three") as hosts:
        with Running(hosts.inside(kitchen.directory, BINARY, "listen", "--echo", f"{hosts.address}:8080")) as server:
            server.wait_for("Listening on")
            result = run(
                hosts.inside(kitchen.directory, "bash", "-euc", kitchen.script), env=hosts.environment, timeout=120)
    assert result.status == 0 and b"15 connections" in result.out, result
