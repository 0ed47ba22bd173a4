"""An echo server on Python's websockets; prints its port."""

import asyncio

import websockets


async def echo(connection, path=None):
    async for message in connection:
        await connection.send(message)


async def main():
    async with websockets.serve(echo, "127.0.0.1", 0, max_size=None, ping_interval=None) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.Future()


asyncio.run(main())
