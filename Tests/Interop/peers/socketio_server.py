"""A Socket.IO server, based on python-socketio and aiohttp (PyPI).

    socketio_server.py PORT [PING_INTERVAL [PING_TIMEOUT]]

The default namespace needs the payload {"token":"t"}; /admin needs none. Events: `chat` is acknowledged with its
arguments, `count` with the number of `chat` events since the last `count` and that of different ones, `bytes` sends
binary data back in an event and in its acknowledgement, `flood N` sends N events `n`, `ask` sends an event that wants
an acknowledgement and then `answered` with it, `join ROOM` joins a room, `say TEXT [true]` sends `said` to all others
in it (with `true`, with the faults of deliveries.py), and `leave` disconnects the client.
"""

import asyncio
import json
import pathlib
import sys

import socketio
from aiohttp import web

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from deliveries import Deliveries  # noqa: E402


def make_server(ping_interval=25, ping_timeout=20):
    server = socketio.AsyncServer(async_mode="aiohttp", ping_interval=ping_interval, ping_timeout=ping_timeout)
    chats = []
    rooms = {}
    deliveries = Deliveries()
    saying = asyncio.Lock()

    @server.on("connect")
    async def connect(sid, environ, auth):
        if not isinstance(auth, dict) or auth.get("token") != "t":
            raise socketio.exceptions.ConnectionRefusedError("wrong token")

    @server.on("connect", namespace="/admin")
    async def connect_admin(sid, environ, auth):
        pass

    @server.on("chat")
    @server.on("chat", namespace="/admin")
    async def chat(sid, *arguments):
        chats.append(json.dumps(arguments))
        return arguments

    @server.on("count")
    async def count(sid):
        result = len(chats), len(set(chats))
        chats.clear()
        return result

    @server.on("bytes")
    async def send_bytes(sid, data):
        await server.emit("bytes", {"data": data}, to=sid)
        return data[::-1]

    @server.on("flood")
    async def flood(sid, count):
        for number in range(count):
            await server.emit("n", number, to=sid)

    @server.on("ask")
    async def ask(sid):
        def answered(*arguments):
            server.start_background_task(server.emit, "answered", len(arguments), to=sid)

        await server.emit("question", 1, to=sid, callback=answered)

    @server.on("join")
    async def join(sid, room):
        rooms[sid] = room

    @server.on("say")
    async def say(sid, text, is_faulty=False):
        # Each event has a task, which would overtake others while it waits.
        async with saying:
            for reader in [reader for reader, room in rooms.items() if room == rooms[sid] and reader != sid]:
                for copy in deliveries.copies(reader, text) if is_faulty else [text]:
                    await server.emit("said", {"from": sid, "text": copy}, to=reader)

    @server.on("leave")
    @server.on("leave", namespace="/admin")
    async def leave(sid):
        for namespace in ("/", "/admin"):
            await server.disconnect(sid, namespace=namespace)

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
