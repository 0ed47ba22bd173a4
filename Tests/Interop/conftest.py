"""Fixtures that the black-box tests share."""

import os

import pytest

from processes import BINARY, NODE_ENVIRONMENT, PEERS, PYTHON, Listener, PeerServer


def pytest_sessionstart(session):
    if not os.access(BINARY, os.X_OK):
        pytest.exit(f"{BINARY} is missing; run 'make build'", returncode=1)


@pytest.fixture(scope="session")
def wsx_echo():
    """`wsx listen --echo`."""
    with Listener("--echo", "--max-message-size", "64M") as server:
        yield server


@pytest.fixture(scope="session")
def python_echo():
    """An echo server on Python's websockets."""
    with PeerServer([PYTHON, PEERS / "websockets_echo.py"]) as server:
        yield server


@pytest.fixture(scope="session")
def node_echo():
    """An echo server on Node's ws."""
    with PeerServer(["node", PEERS / "ws_echo.js"], env=NODE_ENVIRONMENT) as server:
        yield server


@pytest.fixture(params=["wsx_echo", "python_echo", "node_echo"])
def echo_server(request):
    """Each of the three echo servers in turn."""
    return request.getfixturevalue(request.param)
