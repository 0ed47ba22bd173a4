"""A Socket.IO client, based on python-socketio and aiohttp (PyPI), for socketio_server.py.

    socketio_client.py URL TRANSPORT...

Prints the transport it ends up with, and the replies and the number of events it gets.
"""

import asyncio
import json
import sys

import socketio


async def main():
    url, *transports = sys.argv[1:]
    client = socketio.AsyncClient(reconnection=False)
    numbers, all_arrived = [], asyncio.Event()

    @client.on("n")
    def receive(number):
        numbers.append(number)
        if number == 9:
            all_arrived.set()

    await client.connect(url, auth={"token": "t"}, transports=transports, wait_timeout=30)
    reply = await client.call("chat", ("grüße", {"a": [1]}), timeout=60)
    reversed_bytes = await client.call("bytes", bytes(range(256)), timeout=60)
    await client.emit("flood", 10)
    await asyncio.wait_for(all_arrived.wait(), 60)
    print(json.dumps([client.transport(), reply, reversed_bytes == bytes(range(256))[::-1], numbers == list(range(10))]))
    # With long polling, that would last until the next ping.
    if client.transport() == "websocket":
        await client.disconnect()


asyncio.run(main())
