"""The programs with which `make bench` measures. The measurements themselves need an idle machine."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Benchmarks"))

import chart  # noqa: E402
import machine  # noqa: E402
import tables  # noqa: E402
from bench import TOPICS  # noqa: E402
from contest import Contest, Figure, Row, measured  # noqa: E402


def test_the_program_that_measures_the_recording_of_latencies_compiles():
    subprocess.run(["swiftc", "-typecheck", *machine.RECORD_FLAGS, *machine.RECORD_SOURCES], check=True)


@pytest.mark.parametrize("name", [program.name for program in machine.GENERATORS])
def test_the_generators_in_c_compile(name):
    subprocess.run(["clang", "-fsyntax-only", "-Wall", "-Werror", ROOT / f"Benchmarks/{name}.c"], check=True)


def test_every_topic_has_contests():
    assert all(callable(topic.contests) for topic in TOPICS.values())


# Runs in a process of its own, because the contests depend on the environment.
PEERS_OF_CONTESTS = """
import sys
sys.path.insert(0, sys.argv[1])
import bench
topics = [bench.TOPICS[name] for name in ("generators", "servers")]
print(*{peer for topic in topics for contest in topic.contests() for peer in contest.programs}, sep="\\n")
"""


def peers_of_contests(**variables):
    environment = {
        name: value for name, value in os.environ.items() if name not in {"UWEBSOCKETS_ECHO", "UWEBSOCKETS_LOAD"}}
    return subprocess.run(
        [sys.executable, "-c", PEERS_OF_CONTESTS, ROOT / "Benchmarks"], env={**environment, **variables},
        capture_output=True, text=True, check=False)


def test_peers_without_packages_are_compared_only_if_their_paths_are_given():
    without = set(peers_of_contests().stdout.splitlines())
    given = set(peers_of_contests(UWEBSOCKETS_ECHO=sys.executable).stdout.splitlines())
    assert "wsx" in without
    assert given - without == {"uWebSockets"}


def test_the_path_of_a_peer_that_does_not_exist_is_reported(tmp_path):
    for path in (tmp_path / "none", tmp_path):
        process = peers_of_contests(UWEBSOCKETS_ECHO=str(path))
        assert (process.returncode, process.stderr) == (1, f"bench: UWEBSOCKETS_ECHO={path}: no such program\n")


def test_the_order_of_the_programs_alternates_and_ratios_are_taken_within_a_round():
    order = []

    def program(name, values):
        values = iter(values)
        return lambda: (order.append(name), next(values))[1]

    contest = Contest(
        (Figure("lines", "k/s", 1e3),), {"wsx": program("wsx", [2e3, 9e3, 4e3]), "peer": program("peer", [1e3, 3e3, 8e3])})
    (row,) = measured(contest, 3)
    assert order == ["wsx", "peer", "peer", "wsx", "wsx", "peer"]
    assert row.ratios == [2, 3, 0.5]
    assert row.markdown() == "| lines | 4 k/s | peer | 3 k/s | 2 | 0.5–3 |"


def test_the_chart_has_a_bar_for_each_program():
    name = next(iter(chart.CONTESTS))
    rows = [
        {"measurement": name, "unit": "k/s", "ours": 100.0, "peer": peer, "theirs": theirs, "ratios": [100 / theirs]}
        for peer, theirs in (("fast & small", 200.0), ("slow", 1.0))]
    drawing = chart.drawn(rows)
    assert drawing.count("<rect ") == 3
    assert "fast &amp; small" in drawing


def test_the_documents_do_not_publish_different_figures():
    assert tables.main("--check") is None


def test_every_short_row_names_a_figure_of_the_record():
    record = tables.keyed(tables.rows_of(tables.FIGURES))
    assert all((contest, figure, peer) in record for _, contest, figure, peer, _ in tables.PUBLISHED)


def test_rows_of_peers_that_were_not_measured_are_omitted():
    name = "server: messages of 20 bytes on 50 connections, one in flight"
    rows = [Row(name, "k/s", 100, "ws", 50, [2, 2]), Row("its peak resident memory", "MiB", 10, "ws", 40, [0.25, 0.25])]
    table = tables.short_table(rows, only_readme=False)
    assert table[2:] == ["| server: echoes on 50 connections, one in flight each | 100 k/s | ws: 50 k/s | 2 |"]
    assert tables.short_table(rows, only_readme=True) == table[:2]
