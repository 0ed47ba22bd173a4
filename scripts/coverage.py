#!/usr/bin/env python3
"""Runs the unit tests and prints the coverage of each folder. Run by `make coverage`.

The protocol folders require a coverage of at least 95 %. The script lists the uncovered lines of folders below that,
and of folders named as arguments.
"""

import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCRATCH = ROOT / ".build/coverage"
FOLDERS = [*(f"Sources/WSCore/{name}" for name in (
    "Bytes", "Protocol", "Handshake", "Proxy", "Deflate", "Reconnection", "Keepalive", "IO", "TLS", "Connection")),
    "Sources/CommandLine", "Sources/Conversation", "Sources/Formats", "Sources/LoadTest", "Sources/UserInterface",
    "Sources/Peer", "Sources/Connect", "Sources/Listen", "Sources/Bench", "Sources/Convert", "Sources/Check",
    "Sources/Conformance", "Sources/wsx"]
REQUIRED = {f"Sources/WSCore/{name}": 95 for name in (
    "Protocol", "Handshake", "Proxy", "Deflate", "Reconnection", "Keepalive")}


def exported():
    """Returns llvm-cov's results for each source file, exported by the package manager."""
    command = ["swift", "test", "--disable-index-store", "--enable-code-coverage", "--scratch-path", SCRATCH]
    tests = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if tests.returncode != 0:
        sys.exit(tests.stdout + "coverage: the tests fail")
    path = subprocess.run([*command, "--show-codecov-path"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(pathlib.Path(path.stdout.strip()).read_text())["data"][0]["files"]


def uncovered_lines(segments):
    """Returns the uncovered lines, from the regions that begin or end at each segment."""
    at_line = collections.defaultdict(list)
    for line, _, count, has_count, is_entry, is_gap in (segment[:6] for segment in segments):
        at_line[line].append((count if has_count else None, is_entry and not is_gap))
    lines = []
    count = None
    for line in range(min(at_line, default=0), max(at_line, default=0) + 1):
        counts = [count] + [entered for entered, is_entry in at_line[line] if is_entry]
        known = [value for value in counts if value is not None]
        if known and max(known) == 0:
            lines.append(line)
        if at_line[line]:
            count = at_line[line][-1][0]
    return lines


def main():
    listed = sys.argv[1:]
    files = exported()
    print("| folder | lines | covered | |\n| --- | --- | --- | --- |")
    failing = []
    for folder in FOLDERS:
        inside = [file for file in files if file["filename"].startswith(f"{ROOT}/{folder}/")]
        if not inside:
            continue
        lines = sum(file["summary"]["lines"]["count"] for file in inside)
        covered = sum(file["summary"]["lines"]["covered"] for file in inside)
        percent = 100 * covered / lines
        required = REQUIRED.get(folder)
        if required and percent < required:
            failing.append(folder)
        print(f"| {folder} | {lines} | {percent:.1f} % | {f'at least {required} %' if required else ''} |")
    for file in sorted(files, key=lambda file: file["filename"]):
        name = pathlib.Path(file["filename"]).relative_to(ROOT).as_posix()
        lines = uncovered_lines(file["segments"])
        if lines and any(name.startswith(f"{folder}/") for folder in failing + listed):
            print(f"{name}: not covered: {', '.join(map(str, lines))}")
    if failing:
        sys.exit(f"coverage: too few tests for {', '.join(failing)}")


main()
