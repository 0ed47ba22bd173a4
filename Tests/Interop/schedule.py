"""The order in which parallel processes run the tests: those that were slow in the last run first.

pytest-xdist gives each process an equal part of the list, in order. A process without work takes the second half of what
the longest part has left (`--dist worksteal`). So each part begins with its share of the slow tests. The rest keeps the
order of the files, because a process that stays in a file keeps the file's servers.
"""

import json
import pathlib

RECORD = pathlib.Path(__file__).resolve().parents[2] / ".build/interop-durations.json"
SLOW_S = 0.5


def recorded():
    """Returns the seconds that each test took in its last run, by id."""
    try:
        return json.loads(RECORD.read_text())
    except (OSError, ValueError):
        return {}


def record(durations):
    """Adds the durations of a run to the record."""
    if RECORD.parent.is_dir():
        text = json.dumps({**recorded(), **durations}, indent=0, sort_keys=True)
        # In one step, because another run may read it.
        temporary = RECORD.with_suffix(".new")
        temporary.write_text(text)
        temporary.replace(RECORD)


def ordered(items, seconds, process_count):
    """Returns the items in the order for a number of processes. `seconds` maps an item to its duration."""
    slow = sorted((item for item in items if seconds(item) >= SLOW_S), key=seconds, reverse=True)
    chosen = set(map(id, slow))
    others = [item for item in items if id(item) not in chosen]
    result = []
    for process in range(process_count):
        count = (len(items) - len(result)) // (process_count - process)
        share = slow[process::process_count]
        # Only the last part takes more slow tests than its size, if there are hardly any others.
        filler = others[:max(0, count - len(share))]
        del others[:len(filler)]
        result += share + filler
    return result + others
