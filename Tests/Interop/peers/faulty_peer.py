#!/usr/bin/env python3
"""A WebSocket peer (RFC 6455, RFC 7692) that is correct unless one fault is switched on.

usage: faulty_peer.py serve [--port 0] [--fault NAME]
       faulty_peer.py run ws://127.0.0.1:PORT [--fault NAME] [--agent NAME]
       faulty_peer.py faults      lists the faults: name, role, RFC and section, sentence (with tabs)
"""
import argparse
import base64
import codecs
import hashlib
import os
import re
import select
import socket
import struct
import sys
import threading
import time
import zlib
from urllib.parse import quote, urlsplit

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
PROTOCOLS = ("echo", "chat")
CHUNK, MAX_HEAD, MAX_MESSAGE = 1 << 18, 1 << 16, 1 << 26
HEAD_SECONDS, IDLE_SECONDS = 10, 120
CONT, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
FIN, RSV1, RSV2, RSV3 = 128, 64, 32, 16
PMD = "permessage-deflate"
SERVER_NCT, CLIENT_NCT = "server_no_context_takeover", "client_no_context_takeover"
SERVER_BITS, CLIENT_BITS = "server_max_window_bits", "client_max_window_bits"
TAIL = b"\x00\x00\xff\xff"

# One fault a line: name, role, RFC and section, what it does.
FAULTS = """
hs-accept-wrong server RFC6455-4.2.2 Answers with a wrong Sec-WebSocket-Accept.
hs-upgrade-unchecked server RFC6455-4.2.1 Accepts a request with a missing or other Upgrade field.
hs-connection-unchecked server RFC6455-4.2.1 Accepts a request with a missing or other Connection field.
hs-key-missing server RFC6455-4.2.1 Accepts a request without Sec-WebSocket-Key.
hs-key-length server RFC6455-4.2.1 Accepts a key that is not 16 bytes in base64.
hs-version-missing server RFC6455-4.2.1 Accepts a request without Sec-WebSocket-Version.
hs-version-other server RFC6455-4.2.2 Accepts other versions than 13, for example 12.
hs-version-field server RFC6455-4.4 Refuses an unknown version without telling the known one in Sec-WebSocket-Version.
hs-host-missing server RFC6455-4.2.1 Accepts a request without Host.
hs-post server RFC6455-4.2.1 Accepts other methods than GET.
hs-http10 server RFC6455-4.2.1 Accepts an HTTP/1.0 request.
hs-absolute-uri server RFC6455-4.2.1 Refuses an absolute URI as the request target.
hs-protocol-unasked server RFC6455-4.2.2 Selects a subprotocol although the client offers none.
hs-protocol-other server RFC6455-4.2.2 Selects a subprotocol that is not among those offered.
hs-extension-unknown server RFC6455-9.1 Accepts every offered extension that it does not know.
hs-extension-unoffered server RFC6455-9.1 Answers with permessage-deflate when no extension is offered.
hs-answer-no-upgrade server RFC6455-4.2.2 Answers without an Upgrade field.
hs-answer-no-connection server RFC6455-4.2.2 Answers without a Connection field.
hs-answer-200 server RFC6455-4.2.2 Accepts the handshake with status 200.
hs-head-pieces both RFC7230-3 Fails on a head that does not come in one piece.
hs-names-case both RFC7230-3.2 Compares header field names case-sensitively.
hs-values-case both RFC6455-4 Compares the values websocket and Upgrade case-sensitively.
hs-connection-list both RFC6455-4 Does not parse Connection as a list.
hs-fields-repeated both RFC7230-3.2.2 Reads only the first of several Connection or other list fields.
hs-request-no-host client RFC6455-4.1 Sends a request without Host.
hs-request-no-upgrade client RFC6455-4.1 Sends a request without Upgrade.
hs-request-no-connection client RFC6455-4.1 Sends a request without Connection.
hs-request-version client RFC6455-4.1 Sends Sec-WebSocket-Version: 8.
hs-request-key-constant client RFC6455-4.1 Sends the same key in every handshake.
hs-request-key-short client RFC6455-4.1 Sends a key of 15 bytes.
hs-client-status-200 client RFC6455-4.1 Accepts an answer with status 200.
hs-client-upgrade-unchecked client RFC6455-4.1 Accepts an answer with a missing or other Upgrade field.
hs-client-connection-unchecked client RFC6455-4.1 Accepts an answer with a missing or other Connection field.
hs-client-accept-unchecked client RFC6455-4.1 Does not check Sec-WebSocket-Accept.
hs-client-protocol-unoffered client RFC6455-4.1 Accepts a subprotocol that was not offered.
hs-client-extension-unoffered client RFC6455-4.1 Accepts an extension that was not offered.
hs-client-frames-lost client RFC6455-4.1 Loses frames that arrive together with the head of the answer.
fr-unmasked-accepted server RFC6455-5.1 Accepts unmasked frames.
fr-masked-accepted client RFC6455-5.1 Accepts masked frames.
fr-rsv1-ignored both RFC6455-5.2 Ignores RSV1 when no extension is negotiated.
fr-rsv2-ignored both RFC6455-5.2 Ignores RSV2.
fr-rsv3-ignored both RFC6455-5.2 Ignores RSV3.
fr-opcode-data-ignored both RFC6455-5.2 Skips frames with opcodes 3 to 7.
fr-opcode-control-ignored both RFC6455-5.2 Skips frames with opcodes 11 to 15.
fr-control-fragmented both RFC6455-5.5 Accepts control frames without FIN.
fr-control-long both RFC6455-5.5 Accepts control frames with more than 125 bytes.
fr-control-inside-refused both RFC6455-5.4 Fails on a control frame in the middle of a fragmented message.
fr-len126-refused both RFC6455-5.2 Refuses a payload of exactly 126 bytes.
fr-len16-signed both RFC6455-5.2 Reads the 16-bit length as a signed number and fails from 32768.
fr-len64-refused both RFC6455-5.2 Refuses all 64-bit lengths.
fr-len64-topbit both RFC6455-5.2 Ignores the most significant bit of a 64-bit length.
fr-len-nonminimal both RFC6455-5.2 Accepts lengths that are not in the shortest form.
fr-mask-zero-lost server RFC6455-5.3 Loses frames with the masking key zero.
fr-mask-offset server RFC6455-5.3 Starts again with the first byte of the masking key after a split read.
fr-split-head both RFC6455-5.2 Fails when the first two bytes of a frame come separately.
fr-one-per-read both RFC6455-5.2 Handles only the first frame of what one read brings.
fr-ping-late both RFC6455-5.5.2 Answers a ping inside a fragmented message only after the message.
fr-ping-ignored both RFC6455-5.5.2 Does not answer pings.
fr-ping-empty-ignored both RFC6455-5.5.2 Does not answer pings without a payload.
fr-pong-empty both RFC6455-5.5.3 Answers pings with empty pongs.
fr-pong-truncated both RFC6455-5.5.3 Answers pings with at most 16 bytes of their payload.
fr-pong-refused both RFC6455-5.5.3 Fails on an unsolicited pong.
fr-continuation-first both RFC6455-5.4 Accepts a continuation frame as the start of a binary message.
fr-message-inside both RFC6455-5.4 Accepts a new message inside a fragmented message.
fr-empty-fragment-lost both RFC6455-5.4 Drops empty frames of fragmented messages.
fr-empty-message-lost both RFC6455-5.6 Does not deliver empty messages.
fr-send-masked server RFC6455-5.1 Sends masked frames.
fr-send-unmasked client RFC6455-5.1 Sends unmasked frames.
fr-send-mask-constant client RFC6455-5.3 Uses the same masking key for all frames.
fr-send-126 both RFC6455-5.2 Sends 126 bytes of payload without the extended length.
fr-send-65536 both RFC6455-5.2 Sends 65536 bytes of payload with a 16-bit length that has wrapped to 0.
fr-send-nonminimal both RFC6455-5.2 Sends a 16-bit length with short data frames.
fr-send-rsv2 both RFC6455-5.2 Sends data frames with RSV2.
fr-send-text-as-binary both RFC6455-5.6 Sends text as binary.
fr-send-no-fin both RFC6455-5.4 Never sets FIN on data frames.
utf8-unchecked both RFC6455-8.1 Does not check text.
utf8-surrogates both RFC6455-8.1 Accepts encoded surrogates in text.
utf8-overlong both RFC6455-8.1 Accepts overlong forms in text.
utf8-above-max both RFC6455-8.1 Accepts code points above U+10FFFF in text.
utf8-incomplete both RFC6455-8.1 Accepts text that ends within a character.
utf8-per-fragment both RFC6455-5.6 Checks each fragment on its own and fails on characters split between two.
utf8-per-read both RFC6455-8.1 Checks what each read brings and fails on characters split between two.
utf8-late both RFC6455-8.1 Checks text only at its end, not as soon as it is wrong.
utf8-noncharacters both RFC6455-8.1 Refuses noncharacters like U+FFFE.
utf8-replaces both RFC6455-8.1 Replaces bad UTF-8 by U+FFFD.
utf8-binary-checked both RFC6455-5.6 Requires UTF-8 in binary messages.
utf8-code both RFC6455-7.4.1 Fails with 1002 instead of 1007 on bad UTF-8.
cl-no-answer both RFC6455-5.5.1 Does not answer close frames and waits.
cl-drops-tcp both RFC6455-5.5.1 Ends TCP after a close frame without answering it.
cl-other-code both RFC6455-5.5.1 Answers a close frame with another code.
cl-empty-refused both RFC6455-5.5.1 Fails on a close frame without a payload.
cl-one-byte both RFC6455-5.5.1 Accepts a close payload of one byte.
cl-code-999 both RFC6455-7.4.2 Accepts close codes below 1000.
cl-code-1004 both RFC6455-7.4.1 Accepts close code 1004.
cl-code-1005 both RFC6455-7.4.1 Accepts close code 1005.
cl-code-1006 both RFC6455-7.4.1 Accepts close code 1006.
cl-code-1015 both RFC6455-7.4.1 Accepts close code 1015.
cl-code-2999 both RFC6455-7.4.2 Accepts the close codes 1016 to 2999.
cl-code-5000 both RFC6455-7.4.2 Accepts close codes from 5000.
cl-code-3000-refused both RFC6455-7.4.2 Refuses the close codes 3000 to 4999.
cl-reason-unchecked both RFC6455-5.5.1 Accepts a close reason that is not UTF-8.
cl-echo-after-close both RFC6455-5.5.1 Goes on to handle and to echo frames after the close handshake.
cl-tcp-open server RFC6455-7.1.1 Keeps TCP open after the close handshake.
cl-client-first client RFC6455-7.1.1 Ends TCP after the close handshake without waiting for the server.
cl-send-1005 both RFC6455-7.4.1 Answers an empty close frame with code 1005.
cl-send-1006 both RFC6455-7.4.1 Sends code 1006 when it fails the connection.
cl-send-twice both RFC6455-5.5.1 Sends two close frames.
cl-fail-silent both RFC6455-7.1.7 Fails a connection by ending TCP without a close frame.
pmd-unknown-param both RFC7692-7.1 Accepts unknown parameters of permessage-deflate.
pmd-duplicate-param both RFC7692-7.1 Accepts repeated parameters.
pmd-bits-range both RFC7692-7.1.2 Accepts window bits outside 8 to 15.
pmd-bits-missing both RFC7692-7.1.2 Accepts a window parameter without its value.
pmd-answer-unoffered server RFC7692-7.1.2.2 Answers with client_max_window_bits that was not offered.
pmd-answer-nct-lost server RFC7692-7.1.1.1 Accepts server_no_context_takeover but leaves it out of the answer.
pmd-answer-bits-larger server RFC7692-7.1.2.1 Answers with server_max_window_bits=15 when less is offered.
pmd-server-nct-ignored server RFC7692-7.1.1.1 Keeps its context although it has agreed to server_no_context_takeover.
pmd-client-nct-ignored client RFC7692-7.1.1.2 Keeps its context although the server demands client_no_context_takeover.
pmd-server-window server RFC7692-7.1.2.1 Compresses with a larger window than agreed.
pmd-client-window client RFC7692-7.1.2.2 Compresses with a larger window than agreed.
pmd-decoder-forgets both RFC7692-7.2.3.2 Forgets the window of the decompressor after each message.
pmd-rsv1-continuation both RFC7692-6.1 Accepts RSV1 on continuation frames.
pmd-rsv1-control both RFC7692-6.1 Accepts RSV1 on control frames.
pmd-garbage both RFC7692-7.2.2 Accepts bad or truncated DEFLATE data.
pmd-stored-refused both RFC7692-7.2.3.3 Fails on a message that begins with a stored block.
pmd-bfinal-refused both RFC7692-7.2.3.4 Fails on blocks with BFINAL.
pmd-bfinal-forgets both RFC7692-7.2.3.4 Forgets the window after a block with BFINAL.
pmd-empty-refused both RFC7692-7.2.3.6 Fails on an empty compressed message.
pmd-plain-refused both RFC7692-6 Fails on uncompressed messages.
pmd-per-fragment both RFC7692-6.2 Decompresses each fragment as if it were a message.
pmd-utf8-unchecked both RFC7692-6.2 Accepts bad UTF-8 in compressed text.
pmd-send-unnegotiated both RFC7692-6 Sets RSV1 when permessage-deflate is not negotiated.
pmd-send-no-rsv1 both RFC7692-6.1 Sends compressed messages without RSV1.
pmd-send-rsv1-pong both RFC7692-6.1 Sets RSV1 on pongs.
pmd-send-rsv1-continuation both RFC7692-6.1 Sends compressed messages in two frames that both have RSV1.
pmd-send-tail both RFC7692-7.2.1 Does not remove the bytes 00 00 ff ff from the end of a message.
pmd-send-empty both RFC7692-7.2.3.6 Sends an empty compressed message as no bytes at all.
"""
ACTIVE = None


