"""Options and inputs of `wsx listen` that would be ignored, or would do harm: they are refused, in one line."""

import os
import subprocess

import pytest

import wire
from processes import BINARY, Listener, Running, assert_fails, wsx
from test_listen_once import Client

RECORDING = (
    b'{"type":"message","direction":"out","data":"question"}\n'
    b'{"type":"message","direction":"in","data":"answer"}\n')


# A recording does not empty what is read.


@pytest.fixture(params=["itself", "a symbolic link", "a hard link"])
def names(request, tmp_path):
    """A file, and another name of it."""
    path = tmp_path / "file"
    path.write_bytes(RECORDING)
    if request.param == "itself":
        return path, path
    other = tmp_path / "other"
    other.symlink_to(path) if request.param == "a symbolic link" else other.hardlink_to(path)
    return path, other


def test_the_recording_that_is_replayed_is_not_recorded_in(names):
    path, other = names
    assert_fails(wsx("listen", "--replay", path, "--record", other, "0"), 2, f"--record {other}: ", "--replay")
    assert path.read_bytes() == RECORDING


@pytest.mark.parametrize("command", [["connect", "echo:"], ["listen", "0"]], ids=["connect", "listen"])
def test_standard_input_is_not_recorded_in(names, command):
    path, other = names
    with open(path, "rb") as file:
        result = wsx(command[0], "--record", other, *command[1:], stdin=file, timeout=20)
    assert_fails(result, 2, f"--record {other}: ", "standard input")
    assert path.read_bytes() == RECORDING


def test_a_file_that_is_sent_is_not_recorded_in(names):
    path, other = names
    assert_fails(wsx("connect", "--file", path, "--record", other, "echo:"), 2, f"--record {other}: ", "--file")
    assert path.read_bytes() == RECORDING


def test_a_certificate_or_a_file_of_fields_is_not_recorded_in(tmp_path):
    path = tmp_path / "fields"
    path.write_text("A: b\n")
    for options in [["-H", f"@{path}"], ["--tls-cert", path], ["--auth", f"@{path}"]]:
        assert_fails(wsx("listen", *options, "--record", path, "0"), 2, f"--record {path}: ")
    assert_fails(wsx("connect", "-H", f"@{path}", "--record", path, "echo:"), 2, f"--record {path}: ")
    assert path.read_text() == "A: b\n"


def test_a_device_that_is_read_can_be_recorded_in():
    with open(os.devnull, "rb") as null:
        assert wsx("connect", "--record", os.devnull, "-x", "a", "-n", "1", "echo:", stdin=null).out == b"a\n"


# Options that contradict, or say nothing.


@pytest.mark.parametrize("options, words", [
    (["--echo", "--input", "json"], ["'--echo' and '--input' contradict"]),
    (["--echo", "--crlf"], ["'--echo' and '--crlf' contradict"]),
    (["--echo", "--binary"], ["'--echo' and '--binary' contradict"]),
    (["--echo", "--output", "hex"], ["'--echo' and '--output=hex' contradict"]),
    (["--replay", "f", "--input=nul"], ["'--replay' and '--input' contradict"]),
    (["--no-stdin", "--input", "nul"], ["'--no-stdin' and '--input' contradict"]),
    (["--input", "json", "--binary"], ["'--binary' and '--input=json' contradict"]),
    (["--input", "nul", "--crlf"], ["'--crlf' and '--input=nul' contradict"]),
    (["--passphrase", "x"], ["'--passphrase' requires '--tls-cert'"]),
    (["--tls-self-signed", "--tls-key", "f"], ["'--tls-key' and '--tls-self-signed' contradict"]),
    (["--tls-self-signed", "--passphrase", "x"], ["'--passphrase' and '--tls-self-signed' contradict"]),
    (["--client-ca", "f"], ["'--client-ca' requires '--tls-cert' or '--tls-self-signed'"]),
    (["--compress=off", "--compress-window-bits", "9"], ["'--compress-window-bits' and '--compress=off'"]),
    (["--compress-no-context", "--compress=off"], ["'--compress-no-context' and '--compress=off'"]),
    (["--path", "/a", "--path", "/b"], ["'--path' takes one value, but got '/a' and '/b'"]),
    (["--origin", "https://*.example"], ['"https://*.example"', "list each origin, or use *"]),
    (["--echo", "--threads", "2", "--seed", "1", "--delay", "1s"], ["'--threads' and '--seed' contradict"]),
    (["--seed", "1"], ["'--seed' requires '--delay' or '--drop-rate'"]),
    (["--exec-grace", "1s"], ["'--exec-grace' requires '--exec'"]),
])
def test_what_would_be_ignored_is_refused(options, words):
    assert_fails(wsx("listen", *options, "0"), 2, *words)


