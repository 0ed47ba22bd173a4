"""`--answer 'CONDITION => exec:COMMAND'`: programs that answer messages, in `wsx connect`, `wsx listen`, and `wsx relay`."""

import json
import pathlib

import pytest

import wire
from processes import BINARY, Listener, Relay, Running, assert_fails, wait_until, wsx
from scripted_server import ScriptedServer
from test_hide import feed
from test_listen_answers import exchanged
from test_relay import connect


@pytest.fixture
def program(tmp_path):
    """Writes a shell script, and returns its path. `gate` is a file that a script may wait for."""
    count = 0

    def write(text):
        nonlocal count
        count += 1
        path = tmp_path / f"program{count}"
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return path

    write.gate = tmp_path / "gate"
    write.wait = f"until [ -e {write.gate} ]; do sleep 0.01; done; "
    return write


class TestClients:
    def test_each_line_of_the_output_is_a_message(self, program):
        script = program('read -r line; echo "<$line>"; echo; printf "%s" "$1"')
        with feed("sign abc", "other") as server:
            result = wsx("--no-stdin", "--answer", f"^sign => exec:{script} argument", "-n", "2", server.url)
        assert (result.status, result.lines, result.err) == (0, ["sign abc", "other"], "")
        assert server.results == [["<sign abc>", "", "argument"]]

    def test_answers_keep_the_order_of_their_messages_and_delay_nothing_else(self, program):
        script = program('read -r line; case $line in a1) ' + program.wait + ' esac; echo "$line!"')
        received = []

        def server(peer):
            peer.upgrade(then=b"".join(map(wire.text, ["a1", "b", "a2", "c"])))
            assert peer.read_next().payload == b"line"
            program.gate.touch()
            while (frame := peer.read_next()).opcode != wire.CLOSE:
                received.append(frame.payload.decode())
            peer.send(wire.frame(wire.CLOSE, frame.payload))

        rules = ["--answer", f"^a => exec:{script}", "--answer", "^b$ => text {{seq}}"]
        with ScriptedServer(server) as peer, Running([BINARY, "connect", "--linger", "60", *rules, peer.url], stdin=-1) as run:
            run.wait_for("a1\nb\na2\nc\n", "out")
            run.send(b"line\n")
            wait_until(lambda: len(received) == 3)
            run.signal(15)
            run.wait()
        assert received == ["a1!", "text 1", "a2!"]

    def test_an_answer_that_is_computed_at_the_end_is_sent(self, program):
        script = program("sleep 0.2; echo late")
        for options in (["--no-stdin", "-n", "1"], ["--no-stdin", "--until", "a"], ["--linger", "0"]):
            with feed("a") as server:
                assert wsx(*options, "--answer", f"a => exec:{script}", server.url).status == 0
            assert server.results == [["late"]], options

    def test_the_wait_at_the_end_is_bounded_and_what_is_missing_is_reported(self, program):
        script = program("exec sleep 600")
        with feed("a") as server:
            result = wsx("--no-stdin", "-n", "1", "--close-timeout", "0.2", "--answer", f"a => exec:{script}", server.url)
        assert result.status == 0 and "1 message was not answered (--answer): the connection ended" in result.err
        assert server.results == [[]]

    @pytest.mark.parametrize("text, words", [
        ("echo no; echo oops >&2; exit 3", "it exited with status 3: oops"), ("kill -9 $$", "killed by signal 9"),
        (r"printf '\377\n'", "not UTF-8"), ("yes", "it wrote more than 1048576 bytes")], ids=range(4))
    def test_a_program_that_fails_sends_nothing_and_is_reported(self, program, text, words):
        with feed("a", "b") as server:
            result = wsx(
                "--no-stdin", "--answer", f"a => exec:{program(text)}", "--answer", "b => text", "-n", "2", server.url)
        assert result.status == 0 and words in result.err and "a message was not answered (--answer): running '" in result.err
        assert server.results == [["text"]]

    def test_an_answered_message_is_no_reply(self, program):
        script = program("echo answer")

        def server(peer):
            peer.upgrade()
            assert peer.read_next().payload == b"hi"
            peer.send(wire.text("challenge"))
            assert peer.read_next().payload == b"answer"
            peer.send(wire.text("reply"))
            peer.answer_close()

        with ScriptedServer(server) as peer:
            result = wsx("-1", "--answer", f"^challenge => exec:{script}", peer.url, "hi")
        assert (result.status, result.lines) == (0, ["challenge", "reply"])

    def test_at_most_16_run_at_once_and_then_the_peer_pauses(self, program, tmp_path):
        script = program(f'mkdir {tmp_path}/run$$; {program.wait} echo x')
        with Running([BINARY, "connect", "--linger", "60", "--answer", f"^a => exec:{script}", "echo:"], stdin=-1) as run:
            run.send(b"a\n" * 40)
            wait_until(lambda: len(list(tmp_path.glob("run*"))) == 16)
            run.wait_for("(a\n){16}", "out")
            run.send(b"end\n")
            program.gate.touch()
            run.wait_for("end\n", "out")
            wait_until(lambda: len(list(tmp_path.glob("run*"))) == 40)
            wait_until(lambda: run.out.count(b"x\n") == 40)
            run.signal(2)


