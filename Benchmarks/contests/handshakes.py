"""New connections: opened, upgraded and closed, and opened with TLS. nginx answers the same requests for a file."""

import contextlib
import subprocess

from contest import Contest, Figure
from contests.servers import LOAD_S
from contests.tls import written_certificate
from machine import (
    CLIENT_CORE, HANDSHAKES, NGINX, PLAIN_WS_ECHO, SCRATCH, SERVER_CORE, UWEBSOCKETS, Listener, Peer,
    free_port, pinned, wait_until_listening)
from processes import Running

PAGE = "a tiny page\n"
ROUNDS = 3

# One process without a log. Like wsx, it sends two session tickets after each handshake. The generator ignores them.
NGINX_SETTINGS = """
daemon off;
master_process off;
pid {directory}/nginx.pid;
error_log stderr;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    sendfile on;
    default_type text/plain;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    server {{
        listen 127.0.0.1:{port} {options};
        root {root};
        ssl_certificate {pem};
        ssl_certificate_key {pem};
        ssl_session_cache off;
        ssl_protocols TLSv1.2 TLSv1.3;
    }}
}}
"""


class Nginx(Running):
    """nginx with a directory of files, on the server's core."""

    def __init__(self, root, pem, is_secure):
        directory = SCRATCH / "nginx"
        directory.mkdir(exist_ok=True)
        self.port = free_port()
        settings = directory / "nginx.conf"
        settings.write_text(NGINX_SETTINGS.format(
            directory=directory, port=self.port, options="ssl" if is_secure else "", root=root, pem=pem))
        super().__init__(pinned(SERVER_CORE, [NGINX, "-p", directory, "-c", settings]))
        wait_until_listening(self.port, "nginx")


def figures(mode, server):
    """Returns the connections per second, and the server's processor seconds for each."""
    command = [HANDSHAKES, mode, server.port, LOAD_S, server.pid]
    process = subprocess.run(pinned(CLIENT_CORE, command), stdout=subprocess.PIPE, check=True, text=True)
    rate, microseconds = map(float, process.stdout.split())
    return rate, microseconds * 1e-6


def upgrades(script=None):
    with Listener("--echo", "--quiet") if script is None else Peer(script) as server:
        return figures("upgrade", server)


@contextlib.contextmanager
def page_directory():
    """A directory with the file that the generator requests."""
    directory = SCRATCH / "pages"
    directory.mkdir(exist_ok=True)
    page = directory / "index.txt"
    page.write_text(PAGE)
    yield directory
    page.unlink()
    directory.rmdir()


def contests():
    def rows(what):
        return Figure(f"server: {what} per second", "k/s", 1e3), Figure("the server's CPU time for each", "us", 1e-6)

    yield Contest(
        rows("connections opened, upgraded, and closed"),
        {peer: lambda script=script: upgrades(script)
         for peer, script in {"wsx": None, **UWEBSOCKETS, "ws": PLAIN_WS_ECHO}.items()},
        rounds=ROUNDS)
    pem = written_certificate()
    with page_directory() as root:
        for mode, what in ("http", "connections with a request for a page"), ("https", "the same, with TLS 1.3,"):
            def wsx(mode=mode):
                secure = ["--tls-cert", pem] if mode == "https" else []
                with Listener("--echo", "--quiet", "--serve", root, *secure) as server:
                    return figures(mode, server)

            def nginx(mode=mode):
                with Nginx(root, pem, mode == "https") as server:
                    return figures(mode, server)

            yield Contest(rows(what), {"wsx": wsx, **({"nginx": nginx} if NGINX else {})}, rounds=ROUNDS)
    pem.unlink()