@pytest.mark.parametrize("options", [
    ["--once", "--threads", "1"], ["--echo", "--input", "lines"], ["--path", "/a", "--path", "/a"],
    ["--compress", "--compress-window-bits", "9"],
])
def test_what_says_what_holds_anyway_is_not(options):
    with Listener(*options) as server:
        assert server.stop() == 0


# Events of the input.


@pytest.mark.parametrize("client", ["null", "0", "-1", "1.5", '"3"', "true", "[1]"])
def test_a_client_that_is_no_number_of_one_is_not_everybody(client):
    with Listener("--input", "json", stdin=subprocess.PIPE) as server, Client(server.port) as stream:
        server.send(b'{"type":"message","data":"secret","client":%s}\n' % client.encode())
        server.send(b'{"type":"message","data":"for all"}\n')
        assert stream.read_frame().payload == b"for all"
        server.wait_for("wsx: input line 1 was not sent: its 'client' is not a client number of 1 or more\n")


def test_what_is_for_a_client_that_is_being_closed_is_said_not_to_be_sent():
    with Listener("--input", "json", "-vv", stdin=subprocess.PIPE) as server, Client(server.port) as stream:
        server.send(b'{"type":"close","client":1}\n{"type":"message","data":"late","client":1}\n')
        server.wait_for("wsx: input line 2 was not sent: client 1 is being closed\n")
        assert stream.read_frame().opcode == wire.CLOSE
        assert "late" not in server.err


# Words that help.


def test_a_socket_in_a_directory_that_is_not_there_says_so():
    assert_fails(wsx("listen", "unix:/no/such/place/s"), 3, "there is no directory /no/such/place")


def test_a_recording_that_is_cut_off_is_said_to_be_that(tmp_path):
    path = tmp_path / "cut"
    path.write_bytes(RECORDING[:-10])
    assert_fails(wsx("listen", "--replay", path, "0"), 2, "line 2: the recording ends in the middle of this line")
    path.write_bytes(b"")
    assert_fails(wsx("listen", "--replay", path, "0"), 2, "it is empty")


def test_a_script_without_its_interpreter_is_said_to_miss_that(tmp_path):
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter -x\n")
    script.chmod(0o755)
    assert_fails(
        wsx("listen", "--exec", "0", "--", script), 2, "no such interpreter: '/no/such/interpreter'")


def test_verbose_lines_have_the_number_of_their_client():
    with Listener("--echo", "--tls-self-signed", "-v") as server:
        assert wsx("connect", "--insecure", "-n", "1", server.url, "a").out == b"a\n"
        server.wait_for("#1 ← GET / HTTP/1.1\n")
        server.wait_for("#1 → HTTP/1.1 101 ")
        server.wait_for("Client 1: TLS: ")
        server.wait_for("Client 1 disconnected")
        lines = [line for line in server.err.splitlines() if not line.startswith(("Listening on", "Self-signed"))]
        assert [line for line in lines if "#1 " not in line and "Client 1" not in line] == []
