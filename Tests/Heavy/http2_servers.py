"""Servers that speak WebSocket over HTTP/2 (RFC 8441), and two that speak only HTTP/2.

Each echoes at `/`. `/closed` closes with 4001, at once or after a message, and `/refused` rejects the upgrade with 403.
"""

import contextlib
import os

import processes
from processes import BINARY, NODE_ENVIRONMENT, PEERS, PEERS_PYTHON, Listener, Running, environment
from services import Service

ECHO_JS = os.path.join(os.path.dirname(__file__), "http2_echo.js")
LARGE = ["--max-message-size", "256M"]
# The options of `wsx listen` for each path.
LISTEN = {
    "": ["--echo", *LARGE], "closed": ["--echo", "--close-after", "1", "--close-code", "4001"],
    "refused": ["--echo", "--reject", "403"]}


class Server(Service):
    """A server on a chosen port, or on the given one."""

    # The options of Popen.
    options = {}
    # The WebSockets that it accepts on one connection.
    stream_count = 1000

    def __init__(self, directory, port=None):
        self.directory = directory
        super().__init__(self.command, fixed_ports=[port] if port else None, **self.options)

    def url(self, path=""):
        return f"ws://127.0.0.1:{self.port}/{path}"

    def restart(self):
        """Ends it, and starts another on the same port."""
        Running.__exit__(self)
        Service.__init__(self, self.command, fixed_ports=[self.port], **self.options)


class Hypercorn(Server):
    # Its tree of priorities refuses the thousandth stream, and ends the connection.
    stream_count = 999

    def command(self, port):
        return ["env", f"PORT={port}", PEERS_PYTHON, PEERS / "hypercorn_server.py"]


class Node(Server):
    options = {"env": NODE_ENVIRONMENT}

    def command(self, port):
        return ["node", ECHO_JS, str(port)]


class Proxy(Server):
    """A proxy that speaks HTTP/2 to its clients, in front of a server without HTTP/2 for each path."""

    listen_options = []

    def __init__(self, directory, port=None):
        with contextlib.ExitStack() as resources:
            self.targets = {
                path: resources.enter_context(Listener(*self.listen_options, *options)).port
                for path, options in LISTEN.items()}
            super().__init__(directory, port)
            self._resources = resources.pop_all()

    def __exit__(self, *exception):
        super().__exit__(*exception)
        if hasattr(self, "_resources"):
            self._resources.close()


class Wsx(Proxy):
    """`wsx listen --http2`, with a port of its own for each path."""

    listen_options = ["--http2"]

    def command(self, port):
        return [BINARY, "listen", "--http2", *LISTEN[""], str(port)]

    def url(self, path=""):
        return f"ws://127.0.0.1:{self.targets[path] if path else self.port}/"


class Relay(Proxy):
    """`wsx relay --http2`, with a port of its own for each path, as it forwards all to one server."""

    def __init__(self, directory, port=None):
        super().__init__(directory, port)
        for path in ("closed", "refused"):
            relay = processes.Relay(f"ws://127.0.0.1:{self.targets[path]}/", "--http2", "--no-stdin")
            self.targets[path] = self._resources.enter_context(relay).port

    url = Wsx.url

    def command(self, port):
        return [BINARY, "relay", "--http2", "--no-stdin", *LARGE, str(port), f"ws://127.0.0.1:{self.targets['']}/"]


HAPROXY = """
global
    nbthread 1
    tune.h2.max-concurrent-streams 1000
defaults
    mode http
    maxconn 4000
    timeout connect 60s
    timeout client 600s
    timeout server 600s
    timeout tunnel 600s
frontend clients
    bind 127.0.0.1:{port}
    use_backend closing if {{ path /closed }}
    use_backend refusing if {{ path /refused }}
    default_backend echo
backend echo
    server echo 127.0.0.1:{echo}
backend closing
    server closing 127.0.0.1:{targets[closed]}
backend refusing
    server refusing 127.0.0.1:{targets[refused]}
"""


class HAProxy(Proxy):
    def command(self, port):
        configuration = self.directory / "haproxy.cfg"
        configuration.write_text(HAPROXY.format(port=port, echo=self.targets[""], targets=self.targets))
        return ["/usr/sbin/haproxy", "-db", "-f", configuration]


class Nghttpx(Proxy):
    def command(self, port):
        return [
            "/usr/sbin/nghttpx", "--conf=/dev/null", f"--frontend=127.0.0.1,{port};no-tls", "--workers=1",
            f"--backend=127.0.0.1,{self.targets['']};;proto=http/1.1",
            f"--backend=127.0.0.1,{self.targets['closed']};/closed;proto=http/1.1",
            f"--backend=127.0.0.1,{self.targets['refused']};/refused;proto=http/1.1",
            "--frontend-http2-max-concurrent-streams=1000", "--accesslog-file=/dev/null", "--errorlog-file=/dev/stderr"]


CADDY = """
{{
    admin off
    auto_https off
    servers {{
        protocols h1 h2c
    }}
}}
http://127.0.0.1:{port} {{
    bind 127.0.0.1
    reverse_proxy 127.0.0.1:{echo}
}}
"""


class Caddy(Proxy):
    @property
    def options(self):
        return {"env": environment(HOME=self.directory, XDG_DATA_HOME=self.directory, XDG_CONFIG_HOME=self.directory)}

    def command(self, port):
        configuration = self.directory / "Caddyfile"
        configuration.write_text(CADDY.format(port=port, echo=self.targets[""]))
        return ["caddy", "run", "--adapter", "caddyfile", "--config", configuration]


class Nghttpd(Server):
    """An HTTP/2 server for files."""

    def command(self, port):
        return ["/usr/sbin/nghttpd", "--no-tls", "--address=127.0.0.1", f"--htdocs={self.directory}", str(port)]


SERVERS = {"Hypercorn": Hypercorn, "Node": Node, "HAProxy": HAProxy, "nghttpx": Nghttpx, "wsx listen": Wsx,
           "wsx relay": Relay}
OTHERS = {"Caddy": Caddy, "nghttpd": Nghttpd}