class TestServers:
    def test_answered_messages_are_not_echoed(self, program):
        script = program('read -r line; echo "$line$line"')
        with Listener("--echo", "--answer", f"path:/x ^a => exec:{script}") as server:
            assert exchanged(server.url + "x", "a1", "b", replies=2) in (["a1a1", "b"], ["b", "a1a1"])
            assert exchanged(server.url, "a1", replies=1) == ["a1"]

    def test_further_messages_wait_beyond_max_processes(self, program, tmp_path):
        script = program(f'mkdir {tmp_path}/run$$; {program.wait} read -r line; echo "$line"')
        with Listener("--max-processes", "2", "--answer", f"^ => exec:{script}") as server:
            with Running([BINARY, "connect", "--linger", "60", server.url], stdin=-1) as one, \
                 Running([BINARY, "connect", "--linger", "60", server.url], stdin=-1) as other:
                one.send(b"1\n2\n3\n")
                wait_until(lambda: len(list(tmp_path.glob("run*"))) == 2)
                other.send(b"4\n")
                server.wait_for("1\n2\n3\n", "out")
                assert len(list(tmp_path.glob("run*"))) == 2
                program.gate.touch()
                other.wait_for("4\n", "out")
                one.wait_for("1\n2\n3\n", "out")

    def test_the_programs_of_a_client_end_with_it(self, program, tmp_path):
        script = program(f"echo $$ > {tmp_path}/pid; exec sleep 600")
        with Listener("--answer", f"^ => exec:{script}") as server:
            with Running([BINARY, "connect", "--linger", "60", server.url], stdin=-1) as client:
                client.send(b"a\n")
                wait_until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
            pid = int((tmp_path / "pid").read_text())
            wait_until(lambda: not pathlib.Path(f"/proc/{pid}").exists())
            server.stop()
        assert server.err.count("not answered") == 0

    def test_the_server_kills_them_at_its_end(self, program, tmp_path):
        script = program(f"trap '' TERM; echo $$ > {tmp_path}/pid; while :; do sleep 1; done")
        with Listener("--answer", f"^ => exec:{script}") as server:
            with Running([BINARY, "connect", "--linger", "60", server.url], stdin=-1) as client:
                client.send(b"a\n")
                wait_until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
                server.stop()
        pid = int((tmp_path / "pid").read_text())
        wait_until(lambda: not pathlib.Path(f"/proc/{pid}").exists())


class TestRelays:
    def test_answer_either_side_and_forward_nothing_answered(self, program, tmp_path):
        record = tmp_path / "session.jsonl"
        script = program('read -r line; echo "re: $line"')
        received = []

        def server(peer):
            peer.upgrade(then=wire.text("challenge 1") + wire.text("plain"))
            while (frame := peer.read_next()).opcode != wire.CLOSE:
                received.append(frame.payload.decode())
            peer.send(wire.frame(wire.CLOSE, frame.payload))

        rules = ["--answer", f"from:server ^challenge => exec:{script}", "--answer", "from:server ^x => y", "--answer", "^ask => told"]
        with ScriptedServer(server) as peer, Relay(peer.url, *rules, "--json", "--record", record) as relay:
            client = connect(relay)
            assert client.read_message().payload == b"plain"
            wait_until(lambda: received == ["re: challenge 1"])
            client.send(wire.text("ask", is_masked=True) + wire.text("challenge 2", is_masked=True))
            assert client.read_message().payload == b"told"
            wait_until(lambda: received == ["re: challenge 1", "challenge 2"])
            client.send(wire.close(1000, is_masked=True))
            client.read_until_close()
            relay.stop()
        for text in (relay.out.decode(), record.read_text()):
            events = [json.loads(line) for line in text.splitlines()]
            assert sorted((event["direction"], event["data"]) for event in events if event["type"] == "message") == [
                ("in", "ask"), ("in", "challenge 2"), ("in", "re: challenge 1"), ("out", "challenge 1"), ("out", "plain"), ("out", "told")]


@pytest.mark.parametrize("arguments, words", [
    (["connect", "--answer", "a => exec:/nonexistent/x", "echo:"], ["--answer", "no such file"]),
    (["listen", "--answer", "a => exec:", "0"], ["the command is missing"]),
    (["bench", "--answer", "a => exec:cat", "echo:"], ["programs answer only with --answer of 'wsx connect'"]),
    (["listen", "--exec", "--answer", "a => exec:cat", "0", "--", "cat"], ["--answer"]),
    (["listen", "--max-processes", "2", "0"], ["--max-processes"]),
])
def test_mistakes_are_one_line(arguments, words):
    assert_fails(wsx(*arguments), 2, *words)


def test_a_file_that_others_can_write_starts_no_program(tmp_path):
    path = tmp_path / "config"
    path.write_text("[p]\nurl = echo:\nanswer = a => exec:cat\n")
    for mode, status in ((0o600, 0), (0o666, 2)):
        path.chmod(mode)
        result = wsx("connect", "@p", "-n", "1", "a", env={"WSX_CONFIG": str(path), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)})
        assert result.status == status, result.err


def test_programs_of_a_server_know_the_request_of_the_client():
    with Listener("--answer", "^where$ => exec:printenv PATH_INFO") as server:
        assert wsx("-1", server.url + "orders/7", "where").out == b"/orders/7\n"
