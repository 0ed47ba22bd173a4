"""Requests and scenarios, compared with echoes and with k6 scripts that do the same."""

import collections
import json
import statistics
import subprocess

import chat_service
from contest import Contest, Figure
from contests.generators import bench_rate, bench_results, k6_echo_rate, k6_rate
from contests.servers import CONNECTION_COUNT
from machine import CLIENT_CORE, SCRATCH, WSX, Listener, pinned

# The users of the chat service, and the seconds from a request to its reply. The service is written in Python, so it
# gets fewer requests than it could answer.
USER_COUNT = 1000
DELAY_S = 0.25
ITERATION_COUNT = 5000
RATE = 100
CONNECT_RATE = 200
FAULTS = 10

# Answers the requests of the chat scenario like the chat service, but as fast as wsx can.
ANSWER = r'^\{"id":(\d+),"op":"(\w+)" => {"id":$1,"ok":true,"op":"$2","type":"welcome","session":"s1"}'


def chat_rate(generator):
    """Returns the chat iterations per second that a generator reaches."""
    with Listener("--answer", ANSWER, stdout=subprocess.DEVNULL) as server:
        return generator(server.url)


def chat_table(users):
    """Returns what `wsx bench` reports about a chat service with faults, next to the log of the service, as Markdown."""
    settings = {"delay": DELAY_S, "faults": FAULTS, "late": 2.5, "heartbeat": 2}
    with chat_service.ChatService(**settings) as service:
        command = [
            WSX, "bench", service.url, "--scenario", chat_service.SCENARIO, "--data", users, "--answer",
            chat_service.HEARTBEAT, "-c", USER_COUNT, "--connect-rate", CONNECT_RATE, "-n", ITERATION_COUNT, "-r", RATE,
            "--output", "json"]
        process = subprocess.run(pinned(CLIENT_CORE, command), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        log = service.log()
    results = json.loads(process.stdout)
    lines = [
        f"{USER_COUNT:,} users of a chat service, {results['messages']['pushes']:,} pushes in between:",
        "",
        "| step | passed | wrong | late or lost | p50 | p50 of the service | ratio |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for step in results["steps"]:
        replies = collections.Counter(log["replies"][step["name"]])
        ours = (step["received"], step["mismatched"], step["lost"])
        theirs = (replies["correct"], replies["wrong"], replies["late"] + replies["lost"])
        counts = " | ".join(f"{a:,}" if a == b else f"{a:,} (service: {b:,})" for a, b in zip(ours, theirs))
        latency = step["latency_us"]["p50"] / 1e3
        service_latency = statistics.median(log["seconds"][step["name"]]) * 1e3
        lines.append(f"| {step['name']} | {counts} | {latency:.2f} ms | {service_latency:.2f} ms "
                     f"| {latency / service_latency:.4f} |")
    return "\n".join(lines)


def written_users():
    return chat_service.written_users(SCRATCH / "users.csv", USER_COUNT)


def contests():
    request = ["-m", '{"id":{{seq}},"op":"list"}', "--mode", "request", "--correlate", "id"]
    yield Contest(
        (Figure(f"bench: requests matched by their id on {CONNECTION_COUNT} connections, one in flight", "k/s", 1e3),),
        {"wsx": lambda: bench_rate(*request), "echo mode": bench_rate, "k6": lambda: k6_echo_rate("request_k6.js")})
    users = written_users()
    scenario = ["--scenario", chat_service.SCENARIO, "--data", users]
    yield Contest(
        (Figure("bench: iterations of a chat scenario with five requests", "k/s", 1e3),),
        {"wsx": lambda: chat_rate(lambda url: bench_results(url, *scenario)["rate_per_second"]),
         "k6": lambda: chat_rate(lambda url: k6_rate("chat_k6.js", url, USERS=users))})


def tables():
    yield chat_table(written_users())
