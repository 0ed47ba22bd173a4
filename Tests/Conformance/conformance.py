#!/usr/bin/env python3
"""Runs the Autobahn TestSuite against wsx in both roles, over ws. Run by `make conformance`.

The suite's fuzzing server tests AutobahnClient, which connects like `wsx connect` and echoes. Its fuzzing client tests
`wsx listen --echo`, directly and behind `wsx relay`. In the roles of HTTP/2, HAProxy translates, because the suite speaks
only HTTP/1.1. Only OK and INFORMATIONAL pass; behind the relay, also NON-STRICT: it ends a client that violates the
protocol before the server's reply to an earlier message can return. The reports are in .build/conformance.

    CASES='1.* 5.*'  the cases to run (default: all)
    EXCLUDE='9.*'    the cases to skip (default: none)
    ROLE=client      or server, relay, http2-client, http2-server, or all, which run in parallel (default: all)
"""

import contextlib
import fnmatch
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, os.fspath(HERE.parent / "Interop"))

from processes import BINARY, ROOT, Listener, PeerServer, Relay, Running  # noqa: E402
from services import Service  # noqa: E402

PYTHON27 = ROOT / ".build/autobahn/bin/python"
WSTEST = ROOT / ".build/autobahn/bin/wstest"
CLIENT = ROOT / ".build/release/AutobahnClient"
REPORTS = ROOT / ".build/conformance"

AGENT = "wsx"
CASE_COUNT = 517
ROLES = {
    "client": "wsx as a client", "server": "wsx listen --echo", "relay": "wsx relay",
    "http2-client": "wsx as a client of HTTP/2", "http2-server": "wsx listen --echo --http2"}
# No case takes this long. The suite itself would wait for 15 minutes.
STALL_SECONDS = 180

HAPROXY = """
defaults
    mode http
    timeout connect 60s
    timeout client 300s
    timeout server 300s
    timeout tunnel 300s
listen translator
    bind 127.0.0.1:{port}
    # The suite's server compares the port.
    http-request set-header Host 127.0.0.1:{target}
    server target 127.0.0.1:{target} {options}
"""

CATALOGUE = """
import json
from autobahntestsuite import case
names = [name.__name__[len(case.CaseBasename):].replace("_", ".") for name in case.Cases]
print(json.dumps({"cases": names, "categories": case.CaseCategories}))
"""


def say(text=""):
    print(text, flush=True)


def progress(text):
    print(text, file=sys.stderr, flush=True)


def category(case):
    return case.split(".")[0]


def position(case):
    return [int(part) for part in case.split(".")]


def read_catalogue():
    """Returns the names of all cases in order, and the titles of their categories."""
    answer = subprocess.run([PYTHON27, "-c", CATALOGUE], capture_output=True, text=True, timeout=60, check=True)
    catalogue = json.loads(answer.stdout)
    cases = sorted(catalogue["cases"], key=position)
    if len(set(cases)) != CASE_COUNT:
        sys.exit(f"conformance: the suite has {len(set(cases))} cases, and not {CASE_COUNT}; it is another version")
    return cases, catalogue["categories"]


def chosen_cases(cases):
    """Returns the cases selected by CASES and EXCLUDE. Exits with status 2 if a pattern matches no case."""
    def matching(variable, default):
        patterns = os.environ.get(variable, "").split() or default
        for pattern in patterns:
            if not fnmatch.filter(cases, pattern):
                progress(f"conformance: {variable}: no case matches '{pattern}'; write one as 7.1.1, or several as 7.*")
                sys.exit(2)
        return {case for pattern in patterns for case in fnmatch.filter(cases, pattern)}

    chosen = matching("CASES", ["*"]) - matching("EXCLUDE", [])
    if not chosen:
        progress("conformance: EXCLUDE leaves none of the CASES")
        sys.exit(2)
    return [case for case in cases if case in chosen]


