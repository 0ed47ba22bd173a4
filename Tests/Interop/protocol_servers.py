"""Servers of application protocols for tests of --protocol, each in a process that can be restarted on its port.

A test of a protocol needs its server, the options of a client that may log in, and a line with its reply:

    with SocketIOServer() as server:
        result = wsx("connect", *server.options, server.url, server.request(1))

Servers from specifications are in peers/: phoenix_server.py, signalr_server.py, rpc_server.py, and stomp_server.py.
Those of message brokers are in brokers.py, and those of the examples in docs/protocols are in protocol_files.py.
"""

import functools
import os
import subprocess

import pytest
from services import Service

from processes import PEERS, PEERS_PYTHON, require_program
from processes import PYTHON as SYSTEM_PYTHON

# Python with the packages of scripts/install-peers.sh.
PYTHON = os.environ.get("WSX_PEERS_PYTHON", PEERS_PYTHON)


class ProtocolServer:
    """A server of a protocol. Subclasses set its program and what a client needs."""

    program = ""
    # Modules of PYTHON that the program needs.
    modules = ()
    # The name of the protocol, its parameters for a login that succeeds, and for one that fails.
    name = ""
    parameters = ()
    wrong_parameters = ()
    # Words of the server about the wrong login, and the exit status.
    refusal = ""
    refusal_status = 4
    # Lines that subscribe to events, and that requests need.
    opening = ()
    # Topic and name of each event, as shown before its data, and a part of its `protocol` object in JSON.
    heading = ""
    event_object = {}
    # Whether a line can have a reply.
    has_replies = True
    # The number of events that a test receives in order.
    event_count = 10_000

    def flood(self, count):
        """Lines that cause events with the numbers from 0 to `count`."""
        raise NotImplementedError

    def data(self, number):
        """The data of an event."""
        raise NotImplementedError

    def event(self, number):
        """An event as shown."""
        return f"{self.heading} {self.data(number)}".lstrip()

    def request(self, number):
        """A line that has a reply. `number` may be a placeholder."""
        raise NotImplementedError

    def reply(self, number):
        """A pattern of the data of the reply."""
        raise NotImplementedError

    def __init__(self, *arguments):
        for module in self.modules:
            if not has_module(module):
                pytest.skip(f"{PYTHON} has no module {module}; run scripts/install-peers.sh")
        self.arguments = [str(argument) for argument in arguments]
        self._service = Service(self._command)
        self.port = self._service.port

    def _command(self, port):
        return [PYTHON, PEERS / self.program, str(port), *self.arguments]

    @property
    def url(self):
        raise NotImplementedError

    @property
    def wrong_url(self):
        """The URL with which a client is refused, along with `wrong_options`."""
        return self.url

    @property
    def protocol(self):
        """The value of --protocol."""
        return self.name

    @property
    def options(self):
        """The options of a client."""
        return self._options(self.parameters)

    @property
    def wrong_options(self):
        """The options of a client that the server refuses."""
        return self._options(self.wrong_parameters)

    def _options(self, parameters):
        return ["--protocol", self.protocol, *(word for value in parameters for word in ("--param", value))]

    def stop(self):
        """Ends the process at once, and with it all connections."""
        self._service.__exit__()

    def start(self):
        """Starts the server again, on the same port."""
        self._service = Service(self._command, fixed_ports=[self.port])

    def restart(self):
        self.stop()
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._service.__exit__()


@functools.cache
def has_module(name):
    return subprocess.run([PYTHON, "-c", f"import {name}"], capture_output=True).returncode == 0


class SocketIOServer(ProtocolServer):
    """python-socketio. `chat` is acknowledged with its arguments, `flood N` sends N events `n`."""

    program = "socketio_server.py"
    modules = ("socketio", "aiohttp")
    name = "socket.io"
    parameters = ('auth={"token":"t"}',)
    wrong_parameters = ('auth={"token":"x"}',)
    refusal = "wrong token"
    heading = "n"
    event_object = {"role": "event", "event": "n"}

    def flood(self, count):
        return [f"flood {count}"]

    def data(self, number):
        return f"{number}"

    def request(self, number):
        return f"chat {number}"

    def reply(self, number):
        return f"{number}"

    @property
    def url(self):
        return f"ws://127.0.0.1:{self.port}/socket.io/?EIO=4&transport=websocket"


