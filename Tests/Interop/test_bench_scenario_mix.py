"""`wsx bench --scenario A.json:70 --scenario B.json:30`: several scenarios in one run."""

import json
import threading

import pytest

import wire
from processes import assert_fails, wsx
from scripted_server import ScriptedServer
from test_bench import bench
from test_bench_samples import objects
from test_bench_scenarios import written


class Counter:
    """An echo server that counts the first messages of connections, and all messages, by their text."""

    def __init__(self, dropped=()):
        self.connections, self.messages, self.dropped = {}, {}, dropped
        self._lock = threading.Lock()

    def _count(self, counts, text):
        with self._lock:
            counts[text] = counts.get(text, 0) + 1

    def __call__(self, peer):
        if not peer.read_request():
            return None
        peer.upgrade()
        is_first = True
        while (frame := peer.read_frame()) is not None and frame.opcode != wire.CLOSE:
            text = frame.payload.decode()
            if is_first:
                self._count(self.connections, text)
            is_first = False
            self._count(self.messages, text)
            if text not in self.dropped:
                peer.send(wire.text(frame.payload))
        if frame is not None:
            peer.send(wire.frame(wire.CLOSE, frame.payload))
        return None


def scenario(folder, name, step="ask", **more):
    """Writes a scenario that sends its name and awaits the echo."""
    stem = name.split(".")[0]
    return written(folder / name, [
        {"type": "message", "direction": "out", "data": stem},
        {"type": "message", "direction": "in", "match": f"^{stem}$", "name": step, **more}])


def options(*files):
    return [word for file in files for word in ("--scenario", file)]


def step(results, name):
    [found] = [step for step in results["steps"] if step["name"] == name]
    return found


@pytest.mark.parametrize("weights, count, shares", [
    ((":70", ":30"), 10, (7, 3)), ((":2", ":1"), 10, (7, 3)), ((":0.5", ":0.5"), 7, (4, 3)), (("", ""), 4, (2, 2)),
    (("", "", ""), 5, (2, 2, 1)), ((":99", ":1", ":1"), 101, (99, 1, 1)),
], ids=["percent", "rounded", "decimal", "none", "three", "many"])
def test_connections_are_split_by_weight(weights, count, shares, tmp_path):
    names = "abc"[:len(weights)]
    files = [f"{scenario(tmp_path, name + '.jsonl')}{weight}" for name, weight in zip(names, weights)]
    counter = Counter()
    with ScriptedServer(counter) as server:
        result, results = bench(server.url, *options(*files), "-c", str(count), "-t", "2", "-n", str(5 * count))
    assert (result.status, result.err) == (0, "")
    assert counter.connections == dict(zip(names, shares))
    total = 0
    for name in names:
        whole, asked = step(results, name), step(results, f"{name}.ask")
        assert whole["received"] == asked["received"] == counter.messages[name]
        assert whole["latency_us"]["max"] >= asked["latency_us"]["max"] > 0
        total += whole["received"]
    assert total == results["messages"]["received"]


def test_a_failure_names_the_scenario(tmp_path):
    files = [scenario(tmp_path, "good.jsonl"), scenario(tmp_path, "bad.jsonl", timeout="50ms")]
    samples = tmp_path / "samples.jsonl"
    with ScriptedServer(Counter(dropped=["bad"])) as server:
        result, results = bench(
            server.url, *options(*files), "-c", "2", "-n", "20", "--rate", "200", "--samples", samples,
            "--threshold", "good.p99<1m", "--threshold", "good.ask.lost=0", "--threshold", "bad.timeout=0")
    assert result.status == 7
    assert "the scenario failed in bad, line 2 (ask): nothing arrived within 50 ms\n" in result.err
    assert [threshold["met"] for threshold in results["thresholds"]] == [True, True, False]
    good, bad = step(results, "good"), step(results, "bad")
    assert (good["lost"], bad["received"]) == (0, 0)
    assert bad["lost"] == bad["timeout"] == step(results, "bad.ask")["timeout"] == results["messages"]["lost"]
    assert good["received"] + bad["lost"] == results["messages"]["sent"] == 20
    names = [sample["step"] for sample in objects(samples)]
    assert (names.count("good"), names.count("good.ask")) == (good["received"],) * 2
    assert len(names) == 2 * good["received"]


