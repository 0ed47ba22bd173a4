"""A chat service with logins, rooms, and heartbeats, which injects faults and keeps a log.

    chat_service.py [JSON]

| member | meaning | default |
| --- | --- | --- |
| `delay` | the seconds from a request to its reply | 0 |
| `late` | the seconds from a request to a reply that is injected late | 3 |
| `faults` | how many of 1,000 replies are injected wrong, late, or not at all | 0 |
| `heartbeat` | the seconds between heartbeats; a client that misses three is closed | 1 |

A client first sends `{"op":"login","user":U,"token":T}`. Its requests carry an `id` and the session from the reply. The
service prints its port. When its standard input ends, it prints its log as JSON: for each operation, the number of
replies of each kind, and the seconds that each correct one took.
"""

import asyncio
import collections
import hashlib
import json
import secrets
import sys
import time
import zlib

import websockets

SETTINGS = {"delay": 0, "late": 3, "faults": 0, "heartbeat": 1} | json.loads(sys.argv[1] if sys.argv[1:] else "{}")
FAULTS = ["wrong", "late", "lost"]

rooms = collections.defaultdict(set)
history = collections.defaultdict(lambda: collections.deque(maxlen=10))
# How often each user has requested each operation, on all its connections.
request_counts = collections.Counter()
log = {"replies": collections.defaultdict(collections.Counter), "seconds": collections.defaultdict(list),
       "pushes": 0, "answered_heartbeats": 0, "missed_heartbeats": 0, "rejected": 0}


def token_of(user):
    """The token that a user has to present."""
    return hashlib.sha256(f"secret of {user}".encode()).hexdigest()[:16]


def fault_of(user, operation):
    """The fault to inject into the next reply to a user, or `None`. It is the same in each run."""
    request_counts[user, operation] += 1
    number = zlib.crc32(f"{user}/{operation}/{request_counts[user, operation]}".encode()) % 1000
    return FAULTS[number % len(FAULTS)] if number < SETTINGS["faults"] else None


class Client:
    def __init__(self, socket):
        self.socket = socket
        self.user = self.session = None
        self.joined = set()
        self.missed = 0

    async def send(self, message):
        try:
            await self.socket.send(json.dumps(message))
            return True
        except websockets.ConnectionClosed:
            return False

    async def reply(self, request, begin, fault, **members):
        log["replies"][request["op"]][fault or "correct"] += 1
        delay = SETTINGS["late"] if fault == "late" else SETTINGS["delay"]
        if delay:
            await asyncio.sleep(delay)
        if fault == "lost":
            return
        await self.send({"id": request.get("id"), "ok": fault != "wrong", **members})
        if fault is None:
            log["seconds"][request["op"]].append(time.perf_counter() - begin)

    async def push(self, room, message):
        for other in [*rooms[room]]:
            if other is not self and await other.send(message):
                log["pushes"] += 1

    async def handle(self, request, begin):
        operation = request["op"]
        if operation == "login":
            if request["token"] != token_of(request["user"]):
                log["rejected"] += 1
                return await self.socket.close(4401, "wrong token")
            self.user, self.session = request["user"], secrets.token_hex(8)
            return await self.reply(request, begin, fault_of(self.user, operation), type="welcome", session=self.session)
        if request.get("session") != self.session:
            log["rejected"] += 1
            return await self.socket.close(4403, "wrong session")
        room = request.get("room")
        members = {}
        match operation:
            case "join":
                rooms[room].add(self)
                self.joined.add(room)
            case "say":
                history[room].append(request["text"])
                await self.push(room, {"event": "said", "room": room, "text": request["text"]})
                members["text"] = request["text"]
            case "history":
                members["texts"] = [*history[room]]
            case "who":
                members["count"] = len(rooms[room])
            case "leave":
                rooms[room].discard(self)
                self.joined.discard(room)
        await self.reply(request, begin, fault_of(self.user, operation), **members)

    async def beat(self):
        while True:
            await asyncio.sleep(SETTINGS["heartbeat"])
            self.missed += 1
            if self.missed > 3:
                log["missed_heartbeats"] += 1
                return await self.socket.close(4408, "no heartbeat")
            await self.send({"event": "heartbeat"})

    async def run(self):
        beat = asyncio.create_task(self.beat())
        tasks = set()
        try:
            async for text in self.socket:
                begin = time.perf_counter()
                request = json.loads(text)
                if request["op"] == "alive":
                    self.missed = 0
                    log["answered_heartbeats"] += 1
                    continue
                task = asyncio.create_task(self.handle(request, begin))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
        except websockets.ConnectionClosedError:
            pass
        finally:
            beat.cancel()
            for room in self.joined:
                rooms[room].discard(self)


async def serve(socket):
    await Client(socket).run()


async def main():
    async with websockets.serve(serve, "127.0.0.1", 0, compression=None) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        print(json.dumps(log), flush=True)


asyncio.run(main())
