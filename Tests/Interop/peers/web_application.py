"""A web application, based on uvicorn (PyPI), that is strict about the origin of its requests.

    web_application.py PORT [WEBSOCKET_IMPLEMENTATION]

| path | |
| --- | --- |
| / | a page for those who are logged in; others are redirected to /login |
| /login | a form, whose POST sets a cookie and redirects to / with an absolute URL |
| /upload | a POST with a file, as a form or not; the answer is its SHA-256 |
| /download?N | N bytes in chunks |
| /events | one event, and then none |
| /live | a WebSocket with the subprotocol `chat` for those who are logged in |
| /echo | a WebSocket for everyone |

A request other than GET, and an upgrade to /live, must have the Origin of the application. WebSockets echo messages, and
close with the code and reason of `close CODE REASON`.
"""

import hashlib
import http.cookies
import json
import sys

import uvicorn

LOGIN = b"""<!doctype html><title>Log in</title>
<form method="post" action="/login"><input name="user" value="ann"><button>Log in</button></form>"""
HOME = b"<!doctype html><title>Home</title><p>Hello, ann"


async def application(scope, receive, send):
    if scope["type"] == "lifespan":
        return
    fields = {name.decode(): value.decode("latin-1") for name, value in scope["headers"]}
    own = f"http://{fields['host']}"
    is_logged_in = "session" in http.cookies.SimpleCookie(fields.get("cookie", ""))
    if scope["type"] == "websocket":
        await receive()
        is_allowed = scope["path"] == "/echo" or (is_logged_in and fields.get("origin") == own)
        return await (converse(scope, receive, send) if is_allowed else send({"type": "websocket.close"}))

    async def answer(status, body=b"", *more):
        await send({"type": "http.response.start", "status": status, "headers": [
            (b"content-type", b"text/html"), (b"content-length", b"%d" % len(body)), *more]})
        await send({"type": "http.response.body", "body": body})

    method, path = scope["method"], scope["path"]
    if method != "GET":
        body = await read_body(receive)
        if fields.get("origin") != own:
            return await answer(403, b"another origin")
    if path == "/" and is_logged_in:
        await answer(200, HOME)
    elif path == "/":
        await answer(303, b"", (b"location", b"/login"))
    elif path == "/login" and method == "POST":
        cookie = f"session=ann; Path=/; HttpOnly; SameSite=Strict; Domain={fields['host'].split(':')[0]}"
        await answer(303, b"", (b"location", f"{own}/".encode()), (b"set-cookie", cookie.encode()))
    elif path == "/login":
        await answer(200, LOGIN)
    elif path == "/upload":
        if fields.get("content-type", "").startswith("multipart/form-data"):
            body = body.split(b"\r\n\r\n", 1)[1].rsplit(b"\r\n--", 1)[0]
        await answer(200, hashlib.sha256(body).hexdigest().encode())
    elif path == "/download":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        piece = bytes(1000)
        for _ in range(int(scope["query_string"]) // len(piece)):
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body"})
    elif path == "/events":
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        await send({"type": "http.response.body", "body": b"data: first\n\n", "more_body": True})
        while (await receive())["type"] != "http.disconnect":
            pass
    else:
        await answer(404)


async def read_body(receive):
    body = bytearray()
    while True:
        event = await receive()
        body += event.get("body", b"")
        if not event.get("more_body"):
            return bytes(body)


async def converse(scope, receive, send):
    chosen = "chat" if "chat" in scope["subprotocols"] else None
    await send({"type": "websocket.accept", "subprotocol": chosen})
    while (event := await receive())["type"] == "websocket.receive":
        text = event.get("text")
        if text and text.startswith("close "):
            _, code, reason = text.split(" ")
            return await send({"type": "websocket.close", "code": int(code), "reason": reason})
        await send({"type": "websocket.send", "text": text, "bytes": event.get("bytes")})
    print(json.dumps(event), flush=True)


uvicorn.run(
    application, host="127.0.0.1", port=int(sys.argv[1]), ws=(sys.argv[2:] or ["auto"])[0], ws_max_size=64 << 20,
    lifespan="off", log_level="warning")
