"""A server that sends exactly the bytes a test specifies."""

import os
import socket
import struct
import threading

import wire


class Peer(wire.Stream):
    """The server's end of one connection."""

    request = None

    def start_tls(self, context):
        """Continues inside TLS. From then on, an end without a close_notify is an error."""
        self.sock = context.wrap_socket(self.sock, server_side=True, suppress_ragged_eofs=False)

    def read_request(self):
        self.request = self.read_head()
        return self.request

    def upgrade(self, *fields, accept=None, then=b""):
        """Accepts the client. `then` is sent in the same write as the response."""
        self.send(wire.upgrade_response(self.request or self.read_request(), *fields, accept=accept) + then)

    def read_next(self):
        """Answers pings, and returns the next other frame."""
        while (received := self.read_frame()) is not None and received.opcode == wire.PING:
            self.send(wire.frame(wire.PONG, received.payload))
        return received

    def answer_close(self):
        """Reads up to the client's close frame, answers pings, echoes the close frame, and returns it."""
        while (received := self.read_frame()) is not None and received.opcode != wire.CLOSE:
            if received.opcode == wire.PING:
                self.send(wire.frame(wire.PONG, received.payload))
        if received is not None:
            self.send(wire.frame(wire.CLOSE, received.payload))
        return received

    def reset(self):
        """Ends the connection with a TCP reset."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()


class ScriptedServer:
    """Runs `script(peer)` in a thread for every connection, on a free loopback port or a socket file.

    With a `context`, connections use TLS.

    `results` holds the return values of scripts in the order of their connections. An exception in a script fails the
    test when the block ends.
    """

    def __init__(self, script, path=None, receive_buffer=None, address="127.0.0.1", port=0, context=None):
        self.script = script
        self.path = path
        self.context = context
        self._host = f"[{address}]" if ":" in address else address
        self._results = {}
        self.connection_count = 0
        self._errors = []
        self._threads = []
        self._lock = threading.Lock()
        self._peers = []
        if path is None:
            self._listener = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if receive_buffer:
                self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            self._listener.bind((address, port))
            self.port = self._listener.getsockname()[1]
        else:
            self._listener = socket.socket(socket.AF_UNIX)
            self._listener.bind(os.fspath(path))
        self._listener.listen(512)

    @property
    def url(self):
        scheme = "wss" if self.context else "ws"
        return f"{scheme}://{self._host}:{self.port}/" if self.path is None else f"{scheme}+unix:{self.path}"

    def __enter__(self):
        self._acceptor = threading.Thread(target=self._accept, daemon=True)
        self._acceptor.start()
        return self

    def __exit__(self, kind, error, trace):
        # shutdown wakes the thread that blocks in accept; close alone does not.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._acceptor.join(60)
        self._listener.close()
        for thread in self._threads:
            thread.join(0 if kind else 10)
        for peer in self._peers:
            peer.sock.close()
        if kind is None:
            assert not any(thread.is_alive() for thread in self._threads), "a script of the server did not end"
            if self._errors:
                raise self._errors[0]

    @property
    def results(self):
        """Waits for the scripts of the connections that have been accepted."""
        with self._lock:
            threads = self._threads.copy()
        for thread in threads:
            thread.join(60)
        return self.ended_results

    @property
    def ended_results(self):
        """The results of the scripts that have ended, for tests that go on while others run."""
        return [result for _, result in sorted(self._results.copy().items())]

    def _accept(self):
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self.connection_count += 1
            sock.settimeout(60)
            peer = Peer(sock)
            self._peers.append(peer)
            thread = threading.Thread(target=self._run, args=(self.connection_count, peer), daemon=True)
            with self._lock:
                self._threads.append(thread)
                thread.start()

    def _run(self, number, peer):
        try:
            if self.context:
                peer.start_tls(self.context)
            self._results[number] = self.script(peer)
        except Exception as error:
            self._errors.append(error)
        finally:
            peer.sock.close()
