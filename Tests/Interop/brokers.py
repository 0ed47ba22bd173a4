"""Message brokers for tests of protocols: mosquitto (MQTT), RabbitMQ (STOMP), and a stand-in for it.

The user is `me`, with the password `geheim`.
"""

import asyncio
import contextlib
import http
import os
import pathlib
import pwd
import signal
import tempfile
import threading

import websockets
from protocol_servers import ProtocolServer, StandIn
from services import PASSWORD, USER, Service, free_ports

from processes import environment, require_program, run, wait_until

MOSQUITTO = """
listener {port} 127.0.0.1
persistence false
allow_anonymous false
password_file {directory}/passwords
"""

RABBITMQ = """
listeners.tcp.1 = 127.0.0.1:{amqp}
stomp.listeners.tcp.1 = 127.0.0.1:{stomp}
web_stomp.tcp.ip = 127.0.0.1
web_stomp.tcp.port = {port}
distribution.listener.interface = 127.0.0.1
distribution.listener.port_range.min = {distribution}
distribution.listener.port_range.max = {distribution}
default_user = {user}
default_pass = {password}
"""

# The type of an MQTT packet.
PUBLISH = 3


class Broker:
    """A broker that sends messages back to its publisher."""

    def request(self, number):
        return self.publication("requests", number)

    def reply(self, number):
        return ""

    def flood(self, count):
        return [self.publication("events", number) for number in range(count)]

    def data(self, number):
        return f"{number}"

    def publication(self, topic, number):
        """The line that publishes a number."""
        raise NotImplementedError


class StompBroker(Broker, StandIn):
    """A server from the specification."""

    name = "stomp"
    program = "stomp_server.py"
    parameters = (f"login={USER}", f"passcode={PASSWORD}")
    wrong_parameters = (f"login={USER}", "passcode=x")
    refusal = f"Bad CONNECT: Access refused for user '{USER}'"
    opening = ("SUBSCRIBE /topic/events",)
    heading = "/topic/events"
    event_object = {"role": "event", "topic": "/topic/events"}

    @property
    def url(self):
        return f"ws://127.0.0.1:{self.port}/ws"

    def publication(self, topic, number):
        return f"SEND /topic/{topic} {number}"


class BeatingStompBroker(StompBroker):
    """Expects frequent heart-beats."""

    parameters = (*StompBroker.parameters, "heart-beat=200,200")


class Mosquitto(Broker, ProtocolServer):
    """mosquitto behind a WebSocket bridge: with libwebsockets, Debian's version listens on no single IPv4 address.

    The bridge passes on the bytes of TCP as they arrive, so MQTT packets share messages and are split among them. With
    `deliveries`, it passes on packets, with the faults of that object for clients that do not publish themselves.
    """

    name = "mqtt"
    parameters = (f"username={USER}", f"password={PASSWORD}")
    wrong_parameters = (f"username={USER}", "password=x")
    refusal = "did not authorize the client"
    opening = ("sub events/#",)
    heading = "events/n"
    event_object = {"role": "event", "topic": "events/n"}

    def __init__(self, deliveries=None):
        require_program("mosquitto")
        self._directory = tempfile.TemporaryDirectory()
        self.directory = pathlib.Path(self._directory.name)
        # mosquitto drops its privileges before it reads the file.
        self.directory.chmod(0o755)
        passwords = self.directory / "passwords"
        assert run(["mosquitto_passwd", "-b", "-c", passwords, USER, PASSWORD]).status == 0
        passwords.chmod(0o644)
        super().__init__()
        self.bridge = Bridge(self.port, deliveries)

    def _command(self, port):
        file = self.directory / "mosquitto.conf"
        file.write_text(MOSQUITTO.format(port=port, directory=self.directory))
        return ["mosquitto", "-c", file]

    @property
    def url(self):
        return f"ws://127.0.0.1:{self.bridge.port}/mqtt"

    def publication(self, topic, number):
        return f"pub {topic}/n {number}"

    def __exit__(self, *exception):
        self.bridge.stop()
        super().__exit__(*exception)


class BeatingMosquitto(Mosquitto):
    """Its clients ping after a second, and give it up after another one. A busy machine can exceed that under load."""

    parameters = (*Mosquitto.parameters, "keep-alive=1")