class GraphQLServer(ProtocolServer):
    """ariadne. Query: add(a, b). Subscriptions: count(n), which ends, and tick, which does not."""

    program = "graphql_server.py"
    modules = ("ariadne", "uvicorn")
    name = "graphql"
    parameters = ('payload={"token":"t"}',)
    wrong_parameters = ('payload={"token":"x"}',)
    refusal = '4403 (forbidden: the server refuses the connection) "wrong token"'
    event_object = {"role": "event"}

    def flood(self, count):
        return ["subscription { count(n: %d) }" % count]

    def data(self, number):
        return '{"data":{"count":%d}}' % number

    def request(self, number):
        return "{ add(a: %s, b: 0) }" % number

    def reply(self, number):
        return r'\{"data":\{"add":%s\}\}' % number

    @property
    def options(self):
        return [*super().options, "-s", (self.arguments or ["graphql-transport-ws"])[0]]

    @property
    def wrong_options(self):
        return [*super().wrong_options, "-s", (self.arguments or ["graphql-transport-ws"])[0]]

    @property
    def url(self):
        return f"ws://127.0.0.1:{self.port}/"


class StandIn(ProtocolServer):
    """A server that needs no packages."""

    def _command(self, port):
        return [SYSTEM_PYTHON, PEERS / self.program, str(port), *self.arguments]


class PhoenixServer(StandIn):
    """`echo` replies with its payload, `refuse` with an error. The argument is the heartbeat in seconds."""

    program = "phoenix_server.py"
    name = "phoenix"
    refusal = "403 Forbidden"
    opening = ("join room:a",)
    heading = "room:a n"
    event_object = {"role": "event", "event": "n", "topic": "room:a"}

    @property
    def url(self):
        return f"ws://127.0.0.1:{self.port}/socket/websocket?vsn=2.0.0"

    @property
    def wrong_url(self):
        return f"{self.url}&token=x"

    def flood(self, count):
        return ['room:a flood {"n":%d}' % count]

    def data(self, number):
        return '{"i":%d}' % number

    def request(self, number):
        return 'room:a echo {"n":%s}' % number

    def reply(self, number):
        return r'\{"n":%s\}' % number


class SignalRServer(StandIn):
    """The hub is /chat. The argument is how long a client may be silent, in seconds."""

    program = "signalr_server.py"
    name = "signalr"
    refusal = "401 Unauthorized"
    heading = "n"
    event_object = {"role": "event", "event": "n"}

    @property
    def url(self):
        return f"ws://127.0.0.1:{self.port}/chat"

    @property
    def wrong_options(self):
        return [*self.options, "--bearer", "x"]

    def flood(self, count):
        return [f"Flood {count}"]

    def data(self, number):
        return f"{number}"

    def request(self, number):
        return f"Echo {number}"

    def reply(self, number):
        return rf"\[{number}\]"


class JSONRPCServer(StandIn):
    """`echo` returns its arguments, and `flood` notifies."""

    program = "rpc_server.py"
    name = "json-rpc"
    refusal = "wrong token"
    heading = "tick"
    event_object = {"role": "event", "event": "tick"}

    @property
    def url(self):
        return f"ws://127.0.0.1:{self.port}/"

    @property
    def wrong_options(self):
        return [*self.options, "--bearer", "x"]

    def flood(self, count):
        return [f"flood n={count}"]

    def data(self, number):
        return '{"i":%d}' % number

    def request(self, number):
        return f"echo {number}"

    def reply(self, number):
        return rf"\[{number}\]"


class DevToolsServer(JSONRPCServer):
    """The same methods in a domain."""

    name = "devtools"
    heading = "Test.tick"
    event_object = {"role": "event", "event": "Test.tick"}

    def __init__(self):
        super().__init__("devtools")

    def flood(self, count):
        return [f"Test.flood n={count}"]

    def request(self, number):
        return f"Test.echo n={number}"

    def reply(self, number):
        return r'\{"n":%s\}' % number


class ActionCableServer(ProtocolServer):
    """Action Cable of Rails. `flood` of the channel Chat sends messages, and room 13 is closed."""

    name = "actioncable"
    refusal = "unauthorized"
    opening = ('subscribe Chat {"room":1}',)
    heading = 'Chat {"room":1}'
    event_object = {"role": "event", "topic": heading}

    def __init__(self):
        require_program("puma")
        super().__init__()

    def _command(self, port):
        return ["puma", "--quiet", "--bind", f"tcp://127.0.0.1:{port}", PEERS / "cable.ru"]

    @property
    def url(self):
        return f"ws://127.0.0.1:{self.port}/cable?token=t"

    @property
    def wrong_url(self):
        return f"ws://127.0.0.1:{self.port}/cable?token=x"

    def flood(self, count):
        return ['Chat {"room":1} flood {"n":%d}' % count]

    def data(self, number):
        return '{"i":%d}' % number

    def request(self, number):
        return 'subscribe Chat {"room":"r%s"}' % number

    def reply(self, number):
        return ""
