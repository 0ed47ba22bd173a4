"""wsx relay PORT -- COMMAND: an application behind the HTTP proxy."""

import json
import os
import pathlib
import pty
import re
import signal
import sys

import pytest

from processes import BINARY, Listener, Running, assert_fails, environment, run, wait_until, wsx
from terminal import Screen

VARIABLES = ["http_proxy", "https_proxy", "all_proxy", "ws_proxy", "wss_proxy"]
BUNDLES = ["SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"]


@pytest.fixture(scope="module", autouse=True)
def authority(tmp_path_factory):
    """The folder of the authority, instead of the user's."""
    folder = tmp_path_factory.mktemp("state")
    before = os.environ.get("XDG_STATE_HOME")
    os.environ["XDG_STATE_HOME"] = os.fspath(folder)
    yield folder / "wsx/ca"
    if before is None:
        del os.environ["XDG_STATE_HOME"]
    else:
        os.environ["XDG_STATE_HOME"] = before


@pytest.fixture(scope="module")
def secure_echo(certificates):
    with Listener("--echo", "--console", "--tls-cert", certificates.good.chain,
                  "--tls-key", certificates.good.key) as server:
        yield server


@pytest.fixture
def temporary(tmp_path):
    """An environment in which temporary files are in a folder of their own."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    return environment(TMPDIR=folder), folder


UNUSED = "wsx: the command has not used the proxy; see 'wsx help commands'\n"


def relay(*words, options=(), port="0", **more):
    return wsx("relay", port, *options, "--", *words, **more)


def shown_environment(*options, **more):
    """The environment of a command."""
    result = relay("env", "-0", options=options, **more)
    assert (result.status, result.err) == (0, UNUSED)
    return dict(entry.split("=", 1) for entry in result.out.decode().split("\0") if entry)


class TestEnvironment:
    def test_names_the_proxy_and_the_authorities(self, temporary, certificates):
        env, folder = temporary
        env |= {"NO_PROXY": "localhost", "https_proxy": "", "KEPT": "a=b"}
        shown = shown_environment("--ca", certificates.root, env=env)
        proxies = {shown[name] for name in VARIABLES + [name.upper() for name in VARIABLES]}
        assert len(proxies) == 1 and proxies.pop().startswith("http://127.0.0.1:")
        assert shown["no_proxy"] == shown["NO_PROXY"] == "" and shown["NODE_USE_ENV_PROXY"] == "1"
        assert shown["KEPT"] == "a=b"
        assert len({shown[name] for name in BUNDLES}) == 1
        for name in [*BUNDLES, "NODE_EXTRA_CA_CERTS"]:
            assert pathlib.Path(shown[name]).parent.parent == folder
        assert not list(folder.iterdir())

    def test_files_have_the_authorities(self, authority, certificates, temporary):
        script = 'cat "$SSL_CERT_FILE"; echo; cat "$NODE_EXTRA_CA_CERTS"; stat -c %a "$SSL_CERT_FILE" "${SSL_CERT_FILE%/*}"'
        env = temporary[0] | {"SSL_CERT_FILE": os.fspath(certificates.strange_root)}
        out = relay("sh", "-c", script, options=["--ca", certificates.root], env=env).out
        ours = (authority / "ca.pem").read_bytes()
        others = [pathlib.Path(path).read_bytes().strip()
                  for path in (certificates.strange_root, certificates.root)]
        assert all(out.count(pem) == 1 for pem in others) and out.count(ours) == 2
        assert out.endswith(ours + b"600\n700\n")

    def test_directory_of_authorities_gives_only_certificates(self, certificates, tmp_path):
        folder = tmp_path / "ca"
        folder.mkdir()
        text = pathlib.Path(certificates.root).read_bytes()
        (folder / "root.pem").write_bytes(pathlib.Path(certificates.good.key).read_bytes() + text)
        out = relay("sh", "-c", 'cat "$SSL_CERT_FILE"', options=["--ca", folder]).out
        assert text.strip() in out and b"PRIVATE KEY" not in out

    def test_has_the_login_which_only_the_command_gets(self):
        shown = shown_environment("--proxy-login", "us er:p@ss")
        assert shown["http_proxy"].startswith("http://us%20er:p%40ss@127.0.0.1:")

    @pytest.mark.parametrize("address, host", [("*:0", "127.0.0.1"), ("[::1]:0", "[::1]"), ("[::]:0", "[::1]")],
                             ids=["any", "loopback6", "any6"])
    def test_names_an_address_of_this_machine(self, address, host):
        shown = relay("sh", "-c", 'echo "$http_proxy"', options=["--proxy-login", "u:p"], port=address).out.decode()
        assert shown.startswith(f"http://u:p@{host}:")


class TestPrograms:
    @pytest.mark.parametrize("words", [["curl", "-sS", "--fail"], [sys.executable, "-c", """
