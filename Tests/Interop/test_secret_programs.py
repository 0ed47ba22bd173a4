"""`exec:COMMAND`: secrets that programs write, their renewal, failures of programs, and the absence from all output."""

import base64
import itertools
import json
import os
import pathlib
import signal

import pytest

import wire
from processes import BINARY, PYTHON, RECONNECT, Running, assert_fails, environment, wait_until, wsx
from scripted_server import ScriptedServer
from test_bench import bench


@pytest.fixture
def program(tmp_path):
    """Creates a program that counts its runs in the file `runs`, and does the rest of a shell script."""

    numbers = itertools.count()

    def create(script):
        path = tmp_path / f"token-source-{next(numbers)}"
        path.write_text(f"#!/bin/sh\necho >> {tmp_path}/runs\nn=$(wc -l < {tmp_path}/runs)\n{script}\n")
        path.chmod(0o755)
        return f"exec:{path}"

    return create


@pytest.fixture
def run_count(tmp_path):
    path = tmp_path / "runs"
    return lambda: len(path.read_text()) if path.exists() else 0


def authorization(head):
    return (wire.field(head, b"Authorization") or b"").decode()


def closing(peer):
    peer.upgrade(then=wire.close(1000))
    peer.read_until_close()
    return peer.request


def ending_after(count):
    """A script that asks clients to connect again, `count` times."""

    def script(peer):
        peer.upgrade(then=wire.close(1000 if server.connection_count > count else 1012))
        peer.read_until_close()
        return peer.request

    server = ScriptedServer(script)
    return server


def is_running(pid):
    try:
        return "State:\tZ" not in pathlib.Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


REFUSAL = b"HTTP/1.1 401 Unauthorized\r\nContent-Length: %d\r\n\r\n%s"


# Values


def test_each_option_for_secrets_takes_the_output_of_a_program(program, run_count):
    with ScriptedServer(closing) as server:
        for option, output, fields in [
            ("--bearer", "geheim", {b"Authorization": b"Bearer geheim"}),
            ("--auth", "me:ge:heim", {b"Authorization": b"Basic bWU6Z2U6aGVpbQ=="}),
            ("--cookie", "id=geheim", {b"Cookie": b"id=geheim"}),
            ("--header", "X-A: geheim\\nX-B: {{seq}}", {b"X-A": b"geheim", b"X-B": b"{{seq}}"}),
        ]:
            for end in "\\n", "\\r\\n", "":
                command = program(f"printf '{output}{end}'")
                result = wsx("connect", "-v", "--template", option, command, server.url)
                assert result.status == 0, result
                assert {name: wire.field(server.results[-1], name) for name in fields} == fields
                assert "geheim" not in result.err and "bWU6" not in result.err
    assert run_count() == 12


def test_a_proxy_and_parameters_come_from_programs(program):
    def proxy(peer):
        head = peer.read_request()
        peer.send(b"HTTP/1.1 200 OK\r\n\r\n")
        peer.read_request()
        peer.upgrade()
        hello = peer.read_frame().payload
        peer.send(wire.close(1000))
        peer.read_until_close()
        return head, hello

    with ScriptedServer(proxy) as server:
        result = wsx(
            "connect", "--protocol", "graphql", "--param", "payload=" + program("""echo '{"token":"geheim"}'"""),
            "--proxy", program(f"echo http://me:geheim@127.0.0.1:{server.port}"), "ws://h.example/", "{ a }")
    head, hello = server.results[0]
    assert b"Proxy-Authorization: Basic bWU6Z2VoZWlt" in head
    assert json.loads(hello)["payload"] == {"token": "geheim"}
    assert "geheim" not in result.err


def test_the_words_of_a_command_are_split_without_a_shell(tmp_path, program):
    command = program('for word in "$@"; do printf "%s|" "$word"; done')
    with ScriptedServer(closing) as server:
        result = wsx("connect", "--bearer", command + """  a\t"b '$HOME *  """, server.url)
    assert result.status == 0, result
    assert authorization(server.results[0]) == """Bearer a|"b|'$HOME|*|"""


