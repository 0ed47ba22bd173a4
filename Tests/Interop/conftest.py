"""Fixtures that the black-box tests share, and how the tests are divided among processes.

`make test-interop` runs the tests in two goes: first those marked `alone`, one after the other, and then all others,
whose files are dealt out to several processes (pytest-xdist). Without xdist all run one after the other.

A test is marked `@pytest.mark.alone`, or its file `pytestmark = pytest.mark.alone`, when another test at its side could
decide whether it passes:
- it measures how a load is shared out, or it needs more than one core for itself;
- it sets a bound of less than twice what something takes at rest;
- it takes a port that it has not been given by the system or by `free_ports`, or anything else that exists once;
- it writes what others read, such as the binary.

No test depends on the machine's speed, or on the width of a histogram's bars. Every test passes next to a full build:
- Lower bounds follow from what is tested, such as a delay, and allow for timers that are a millisecond early.
- Upper bounds guard against hanging, and are ten times what something takes. Where speed itself is the point, the fastest
  of several attempts is judged.
- A wait is for a condition, and a pause that must keep a peer alive has a margin of at least 1 s.
- A load that is to have an exact number of messages is given that number (`bench -n`), not a duration.

All others get along with company: they wait for conditions, use ports and directories of their own, and look at the
memory of their own processes only. The names of parametrised tests must be the same in every process, so nothing random
is in an id.
"""

import os
import shutil
import signal

import pytest

import sanitizer
from browser import Chromium
from certificates import Certificates
from processes import BINARY, NODE_ENVIRONMENT, PEERS, PYTHON, Listener, PeerServer
from services import CREDENTIALS, Microsocks, Nginx, Squid, Tinyproxy


# What the sanitizer has said in the processes that xdist started, after their last tests.
worker_reports = []


def pytest_configure(config):
    # A job in the background of a script ignores these signals, and so would the programs that the tests interrupt.
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    config.addinivalue_line("markers", "alone: runs while no other test does; conftest.py says which tests have to")
    config.addinivalue_line("markers", "recipe(heading): tests the recipe with this heading")


def pytest_sessionstart(session):
    # What the machine sets up for others is none of the tests' business.
    for name in [*os.environ]:
        if name.lower().endswith("_proxy") or name.startswith(("SSL_CERT_", "SSLKEYLOGFILE")):
            del os.environ[name]
    if not os.access(BINARY, os.X_OK):
        pytest.exit(f"{BINARY} is missing; run 'make build'", returncode=1)


def pytest_report_header():
    if sanitizer.SANITIZER:
        return f"under the {sanitizer.SANITIZER} sanitizer: bounds of memory times {sanitizer.MEMORY_FACTOR}, and some"


def pytest_sessionfinish(session):
    # A server that all tests share may have ended after the last of them.
    report = sanitizer.take_reports()
    if sanitizer.REPORTS:
        shutil.rmtree(sanitizer.REPORTS)
    if hasattr(session.config, "workeroutput"):
        # A worker has neither a terminal nor a say in the exit status.
        session.config.workeroutput["sanitizer"] = report
    elif report := "\n".join(filter(None, [*worker_reports, report])):
        print(f"\n{report}")
        session.exitstatus = 1


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    # A worker that crashed has left nothing.
    worker_reports.append(getattr(node, "workeroutput", {}).get("sanitizer"))


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


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A headless Chromium."""
    with Chromium(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture(scope="session")
def nginx(tmp_path_factory, certificates, python_echo):
    """nginx with TLS in front of an echo server."""
    with Nginx(tmp_path_factory.mktemp("nginx"), certificates, python_echo.port) as server:
        yield server


@pytest.fixture(scope="session")
def squid(certificates):
    with Squid(certificates.good) as server:
        yield server


@pytest.fixture(scope="session")
def tinyproxy(tmp_path_factory):
    with Tinyproxy(tmp_path_factory.mktemp("tinyproxy"), is_guarded=False) as server:
        yield server


@pytest.fixture(scope="session")
def guarded_tinyproxy(tmp_path_factory):
    with Tinyproxy(tmp_path_factory.mktemp("guarded_tinyproxy"), is_guarded=True) as server:
        yield server


@pytest.fixture(scope="session")
def microsocks():
    with Microsocks(is_guarded=False) as server:
        yield server


@pytest.fixture(scope="session")
def guarded_microsocks():
    with Microsocks(is_guarded=True) as server:
        yield server


# The ways to a server: the scheme, the fixture, its port, and whether it asks for a password.
ROUTES = {
    "direct": None,
    "tinyproxy": ("http", "tinyproxy", "port", False),
    "tinyproxy with a password": ("http", "guarded_tinyproxy", "port", True),
    "squid": ("http", "squid", "open_port", False),
    "squid with a password": ("http", "squid", "port", True),
    "squid over TLS": ("https", "squid", "open_tls_port", False),
    "squid over TLS with a password": ("https", "squid", "tls_port", True),
    "socks5": ("socks5", "microsocks", "port", False),
    "socks5 with a password": ("socks5", "guarded_microsocks", "port", True),
    "socks5h": ("socks5h", "microsocks", "port", False),
    "socks5h with a password": ("socks5h", "guarded_microsocks", "port", True),
}


@pytest.fixture(params=ROUTES)
def route(request):
    """The options for each of the ways to a server in turn."""
    if not ROUTES[request.param]:
        return []
    scheme, fixture, port, is_guarded = ROUTES[request.param]
    userinfo = f"{CREDENTIALS}@" if is_guarded else ""
    server = request.getfixturevalue(fixture)
    return ["--proxy", f"{scheme}://{userinfo}127.0.0.1:{getattr(server, port)}"]
