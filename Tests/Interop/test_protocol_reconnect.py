"""Application protocols on connections that end, or are idle: columns of protocol_cells.py."""

import contextlib
from concurrent.futures import ThreadPoolExecutor

import protocol_cells
import pytest
from brokers import BeatingStompBroker, Mosquitto
from protocol_cells import SERVERS
from protocol_files import BeatingDiscordServer
from protocol_servers import GraphQLServer, SocketIOServer


# The servers whose heartbeats can be frequent, with the pattern of a heartbeat as shown with -v. Tests/Heavy has others.
IDLE = {
    "socket.io": (lambda: SocketIOServer(1), "Hidden: ping"),
    "graphql": (GraphQLServer, "← ping"),
    "stomp": (BeatingStompBroker, r"→ text +1 B"),
    "mqtt": (Mosquitto, "Hidden: PINGRESP"),
    "discord": (BeatingDiscordServer, "Hidden: null"),
}


@pytest.fixture(scope="module")
def executor():
    """Runs the tests of this module at the same time: they take seconds and mostly wait."""
    with ThreadPoolExecutor(4) as executor:
        yield executor


@pytest.fixture(scope="module")
def restarts(executor):
    """A restart of each server."""
    restarts = {name: executor.submit(protocol_cells.Restart, server) for name, server in SERVERS.items()}
    yield restarts
    for restart in restarts.values():
        with contextlib.suppress(BaseException):
            restart.result().close()


@pytest.mark.parametrize("name", SERVERS)
def test_reconnect(restarts, name):
    restarts[name].result().finish()


@pytest.fixture(scope="module")
def idle_connections(executor):
    """An idle connection to each server."""
    return {name: executor.submit(protocol_cells.idle, *row) for name, row in IDLE.items()}


@pytest.mark.parametrize("name", IDLE)
def test_idle(idle_connections, name):
    idle_connections[name].result()
