"""Hypercorn, which speaks WebSocket over HTTP/2: `hypercorn_server.py [CERTIFICATE KEY [AUTHORITY]]`. It prints its port.

With AUTHORITY, clients need a certificate. The environment variable PORT is the port, if it is set. `/` echoes, and
`/fields` sends the scope of the request first. `/refused` rejects the upgrade with 403 and a body, `/moved` redirects to
`/`, `/login` requires the user `me`, and `/closed` closes with 4001."""

import asyncio
import base64
import json
import os
import socket
import sys

from hypercorn.asyncio import serve
from hypercorn.config import Config

LOGIN = b"Basic " + base64.b64encode(b"me:geheim")


async def refuse(send, status, body=b"", headers=()):
    await send({"type": "websocket.http.response.start", "status": status, "headers": list(headers)})
    await send({"type": "websocket.http.response.body", "body": body})


async def app(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 404, "headers": []})
        return await send({"type": "http.response.body", "body": b"no page"})
    if scope["type"] != "websocket":
        return
    await receive()
    path, fields = scope["path"], dict(scope["headers"])
    if path == "/refused":
        return await refuse(send, 403, b"not you\n", [(b"content-type", b"text/plain")])
    if path == "/moved":
        return await refuse(send, 302, b"", [(b"location", b"/fields"), (b"set-cookie", b"visit=1")])
    if path == "/login" and fields.get(b"authorization") != LOGIN:
        return await refuse(send, 401, b"", [(b"www-authenticate", b'Basic realm="test"')])
    await send({
        "type": "websocket.accept", "subprotocol": next(iter(scope["subprotocols"]), None),
        "headers": [(b"x-server", b"hypercorn")]})
    if path == "/fields":
        shown = {name.decode(): value.decode() for name, value in fields.items()}
        await send({"type": "websocket.send", "text": json.dumps({"http": scope["http_version"], "headers": shown})})
    if path == "/closed":
        return await send({"type": "websocket.close", "code": 4001, "reason": "enough"})
    while (event := await receive())["type"] == "websocket.receive":
        if event.get("text") is not None:
            await send({"type": "websocket.send", "text": event["text"]})
        else:
            await send({"type": "websocket.send", "bytes": event["bytes"]})


config = Config()
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("127.0.0.1", int(os.environ.get("PORT", "0"))))
listener.listen(128)
config.bind = [f"fd://{listener.fileno()}"]
config.errorlog = None
config.websocket_max_message_size = 256 << 20
config.h2_max_concurrent_streams = 1000
if len(sys.argv) > 2:
    config.certfile, config.keyfile = sys.argv[1:3]
if len(sys.argv) > 3:
    import ssl
    config.ca_certs, config.verify_mode = sys.argv[3], ssl.CERT_REQUIRED


async def main():
    print(listener.getsockname()[1], flush=True)
    await serve(app, config, shutdown_trigger=asyncio.Event().wait)


asyncio.run(main())
