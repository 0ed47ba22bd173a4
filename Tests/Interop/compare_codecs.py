#!/usr/bin/env python3
"""Compares the codecs of wsx with the packages msgpack and cbor2 on random values, in both directions.

    WSX=.build/release/wsx python3 Tests/Interop/compare_codecs.py 100000

A server sends the values as binary messages, and wsx prints them as JSON. Then wsx sends that JSON, and the packages
decode what the server receives.
"""

import asyncio
import os
import sys

import codec_values
import websockets

BATCH = 5_000
WSX = os.environ.get("WSX", ".build/release/wsx")


async def run(handler, options, lines=None):
    """Runs wsx against a server with the handler, and returns its output."""
    async with websockets.serve(handler, "127.0.0.1", 0, max_size=None, compression=None) as server:
        port = server.sockets[0].getsockname()[1]
        process = await asyncio.create_subprocess_exec(
            WSX, "connect", "--quiet", *options, f"ws://127.0.0.1:{port}/",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
        if lines is not None:
            return (await process.communicate(lines))[0]
        # Without input, wsx stays until the server closes.
        output = await process.stdout.read()
        await process.communicate()
        return output


async def compare(format, values):
    messages = [codec_values.encode(format, value) for value in values]
    received = []

    async def send(socket):
        for message in messages:
            await socket.send(message)
        await socket.close()

    async def receive(socket):
        async for message in socket:
            received.append(message)

    output = await run(send, ["--decode", format])
    lines = output.decode().splitlines()
    assert len(lines) == len(messages), (len(lines), len(messages))
    for value, message, line in zip(values, messages, lines):
        assert codec_values.is_same(codec_values.value_of(line), value), (message.hex(), line)
    await run(receive, ["--encode", format], output)
    assert len(received) == len(messages), (len(received), len(messages))
    for message, back in zip(messages, received):
        expected, actual = codec_values.decode(format, message), codec_values.decode(format, back)
        assert codec_values.is_same(expected, actual), (message.hex(), back.hex())


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else BATCH
    for format in codec_values.FORMATS:
        for start in range(0, count, BATCH):
            values = codec_values.random_values(format, min(BATCH, count - start), seed=start)
            asyncio.run(compare(format, values))
        print(f"{format}: {count} values are the same")


if __name__ == "__main__":
    main()