def fault(name):
    """Say whether this fault is switched on."""
    return name == ACTIVE


class Ended(Exception):
    """The peer has ended the TCP connection, or is silent for too long."""


class Fail(Exception):
    """Fail the WebSocket connection with this code."""

    def __init__(self, code, why):
        super().__init__(f"{code} {why}")
        self.code = code


class BadHandshake(Exception):
    """Refuse the handshake; a server answers with this status and these fields."""

    def __init__(self, why, status, fields):
        super().__init__(why)
        self.status, self.fields = status, fields


def fail_if(bad, code, why):
    """Fail the connection on a condition."""
    if bad:
        raise Fail(code, why)


def refuse_if(bad, why, status="400 Bad Request", fields=()):
    """Refuse the handshake on a condition."""
    if bad:
        raise BadHandshake(why, status, fields)


# --- TCP ---

class Stream:
    """A blocking socket with a buffer for what has been received."""

    def __init__(self, sock):
        sock.settimeout(None)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock, self.buffer, self.eof = sock, bytearray(), False

    def set_timeout(self, seconds):
        """Let the kernel end a recv after so many seconds (0: never)."""
        value = struct.pack("@ll", int(seconds), int(seconds % 1 * 1e6))
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, value)

    def fill(self):
        """Receive once."""
        try:
            data = b"" if self.eof else self.sock.recv(CHUNK)
        except OSError:
            data = b""
        self.eof = not data
        if self.eof:
            raise Ended
        self.buffer += data

    def exactly(self, size):
        """Return the next size bytes."""
        while len(self.buffer) < size:
            self.fill()
        return self.take(size)

    def some(self, limit):
        """Return at least one and at most limit bytes."""
        if not self.buffer:
            self.fill()
        return self.take(limit)

    def take(self, size):
        """Remove bytes from the front of the buffer."""
        data = bytes(self.buffer[:size])
        del self.buffer[:size]
        return data

    def send(self, data):
        """Send everything; keep what arrives meanwhile, so that two senders do not block each other."""
        view = memoryview(data)
        while view:
            try:
                view = view[self.sock.send(view, socket.MSG_DONTWAIT):]
            except BlockingIOError:
                self.wait_to_send()
            except OSError:
                raise Ended from None

    def wait_to_send(self):
        """Wait until the socket takes data, and receive."""
        reading = not self.eof and len(self.buffer) < MAX_MESSAGE
        poll = select.poll()
        poll.register(self.sock, select.POLLOUT | (select.POLLIN if reading else 0))
        events = poll.poll(IDLE_SECONDS * 1000)
        if not events:
            raise Ended
        if events[0][1] & select.POLLIN:
            try:
                data = self.sock.recv(CHUNK, socket.MSG_DONTWAIT)
            except ConnectionError:
                raise Ended from None
            self.buffer += data
            self.eof = not data

    def end(self, first, patience):
        """End TCP: at once if first, otherwise after the peer or when patience is over."""
        deadline = time.monotonic() + patience
        try:
            if first:
                self.sock.shutdown(socket.SHUT_WR)
            while not self.eof and deadline - time.monotonic() > 0.001:
                self.set_timeout(deadline - time.monotonic())
                self.eof = not self.sock.recv(CHUNK)
        except OSError:
            pass
        self.sock.close()


