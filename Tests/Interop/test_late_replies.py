"""Replies that arrive after the end of the input are still printed."""

import concurrent.futures
import time

import pytest

import wire
from processes import shell
from scripted_server import ScriptedServer

REPLY_DELAY_S = 0.3


def reply_late(peer):
    """Answers each ping at once, and each message after 300 ms, one after the other."""
    peer.upgrade()
    while (received := peer.read_frame()) and received.opcode != wire.CLOSE:
        if received.opcode == wire.PING:
            peer.send(wire.frame(wire.PONG, received.payload))
            continue
        time.sleep(REPLY_DELAY_S)
        peer.send(wire.text(received.payload.upper()))
    peer.send(wire.frame(wire.CLOSE, received.payload))


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.heavy)])
def test_many_runs_print_both_late_replies_and_exit_0(count):
    with ScriptedServer(reply_late) as server:

        def run(_):
            return shell('printf "a\\nb\\n" | "$WSX" connect -q "$1"', server.url)

        with concurrent.futures.ThreadPoolExecutor(40) as pool:
            results = list(pool.map(run, range(count)))
    assert {(result.status, result.out, result.err) for result in results} == {(0, b"A\nB\n", "")}
