#!/usr/bin/env python3
"""Writes the figures of one run of `make bench` into the documents, so that all tables agree.

    tables.py ROWS.json    keeps the rows in docs/figures.json, and writes all tables. `make figures` runs it.
    tables.py --check      fails if a table differs from docs/figures.json. `make lint` runs it.

ROWS.json is written by `bench.py --save`. A table has no rows for peers that were not measured in that run.
"""

import json
import pathlib
import sys

from contest import TABLE_HEAD, Row, shown

ROOT = pathlib.Path(__file__).resolve().parents[1]
FIGURES = ROOT / "docs/figures.json"

# The rows of the short tables: what is shown, the contest and its figure, the peer, and whether README.md has the row.
MEMORY = "its peak resident memory"
PUBLISHED = [
    ("client: 1,000,000 short lines echoed", "client: 1,000,000 lines echoed", None, "websocat", True),
    ("client: peak memory for these lines", "client: 1,000,000 lines echoed", MEMORY, "websocat", True),
    ("client: 5,000 short lines echoed", "client: 5,000 lines echoed, sent after the connection is open", None, "wscat",
     True),
    ("client: TLS, messages of 64 KiB echoed", "TLS: messages of 64 KiB echoed", None, "websocat as the client", False),
    ("client: TLS, messages of 1 KiB echoed", "TLS: messages of 1 KiB echoed", None, "websocat as the client", False),
    *(("server: echoes on 50 connections, one in flight each",
       "server: messages of 20 bytes on 50 connections, one in flight", None, peer, peer == "websocat")
      for peer in ("uWebSockets", "websocat", "ws")),
    *(("server: echoes on 50 connections, 32 in flight each",
       "server: messages of 20 bytes on 50 connections, 32 in flight", None, peer, False)
      for peer in ("uWebSockets", "websocat")),
    ("server: memory of an idle connection", "server: each of 10,000 idle connections, resident memory", None,
     "uWebSockets", False),
    ("server: memory of an idle connection after a compressed message",
     "server: the same, after a compressed message in each direction", None, "ws", True),
    *(("load generator: verified echoes on 50 connections, one in flight each",
       "bench: verified echoes of 20 bytes on 50 connections, one in flight", None, peer, peer == "k6")
      for peer in ("k6", "bare epoll loop in C")),
    ("load generator: requests matched by their id, one in flight each",
     "bench: requests matched by their id on 50 connections, one in flight", None, "k6", False),
    ("load generator: iterations of a chat scenario", "bench: iterations of a chat scenario with five requests", None,
     "k6", False),
    ("startup (`--version`)", "startup: `--version`", None, "websocat", True),
]
SHORT_HEAD = "| measurement | wsx | other | wsx / other |\n| --- | --- | --- | --- |"
K6_ROW = "| iterations per second on one core |"


def keyed(rows):
    """Returns the rows by contest, figure, and peer. The first figure of a contest, which names it, is None."""
    result, contest = {}, None
    for row in rows:
        if ": " in row.measurement:
            contest = row.measurement
        figure = None if row.measurement == contest else row.measurement
        result[contest, figure, row.peer] = row
    return result


def short_table(rows, only_readme):
    lines = []
    for label, contest, figure, peer, is_in_readme in PUBLISHED:
        row = keyed(rows).get((contest, figure, peer))
        if row is not None and (is_in_readme or not only_readme):
            cells = row.markdown().split(" | ")
            lines.append(f"| {label} | {cells[1]} | {peer}: {cells[3]} | {cells[4]} |")
    return [*SHORT_HEAD.split("\n"), *lines]


def with_table(text, table):
    """Returns the text with a table in place of the one that has the same head."""
    lines = text.split("\n")
    begin = lines.index(table[0])
    end = next(index for index in range(begin, len(lines)) if not lines[index].startswith("|"))
    return "\n".join([*lines[:begin], *table, *lines[end:]])


def with_k6_row(text, rows):
    row = keyed(rows).get(("bench: iterations of a chat scenario with five requests", None, "k6"))
    if row is None:
        return text
    cells = f"{K6_ROW} {shown(row.ours)} {row.unit} | {shown(row.theirs)} {row.unit} |"
    return "\n".join(cells if line.startswith(K6_ROW) else line for line in text.split("\n"))


def documents(rows):
    """Yields each document with figures, and its text with those of the rows."""
    all_rows = [*TABLE_HEAD.split("\n"), *(row.markdown() for row in rows)]
    for name, write in [
        ("README.md", lambda text: with_table(text, short_table(rows, only_readme=True))),
        ("docs/comparison.md", lambda text: with_k6_row(with_table(text, short_table(rows, only_readme=False)), rows)),
        ("docs/PERFORMANCE.md", lambda text: with_table(text, all_rows)),
    ]:
        path = ROOT / name
        yield path, write(path.read_text())


def rows_of(path):
    return [Row(**row) for row in json.loads(path.read_text())["rows"]]


def main(argument):
    if argument == "--check":
        names = [str(path.relative_to(ROOT)) for path, text in documents(rows_of(FIGURES)) if path.read_text() != text]
        remedy = "figures differ from docs/figures.json; run Benchmarks/tables.py docs/figures.json"
        return f"{', '.join(names)}: {remedy}" if names else None
    source = pathlib.Path(argument)
    rows = rows_of(source)
    for path, text in documents(rows):
        path.write_text(text)
    if source.resolve() != FIGURES:
        FIGURES.write_text(source.read_text())
    return None


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
