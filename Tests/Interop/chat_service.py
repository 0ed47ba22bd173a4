"""Starts the chat service in `peers/chat_service.py`, and describes its load."""

import hashlib
import json
import subprocess

from processes import PEERS, PYTHON, ROOT, PeerServer

SCENARIO = ROOT / "Benchmarks/chat.jsonl"
HEARTBEAT = '"heartbeat" => {"op":"alive"}'
STEP_NAMES = ["login", "join", "say", "history", "who", "leave"]


class ChatService(PeerServer):
    """The service, with settings as its documentation describes."""

    def __init__(self, **settings):
        super().__init__([PYTHON, PEERS / "chat_service.py", json.dumps(settings)], stdin=subprocess.PIPE)

    def log(self):
        """Ends the service and returns its log."""
        self.process.stdin.close()
        return json.loads(self.wait_for(r"\n(\{.*\})\n", "out").group(1))


def written_users(path, count):
    """Writes a CSV file with the users, and returns its path. About ten users share a room."""
    lines = ["user,token,room"]
    for number in range(1, count + 1):
        token = hashlib.sha256(f"secret of user {number}".encode()).hexdigest()[:16]
        lines.append(f'"user {number}",{token},"room ""{number % max(1, count // 10)}"""')
    path.write_text("\n".join(lines) + "\n")
    return path
