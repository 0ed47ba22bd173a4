"""A server that writes each message to a file before it reads on. It may be killed at any moment.

    recording_server.py PORT FILE

Prints its port, `connection` for each client, and `pong` for each answered ping. Every message sent before that ping is
then in the file. PORT is 0 for a free port, or the port of the killed server.
"""

import pathlib
import socket
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import wire  # noqa: E402


def serve(stream, file):
    request = stream.read_head()
    if not request.endswith(b"\r\n\r\n"):
        return
    stream.send(wire.upgrade_response(request))
    print("connection", flush=True)
    while frame := stream.read_frame():
        if frame.opcode == wire.TEXT:
            file.write(frame.payload + b"\n")
        elif frame.opcode == wire.PING:
            stream.send(wire.frame(wire.PONG, frame.payload))
            print("pong", flush=True)
        elif frame.opcode == wire.CLOSE:
            stream.send(wire.frame(wire.CLOSE, frame.payload))
            return


def main():
    port, path = sys.argv[1:]
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", int(port)))
    listener.listen(512)
    print(listener.getsockname()[1], flush=True)
    # Unbuffered, so everything written survives the death of this process.
    with open(path, "ab", buffering=0) as file:
        while True:
            with listener.accept()[0] as sock:
                try:
                    serve(wire.Stream(sock), file)
                except OSError:
                    pass


main()
