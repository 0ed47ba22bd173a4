"""Distributed load as described in docs/DISTRIBUTED.md, with sshd on simulated hosts."""

import datetime
import json
import re

import pytest
import yaml

from hosts import Hosts, why_there_are_none
from processes import BINARY, ROOT, Running, run, wait_until, wsx

DOCUMENT = (ROOT / "docs/DISTRIBUTED.md").read_text()
MANIFEST = ROOT / "docs/kubernetes/bench.yaml"
DURATION_S = 2
NAMES = "east", "west"
# A name without an address.
NOBODY = "nowhere.invalid"
# The URL contains characters that are special to the shell.
URL = f"ws://{Hosts.address}:8080/?a=1&b=$c"


@pytest.fixture(scope="module")
def hosts(tmp_path_factory):
    if why := why_there_are_none():
        pytest.skip(why)
    with Hosts(tmp_path_factory.mktemp("hosts"), *NAMES) as hosts:
        yield hosts


@pytest.fixture
def server(hosts, tmp_path):
    """An echo server that the hosts can reach."""
    with Running(hosts.inside(tmp_path, BINARY, "listen", "--echo", f"{hosts.address}:8080")) as server:
        server.wait_for("Listening on")
        yield server


def recipe(duration_s=DURATION_S, lead_s=1):
    """Returns the document's script for parallel, with the test's address and numbers."""
    script = re.search(r"^## With GNU parallel.*?^```bash\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL).group(1)
    replacements = {
        "url=ws://server.example/socket": f"url='{URL}'", "10 seconds": f"{lead_s} seconds", "-c 500": "-c 5",
        "-d 30s": f"-d {duration_s}s"}
    for old, new in replacements.items():
        assert old in script
        script = script.replace(old, new)
    return script


def time_of(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def test_all_machines_start_together_and_their_results_are_merged(hosts, server, tmp_path):
    (tmp_path / "machines").write_text("".join(f"{name}\n" for name in NAMES))
    # A busy machine needs longer to get ready.
    for lead_s in (5, 10, 30):
        script = recipe(lead_s=lead_s) + 'echo "$start" > start\n'
        result = run(hosts.inside(tmp_path, "bash", "-euc", script), env=hosts.environment, timeout=120)
        if "starting late" not in result.err:
            break
    assert (result.status, result.err) == (0, ""), result
    assert b"10 connections" in result.out, "the table does not show the sum"

    shards = [json.loads(line) for line in (tmp_path / "shards.json").read_text().splitlines()]
    assert [shard["connections"] for shard in shards] == [5, 5]
    assert {shard["url"] for shard in shards} == {URL}
    server.wait_for(r"connected from 10\.66\.1\.2:")
    server.wait_for(r"connected from 10\.66\.2\.2:")

    # No host starts early, and their runs overlap.
    starts = [time_of(shard["start_time"]) for shard in shards]
    assert min(starts) >= time_of((tmp_path / "start").read_text().strip())
    assert max(starts) - min(starts) < datetime.timedelta(seconds=DURATION_S)

    total = json.loads(wsx("bench", "merge", "--output", "json", tmp_path / "shards.json").out)
    assert total["connections"] == 10
    for name in ("sent", "received", "lost"):
        assert total["messages"][name] == sum(shard["messages"][name] for shard in shards)
    assert total["latency_us"]["max"] == max(shard["latency_us"]["max"] for shard in shards)
    assert total["latency_us"]["min"] == min(shard["latency_us"]["min"] for shard in shards)


def test_an_unreachable_machine_is_reported_and_nothing_is_merged(hosts, server, tmp_path):
    (tmp_path / "machines").write_text(f"{NAMES[0]}\n{NOBODY}\n")
    result = run(hosts.inside(tmp_path, "bash", "-uc", recipe()), env=hosts.environment, timeout=120)
    assert (result.status, result.out) == (1, b""), result
    assert NOBODY in result.err
    shards = [json.loads(line) for line in (tmp_path / "shards.json").read_text().splitlines()]
    assert len(shards) == 1, "the results of the other machine are missing"


def test_an_interrupt_ends_the_load_on_all_machines(hosts, server, tmp_path):
    (tmp_path / "machines").write_text("".join(f"{name}\n" for name in NAMES))
    command = hosts.inside(tmp_path, "bash", "-uc", recipe(duration_s=1000))
    # The script runs as a shell job, so the signal reaches all of its processes.
    with Running(command, env=hosts.environment, start_new_session=True) as job:
        wait_until(lambda: server.err.count(" connected from ") == 10 or job.process.poll() is not None, 60)
        assert job.process.poll() is None, job.err
        run(["kill", "-INT", "--", f"-{job.pid}"])
        assert job.wait() != 0
        wait_until(lambda: server.err.count(" disconnected: ") == 10, 60)


def test_the_command_of_the_container_is_valid(tmp_path):
    job = yaml.safe_load(MANIFEST.read_text())["spec"]
    assert job["completionMode"] == "Indexed"
    assert job["completions"] == job["parallelism"]
    [container] = job["template"]["spec"]["containers"]
    names = [variable["name"] for variable in container["env"]]
    values = dict(zip(names, ["echo:", "+0s"], strict=True))
    assert names == ["URL", "START"]
    # Expand variables as Kubernetes does.
    words = [re.sub(r"\$\((\w+)\)", lambda match: values[match.group(1)], word)
             for word in [*container["command"], *container["args"]]]
    assert words[0] == "wsx"
    words[words.index("30s")] = "200ms"
    words[words.index("500")] = "5"
    result = wsx(*words[1:])
    assert (result.status, result.err) == (0, "")
    assert json.loads(result.out)["connections"] == 5
