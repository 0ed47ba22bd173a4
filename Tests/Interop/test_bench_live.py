"""What `wsx bench` reports during a run: a line per second, and conditions that stop it."""

import json
import subprocess
import time

import pytest

from processes import BINARY, assert_fails, wsx
from test_bench import check


def lines_of(result):
    """Splits the output into the objects of seconds and the checked results."""
    *seconds, results = result.out.splitlines(keepends=True)
    return [json.loads(line) for line in seconds], check(results)


@pytest.mark.parametrize("threads", ["1", "2"])
def test_each_second_is_a_line(wsx_echo, threads):
    result = wsx("bench", "--output", "jsonl", "-c", "4", "-t", threads, "-r", "200", "-d", "2500ms", wsx_echo.url)
    seconds, results = lines_of(result)
    assert result.status == 0
    assert [line["second"] for line in seconds] == [0, 1, 2]
    names = ["sent", "received", "p50_us", "p99_us", "max_us"]
    for line, second in zip(seconds, results["per_second"], strict=True):
        assert line["type"] == "second"
        assert [line[name] for name in names] == [second[name] for name in names]
        assert list(line["messages"]) == list(results["messages"])
        assert list(line["errors"]) == list(results["errors"])
    assert seconds[0]["connections"] == 4


def test_seconds_are_written_while_the_run_continues(wsx_echo):
    with subprocess.Popen(
            [BINARY, "bench", "--output", "jsonl", "-c", "1", "-d", "30s", wsx_echo.url],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        first = json.loads(process.stdout.readline())
        assert process.poll() is None
        process.terminate()
        *_, last = process.stdout.read().splitlines()
        process.wait(30)
    assert first["second"] == 0 and first["received"] > 0
    assert json.loads(last)["mode"] == "echo"


def test_a_reader_that_leaves_ends_the_run(wsx_echo):
    begin = time.monotonic()
    with subprocess.Popen(
            [BINARY, "bench", "--output", "jsonl", "-c", "1", "-d", "60s", wsx_echo.url],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(40) == 0
        assert process.stderr.read() == b""
    assert time.monotonic() - begin < 45


def test_merge_and_baseline_read_the_lines(wsx_echo, tmp_path):
    path = tmp_path / "results.jsonl"
    result = wsx("bench", "--output", "jsonl", "-c", "2", "-n", "50", wsx_echo.url)
    path.write_bytes(result.out * 2)
    merged = check(wsx("bench", "merge", "--output", "json", path).out)
    assert merged["messages"]["received"] == 100
    path.write_bytes(result.out)
    compared = wsx("bench", "--output", "json", "--baseline", path, "-c", "2", "-n", "50", wsx_echo.url)
    assert compared.status == 0
    assert check(compared.out)["baseline"]["runs"] == 1


def test_a_condition_that_does_not_hold_stops_the_run(wsx_echo):
    result = wsx(
        "bench", "--output", "json", "-c", "2", "-r", "100", "-d", "60s", "--abort", "rate<1M", "--abort", "p50>1h",
        wsx_echo.url, timeout=40)
    results = check(result.out)
    assert_fails(result, 7, "stopped after 1 s: --abort 'p50>1h' does not hold: ")
    assert 1 <= results["duration_s"] < 30 and results["messages"]["received"] > 0


def test_conditions_that_hold_do_not_stop_the_run(wsx_echo):
    result = wsx(
        "bench", "--output", "json", "-c", "2", "-r", "100", "-d", "2s", "--abort", "p99<1h", "--abort", "errors=0",
        wsx_echo.url)
    assert (result.status, result.err) == (0, "")


@pytest.mark.parametrize("condition, message", [
    ("handshake.p99<1s", "handshake times are known only at the end of a run; use --threshold"),
    ("p99", "expected a metric, an operator, and a value"),
    ("", "expected a metric"),
])
def test_invalid_conditions_are_rejected(condition, message):
    assert_fails(wsx("bench", "--abort", condition, "ws://127.0.0.1:1/"), 2, "--abort", message)