# --- HTTP ---

TOKEN = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
FIELD = re.compile(rf"({TOKEN}):[ \t]*([\t\x20-\x7e\x80-\xff]*)")
REQUEST_LINE = re.compile(rf"({TOKEN}) ([!-~]+) HTTP/(\d)\.(\d)")
TARGET = re.compile(r"/[^#]*|(?i:https?|wss?)://[^/?#]+([/?][^#]*)?")
STATUS_LINE = re.compile(r"HTTP/1\.[1-9] (\d{3})( [\t\x20-\x7e\x80-\xff]*)?")
HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9\-._~%!$&'()*+,;=]+)(:\d*)?")
VALUE = rf'{TOKEN}|"(?:[^"\\]|\\.)*"'
EXTENSION = re.compile(rf"[ \t]*({TOKEN})((?:[ \t]*;[ \t]*{TOKEN}(?:[ \t]*=[ \t]*(?:{VALUE}))?)*)[ \t]*(?:,|\Z)")
PARAM = re.compile(rf";[ \t]*({TOKEN})(?:[ \t]*=[ \t]*({VALUE}))?")


def read_head(stream):
    """Read the bytes of an HTTP head, without its last empty line."""
    start = 0
    while True:
        while stream.buffer[:2] == b"\r\n":
            stream.take(2)
        end = stream.buffer.find(b"\r\n\r\n", start)
        if end >= 0:
            return stream.take(end + 4)[:-4]
        refuse_if(len(stream.buffer) > MAX_HEAD, "long head", "431 Request Header Fields Too Large")
        refuse_if(stream.buffer and fault("hs-head-pieces"), "head in pieces")
        start = max(0, len(stream.buffer) - 3)
        stream.fill()


def field_key(name):
    """Return the form of field names in which they are compared."""
    return name if fault("hs-names-case") else name.lower()


def same(value, token):
    """Compare in any case."""
    return value == token if fault("hs-values-case") else value.lower() == token.lower()