import sys, urllib.request
print(urllib.request.urlopen(sys.argv[1]).read().decode())"""]], ids=["curl", "python"])
    def test_reach_a_server(self, secure_echo, certificates, words, tmp_path):
        url = f"https://localhost:{secure_echo.port}/"
        result = relay(*words, url, options=["--ca", certificates.root])
        assert (result.status, result.err) == (0, "")
        assert b"<html" in result.out

    def test_open_websockets_that_are_recorded(self, secure_echo, certificates, tmp_path):
        """A wsx that knows nothing of the relay's authority but the environment."""
        record = tmp_path / "session.jsonl"
        url = f"wss://localhost:{secure_echo.port}/chat"
        result = relay(BINARY, "connect", "-n", "1", url, "hello",
                       options=["--ca", certificates.root, "--record", record])
        assert (result.status, result.out, result.err) == (0, b"hello\n", "")
        events = [json.loads(line) for line in record.read_text().splitlines()]
        assert [event["url"] for event in events if event["type"] == "open"] == [url]
        assert [event["data"] for event in events if event["type"] == "message"] == ["hello"] * 2

    def test_see_a_certificate_for_their_host(self, secure_echo, certificates):
        script = 'exec openssl s_client -proxy "${https_proxy#http://}" -connect "$0" -verify_return_error </dev/null'
        result = relay("sh", "-c", script, f"localhost:{secure_echo.port}", options=["--ca", certificates.root])
        assert result.status == 0 and b"Verify return code: 0 (ok)" in result.out

    @pytest.mark.parametrize("name", ["chromium", "google-chrome-stable", "curl"])
    def test_that_are_a_chromium_get_options(self, name, tmp_path, temporary):
        program = tmp_path / name
        program.write_text('#!/bin/sh\nfor word; do echo "$word"; done\n[ $# = 1 ] || mkdir "${4#*=}"\n')
        program.chmod(0o700)
        env, folder = temporary
        result = relay(program, "a b", env=env)
        options = [line.split("=")[0] for line in result.lines]
        expected = [] if name == "curl" else [
            "--proxy-server", "--proxy-bypass-list", "--ignore-certificate-errors-spki-list", "--user-data-dir"]
        assert options == [*expected, "a b"]
        assert not list(folder.iterdir())


class TestStreams:
    def test_are_those_of_the_command(self):
        result = relay("sh", "-c", "cat; echo error >&2", stdin=b"input")
        assert (result.status, result.out, result.err) == (0, b"input", "error\n" + UNUSED)

    def test_have_failures_of_the_relay_and_the_log_on_request(self):
        words = ["curl", "-s", "-o", "/dev/null", "http://127.0.0.1:1/"]
        assert re.fullmatch("wsx: Answered GET: 502, .*connection refused.*\n", relay(*words).err)
        assert "HTTP proxy on" in relay(*words, options=["-v"]).err


