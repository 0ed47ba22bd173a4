"""The programs with which `make bench` measures. The benchmarks themselves need an idle machine."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Benchmarks"))

import bench  # noqa: E402


def test_the_program_that_measures_the_recording_of_latencies_compiles():
    subprocess.run(["swiftc", "-typecheck", "-parse-as-library", *bench.RECORD_SOURCES], check=True)


def test_the_load_generator_for_comparison_compiles():
    subprocess.run(["cc", "-fsyntax-only", "-Wall", "-Werror", bench.LOAD_SOURCE], check=True)
