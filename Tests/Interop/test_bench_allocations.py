"""Memory management must not distort measurements: additional messages cause no additional allocations."""

import os
import subprocess
from pathlib import Path

import pytest

from processes import BINARY, Listener
from sanitizer import SANITIZER

pytestmark = pytest.mark.skipif(bool(SANITIZER), reason="sanitizers replace the allocator")

SOURCE = Path(__file__).with_name("allocations.c")
FEW, MANY = 5_000, 25_000


@pytest.fixture(scope="module")
def counter(tmp_path_factory):
    library = tmp_path_factory.mktemp("allocations") / "allocations.so"
    subprocess.run(["clang", "-O2", "-shared", "-fPIC", "-o", library, SOURCE], check=True)
    return library


def allocations(counter, count, *arguments):
    """Returns the number of allocations in a run of `count` messages."""
    path = counter.with_suffix(".count")
    path.write_bytes(bytes(8))
    subprocess.run(
        [BINARY, "bench", "-n", str(count), *arguments], stdout=subprocess.DEVNULL, timeout=100, check=True,
        env={**os.environ, "LD_PRELOAD": str(counter), "ALLOCATIONS": str(path)})
    return int.from_bytes(path.read_bytes(), "little")


def test_messages_with_values_of_a_data_file_cause_no_allocations(counter, tmp_path):
    data = tmp_path / "users.csv"
    data.write_text("user,token\n" + "".join(f"user{number},{number:032d}\n" for number in range(10)))
    options = ["--data", data, "-m", '{"u":{{json:user}},"t":"{{token}}","n":{{seq}}}']
    with Listener("--echo") as server:
        few, many = (allocations(counter, count, server.url, *options) for count in (FEW, MANY))
    assert few > 1000, "the counter does not count"
    assert many - few < (MANY - FEW) / 50


@pytest.mark.parametrize("options", [
    [], ["--in-flight", "64"], ["--size", "4k", "--binary"], ["-m", "{{seq}} {{time}} {{random 8}}"], ["--rate", "100k"],
    ["--mode", "send"], ["--size", "4k", "--compress", "--in-flight", "4"],
], ids=" ".join)
def test_additional_messages_cause_no_allocations(counter, options):
    with Listener("--echo") as server:
        few, many = (allocations(counter, count, server.url, *options) for count in (FEW, MANY))
    assert few > 1000, "the counter does not count"
    # A longer run adds rows per second to the results, and the sizes of reads vary.
    assert many - few < (MANY - FEW) / 50