class Translator(Service):
    """HAProxy, which speaks both versions to clients, and HTTP/1.1 to the server, or HTTP/2 with `proto h2`."""

    def __init__(self, directory, target, options=""):
        def arguments(port):
            configuration = directory / "haproxy.cfg"
            configuration.write_text(HAPROXY.format(port=port, target=target, options=options))
            return ["/usr/sbin/haproxy", "-db", "-f", configuration]

        super().__init__(arguments)
        self.url = f"ws://127.0.0.1:{self.port}"


class Trial:
    """The test of one role. The trial is over when `process` exits."""

    def __init__(self, role, cases):
        self.role = role
        self.is_client = role.endswith("client")
        self.cases = cases
        self.directory = REPORTS / role
        self.problems = []
        self._category = None
        self._seen_bytes = -1
        self._deadline = 0
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)

    def start(self, resources):
        """Starts both sides. `resources` ends them."""
        specification = self.directory / "specification.json"
        content = {
            "outdir": os.fspath(self.directory), "cases": self.cases, "exclude-cases": [], "exclude-agent-cases": {}}
        if self.is_client:
            specification.write_text(json.dumps(content))
            command = [PYTHON27, "-u", HERE / "fuzzing_server.py", specification]
            self.suite = resources.enter_context(PeerServer(command))
            url, options = f"ws://127.0.0.1:{self.suite.port}", []
            if self.role == "http2-client":
                url = resources.enter_context(Translator(self.directory, self.suite.port)).url
                options = ["--http2"]
            self.wsx = self.process = resources.enter_context(Running([CLIENT, *options, url, AGENT]))
        else:
            self.wsx = resources.enter_context(Listener("--echo", *["--http2"] * (self.role == "http2-server")))
            if self.role == "relay":
                self.wsx = resources.enter_context(Relay(self.wsx.url))
            url = self.wsx.url
            if self.role == "http2-server":
                url = resources.enter_context(Translator(self.directory, self.wsx.port, "proto h2")).url
            content["servers"] = [{"agent": AGENT, "url": url}]
            specification.write_text(json.dumps(content))
            command = [PYTHON27, "-u", WSTEST, "--mode", "fuzzingclient", "--spec", specification]
            self.suite = self.process = resources.enter_context(Running(command))

    def is_over(self, titles):
        """Whether the trial is over, either because its process exited or because the suite stalled."""
        if self.process.process.poll() is not None:
            return True
        output = self.suite.out
        if len(output) != self._seen_bytes:
            self._seen_bytes = len(output)
            self._deadline = time.monotonic() + STALL_SECONDS
            self._report_category(output, titles)
        if time.monotonic() < self._deadline:
            return False
        self.problems.append(f"nothing happened for {STALL_SECONDS} s")
        return True

    def _report_category(self, output, titles):
        running = re.findall(rb"Running test case ID (\S+)", output)
        if running and category(running[-1].decode()) != self._category:
            self._category = category(running[-1].decode())
            progress(f"{ROLES[self.role]}: category {self._category}, {titles[self._category]}")

    def finish(self):
        """Writes the logs of both sides, and stops the server like a user would."""
        status = self.process.process.poll()
        if status:
            runner = "AutobahnClient" if self.is_client else "the suite's client"
            self.problems.append(f"{runner} ended with status {status}")
        if not self.is_client:
            try:
                status = self.wsx.stop()
            except (OSError, subprocess.TimeoutExpired) as error:
                status = error
            if status != 0:
                self.problems.append(f"the server, asked to end, did not do so with status 0: {status}")
        for name, program in (("suite", self.suite), ("wsx", self.wsx)):
            (self.directory / f"{name}.log").write_bytes(program.out + program.err.encode())

    def results(self):
        """Returns the suite's result for each case: an entry of its index, or None if the case did not run."""
        index = self.directory / "index.json"
        found = json.loads(index.read_text()).get(AGENT, {}) if index.exists() else {}
        return {case: found.get(case) for case in self.cases}


