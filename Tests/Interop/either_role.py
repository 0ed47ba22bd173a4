"""wsx as a client and as a server, with the test as its peer, so one test covers both roles."""

import base64
import json
import socket

import wire
from processes import BINARY, Listener, Running

ROLES = ["connect", "listen"]
NAMES = {"connect": "client", "listen": "server"}


def agreement(role, own_bits=None, own_is_alone=False, peer_bits=None, peer_is_alone=False):
    """Returns a permessage-deflate offer or answer that sets these parameters for wsx (own) and for the test (peer)."""
    own, peer = (NAMES[role], NAMES["listen" if role == "connect" else "connect"])
    parameters = ["permessage-deflate"]
    for name, bits, is_alone in [(own, own_bits, own_is_alone), (peer, peer_bits, peer_is_alone)]:
        parameters += [f"{name}_max_window_bits={bits}"] if bits else []
        parameters += [f"{name}_no_context_takeover"] if is_alone else []
    return "; ".join(parameters)


class PeerOf(wire.Stream):
    """The test's end of a connection to wsx. wsx runs until the block ends.

    wsx reads NUL-terminated messages from standard input and writes JSON events to standard output.
    """

    def __init__(self, role, *arguments, extensions="permessage-deflate", receive_buffer=None):
        self.role = role
        # An echo server reads no input and writes no messages.
        arguments = [*arguments] if "--echo" in arguments else ["--input", "nul", "--output", "json", *arguments]
        fields = [f"Sec-WebSocket-Extensions: {extensions}".encode()] if extensions else []
        if role == "connect":
            self._connect(arguments, fields, receive_buffer)
        else:
            self._listen(arguments, fields, receive_buffer)

    def _connect(self, arguments, fields, receive_buffer):
        with socket.socket() as listener:
            if receive_buffer:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            url = f"ws://127.0.0.1:{listener.getsockname()[1]}/"
            self.program = Running([BINARY, "connect", *arguments, url], stdin=-1)
            listener.settimeout(60)
            super().__init__(listener.accept()[0])
        self.sock.settimeout(60)
        # The extensions wsx offers as a client, or accepts as a server.
        request = self.read_head()
        self.extensions = wire.field(request, wire.EXTENSIONS)
        self.send(wire.upgrade_response(request, *fields))

    def _listen(self, arguments, fields, receive_buffer):
        self.program = Listener(*arguments, stdin=-1)
        super().__init__(socket.socket())
        self.sock.settimeout(60)
        if receive_buffer:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.sock.connect(("127.0.0.1", self.program.port))
        self.send(wire.upgrade_request(self.program.port, "/", *fields))
        response = self.read_head()
        assert response.startswith(b"HTTP/1.1 101 "), response
        self.extensions = wire.field(response, wire.EXTENSIONS)

    def __enter__(self):
        return self

    def __exit__(self, *arguments):
        self.sock.close()
        self.program.__exit__(*arguments)

    @property
    def pid(self):
        return self.program.pid

    def frame(self, *arguments, **options):
        """Returns the bytes of a frame, masked if this end is the client."""
        return wire.frame(*arguments, is_masked=self.role == "listen", **options)

    def compressed(self, opcode, data, **options):
        """Returns the bytes of a compressed message in one frame."""
        return self.frame(opcode, data, reserved=wire.RSV1, **options)

    def close(self):
        """Returns the bytes of a normal close frame."""
        return wire.close(1000, is_masked=self.role == "listen")

    def received(self):
        """Ends the connection and returns the messages wsx received, as pairs of opcode and payload."""
        self.sock.close()
        self.program.wait_for('"type":"close"', "out")
        messages = []
        for line in self.program.out.splitlines():
            event = json.loads(line)
            if event["type"] == "message" and event["direction"] == "in":
                is_text = event["opcode"] == "text"
                payload = event["data"].encode() if "data" in event else base64.b64decode(event["base64"])
                messages.append((wire.TEXT if is_text else wire.BINARY, payload))
        return messages
