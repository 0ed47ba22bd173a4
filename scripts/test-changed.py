#!/usr/bin/env python3
"""Runs the tests that a change is likely to break. Run by `make test-changed`.

The change is what differs from the last commit, or the last commit itself if nothing does. The script runs
- the unit tests of each target that depends on a changed module, according to Package.swift;
- the black-box tests in changed files, in those that import a changed file, and in those that mention an option that a
  line changed in a folder `Options` names;
- the smoke tests, given as arguments, if a file in Sources/ changed.

The black-box tests run a debug build, $WSX, because it is built in a third of the time.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INTEROP = ROOT / "Tests/Interop"


def git(*words):
    result = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit("make test-changed needs a clone made with git, which knows what has changed")
    return result.stdout


def unit_test_targets(paths):
    """The test targets that a change of these files affects."""
    package = json.loads(subprocess.run(
        ["swift", "package", "dump-package"], cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    targets = {target["name"]: target for target in package["targets"]}
    folders = {name: target.get("path") or f"{'Tests' if target['type'] == 'test' else 'Sources'}/{name}"
               for name, target in targets.items()}

    def is_affected(name):
        return any(path.startswith(folders[name] + "/") for path in paths) or any(
            is_affected(dependency["byName"][0]) for dependency in targets[name]["dependencies"])

    tests = [name for name, target in targets.items() if target["type"] == "test"]
    return tests if "Package.swift" in paths else [name for name in tests if is_affected(name)]


def interop_tests(paths, diff):
    """The files of black-box tests that a change affects."""
    words = [rf"\b{path.stem}\b" for path in map(pathlib.Path, paths) if (ROOT / path).parent == INTEROP]
    is_option = False
    for line in diff.splitlines():
        if line.startswith("+++ "):
            is_option = line.startswith("+++ b/Sources/") and "/Options/" in line
        elif is_option and line[:1] in "+-":
            words += [rf"--{name}\b(?!-)" for name in re.findall(r'"(?:--)?([a-z][a-z0-9-]+)"', line)]
    changed = {ROOT / path for path in paths}
    pattern = re.compile("|".join(words) or "(?!)")
    return sorted(path for path in INTEROP.glob("test_*.py") if path in changed or pattern.search(path.read_text()))


def main():
    commits = ["HEAD"]
    paths = git("diff", "--name-only", *commits).split() + git("ls-files", "--others", "--exclude-standard").split()
    if not paths:
        commits = ["HEAD~1", "HEAD"]
        paths = git("diff", "--name-only", *commits).split()
    targets = unit_test_targets(paths)
    tests = interop_tests(paths, git("diff", "--unified=0", *commits))
    if any(path.startswith("Sources/") for path in paths):
        tests = sorted({*tests, *(ROOT / path for path in sys.argv[1:])})
    commands = []
    if targets:
        commands.append(["make", "test-unit", rf"FILTER=^({'|'.join(targets)})\."])
    if tests:
        commands.append(["swift", "build", "--disable-index-store", "--product", "wsx"])
        files = " ".join(os.fspath(path.relative_to(ROOT)) for path in tests)
        commands.append(["make", "test-interop", f"FILES={files}"])
    if not commands:
        print("no test depends on this change")
    for command in commands:
        print(*command, flush=True)
        if status := subprocess.run(command, cwd=ROOT).returncode:
            return status
    return 0


sys.exit(main())