def test_texts_from_elsewhere_run_no_program(tmp_path, program, run_count):
    command = program("echo x")
    (tmp_path / "file").write_text(command)
    (tmp_path / "rows.csv").write_text(f"a\n{command}\n")
    with ScriptedServer(closing) as server:
        for arguments in [
            ["--bearer", f"@{tmp_path}/file"], ["--bearer", "env:SECRET"],
            ["--data", tmp_path / "rows.csv", "-H", "X-A: {{a}}"], ["--template", "-H", "X-A: {{env:SECRET}}"],
            ["-H", f"X-A: {command}"], ["-H", f"exec: {command[5:]}"],
        ]:
            wsx("connect", *arguments, server.url, command, env=environment(SECRET=command))
        assert server.connection_count == 6
    wsx("connect", "--first-message", command, "echo:")
    assert run_count() == 0


def test_a_program_has_the_users_environment_and_nothing_else(tmp_path, program):
    script = tmp_path / "look.py"
    # Python itself ignores these.
    python_ignores = 1 << signal.SIGPIPE - 1 | 1 << signal.SIGXFSZ - 1
    script.write_text(f"""
import os, re, sys
status = open("/proc/self/status").read()
# The C library reserves signals 32 and 33.
masks = [re.search(name + r":\\s+(\\w+)", status).group(1) for name in ("SigBlk", "SigIgn")]
signals = [int(mask, 16) & ~(3 << 31) for mask in masks]
print(sorted(os.listdir("/proc/self/fd")), signals,
      os.environ["MARK"], sys.stdin.read() == "", os.getsid(0) == os.getpid(), file=open("{tmp_path}/seen", "a"))
print("t")
""")
    with ending_after(1) as server:
        for command in ["connect", *RECONNECT, "--no-stdin"], ["bench", "-c", "1", "-n", "1", "-q"]:
            wsx(*command, "--bearer", f"exec:{PYTHON} {script}", server.url, env=environment(MARK="mark"))
    lines = (tmp_path / "seen").read_text().splitlines()
    assert len(lines) == 3
    # The listing itself has a descriptor.
    assert lines == [f"['0', '1', '2', '3'] [0, {python_ignores}] mark True True"] * 3


# Renewal


def test_a_program_runs_for_each_connection(program, run_count):
    command = program("echo me:t-$n")
    with ending_after(3) as server:
        # Options with the same command share a run.
        result = wsx("connect", *RECONNECT, "--no-stdin", "--auth", command, "-H", command, server.url)
    assert result.status == 0, result
    assert [wire.field(head, b"me") for head in server.results] == [b"t-1", b"t-2", b"t-3", b"t-4"]
    expected = ["Basic " + base64.b64encode(f"me:t-{n}".encode()).decode() for n in (1, 2, 3, 4)]
    assert [authorization(head) for head in server.results] == expected
    assert run_count() == 4


def test_a_token_that_expires_survives_reconnects(tmp_path, program, run_count):
    """The server changes the valid token while a connection is open, and again between the program and the request."""
    valid = tmp_path / "valid"
    valid.write_text("0")

    def script(peer):
        head = peer.read_request()
        number = server.connection_count
        if number in (2, 5):
            # The token expires on its way.
            valid.write_text(f"{number}-late")
        if authorization(head) != f"Bearer {valid.read_text()}":
            peer.send(REFUSAL % (0, b""))
            return 401
        peer.upgrade()
        valid.write_text(str(number))
        peer.send(wire.close(1012 if number < 8 else 1000))
        peer.read_until_close()
        return 101

    command = program(f"cat {valid}")
    with ScriptedServer(script) as server:
        result = wsx("connect", *RECONNECT, "--no-stdin", "--bearer", command, server.url)
    assert result.status == 0, result
    assert server.results == [101, 401, 101, 101, 401, 101, 101, 101]
    assert run_count() == 8


