"""What is measured is not what the memory of `wsx bench` costs: a message more is not an allocation more."""

import os
import subprocess
from pathlib import Path

import pytest

from processes import BINARY, Listener

SOURCE = Path(__file__).with_name("allocations.c")
FEW, MANY = 20_000, 120_000


@pytest.fixture(scope="module")
def counter(tmp_path_factory):
    library = tmp_path_factory.mktemp("allocations") / "allocations.so"
    subprocess.run(["clang", "-O2", "-shared", "-fPIC", "-o", library, SOURCE], check=True)
    return library


def allocations(counter, count, *arguments):
    """How often a run with so many messages has asked for memory."""
    path = counter.with_suffix(".count")
    path.write_bytes(bytes(8))
    subprocess.run(
        [BINARY, "bench", "-n", str(count), *arguments], stdout=subprocess.DEVNULL, timeout=100, check=True,
        env={**os.environ, "LD_PRELOAD": str(counter), "ALLOCATIONS": str(path)})
    return int.from_bytes(path.read_bytes(), "little")


@pytest.mark.parametrize("options", [
    [], ["--in-flight", "64"], ["--size", "4k", "--binary"], ["-m", "{{seq}} {{time}} {{random 8}}"], ["--rate", "100k"],
    ["--mode", "send"], ["--size", "4k", "--compress", "--in-flight", "4"],
], ids=" ".join)
def test_a_message_more_is_not_an_allocation_more(counter, options):
    with Listener("--echo") as server:
        few, many = (allocations(counter, count, server.url, *options) for count in (FEW, MANY))
    assert few > 1000, "nothing is counted"
    # A second more has a row in the results, and what is read at once is not always the same.
    assert many - few < (MANY - FEW) / 50