class TestStatus:
    @pytest.mark.parametrize("script, status", [("exit 0", 0), ("exit 1", 1), ("exit 255", 255), ("kill -9 $$", 137),
                                                ("kill -TERM $$", 143)])
    def test_is_that_of_the_command(self, script, status, temporary):
        env, folder = temporary
        result = relay("sh", "-c", script, env=env)
        assert (result.status, result.out, result.err) == (status, b"", UNUSED)
        assert not list(folder.iterdir())

    def test_missing_command(self, temporary):
        env, folder = temporary
        assert_fails(relay("no-such-program", env=env), 2, "COMMAND", "no such file", "PATH")
        assert not list(folder.iterdir())

    @pytest.mark.parametrize("mode, words", [(0o600, "is it executable?"), (0o700, "no such interpreter")],
                             ids=["mode", "interpreter"])
    def test_program_that_cannot_be_executed(self, tmp_path, temporary, mode, words):
        env, folder = temporary
        program = tmp_path / "program"
        program.write_text("#!/no/such/interpreter\n")
        program.chmod(mode)
        assert_fails(relay(program, env=env), 2, "COMMAND", words)
        assert not list(folder.iterdir())

    def test_path_that_does_not_exist(self):
        assert_fails(relay("/no/such/program"), 2, "COMMAND", "no such file or directory; check the path")

    def test_directory_for_temporary_files(self, tmp_path):
        assert_fails(relay("true", env=environment(TMPDIR="/proc")), 2, "COMMAND", "'/proc'", "set TMPDIR")
        assert relay("true", env=environment(TMPDIR=tmp_path / "none")).status == 0

    def test_port_in_use(self):
        with Listener("--echo") as other:
            result = wsx("relay", str(other.port), "--", "echo", "started")
        assert_fails(result, 3, "already in use")
        assert result.out == b""

    def test_of_success_is_1_if_the_recording_fails(self):
        for script, status in [("exit 0", 1), ("exit 7", 7)]:
            words = [BINARY, "connect", "--send-only", "ws://localhost:1/"]
            result = relay("sh", "-c", f'"$@" 2>&1; {script}', "sh", *words, options=["--record", "/dev/full"])
            assert result.status == status
            assert "recording to /dev/full" in result.err


    @pytest.mark.parametrize("script, status", [("exit 0", 1), ("exit 7", 7)], ids=["success", "failure"])
    def test_of_success_is_1_if_there_is_nothing_to_record(self, tmp_path, script, status):
        result = relay("sh", "-c", script, options=["--record", tmp_path / "s.har"])
        assert result.status == status
        assert "s.har is not written: no connection was opened" in result.err


@pytest.mark.parametrize("options, words", [
    (["--json"], ["standard output is the command's", "--record"]),
    (["--once"], ["the relay ends with the command"]),
    (["--tls-self-signed"], ["--tls-self-signed: ", "without TLS"]),
    (["--header", "Host: a"], ["--header Host: ", "clients choose the server"]),
], ids=["output", "once", "tls", "host"])
def test_options_without_effect(options, words):
    result = relay("true", options=options)
    assert result.status == 2 and all(word in result.err for word in words)


def test_url_and_command_exclude_each_other():
    assert_fails(wsx("relay", "0", "ws://localhost:1", "--", "true"), 2, "COMMAND", "omit the URL")


def test_command_must_follow():
    assert_fails(wsx("relay", "0", "--"), 2, "'--' needs a program")


def test_command_needs_a_port(tmp_path):
    assert_fails(wsx("relay", f"unix:{tmp_path}/s", "--", "true"), 2, "the command needs a port")
    assert_fails(wsx("relay", "--", "true"), 2, "'wsx relay' needs [ADDRESS:]PORT")


# Prints a line for each signal, and ends with the last one.
TRAPS = """
trap 'echo int' INT; trap 'echo hup' HUP; trap 'echo quit' QUIT
trap 'echo term; n=$((n + 1)); [ $n = 2 ] && exit 3' TERM
echo ready
while :; do sleep 0.05; done
"""


class TestSignals:
    def test_to_the_relay_are_forwarded(self, temporary):
        env, folder = temporary
        with Running([BINARY, "relay", "0", "--", "sh", "-c", TRAPS], env=env) as process:
            process.wait_for("ready", "out")
            for number, name in [(signal.SIGINT, "int"), (signal.SIGHUP, "hup"), (signal.SIGQUIT, "quit"),
                                 (signal.SIGTERM, "term")]:
                process.signal(number)
                process.wait_for(f"\n{name}\n", "out")
            # The relay waits for the command, and forwards the signal again.
            process.signal(signal.SIGTERM)
            assert process.wait() == 3
            assert process.out.decode().split() == ["ready", "int", "hup", "quit", "term", "term"]
            assert not list(folder.iterdir())

    def test_of_the_user_are_forwarded(self, temporary):
        env, folder = temporary
        script = "trap 'echo usr1' USR1; trap 'exit 9' USR2; echo ready; while :; do sleep 0.05; done"
        with Running([BINARY, "relay", "0", "--", "sh", "-c", script], env=env) as process:
            process.wait_for("ready", "out")
            process.signal(signal.SIGUSR1)
            process.wait_for("usr1", "out")
            process.signal(signal.SIGUSR2)
            assert process.wait() == 9
        assert not list(folder.iterdir())

    def test_that_end_the_command(self):
        with Running([BINARY, "relay", "0", "--", "sh", "-c", "echo ready; exec sleep 1000"]) as process:
            process.wait_for("ready", "out")
            process.signal(signal.SIGTERM)
            assert process.wait() == 143

    def test_that_nohup_ignores_stay_ignored(self):
        script = "trap '' HUP; exec \"$@\""
        show = 'grep SigIgn /proc/self/status'
        for ignored, bit in [(script, 1), ('exec "$@"', 0)]:
            result = run(["sh", "-c", ignored, "sh", BINARY, "relay", "0", "--", "sh", "-c", show])
            assert int(result.out.split()[1], 16) & 1 == bit

    def test_clients_are_closed_after_the_command(self, secure_echo, certificates, tmp_path):
        """A client that the command leaves behind gets 1001, and the recording is complete."""
        record, out = tmp_path / "session.jsonl", tmp_path / "out"
        url = f"wss://localhost:{secure_echo.port}/"
        script = ('("$@" </dev/null >"$0" 2>&1 &) ; until grep -q hello "$0"; do sleep 0.05; done')
        result = relay("sh", "-c", script, out, BINARY, "connect", "-v", "--no-stdin", "--first-message", "hello", url,
                       options=["--ca", certificates.root, "--record", record])
        assert result.status == 0
        wait_until(lambda: "1001" in out.read_text())
        assert [json.loads(line)["type"] for line in record.read_text().splitlines()][-1] == "close"