def test_a_second_401_is_final(program, run_count):
    def script(peer):
        head = peer.read_request()
        peer.send(REFUSAL % (len(authorization(head)), authorization(head).encode()))
        return authorization(head)

    command = program("echo token-$n-geheim")
    with ScriptedServer(script) as server:
        result = wsx("connect", "-v", "--bearer", command, server.url)
        assert result.status == 4, result
        assert "401" in result.err and "geheim" not in result.err
        assert server.results == ["Bearer token-1-geheim", "Bearer token-2-geheim"]
    assert run_count() == 2


def test_parameters_are_renewed_for_each_connection(program):
    def script(peer):
        peer.upgrade()
        hello = json.loads(peer.read_frame().payload)
        peer.send(wire.text('{"type":"connection_ack"}'))
        peer.send(wire.close(1012 if server.connection_count < 3 else 1000))
        peer.read_until_close()
        return hello["payload"]["token"]

    command = program("""echo '{"token":"t-'$n'"}'""")
    with ScriptedServer(script) as server:
        wsx("connect", *RECONNECT, "--no-stdin", "--protocol", "graphql", "--param", f"payload={command}", server.url)
    assert server.results == ["t-1", "t-2", "t-3"]


def test_a_load_test_runs_a_program_once(program, run_count):
    def script(peer):
        peer.upgrade()
        while (frame := peer.read_frame()).opcode != wire.CLOSE:
            peer.send(wire.frame(frame.opcode, frame.payload))
        peer.send(wire.frame(wire.CLOSE, frame.payload))
        return authorization(peer.request)

    with ScriptedServer(script) as server:
        result, _ = bench(server.url, "--bearer", program("echo geheim-$n"), "-c", "4", "-n", "20")
    assert result.status == 0, result
    assert server.results == ["Bearer geheim-1"] * 4 and run_count() == 1
    assert b"geheim" not in result.out and "geheim" not in result.err


# Failures


@pytest.mark.parametrize("command", ["connect", "bench", "listen"])
def test_a_failure_before_the_first_connection_has_status_2(tmp_path, program, command):
    with ScriptedServer(closing) as server:
        place = "127.0.0.1:0" if command == "listen" else server.url
        for value, *words in [
            ("exec:", "--bearer: the command is missing; write exec:COMMAND"), ("exec:  ", "the command is missing"),
            ("exec:/no/such/program", "'/no/such/program'", "no such file"),
            (program("echo geheim; echo first >&2; printf 'last \\033[1m\\n' >&2; exit 3"),
             "it exited with status 3: last \\u{1B}[1m\n"),
            (program("kill -9 $$"), "it was killed by signal 9"), (program(":"), "wrote nothing"),
            (program("echo"), "wrote nothing"), (program("printf '\\377'"), "not UTF-8"),
            (program("yes geheim | head -c 5000000"), "it wrote more than 65536 bytes"),
            (program("yes geheim"), "it wrote more than 65536 bytes"), (program("echo geheim 'a\nb'"), "--bearer"),
        ]:
            result = wsx(command, "--bearer", value, place)
            assert_fails(result, 2, *words)
            assert "geheim" not in result.err
        assert server.connection_count == 0


def test_a_login_without_a_password_does_not_ask(program):
    assert_fails(wsx("connect", "--auth", program("echo geheim"), "ws://127.0.0.1:1/"), 2, "USER:PASSWORD")


@pytest.mark.parametrize("command", ["connect", "bench"])
def test_a_program_that_hangs_is_killed(tmp_path, program, command):
    hanging = program(f"trap '' TERM; echo $$ > {tmp_path}/pid; sleep 1000 & echo $! >> {tmp_path}/pid; wait; wait")
    result = wsx(command, "--connect-timeout", "300ms", "--bearer", hanging, "ws://127.0.0.1:1/")
    assert_fails(result, 2, "it did not exit within 300 ms (--connect-timeout)")
    for pid in (tmp_path / "pid").read_text().split():
        wait_until(lambda: not is_running(pid))


def test_a_signal_ends_the_run_and_the_program(tmp_path, program):
    hanging = program(f"echo $$ > {tmp_path}/pid; exec sleep 1000")
    with Running([BINARY, "connect", "--bearer", hanging, "ws://127.0.0.1:1/"]) as running:
        pid = wait_until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip())
        running.process.send_signal(signal.SIGINT)
        assert running.process.wait(60) == 130
    wait_until(lambda: not is_running(pid))


