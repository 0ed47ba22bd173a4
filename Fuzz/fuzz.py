#!/usr/bin/env python3
"""Builds the fuzz targets, runs them, and prints the results. Run by `make fuzz`.

A run starts with the seeds, the regressions, and the corpus of earlier runs in .build/fuzz/corpus, so every past
finding is tried again. With `--seconds 0`, only these known inputs run. With `--fixed`, a run tries the seeds, the
regressions, and a few thousand inputs derived from them, the same on every machine.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCRATCH = ROOT / ".build/fuzz"
# The number of inputs of a fixed run, including the seeds.
FIXED_RUNS = 3000
BINARY = SCRATCH / "release/Fuzz"
# Optimized builds run twice as fast, and users run them too.
BUILD = [
    "swift", "build", "-c", "release", "--product", "Fuzz", "--scratch-path", SCRATCH,
    # With this option, the package manager leaves main to libFuzzer. It passes on a single sanitizer only, so both are
    # also named to the compiler.
    "--sanitize", "fuzzer", "-Xswiftc", "-sanitize=fuzzer,address", "-Xswiftc", "-enable-testing",
    "-Xswiftc", "-use-ld=lld",
]
ENVIRONMENT = {
    **os.environ,
    "WSX_FUZZ": "1",
    "SWIFT_BACKTRACE": "enable=no",
    "LSAN_OPTIONS": f"suppressions={ROOT / 'Tests/leaks.supp'}:print_suppressions=0",
}
TIMEOUT_S = 10
MEMORY_LIMIT_MIB = 4096
# Longer inputs take more time and reveal nothing more, since the properties also hold for small sizes.
INPUT_LIMIT_BYTES = 1000


def build():
    result = subprocess.run(
        list(map(str, BUILD)), cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        sys.exit(result.stdout + "fuzz: the targets do not build")


def target_names():
    environment = {name: value for name, value in ENVIRONMENT.items() if name != "FUZZ_TARGET"}
    listing = subprocess.run([BINARY], env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return listing.stdout.split()


class Run:
    """One run of a target."""

    def __init__(self, target, seconds, is_fixed):
        self.target = target
        # libFuzzer keeps new inputs in the first folder. A fixed run begins with an empty one.
        corpus = SCRATCH / ("fixed" if is_fixed else "corpus") / target
        if is_fixed:
            shutil.rmtree(corpus, ignore_errors=True)
        corpus.mkdir(parents=True, exist_ok=True)
        folders = [corpus, ROOT / "Fuzz/Seeds" / target, ROOT / "Fuzz/Regressions" / target]
        if is_fixed:
            limits = ["-seed=1", f"-runs={FIXED_RUNS}"]
        else:
            limits = [f"-max_total_time={seconds}" if seconds > 0 else "-runs=0"]
        findings = SCRATCH / "findings"
        findings.mkdir(exist_ok=True)
        command = [
            BINARY, *filter(pathlib.Path.exists, folders), f"-artifact_prefix={findings / target}-",
            f"-timeout={TIMEOUT_S}", f"-rss_limit_mb={MEMORY_LIMIT_MIB}", f"-max_len={INPUT_LIMIT_BYTES}",
            "-print_final_stats=1", *limits,
        ]
        process = subprocess.run(
            command, env={**ENVIRONMENT, "FUZZ_TARGET": target}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE)
        self.log = process.stderr.decode(errors="replace")
        self.failed = process.returncode != 0
        self.executions = self.last_number(r"stat::number_of_executed_units: +(\d+)")
        self.executions_per_second = self.last_number(r"stat::average_exec_per_sec: +(\d+)")
        self.edges = self.last_number(r"\bcov: (\d+)")
        self.corpus = self.last_number(r"\bcorp: (\d+)")

    def last_number(self, pattern):
        found = re.findall(pattern, self.log)
        return int(found[-1]) if found else 0

    @property
    def row(self):
        return (
            f"| {self.target} | {self.executions:,} | {self.executions_per_second:,} | {self.edges:,} | {self.corpus:,} "
            f"| {'1, see above' if self.failed else 'none'} |")

    def report(self):
        """Prints the finding, the path of its input, and the command that reproduces it."""
        if not self.failed:
            return
        print(f"\n{self.target}: a finding")
        lines = self.log.splitlines()
        start = next((index for index, line in enumerate(lines) if re.search(r"Fatal error|ERROR:", line)), -30)
        print("\n".join(lines[start:][:40]))
        path = re.search(r"Test unit written to (\S+)", self.log)
        if path:
            print(f"Its input is {path.group(1)}; try it again with\n"
                  f"    FUZZ_TARGET={self.target} {BINARY} {path.group(1)}\n"
                  f"and keep it in Fuzz/Regressions/{self.target}/ with the fix.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60, help="how long each target runs; 0 tries known inputs only")
    parser.add_argument("--fixed", action="store_true", help="try the same inputs on every machine, instead of new ones")
    parser.add_argument("--target", help="the only target to run")
    arguments = parser.parse_args()
    build()
    targets = target_names()
    if arguments.target and arguments.target not in targets:
        sys.exit(f"fuzz: there is no target '{arguments.target}'; there are {', '.join(targets)}")
    if arguments.target:
        targets = [arguments.target]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        runs = list(pool.map(lambda target: Run(target, arguments.seconds, arguments.fixed), targets))
    for run in runs:
        run.report()
    print("\n| target | executions | a second | edges covered | inputs in its corpus | findings |")
    print("| --- | --- | --- | --- | --- | --- |")
    for run in runs:
        print(run.row)
    sys.exit(any(run.failed for run in runs))


main()