class Head:
    """The first line and the fields of an HTTP message."""

    def __init__(self, raw):
        self.first, *lines = raw.decode("latin-1").split("\r\n")
        self.fields = {}
        for line in lines:
            field = FIELD.fullmatch(line)
            refuse_if(not field, "bad field line")
            self.fields.setdefault(field_key(field[1]), []).append(field[2].strip(" \t"))

    def all(self, name):
        """Return the values of all fields of this name."""
        return self.fields.get(field_key(name), [])

    def joined(self, name):
        """Return the value of a list field; None if there is none."""
        values = self.all(name)[:1 if fault("hs-fields-repeated") else None]
        return ", ".join(values) if values else None

    def has_token(self, name, token):
        """Say whether a list field contains a token, in any case."""
        value = self.joined(name) or ""
        items = [value] if name == "Connection" and fault("hs-connection-list") else value.split(",")
        return any(same(item.strip(" \t"), token) for item in items)


def parse_extensions(value):
    """Parse an extension list into [(name, [(parameter, value or None)])]."""
    result, value = [], value.strip(" \t,")
    while value:
        item = EXTENSION.match(value)
        refuse_if(not item, "bad extension list")
        result.append((item[1], parse_params(item[2])))
        value = value[item.end():].lstrip(" \t,")
    refuse_if(not result, "empty extension list")
    return result


def parse_params(text):
    """Parse the parameters of an extension."""
    params = []
    for name, value in PARAM.findall(text):
        if value.startswith('"'):
            value = re.sub(r"\\(.)", r"\1", value[1:-1])
            refuse_if(not re.fullmatch(TOKEN, value), "quoted parameter is not a token")
        params.append((name, value or None))
    return params


def accept_for(key):
    """Compute Sec-WebSocket-Accept."""
    return base64.b64encode(hashlib.sha1((key + GUID).encode("latin-1")).digest()).decode()


def format_head(first, fields):
    """Write an HTTP head."""
    return "\r\n".join([first] + [f"{name}: {value}" for name, value in fields] + ["", ""]).encode("latin-1")


# --- permessage-deflate ---

def check_params(params, offer):
    """Return the parameters of an offer or an answer as a dict; None if they are not valid."""
    result = {}
    for name, value in params:
        if name in (SERVER_NCT, CLIENT_NCT):
            valid = value is None
        elif name in (SERVER_BITS, CLIENT_BITS):
            pattern = r"[1-9]\d?" if fault("pmd-bits-range") else r"[89]|1[0-5]"
            optional = (offer and name == CLIENT_BITS) or fault("pmd-bits-missing")
            valid = optional if value is None else re.fullmatch(pattern, value)
        elif fault("pmd-unknown-param"):
            continue
        else:
            valid = False
        if not valid or (name in result and not fault("pmd-duplicate-param")):
            return None
        result[name] = value
    return result


def answer_offers(extensions):
    """Choose the first usable offer: return the agreed parameters or None."""
    for name, params in extensions:
        agreed = check_params(params, True) if name == PMD else None
        if agreed is not None:
            return {key: value for key, value in agreed.items() if value or key in (SERVER_NCT, CLIENT_NCT)}
    return None


def format_answer(agreed):
    """Write the agreed parameters."""
    shown = dict(agreed)
    if fault("pmd-answer-nct-lost"):
        shown.pop(SERVER_NCT, None)
    if fault("pmd-answer-unoffered"):
        shown.setdefault(CLIENT_BITS, "15")
    if fault("pmd-answer-bits-larger") and SERVER_BITS in shown:
        shown[SERVER_BITS] = "15"
    return "; ".join([PMD] + [key if value is None else f"{key}={value}" for key, value in shown.items()])


class Deflate:
    """The compressor and the decompressor of one connection."""

    def __init__(self, params, client):
        own_nct, peer_nct = (CLIENT_NCT, SERVER_NCT) if client else (SERVER_NCT, CLIENT_NCT)
        ignores = fault("pmd-client-nct-ignored") or fault("pmd-server-nct-ignored")
        self.keep_own, self.keep_peer = own_nct not in params or ignores, peer_nct not in params
        bits = int(params.get(CLIENT_BITS if client else SERVER_BITS) or 15)
        self.bits = 15 if fault("pmd-client-window") or fault("pmd-server-window") else max(8, min(15, bits))
        self.encoder, self.decoder, self.history = None, None, bytearray()

    def new_encoder(self):
        """Make a compressor; zlib has no raw 256-byte window, so then do without references."""
        if self.bits == 8:
            return zlib.compressobj(6, zlib.DEFLATED, -9, 8, zlib.Z_HUFFMAN_ONLY)
        return zlib.compressobj(6, zlib.DEFLATED, -self.bits)

    def compress(self, data):
        """Compress a message."""
        if not data:
            return b"" if fault("pmd-send-empty") else b"\x00"
        if self.encoder is None or not self.keep_own:
            self.encoder = self.new_encoder()
        data = self.encoder.compress(data) + self.encoder.flush(zlib.Z_SYNC_FLUSH)
        return data if fault("pmd-send-tail") else data[:-4]

    def begin(self):
        """Prepare to decompress a message."""
        if self.decoder is None or not self.keep_peer or fault("pmd-decoder-forgets"):
            self.decoder = zlib.decompressobj(-15)
            self.history.clear()

    def feed(self, data, room):
        """Decompress a piece of a message, at most room bytes."""
        output, piece = bytearray(), None
        try:
            while data or piece is None or len(piece) == CHUNK:
                piece = self.decoder.decompress(data, CHUNK)
                output += piece
                self.history += piece
                fail_if(len(output) > room, 1009, "long message")
                data = self.after_final_block() if self.decoder.eof else self.decoder.unconsumed_tail
                if len(self.history) > 1 << 20:
                    del self.history[:-32768]
        except zlib.error:
            fail_if(not fault("pmd-garbage"), 1007, "bad DEFLATE data")
            self.decoder = zlib.decompressobj(-15)
        return bytes(output)

    def after_final_block(self):
        """Go on after a block with BFINAL, with the same window; return the rest of the input."""
        fail_if(fault("pmd-bfinal-refused"), 1007, "BFINAL")
        rest = self.decoder.unused_data
        window = b"" if fault("pmd-bfinal-forgets") else bytes(self.history[-32768:])
        self.decoder = zlib.decompressobj(-15, zdict=window)
        return rest

    def finish(self, room):
        """Return the last output of a message, which must end between two blocks."""
        output = self.feed(TAIL, room)
        probe = self.decoder.copy()
        try:
            probe.decompress(b"\x01" + TAIL)
        except zlib.error:
            pass
        broken = not probe.eof or probe.unused_data
        fail_if(broken and not fault("pmd-garbage"), 1007, "truncated DEFLATE data")
        self.decoder = None if broken else self.decoder
        return output


