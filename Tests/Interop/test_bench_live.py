"""What `wsx bench` reports during a run: a line per second, and conditions that stop it."""

import json
import re
import subprocess
import urllib.request

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

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
        process.wait(60)
    assert first["second"] == 0 and first["received"] > 0
    assert json.loads(last)["mode"] == "echo"


def test_a_reader_that_leaves_ends_the_run(wsx_echo):
    with subprocess.Popen(
            [BINARY, "bench", "--output", "jsonl", "-c", "1", "-d", "1h", wsx_echo.url],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(60) == 0
        assert process.stderr.read() == b""


def test_merge_and_baseline_read_the_lines(wsx_echo, tmp_path):
    path = tmp_path / "results.jsonl"
    result, other = (wsx("bench", "--output", "jsonl", "-c", "2", "-n", "50", wsx_echo.url) for _ in range(2))
    path.write_bytes(result.out + other.out)
    merged = check(wsx("bench", "merge", "--output", "json", path).out)
    assert merged["messages"]["received"] == 100
    path.write_bytes(result.out)
    compared = wsx("bench", "--output", "json", "--baseline", path, "-c", "2", "-n", "50", wsx_echo.url)
    assert compared.status == 0
    assert check(compared.out)["baseline"]["runs"] == 1


def test_a_condition_that_does_not_hold_stops_the_run(wsx_echo):
    result = wsx(
        "bench", "--output", "json", "-c", "2", "-r", "100", "-d", "1h", "--abort", "rate<1M", "--abort", "p50>1h",
        wsx_echo.url, timeout=60)
    results = check(result.out)
    assert_fails(result, 7, "stopped after ", " s: --abort 'p50>1h' does not hold: ")
    assert results["duration_s"] >= 1 and results["messages"]["received"] > 0


@pytest.mark.parametrize("condition, message", [
    ("handshake.p99<1s", "handshake.p99 is known only at the end of a run; use --threshold"),
    ("p99", "expected a metric, an operator, and a value"),
    ("", "expected a metric"),
])
def test_invalid_conditions_are_rejected(condition, message):
    assert_fails(wsx("bench", "--abort", condition, "ws://127.0.0.1:1/"), 2, "--abort", message)


def scraped(url):
    """Returns the samples of a metrics page, by name and labels, as another implementation reads them."""
    with urllib.request.urlopen(url, timeout=60) as response:
        assert response.headers["Content-Type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8"
        families = list(text_string_to_metric_families(response.read().decode()))
    samples = [sample for family in families for sample in family.samples]
    return {(sample.name, *sample.labels.values()): sample.value for sample in samples}


def test_metrics_are_served_during_the_run(wsx_echo):
    with subprocess.Popen(
            [BINARY, "bench", "--metrics", "0", "--output", "jsonl", "-c", "3", "-r", "200", "-d", "1h", wsx_echo.url],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        url = re.fullmatch(rb"Metrics at (http://127\.0\.0\.1:\d+/metrics)\n", process.stderr.readline())[1].decode()
        process.stdout.readline()
        second = json.loads(process.stdout.readline())
        samples = scraped(url)
        for host, origin, expected in (
                ("localhost", None, 200), ("evil.example", None, 403), ("evil.example:80", "http://evil.example", 403)):
            request = urllib.request.Request(url, headers={"Host": host, **({"Origin": origin} if origin else {})})
            try:
                status = urllib.request.urlopen(request, timeout=60).status
            except urllib.error.HTTPError as error:
                status = error.code
                assert b"use an IP address" in error.read()
            assert status == expected, host
        process.terminate()
        process.communicate(timeout=60)
    assert samples["wsx_connections",] == 3
    assert samples["wsx_messages_total", "received"] >= second["messages"]["received"] > 0
    assert samples["wsx_errors_total", "closed"] == 0
    assert samples["wsx_run_info", "echo", wsx_echo.url] == 1
    count = samples["wsx_latency_seconds_count",]
    assert count >= second["received"] and samples["wsx_latency_seconds_bucket", "+Inf"] == count


def test_a_metrics_address_in_use_is_an_error(wsx_echo):
    port = wsx_echo.url.split(":")[2].strip("/")
    assert_fails(wsx("bench", "--metrics", port, wsx_echo.url), 3, "is another server running?")


@pytest.mark.parametrize("address", ["http", "1:2:3", "256.1.1.1:80", "70000", ""])
def test_invalid_metrics_addresses_are_rejected(address):
    assert_fails(wsx("bench", "--metrics", address, "ws://127.0.0.1:1/"), 2, "--metrics")
