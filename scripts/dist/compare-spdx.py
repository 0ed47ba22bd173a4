#!/usr/bin/env python3
"""Compares the versions of the libraries in two SPDX documents of spdx.py, and prints a Markdown table of differences.

    scripts/dist/compare-spdx.py PUBLISHED.spdx.json REBUILT.spdx.json
"""

import json
import pathlib
import sys


def versions(path):
    """The libraries with their versions: Debian's, which count each fix, or else the upstream ones."""
    _, *libraries = json.loads(pathlib.Path(path).read_text())["packages"]
    return {
        library["name"]: f"{library['versionInfo']} ({library['sourceInfo'].split(',')[0]})" for library in libraries}


def main():
    published, rebuilt = map(versions, sys.argv[1:])
    rows = [
        f"| {name} | {published.get(name, '–')} | {rebuilt.get(name, '–')} |"
        for name in sorted(published.keys() | rebuilt.keys()) if published.get(name) != rebuilt.get(name)]
    if rows:
        print("| library | published | rebuilt |", "| --- | --- | --- |", *rows, sep="\n")


if __name__ == "__main__":
    main()