def verdict(result):
    """Returns the verdict on a case, which covers both the behavior of wsx and the way it closed."""
    if result is None:
        return "not run"
    behaviors = {result["behavior"], result["behaviorClose"]}
    if behaviors == {"OK"}:
        return "OK"
    if behaviors <= {"OK", "INFORMATIONAL"}:
        return "informational"
    if behaviors <= {"OK", "INFORMATIONAL", "NON-STRICT"}:
        return "non-strict"
    return "failed"


VERDICTS = ["OK", "informational", "non-strict", "failed", "not run"]
PASSING = {role: {"OK", "informational"} for role in ROLES} | {"relay": {"OK", "informational", "non-strict"}}


def show_table(heading, results, titles):
    """Prints a row for each category, and one for all cases."""
    rows = {}
    for case, result in results.items():
        for key in (category(case), "all"):
            row = rows.setdefault(key, {"cases": 0, "ms": 0, **dict.fromkeys(VERDICTS, 0)})
            row["cases"] += 1
            row[verdict(result)] += 1
            row["ms"] += result["duration"] if result else 0
    width = max(len(title) for title in titles.values()) + 3
    say(f"\n{heading:<{width}} {'cases':>6}" + "".join(f"{name:>14}" for name in VERDICTS) + f"{'seconds':>10}")
    for key in sorted(rows.keys() - {"all"}, key=int) + ["all"]:
        row = rows[key]
        name = f"{key:>2} {titles[key]}" if key in titles else key
        counts = "".join(f"{row[name]:>14}" for name in VERDICTS)
        say(f"{name:<{width}} {row['cases']:>6}{counts}{row['ms'] / 1000:>10.1f}")


def show_failure(case, result, directory):
    """Prints the suite's result for a failed case, its description, and the path of its report."""
    report = directory / result["reportfile"]
    description = re.sub(r"<[^>]*>", " ", json.loads(report.read_text())["description"])
    say(f"  {case}: {result['behavior']}, closing {result['behaviorClose']} with {result['remoteCloseCode']}: "
        + " ".join(description.split()))
    say(f"      {os.path.relpath(report.with_suffix('.html'), ROOT)}")


def judge(trial, titles, seconds):
    """Prints the results of a trial and returns whether everything passed."""
    results = trial.results()
    show_table(f"{ROLES[trial.role]}, {seconds:.0f} s", results, titles)
    failures = {case: result for case, result in results.items() if verdict(result) not in PASSING[trial.role]}
    for case, result in failures.items():
        if result:
            show_failure(case, result, trial.directory)
    missing = [case for case, result in failures.items() if not result]
    if missing:
        say(f"  not run: {' '.join(missing)}")
    for problem in trial.problems:
        say(f"  {problem}; see {os.path.relpath(trial.directory, ROOT)}/*.log")
    return not failures and not trial.problems


def main():
    role = os.environ.get("ROLE") or "all"
    if role not in (*ROLES, "all"):
        progress(f"conformance: ROLE '{role}' is none of {', '.join(ROLES)}, and all")
        sys.exit(2)
    for program in (BINARY, CLIENT, WSTEST):
        if not os.access(program, os.X_OK):
            sys.exit(f"conformance: {program} is missing; run it as `make conformance`")
    # Exit normally on these signals, so that child processes are stopped.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: sys.exit(128 + number))

    cases, titles = read_catalogue()
    cases = chosen_cases(cases)
    trials = [Trial(name, cases) for name in ROLES if role in (name, "all")]
    begin = time.monotonic()
    seconds = {}
    with contextlib.ExitStack() as resources:
        for trial in trials:
            trial.start(resources)
        while running := [trial for trial in trials if trial not in seconds]:
            for trial in running:
                if trial.is_over(titles):
                    seconds[trial] = time.monotonic() - begin
                    trial.finish()
            time.sleep(0.1)
    passed = [judge(trial, titles, seconds[trial]) for trial in trials]
    say(f"\nreports: {os.path.relpath(REPORTS, ROOT)}/*/index.html")
    sys.exit(0 if all(passed) else 1)


main()