# --- messages ---

class Utf8:
    """Check a text piece by piece and fail as early as possible."""

    def __init__(self):
        self.decoder = codecs.getincrementaldecoder("utf-8")()

    def check(self, data, final=False):
        """Check the next piece; Python alone would accept the first two bytes of a surrogate."""
        try:
            self.decoder.decode(data, final)
            pending = self.decoder.getstate()[0]
            bad = pending[:1] == b"\xed" and pending[1:] >= b"\xa0"
        except UnicodeDecodeError:
            bad = True
        fail_if(bad, 1002 if fault("utf8-code") else 1007, "bad UTF-8")


# Bad sequences that a fault accepts, and how they begin.
SOFT = {"utf8-surrogates": (rb"\xed[\xa0-\xbf][\x80-\xbf]", rb"\xed[\xa0-\xbf]?\Z"),
        "utf8-overlong": (rb"[\xc0\xc1][\x80-\xbf]|\xe0[\x80-\x9f][\x80-\xbf]|\xf0[\x80-\x8f][\x80-\xbf]{2}",
                          rb"([\xc0\xc1]|\xe0[\x80-\x9f]?|\xf0([\x80-\x8f][\x80-\xbf]?)?)\Z"),
        "utf8-above-max": (rb"\xf4[\x90-\xbf][\x80-\xbf]{2}|[\xf5-\xf7][\x80-\xbf]{3}",
                           rb"(\xf4([\x90-\xbf][\x80-\xbf]?)?|[\xf5-\xf7][\x80-\xbf]{0,2})\Z")}
NONCHARACTER = re.compile(rb"\xef\xb7[\x90-\xaf]|(\xef|[\xf0-\xf4][\x8f\x9f\xaf\xbf])\xbf[\xbe\xbf]")


class Message:
    """A message that is arriving."""

    def __init__(self, opcode, deflate):
        self.opcode, self.deflate = opcode, deflate
        self.parts, self.size, self.held, self.raw = [], 0, b"", b""
        checked = (opcode == TEXT or fault("utf8-binary-checked")) and not (deflate and fault("pmd-utf8-unchecked"))
        self.utf8 = Utf8() if checked else None
        if deflate:
            deflate.begin()

    def add(self, data):
        """Take a piece of payload."""
        self.raw = (self.raw + data[:2])[:2]
        self.keep(self.deflate.feed(data, MAX_MESSAGE - self.size) if self.deflate else data)

    def keep(self, data):
        """Take a piece of data, which is decompressed."""
        self.size += len(data)
        fail_if(self.size > MAX_MESSAGE, 1009, "long message")
        self.check_text(data)
        self.parts.append(data)

    def check_text(self, data, final=False):
        """Check the next piece of a text."""
        if not self.utf8 or fault("utf8-unchecked") or fault("utf8-replaces") or (final and fault("utf8-incomplete")):
            return
        for name, (whole, start) in SOFT.items():
            if fault(name):
                data = self.held + data
                found = None if final else re.search(start, data)
                cut = found.start() if found else len(data)
                data, self.held = re.sub(whole, b"?", data[:cut]), data[cut:]
        if fault("utf8-late"):
            self.held += data
            data = self.held if final else b""
        self.utf8.check(data, final or fault("utf8-per-read"))

    def end_fragment(self):
        """Apply the faults at the end of a fragment that is not the last."""
        if self.deflate and fault("pmd-per-fragment"):
            self.keep(self.deflate.finish(MAX_MESSAGE - self.size))
        if fault("utf8-per-fragment"):
            self.check_text(b"", True)

    def finish(self):
        """Return the data of the complete message."""
        if self.deflate:
            self.keep(self.deflate.finish(MAX_MESSAGE - self.size))
            fail_if(fault("pmd-empty-refused") and not self.size, 1007, "empty message")
            stored = len(self.raw) > 1 and self.raw[0] & 6 == 0
            fail_if(fault("pmd-stored-refused") and stored, 1007, "stored block")
        self.check_text(b"", True)
        data = b"".join(self.parts)
        if self.opcode == TEXT:
            fail_if(fault("utf8-noncharacters") and NONCHARACTER.search(data), 1007, "noncharacter")
            data = data.decode("utf-8", "replace").encode() if fault("utf8-replaces") else data
        return data


