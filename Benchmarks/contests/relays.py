"""`wsx relay` and other relays between a generator and an echo server, which share the client's core.

A relay parses every frame, twice. HAProxy copies bytes once a connection is upgraded, so it is the bound.
"""

from contest import Contest, Figure
from contests.servers import CONNECTION_COUNT, load
from machine import (
    CLIENT_CORE, HAPROXY, SCRATCH, SERVER_CORE, WEBSOCAT, WSX, Listener, free_port, pinned, wait_until_listening)
from processes import Running

LOAD_S = 2
HAPROXY_CONFIGURATION = """
global
    nbthread 1
defaults
    mode http
    timeout connect 5s
    timeout client 60s
    timeout server 60s
    timeout tunnel 60s
frontend clients
    bind 127.0.0.1:{port}
    default_backend server
backend server
    server echo 127.0.0.1:{target}
"""


def wsx_command(port, target):
    return [WSX, "relay", "--quiet", "--compress=off", port, f"ws://127.0.0.1:{target}/"]


def websocat_command(port, target):
    return [WEBSOCAT, "--text", "--exit-on-eof", f"ws-listen:127.0.0.1:{port}", f"ws://127.0.0.1:{target}/"]


def haproxy_command(port, target):
    configuration = SCRATCH / "haproxy.cfg"
    configuration.write_text(HAPROXY_CONFIGURATION.format(port=port, target=target))
    return [HAPROXY, "-db", "-f", configuration]


def echo_rate(command, message_bytes):
    """Returns the messages per second that come back through a relay, with one in flight on each connection."""
    port = free_port()
    with Listener("--echo", "--compress=off", core=CLIENT_CORE) as server:
        with Running(pinned(SERVER_CORE, command(port, server.port))):
            wait_until_listening(port, "the relay")
            return load("echo", port, CONNECTION_COUNT, message_bytes, 1, LOAD_S)


def contests():
    commands = {
        "wsx": wsx_command, **({"HAProxy": haproxy_command} if HAPROXY else {}), "websocat": websocat_command}
    for message_bytes, size in ((20, "20 bytes"), (64 << 10, "64 KiB")):
        yield Contest(
            (Figure(f"relay: messages of {size} echoed on {CONNECTION_COUNT} connections, one in flight", "k/s", 1e3),),
            {name: lambda command=command: echo_rate(command, message_bytes) for name, command in commands.items()})
