"""Sessions are recorded as events of both directions, and recordings can be replayed."""

import datetime
import json
import os
import re
import stat
import time

import pytest

import wire
from processes import BINARY, Listener, Running, assert_fails, wait_until, wsx
from scripted_server import ScriptedServer
from terminal import RawTerminal
from test_listen_once import Client


def events_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def brief(events):
    """Reduces events to their distinguishing members, without times."""
    return [
        (event["type"], event.get("direction"), event.get("data", event.get("base64", event.get("code"))))
        for event in events
    ]


def test_a_session_is_recorded_in_both_directions(wsx_echo, tmp_path):
    path = tmp_path / "session.jsonl"
    result = wsx("connect", "--record", path, "--close-reason", "bye", "-n", "2", wsx_echo.url, stdin=b"one\ntwo\n")
    assert (result.status, result.out, result.err) == (0, b"one\ntwo\n", "")
    events = events_of(path)
    assert brief(events) == [
        ("recording", None, None), ("open", None, None), ("message", "out", "one"), ("message", "out", "two"),
        ("message", "in", "one"), ("message", "in", "two"), ("close", "out", 1000), ("close", "in", 1000)]
    times = [event["time"] for event in events]
    assert times == sorted(times)
    assert events[6]["reason"] == "bye"
    assert events[7]["clean"] is True


def test_a_recording_is_readable_by_its_owner_only(wsx_echo, tmp_path):
    path = tmp_path / "session.jsonl"
    assert wsx("connect", "--record", path, "--linger", "0", wsx_echo.url, "hi").status == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_two_runs_do_not_record_to_the_same_file(tmp_path):
    path, link = tmp_path / "session.jsonl", tmp_path / "link"
    link.symlink_to(path)
    with Listener("--record", path, "--echo") as listener:
        assert wsx("connect", listener.url, "first").status == 0
        for name in (path, link):
            result = wsx("connect", "--record", name, listener.url, "second")
            assert_fails(result, 2, f"--record {name}: another program writes to it; name another file")
        assert wsx("connect", listener.url, "third").status == 0
        assert listener.stop() == 0
    texts = [event["data"] for event in map(json.loads, path.read_text().splitlines()) if event["type"] == "message"]
    assert texts == ["first", "first", "third", "third"]
    # A device is no file.
    assert wsx("connect", "--record", "/dev/null", "echo:", "x").status == 0
    assert wsx("connect", "--record", path, "echo:", "x").status == 0


def test_automatic_frames_are_not_recorded_as_sent(tmp_path):
    def script(peer):
        peer.upgrade()
        assert peer.read_frame().opcode == wire.PING
        peer.send(wire.frame(wire.PING, b"theirs"))
        assert peer.read_frame().opcode == wire.PONG
        peer.send(wire.close(1000))
        peer.read_until_close()

    path = tmp_path / "session.jsonl"
    with ScriptedServer(script) as server:
        result = wsx("connect", "--no-stdin", "--heartbeat", "50ms", "--heartbeat-misses", "100", "--record", path, server.url)
    assert (result.status, result.err) == (0, "")
    assert brief(events_of(path)) == [
        ("recording", None, None), ("open", None, None), ("ping", "in", "theirs"), ("close", "in", 1000)]


# How long the peers below delay their replies, in seconds. Recordings must show this delay, however busy the machine
# is.
DELAY = 0.5


def seconds_between(path, first, second):
    """Returns the seconds between two recorded messages with the given data."""
    times = {
        event["data"]: datetime.datetime.fromisoformat(event["time"].replace("Z", "+00:00"))
        for event in events_of(path) if event["type"] == "message"}
    return (times[second] - times[first]).total_seconds()


def late_reply(peer):
    """Answers each message after a delay, until the close frame."""
    peer.upgrade()
    while (frame := peer.read_frame()).opcode == wire.TEXT:
        time.sleep(DELAY)
        peer.send(wire.text(b"reply to " + frame.payload))
    peer.send(wire.frame(wire.CLOSE, frame.payload))


