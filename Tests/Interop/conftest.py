"""Shared fixtures of the black-box tests, and the rules for running tests in parallel.

`make test-interop` runs pytest twice: first in more processes than cores, because most tests wait, and then the tests
marked `alone`, one after the other. Processes steal tests from each other (pytest-xdist), so tests of one file
run at the same time, and each process has fixtures of its own, also those of a module or session. schedule.py orders the
tests. Without xdist, all tests run one after the other.

Mark a test `@pytest.mark.alone`, or its file `pytestmark = pytest.mark.alone`, if a test running next to it could
change the outcome. This applies to tests that
- measure how load is distributed, or need more than one core;
- set a bound of less than twice the value on an idle machine;
- use a port that neither the system nor `free_ports` assigned, or any other resource that exists only once;
- write files that other tests read, such as the binary.

Mark a test `@pytest.mark.heavy` if it needs a size or time that takes over ten seconds, and leave a smaller one for the
same rule. `make test-heavy` and `make check-all` run those.

No test depends on the speed of the machine or on the bucket widths of a histogram. Every test passes next to a full
build:
- Lower bounds follow from the tested behavior, such as a delay, and allow for timers that fire a millisecond early.
- Upper bounds guard against hangs: at least a minute, and ten times the usual duration. What must not be waited for takes
  longer than that, such as an hour. Tests of speed itself judge the fastest of several attempts.
- Waits are for a condition. Pauses that must keep a peer alive have a margin of at least 1 s.
- Loads that need an exact number of messages use a count (`bench -n`), not a duration.
- Random inputs come from `random`, which is seeded for each test. A failure prints the seed.

All other tests must tolerate company: they wait for conditions, use their own ports and directories, and check the
memory of their own processes only. Test ids must be the same in every process, so they contain nothing random.
"""

import os
import random
import shutil
import signal

import pytest

import sanitizer
import schedule
from browser import Chromium
from certificates import Certificates
from processes import BINARY, NODE_ENVIRONMENT, PEERS, PYTHON, Listener, PeerServer
from protocol_servers import GraphQLServer, SocketIOServer
from services import CREDENTIALS, Microsocks, Nginx, Squid, Tinyproxy


# The reasons for which tests may be skipped although $WSX_CI is set, which fails all other skipped tests.
EXPECTED_SKIPS = {
    # Tests run as root in containers.
    "root can read every file",
    # Combinations of parameters that do not occur.
    "the protocol confirms no subscription", "each lost reply would take the whole reply timeout",
    # `make test SANITIZE=...`; the other builds are not affected.
    *([
        "a sanitizer or a debug build changes the binary", "a sanitizer changes the memory per connection",
        "sanitizers do not reuse memory", "sanitizers replace the allocator",
        "sanitizers replace system calls, and need much memory",
    ] if sanitizer.SANITIZER else []),
}
# Sanitizer reports from xdist workers, written after their last tests.
worker_reports = []
# Seeds the random inputs of each test, together with its name. It is printed with failures; WSX_TEST_SEED repeats it.
SEED = os.environ.setdefault("WSX_TEST_SEED", str(random.SystemRandom().randrange(1 << 32)))
# The seconds that each test took, without its fixtures.
durations = {}


def pytest_configure(config):
    # Background jobs of a script ignore these signals, and the programs that tests interrupt would inherit that.
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    config.addinivalue_line("markers", "alone: runs while no other test does; conftest.py says which tests have to")
    config.addinivalue_line("markers", "heavy: takes long at the size it needs; runs only in make test-heavy")
    config.addinivalue_line("markers", "recipe(heading): tests the recipe with this heading")


def pytest_sessionstart(session):
    # Keep the machine's proxy and TLS settings out of the tests,
    for name in [*os.environ]:
        if name.lower().endswith("_proxy") or name.startswith(("SSL_CERT_", "SSLKEYLOGFILE")):
            del os.environ[name]
    # and the user's configuration and logins.
    os.environ["WSX_CONFIG"] = ""
    os.environ.pop("NETRC", None)
    if not os.access(BINARY, os.X_OK):
        pytest.exit(f"{BINARY} is missing; run 'make build'", returncode=1)


# After the tests were selected.
@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    if hasattr(config, "workerinput"):
        known = schedule.recorded()
        items[:] = schedule.ordered(items, lambda item: known.get(item.nodeid, 0), config.workerinput["workercount"])


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    report = (yield).get_result()
    if os.environ.get("WSX_CI") and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        if reason not in EXPECTED_SKIPS:
            report.outcome = "failed"
            report.longrepr = f"skipped, and not among EXPECTED_SKIPS of {__file__}: {reason}"
    if report.failed:
        report.sections.append(("Random inputs", f"WSX_TEST_SEED={SEED} repeats them."))


def pytest_runtest_logreport(report):
    if report.when == "call":
        durations[report.nodeid] = round(report.duration, 2)


def pytest_report_header():
    if sanitizer.SANITIZER:
        return f"under the {sanitizer.SANITIZER} sanitizer: bounds of memory times {sanitizer.MEMORY_FACTOR}, and some"


def pytest_sessionfinish(session):
    if not hasattr(session.config, "workeroutput") and not sanitizer.SANITIZER:
        schedule.record(durations)
    # A shared server may have exited after the last test.
    report = sanitizer.take_reports()
    if sanitizer.REPORTS:
        shutil.rmtree(sanitizer.REPORTS)
    if hasattr(session.config, "workeroutput"):
        # A worker has no terminal and no influence on the exit status.
        session.config.workeroutput["sanitizer"] = report
    elif report := "\n".join(filter(None, [*worker_reports, report])):
        print(f"\n{report}")
        session.exitstatus = 1


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    # A worker that crashed has no output.
    worker_reports.append(getattr(node, "workeroutput", {}).get("sanitizer"))


@pytest.fixture(autouse=True)
def random_inputs(request):
    random.seed(f"{SEED} {request.node.nodeid}")


@pytest.fixture(autouse=True)
def sanitizer_is_silent():
    """Fails a test during which a sanitizer reported something."""
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
    """An echo server based on Python's websockets."""
    with PeerServer([PYTHON, PEERS / "websockets_echo.py"]) as server:
        yield server


@pytest.fixture(scope="session")
def node_echo():
    """An echo server based on ws for Node."""
    with PeerServer(["node", PEERS / "ws_echo.js"], env=NODE_ENVIRONMENT) as server:
        yield server


@pytest.fixture(params=["wsx_echo", "python_echo", "node_echo"])
def echo_server(request):
    """Each of the three echo servers in turn."""
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="session")
def socketio():
    """A Socket.IO server."""
    with SocketIOServer() as server:
        yield server


@pytest.fixture(scope="session")
def graphql():
    """A GraphQL server. Tests may restart it, but not stop it."""
    with GraphQLServer() as server:
        yield server


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Headless Chromium."""
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


# Routes to a server: the proxy's scheme, its fixture, the name of its port, and whether it requires a password.
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
    """The proxy options for each route in turn."""
    if not ROUTES[request.param]:
        return []
    scheme, fixture, port, is_guarded = ROUTES[request.param]
    userinfo = f"{CREDENTIALS}@" if is_guarded else ""
    server = request.getfixturevalue(fixture)
    return ["--proxy", f"{scheme}://{userinfo}127.0.0.1:{getattr(server, port)}"]
