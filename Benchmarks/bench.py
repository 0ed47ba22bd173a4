#!/usr/bin/env python3
"""Compares wsx with its peers and prints one table. Run by `make bench`, on an idle machine.

    bench.py [--rounds N] [--save FILE] [TOPIC...]

measures all topics, or the given ones: clients, streams, tls, servers, generators, conversations. `--save` also writes
the rows as JSON, from which chart.py draws a chart.
"""

import argparse
import dataclasses
import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import machine  # noqa: E402
from contest import TABLE_HEAD, measured  # noqa: E402
from contests import clients, conversations, generators, servers, streams, tls  # noqa: E402

TOPICS = {"clients": clients, "streams": streams, "tls": tls, "servers": servers, "generators": generators,
          "conversations": conversations}
ROUNDS = 5


def main():
    parser = argparse.ArgumentParser(description="Compares wsx with its peers.")
    parser.add_argument("topics", nargs="*", metavar="TOPIC", help=", ".join(TOPICS))
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="N", help=f"rounds per contest (default: {ROUNDS})")
    parser.add_argument("--save", type=pathlib.Path, metavar="FILE", help="write the rows as JSON")
    arguments = parser.parse_args()
    unknown = set(arguments.topics) - set(TOPICS)
    if unknown:
        parser.error(f"unknown topic '{unknown.pop()}': expected {', '.join(TOPICS)}")
    for program in (machine.WSX, machine.WEBSOCAT):
        if not program.exists():
            sys.exit(f"bench: {program} is missing; run it as `make bench`")
    machine.build()
    begin = time.monotonic()
    versions = machine.versions()
    print(f"{versions}; medians of {arguments.rounds} rounds; binary {machine.WSX.stat().st_size / 1e6:.1f} MB\n")
    print(TABLE_HEAD)
    topics = arguments.topics or list(TOPICS)
    rows = []
    for topic in topics:
        for contest in TOPICS[topic].contests():
            for row in measured(contest, arguments.rounds):
                rows.append(row)
                print(row.markdown(), flush=True)
    if "conversations" in topics:
        print("\n" + conversations.chat_table(conversations.written_users()))
    if arguments.save:
        arguments.save.write_text(json.dumps(
            {"versions": versions, "rounds": arguments.rounds, "rows": [dataclasses.asdict(row) for row in rows]}, indent=1))
    print(f"\n{(time.monotonic() - begin) / 60:.1f} minutes", file=sys.stderr)


if __name__ == "__main__":
    main()