@pytest.mark.parametrize("option", ["--record", "/record"])
def test_a_recording_made_at_the_prompt_has_the_time_of_each_message(tmp_path, option):
    path = tmp_path / "session.jsonl"
    options = ["--record", path] if option == "--record" else []
    with ScriptedServer(late_reply) as server, RawTerminal("connect", *options, server.url) as terminal:
        terminal.wait_for(b"Connected to")
        if option == "/record":
            terminal.type(f"/record {path}\r")
        for message in ["one", "two"]:
            terminal.type(message + "\r")
            terminal.wait_for(f"reply to {message}".encode())
        terminal.type("\x04")
        assert terminal.wait() == 0
    assert seconds_between(path, "one", "reply to one") >= DELAY * 0.9
    assert seconds_between(path, "two", "reply to two") >= DELAY * 0.9


def test_a_recording_made_at_the_prompt_of_listen_has_the_time_of_each_message(tmp_path):
    path = tmp_path / "session.jsonl"
    with RawTerminal("listen", "--record", path, "0") as terminal:
        terminal.wait_for(b"Listening on ws://127.0.0.1:")
        port = int(re.search(rb"Listening on ws://127.0.0.1:(\d+)", terminal.output)[1])
        with Client(port) as client:
            terminal.wait_for(b"connected from")
            terminal.type("one\r")
            assert client.read_frame().payload == b"one"
            time.sleep(DELAY)
            client.send(wire.frame(wire.TEXT, b"reply to one", is_masked=True))
            terminal.wait_for(b"reply to one")
        terminal.type("\x04")
        terminal.wait()
    assert seconds_between(path, "one", "reply to one") >= DELAY * 0.9


def answer_pings_and_close(peer):
    """Answers pings until the client's close frame, and then answers that."""
    while (frame := peer.read_frame()).opcode != wire.CLOSE:
        if frame.opcode == wire.PING:
            peer.send(wire.frame(wire.PONG, frame.payload))
    peer.send(wire.frame(wire.CLOSE, frame.payload))


def test_a_message_that_is_sent_again_is_recorded_once(tmp_path):
    def script(peer):
        peer.upgrade()
        number = server.connection_count
        seen = [peer.read_frame().payload for _ in range(2)]
        if number == 1:
            peer.reset()
            return seen
        answer_pings_and_close(peer)
        return seen

    path = tmp_path / "session.jsonl"
    with ScriptedServer(script) as server:
        result = wsx(
            "connect", "--compress=off", "--reconnect", "--linger", "100ms", "--record", path, "-i", "-x", "hello",
            "--input", "json", server.url, stdin=b'{"type":"message","data":"line"}\n')
        assert result.status == 0, result
    assert server.results == [[b"hello", b"line"]] * 2
    sent = [entry for entry in brief(events_of(path)) if entry[:2] == ("message", "out")]
    assert sent == [("message", "out", "hello"), ("message", "out", "line")]


def test_a_failure_is_recorded(tmp_path):
    path = tmp_path / "session.jsonl"
    result = wsx("connect", "--record", path, "ws://127.0.0.1:1/")
    assert result.status == 3
    assert [event["type"] for event in events_of(path)] == ["recording", "error"]


def record(url, path, stdin, *options):
    result = wsx("connect", "--record", path, "--linger", "300ms", *options, url, stdin=stdin)
    assert (result.status, result.err) == (0, ""), result
    return result.out


def test_a_recording_can_be_replayed(wsx_echo, tmp_path):
    messages = b"plain\n" + "grün \u202e\n".encode() + b"\n" + b"\x1b[31m\0\n"
    binary = bytes(range(256)).replace(b"\n", b"")
    path, again = tmp_path / "first.jsonl", tmp_path / "again.jsonl"
    out = record(wsx_echo.url, path, messages)
    assert out == messages
    assert record(wsx_echo.url, again, path.read_bytes(), "--input", "json") == out
    # The recorded close does not wait for replies, but they arrive nevertheless.
    for direction in ("in", "out"):
        first, second = ([entry for entry in brief(events_of(file)) if entry[1] == direction] for file in (path, again))
        assert first == second

    record(wsx_echo.url, path, binary + b"\n", "--binary")
    assert record(wsx_echo.url, again, path.read_bytes(), "--input", "json", "--output", "raw") == binary


