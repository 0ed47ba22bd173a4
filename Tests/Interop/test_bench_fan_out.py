"""`wsx bench --mode broadcast` through the envelopes of real services, which lose, repeat, and swap some deliveries.

The counts must be those of the service. Latencies are not compared here, since they depend on the machine.
"""

import contextlib
import json
import threading

import pytest

import wire
from brokers import Mosquitto
from deliveries import FAULTS, Deliveries
from protocol_servers import GraphQLServer, SocketIOServer
from scripted_server import ScriptedServer
from test_bench import bench, errors, faults


class Chat:
    """A chat of JSON messages. `join` joins the room, `say` reaches all others in it, with the faults if `faulty`."""

    def __init__(self):
        self.members = []
        self.deliveries = Deliveries()
        self.lock = threading.Lock()

    def __call__(self, peer):
        peer.upgrade()
        while (frame := peer.read_frame()).opcode != wire.CLOSE:
            message = json.loads(frame.payload)
            with self.lock:
                if message["op"] == "join":
                    self.members.append(peer)
                    continue
                for reader in self.members:
                    if reader is not peer:
                        self._deliver(message, reader)
        with self.lock:
            self.members.remove(peer)
            peer.send(wire.frame(wire.CLOSE, frame.payload))

    def _deliver(self, message, reader):
        text = message["text"]
        for copy in self.deliveries.copies(reader, text) if message["faulty"] else [text]:
            # The text is a string of JSON in a string of JSON.
            envelope = {"type": "chat", "body": json.dumps({"text": copy})}
            reader.send(wire.text(json.dumps(envelope).encode()))


@contextlib.contextmanager
def chat(is_faulty):
    with ScriptedServer(Chat()) as server:
        yield [server.url, "-m", '{"op":"join"}', "-m",
               json.dumps({"op": "say", "text": "{{marker}}", "faulty": is_faulty})]


@contextlib.contextmanager
def socketio(is_faulty):
    with SocketIOServer() as server:
        yield [server.url, *server.options, "-m", 'join "a"', "-m", f'say "{{{{marker}}}}" {json.dumps(is_faulty)}']


@contextlib.contextmanager
def graphql(is_faulty):
    mutation = 'mutation { say(text: "{{marker}}", faulty: %s) }' % json.dumps(is_faulty)
    with GraphQLServer() as server:
        yield [server.url, *server.options, "-m", "subscription { said }", "-m", mutation]


@contextlib.contextmanager
def mqtt(is_faulty):
    with Mosquitto(Deliveries() if is_faulty else None) as server:
        yield [server.url, *server.options, "-m", "sub room/#", "-m", "pub room/x {{marker}}"]


@pytest.mark.parametrize("is_faulty", [False, True], ids=["all", "faults"])
@pytest.mark.parametrize("service", [chat, socketio, graphql, mqtt], ids=lambda service: service.__name__)
def test_faults_of_deliveries_are_counted_exactly(service, is_faulty):
    # The readers join during the warm-up.
    with service(is_faulty) as words:
        result, results = bench(
            *words, "--mode", "broadcast", "-c", "6", "-n", "100", "-r", "100", "--warmup", "1s",
            "--reply-timeout", "5s", check_sum=False)
    expected = FAULTS if is_faulty else {}
    assert (faults(results), errors(results)) == (expected, {})
    assert (results["messages"]["sent"], results["messages"]["received"]) == (100, 500 - expected.get("lost", 0))
    assert result.status == (7 if is_faulty else 0)
