"""`wsx bench --scenario` against a service as users run it: logins, tokens, heartbeats, pushes, and faults.

`make bench` runs the same load with 1,000 users, and compares the latencies with the log of the service.
"""

import json

import pytest

from chat_service import HEARTBEAT, SCENARIO, STEP_NAMES, ChatService, written_users
from processes import wsx

USERS = 30
ITERATIONS = 300


def run(service, path, *arguments):
    users = written_users(path / "users.csv", USERS)
    result = wsx(
        "bench", "--scenario", SCENARIO, "--data", users, "--answer", HEARTBEAT, "-c", str(USERS), "--output", "json",
        *arguments, service.url, timeout=120)
    return result, json.loads(result.out)


def test_a_service_without_faults_passes(tmp_path):
    with ChatService() as service:
        result, results = run(service, tmp_path, "-n", str(ITERATIONS))
        log = service.log()
    assert (result.status, result.err) == (0, "")
    assert results["messages"]["sent"] == results["messages"]["received"] == ITERATIONS
    assert [step["name"] for step in results["steps"]] == STEP_NAMES
    assert all(step["sent"] == step["received"] for step in results["steps"])
    assert results["messages"]["pushes"] > 0
    assert (log["rejected"], log["missed_heartbeats"]) == (0, 0)


def test_each_injected_fault_is_reported_at_its_step(tmp_path):
    with ChatService(faults=40, late=2.5) as service:
        result, results = run(service, tmp_path, "-n", str(ITERATIONS))
        log = service.log()
    assert result.status == 7
    assert sum(count for replies in log["replies"].values() for kind, count in replies.items() if kind != "correct")
    for step in results["steps"]:
        replies = log["replies"][step["name"]]
        missing = replies.get("late", 0) + replies.get("lost", 0)
        expected = {
            "received": replies.get("correct", 0), "mismatched": replies.get("wrong", 0), "lost": missing,
            "timeout": missing}
        assert {name: step[name] for name in expected} == expected, step["name"]


@pytest.mark.parametrize("threads", ["1", "2"])
def test_heartbeats_are_answered_during_a_scenario(tmp_path, threads):
    with ChatService(delay=0.3, heartbeat=0.5) as service:
        result, _ = run(service, tmp_path, "-n", str(2 * USERS), "-t", threads)
        log = service.log()
    assert (result.status, log["missed_heartbeats"]) == (0, 0)
    assert log["answered_heartbeats"] >= USERS