class TestTerminal:
    def test_interrupt_reaches_the_command_once(self, tmp_path):
        script = tmp_path / "script"
        script.write_text("""
trap 'n=$((n + 1)); echo int $n; [ $n = 3 ] && exit 4' INT
trap 'echo quit' QUIT
trap 'echo back' CONT
echo ready
while :; do sleep 0.05; done
""")
        with Screen() as screen:
            screen.enter(f"$WSX relay 0 -- sh {script}; echo status $?")
            screen.wait_for("^ready")
            screen.press("C-c")
            screen.wait_for("int 1$")
            screen.press("C-\\")
            screen.wait_for("quit$")
            screen.press("C-z")
            screen.wait_for("Stopped")
            screen.enter("fg; echo status $?")
            screen.wait_for("back$")
            screen.press("C-c")
            screen.wait_for("int 2$")
            screen.press("C-c")
            screen.wait_for("^status 4$")
            assert len(re.findall("int [123]$", screen.text, re.MULTILINE)) == 3

    def test_interrupt_reaches_a_command_with_a_group_of_its_own(self):
        with Screen() as screen:
            # timeout leads a process group.
            screen.enter("$WSX relay 0 -- timeout 1000 sh -c 'echo ready; sleep 1000'; echo status $?")
            screen.wait_for("^ready")
            screen.press("C-c")
            screen.wait_for("status 130$")

    def test_hangup_ends_the_command(self, temporary):
        """The system tells only the leader of the session, which is the relay."""
        env, folder = temporary
        child, terminal = pty.fork()
        if child == 0:
            os.execve(BINARY, [BINARY, "relay", "0", "--", "sh", "-c", "echo ready; sleep 1000; true"], env)
        shown = b""
        while b"ready" not in shown:
            shown += os.read(terminal, 1000)
        os.close(terminal)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 129
        assert not list(folder.iterdir())

    def test_shell_has_job_control(self):
        with Screen() as screen:
            screen.enter("$WSX relay 0 -- bash --norc --noprofile; echo status $?")
            screen.wait_for_last_line("shell$")
            screen.enter("PS1='inner> '")
            screen.wait_for_last_line("inner>")
            # The program that says it runs is in the foreground group, so Ctrl-Z stops it. It starts no others: a shell
            # does not stop while it waits for a child that has stopped before exec.
            screen.enter("sh -c 'trap \"echo ba''ck\" CONT; echo run''ning; while :; do read line; done'")
            screen.wait_for("^running")
            screen.press("C-z")
            screen.wait_for("Stopped")
            screen.enter("fg")
            screen.wait_for("^back")
            screen.press("C-c")
            screen.wait_for_last_line("inner>")
            screen.enter("exit 5")
            screen.wait_for("^status 5$")
            screen.wait_for_last_line("shell$")

    def test_pager_and_editor_have_the_terminal(self):
        with Screen(PAGER="less") as screen:
            screen.enter("seq 1000 | $WSX relay 0 -- less; echo status $?")
            screen.wait_for("^:")
            screen.type("G")
            screen.wait_for("^1000$")
            screen.type("q")
            screen.wait_for("^status 0$")
