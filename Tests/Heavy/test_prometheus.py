"""`wsx bench --metrics`, scraped by Prometheus.

Tests/Interop/test_bench_live.py reads the same metrics with a parser of the format.
"""

import bisect
import json
import subprocess
import urllib.parse
import urllib.request

from processes import BINARY, Listener, Running, wait_until
from services import free_ports

CONFIGURATION = """\
global: {scrape_interval: 1s}
scrape_configs:
  - job_name: wsx
    static_configs: [{targets: ["127.0.0.1:%d"]}]
"""


class Prometheus(Running):
    def __init__(self, directory, target_port):
        (directory / "prometheus.yml").write_text(CONFIGURATION % target_port)
        (self.port,) = free_ports(1)
        super().__init__([
            "prometheus", f"--config.file={directory}/prometheus.yml", f"--storage.tsdb.path={directory}/data",
            f"--web.listen-address=127.0.0.1:{self.port}"])
        self.wait_for("Server is ready to receive web requests")

    def query(self, expression):
        """Returns the labels and values that an expression has now."""
        query = urllib.parse.urlencode({"query": expression})
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/query?{query}") as response:
            answer = json.load(response)
        assert answer["status"] == "success", answer
        return [(sample["metric"], float(sample["value"][1])) for sample in answer["data"]["result"]]

    def value(self, expression):
        """Returns the only value of an expression, or `None` if there is none yet."""
        values = self.query(expression)
        return values[0][1] if values else None


def test_percentiles_in_prometheus_match_the_results_within_a_bucket(tmp_path):
    (port,) = free_ports(1)
    with Listener("--echo", "--delay", "5ms") as server, Prometheus(tmp_path, port) as prometheus:
        bench = subprocess.Popen(
            [BINARY, "bench", "-c", "20", "-d", "12s", "--metrics", f"127.0.0.1:{port}", "--output", "json", server.url],
            stdout=subprocess.PIPE)
        wait_until(lambda: prometheus.value("sum(up{job='wsx'})") == 1, what="a scrape")
        results = json.loads(bench.communicate(timeout=60)[0])
        assert bench.returncode == 0
        last = "last_over_time(wsx_latency_seconds_bucket[1m])"
        limits = sorted(float(labels["le"]) for labels, _ in prometheus.query(last))
        for name, quantile in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99)):
            theirs = prometheus.value(f"histogram_quantile({quantile}, {last})")
            ours = results["latency_us"][name] / 1e6
            # A value at the limit of two buckets may be in either of them.
            distance = bisect.bisect_left(limits, theirs) - bisect.bisect_left(limits, ours)
            assert abs(distance) <= 1, (name, ours, theirs)
        received = prometheus.value("last_over_time(wsx_messages_total{outcome='received'}[1m])")
        assert 0 < received <= results["messages"]["received"]
        assert prometheus.value("last_over_time(wsx_connections[1m])") == 20
