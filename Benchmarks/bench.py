#!/usr/bin/env python3
"""Compares wsx with its peers and prints one table. Run by `make bench`, on an idle machine.

    bench.py [--rounds N] [--save FILE] [TOPIC...]

measures the given topics, or all except `scale`, which takes long, and `http2`, which compares wsx with itself: clients,
streams, tls, servers, relays, handshakes, compression, generators, conversations, scale, http2. `--save` also writes the rows as JSON, from which chart.py draws a chart.
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
from contests import (  # noqa: E402
    clients, compression, conversations, generators, handshakes, http2, relays, scale, servers, streams, tls)

TOPICS = {"clients": clients, "streams": streams, "tls": tls, "servers": servers, "relays": relays,
          "handshakes": handshakes, "compression": compression, "generators": generators,
          "conversations": conversations, "scale": scale, "http2": http2}
# Without arguments, these are measured.
DEFAULT_TOPICS = [topic for topic in TOPICS if topic not in ("scale", "http2")]
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
    topics = arguments.topics or DEFAULT_TOPICS
    rows = []
    for topic in topics:
        for contest in TOPICS[topic].contests():
            for row in measured(contest, arguments.rounds):
                rows.append(row)
                print(row.markdown(), flush=True)
    for topic in topics:
        for table in getattr(TOPICS[topic], "tables", tuple)():
            print("\n" + table, flush=True)
    if arguments.save:
        arguments.save.write_text(json.dumps(
            {"versions": versions, "rounds": arguments.rounds, "rows": [dataclasses.asdict(row) for row in rows]}, indent=1))
    print(f"\n{(time.monotonic() - begin) / 60:.1f} minutes", file=sys.stderr)


if __name__ == "__main__":
    main()
