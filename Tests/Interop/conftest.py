"""Fixtures that the black-box tests share."""

import os
import shutil

import pytest

import sanitizer
from processes import BINARY, NODE_ENVIRONMENT, PEERS, PYTHON, Listener, PeerServer


def pytest_sessionstart(session):
    if not os.access(BINARY, os.X_OK):
        pytest.exit(f"{BINARY} is missing; run 'make build'", returncode=1)


def pytest_report_header():
    if sanitizer.SANITIZER:
        return f"under the {sanitizer.SANITIZER} sanitizer: bounds of memory times {sanitizer.MEMORY_FACTOR}, and some"


def pytest_sessionfinish(session):
    # A server that all tests share may have ended after the last of them.
    if report := sanitizer.take_reports():
        print(f"\n{report}")
        session.exitstatus = 1
    if sanitizer.REPORTS:
        shutil.rmtree(sanitizer.REPORTS)


@pytest.fixture(autouse=True)
def sanitizer_is_silent():
    """Fails a test in which the sanitizer, if there is one, has found something."""
    yield
    if report := sanitizer.take_reports():
        pytest.fail(report, pytrace=False)


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
