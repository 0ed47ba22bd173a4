"""Prints the figures that the PyPI package hdrhistogram reads from an encoded histogram or a log, as JSON."""

import json
import sys

from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

HOUR = 3_600_000_000_000
PERCENTILES = {"p50": 50, "p75": 75, "p90": 90, "p95": 95, "p99": 99, "p999": 99.9, "p9999": 99.99, "p99999": 99.999}


def statistics(histogram):
    values = {name: histogram.get_value_at_percentile(percentile) for name, percentile in PERCENTILES.items()}
    return {
        "count": histogram.get_total_count(), "min": histogram.get_min_value(), "max": histogram.get_max_value(),
        "mean": histogram.get_mean_value(), "stddev": histogram.get_stddev(), **values,
    }


def log_of(path):
    reader = HistogramLogReader(path, HdrHistogram(1, HOUR, 3))
    while (histogram := reader.get_next_interval_histogram()) is not None:
        yield histogram


if sys.argv[1] == "--log":
    intervals = [*log_of(sys.argv[2])]
    total = HdrHistogram(1, HOUR, 3)
    for interval in intervals:
        total.add(interval)
    print(json.dumps({"intervals": [statistics(interval) for interval in intervals], "total": statistics(total)}))
else:
    print(json.dumps(statistics(HdrHistogram.decode(sys.stdin.read().strip()))))
