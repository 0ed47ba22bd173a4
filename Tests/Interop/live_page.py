"""A page of `--page`, as wsx sees it: the events it gets, and what it asks for."""

import json
import socket

import wire


def address(program):
    """The port and the token of the page of a program."""
    match = program.wait_for(r"Live page at http://[^/]*:(\d+)/#([0-9a-f]{32})\n")
    return int(match.group(1)), match.group(2).decode()


def request(port, token, *fields, host=None, protocols="wsx-page, {}"):
    """The first line of the response to the upgrade of a page, and the stream."""
    stream = wire.Stream(socket.create_connection(("127.0.0.1", port), timeout=60))
    lines = wire.upgrade_request(port, "/", *fields)
    offered = f"Sec-WebSocket-Protocol: {protocols.format(token)}\r\n\r\n".encode()
    text = lines[:-2] + offered if protocols else lines
    if host:
        text = text.replace(f"Host: 127.0.0.1:{port}".encode(), f"Host: {host}".encode())
    stream.send(text)
    head = stream.read_head()
    return int(head.split()[1]), head, stream


class Page:
    """An open page. `events` are those that it has got so far."""

    def __init__(self, program):
        self.port, self.token = address(program)
        status, head, self.stream = request(self.port, self.token)
        assert status == 101 and wire.field(head, b"Sec-WebSocket-Protocol") == b"wsx-page"
        self.events = []
        self.hello = self.wait(type="hello")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stream.sock.close()

    def ask(self, **action):
        self.stream.send(wire.text(json.dumps(action), is_masked=True))

    def wait(self, **members):
        """The next event that has these members. Skipped ones remain in `events`."""
        index = getattr(self, "_next", 0)
        while True:
            while index < len(self.events):
                event = self.events[index]
                index += 1
                if all(event.get(name) == value for name, value in members.items()):
                    self._next = index
                    return event
            frame = self.stream.read_frame()
            assert frame is not None and frame.opcode == wire.TEXT, (frame, members, self.events[-5:])
            self.events += [json.loads(line) for line in frame.payload.decode().split("\n")]

    def messages(self, **members):
        return [event for event in self.events if event["type"] == "message"
                and all(event.get(name) == value for name, value in members.items())]

    def read_to_close(self):
        """Reads the last events and returns the close code."""
        while (frame := self.stream.read_frame()).opcode == wire.TEXT:
            self.events += [json.loads(line) for line in frame.payload.decode().split("\n")]
        return frame.close_code
