"""A client based on websockets (PyPI). Sends its arguments after the count as messages, prints that many messages, and
closes with 4123.

    websockets_client.py URL COUNT MESSAGE...
"""

import sys

import websockets.sync.client

url, count, *messages = sys.argv[1:]
with websockets.sync.client.connect(url, proxy=None, max_size=None) as socket:
    # The peer that answers is the server.
    assert socket.ping("are you there?").wait(60)
    for message in messages:
        socket.send(message)
    for _ in range(int(count)):
        message = socket.recv()
        print(message if isinstance(message, str) else message.hex())
    socket.close(4123, "over")
    print(f"closed {socket.close_code} {socket.close_reason}")
