"""An echo server based on Python's websockets. Prints its port, and the compression negotiated with each client.

    websockets_echo.py [OPTIONS]

OPTIONS are the keyword arguments of ServerPerMessageDeflateFactory, as JSON.
"""

import asyncio
import json
import sys

import websockets
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory


async def echo(connection, path=None):
    # From websockets 14 on, `connection.protocol` has them.
    for extension in getattr(connection, "protocol", connection).extensions:
        print(extension, flush=True)
    async for message in connection:
        await connection.send(message)


async def main():
    options = {}
    if len(sys.argv) > 1:
        options["extensions"] = [ServerPerMessageDeflateFactory(**json.loads(sys.argv[1]))]
    server = websockets.serve(echo, "127.0.0.1", 0, max_size=None, ping_interval=None, **options)
    async with server as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.Future()


asyncio.run(main())
