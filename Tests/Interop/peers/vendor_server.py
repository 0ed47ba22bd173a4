"""Servers for the examples in docs/protocols, written from the documentation of their vendors.

    vendor_server.py PORT NAME

NAME is the name of the example without its suffix. Each server refuses the logins that its documentation describes: the
token or password is `t`, and the application key of Pusher is `KEY`. A client causes events with what each server offers for it.
"""

import base64
import hashlib
import hmac
import json
import sys

import standin


class Discord(standin.Client):
    """Discord Gateway v10. Request Guild Members (op 8) with a limit of N leads to N chunks."""

    sequence = 0

    def opened(self):
        self.send({"t": None, "s": None, "op": 10, "d": {"heartbeat_interval": int(self.query.get("every", 41250))}})

    def received(self, message):
        message = json.loads(message)
        op, data = message["op"], message["d"]
        if op == 1:
            # "d: the last non-null s, or null".
            assert data == (self.sequence or None), (data, self.sequence)
            self.send({"t": None, "s": None, "op": 11, "d": None})
        elif op == 2 and (data["token"], data["intents"]) != ("t", 513):
            self.close(4004, "Authentication failed.")
        elif op == 2:
            self.dispatch("READY", {"v": 10, "user": {"id": "1"}, "session_id": "s"})
        elif op == 8:
            for index in range(data["limit"]):
                self.dispatch("GUILD_MEMBERS_CHUNK", {"chunk_index": index})

    def dispatch(self, name, data):
        self.sequence += 1
        self.send({"t": name, "s": self.sequence, "op": 0, "d": data})


class HomeAssistant(standin.Client):
    """Home Assistant. A fired event reaches its subscribers."""

    is_authorized = False
    last_id = 0

    def __init__(self, stream, query):
        super().__init__(stream, query)
        # The event types by the id of the subscription.
        self.subscriptions = {}

    def opened(self):
        self.send({"type": "auth_required", "ha_version": "2025.1.0"})

    def received(self, message):
        message = json.loads(message)
        if not self.is_authorized:
            self.is_authorized = message == {"type": "auth", "access_token": "t"}
            if self.is_authorized:
                return self.send({"type": "auth_ok", "ha_version": "2025.1.0"})
            self.send({"type": "auth_invalid", "message": "Invalid access token or password"})
            return self.close(1000)
        identifier, kind = message["id"], message["type"]
        if identifier <= self.last_id:
            return self.result(identifier, error="Identifier values have to increase.")
        self.last_id = identifier
        if kind == "ping":
            return self.send({"id": identifier, "type": "pong"})
        if kind == "subscribe_events":
            self.subscriptions[identifier] = message["event_type"]
            self.result(identifier, None)
        elif kind == "fire_event":
            for client in list(standin.clients):
                client.fire(message["event_type"], message["event_data"])
            self.result(identifier, {"context": {"id": "c"}})
        elif kind == "get_states":
            self.result(identifier, [])
        else:
            self.result(identifier, error="Unknown command.")

    def result(self, identifier, value=None, error=None):
        outcome = {"error": {"code": "unknown_command", "message": error}} if error else {"result": value}
        self.send({"id": identifier, "type": "result", "success": error is None, **outcome})

    def fire(self, kind, data):
        for identifier, subscribed in self.subscriptions.items():
            if subscribed == kind:
                self.send({"id": identifier, "type": "event", "event": {"event_type": kind, "data": data}})


class Nostr(standin.Client):
    """A relay (NIP-01). A subscription with a limit of N has N stored events."""

    def received(self, message):
        kind, subscription, *filters = json.loads(message)
        if kind == "REQ" and filters[0].get("kinds") == [4]:
            self.send(["CLOSED", subscription, "auth-required: we only serve DMs to authenticated users"])
        elif kind == "REQ":
            for number in range(filters[0]["limit"]):
                self.send(["EVENT", subscription, {"id": f"{number:064x}", "kind": 1, "content": f"n {number}"}])
            self.send(["EOSE", subscription])


