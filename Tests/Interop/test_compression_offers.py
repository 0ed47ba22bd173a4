"""The permessage-deflate offers of `connect`, and how `listen` answers offers (RFC 7692 §5.1, §7.1)."""

import socket

import pytest

import wire
from processes import Listener, wsx
from scripted_server import ScriptedServer

NAME = "permessage-deflate"


@pytest.fixture(scope="module")
def server():
    with Listener("--echo") as server:
        yield server


def answer_to(server, *offers):
    """Returns a server's answer to offers, one header field each, or None if it accepts none."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as sock:
        stream = wire.Stream(sock)
        fields = [f"Sec-WebSocket-Extensions: {offer}".encode() for offer in offers]
        stream.send(wire.upgrade_request(server.port, "/", *fields))
        head = stream.read_head()
        assert head.startswith(b"HTTP/1.1 101 "), head
        assert head.count(b"Sec-WebSocket-Extensions") <= 1
        # The echo is compressed exactly if the answer says so.
        answer = wire.field(head, wire.EXTENSIONS)
        stream.send(wire.text("a" * 1000, is_masked=True))
        echoed = stream.read_message(wire.Inflater())
        assert (echoed.payload, echoed.is_compressed) == (b"a" * 1000, answer is not None)
        return answer and answer.decode()


@pytest.mark.parametrize(
    "offer, answer",
    [
        ("", NAME),
        ("; client_max_window_bits=9; server_no_context_takeover; server_max_window_bits=10; client_no_context_takeover",
         "; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=10; client_max_window_bits=9"),
    ])
def test_an_offer_is_accepted_with_its_parameters(server, offer, answer):
    assert answer_to(server, NAME + offer) == (answer if answer == NAME else NAME + answer)


def test_an_invalid_offer_is_declined_and_the_next_is_considered(server):
    invalid = f"{NAME}; server_max_window_bits=16"
    assert answer_to(server, invalid) is None
    assert answer_to(server, f"{invalid}, {NAME}; server_max_window_bits=10") == f"{NAME}; server_max_window_bits=10"
    assert answer_to(server, invalid, f"x-other, {NAME}") == NAME


@pytest.mark.parametrize(
    "arguments, offer, answer",
    [
        (["--compress=off"], "", None),
        (["--compress-window-bits", "10"], "; server_max_window_bits=9; client_max_window_bits",
         "; server_max_window_bits=9; client_max_window_bits=10"),
    ],
    ids=str)
def test_a_server_adds_its_own_parameters(arguments, offer, answer):
    with Listener("--echo", *arguments) as server:
        assert answer_to(server, NAME + offer) == (None if answer is None else NAME + answer)


@pytest.mark.parametrize(
    "arguments, offer",
    [
        (["--compress=off"], None),
        (["--compress-window-bits", "8"], f"{NAME}; server_max_window_bits=9; client_max_window_bits=9"),
        (["--compress-no-context"], f"{NAME}; server_no_context_takeover; client_no_context_takeover; client_max_window_bits"),
    ],
    ids=str)
def test_the_offer_of_a_client_follows_its_options(arguments, offer):
    def script(peer):
        peer.upgrade(then=wire.close(1000))
        peer.read_until_close()
        return wire.field(peer.request, wire.EXTENSIONS)

    with ScriptedServer(script) as server:
        # Declining compression is a valid answer.
        assert wsx("connect", *arguments, server.url).status == 0
    assert server.results == [offer and offer.encode()]


@pytest.mark.parametrize(
    "answer, bits, is_alone",
    [
        ('; client_max_window_bits="8"', 8, False),
        ("; client_no_context_takeover ; server_no_context_takeover;client_max_window_bits=9;server_max_window_bits=10", 9, True),
    ])
def test_a_server_may_accept_with_smaller_parameters(answer, bits, is_alone):
    def script(peer):
        peer.upgrade(f"Sec-WebSocket-Extensions: {NAME}{answer}".encode())
        inflate = wire.Inflater(bits, is_alone, is_strict=True)
        messages = [peer.read_message(inflate).payload for _ in range(2)]
        peer.answer_close()
        return messages

    message = "".join(f"{number:x}" for number in range(2000))
    with ScriptedServer(script) as server:
        assert wsx("connect", "--linger", "0", server.url, message, message).status == 0
    assert server.results == [[message.encode()] * 2]
