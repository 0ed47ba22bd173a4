"""`bench --http2 --streams N`: several WebSockets on each HTTP/2 connection."""

import json

import pytest

import http2
import wire
from http2_frames import PROTOCOL_ERROR
from processes import Listener, assert_fails, wait_until, wsx
from scripted_server import ScriptedServer
from test_bench import bench


@pytest.fixture(scope="module")
def echo():
    with Listener("--http2", "--echo") as server:
        yield server
        assert server.stop() == 0


@pytest.mark.parametrize("streams, connections", [("1", 30), ("10", 3), ("7", 5), ("100", 1)])
def test_connections_are_shared_by_streams(echo, streams, connections):
    result, results = bench("--http2", "--streams", streams, "-c", "30", "-n", "300", echo.url)
    assert (result.status, results["connections"], results["streams_per_connection"]) == (0, 30, int(streams)), result
    assert results["http2"] == {"connections": connections, "streams": 30}
    assert results["messages"]["received"] == 300 and results["handshake_us"]["min"] > 0


@pytest.mark.parametrize("options", [
    ["--mode", "echo", "-n", "500", "--in-flight", "4"],
    ["--mode", "request", "-n", "500", "-m", "hello"],
    ["--mode", "send", "-n", "500"],
    ["--mode", "idle", "-d", "300ms", "--heartbeat", "100ms"],
    ["--mode", "connect", "-n", "40"],
    ["--mode", "echo", "-n", "200", "--size", "100k"],
], ids=" ".join)
@pytest.mark.parametrize("threads", ["1", "2"])
def test_modes_work_on_streams(echo, options, threads):
    result, results = bench("--http2", "--streams", "10", "-c", "20", "-t", threads, *options, echo.url, check_sum=False)
    count = 40 if "connect" in options else 20
    assert result.status == 0 and sum(results["errors"].values()) == 0, results["errors"]
    assert results["http2"]["streams"] == count and results["http2"]["connections"] == count // 10


def test_broadcasts_reach_the_streams_of_a_connection():
    with Listener("--http2", "--broadcast", "--no-stdin") as server:
        result, results = bench(
            "--http2", "--streams", "5", "--mode", "broadcast", "-c", "10", "-n", "50", server.url, check_sum=False)
        assert result.status == 0 and results["messages"]["received"] == 50 * 9, results["messages"]
        assert results["http2"] == {"connections": 2, "streams": 10}


def test_streams_share_a_tls_handshake(certificates, tmp_path):
    options = ["--tls-cert", certificates.good.chain, "--tls-key", certificates.good.key]
    with Listener("--http2", "--echo", *options) as server:
        report = tmp_path / "report.html"
        result = wsx(
            "bench", "--http2", "--streams", "5", "-c", "10", "-n", "10", "--ca", certificates.root, "--report", report,
            server.url)
        assert result.status == 0, result
        assert b"10 connections, 5 on each HTTP/2 connection" in result.out, result.out
        assert b"http/2      10 streams on 2 connections" in result.out and b"2 handshakes" in result.out, result.out
        assert "10 streams on 2 connections" in report.read_text()
        # All streams ended with their closing handshakes.
        wait_until(lambda: server.err.count("disconnected: 1000") == 10)


def test_the_echo_server_of_bench_speaks_http2():
    result, results = bench("--http2", "--streams", "10", "-c", "20", "-n", "100", "echo:")
    assert result.status == 0 and results["http2"]["connections"] == 2


def test_results_of_several_runs_are_merged(echo, tmp_path):
    files = []
    for number in range(2):
        files.append(tmp_path / f"{number}.json")
        files[-1].write_bytes(bench("--http2", "--streams", "10", "-c", "10", "-n", "10", echo.url)[0].out)
    result = wsx("bench", "merge", "--output", "json", *files)
    merged = json.loads(result.out)
    assert (merged["streams_per_connection"], merged["http2"]) == (10, {"connections": 2, "streams": 20}), merged


def test_a_rejected_stream_is_an_error_of_its_own():
    with Listener("--http2", "--echo", "--reject", "503x3") as server:
        result, results = bench("--http2", "--streams", "10", "-c", "10", "-n", "70", server.url)
        assert result.status != 0 and results["errors"]["handshake"] == 3, results["errors"]
        assert results["http2"]["streams"] == 7 and results["messages"]["received"] == 70


def serve(peer, *pairs, last_stream=None):
    """Opens each stream, up to the one that a GOAWAY frame then names as the last one. Answers pings and close frames."""
    server = http2.Server(peer, *pairs)
    while (received := server.wait_for(http2.HEADERS, http2.DATA)) is not None:
        kind, _, stream, payload = received
        if kind == http2.DATA and payload and payload[0] & 0xF == wire.CLOSE:
            server.send(http2.data(wire.close(1000), stream, http2.END_STREAM))
        elif kind == http2.DATA and payload:
            server.send(http2.data(wire.frame(wire.PONG, wire.masked(payload[6:], payload[2:6])), stream))
        elif kind == http2.HEADERS and (last_stream is None or stream <= last_stream):
            server.send(http2.headers((b":status", b"200"), stream=stream))
            if stream == last_stream:
                server.send(http2.goaway(http2.NO_ERROR, last_stream=last_stream))


def test_a_server_that_allows_fewer_streams_gets_more_connections():
    with ScriptedServer(lambda peer: serve(peer, (http2.MAX_CONCURRENT_STREAMS, 5))) as server:
        result, results = bench("--http2", "--streams", "10", "-c", "20", "--mode", "idle", "-d", "200ms", server.url)
    assert (result.status, results["http2"]) == (0, {"connections": 4, "streams": 20}), result


def test_requests_that_a_server_did_not_process_are_repeated():
    connections = iter(range(100))

    def script(peer):
        serve(peer, last_stream=5 if next(connections) == 0 else None)

    with ScriptedServer(script) as server:
        result, results = bench("--http2", "--streams", "10", "-c", "10", "--mode", "idle", "-d", "200ms", server.url)
    assert (result.status, sum(results["errors"].values())) == (0, 0), result
    assert results["http2"]["streams"] == 10


def test_a_violation_is_an_error_of_each_stream_of_the_connection():
    def script(peer):
        server = http2.Server(peer)
        for stream in (1, 3, 5):
            server.wait_for(http2.HEADERS)
            server.send(http2.headers((b":status", b"200"), stream=stream))
        server.wait_for(http2.DATA)
        # RFC 9113 §6.9: a window update of 0 for the connection.
        server.send(http2.window_update(0))
        return server.finish()

    with ScriptedServer(script) as server:
        result, results = bench("--http2", "--streams", "3", "-c", "3", "-n", "3", server.url)
    assert result.status != 0 and results["errors"]["protocol"] == 3, result
    assert server.results == [PROTOCOL_ERROR]


def test_streams_belong_to_http2():
    assert_fails(wsx("bench", "--streams", "2", "echo:"), 2, "--http2")
    assert_fails(wsx("bench", "--http2", "--streams", "0", "echo:"), 2, "--streams")


def test_a_server_without_http2_is_named():
    with Listener("--echo") as server:
        result = wsx("bench", "--http2", "-c", "2", "-n", "2", server.url)
        assert result.status != 0 and b"HTTP/1.1" in result.out + result.err.encode(), result