def test_a_single_scenario_keeps_its_names(tmp_path):
    with ScriptedServer(Counter()) as server:
        result, results = bench(server.url, "--scenario", f"{scenario(tmp_path, 'a.jsonl')}:5", "-n", "10")
    assert (result.status, result.err) == (0, "")
    assert [step["name"] for step in results["steps"]] == ["ask"]


def test_an_existing_file_with_a_number_in_its_name_is_meant(tmp_path):
    path = scenario(tmp_path, "a.jsonl")
    path = path.rename(tmp_path / "a.jsonl:5")
    with ScriptedServer(Counter()) as server:
        assert wsx("bench", server.url, "--scenario", path, "-n", "10").status == 0


def test_merged_results_keep_the_scenarios_apart(tmp_path):
    files = [scenario(tmp_path, "a.jsonl"), scenario(tmp_path, "b.jsonl")]
    paths = [tmp_path / "1.json", tmp_path / "2.json"]
    with ScriptedServer(Counter()) as server:
        runs = []
        for path in paths:
            result, results = bench(server.url, *options(*files), "-c", "2", "-n", "10", "--rate", "1k")
            path.write_bytes(result.out)
            runs.append(results)
    merged = json.loads(wsx("bench", "merge", "--output", "json", *paths).out)
    assert [step["name"] for step in merged["steps"]] == ["a", "a.ask", "b", "b.ask"]
    for name in ("a", "b.ask"):
        assert step(merged, name)["received"] == sum(step(run, name)["received"] for run in runs) == 10


@pytest.mark.parametrize("values, message", [
    (["a.jsonl:70", "b.jsonl"], "--scenario b.jsonl: give each scenario a weight, or none"),
    (["a.jsonl:0", "b.jsonl:1"], "--scenario a.jsonl:0: expected a weight above 0 after the colon"),
    (["a.jsonl:1.2.3"], "--scenario a.jsonl:1.2.3: expected a weight above 0"),
    (["a.jsonl:1e5"], "--scenario a.jsonl:1e5: expected a weight above 0"),
    (["a.jsonl:"], "--scenario a.jsonl:: expected a weight above 0"),
    (["a.jsonl", "a.jsonl"], "--scenario a.jsonl: results would have two scenarios named 'a'; rename a file"),
    (["a.jsonl:99", "b.jsonl:1"], "--scenario b.jsonl:1: none of 10 connections would play it"),
    (["a.jsonl:5", "missing.jsonl:5"], "--scenario missing.jsonl: no such file or directory"),
], ids=["mixed", "zero", "number", "exponent", "empty", "twice", "unused", "missing"])
def test_unusable_mixes_are_usage_errors(values, message, tmp_path):
    for name in ("a", "b"):
        scenario(tmp_path, f"{name}.jsonl")
    assert_fails(wsx("bench", "echo:", *options(*values), "-n", "10", cwd=tmp_path), 2, message)


@pytest.mark.parametrize("names, value", [
    (["a.jsonl", "a.ask.jsonl"], "a.ask.jsonl"), (["a.ask.jsonl", "a.jsonl"], "a.jsonl"),
], ids=["step first", "scenario first"])
def test_a_scenario_and_a_step_need_different_names(names, value, tmp_path):
    for name in names:
        scenario(tmp_path, name)
    assert_fails(
        wsx("bench", "echo:", *options(*names), "-n", "10", cwd=tmp_path), 2,
        f"--scenario {value}: results would have two entries named 'a.ask', of {names[0]} and {names[1]}; "
        "rename a file or a step")


@pytest.mark.parametrize("limits, remedy", [
    (["-c", "10", "-n", "1"], "--messages"), (["-c", "1"], "--connections"),
], ids=["messages", "connections"])
def test_the_option_that_limits_connections_is_named(limits, remedy, tmp_path):
    files = [scenario(tmp_path, "a.jsonl"), scenario(tmp_path, "b.jsonl")]
    assert_fails(
        wsx("bench", "echo:", *options(*files), *limits), 2,
        f"none of 1 connection would play it; raise {remedy} or its weight")


def test_a_threshold_needs_the_name_of_the_scenario(tmp_path):
    files = [scenario(tmp_path, "a.jsonl"), scenario(tmp_path, "b.jsonl")]
    assert_fails(
        wsx("bench", "echo:", *options(*files), "--threshold", "ask.p99<1s"), 2,
        "no step has the name 'ask'")
