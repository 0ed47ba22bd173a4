"""A STOMP 1.2 broker, written from the specification.

    stomp_server.py PORT

The user is `me`, with the passcode `geheim`. Each message goes to all subscriptions of its destination. The broker
sends and expects heart-beats as often as the client asks for.
"""

import itertools
import threading

import standin

ESCAPES = {"\\r": "\r", "\\n": "\n", "\\c": ":", "\\\\": "\\"}
message_ids = itertools.count(1)


class Subscriber(standin.Client):
    subprotocol = "v12.stomp"

    def __init__(self, stream, query):
        super().__init__(stream, query)
        # The destinations by subscription id.
        self.subscriptions = {}
        self.is_connected = False
        self.ended = threading.Event()

    def run(self):
        try:
            super().run()
        except TimeoutError:
            # Heart-beating: the other end is considered dead.
            self.close(1002, "no heart-beat")
        finally:
            self.ended.set()

    def frame(self, command, headers, body=""):
        # CONNECTED frames have no escapes, for STOMP 1.0.
        escape = str if command == "CONNECTED" else escaped
        lines = [f"{name}:{escape(value)}" for name, value in headers.items()]
        self.send("\n".join([command, *lines, "", body]) + "\0")

    def received(self, message):
        # A message of line ends is a heart-beat.
        for text in message.split("\0")[:-1]:
            head, _, body = text.lstrip("\r\n").partition("\n\n")
            command, *lines = head.split("\n")
            headers = {}
            for name, _, value in (line.partition(":") for line in lines):
                # "If a client … receives repeated frame header entries, only the first header entry SHOULD be used".
                headers.setdefault(name, value if command == "CONNECT" else unescaped(value))
            self.handle(command, headers, body)

    def handle(self, command, headers, body):
        if not self.is_connected:
            return self.connect(command, headers)
        if command == "SUBSCRIBE":
            self.subscriptions[headers["id"]] = headers["destination"]
        elif command == "UNSUBSCRIBE":
            self.subscriptions.pop(headers["id"])
        elif command == "SEND":
            for client in list(standin.clients):
                client.deliver(headers, body)
        elif command != "DISCONNECT":
            return self.error("unknown command", f"the command {command} is unknown")
        if "receipt" in headers:
            self.frame("RECEIPT", {"receipt-id": headers["receipt"]})

    def deliver(self, headers, body):
        kept = {name: value for name, value in headers.items() if name not in ("receipt", "content-length")}
        for identifier, destination in list(self.subscriptions.items()):
            if destination == headers["destination"]:
                self.frame("MESSAGE", {
                    **kept, "subscription": identifier, "message-id": next(message_ids),
                    "content-length": len(body.encode())}, body)

    def connect(self, command, headers):
        if command not in ("CONNECT", "STOMP") or "1.2" not in headers.get("accept-version", "1.0").split(","):
            return self.error("version mismatch", "Supported protocol versions are 1.2")
        if (headers.get("login"), headers.get("passcode")) != ("me", "geheim"):
            return self.error("Bad CONNECT", f"Access refused for user '{headers.get('login', '')}'")
        self.is_connected = True
        can_send, wants = map(int, headers.get("heart-beat", "0,0").split(","))
        self.frame("CONNECTED", {"version": "1.2", "heart-beat": f"{wants},{can_send}", "server": "standin/1"})
        if can_send:
            # "the receiver SHOULD take into account an error margin".
            self.stream.sock.settimeout(can_send / 1000 + 5)
        if wants:
            threading.Thread(target=self.beat, args=(wants / 1000,), daemon=True).start()

    def beat(self, interval):
        try:
            while not self.ended.wait(interval):
                self.send("\n")
        except OSError:
            pass

    def error(self, title, details):
        # "the server … MUST then close the connection just after sending the ERROR frame".
        self.frame("ERROR", {"message": title}, details)
        self.close(1002)


def escaped(value):
    value = str(value).replace("\\", "\\\\")
    return value.replace("\r", "\\r").replace("\n", "\\n").replace(":", "\\c")


def unescaped(value):
    parts = value.split("\\\\")
    for escape, character in list(ESCAPES.items())[:3]:
        parts = [part.replace(escape, character) for part in parts]
    return "\\".join(parts)


standin.serve(Subscriber)