class OBS(standin.Client):
    """obs-websocket 5. BroadcastCustomEvent reaches all identified clients."""

    subprotocol = "obswebsocket.json"
    is_identified = False
    challenge = "+IxH4CnCiqpX1rM9scsNynZzbOe4KhDeYcTNS3PDaeY="
    salt = "lM1GncleQOaCu9lT1yeUZhFYnqhsLLP1G5lAGo3ixaI="

    def opened(self):
        data = {"obsWebSocketVersion": "5.5.0", "rpcVersion": 1}
        if "auth" in self.query:
            data["authentication"] = {"challenge": self.challenge, "salt": self.salt}
        self.send({"op": 0, "d": data})

    def received(self, message):
        message = json.loads(message)
        op, data = message["op"], message["d"]
        if op == 1 and "auth" in self.query and "authentication" in data:
            # "Concatenate the websocket password with the salt […] base64 encode. Concatenate with the challenge […]".
            secret = base64.b64encode(hashlib.sha256(f"t{self.salt}".encode()).digest()).decode()
            expected = base64.b64encode(hashlib.sha256(f"{secret}{self.challenge}".encode()).digest()).decode()
            if data["authentication"] != expected:
                return self.close(4009, f"Authentication failed with {data['authentication']}.")
        elif op == 1 and "auth" in self.query:
            reason = "Your payload's data is missing an `authentication` string, however authentication is required."
            return self.close(4009, reason)
        if op == 1:
            self.is_identified = True
            self.send({"op": 2, "d": {"negotiatedRpcVersion": data["rpcVersion"]}})
        elif op == 6:
            self.request(data["requestType"], data["requestId"], data.get("requestData"))

    def request(self, kind, identifier, data):
        status = {"result": True, "code": 100}
        more = {}
        if kind == "BroadcastCustomEvent":
            event = {"eventType": "CustomEvent", "eventIntent": 1, "eventData": data["eventData"]}
            for client in list(standin.clients):
                if client.is_identified:
                    client.send({"op": 5, "d": event})
        elif kind == "GetVersion":
            more = {"responseData": {"obsVersion": "30.0.0"}}
        else:
            status = {"result": False, "code": 204, "comment": "Your request type is not valid."}
        self.send({"op": 7, "d": {"requestType": kind, "requestId": identifier, "requestStatus": status, **more}})


class OCPP(standin.Client):
    """A central system of OCPP-J 1.6. DataTransfer with the data "N" leads to N calls, one after the other."""

    subprotocol = "ocpp1.6"
    left = 0
    number = 0

    def received(self, message):
        kind, identifier, *rest = json.loads(message)
        if kind == 2 and rest[0] == "DataTransfer":
            self.send([3, identifier, {"status": "Accepted"}])
            self.left, self.number = int(rest[1]["data"]), 0
            self.call()
        elif kind == 2 and rest[0] in ("BootNotification", "Heartbeat"):
            self.send([3, identifier, {"status": "Accepted", "interval": 300}])
        elif kind == 2:
            self.send([4, identifier, "NotImplemented", f"{rest[0]} is unknown", {}])
        elif kind == 3 and identifier == f"s{self.number}":
            self.number += 1
            self.call()

    def call(self):
        # "the sender … SHOULD NOT send another CALL before the response".
        if self.number < self.left:
            self.send([2, f"s{self.number}", "TriggerMessage", {"connectorId": self.number}])


class Pusher(standin.Client):
    """Pusher Channels protocol 7. A client event `client-flood` on a channel leads to N events `n` on it."""

    def __init__(self, stream, query):
        super().__init__(stream, query)
        self.channels = set()

    def opened(self):
        if self.query.get("key", "KEY") == "KEY":
            data = json.dumps({"socket_id": "1.1", "activity_timeout": 120})
            return self.send({"event": "pusher:connection_established", "data": data})
        self.send({"event": "pusher:error", "data": {"code": 4001, "message": "App key WRONG not in this cluster"}})
        self.close(4001, "App key WRONG not in this cluster")

    def received(self, message):
        message = json.loads(message)
        name, data = message["event"], message["data"]
        if name == "pusher:subscribe" and data["channel"].startswith("private-"):
            digest = hmac.new(b"SECRET", f"1.1:{data['channel']}".encode(), hashlib.sha256).hexdigest()
            if data.get("auth") != f"KEY:{digest}":
                words = f"Invalid signature: Expected HMAC SHA256 hex digest of 1.1:{data['channel']}"
                return self.send({"event": "pusher:error", "data": {"code": None, "message": words}})
        if name == "pusher:subscribe":
            self.channels.add(data["channel"])
            self.send({"event": "pusher_internal:subscription_succeeded", "channel": data["channel"], "data": "{}"})
        elif name == "pusher:ping":
            self.send({"event": "pusher:pong", "data": {}})
        elif name == "client-flood" and message["channel"] in self.channels:
            for number in range(data["n"]):
                self.send({"event": "n", "channel": message["channel"], "data": '{"i":%d}' % number})


