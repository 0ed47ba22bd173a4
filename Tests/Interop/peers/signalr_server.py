"""A server of the SignalR JSON hub protocol, written from its specification and that of the transports.

    signalr_server.py PORT [TIMEOUT]

The hub is /chat. Connections need the id of a negotiate request, unless the URL is /direct. The bearer token of the
request must be `t` if there is one. A connection without a message for TIMEOUT seconds (30 by default) is closed.

Methods: `Echo` returns its arguments, `Fail` an error, `Broadcast METHOD ARGUMENT...` invokes a method of all clients,
`Flood N` invokes `n` N times, `Counter N` is a stream, `Close` closes with an error, and `Ask` wants a result.
"""

import json
import pathlib
import secrets
import socket
import sys
import threading
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import wire  # noqa: E402

SEPARATOR = "\x1e"
ids = set()
clients = set()
lock = threading.Lock()


class Client:
    def __init__(self, stream):
        self.stream = stream
        self.is_open = False
        self.cancelled = set()

    def send(self, *messages):
        """Sends records in one message."""
        with lock:
            self.stream.send(wire.text("".join(json.dumps(message) + SEPARATOR for message in messages)))

    def receive(self, message):
        if not self.is_open:
            self.is_open = message == {"protocol": "json", "version": 1}
            self.send({} if self.is_open else {"error": f"Requested protocol '{message.get('protocol')}' is not available."})
            return
        identifier, arguments = message.get("invocationId"), message.get("arguments", [])
        if message["type"] == 1:
            self.invoke(message["target"], arguments, identifier)
        elif message["type"] == 4:
            threading.Thread(target=self.stream_items, args=(identifier, arguments[0]), daemon=True).start()
        elif message["type"] == 3:
            self.send({"type": 1, "target": "completed", "arguments": [message]})
        elif message["type"] == 5:
            self.cancelled.add(identifier)

    def complete(self, identifier, **members):
        if identifier is not None:
            self.send({"type": 3, "invocationId": identifier, **members})

    def invoke(self, target, arguments, identifier):
        if target == "Echo":
            self.complete(identifier, result=arguments)
        elif target == "Broadcast":
            for client in list(clients):
                client.send({"type": 1, "target": arguments[0], "arguments": arguments[1:]})
            self.complete(identifier)
        elif target == "Flood":
            for start in range(0, arguments[0], 7):
                numbers = range(start, min(start + 7, arguments[0]))
                self.send(*({"type": 1, "target": "n", "arguments": [number]} for number in numbers))
            self.complete(identifier)
        elif target == "Ask":
            self.send({"type": 1, "target": "ask", "invocationId": "s1", "arguments": [1]})
            self.complete(identifier)
        elif target == "Close":
            self.send({"type": 7, "error": "Connection closed with an error.", "allowReconnect": False})
        else:
            self.complete(identifier, error="Fail failed" if target == "Fail" else f"Unknown hub method '{target}'")

    def stream_items(self, identifier, count):
        for number in range(count):
            if identifier in self.cancelled:
                break
            self.send({"type": 2, "invocationId": identifier, "item": number})
        self.complete(identifier)

    def keep_alive(self, ended):
        while not ended.wait(5):
            self.send({"type": 6})


def serve(sock, timeout):
    stream = wire.Stream(sock)
    request = stream.read_head()
    method, target = request.split(b" ")[:2]
    target = urllib.parse.urlsplit(target.decode())
    identifier = urllib.parse.parse_qs(target.query).get("id", [""])[0]
    if wire.field(request, b"Authorization") not in (None, b"Bearer t"):
        stream.send(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    elif (method, target.path) == (b"POST", "/chat/negotiate"):
        token = secrets.token_hex(8)
        ids.add(token)
        body = json.dumps({
            "connectionToken": token, "connectionId": "i", "negotiateVersion": 1,
            "availableTransports": [{"transport": "WebSockets", "transferFormats": ["Text", "Binary"]}]}).encode()
        stream.send(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
            % (len(body), body))
    elif target.path == "/direct" or (target.path == "/chat" and identifier in ids):
        ids.discard(identifier)
        stream.send(wire.upgrade_response(request))
        sock.settimeout(timeout)
        converse(Client(stream))
    else:
        stream.send(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


def converse(client):
    clients.add(client)
    ended = threading.Event()
    threading.Thread(target=client.keep_alive, args=(ended,), daemon=True).start()
    try:
        while frame := client.stream.read_frame():
            if frame.opcode == wire.TEXT:
                for record in frame.payload.decode().split(SEPARATOR)[:-1]:
                    client.receive(json.loads(record))
            elif frame.opcode == wire.PING:
                with lock:
                    client.stream.send(wire.frame(wire.PONG, frame.payload))
            elif frame.opcode == wire.CLOSE:
                with lock:
                    client.stream.send(wire.frame(wire.CLOSE, frame.payload))
                return
    except TimeoutError:
        client.stream.send(wire.close(1000))
    finally:
        ended.set()
        clients.discard(client)


def run(sock, timeout):
    with sock:
        try:
            serve(sock, timeout)
        except OSError:
            pass


def main():
    timeout = float(sys.argv[2]) if len(sys.argv) > 2 else 30
    with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as listener:
        print(listener.getsockname()[1], flush=True)
        while True:
            threading.Thread(target=run, args=(listener.accept()[0], timeout), daemon=True).start()


main()