class Bridge:
    """Connects WebSocket clients to a TCP port, in a thread."""

    def __init__(self, target, deliveries=None):
        self.target = target
        self.deliveries = deliveries
        self.loop = asyncio.new_event_loop()
        started = threading.Event()
        self.thread = threading.Thread(target=self._run, args=[started], daemon=True)
        self.thread.start()
        assert started.wait(60)

    def _run(self, started):
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self._serve(started))

    async def _serve(self, started):
        self.stopping = asyncio.Event()
        async with websockets.serve(
                self._connect, "127.0.0.1", 0, subprotocols=["mqtt"], max_size=None, ping_interval=None,
                process_request=self._refuse) as server:
            self.port = server.sockets[0].getsockname()[1]
            started.set()
            await self.stopping.wait()

    async def _refuse(self, *_):
        """Refuses clients while the target does not run."""
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", self.target)
            writer.close()
        except ConnectionError:
            return http.HTTPStatus.SERVICE_UNAVAILABLE, [], b""

    async def _connect(self, socket, *_):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.target)
        is_publisher = False

        async def forward():
            rest = b""
            while data := await reader.read(4096):
                if self.deliveries is None:
                    await socket.send(data)
                    continue
                packets, rest = split_packets(rest + data)
                for packet in packets:
                    is_delivery = packet[0] >> 4 == PUBLISH and not is_publisher
                    for copy in self.deliveries.copies(socket, packet) if is_delivery else [packet]:
                        await socket.send(copy)
            # Like a server that ends, not like one that closes connections.
            socket.transport.abort()

        task = asyncio.create_task(forward())
        with contextlib.suppress(websockets.ConnectionClosed, ConnectionError):
            async for message in socket:
                is_publisher = is_publisher or message[0] >> 4 == PUBLISH
                writer.write(message)
                await writer.drain()
        writer.close()
        task.cancel()

    def stop(self):
        self.loop.call_soon_threadsafe(self.stopping.set)
        self.thread.join(60)


def split_packets(data):
    """Returns the complete MQTT packets in some bytes, and the rest."""
    packets = []
    while True:
        # The type, and the length of the rest, with 7 bits per byte and the lowest ones first.
        length = 0
        for index in range(1, len(data)):
            length |= (data[index] & 0x7F) << 7 * (index - 1)
            if data[index] < 0x80:
                break
        else:
            return packets, data
        end = index + 1 + length
        if len(data) < end:
            return packets, data
        packets.append(data[:end])
        data = data[end:]


class RabbitMQ(StompBroker):
    """RabbitMQ with STOMP over WebSocket. It takes about 10 s to start."""

    # RabbitMQ 3.10 fails if it slows down a client that sends heart-beats, with {unexpected_message,resume} in its log.
    parameters = (f"login={USER}", f"passcode={PASSWORD}", "heart-beat=0,2000")

    def __init__(self):
        self._directory = tempfile.TemporaryDirectory()
        self.directory = pathlib.Path(self._directory.name)
        self.directory.chmod(0o755)
        (self.directory / "plugins").write_text("[rabbitmq_web_stomp].\n")
        user = pwd.getpwnam("rabbitmq") if os.getuid() == 0 else None
        self._user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}
        if user:
            os.chown(self.directory, user.pw_uid, user.pw_gid)
        # Erlang's port mapper is a separate process with its own port.
        self.mapper = free_ports(1)[0]
        settings = {
            "NODENAME": f"wsx{self.mapper}@localhost", "CONFIG_FILE": self.directory / "rabbitmq.conf",
            "ENABLED_PLUGINS_FILE": self.directory / "plugins", "MNESIA_BASE": self.directory / "data",
            "LOG_BASE": self.directory / "log", "PID_FILE": self.directory / "pid",
        }
        self.variables = environment(
            HOME=self.directory, ERL_EPMD_ADDRESS="127.0.0.1", ERL_EPMD_PORT=str(self.mapper),
            **{f"RABBITMQ_{name}": value for name, value in settings.items()})
        self.start()

    def start(self):
        fixed_ports = getattr(self, "ports", None)
        self._service = Service(self._command, 4, fixed_ports, env=self.variables, **self._user)
        self.ports, self.port = self._service.ports, self._service.port

    def stop(self):
        # The server is a child of the script that starts it.
        file = self.directory / "pid"
        if file.exists() and self._service.process.poll() is None:
            os.kill(int(file.read_text()), signal.SIGKILL)
            # The port mapper ends only after it has noticed that.
            wait_until(lambda: b"Killed" in run(["epmd", "-kill"], env=self.variables).out, what="the end of epmd")
        super().stop()

    def _command(self, port, amqp, stomp, distribution):
        text = RABBITMQ.format(
            port=port, amqp=amqp, stomp=stomp, distribution=distribution, user=USER, password=PASSWORD)
        (self.directory / "rabbitmq.conf").write_text(text)
        return ["/usr/lib/rabbitmq/bin/rabbitmq-server"]

    def __exit__(self, *exception):
        self.stop()
