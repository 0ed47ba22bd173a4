"""`wsx bench --samples`: a file with each latency."""

import csv
import json
import threading

import pytest

import wire
from processes import assert_fails, wsx
from test_bench import bench
from test_bench_scenarios import LOGIN, QUERY, Service, written
from scripted_server import ScriptedServer


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def objects(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("options", [
    ["-n", "3000", "-t", "2"], ["-n", "500", "--rate", "5k"], ["--mode", "connect", "-n", "30"],
    ["--mode", "request", "-m", "x", "-n", "500", "--warmup", "100ms"],
    ["--mode", "request", "-m", "{\"id\":{{seq}}}", "--correlate", "/id", "-n", "100"],
], ids=["echo", "rate", "connect", "request", "correlate"])
def test_the_samples_are_the_latencies(options, tmp_path):
    path = tmp_path / "samples.csv"
    result, results = bench("echo:", "-c", "3", "--samples", path, *options)
    assert (result.status, result.err) == (0, "")
    samples = rows(path)
    assert list(samples[0]) == ["time_us", "connection", "latency_us", "wait_us", "step"]
    latencies = [float(row["latency_us"]) for row in samples]
    assert len(samples) == results["messages"]["received"]
    assert sum(latencies) == pytest.approx(results["latency_us"]["sum"], abs=0.01)
    assert (min(latencies), max(latencies)) == (results["latency_us"]["min"], results["latency_us"]["max"])
    assert all(float(row["time_us"]) >= 0 and row["step"] == "" for row in samples)
    connections = {int(row["connection"]) for row in samples}
    assert connections == ({1, 2, 3} if "connect" not in options else set(range(1, 31)))
    assert results["samples_omitted"] == 0


def test_iterations_and_named_steps_have_lines(tmp_path):
    scenario, path = written(tmp_path / "s.jsonl", LOGIN + QUERY), tmp_path / "samples.jsonl"
    with ScriptedServer(Service()) as server:
        result, results = bench(server.url, "--scenario", scenario, "-c", "2", "-n", "20", "--samples", path)
    assert (result.status, result.err) == (0, "")
    samples = objects(path)
    assert len([sample for sample in samples if "step" not in sample]) == 20
    queries = [sample["latency_us"] for sample in samples if sample.get("step") == "query"]
    step = next(step for step in results["steps"] if step["name"] == "query")
    assert (len(queries), sum(queries)) == (20, pytest.approx(step["latency_us"]["sum"], abs=0.01))
    # The login precedes the load.
    assert len(samples) == 40


def test_a_part_of_the_samples_is_the_same_in_every_run(tmp_path):
    counts = []
    for name in ("a", "b"):
        assert wsx("bench", "echo:", "-c", "1", "-n", "1000", "--samples", tmp_path / f"{name}.csv:10").status == 0
        counts.append(len(rows(tmp_path / f"{name}.csv")))
    assert counts[0] == counts[1] and 50 < counts[0] < 200


def test_an_existing_file_with_a_number_in_its_name_is_meant(tmp_path):
    path = tmp_path / "samples:2"
    path.write_text("old")
    assert wsx("bench", "echo:", "-n", "20", "--samples", path).status == 0
    assert len(objects(path)) == 20


def test_a_full_disk_fails_the_run():
    result = wsx("bench", "echo:", "-n", "100", "--samples", "/dev/full")
    assert_fails(result, 1, "wsx: writing /dev/full: no space left on device")


@pytest.mark.parametrize("options, message", [
    (["--samples", "-"], "--samples -: standard output is already in use"),
    (["--samples", "s.csv:0"], "--samples s.csv:0: expected a whole number of 1 or more after the colon"),
    (["--samples", "s.csv:1.5"], "--samples s.csv:1.5: expected a whole number of 1 or more after the colon"),
    (["--samples", "s.csv:1k"], "--samples s.csv:1k: expected a whole number of 1 or more after the colon"),
    (["--samples", "s.csv:-1"], "--samples s.csv:-1: expected a whole number of 1 or more after the colon"),
    (["--samples", "s.csv:"], "--samples s.csv:: expected a whole number of 1 or more after the colon"),
    (["--samples", "s.csv", "--mode", "send"], "--samples s.csv: --mode send measures no latencies"),
    (["--samples", "s.csv", "--mode", "receive"],
     "--samples s.csv: --mode receive measures no latencies; add --latency-from"),
    (["--samples", "s.csv", "--hdr", "s.csv"], "--samples s.csv: --hdr writes to the same file"),
    (["--samples", "m", "--file", "m"], "--samples m: --file reads the same file"),
], ids=["stdout", "zero", "fraction", "suffix", "negative", "empty", "send", "receive", "twice", "input"])
def test_unusable_files_are_usage_errors(options, message, tmp_path):
    (tmp_path / "m").write_text("m")
    assert_fails(wsx("bench", "echo:", *options, cwd=tmp_path), 2, message)


def stalling(peer):
    """An echo server that begins to read when many messages are due."""
    peer.upgrade()
    threading.Event().wait(1)
    while (frame := peer.read_frame()) is not None and frame.opcode != wire.CLOSE:
        peer.send(wire.text(frame.payload))
    if frame is not None:
        peer.send(wire.frame(wire.CLOSE, frame.payload))


@pytest.mark.parametrize("options", [
    ["--size", "64k"], ["--file", "FILE"], ["--mode", "request", "--file", "FILE"],
    ["--mode", "request", "--file", "FILE", "--correlate", "/id"], ["--scenario", "SCENARIO"],
], ids=["identified", "ordered", "request", "correlate", "scenario"])
def test_service_times_are_latencies_without_waits(options, tmp_path):
    data = json.dumps({"id": "{{seq}}", "filling": "x" * 65_000})
    (tmp_path / "message").write_text(data)
    steps = [{"type": "message", "direction": "out", "data": "x"}, {"type": "message", "direction": "in", "match": "x"}]
    places = {"FILE": tmp_path / "message", "SCENARIO": written(tmp_path / "s.jsonl", steps)}
    options, path = [places.get(word, word) for word in options], tmp_path / "samples.csv"
    with ScriptedServer(stalling) as server:
        result, results = bench(server.url, "-c", "1", "-n", "150", "-r", "200", "--samples", path, *options)
    assert (result.status, result.err) == (0, "")
    waits = [float(row["wait_us"]) for row in rows(path)]
    latencies = [float(row["latency_us"]) for row in rows(path)]
    assert all(0 <= wait <= latency for wait, latency in zip(waits, latencies, strict=True))
    assert len([wait for wait in waits if wait > 0]) >= results["waited"] > 0
    assert sum(latencies) == pytest.approx(results["latency_us"]["sum"], abs=0.01)
    assert sum(latencies) - sum(waits) == pytest.approx(results["service_us"]["sum"], abs=0.01)
    assert results["service_us"]["max"] <= results["latency_us"]["max"]


def test_a_threshold_on_service_times_and_the_table_name_them():
    result = wsx("bench", "echo:", "-r", "100", "-n", "20", "--threshold", "service.p99<1m")
    assert (result.status, result.err) == (0, "")
    assert [line for line in result.out.decode().splitlines() if line.startswith("service ")]