class Slack(standin.Client):
    """Slack Socket Mode. The query `n=N` leads to N envelopes, each after the acknowledgement of the one before."""

    number = 0

    def opened(self):
        self.send({"type": "hello", "num_connections": 1, "connection_info": {"app_id": "A1"}})
        self.deliver()

    def received(self, message):
        # Anything else is no acknowledgement.
        if json.loads(message) == {"envelope_id": f"e-{self.number}"}:
            self.number += 1
            self.deliver()

    def deliver(self):
        if self.number < int(self.query.get("n", 0)):
            self.send({
                "envelope_id": f"e-{self.number}", "type": "slash_commands", "accepts_response_payload": True,
                "payload": {"command": "/n", "text": str(self.number)}})


class WAMP(standin.Client):
    """A WAMP router with the realm `realm1`, and the procedure com.example.add."""

    subprotocol = "wamp.2.json"
    session = None

    def __init__(self, stream, query):
        super().__init__(stream, query)
        self.topics = {}

    def received(self, message):
        kind, *rest = json.loads(message)
        if self.session is None:
            assert kind == 1 and rest[1]["roles"], message
            if rest[0] != "realm1":
                return self.send([3, {"message": f"no realm {rest[0]}"}, "wamp.error.no_such_realm"])
            self.session = 9129137332
            self.send([2, self.session, {"roles": {"broker": {}, "dealer": {}}}])
        elif kind == 48 and rest[2] == "com.example.add":
            self.send([50, rest[0], {}, [sum(rest[3])]])
        elif kind == 48:
            self.send([8, 48, rest[0], {}, "wamp.error.no_such_procedure", [f"no procedure {rest[2]}"]])
        elif kind == 32:
            self.topics[rest[2]] = 5512315355 + len(self.topics)
            self.send([33, rest[0], self.topics[rest[2]]])
        elif kind == 16:
            for client in list(standin.clients):
                if rest[2] in client.topics:
                    client.send([36, client.topics[rest[2]], 4429313566, {}, *rest[3:]])
            if rest[1].get("acknowledge"):
                self.send([17, rest[0], 4429313566])
        elif kind == 6:
            self.send([6, {}, "wamp.close.goodbye_and_out"])


class Jupyter(standin.Client):
    """A kernel behind jupyter_server, which evaluates Python expressions and calls of print."""

    def received(self, message):
        request = json.loads(message)
        header = request["header"]
        assert (request["channel"], header["msg_type"]) == ("shell", "execute_request"), message
        assert header["session"] and header["msg_id"] and header["version"], message
        code = request["content"]["code"]

        def send(kind, content, channel="iopub"):
            identifier = f"k{id(content)}"
            self.send({
                "header": {"msg_id": identifier, "msg_type": kind, "session": "k", "version": "5.3"},
                "msg_id": identifier, "msg_type": kind, "parent_header": header, "metadata": {}, "content": content,
                "buffers": [], "channel": channel})

        send("status", {"execution_state": "busy"})
        send("execute_input", {"code": code, "execution_count": 1})
        # The output is on another channel than the reply, and may follow it.
        output = []
        try:
            value = eval(code, {"print": lambda text: output.append(("stream", {"name": "stdout", "text": f"{text}\n"}))})
            if value is not None:
                data = {"text/plain": repr(value)}
                output.append(("execute_result", {"data": data, "metadata": {}, "execution_count": 1}))
            send("execute_reply", {"status": "ok", "execution_count": 1}, "shell")
        except Exception as error:
            problem = {"ename": type(error).__name__, "evalue": str(error), "traceback": []}
            output.append(("error", problem))
            send("execute_reply", {"status": "error", "execution_count": 1, **problem}, "shell")
        for kind, content in output:
            send(kind, content)
        send("status", {"execution_state": "idle"})


