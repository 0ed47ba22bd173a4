"""A server of Phoenix Channels 2.0.0, written from the guide "Writing a Channels Client" and Phoenix.Socket.

    phoenix_server.py PORT [HEARTBEAT]

Connections need the path /socket/websocket, vsn=2.0.0, and no token, or the token `t`. A connection without a message
for HEARTBEAT seconds (60 by default) is closed. Any topic `room:…` can be joined but `room:secret`.

Events: `echo` replies with its payload, `refuse` with an error, `new_msg` is broadcast, `flood` with {"n":N} pushes N
events `n`, `crash` and `close` end the channel, and any other is ignored.
"""

import json
import pathlib
import socket
import sys
import threading
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import wire  # noqa: E402

clients = set()
lock = threading.Lock()


class Client:
    def __init__(self, stream):
        self.stream = stream
        # The join_ref of each topic.
        self.channels = {}

    def push(self, *message):
        with lock:
            self.stream.send(wire.text(json.dumps(message)))

    def reply(self, join_ref, ref, topic, status, response):
        self.push(join_ref, ref, topic, "phx_reply", {"status": status, "response": response})

    def receive(self, join_ref, ref, topic, event, payload):
        if (topic, event) == ("phoenix", "heartbeat"):
            self.reply(None, ref, topic, "ok", {})
        elif event == "phx_join":
            self.join(join_ref, ref, topic, payload)
        elif topic not in self.channels:
            self.reply(None, ref, topic, "error", {"reason": "unmatched topic"})
        elif join_ref not in (None, self.channels[topic]):
            pass  # a stale message of an earlier join
        elif event == "phx_leave":
            self.reply(join_ref, ref, topic, "ok", {})
            self.end(topic, "phx_close", {})
        else:
            self.handle(ref, topic, event, payload)

    def join(self, join_ref, ref, topic, payload):
        if topic in self.channels:
            self.end(topic, "phx_close", {})
        if not topic.startswith("room:"):
            self.reply(None, ref, topic, "error", {"reason": "unmatched topic"})
        elif topic == "room:secret":
            self.reply(join_ref, ref, topic, "error", {"reason": "unauthorized"})
        else:
            self.channels[topic] = join_ref
            self.reply(join_ref, ref, topic, "ok", payload)

    def handle(self, ref, topic, event, payload):
        join_ref = self.channels[topic]
        if event == "echo":
            self.reply(join_ref, ref, topic, "ok", payload)
        elif event == "refuse":
            self.reply(join_ref, ref, topic, "error", payload)
        elif event == "new_msg":
            for client in list(clients):
                if topic in client.channels:
                    client.push(None, None, topic, event, payload)
        elif event == "flood":
            for number in range(payload["n"]):
                self.push(join_ref, None, topic, "n", {"i": number})
        elif event in ("crash", "close"):
            self.end(topic, "phx_error" if event == "crash" else "phx_close", {})

    def end(self, topic, event, payload):
        join_ref = self.channels.pop(topic)
        self.push(join_ref, join_ref, topic, event, payload)

    def receive_binary(self, message):
        """A push: its kind, the sizes of four fields, the fields, and the payload. It is answered with its payload."""
        kind, *sizes = message[:5]
        assert kind == 0
        fields, offset = [], 5
        for size in sizes:
            fields.append(message[offset:offset + size])
            offset += size
        join_ref, ref, topic, _ = fields
        reply = bytes([1, len(join_ref), len(ref), len(topic), 2]) + join_ref + ref + topic + b"ok" + message[offset:]
        with lock:
            self.stream.send(wire.frame(wire.BINARY, reply))


def serve(sock, heartbeat):
    stream = wire.Stream(sock)
    request = stream.read_head()
    target = urllib.parse.urlsplit(request.split(b" ")[1].decode())
    query = urllib.parse.parse_qs(target.query)
    if target.path != "/socket/websocket" or query.get("vsn") != ["2.0.0"] or query.get("token", ["t"]) != ["t"]:
        stream.send(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        return
    stream.send(wire.upgrade_response(request))
    sock.settimeout(heartbeat)
    client = Client(stream)
    clients.add(client)
    try:
        while frame := stream.read_frame():
            if frame.opcode == wire.TEXT:
                client.receive(*json.loads(frame.payload))
            elif frame.opcode == wire.BINARY:
                client.receive_binary(frame.payload)
            elif frame.opcode == wire.PING:
                with lock:
                    stream.send(wire.frame(wire.PONG, frame.payload))
            elif frame.opcode == wire.CLOSE:
                with lock:
                    stream.send(wire.frame(wire.CLOSE, frame.payload))
                return
    except TimeoutError:
        stream.send(wire.close(1000))
    finally:
        clients.discard(client)


def run(sock, heartbeat):
    with sock:
        try:
            serve(sock, heartbeat)
        except OSError:
            pass


def main():
    heartbeat = float(sys.argv[2]) if len(sys.argv) > 2 else 60
    with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as listener:
        print(listener.getsockname()[1], flush=True)
        while True:
            threading.Thread(target=run, args=(listener.accept()[0], heartbeat), daemon=True).start()


main()
