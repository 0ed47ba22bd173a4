"""What connect reports about the opening of a connection: events, -v, warnings, and the progress on a terminal."""

import json
import os
import re
import socket
import termios
import threading

import pytest

import wire
from processes import BINARY, Running, wait_until, wsx
from scripted_server import ScriptedServer
from terminal import RawTerminal
from tls import server_context

FIELDS = [b"Server: test", b"Set-Cookie: session=geheim", b"Via: 1.1 a", b"via: 1.1 b"]


def greet(peer):
    """Accepts the client and closes the connection."""
    peer.upgrade(*FIELDS, then=wire.close(1000))
    peer.read_until_close()


def open_event(*arguments):
    result = wsx("connect", "--output", "json", *arguments)
    assert result.status == 0, result
    event = json.loads(result.lines[0])
    assert event["type"] == "open"
    return event


def test_the_open_event_has_the_response_the_address_and_the_timings():
    with ScriptedServer(greet) as server:
        event = open_event(server.url)
    assert (event["url"], event["status"], event["address"]) == (server.url, 101, f"127.0.0.1:{server.port}")
    headers = event["headers"]
    assert headers["server"] == ["test"]
    assert headers["via"] == ["1.1 a", "1.1 b"]
    assert headers["set-cookie"] == ["•••"]
    assert "tls" not in event
    timings = event["timings"]
    assert {"connect_us", "upgrade_us", "total_us"} <= timings.keys() <= {
        "lookup_us", "connect_us", "upgrade_us", "total_us"}
    assert all(isinstance(time, int) for time in timings.values())
    phases = sum(timings.values()) - timings["total_us"]
    assert 0 < phases <= timings["total_us"]


def test_the_open_event_has_the_tls_session_and_the_certificate(certificates):
    with ScriptedServer(greet, context=server_context(certificates.good)) as server:
        event = open_event("--ca", certificates.root, server.url)
    tls = event["tls"]
    assert tls["version"] in ("TLS 1.2", "TLS 1.3")
    assert tls["cipher"] and tls["group"].lower().startswith("x25519")
    assert (tls["resumed"], tls["verified"]) == (False, True)
    certificate = tls["certificate"]
    assert (certificate["subject"], certificate["issuer"]) == ("CN=good", "CN=wsx test intermediate")
    assert "localhost" in certificate["names"]
    assert certificate["pin"] == certificates.good.pin
    expected = certificates.good.certificate.certificate.not_valid_after
    assert certificate["not_after"] == expected.strftime("%Y-%m-%dT%H:%M:%S.000000Z")
    assert certificate["not_before"] < event["time"] < certificate["not_after"]
    assert event["timings"]["tls_us"] > 0


def test_a_recorded_open_event_can_be_replayed(tmp_path):
    path = tmp_path / "session.jsonl"
    with ScriptedServer(greet) as server:
        assert wsx("connect", "--record", path, server.url).status == 0
    assert "geheim" not in path.read_text()
    with ScriptedServer(lambda peer: (peer.upgrade(), peer.answer_close())) as server:
        assert wsx("connect", "--input", "json", "--linger", "0", server.url, stdin=path.read_bytes()).status == 0


def test_v_shows_the_timings_and_the_group_of_the_key_exchange(certificates):
    with ScriptedServer(greet, context=server_context(certificates.good)) as server:
        result = wsx("connect", "-v", "--ca", certificates.root, server.url)
    assert re.search(r"^TLS: TLS 1\.\d, \S+, \S*x25519", result.err, re.MULTILINE | re.IGNORECASE), result.err
    number = r"\d+\.\d{3} ms"
    assert re.search(
        rf"^Timings: (lookup {number}, )?connect {number}, TLS {number}, upgrade {number}, total {number}$",
        result.err, re.MULTILINE), result.err
    assert "geheim" not in result.err


# Subprotocols


# Progress

ERASE = b"\r\x1b[K"


@pytest.mark.parametrize("ending", ["open", "fail", "interrupt"])
def test_a_terminal_shows_the_current_step_until_the_attempt_ends(ending):
    may_go_on = threading.Event()

    def script(peer):
        peer.read_request()
        may_go_on.wait(60)
        if ending == "open":
            peer.upgrade(then=wire.text("hello") + wire.close(1000))
            peer.read_until_close()

    with ScriptedServer(script) as server:
        with RawTerminal("connect", "-1", "--color", "never", "--connect-timeout", "60s", server.url) as terminal:
            line = f"Connecting to {server.url}: WebSocket handshake, ".encode()
            terminal.wait_for(line + b"1 s (Ctrl-C cancels)")
            terminal.wait_for(ERASE + line + b"2 s (Ctrl-C cancels)")
            if ending == "interrupt":
                terminal.type(b"\x03")
            else:
                may_go_on.set()
            status = terminal.wait()
        may_go_on.set()
    rest = terminal.output.rsplit(b"(Ctrl-C cancels)", 1)[1]
    expected = {"open": (0, ERASE + b"hello\r\n"), "interrupt": (130, ERASE)}
    if ending == "fail":
        assert status == 3
        assert rest.startswith(ERASE + b"wsx: connecting to ")
    else:
        assert (status, rest) == expected[ending]