def test_a_descendant_that_keeps_the_pipes_does_not_matter(tmp_path, program):
    command = program(f"echo t; (sleep 1000 & echo $! > {tmp_path}/pid)")
    with ScriptedServer(closing) as server:
        result = wsx("connect", "--bearer", command, server.url)
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
    assert result.status == 0, result
    assert authorization(server.results[0]) == "Bearer t"


def test_a_later_failure_is_a_failed_attempt(program, run_count):
    command = program("[ $n != 2 ] || { echo no luck >&2; exit 1; }; [ $n != 3 ] || echo 'a b'; echo token-$n")
    with ending_after(1) as server:
        result = wsx("connect", *RECONNECT, "--no-stdin", "--bearer", command, server.url)
    assert result.status == 0, result
    assert [authorization(head) for head in server.results] == ["Bearer token-1", "Bearer token-4"]
    assert "--bearer: running" in result.err and "it exited with status 1: no luck; reconnecting" in result.err


def test_a_failure_after_a_401_ends_a_run_with_status_3(program):
    def script(peer):
        peer.read_request()
        peer.send(REFUSAL % (0, b""))

    with ScriptedServer(script) as server:
        result = wsx("connect", "--bearer", program("[ $n = 1 ] || exit 1; echo t"), server.url)
        assert server.connection_count == 1
    assert_fails(result, 3, f"connecting to {server.url}", "it exited with status 1")


# Configuration files


def test_a_file_that_others_can_write_runs_no_program(tmp_path, program, run_count):
    path = tmp_path / "config"
    path.write_text(f"[p]\nbearer = {program('echo geheim')}\n")
    with ScriptedServer(closing) as server:
        for mode in 0o620, 0o602, 0o666:
            path.chmod(mode)
            result = wsx("@p", server.url, env=environment(WSX_CONFIG=path))
            assert_fails(result, 2, f"{path}, line 2: 'bearer'", "other users can write the file", "chmod 600")
        assert server.connection_count == run_count() == 0
        for mode in 0o600, 0o644:
            path.chmod(mode)
            result = wsx("@p", server.url, env=environment(WSX_CONFIG=path))
            assert result.status == 0, result
    assert run_count() == 2


# Secrets


def test_the_output_of_a_program_appears_nowhere(tmp_path, program):
    """In no output, file, argument of a process, or environment of a program."""
    look = tmp_path / "look.py"
    look.write_text("""
import os, pathlib, sys
for pid in filter(str.isdigit, os.listdir("/proc")):
    for name in ("cmdline", "environ"):
        try:
            if b"verborgen" in pathlib.Path(f"/proc/{pid}/{name}").read_bytes(): print("found in", pid, name)
        except OSError: pass
print("looked", flush=True)
sys.stdin.read()
""")

    def script(peer):
        peer.upgrade()
        found = peer.read_frame().payload
        token = authorization(peer.request).encode()
        peer.send(wire.close(1011, token[:100]))
        peer.read_until_close()
        return found, token

    command = program("echo xverborgen-$n | tr -d x")
    with ScriptedServer(script) as server:
        arguments = ["-v", "--bearer", command, "-H", program("echo X-Key: verborgen-field")]
        record, home = tmp_path / "record", tmp_path / "home"
        options = {"env": environment(HOME=home, XDG_STATE_HOME=home)}
        result = wsx("connect", *arguments, "--record", record, "--exec", server.url, "--", PYTHON, look, **options)
        events = wsx("connect", *arguments, "--output", "json", server.url, "hello", **options)
    found, token = server.results[0]
    assert found == b"looked" and token.startswith(b"Bearer verborgen-")
    assert "•••" in result.err and "•••" in events.err
    for text in result.out, result.err.encode(), record.read_bytes(), events.out, events.err.encode():
        assert b"verborgen" not in text, text
    for path in home.rglob("*"):
        assert not path.is_file() or b"verborgen" not in path.read_bytes()
