"""An echo server with five faults. On SIGTERM, it prints how often each one has happened.

    faulty_echo.py PORT
"""

import asyncio
import collections
import contextlib
import http
import json
import signal
import sys

from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

# Every N-th handshake is refused; every N-th client is closed after 40 messages; every N-th reply has one of the others.
REFUSED, CLOSED, LOST, ALTERED, DELAYED = 10, 5, 200, 150, 50
DELAY_S = 0.08

counts = collections.Counter()


def check(connection, request):
    counts["handshakes"] += 1
    if counts["handshakes"] % REFUSED == 0:
        counts["refused with 429"] += 1
        return connection.respond(http.HTTPStatus.TOO_MANY_REQUESTS, "later\n")


async def echo(connection):
    counts["clients"] += 1
    number, received = counts["clients"], 0
    async for message in connection:
        counts["received"] += 1
        received += 1
        if number % CLOSED == 0 and received == 40:
            counts["closed with 1011"] += 1
            return await connection.close(1011, "overloaded")
        total = counts["received"]
        if total % LOST == 0:
            counts["lost"] += 1
            continue
        if total % ALTERED == 0:
            counts["altered"] += 1
            message = message[:-1] + "X"
        if total % DELAYED == 0:
            counts["delayed"] += 1
            await asyncio.sleep(DELAY_S)
        with contextlib.suppress(ConnectionClosed):
            await connection.send(message)


async def main():
    loop = asyncio.get_running_loop()
    stop = loop.create_future()
    loop.add_signal_handler(signal.SIGTERM, stop.set_result, None)
    async with serve(echo, "127.0.0.1", int(sys.argv[1]), process_request=check, compression=None, ping_interval=None):
        await stop
    print(json.dumps(counts), flush=True)


asyncio.run(main())
