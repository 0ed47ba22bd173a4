"""Servers of the examples in docs/protocols: peers/vendor_server.py, written from the documentation of the vendors."""

from processes import ROOT
from protocol_servers import StandIn


class FileServer(StandIn):
    """A server of the protocol in a file."""

    program = "vendor_server.py"
    event_count = 1000

    def __init__(self):
        super().__init__(self.name)

    @property
    def protocol(self):
        return f"@{ROOT}/docs/protocols/{self.name}.json"

    @property
    def url(self):
        return f"ws://127.0.0.1:{self.port}/"


class DiscordServer(FileServer):
    name = "discord"
    parameters = ("token=t", "intents=513")
    wrong_parameters = ("token=x", "intents=513")
    refusal = '4004 "Authentication failed."'
    heading = "GUILD_MEMBERS_CHUNK"
    event_object = {"role": "event", "event": "GUILD_MEMBERS_CHUNK"}
    has_replies = False

    @property
    def url(self):
        return f"ws://127.0.0.1:{self.port}/?v=10&encoding=json"

    def flood(self, count):
        return ['{"op":8,"d":{"guild_id":"1","query":"","limit":%d}}' % count]

    def data(self, number):
        return '{"chunk_index":%d}' % number


class BeatingDiscordServer(DiscordServer):
    """Expects frequent heartbeats."""

    @property
    def url(self):
        return f"{super().url}&every=300"


class HomeAssistantServer(FileServer):
    name = "home-assistant"
    parameters = ("token=t",)
    wrong_parameters = ("token=x",)
    refusal = "Invalid access token or password"
    opening = ('"type":"subscribe_events","event_type":"n"',)
    heading = "event"
    event_object = {"role": "event", "event": "event"}

    def flood(self, count):
        return ['"type":"fire_event","event_type":"n","event_data":{"i":%d}' % number for number in range(count)]

    def data(self, number):
        return '{"id":1,"type":"event","event":{"event_type":"n","data":{"i":%d}}}' % number

    def request(self, number):
        return '"type":"fire_event","event_type":"other","event_data":{"i":%s}' % number

    def reply(self, number):
        return r'\{"id":\d+,"type":"result","success":true,"result":\{"context":\{"id":"c"\}\}\}'


class NostrServer(FileServer):
    name = "nostr"
    refusal = "401 Unauthorized"
    heading = "EVENT"
    event_object = {"role": "event", "event": "EVENT"}

    def flood(self, count):
        return ['["REQ","a",{"limit":%d}]' % count]

    def data(self, number):
        return f'["EVENT","a",{{"id":"{number:064x}","kind":1,"content":"n {number}"}}]'

    def request(self, number):
        return '["REQ","r%s",{"limit":0}]' % number

    @property
    def wrong_options(self):
        return [*self.options, "--bearer", "x"]

    def reply(self, number):
        return r'\["EOSE","r%s"\]' % number


class OBSServer(FileServer):
    name = "obs"
    refusal = "authentication is required"
    heading = "CustomEvent"
    event_object = {"role": "event", "event": "CustomEvent"}

    @property
    def wrong_url(self):
        return f"{self.url}?auth=1"

    def flood(self, count):
        line = '"requestType":"BroadcastCustomEvent","requestData":{"eventData":{"i":%d}}'
        return [line % number for number in range(count)]

    def data(self, number):
        return '{"eventType":"CustomEvent","eventIntent":1,"eventData":{"i":%d}}' % number

    def request(self, number):
        return '"requestType":"GetVersion","requestData":{"i":%s}' % number

    def reply(self, number):
        return r'\{"requestType":"GetVersion","requestId":"\d+",.*"obsVersion":"30.0.0"\}\}'


class OCPPServer(FileServer):
    name = "ocpp"
    refusal = "wrong token"
    heading = "TriggerMessage"
    event_object = {"role": "event", "event": "TriggerMessage"}

    @property
    def wrong_options(self):
        return [*self.options, "--bearer", "x"]

    def flood(self, count):
        return ['"DataTransfer",{"vendorId":"v","data":"%d"}' % count]

    def data(self, number):
        return '{"connectorId":%d}' % number

    def request(self, number):
        return '"BootNotification",{"chargePointModel":"m%s"}' % number

    def reply(self, number):
        return r'\{"status":"Accepted","interval":300\}'


class PusherServer(FileServer):
    name = "pusher"
    refusal = "not in this cluster"
    opening = ('{"event":"pusher:subscribe","data":{"channel":"c"}}',)
    heading = "n"
    event_object = {"role": "event", "event": "n"}
    has_replies = False

    @property
    def wrong_url(self):
        return f"{self.url}app/WRONG?key=WRONG"

    def flood(self, count):
        return ['{"event":"client-flood","channel":"c","data":{"n":%d}}' % count]

    def data(self, number):
        return '{"i":%d}' % number


class SlackServer(FileServer):
    """Events need no line: the server delivers 1000 to every client."""

    name = "slack"
    refusal = "401 Unauthorized"
    heading = "slash_commands"
    event_object = {"role": "event", "event": "slash_commands"}
    has_replies = False

    @property
    def url(self):
        return f"ws://127.0.0.1:{self.port}/?n=1000"

    @property
    def wrong_options(self):
        return [*self.options, "--bearer", "x"]

    def flood(self, count):
        return []

    def data(self, number):
        return '{"command":"/n","text":"%d"}' % number


class WAMPServer(FileServer):
    name = "wamp"
    parameters = ("realm=realm1",)


class JupyterServer(FileServer):
    name = "jupyter"


class OpenAIRealtimeServer(FileServer):
    name = "openai-realtime"


class GeminiLiveServer(FileServer):
    name = "gemini-live"
    parameters = ("model=models/m",)


class DeepgramServer(FileServer):
    name = "deepgram"
