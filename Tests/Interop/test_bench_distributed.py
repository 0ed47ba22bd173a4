"""Distributed load as described in docs/DISTRIBUTED.md, with sshd on simulated hosts."""

import datetime
import json
import os
import re
import shlex
import sys

import pytest
import yaml

from hosts import Hosts, why_there_are_none
from processes import BINARY, ROOT, Running, environment, run, wait_until, wsx

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


def script_of(heading):
    return re.search(rf"^## {heading}.*?^```bash\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL).group(1)


def replaced(script, replacements):
    for old, new in replacements.items():
        assert old in script
        script = script.replace(old, new)
    return script


def recipe(duration_s=DURATION_S, lead_s=1):
    """Returns the document's script for parallel, with the test's address and numbers."""
    return replaced(script_of("With GNU parallel"), {
        "url=ws://server.example/socket": f"url='{URL}'", "10 seconds": f"{lead_s} seconds", "-c 500": "-c 5",
        "-d 30s": f"-d {duration_s}s", "p99<20ms": "p99<1h"})


def shards_in(directory):
    """The results of each machine by the names of the files, without those of lost machines."""
    return {path.stem: json.loads(path.read_bytes()) for path in sorted((directory / "shards").iterdir())
            if path.stat().st_size}


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
    assert (result.status, result.err) == (0, "wsx: the report is in load.html\n"), result
    assert b"10 connections" in result.out, "the table does not show the sum"
    assert result.lines[0] == "passed" and "<title>" in (tmp_path / "load.html").read_text()

    assert list(shards_in(tmp_path)) == list(NAMES)
    shards = list(shards_in(tmp_path).values())
    assert [shard["connections"] for shard in shards] == [5, 5]
    assert {shard["url"] for shard in shards} == {URL}
    server.wait_for(r"connected from 10\.66\.1\.2:")
    server.wait_for(r"connected from 10\.66\.2\.2:")

    # No host starts early, and their runs overlap.
    starts = [time_of(shard["start_time"]) for shard in shards]
    assert min(starts) >= time_of((tmp_path / "start").read_text().strip())
    assert max(starts) - min(starts) < datetime.timedelta(seconds=DURATION_S)

    total = json.loads(wsx("bench", "merge", "--output", "json", *(tmp_path / "shards").iterdir()).out)
    assert total["connections"] == 10
    for name in ("sent", "received", "lost"):
        assert total["messages"][name] == sum(shard["messages"][name] for shard in shards)
    assert total["latency_us"]["max"] == max(shard["latency_us"]["max"] for shard in shards)
    assert total["latency_us"]["min"] == min(shard["latency_us"]["min"] for shard in shards)


def test_an_unreachable_machine_is_named_by_the_verdict(hosts, server, tmp_path):
    (tmp_path / "machines").write_text(f"{NAMES[0]}\n{NOBODY}\n")
    result = run(hosts.inside(tmp_path, "bash", "-uc", recipe()), env=hosts.environment, timeout=120)
    assert result.status == 7, result
    reason = f"1 of 2 results is missing: shards/{NOBODY}.json (empty)"
    assert result.lines[0].startswith("failed: 1 of 2 results is missing:") and f"wsx: {reason}\n" in result.err
    assert list(shards_in(tmp_path)) == [NAMES[0]], "the results of the other machine are missing"
    assert reason in (tmp_path / "load.html").read_text()


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


# Runs a job as local processes, whose output is in files. The pod with index 2 is lost, and the one with index 3 is
# killed while it writes its results.
KUBECTL = r"""
import os, pathlib, re, subprocess, sys, yaml

command, *arguments = sys.argv[1:]
logs = pathlib.Path("logs")
if command == "set":
    assert arguments[:4] == ["env", "--local", "--filename", "docs/kubernetes/bench.yaml"]
    job = yaml.safe_load(open("bench.yaml"))
    values = dict(argument.split("=", 1) for argument in arguments if re.match(r"[A-Z]+=", argument))
    for variable in job["spec"]["template"]["spec"]["containers"][0]["env"]:
        variable["value"] = values[variable["name"]]
    print(yaml.safe_dump(job))
elif command == "create":
    job = yaml.safe_load(sys.stdin)["spec"]
    [container] = job["template"]["spec"]["containers"]
    values = {variable["name"]: variable["value"] for variable in container["env"]}
    words = [re.sub(r"\$\((\w+)\)", lambda match: values[match.group(1)], word)
             for word in [*container["command"], *container["args"]]]
    words[words.index("30s")], words[words.index("500")] = "200ms", "5"
    logs.mkdir()
    for index in range(job["completions"]):
        output = b"wsx: warning: a notice\n" + subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout
        if index != 2:
            (logs / str(index)).write_bytes(output[:-100] if index == 3 else output)
elif command == "wait":
    # One of the conditions is never reached.
    if "--for=condition=complete" in arguments:
        os.execvp("sleep", ["sleep", "1000"])
elif command == "logs":
    label, = [argument for argument in arguments if argument.startswith("--selector=")]
    path = logs / re.search(r"job-completion-index=(\d)$", label).group(1)
    print(path.read_text() if path.exists() else "", end="")
else:
    assert [command, *arguments] == ["delete", "job", "wsx-bench"]
"""


def test_lost_pods_are_named_by_the_verdict(tmp_path):
    (tmp_path / "kubectl").write_text(f"#!{sys.executable}\n{KUBECTL}")
    (tmp_path / "kubectl").chmod(0o755)
    (tmp_path / "wsx").symlink_to(BINARY)
    (tmp_path / "bench.yaml").write_text(MANIFEST.read_text())
    script = replaced(script_of("With Kubernetes"), {
        "ws://server.example/socket": "echo:", 'START="$start"': "START=+0s", "p99<20ms": "p99<1h"})
    script = f"cd {shlex.quote(str(tmp_path))}\n{script.replace('wait -n', 'wait -n; kill %1')}"
    script = script.replace("kubectl delete", "echo status $?\nkubectl delete")
    result = run(["bash", "-c", script], env=environment(PATH=f"{tmp_path}:{os.environ['PATH']}"), timeout=120)
    reason = "2 of 4 results are missing: shards/2.json (empty), shards/3.json (cut off)"
    assert result.status == 0 and result.lines[0].startswith("failed: 2 of 4 results are missing: shards/2.json"), result
    assert result.lines[-1] == "status 7" and f"wsx: {reason}\n" in result.err
    assert b"10 connections" in result.out and reason in (tmp_path / "load.html").read_text()


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
