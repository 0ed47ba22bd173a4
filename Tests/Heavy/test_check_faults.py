"""`wsx check` finds each fault that a server or client can have, and none in a right one."""

import json
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from processes import BINARY, PEERS, PYTHON, PeerServer, Running, run, wsx

FAULTY = PEERS / "faulty_peer.py"
FAULTS = [line.split("\t")[:2] for line in run([PYTHON, FAULTY, "faults"]).lines]
ALL = [(role, fault) for fault, roles in FAULTS for role in ("server", "client") if roles in (role, "both")]

# The cases that can matter, by the first word of a fault.
CASES = {
    "hs": ["H.*", "1.1.2"],
    "fr": ["1.1.*", "2.*", "3.*", "4.*", "5.*", "F.*"],
    "utf8": ["1.2.2", "6.*", "F.26.*", "F.27.*", "F.28.*"],
    "cl": ["7.*", "C.*"],
    "pmd": ["1.1.2", "D.*", "F.13.*", "H.2.37*"],
}
# Faults that keep a peer silent, so that each case takes its limit.
FEW_CASES = {
    "cl-no-answer": ["7.3.*"], "cl-tcp-open": ["C.18.1"], "fr-one-per-read": ["F.25.*"], "fr-ping-ignored": ["2.*"],
    "fr-pong-empty": ["2.*"], "fr-send-no-fin": ["1.1.*"], "fr-send-text-as-binary": ["1.1.*"],
    "hs-client-frames-lost": ["H.2.18*", "H.2.19*"],
}
# What no case fails: a case, and its verdict or end.
OTHERS = {
    # RFC 6455 §5.2 and §7.4.2 do not say what a receiver does.
    "fr-len-nonminimal": ("F.1.1", "informational"),
    "cl-code-5000": ("C.6.10", "informational"),
    # RFC 7692 §7.2.3.4 does not say whether the window survives a final block.
    "pmd-bfinal-forgets": ("D.19.7", "informational"),
    # RFC 6455 §8.1 does not say when text is checked.
    "utf8-late": ("6.4.1", "non-strict"),
    # A peer that rejects a close frame may answer without a code, too.
    "cl-one-byte": ("C.7.2", "non-strict"),
    # RFC 9112 §3.2.2: only clients of proxies send this form.
    "hs-absolute-uri": ("H.1.70", "non-strict"),
    # RFC 6455 §7.4.1 names the code for this.
    "utf8-code": ("6.3.1", "wrong-code"),
    # RFC 6455 §7.1.7: it should send a close frame.
    "cl-fail-silent": ("C.17.2", "unclean"),
    # RFC 6455 §7.1.1: a client may end TCP at any time after the closing handshake.
    "cl-client-first": ("C.18.2", "passed"),
}


def check(role, fault=None):
    """The status of a run with a peer, and the cases by their ids."""
    arguments = ["--case-timeout", "1s" if fault and fault not in OTHERS else "30s" if not fault else "3s"]
    if fault:
        arguments += [word for glob in FEW_CASES.get(fault, CASES[fault.split("-")[0]]) for word in ("--case", glob)]
    elif role == "client":
        arguments += ["--case", "*"]
    options = ["--fault", fault] if fault else []
    if role == "server":
        with PeerServer([PYTHON, FAULTY, "serve", *options]) as server:
            result = wsx("check", server.url, "--json", "-c", "8", *arguments, timeout=600)
            status, out = result.status, result.out
    else:
        with Running([BINARY, "check", "--listen", "0", "--once", "--json", *arguments]) as checking:
            url = checking.wait_for(r"on (ws://\S+)\n").group(1).decode()
            run([PYTHON, FAULTY, "run", url, *options], timeout=600)
            status = checking.wait()
            out = checking.out
    return status, {case["id"]: case for case in json.loads(out)["cases"]} if out else {}


@pytest.fixture(scope="module")
def runs(request):
    """The runs of the selected faults, several at a time."""
    selected = {item.callspec.id for item in request.session.items if hasattr(item, "callspec")}
    with ThreadPoolExecutor(2 * os.cpu_count()) as pool:
        yield {(role, fault): pool.submit(check, role, fault) for role, fault in ALL if f"{role}-{fault}" in selected}


@pytest.mark.parametrize("role, fault", ALL)
def test_a_fault_is_found(runs, role, fault):
    status, cases = runs[role, fault].result()
    if fault == "hs-answer-200":
        assert status == 4
    elif fault in OTHERS:
        id, verdict = OTHERS[fault]
        assert status == 0, [case for case in cases.values() if case["verdict"] == "failed"]
        assert verdict in (cases[id]["verdict"], cases[id].get("close"))
    else:
        assert status == 7
        assert "failed" in {case["verdict"] for case in cases.values()}


@pytest.mark.parametrize("role", ["server", "client"])
def test_a_right_peer_passes(role):
    status, cases = check(role)
    assert (status, {case["verdict"] for case in cases.values()}) == (0, {"passed", "informational"})