def event(second, data, direction="out", type="message"):
    return json.dumps({
        "type": type, "time": f"2026-05-01T12:00:{second:09.6f}Z", "direction": direction, "data": data}) + "\n"


HEAD = event(0, "", type="recording")


@pytest.mark.parametrize("speed, least", [("1", 1.0), ("2", 0.5), ("0.5", 2.0)])
def test_a_replay_keeps_or_scales_the_pauses(wsx_echo, speed, least):
    recording = HEAD + event(0.2, "a") + event(0.3, "b", "in") + event(1, "c") + event(0.5, "d")
    begin = time.monotonic()
    result = wsx(
        "connect", "--input", "json", "--replay-speed", speed, "-n", "3", wsx_echo.url, stdin=recording.encode())
    assert (result.status, result.out) == (0, b"a\nc\nd\n")
    assert time.monotonic() - begin >= least


def test_a_pause_delays_outgoing_messages_only(wsx_echo):
    """This also holds if the rest of the input has already been read to its end."""
    recording = HEAD + event(0, "a") + event(59, "b")
    with Running(
        [BINARY, "connect", "--input", "json", "--replay-speed", "1", wsx_echo.url], stdin=-1
    ) as client:
        client.send(recording.encode())
        client.process.stdin.close()
        client.wait_for("a\n", "out")
        assert client.process.poll() is None
        assert client.out == b"a\n"
        client.process.terminate()
        assert client.wait() == 143


def test_a_pause_delays_input_that_arrives_line_by_line(wsx_echo):
    events = [event(number / 5, str(number)) for number in range(6)]
    with Running(
        [BINARY, "connect", "--input", "json", "--replay-speed", "1", "-n", "6", "--timeout", "20", wsx_echo.url], stdin=-1
    ) as client:
        for line in [HEAD, *events]:
            client.send(line.encode())
            # This makes lines arrive one by one. If they do not, the test covers less but passes.
            time.sleep(0.02)
        assert client.wait() == 0, client.err
        assert client.out == b"0\n1\n2\n3\n4\n5\n"


def test_an_unwritable_path_is_reported_before_connecting(tmp_path):
    assert_fails(wsx("connect", "--record", tmp_path / "no" / "file", "ws://127.0.0.1:1/"), 2, "--record", "no such file")
    assert_fails(wsx("connect", "--record", tmp_path, "ws://127.0.0.1:1/"), 2, "--record", "directory")


def test_a_pipe_without_a_reader_is_reported_before_connecting(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert_fails(
        wsx("connect", "--record", tmp_path / "pipe", "ws://127.0.0.1:1/", timeout=60), 2, "--record",
        "no program reads from the pipe")


def test_a_full_disk_ends_the_run(wsx_echo):
    with Running([BINARY, "connect", "--record", "/dev/full", wsx_echo.url], stdin=-1) as client:
        assert client.wait() == 1
        assert client.err.count("\n") == 1
        assert "recording to /dev/full: no space left on device" in client.err


def test_an_unread_recording_pauses_the_session(tmp_path):
    """If the recording is a pipe, pending events are bounded and none are lost."""
    with Listener("--echo") as listener:
        script = '"$0" connect --linger 1s --record >(sleep 1; cat > "$1") "$2" < "$3" > /dev/null'
        lines = tmp_path / "lines"
        lines.write_text("".join(f"line {number}\n" for number in range(100_000)))
        path = tmp_path / "session.jsonl"
        with Running(["bash", "-c", script, BINARY, path, listener.url, lines]) as client:
            assert client.wait(60) == 0
            wait_until(lambda: path.exists() and path.read_text().count('"type":"close"') == 2, what="the recording's end")
        events = events_of(path)
        for direction in ("in", "out"):
            data = [event["data"] for event in events if event["type"] == "message" and event["direction"] == direction]
            assert data == [f"line {number}" for number in range(100_000)]
