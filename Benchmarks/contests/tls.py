"""The cost of TLS, compared with plain connections and other programs.

The messages are random hexadecimal digits, and compression is off.
"""

import os
import subprocess

from contest import Contest, Figure
from contests.clients import echoed
from machine import SCRATCH, WEBSOCAT, WSS_ECHO, WSX

TLS_BYTES = 64 << 20
CONNECT = [WSX, "connect", "--linger", "forever", "--compress=off", "-k"]
WEBSOCAT_CONNECT = [WEBSOCAT, "--text", "--no-close", "-k", "-B", "1000000"]


def written_certificate():
    """Returns the path of a certificate with its key."""
    pem, certificate = SCRATCH / "server.pem", SCRATCH / "server.crt"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-keyout", pem, "-out", certificate],
        check=True, stderr=subprocess.DEVNULL)
    with pem.open("ab") as file:
        file.write(certificate.read_bytes())
    certificate.unlink()
    return pem


def contests():
    pem = written_certificate()
    lines = SCRATCH / "lines.txt"
    for name, line_bytes in (("64 KiB", 64 << 10), ("1 KiB", 1 << 10)):
        line = os.urandom(line_bytes // 2).hex()[1:].encode() + b"\n"
        lines.write_bytes(line * (TLS_BYTES // line_bytes))
        secure = "--tls-self-signed"
        yield Contest(
            (Figure(f"TLS: messages of {name} echoed", "k/s", 1e3), Figure("the client's peak resident memory", "MiB", 1 << 20)),
            {"wsx": lambda: echoed(CONNECT, lines, None, secure), "without TLS": lambda: echoed(CONNECT, lines),
             "websocat as the client": lambda: echoed(WEBSOCAT_CONNECT, lines, None, secure),
             "ws as the server": lambda: echoed(CONNECT, lines, WSS_ECHO, pem)})
    for path in (lines, pem):
        path.unlink()
