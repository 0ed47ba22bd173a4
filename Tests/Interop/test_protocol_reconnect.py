"""Application protocols on connections that end, or are idle: columns of protocol_cells.py."""

import contextlib

import protocol_cells
import pytest
from brokers import BeatingMosquitto, BeatingStompBroker
from protocol_cells import SERVERS
from protocol_files import BeatingDiscordServer
from protocol_servers import GraphQLServer, SocketIOServer


# The servers whose heartbeats can be frequent, with the pattern of a heartbeat as shown with -v. Tests/Heavy has others.
IDLE = {
    "socket.io": (lambda: SocketIOServer(0.3), "Hidden: ping"),
    "graphql": (GraphQLServer, "← ping"),
    "stomp": (BeatingStompBroker, r"→ text +1 B"),
    "mqtt": (BeatingMosquitto, "Hidden: PINGRESP"),
    "discord": (BeatingDiscordServer, "Hidden: null"),
}


@pytest.mark.parametrize("name", SERVERS)
def test_reconnect(name):
    with contextlib.closing(protocol_cells.Restart(SERVERS[name])) as restart:
        restart.finish()


@pytest.mark.parametrize("name", IDLE)
def test_idle(name):
    protocol_cells.idle(*IDLE[name])
