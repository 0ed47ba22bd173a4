"""The common part of servers that are written from a specification. Each connection has a thread.

    class Echo(Client):
        def received(self, message):
            self.send(message)

    serve(Echo)
"""

import json
import pathlib
import socket
import sys
import threading
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import wire  # noqa: E402

clients = []


class Client:
    """A connected client. Subclasses handle its messages."""

    # The subprotocol of the server.
    subprotocol = None

    def __init__(self, stream, query):
        self.stream = stream
        # The last value of each query parameter.
        self.query = query
        self._lock = threading.Lock()

    def opened(self):
        """Called before the first message."""

    def received(self, message):
        """Called with a text message."""

    def received_binary(self, message):
        """Called with a binary message."""

    def send_binary(self, payload):
        with self._lock:
            self.stream.send(wire.frame(wire.BINARY, payload))

    def send(self, message):
        """Sends text, or anything else as JSON."""
        text = message if isinstance(message, str) else json.dumps(message, separators=(",", ":"))
        with self._lock:
            self.stream.send(wire.text(text))

    def close(self, code, reason=""):
        with self._lock:
            self.stream.send(wire.close(code, reason.encode()))

    def run(self):
        self.opened()
        while frame := self.stream.read_frame():
            if frame.opcode == wire.TEXT:
                self.received(frame.payload.decode())
            elif frame.opcode == wire.BINARY:
                self.received_binary(frame.payload)
            elif frame.opcode in (wire.PING, wire.CLOSE):
                with self._lock:
                    self.stream.send(wire.frame(wire.PONG if frame.opcode == wire.PING else wire.CLOSE, frame.payload))
                if frame.opcode == wire.CLOSE:
                    return


def accept(sock, make_client):
    """Upgrades a connection, unless it has a wrong bearer token: the right one is `t`."""
    stream = wire.Stream(sock)
    request = stream.read_head()
    if not request:
        return
    if wire.field(request, b"Authorization") not in (None, b"Bearer t"):
        stream.send(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 12\r\nConnection: close\r\n\r\nwrong token\n")
        return
    offered = (wire.field(request, b"Sec-WebSocket-Protocol") or b"").decode().split(", ")
    name = make_client.subprotocol
    stream.send(wire.upgrade_response(
        request, *([f"Sec-WebSocket-Protocol: {name}".encode()] if name in offered else [])))
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(request.split(b" ")[1].decode()).query))
    client = make_client(stream, query)
    clients.append(client)
    try:
        client.run()
    finally:
        clients.remove(client)


def serve(make_client):
    """Serves the port in the first argument until the process ends."""
    def run(sock):
        with sock:
            try:
                accept(sock, make_client)
            except OSError:
                pass

    with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as listener:
        while True:
            threading.Thread(target=run, args=(listener.accept()[0],), daemon=True).start()
