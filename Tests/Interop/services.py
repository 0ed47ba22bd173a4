"""Third-party servers for tests of wsx: OpenSSL's s_server, nginx, and proxies.

Each runs in the foreground as a child of the tests, on its own loopback ports, and ignores the system's configuration.
The user is always `me`, with the password `geheim`.
"""

import hashlib
import os
import pathlib
import random
import shutil
import signal
import socket
import tempfile
import time

import pytest

from processes import Running, require_program, run

USER, PASSWORD = "me", "geheim"
# Names and ports of this run, which another one with the same seed must not choose.
UNSEEDED = random.SystemRandom()
CREDENTIALS = f"{USER}:{PASSWORD}"
# The address squid refuses to connect to.
CLOSED_ADDRESS = "127.0.0.66"


def can_use_ipv6():
    """Whether the IPv6 loopback address is available."""
    try:
        with socket.socket(socket.AF_INET6) as sock:
            sock.bind(("::1", 0))
        return True
    except OSError:
        return False


def free_ports(count):
    """Returns unused ports below the ephemeral port range.

    The range is partitioned among the test processes, so two processes never pick the same port.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    worker_count = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    ports = []
    while len(ports) < count:
        port = UNSEEDED.randrange(20_000 + worker, 32_000, worker_count)
        if port not in ports and is_free(port):
            ports.append(port)
    return ports


def is_free(port):
    addresses = [(socket.AF_INET, "127.0.0.1")] + ([(socket.AF_INET6, "::1")] if can_use_ipv6() else [])
    try:
        for family, address in addresses:
            with socket.socket(family) as sock:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                sock.bind((address, port))
    except OSError:
        return False
    return True


def answers(port):
    """Whether a server accepts connections on a port."""
    try:
        socket.create_connection(("127.0.0.1", port), 5).close()
    except OSError:
        return False
    return True


class Service(Running):
    """A server with fixed ports. `arguments(*ports)` is its command line. It is ready when its ports answer. It ends with the
    programs that it has started.

    Without `fixed_ports`, its ports are chosen."""

    def __init__(self, arguments, port_count=1, fixed_ports=None, **options):
        for _ in range(5):
            self.ports = fixed_ports or free_ports(port_count)
            command = arguments(*self.ports)
            require_program(command[0])
            super().__init__(command, start_new_session=True, **options)
            if all(self._answers(port) for port in self.ports):
                self.port = self.ports[0]
                return
            # Another program may have taken a port in the meantime.
            self.__exit__()
        raise AssertionError(f"{arguments(*self.ports)} does not start: {self.err} {self.out.decode()}")

    def _answers(self, port):
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and self.process.poll() is None:
            if answers(port):
                return True
            time.sleep(0.01)
        return False

    def __exit__(self, *exception):
        if self.process.poll() is None:
            os.killpg(self.pid, signal.SIGKILL)
        super().__exit__(*exception)


class OpenSSLServer(Running):
    """`openssl s_server` with an identity. It answers every request with a page about the connection."""

    def __init__(self, identity, *options, page=True, **more):
        others = ["-cert_chain", identity.others] if identity.others else []
        super().__init__(
            ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", identity.chain, *others, "-key", identity.key,
             *(["-www"] if page else []), *options], **more)
        self.port = int(self.wait_for(r"ACCEPT 127\.0\.0\.1:(\d+)\n", "out").group(1))
        self.url = f"wss://127.0.0.1:{self.port}/"


NGINX = """
daemon off;
master_process off;
pid {directory}/nginx.pid;
error_log stderr warn;
events {{}}
http {{
    access_log off;
    absolute_redirect off;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    proxy_http_version 1.1;
    proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Connection upgrade;
    proxy_set_header Host $http_host;

    server {{
        listen 127.0.0.1:{port} ssl;
        {listen_ipv6}
        ssl_certificate {identity.chain};
        ssl_certificate_key {identity.key};
        ssl_verify_client optional;
        ssl_client_certificate {root};
        ssl_verify_depth 3;

        location / {{ proxy_pass {echo}; }}
        location /private {{
            auth_basic "nginx";
            auth_basic_user_file {directory}/users;
            proxy_pass {echo};
        }}
        location /client {{
            if ($ssl_client_verify != SUCCESS) {{ return 403 "client certificate: $ssl_client_verify\\n"; }}
            proxy_pass {echo};
        }}
        location /moved/301 {{ return 301 /; }}
        location /moved/302 {{ return 302 /; }}
        location /moved/303 {{ return 303 /; }}
        location /moved/307 {{ return 307 /; }}
        location /moved/308 {{ return 308 /; }}
        location /absolute {{ return 302 https://$http_host/; }}
        location /wss {{ return 302 wss://$http_host/; }}
        location /to-private {{ return 302 /private; }}
        location /loop {{ return 302 /loop; }}
        location /hop/3 {{ return 302 /hop/2; }}
        location /hop/2 {{ return 302 /hop/1; }}
        location /hop/1 {{ return 302 /; }}
        location /plain {{ return 302 http://127.0.0.1:{plain_port}/echo; }}
    }}

    server {{
        listen 127.0.0.1:{plain_port};
        location / {{ return 301 https://127.0.0.1:{port}$request_uri; }}
        location /echo {{ proxy_pass {echo}; }}
    }}
}}
"""


class Nginx(Service):
    """nginx with TLS in front of an echo server. `plain_port` speaks plain HTTP and redirects to TLS."""

    def __init__(self, directory, certificates, echo_port):
        (directory / "users").write_text(f"{USER}:{password_hash()}\n")
        configuration = directory / "nginx.conf"

        def arguments(port, plain_port):
            configuration.write_text(NGINX.format(
                directory=directory, identity=certificates.good, root=certificates.root, port=port,
                plain_port=plain_port, echo=f"http://127.0.0.1:{echo_port}",
                listen_ipv6=f"listen [::1]:{port} ssl;" if can_use_ipv6() else ""))
            return ["/usr/sbin/nginx", "-p", directory, "-c", configuration, "-e", "stderr"]

        super().__init__(arguments, port_count=2)
        self.plain_port = self.ports[1]
        self.url = f"wss://127.0.0.1:{self.port}/"


SQUID = """
http_port 127.0.0.1:{open_port} name=open
http_port 127.0.0.1:{port} name=guarded
https_port 127.0.0.1:{open_tls_port} name=open_tls tls-cert={directory}/chain.pem tls-key={directory}/key.pem
https_port 127.0.0.1:{tls_port} name=guarded_tls tls-cert={directory}/chain.pem tls-key={directory}/key.pem
auth_param digest program /usr/lib/squid/digest_file_auth -c {directory}/digests
auth_param digest children 1 startup=1
auth_param digest realm squid
auth_param basic program /usr/lib/squid/basic_ncsa_auth {directory}/users
auth_param basic children 1 startup=1
auth_param basic realm squid
acl open myportname open open_tls
acl known proxy_auth REQUIRED
acl closed dst {closed_address}
http_access deny closed
http_access allow open
http_access allow known
http_access deny all
pid_filename none
access_log none
cache_log {directory}/cache.log
cache deny all
cache_mem 1 MB
coredump_dir none
netdb_filename none
pinger_enable off
shutdown_lifetime 0 seconds
max_filedescriptors 1024
visible_hostname squid.test
"""


class Squid(Service):
    """squid on four ports: with and without a password, with and without TLS."""

    program = "/usr/sbin/squid"

    def __init__(self, identity):
        require_program(self.program)
        # Debian's package squid uses GnuTLS, which does not accept this configuration.
        if b"--with-openssl" not in run([self.program, "-v"]).out:
            pytest.fail(
                f"{self.program} is built without OpenSSL: replace the package squid by squid-openssl", pytrace=False)
        super().__init__(lambda *ports: self._prepare(identity, *ports), port_count=4)
        self.open_port, self.port, self.open_tls_port, self.tls_port = self.ports

    def __exit__(self, *arguments):
        super().__exit__(*arguments)
        self._directory.cleanup()
        # squid leaves its shared memory behind when killed.
        for path in pathlib.Path("/dev/shm").glob(f"{self._name}-*"):
            path.unlink()

    def _prepare(self, identity, open_port, port, open_tls_port, tls_port):
        self._directory = tempfile.TemporaryDirectory(prefix="wsx-squid-")
        directory = pathlib.Path(self._directory.name)
        # The service name must be unique.
        self._name = f"wsx{os.getpid()}x{UNSEEDED.randrange(1 << 32)}"
        files = {
            "users": f"{USER}:{password_hash()}\n",
            "digests": f"{USER}:squid:{hashlib.md5(f'{USER}:squid:{PASSWORD}'.encode()).hexdigest()}\n",
            "chain.pem": identity.chain.read_text(),
            "key.pem": identity.key.read_text(),
            "squid.conf": SQUID.format(
                directory=directory, open_port=open_port, port=port, open_tls_port=open_tls_port, tls_port=tls_port,
                closed_address=CLOSED_ADDRESS)}
        for name, text in files.items():
            (directory / name).write_text(text)
        # If started by root, squid switches to another user, who must be able to read its files.
        if os.geteuid() == 0:
            for path in (directory, *directory.iterdir()):
                shutil.chown(path, "proxy")
        return [self.program, "-N", "-n", self._name, "-f", directory / "squid.conf"]


class Tinyproxy(Service):
    """tinyproxy, with a password if `is_guarded`."""

    def __init__(self, directory, is_guarded):
        configuration = directory / "tinyproxy.conf"

        def arguments(port):
            lines = [f"Port {port}", "Listen 127.0.0.1", "Timeout 60", "MaxClients 100", "LogLevel Warning"]
            lines += [f"BasicAuth {USER} {PASSWORD}"] if is_guarded else []
            configuration.write_text("".join(f"{line}\n" for line in lines))
            return ["tinyproxy", "-d", "-c", configuration]

        super().__init__(arguments)


class Microsocks(Service):
    """microsocks, with a password if `is_guarded`."""

    def __init__(self, is_guarded):
        credentials = ["-u", USER, "-P", PASSWORD] if is_guarded else []
        super().__init__(lambda port: ["microsocks", "-i", "127.0.0.1", "-p", str(port), *credentials])


def password_hash():
    return run(["openssl", "passwd", "-apr1", PASSWORD]).out.decode().strip()


class Blackhole:
    """An address that neither accepts nor refuses connections: a listener with a full queue."""

    def __init__(self, address, port=0):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self._sockets = [socket.socket(family) for _ in range(8)]
        listener, *clients = self._sockets
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((address, port))
            listener.listen(0)
            self.port = listener.getsockname()[1]
            for client in clients:
                client.setblocking(False)
                client.connect_ex((address, self.port))
        except OSError:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for sock in self._sockets:
            sock.close()
