#!/usr/bin/env python3
"""Draws a chart of a benchmark: the throughput of each program relative to wsx.

    chart.py ROWS.json CHART.svg

ROWS.json is written by `bench.py --save`. Each contest gets a group of bars, whose lengths are proportional to the median
ratio to wsx.
"""

import html
import json
import pathlib
import statistics
import sys

# The contests in the chart, by the beginning of their names, with their titles.
CONTESTS = {
    "server: messages of 20 bytes on 50 connections, one in flight": "Echo server, 50 connections, one message in flight",
    "server: messages of 20 bytes on 50 connections, 32 in flight": "Echo server, 50 connections, 32 messages in flight",
    "client: 1,000,000 lines echoed": "Client, a million lines echoed",
    "bench: verified echoes of 20 bytes on 50 connections, one in flight": "Load generator, one message in flight",
    "bench: iterations of a chat scenario": "Load generator, chat scenario",
}
WIDTH, LABEL_WIDTH, VALUE_WIDTH = 760, 190, 110
BAR_HEIGHT, BAR_STEP, GROUP_GAP, TITLE_HEIGHT = 14, 20, 18, 24

STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-weight: 600 }
.value { fill: #59636e }
.peer { fill: #afb8c1 }
.wsx { fill: #0969da }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc }
  .value { fill: #9198a1 }
  .peer { fill: #656c76 }
  .wsx { fill: #4493f8 }
}
"""


def bars(rows, beginning):
    """Returns (program, label, ratio to wsx) for a contest, the fastest first. The label of wsx is its median throughput.

    A median of ratios can differ from the ratio of the medians, so peers get only the ratio.
    """
    own = [row for row in rows if row["measurement"].startswith(beginning) and row["peer"]]
    own = [row for row in own if row["measurement"] == own[0]["measurement"]]
    if not own:
        return []
    ours = own[0]["ours"]
    programs = [("wsx", f"{ours:,.3g} {own[0]['unit']}" if ours < 1000 else f"{ours:,.0f} {own[0]['unit']}", 1.0)]
    for row in own:
        # The ratio of the table is wsx / peer.
        ratio = 1 / statistics.median(row["ratios"])
        programs.append((row["peer"], f"{ratio:.2g} ×" if ratio < 0.1 else f"{ratio:.2f} ×", ratio))
    return sorted(programs, key=lambda program: -program[2])


def drawn(rows):
    """Returns the chart as SVG."""
    groups = [(title, bars(rows, beginning)) for beginning, title in CONTESTS.items()]
    groups = [(title, group) for title, group in groups if group]
    parts, y = [], 0
    for title, group in groups:
        parts.append(f'<text class="title" x="0" y="{y + 15}">{html.escape(title)}</text>')
        y += TITLE_HEIGHT
        for name, value, ratio in group:
            width = max(2, (WIDTH - LABEL_WIDTH - VALUE_WIDTH) * ratio / group[0][2])
            kind = "wsx" if name == "wsx" else "peer"
            parts += [
                f'<text x="{LABEL_WIDTH - 8}" y="{y + 12}" text-anchor="end">{html.escape(name)}</text>',
                f'<rect class="{kind}" x="{LABEL_WIDTH}" y="{y}" width="{width:.1f}" height="{BAR_HEIGHT}" rx="2"/>',
                f'<text class="value" x="{LABEL_WIDTH + width + 6:.1f}" y="{y + 12}">{html.escape(value)}</text>',
            ]
            y += BAR_STEP
        y += GROUP_GAP
    body = "\n".join(parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}" height="{y}" role="img" '
            f'aria-label="Throughput of wsx and its peers">\n<style>{STYLE}</style>\n{body}\n</svg>\n')


if __name__ == "__main__":
    source, target = map(pathlib.Path, sys.argv[1:])
    target.write_text(drawn(json.loads(source.read_text())["rows"]))
