"""Options and inputs of `wsx listen` that would be ignored or cause harm are rejected with one line."""

import os
import subprocess

import pytest

import wire
from processes import Listener, assert_fails, wsx
from test_listen_once import Client

RECORDING = (
    b'{"type":"message","direction":"out","data":"question"}\n'
    b'{"type":"message","direction":"in","data":"answer"}\n')


# Recordings do not overwrite input files


@pytest.fixture(params=["itself", "a symbolic link", "a hard link"])
def names(request, tmp_path):
    """Returns a file's path, and the same or another path of the same file."""
    path = tmp_path / "file"
    path.write_bytes(RECORDING)
    if request.param == "itself":
        return path, path
    other = tmp_path / "other"
    other.symlink_to(path) if request.param == "a symbolic link" else other.hardlink_to(path)
    return path, other


def test_a_recording_does_not_overwrite_the_replayed_recording(names):
    path, other = names
    assert_fails(wsx("listen", "--replay", path, "--record", other, "0"), 2, f"--record {other}: ", "--replay")
    assert path.read_bytes() == RECORDING


@pytest.mark.parametrize("command", [["connect", "echo:"], ["listen", "0"]], ids=["connect", "listen"])
def test_a_recording_does_not_overwrite_standard_input(names, command):
    path, other = names
    with open(path, "rb") as file:
        result = wsx(command[0], "--record", other, *command[1:], stdin=file, timeout=60)
    assert_fails(result, 2, f"--record {other}: ", "standard input")
    assert path.read_bytes() == RECORDING


def test_a_recording_does_not_overwrite_a_sent_file(names):
    path, other = names
    assert_fails(wsx("connect", "--file", path, "--record", other, "echo:"), 2, f"--record {other}: ", "--file")
    assert path.read_bytes() == RECORDING


def test_a_recording_does_not_overwrite_a_certificate_or_header_file(tmp_path):
    path = tmp_path / "fields"
    path.write_text("A: b\n")
    for options in [["-H", f"@{path}"], ["--tls-cert", path], ["--auth", f"@{path}"]]:
        assert_fails(wsx("listen", *options, "--record", path, "0"), 2, f"--record {path}: ")
    assert_fails(wsx("connect", "-H", f"@{path}", "--record", path, "echo:"), 2, f"--record {path}: ")
    assert path.read_text() == "A: b\n"


def test_a_device_can_be_both_input_and_recording():
    with open(os.devnull, "rb") as null:
        assert wsx("connect", "--record", os.devnull, "-x", "a", "-n", "1", "echo:", stdin=null).out == b"a\n"


# Conflicting and ineffective options


@pytest.mark.parametrize("options, words", [
    (["--echo", "--input", "json"], ["'--echo' cannot be used with '--input'"]),
    (["--echo", "--crlf"], ["'--echo' cannot be used with '--crlf'"]),
    (["--echo", "--binary"], ["'--echo' cannot be used with '--binary'"]),
    (["--echo", "--output", "hex"], ["'--echo' cannot be used with '--output=hex'"]),
    (["--replay", "f", "--input=nul"], ["'--replay' cannot be used with '--input'"]),
    (["--no-stdin", "--input", "nul"], ["'--no-stdin' cannot be used with '--input'"]),
    (["--input", "json", "--binary"], ["'--binary' cannot be used with '--input=json'"]),
    (["--input", "nul", "--crlf"], ["'--crlf' cannot be used with '--input=nul'"]),
    (["--passphrase", "x"], ["'--passphrase' requires '--tls-cert'"]),
    (["--tls-self-signed", "--tls-key", "f"], ["'--tls-key' cannot be used with '--tls-self-signed'"]),
    (["--tls-self-signed", "--passphrase", "x"], ["'--passphrase' cannot be used with '--tls-self-signed'"]),
    (["--client-ca", "f"], ["'--client-ca' requires '--tls-cert' or '--tls-self-signed'"]),
    (["--compress=off", "--compress-window-bits", "9"], ["'--compress-window-bits' cannot be used with '--compress=off'"]),
    (["--compress-no-context", "--compress=off"], ["'--compress-no-context' cannot be used with '--compress=off'"]),
    (["--path", "/a", "--path", "/b"], ["'--path' takes one value, but got '/a' and '/b'"]),
    (["--origin", "https://*.example"], ['"https://*.example"', "list each origin, or use *"]),
    (["--echo", "--threads", "2", "--seed", "1", "--delay", "1s"], ["'--threads' cannot be used with '--seed'"]),
    (["--seed", "1"], ["'--seed' requires '--delay' or '--drop-rate'"]),
    (["--exec-grace", "1s"], ["'--exec-grace' requires '--exec'"]),
])
def test_options_without_effect_are_rejected(options, words):
    assert_fails(wsx("listen", *options, "0"), 2, *words)


# Input events


def test_a_message_for_a_closing_client_is_reported_as_not_sent():
    # Without another client, the input would wait for one.
    with Listener("--input", "json", "-vv", stdin=subprocess.PIPE) as server, Client(server.port) as stream, \
            Client(server.port):
        server.wait_for("Client 2 connected")
        server.send(b'{"type":"close","client":1}\n{"type":"message","data":"late","client":1}\n')
        server.wait_for("wsx: input line 2 was not sent: client 1 is being closed\n")
        assert stream.read_frame().opcode == wire.CLOSE
        assert "late" not in server.err


# Helpful messages


def test_a_socket_in_a_missing_directory_names_the_directory():
    assert_fails(wsx("listen", "unix:/no/such/place/s"), 3, "no such directory: /no/such/place")


def test_a_truncated_recording_is_reported_as_truncated(tmp_path):
    path = tmp_path / "cut"
    path.write_bytes(RECORDING[:-10])
    assert_fails(wsx("listen", "--replay", path, "0"), 2, "line 2: the recording ends in the middle of this line")
    path.write_bytes(b"")
    assert_fails(wsx("listen", "--replay", path, "0"), 2, "it is empty")


def test_a_script_without_its_interpreter_names_the_interpreter(tmp_path):
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter -x\n")
    script.chmod(0o755)
    assert_fails(
        wsx("listen", "--exec", "0", "--", script), 2, "no such interpreter: '/no/such/interpreter'")


def test_verbose_lines_contain_the_client_number():
    with Listener("--echo", "--tls-self-signed", "-v") as server:
        assert wsx("connect", "--insecure", "-n", "1", server.url, "a").out == b"a\n"
        server.wait_for("#1 ← GET / HTTP/1.1\n")
        server.wait_for("#1 → HTTP/1.1 101 ")
        server.wait_for("Client 1: TLS: ")
        server.wait_for("Client 1 disconnected")
        lines = [line for line in server.err.splitlines() if not line.startswith(("Listening on", "Self-signed"))]
        assert [line for line in lines if "#1 " not in line and "Client 1" not in line] == []
