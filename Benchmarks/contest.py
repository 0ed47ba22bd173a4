"""Compares programs that do the same, in rounds. Every result is a ratio.

The speed of a machine drifts, so an absolute figure alone means little. In each round, every program runs once, and the
order alternates. The ratio to a peer is the median of the ratios of the rounds; the spread is their range.
"""

import dataclasses
import statistics
from typing import Callable


@dataclasses.dataclass(frozen=True)
class Figure:
    """A measured quantity. `scale` converts it to the unit of the table."""

    name: str
    unit: str
    scale: float = 1


@dataclasses.dataclass(frozen=True)
class Contest:
    """Programs that do the same. The first one is wsx.

    `programs` maps the name of each program to a function that runs it and returns the figures: a number, or a tuple with
    one number per figure. `rounds` limits the number of rounds, for figures that hardly vary.
    """

    figures: tuple[Figure, ...]
    programs: dict[str, Callable]
    rounds: int | None = None


@dataclasses.dataclass(frozen=True)
class Row:
    """A row of the table. Without a peer, `theirs` is None and `ratios` is empty."""

    measurement: str
    unit: str
    ours: float
    peer: str | None
    theirs: float | None
    ratios: list[float]

    def markdown(self):
        ours = f"{shown(self.ours)} {self.unit}"
        if self.peer is None:
            return f"| {self.measurement} | {ours} | | | | |"
        ratio, low, high = (
            shown(function(self.ratios)) for function in (statistics.median, min, max))
        return (f"| {self.measurement} | {ours} | {self.peer} | {shown(self.theirs)} {self.unit} | {ratio} "
                f"| {low}–{high} |")


TABLE_HEAD = "| measurement | wsx | peer | | wsx / peer | spread |\n| --- | --- | --- | --- | --- | --- |"


def shown(number):
    """Returns a number with three significant digits, without an exponent."""
    return f"{float(f'{number:.3g}'):,.10g}"


def measured(contest, rounds):
    """Runs a contest and returns its rows, in the order of the figures and peers."""
    figures, results = contest.figures, {name: [] for name in contest.programs}
    names = list(contest.programs)
    for round_number in range(min(rounds, contest.rounds or rounds)):
        for name in names if round_number % 2 == 0 else reversed(names):
            values = contest.programs[name]()
            values = values if isinstance(values, tuple) else (values,)
            assert len(values) == len(figures), (name, values)
            results[name].append([value / figure.scale for value, figure in zip(values, figures)])
    rows = []
    for index, figure in enumerate(figures):
        columns = {name: [values[index] for values in results[name]] for name in names}
        ours = columns[names[0]]
        rows += [
            Row(figure.name, figure.unit, statistics.median(ours), peer, statistics.median(columns[peer]),
                [a / b for a, b in zip(ours, columns[peer])])
            for peer in names[1:]
        ] or [Row(figure.name, figure.unit, statistics.median(ours), None, None, [])]
    return rows
