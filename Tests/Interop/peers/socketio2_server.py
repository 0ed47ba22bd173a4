"""A Socket.IO 2 server, based on python-socketio 4 and aiohttp (PyPI).

    socketio2_server.py PORT [PING_INTERVAL [PING_TIMEOUT]]

Events: `chat` is acknowledged with its arguments, also in /admin, `bytes` sends binary data back in an event and in its
acknowledgement, and `flood N` sends N events `n`. A request with ?token=x is refused.
"""

import asyncio
import sys

import socketio
from aiohttp import web

# python-socketio 4 passes coroutines, which Python 3.11 forbids.
wait = asyncio.wait
asyncio.wait = lambda tasks, **options: wait([asyncio.ensure_future(task) for task in tasks], **options)


def make_server(ping_interval=25, ping_timeout=60):
    server = socketio.AsyncServer(async_mode="aiohttp", ping_interval=ping_interval, ping_timeout=ping_timeout)

    @server.on("connect")
    async def connect(sid, environ):
        if "token=x" in environ["QUERY_STRING"]:
            raise socketio.exceptions.ConnectionRefusedError("wrong token")

    @server.on("connect", namespace="/admin")
    async def connect_admin(sid, environ):
        pass

    @server.on("chat")
    @server.on("chat", namespace="/admin")
    async def chat(sid, *arguments):
        return arguments

    @server.on("bytes")
    async def send_bytes(sid, data):
        await server.emit("bytes", {"data": data}, to=sid)
        return data[::-1]

    @server.on("flood")
    async def flood(sid, count):
        for number in range(count):
            await server.emit("n", number, to=sid)

    return server


async def main():
    port, *ping_times = map(float, sys.argv[1:])
    app = web.Application()
    make_server(*ping_times).attach(app)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", int(port)).start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Future()


asyncio.run(main())