def apply_mask(data, key, offset=0):
    """Mask or unmask data that starts at this offset of a payload."""
    size, turn = len(data), offset & 3
    key = ((key[turn:] + key[:turn]) * (size // 4 + 1))[:size]
    return (int.from_bytes(data, "little") ^ int.from_bytes(key, "little")).to_bytes(size, "little")


# Close codes that a fault judges the other way round.
BENT_CODES = {"cl-code-999": range(1000), "cl-code-1004": (1004,), "cl-code-1005": (1005,), "cl-code-1006": (1006,),
              "cl-code-1015": (1015,), "cl-code-2999": range(1016, 3000), "cl-code-5000": range(5000, 65536),
              "cl-code-3000-refused": range(3000, 5000)}


def valid_code(code):
    """Check a close code that was received."""
    valid = 1000 <= code <= 1003 or 1007 <= code <= 1014 or 3000 <= code <= 4999
    return valid != any(fault(name) and code in codes for name, codes in BENT_CODES.items())


# --- connections ---

class Connection:
    """An open WebSocket connection."""

    def __init__(self, stream, client, deflate, on_message):
        self.stream, self.client, self.deflate, self.on_message = stream, client, deflate, on_message
        self.message, self.close_sent, self.late_pings = None, False, []
        self.ends_first = fault("cl-client-first") if client else not fault("cl-tcp-open")

    def serve(self):
        """Handle frames until the connection ends."""
        try:
            while self.read_frame():
                if fault("fr-one-per-read"):
                    self.stream.buffer.clear()
        except Fail as error:
            self.fail(error.code)
        except Ended:
            pass
        self.stream.end(self.ends_first, 30 if fault("cl-tcp-open") else 5 if self.client else 2)

    def fail(self, code):
        """Send the close frame of a failed connection."""
        if fault("cl-fail-silent"):
            self.ends_first = True
            return
        try:
            self.send_close(1006 if fault("cl-send-1006") else code)
        except Ended:
            pass

    # receiving

    def read_frame(self):
        """Handle one frame; return False after a close frame."""
        if fault("fr-split-head"):
            self.stream.buffer or self.stream.fill()
            fail_if(len(self.stream.buffer) < 2, 1002, "frame head in pieces")
        first, second = self.stream.exactly(2)
        opcode = first & 15
        self.check_start(first, second)
        size = self.read_size(second & 127)
        key = self.stream.exactly(4) if second & 128 else None
        if opcode >= CLOSE:
            payload = self.stream.exactly(size)
            return self.control(opcode, apply_mask(payload, key) if key else payload)
        if self.is_lost(first, size, key):
            self.stream.exactly(size)
            return True
        if opcode != CONT or not self.message:
            fail_if(self.deflate and not first & RSV1 and fault("pmd-plain-refused"), 1002, "uncompressed message")
            self.message = Message(opcode or BINARY, self.deflate if first & RSV1 else None)
        self.read_payload(size, key)
        if first & FIN:
            self.finish_message()
        else:
            self.message.end_fragment()
        return True

    def is_lost(self, first, size, key):
        """Say whether a fault loses this data frame."""
        if first & 15 > BINARY or (key == bytes(4) and fault("fr-mask-zero-lost")):
            return True
        whole = first & FIN and first & 15 != CONT
        return not size and not whole and fault("fr-empty-fragment-lost")

    def check_start(self, first, second):
        """Check the first two bytes of a frame."""
        opcode = first & 15
        fail_if(first & RSV1 and not self.rsv1_allowed(opcode), 1002, "RSV1")
        fail_if(first & RSV2 and not fault("fr-rsv2-ignored"), 1002, "RSV2")
        fail_if(first & RSV3 and not fault("fr-rsv3-ignored"), 1002, "RSV3")
        fail_if(2 < opcode < 8 and not fault("fr-opcode-data-ignored"), 1002, "reserved opcode")
        fail_if(opcode > PONG and not fault("fr-opcode-control-ignored"), 1002, "reserved opcode")
        lenient = fault("fr-masked-accepted") or fault("fr-unmasked-accepted")
        fail_if(bool(second & 128) == self.client and not lenient, 1002, "wrong masking")
        if opcode >= CLOSE:
            fail_if(not first & FIN and not fault("fr-control-fragmented"), 1002, "fragmented control frame")
            fail_if(second & 127 > 125 and not fault("fr-control-long"), 1002, "long control frame")
            fail_if(self.message and fault("fr-control-inside-refused"), 1002, "control frame inside a message")
        elif opcode == CONT:
            fail_if(not self.message and not fault("fr-continuation-first"), 1002, "continuation without a message")
        elif opcode <= BINARY:
            fail_if(self.message and not fault("fr-message-inside"), 1002, "message inside a message")

    def rsv1_allowed(self, opcode):
        """Say whether RSV1 is allowed with this opcode."""
        if not self.deflate:
            return fault("fr-rsv1-ignored")
        if opcode == CONT:
            return fault("pmd-rsv1-continuation")
        return opcode < CLOSE or fault("pmd-rsv1-control")

    def read_size(self, size):
        """Read the extended payload length, if there is one."""
        if size < 126:
            return size
        if size == 126:
            size, = struct.unpack("!H", self.stream.exactly(2))
            least = 127 if fault("fr-len126-refused") else 126
            bad = size >> 15 and fault("fr-len16-signed")
        else:
            size, = struct.unpack("!Q", self.stream.exactly(8))
            size = size % 2**63 if fault("fr-len64-topbit") else size
            least, bad = 65536, size >> 63 or fault("fr-len64-refused")
        fail_if(bad or (size < least and not fault("fr-len-nonminimal")), 1002, "bad payload length")
        fail_if(size > MAX_MESSAGE, 1009, "long frame")
        return size

    def read_payload(self, size, key):
        """Read the payload of a data frame as it arrives."""
        offset = 0
        while offset < size:
            piece = self.stream.some(size - offset)
            self.message.add(apply_mask(piece, key, 0 if fault("fr-mask-offset") else offset) if key else piece)
            offset += len(piece)

    def finish_message(self):
        """Deliver a complete message."""
        message, self.message = self.message, None
        data = message.finish()
        if data or not fault("fr-empty-message-lost"):
            self.on_message(self, message.opcode, data)
        while self.late_pings:
            self.pinged(self.late_pings.pop(0))

    def control(self, opcode, payload):
        """Handle a control frame; return False after a close frame."""
        if opcode == CLOSE:
            return self.closed(payload)
        if opcode == PING:
            self.pinged(payload)
        fail_if(opcode == PONG and fault("fr-pong-refused"), 1002, "unsolicited pong")
        return True

    def pinged(self, payload):
        """Answer a ping."""
        if self.message and fault("fr-ping-late"):
            self.late_pings.append(payload)
        elif not fault("fr-ping-ignored") and (payload or not fault("fr-ping-empty-ignored")):
            size = 0 if fault("fr-pong-empty") else 16 if fault("fr-pong-truncated") else None
            self.send_frame(PONG, payload[:size], RSV1 if self.deflate and fault("pmd-send-rsv1-pong") else 0)

    def closed(self, payload):
        """Check a close frame and answer it; return True to go on all the same."""
        while fault("cl-no-answer"):
            self.stream.fill()
        if fault("cl-drops-tcp"):
            self.ends_first = True
            return False
        fail_if(len(payload) == 1 and not fault("cl-one-byte"), 1002, "close payload of one byte")
        fail_if(not payload and fault("cl-empty-refused"), 1002, "close without a payload")
        code = 1005 if not payload and fault("cl-send-1005") else None
        if len(payload) > 1:
            code, = struct.unpack("!H", payload[:2])
            fail_if(not valid_code(code), 1002, "bad close code")
            if not fault("cl-reason-unchecked"):
                Utf8().check(payload[2:], True)
            if fault("cl-other-code"):
                code = 1001 if code == 1000 else 1000
        self.send_close(code)
        if fault("cl-echo-after-close"):
            self.stream.set_timeout(1)
        return fault("cl-echo-after-close")

    # sending

    def send_message(self, opcode, data):
        """Send a message in one frame."""
        if fault("fr-send-text-as-binary"):
            opcode = BINARY
        rsv, fin = RSV2 if fault("fr-send-rsv2") else 0, 0 if fault("fr-send-no-fin") else FIN
        if self.deflate:
            data = self.deflate.compress(data)
        if fault("pmd-send-unnegotiated") or (self.deflate and not fault("pmd-send-no-rsv1")):
            rsv |= RSV1
        if self.deflate and fault("pmd-send-rsv1-continuation"):
            self.send_frame(opcode, b"", rsv, 0)
            opcode = CONT
        self.send_frame(opcode, data, rsv, fin)

    def send_frame(self, opcode, payload, rsv=0, fin=FIN):
        """Send a frame."""
        masked = self.client != (fault("fr-send-masked") or fault("fr-send-unmasked"))
        first, size, mask = fin | rsv | opcode, len(payload), 128 if masked else 0
        if size <= (126 if fault("fr-send-126") else 125) and not (opcode < CLOSE and fault("fr-send-nonminimal")):
            head = struct.pack("!BB", first, mask | size)
        elif size <= (65536 if fault("fr-send-65536") else 65535):
            head = struct.pack("!BBH", first, mask | 126, size & 65535)
        else:
            head = struct.pack("!BBQ", first, mask | 127, size)
        if masked:
            key = b"mask" if fault("fr-send-mask-constant") else os.urandom(4)
            head, payload = head + key, apply_mask(payload, key)
        self.stream.send(head + payload)

    def send_close(self, code):
        """Send a close frame, once."""
        if not self.close_sent:
            self.close_sent = True
            for _ in range(2 if fault("cl-send-twice") else 1):
                self.send_frame(CLOSE, b"" if code is None else struct.pack("!H", code))


def echo(connection, opcode, data):
    """Send a message back."""
    connection.send_message(opcode, data)


# --- server ---

def check_request(head):
    """Check a request; return the fields of the answer and the agreed permessage-deflate parameters."""
    check_request_line(head)
    hosts = head.all("Host")
    refuse_if(not hosts and not fault("hs-host-missing"), "no Host")
    refuse_if(hosts and (len(hosts) > 1 or not HOST.fullmatch(hosts[0])), "Host")
    check_upgrade(head)
    key = check_key(head)
    check_version(head)
    fields = [("Upgrade", "websocket")] * (not fault("hs-answer-no-upgrade"))
    fields += [("Connection", "Upgrade")] * (not fault("hs-answer-no-connection"))
    fields.append(("Sec-WebSocket-Accept", accept_for(key.lower() if fault("hs-accept-wrong") else key)))
    protocol = choose_protocol(head)
    if protocol:
        fields.append(("Sec-WebSocket-Protocol", protocol))
    value = PMD if fault("hs-extension-unoffered") else None
    value = head.joined("Sec-WebSocket-Extensions") if head.all("Sec-WebSocket-Extensions") else value
    extensions = [] if value is None else parse_extensions(value)
    agreed = answer_offers(extensions)
    answers = [] if agreed is None else [format_answer(agreed)]
    answers += [name for name, _ in extensions if name != PMD and fault("hs-extension-unknown")]
    if answers:
        fields.append(("Sec-WebSocket-Extensions", ", ".join(answers)))
    return fields, agreed


def check_request_line(head):
    """Check method, target and HTTP version; a request has no body."""
    line = REQUEST_LINE.fullmatch(head.first)
    refuse_if(not line, "bad request line")
    method, target, major, minor = line.groups()
    refuse_if(major != "1", "HTTP version", "505 HTTP Version Not Supported")
    refuse_if(minor == "0" and not fault("hs-http10"), "HTTP/1.0")
    refuse_if(method != "GET" and not fault("hs-post"), "method", "405 Method Not Allowed", [("Allow", "GET")])
    refuse_if(not TARGET.fullmatch(target), "bad target")
    refuse_if(target[0] != "/" and fault("hs-absolute-uri"), "absolute target")
    refuse_if(head.all("Transfer-Encoding") or head.joined("Content-Length") not in (None, "0"), "request with a body")


def check_upgrade(head):
    """Check the Upgrade and Connection fields."""
    answer = "426 Upgrade Required", [("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")]
    good = head.has_token("Upgrade", "websocket") or fault("hs-upgrade-unchecked")
    refuse_if(not good, "Upgrade", *answer)
    good = head.has_token("Connection", "Upgrade") or fault("hs-connection-unchecked")
    refuse_if(not good, "Connection", *answer)


def check_key(head):
    """Check the key and return it."""
    keys = head.all("Sec-WebSocket-Key")
    if not keys and fault("hs-key-missing"):
        return ""
    refuse_if(len(keys) != 1, "Sec-WebSocket-Key")
    good = re.fullmatch(r"[A-Za-z0-9+/]{22}==", keys[0]) or fault("hs-key-length")
    refuse_if(not good, "Sec-WebSocket-Key")
    return keys[0]


def check_version(head):
    """Check the version of the protocol."""
    versions = head.all("Sec-WebSocket-Version")
    if not versions and fault("hs-version-missing"):
        return
    upgrade, known = ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")
    refuse_if(len(versions) != 1, "Sec-WebSocket-Version", fields=[known])
    fields = [upgrade] if fault("hs-version-field") else [upgrade, known]
    bad = versions[0] != "13" and not fault("hs-version-other")
    refuse_if(bad, "version", "426 Upgrade Required", fields)


def choose_protocol(head):
    """Choose the first offered subprotocol that is known, if any."""
    value = head.joined("Sec-WebSocket-Protocol")
    if value is None:
        return PROTOCOLS[0] if fault("hs-protocol-unasked") else None
    offered = [item.strip(" \t") for item in value.split(",") if item.strip(" \t")]
    refuse_if(not offered or len(set(offered)) < len(offered), "Sec-WebSocket-Protocol")
    refuse_if(not all(re.fullmatch(TOKEN, item) for item in offered), "Sec-WebSocket-Protocol")
    known = ["other"] if fault("hs-protocol-other") else [item for item in offered if item in PROTOCOLS]
    return known[0] if known else None


def refuse(stream, error):
    """Send the answer to a bad handshake."""
    connection = "Upgrade, close" if error.status.startswith("426") else "close"
    fields = [*error.fields, ("Connection", connection), ("Content-Length", "0")]
    try:
        stream.send(format_head("HTTP/1.1 " + error.status, fields))
    except Ended:
        pass
    stream.end(True, 2)


def serve_connection(sock):
    """Serve one TCP connection."""
    stream = Stream(sock)
    stream.set_timeout(HEAD_SECONDS)
    try:
        fields, agreed = check_request(Head(read_head(stream)))
        status = "200 OK" if fault("hs-answer-200") else "101 Switching Protocols"
        stream.send(format_head("HTTP/1.1 " + status, fields))
    except BadHandshake as error:
        refuse(stream, error)
    except Ended:
        stream.end(True, 0)
    else:
        stream.set_timeout(0)
        Connection(stream, False, None if agreed is None else Deflate(agreed, False), echo).serve()


def serve(port):
    """Listen and serve every connection in a thread."""
    listener = socket.create_server(("127.0.0.1", port), backlog=128)
    print(f"{listener.getsockname()[1]}", flush=True)
    while True:
        threading.Thread(target=serve_connection, args=listener.accept()[:1], daemon=True).start()


# --- client ---

def make_request(path, host, key):
    """Write a request."""
    version = "8" if fault("hs-request-version") else "13"
    fields = [("Host", host), ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Key", key),
              ("Sec-WebSocket-Version", version), ("Sec-WebSocket-Extensions", f"{PMD}; {CLIENT_BITS}")]
    fields = [field for field in fields if not fault("hs-request-no-" + field[0].lower())]
    return format_head(f"GET {path} HTTP/1.1", fields)


def make_key():
    """Return a new key."""
    nonce = b"the sample nonce" if fault("hs-request-key-constant") else os.urandom(16)
    return base64.b64encode(nonce[:15] if fault("hs-request-key-short") else nonce).decode()


def read_answer(stream):
    """Read the head of the answer, past interim answers; return the status and the head."""
    while True:
        head = Head(re.sub(rb"[ \t]*\r\n[ \t]+", b" ", read_head(stream)))
        line = STATUS_LINE.fullmatch(head.first)
        refuse_if(not line, "bad status line")
        if line[1] == "101" or not line[1].startswith("1"):
            return line[1], head


def check_answer(status, head, key):
    """Check an answer; return the agreed permessage-deflate parameters."""
    refuse_if(status != "101" and not (status == "200" and fault("hs-client-status-200")), "status " + status)
    good = same(head.joined("Upgrade") or "", "websocket") or fault("hs-client-upgrade-unchecked")
    refuse_if(not good, "Upgrade")
    good = head.has_token("Connection", "Upgrade") or fault("hs-client-connection-unchecked")
    refuse_if(not good, "Connection")
    good = head.all("Sec-WebSocket-Accept") == [accept_for(key)] or fault("hs-client-accept-unchecked")
    refuse_if(not good, "Sec-WebSocket-Accept")
    protocols = head.all("Sec-WebSocket-Protocol")
    refuse_if(protocols and not fault("hs-client-protocol-unoffered"), "Sec-WebSocket-Protocol")
    values = head.all("Sec-WebSocket-Extensions")
    extensions = parse_extensions(", ".join(values)) if values else []
    if fault("hs-client-extension-unoffered"):
        extensions = [item for item in extensions if item[0] == PMD]
    refuse_if(len(values) > 1 or len(extensions) > 1, "more than one extension")
    refuse_if(any(name != PMD for name, _ in extensions), "extension that was not offered")
    agreed = check_params(extensions[0][1], False) if extensions else None
    refuse_if(extensions and agreed is None, "permessage-deflate parameters")
    return agreed


def session(url, path, on_message):
    """Connect, handle messages until the connection ends; return False if it cannot be opened."""
    try:
        sock = socket.create_connection((url.hostname, url.port or 80), timeout=HEAD_SECONDS)
    except OSError as error:
        print(f"{path}: {error}", file=sys.stderr)
        return False
    stream, key = Stream(sock), make_key()
    stream.set_timeout(HEAD_SECONDS)
    try:
        stream.send(make_request(path, url.netloc.rpartition("@")[2], key))
        agreed = check_answer(*read_answer(stream), key)
    except (BadHandshake, Ended) as error:
        print(f"{path}: handshake failed: {error}", file=sys.stderr)
        stream.end(False, 0)
        return False
    if fault("hs-client-frames-lost"):
        stream.buffer.clear()
    stream.set_timeout(IDLE_SECONDS)
    Connection(stream, True, None if agreed is None else Deflate(agreed, True), on_message).serve()
    return True


def run(address, agent, name):
    """Take all cases of a fuzzing server; the fault is on in the cases only."""
    url, agent, answers = urlsplit(address), quote(agent, safe=""), []
    base = url.path.rstrip("/")

    def counted(connection, _opcode, data):
        answers.append(data)
        connection.send_close(1000)

    session(url, base + "/getCaseCount", counted)
    if not answers or not re.fullmatch(rb"\d+", answers[0]):
        print("no case count", file=sys.stderr)
        return 1
    switch_on(name, "client")
    for case in range(1, int(answers[0]) + 1):
        session(url, f"{base}/runCase?case={case}&agent={agent}", echo)
    switch_on(None, "client")
    session(url, f"{base}/updateReports?agent={agent}", echo)
    return 0


# --- command line ---

def switch_on(name, role):
    """Switch a fault on, or exit if this role does not have it."""
    global ACTIVE
    roles = dict(line.split(None, 2)[:2] for line in FAULTS.strip().split("\n"))
    if name and roles.get(name) not in (role, "both"):
        sys.exit(f"no fault of a {role}: {name}")
    ACTIVE = name


def main():
    """Run the command line."""
    parser = argparse.ArgumentParser(description="WebSocket peer with switchable faults")
    commands = parser.add_subparsers(dest="command", required=True)
    serving, running, _ = [commands.add_parser(name) for name in ("serve", "run", "faults")]
    serving.add_argument("--port", type=int, default=0)
    running.add_argument("url")
    running.add_argument("--agent", default="faulty_peer")
    for command in serving, running:
        command.add_argument("--fault", metavar="NAME")
    options = parser.parse_args()
    if options.command == "faults":
        print("\n".join("\t".join(line.split(None, 3)) for line in FAULTS.strip().split("\n")))
        return 0
    switch_on(options.fault, "server" if options.command == "serve" else "client")
    try:
        if options.command == "serve":
            return serve(options.port)
        switch_on(None, "client")
        return run(options.url, options.agent, options.fault)
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main())
