"""`wsx listen --record` records the messages of all clients and of the server."""

import os
import resource
import select
import signal
import stat
import threading

import pytest

import wire
from processes import BINARY, Listener, Running, assert_fails, wait_until, wsx
from test_listen_once import Client
from test_recordings import events_of


def brief(events):
    return [
        (event["type"], event.get("direction"), event.get("client"), event.get("data", event.get("base64", event.get("code"))))
        for event in events
    ]


def test_an_echo_is_recorded_in_both_directions(tmp_path):
    path = tmp_path / "r.jsonl"
    with Listener("--echo", "--record", path) as server:
        with Client(server.port) as client:
            client.send(wire.text("hi", is_masked=True))
            client.read_frame()
            client.send(wire.frame(wire.BINARY, b"\xff", is_masked=True))
            client.read_frame()
            client.send(wire.frame(wire.PING, b"p", is_masked=True))
            client.read_frame()
            client.close(4000, b"bye")
        server.wait_for("Client 1 disconnected")
        assert server.stop() == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    events = events_of(path)
    assert brief(events) == [
        ("recording", None, None, None), ("listening", None, None, None), ("open", None, 1, None),
        ("message", "in", 1, "hi"), ("message", "out", 1, "hi"), ("message", "in", 1, "/w=="),
        ("message", "out", 1, "/w=="), ("ping", "in", 1, "p"), ("close", "in", 1, 4000)]
    assert all(event["time"].endswith("Z") for event in events)


def test_a_broadcast_is_recorded_for_each_client(tmp_path):
    path = tmp_path / "r.jsonl"
    with Listener("--broadcast", "--record", path, stdin=-1) as server:
        clients = [Client(server.port) for _ in range(3)]
        clients[1].send(wire.text("all", is_masked=True))
        for client in [clients[0], clients[2]]:
            assert client.read_frame().payload == b"all"
        server.send(b"typed\n")
        for client in clients:
            assert client.read_frame().payload == b"typed"
        for client in clients:
            client.close(1000)
        wait_until(lambda: server.err.count("disconnected") == 3)
        assert server.stop() == 0
    messages = [event[1:] for event in brief(events_of(path)) if event[0] == "message"]
    assert messages[0] == ("in", 2, "all")
    assert sorted(messages[1:3]) == [("out", 1, "all"), ("out", 3, "all")]
    assert sorted(messages[3:]) == [("out", number, "typed") for number in [1, 2, 3]]


def test_actions_from_the_input_are_recorded_and_can_be_replayed(tmp_path):
    path = tmp_path / "r.jsonl"
    asked = (
        b'{"type":"message","opcode":"binary","base64":"AQI=","client":1}\n{"type":"ping","data":"p"}\n'
        b'{"type":"pong","data":"q"}\n{"type":"message","data":"all"}\n'
        b'{"type":"close","code":4001,"reason":"r","client":1}\n')

    def frames(client):
        received = []
        while (frame := client.read_frame()).opcode != wire.CLOSE:
            received.append((frame.opcode, frame.payload))
        client.send(wire.close(4001, is_masked=True))
        client.read_to_end()
        return [*received, (frame.opcode, frame.close_code, frame.payload[2:])]

    expected = [
        (wire.BINARY, b"\x01\x02"), (wire.PING, b"p"), (wire.PONG, b"q"), (wire.TEXT, b"all"), (wire.CLOSE, 4001, b"r")]
    with Listener("--record", path, "--input", "json", "--output", "json", stdin=-1) as server:
        with Client(server.port) as client:
            server.send(asked)
            assert frames(client) == expected
        server.wait_for("Client 1 disconnected")
        assert server.stop() == 0
    out = [event[:1] + event[2:] for event in brief(events_of(path)) if event[1] == "out"]
    assert out == [
        ("message", 1, "\x01\x02"), ("ping", 1, "p"), ("pong", 1, "q"), ("message", 1, "all"), ("close", 1, 4001)]
    with Listener("--input", "json", stdin=open(path, "rb")) as server, Client(server.port) as client:
        assert frames(client) == expected


def test_heartbeat_pings_are_not_recorded_but_their_pongs_are(tmp_path):
    path = tmp_path / "r.jsonl"
    with Listener("--record", path, "--heartbeat", "50ms", "--heartbeat-misses", "100") as server:
        with Client(server.port) as client:
            frame = client.read_frame()
            client.send(wire.frame(wire.PONG, frame.payload, is_masked=True))
            client.close(1000)
        server.wait_for("Client 1 disconnected")
        assert server.stop() == 0
    events = [event for event in events_of(path) if event["type"] in ["ping", "pong"]]
    assert [(event["type"], event["direction"]) for event in events] == [("pong", "in")]
    assert events[0]["rtt_us"] > 0


@pytest.mark.parametrize("arguments", [["--echo"], ["--broadcast"], []])
def test_a_full_disk_ends_the_server(arguments):
    with Running([BINARY, "listen", *arguments, "--record", "/dev/full", "0"]) as server:
        assert server.wait() == 1
        assert "wsx: recording to /dev/full: " in server.err


def test_a_full_disk_ends_a_server_with_clients(tmp_path):
    def small_files():
        # Enough space for the beginning only. The write fails, and the signal is ignored.
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    path = tmp_path / "r.jsonl"
    with Listener("--echo", "--record", path, preexec_fn=small_files) as server, Client(server.port) as client:
        client.send(wire.text("x" * 10_000, is_masked=True))
        frame = client.read_until_close()
        assert frame.close_code == 1001
        client.close(1001)
        assert server.wait() == 1
        assert "recording to" in server.err


def test_a_recording_that_cannot_be_created_is_a_usage_error(tmp_path):
    assert_fails(wsx("listen", "--record", tmp_path / "no" / "r", "0"), 2, "--record")
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    assert_fails(wsx("listen", "--record", fifo, "0"), 2, "no program reads from the pipe; start its reader first")


def test_a_slow_reader_of_the_recording_pauses_clients_and_input(tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with Listener("--echo", "--record", fifo) as server, Client(server.port) as client:
            message = wire.frame(wire.BINARY, b"x" * 100_000, is_masked=True)
            sent = 0
            client.sock.settimeout(2)
            threading.Thread(target=drain, args=(client.sock.dup(),), daemon=True).start()
            with pytest.raises(TimeoutError):
                while sent < 500:
                    client.send(message)
                    sent += 1
            assert sent < 200, "at most 1 MiB waits for the recording, and a few MiB in the sockets"
            # Once the recording is read, everything resumes.
            os.set_blocking(reader, True)
            taken = bytearray()
            thread = threading.Thread(target=lambda: take_all(reader, taken), daemon=True)
            thread.start()
            wait_until(lambda: len(taken) > 2 << 20)
            assert server.process.poll() is None
    finally:
        os.close(reader)


def drain(sock):
    try:
        while sock.recv(1 << 16):
            pass
    except OSError:
        pass


def take_all(descriptor, taken):
    try:
        while piece := os.read(descriptor, 1 << 16):
            taken += piece
    except OSError:
        pass


def test_a_stopped_reader_of_the_recording_pauses_the_input(tmp_path):
    with Listener("--record", tmp_path / "r.jsonl", stdin=-1) as server, Client(server.port):
        pipe = server.process.stdin.fileno()
        os.set_blocking(pipe, False)
        lines = b"x" * 1023 + b"\n"
        # The queue, the kernel, and the pipes hold less than a quarter of this.
        limit, taken = 200 << 20, 0
        while taken < limit and select.select([], [pipe], [], 2)[1]:
            taken += os.write(pipe, lines * 64)
        assert taken < limit / 2
