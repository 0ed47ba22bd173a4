"""permessage-deflate with ws for Node and Python's websockets: every window, with and without context takeover."""

import asyncio
import json
import random
import struct

import pytest
import websockets
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory

from processes import NODE_ENVIRONMENT, PEERS, PYTHON, Listener, PeerServer, run, wsx


def short_messages(chance, count):
    """Returns short messages that repeat most of earlier ones, and sometimes others in between."""
    for number in range(count):
        if chance.randrange(40) == 0:
            yield "".join(chance.choices("abcdefgh ", k=chance.randrange(64, 3000)))
        yield json.dumps({
            "id": number, "price": chance.randrange(10**6), "tags": ["alpha", "beta"],
            "note": "some words that repeat and some that do not: " * chance.randrange(1, 9)})


def corpus():
    """Returns messages of many sizes and kinds, without NUL bytes."""
    chance = random.Random(7692)

    def noise(byte_count):
        return chance.randbytes(byte_count).replace(b"\0", b"\1")

    for size in [0, 1, 2, 63, 64, 65, 125, 126, 127, 65535, 65536, 70 << 10]:
        yield "a" * size
        yield ("aé水🎈" * (size // 10 + 1))[:size]
        yield noise(size)
    for number in range(240):
        yield json.dumps({"id": number, "user": chance.choice(["anna", "bert", "zoë"]), "values": chance.choices(range(99), k=9)})
        if number % 5 == 0:
            yield noise(chance.randrange(400))
        if number % 20 == 0:
            yield noise(40) * chance.randrange(100)
    yield from short_messages(chance, 1500)
    yield "".join(chance.choices("abcdé水🎈 \n", k=100_000))
    yield noise(1 << 18)
    yield b"x" * (1 << 20)


CORPUS = list(corpus())
TEXTS = b"".join(message.encode() + b"\0" for message in CORPUS if isinstance(message, str))
BINARIES = b"".join(message + b"\0" for message in CORPUS if isinstance(message, bytes))


def negotiations(lowest_server_bits=8, lowest_client_bits=8):
    """Yields the peer's parameters: large and small windows in each direction, with each kind of context takeover."""
    pairs = [(15, 15), (13, 9), (9, 13), (8, 8)]
    takeovers = [(False, False), (True, False), (False, True), (True, True)]
    for number, (server_bits, client_bits) in enumerate(pairs):
        server_bits = server_bits if server_bits >= lowest_server_bits else 15
        client_bits = client_bits if client_bits >= lowest_client_bits else 15
        server_alone, client_alone = takeovers[number]
        name = f"server {server_bits}{' alone' * server_alone}, client {client_bits}{' alone' * client_alone}"
        yield pytest.param((server_bits, client_bits, server_alone, client_alone), id=name)


def snake_case(negotiation):
    """The parameters by their RFC names, as websockets expects them."""
    server_bits, client_bits, server_alone, client_alone = negotiation
    return {
        "server_max_window_bits": server_bits, "client_max_window_bits": client_bits,
        "server_no_context_takeover": server_alone, "client_no_context_takeover": client_alone}


def camel_case(negotiation):
    """The parameters by their names in ws. There, `true` differs from an omitted value."""
    server_bits, client_bits, server_alone, client_alone = negotiation
    options = {"threshold": 0, "serverMaxWindowBits": server_bits, "clientMaxWindowBits": client_bits}
    if server_alone:
        options["serverNoContextTakeover"] = True
    if client_alone:
        options["clientNoContextTakeover"] = True
    return options


def as_ws_says_it(negotiation):
    """The negotiated parameters in the format of ws, which omits what does not apply."""
    return {name: value for name, value in snake_case(negotiation).items() if value is not False}


def as_websockets_says_it(negotiation, is_server):
    """The negotiated parameters in the format of a websockets connection."""
    server_bits, client_bits, server_alone, client_alone = negotiation
    own, peer = (server_bits, server_alone), (client_bits, client_alone)
    if not is_server:
        own, peer = peer, own
    return (
        f"PerMessageDeflate(remote_no_context_takeover={peer[1]}, local_no_context_takeover={own[1]}, "
        f"remote_max_window_bits={peer[0]}, local_max_window_bits={own[0]})")


def assert_all_return(url, *arguments):
    """Sends all messages to an echo server, and asserts that they return in order."""
    for kind, messages in [("--text", TEXTS), ("--binary", BINARIES)]:
        result = wsx(
            "connect", kind, "--input", "nul", "--output", "nul", "-n", str(messages.count(b"\0")), *arguments, url,
            stdin=messages)
        assert (result.status, result.err) == (0, "")
        assert result.out == messages


@pytest.mark.parametrize("negotiation", negotiations())
def test_connect_negotiates_with_a_server_on_node_ws(negotiation):
    with PeerServer(["node", PEERS / "ws_echo.js", json.dumps(camel_case(negotiation))], env=NODE_ENVIRONMENT) as server:
        assert_all_return(server.url)
        agreed = [json.loads(line) for line in server.out.splitlines()[1:]]
    assert agreed == [as_ws_says_it(negotiation)] * 2


# Python's zlib cannot compress with a window of 8 bits.
@pytest.mark.parametrize("negotiation", negotiations(lowest_server_bits=9))
def test_connect_negotiates_with_a_server_on_websockets(negotiation):
    with PeerServer([PYTHON, PEERS / "websockets_echo.py", json.dumps(snake_case(negotiation))]) as server:
        assert_all_return(server.url)
        agreed = server.out.decode().splitlines()[1:]
    assert agreed == [as_websockets_says_it(negotiation, is_server=True)] * 2


@pytest.mark.parametrize("bits, is_alone", [(8, True), (9, False), (15, True)])
def test_a_server_on_node_ws_accepts_the_parameters_of_connect(bits, is_alone):
    # Many peers do not support 8 bits, so wsx negotiates 9.
    spoken = max(9, bits)
    asked = {"server_max_window_bits": spoken, "client_max_window_bits": spoken} if bits < 15 else {}
    if is_alone:
        asked |= {"server_no_context_takeover": True, "client_no_context_takeover": True}
    with PeerServer(["node", PEERS / "ws_echo.js", "true"], env=NODE_ENVIRONMENT) as server:
        assert_all_return(
            server.url, "--compress-window-bits", str(bits), *["--compress-no-context"] * is_alone)
        assert [json.loads(line) for line in server.out.splitlines()[1:]] == [asked] * 2


@pytest.mark.parametrize("bits, is_alone", [(9, False), (15, True)])
def test_a_server_on_websockets_accepts_the_parameters_of_connect(bits, is_alone):
    with PeerServer([PYTHON, PEERS / "websockets_echo.py"]) as server:
        assert_all_return(
            server.url, "--compress-window-bits", str(bits), *["--compress-no-context"] * is_alone)
        # websockets itself requests 12 bits.
        agreed = (min(bits, 12), min(bits, 12), is_alone, is_alone)
        assert server.out.decode().splitlines()[1:] == [as_websockets_says_it(agreed, is_server=True)] * 2


def as_records(messages):
    """The messages in the input format of ws_echo_check.js."""
    for message in messages:
        data = message.encode() if isinstance(message, str) else message
        yield struct.pack("!BI", 1 if isinstance(message, str) else 2, len(data)) + data


RECORDS = b"".join(as_records(CORPUS))


@pytest.mark.parametrize("negotiation", negotiations())
def test_listen_negotiates_with_a_client_on_node_ws(wsx_echo, negotiation):
    result = run(
        ["node", PEERS / "ws_echo_check.js", wsx_echo.url, json.dumps(camel_case(negotiation))], stdin=RECORDS,
        env=NODE_ENVIRONMENT)
    assert (result.status, result.err) == (0, "")
    agreed, outcome = result.lines
    assert json.loads(agreed) == as_ws_says_it(negotiation)
    assert outcome == f"{len(CORPUS)} returned, closed 1000"


async def echo_with_websockets(url, negotiation):
    """Sends the corpus to an echo server through websockets. Returns the replies and the negotiated parameters."""
    extension = ClientPerMessageDeflateFactory(**snake_case(negotiation))
    async with websockets.connect(url, max_size=None, compression=None, extensions=[extension]) as connection:

        async def send():
            for message in CORPUS:
                await connection.send(message)

        sending = asyncio.create_task(send())
        returned = [await connection.recv() for _ in CORPUS]
        await sending
        return returned, [str(extension) for extension in getattr(connection, "protocol", connection).extensions]


@pytest.mark.parametrize("negotiation", negotiations(lowest_client_bits=9))
def test_listen_negotiates_with_a_client_on_websockets(wsx_echo, negotiation):
    returned, agreed = asyncio.run(asyncio.wait_for(echo_with_websockets(wsx_echo.url, negotiation), 60))
    assert returned == CORPUS
    assert agreed == [as_websockets_says_it(negotiation, is_server=False)]


@pytest.mark.parametrize("bits, is_alone", [(8, True), (9, False), (15, True)])
def test_listen_requests_smaller_parameters_from_its_clients(bits, is_alone):
    with Listener("--echo", "--compress-window-bits", str(bits), *["--compress-no-context"] * is_alone) as server:
        result = run(["node", PEERS / "ws_echo_check.js", server.url, "{}"], stdin=RECORDS, env=NODE_ENVIRONMENT)
        assert (result.status, result.err) == (0, "")
        agreed, outcome = result.lines
    # Many peers do not support 8 bits, so wsx negotiates 9.
    spoken = max(9, bits)
    asked = {"server_max_window_bits": spoken, "client_max_window_bits": spoken} if bits < 15 else {}
    if is_alone:
        asked |= {"server_no_context_takeover": True, "client_no_context_takeover": True}
    assert json.loads(agreed) == asked
    assert outcome == f"{len(CORPUS)} returned, closed 1000"
