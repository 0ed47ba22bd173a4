"""`wsx bench --mode receive --latency-from PATH`: the age of messages of publishers elsewhere."""

import datetime
import json
import time

import pytest

import wire
from processes import assert_fails, wsx
from scripted_server import ScriptedServer
from test_bench import bench

WARNING = "wsx: warning: --latency-from compares the clocks of the publishers with the one of this machine; "


def publishing(*times):
    """Returns a server that answers the first message with one for each function, which returns its time."""

    def serve(peer):
        peer.upgrade()
        peer.read_frame()
        for time_of in times:
            peer.send(wire.text(json.dumps({"d": {"ts": time_of()}}).encode()))
        frame = peer.read_frame()
        peer.send(wire.frame(wire.CLOSE, frame.payload))

    return serve


def aged(seconds, unit):
    """Returns a function for the time `seconds` ago, as a number of units per second."""
    return lambda: int((time.time() - seconds) * unit)


def iso():
    return (datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=20)).isoformat()


def receive(server, *options):
    return bench(
        server.url, "--mode", "receive", "-m", "go", "-c", "1", "-d", "1s", "--latency-from", "/d/ts", *options,
        check_sum=False)


@pytest.mark.parametrize(
    "now", [aged(20, 1), aged(20, 10**3), aged(20, 10**6), aged(20, 10**9), iso, lambda: time.time() - 20],
    ids=["s", "ms", "us", "ns", "iso", "fraction"])
def test_the_latency_is_the_age_in_any_notation(now):
    with ScriptedServer(publishing(now, now, now)) as server:
        result, results = receive(server)
    assert result.err.startswith(WARNING) and result.err.count("warning") == 1
    assert results["messages"]["received"] == 3
    assert results["clock"] == {"negative": 0, "most_negative_us": 0, "no_time": 0}
    # At least the age; the clock is the same.
    assert 19_900_000 <= results["latency_us"]["min"] <= results["latency_us"]["max"] < 60_000_000


def test_the_table_has_latencies_and_names_the_clocks():
    with ScriptedServer(publishing(aged(20, 1000), aged(-30, 1000))) as server:
        result = wsx("bench", "--mode", "receive", "-m", "go", "-c", "1", "-d", "1s", "--latency-from", ".d.ts", server.url)
    table = result.out.decode()
    assert "1 received before sent, by up to " in table and "latencies" in table


def test_the_option_needs_its_mode_and_a_path():
    assert_fails(wsx("bench", "--latency-from", "/ts", "echo:"), 2, "--latency-from")
    assert_fails(wsx("bench", "--mode", "receive", "--latency-from", "ts[", "echo:"), 2, "--latency-from")