class OpenAIRealtime(standin.Client):
    """The Realtime API. The answer to a prompt is its words, one per message; the prompt `fail` fails."""

    def opened(self):
        self.send({"type": "session.created", "event_id": "e0", "session": {"type": "realtime", "model": "m"}})

    def received(self, message):
        event = json.loads(message)
        response = event.get("response", {})
        if event["type"] != "response.create" or response.get("output_modalities") != ["text"]:
            error = {"type": "invalid_request_error", "message": "unknown event", "event_id": event.get("event_id")}
            return self.send({"type": "error", "event_id": "e1", "error": error})
        item, = response["input"]
        content, = item["content"]
        assert (item["type"], item["role"], content["type"]) == ("message", "user", "input_text"), message
        made = {"id": "resp_1", "object": "realtime.response", "metadata": response["metadata"]}
        self.send({"type": "response.created", "response": {**made, "status": "in_progress"}})
        self.send({"type": "response.output_item.added", "response_id": "resp_1", "output_index": 0})
        for word in content["text"].split():
            self.send({"type": "response.output_text.delta", "response_id": "resp_1", "delta": word})
        self.send({"type": "response.output_text.done", "response_id": "resp_1", "text": content["text"]})
        status = "failed" if content["text"] == "fail" else "completed"
        self.send({"type": "response.done", "response": {**made, "status": status}})
        self.send({"type": "rate_limits.updated", "rate_limits": []})


class GeminiLive(standin.Client):
    """The Live API, which sends JSON in binary messages. The answer to a turn is its words, one per message."""

    is_set_up = False

    def send(self, message):
        self.send_binary(json.dumps(message).encode())

    def received(self, message):
        message = json.loads(message)
        if not self.is_set_up:
            setup = message["setup"]
            if setup["model"] != "models/m":
                return self.close(1008, f"{setup['model']} is not found for API version v1beta")
            assert setup["generationConfig"] == {"responseModalities": ["TEXT"]}, message
            self.is_set_up = True
            return self.send({"setupComplete": {}})
        content = message["clientContent"]
        assert content["turnComplete"] is True and content["turns"][0]["role"] == "user", message
        for word in content["turns"][0]["parts"][0]["text"].split():
            self.send({"serverContent": {"modelTurn": {"parts": [{"text": word}]}}})
        self.send({"serverContent": {"generationComplete": True}})
        self.send({"serverContent": {"turnComplete": True}, "usageMetadata": {"totalTokenCount": 9}})


class Deepgram(standin.Client):
    """Text to speech and speech to text. Each word is an audio message of 4 bytes, and the reverse."""

    words = 0
    sequence = 0

    def opened(self):
        self.send({"type": "Metadata", "request_id": "r", "model_name": "aura"})

    def received_binary(self, audio):
        self.words += len(audio) // 4

    def received(self, message):
        message = json.loads(message)
        kind = message["type"]
        if kind == "Speak":
            self.words += len(message["text"].split())
        elif kind == "Flush":
            for _ in range(self.words):
                self.send_binary(b"\0\1\2\3")
            self.words = 0
            self.send({"type": "Flushed", "sequence_id": self.sequence})
            self.sequence += 1
        elif kind == "Finalize":
            for number in range(self.words):
                channel = {"alternatives": [{"transcript": f"word {number}"}]}
                last = number + 1 == self.words
                self.send({"type": "Results", "is_final": last, "from_finalize": last, "channel": channel})
            self.words = 0
        else:
            self.send({"type": "Error", "description": f"unknown message {kind}"})


standin.serve({
    "deepgram": Deepgram, "discord": Discord, "gemini-live": GeminiLive, "home-assistant": HomeAssistant,
    "jupyter": Jupyter, "nostr": Nostr, "obs": OBS, "ocpp": OCPP, "openai-realtime": OpenAIRealtime, "pusher": Pusher,
    "slack": Slack, "wamp": WAMP}[sys.argv[2]])