def test_typing_before_the_prompt_opens_leaves_the_progress_line_intact():
    may_go_on = threading.Event()

    def script(peer):
        peer.read_request()
        may_go_on.wait(60)
        peer.upgrade()
        return peer.read_frame().payload

    with ScriptedServer(script) as server:
        with RawTerminal("connect", "--connect-timeout", "60s", server.url) as terminal:
            terminal.wait_for(b" s (Ctrl-C cancels)")
            # Echo is turned off right after the line appears.
            wait_until(lambda: not terminal.attributes[3] & termios.ECHO, what="the end of the echo")
            terminal.type(b"early")
            terminal.wait_for(b"2 s (Ctrl-C cancels)")
            assert b"early" not in terminal.output
            may_go_on.set()
            terminal.wait_for(b"> early")
            terminal.type(b" bird\r")
            wait_until(lambda: server.ended_results, what="a message")
            assert server.results == [b"early bird"]
            terminal.type(b"\x04")
            terminal.wait()
            assert terminal.attributes == terminal.attributes_before


@pytest.mark.parametrize("options, shows", [(["-v"], True), (["-q"], False)])
def test_progress_gives_way_to_other_lines_and_to_quiet(options, shows):
    may_go_on = threading.Event()

    def script(peer):
        peer.read_request()
        may_go_on.wait(60)
        peer.upgrade(then=wire.text("hello") + wire.close(1000))
        peer.read_until_close()

    with ScriptedServer(script) as server:
        # Another run shows when the second has passed.
        with RawTerminal("connect", "-1", "--timestamps", "off", *options, server.url) as terminal, \
                RawTerminal("connect", "-1", server.url) as clock:
            clock.wait_for(b" s (Ctrl-C cancels)")
            if shows:
                terminal.wait_for(b" s (Ctrl-C cancels)")
            may_go_on.set()
            assert terminal.wait() == 0
            assert clock.wait() == 0
    assert (b"Ctrl-C" in terminal.output) == shows
    if shows:
        assert re.search(rb"cancels\)\r\x1b\[K[^\r]*HTTP/1\.1 101", terminal.output), terminal.output


def test_a_pipe_gets_no_progress():
    may_go_on = threading.Event()

    def script(peer):
        peer.read_request()
        may_go_on.wait(60)
        peer.upgrade(then=wire.close(1000))
        peer.read_until_close()

    with ScriptedServer(script) as server:
        with Running([BINARY, "connect", server.url]) as client, RawTerminal("connect", "-1", server.url) as clock:
            clock.wait_for(b" s (Ctrl-C cancels)")
            may_go_on.set()
            assert client.wait() == 0
            assert client.err == ""
            clock.wait()


def test_no_other_process_can_use_the_echo_server_of_a_run():
    with Running([BINARY, "connect", "--linger", "0", "echo:"], stdin=-1) as client:
        client.send(b"before\n")
        client.wait_for("^before$", "out", 60)
        links = [os.path.join(f"/proc/{client.process.pid}/fd", name) for name in os.listdir(
            f"/proc/{client.process.pid}/fd")]
        sockets = {os.readlink(link)[len("socket:["):-1] for link in links if os.path.lexists(link)
                   and os.readlink(link).startswith("socket:[")}
        with open("/proc/net/unix") as table:
            rows = [line.split() for line in table]
        names = {row[7] for row in rows if len(row) > 7 and row[6] in sockets and row[7].startswith("@wsx-echo-")}
        with open("/proc/net/tcp") as table:
            assert not [line for line in table if line.split()[9] in sockets], "echo: uses TCP"
        assert len(names) == 1
        with socket.socket(socket.AF_UNIX) as stranger:
            stranger.settimeout(60)
            stranger.connect("\0" + names.pop()[1:])
            assert stranger.recv(1) == b""
        client.send(b"after\n")
        client.process.stdin.close()
        assert client.wait(60) == 0, client.err
    assert client.out == b"before\nafter\n"
