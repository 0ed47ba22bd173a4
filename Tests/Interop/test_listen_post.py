"""`wsx listen --post`: HTTP requests whose bodies become messages."""

import contextlib
import json
import socket
import subprocess

import pytest

import http2
import wire
from processes import Listener, assert_fails, wsx
from test_listen_access import basic
from test_listen_paths import connect, texts

OCTETS = "Content-Type: application/octet-stream"


def post(port, body=b"", *fields, path="/", host=None, length=True, method="POST"):
    """The status and the body of the response."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}", *fields]
    lines += [f"Content-Length: {len(body)}"] if length else []
    return exchange(port, "\r\n".join([*lines, "", ""]).encode() + body)


def exchange(port, request):
    with socket.create_connection(("127.0.0.1", port), timeout=60) as sock:
        sock.sendall(request)
        return response(wire.Stream(sock))


def response(stream):
    head = stream.read_head()
    return int(head.split()[1]), stream.read_to_end().decode()


@pytest.fixture(scope="module")
def server():
    with Listener("--post", "--no-stdin", "--max-message-size", "1000") as listener:
        yield listener


def test_a_post_reaches_the_clients_of_its_path_and_returns_their_number(server):
    with contextlib.ExitStack() as stack:
        red, other, blue = [connect(server, path) for path in ("/red?x=1", "/red", "/blue")]
        for client in (red, other, blue):
            stack.enter_context(client.sock)
        assert post(server.port, "grün".encode(), path="/%72ed?n=2") == (200, "2\n")
        assert post(server.port, b"hello", path="/blue") == (200, "1\n")
        assert post(server.port, b"hello", path="/nobody") == (200, "0\n")
        assert texts(red, 1) == texts(other, 1) == ["grün"]
        assert texts(blue, 1) == ["hello"]


def test_a_post_reaches_the_client_with_a_number():
    with Listener("--post", "--no-stdin") as listener:
        clients = [connect(listener) for _ in range(2)]
        assert post(listener.port, b"for you", path="/clients/2") == (200, "1\n")
        assert post(listener.port, b"for all") == (200, "2\n")
        assert post(listener.port, b"x", path="/clients/3") == (404, "There is no client with this number.\n")
        assert texts(clients[1], 2) == ["for you", "for all"]
        assert texts(clients[0], 1) == ["for all"]


def test_bytes_are_a_binary_message(server):
    with connect(server, "/bytes").sock as sock:
        client = wire.Stream(sock)
        for media_type in (OCTETS, "content-type: Application/Octet-Stream; x=y"):
            assert post(server.port, b"\xff\0", media_type, path="/bytes") == (200, "1\n")
            message = client.read_message()
            assert (message.opcode, message.payload) == (wire.BINARY, b"\xff\0")


@pytest.mark.parametrize("body, status", [
    (b"4\r\nwiki\r\n5;x=y\r\npedia\r\n0\r\nTrailer: x\r\n\r\n", 200), (b"0\r\n\r\n", 200), (b"4\r\nwikix", 400),
    (b"3e9\r\n" + b"x" * 1001 + b"\r\n", 413),
], ids=["whole", "empty", "malformed", "too large"])
def test_a_body_may_be_chunked(server, body, status):
    with connect(server, "/chunks").sock:
        result = post(server.port, body, "Transfer-Encoding: chunked", path="/chunks", length=False)
    assert result[0] == status


@pytest.mark.parametrize("fields, body, status", [
    ([], b"\xff", 400), (["Content-Length: 1001"], b"", 413), ([], b"x" * 1001, 413), ([], b"x" * 1000, 200),
    (["Content-Length: 1", "Content-Length: 1"], b"x", 400),
    (["Content-Length: 1", "Transfer-Encoding: chunked"], b"x", 400), ([None], b"", 411), ([], b"", 200),
], ids=["no UTF-8", "announced", "too large", "largest", "repeated length", "both lengths", "no length", "empty"])
def test_a_body_that_cannot_be_sent_is_refused(server, fields, body, status):
    with connect(server, "/r").sock as sock:
        assert post(server.port, body, *filter(None, fields), path="/r", length=not fields)[0] == status
        if status == 200:
            assert wire.Stream(sock).read_message().payload == body
        # Nothing of a refused body has been sent.
        assert post(server.port, b"end", path="/r") == (200, "1\n")
        assert wire.Stream(sock).read_message().payload == b"end"


def test_a_client_that_expects_100_gets_it_before_the_body(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as sock:
        stream = wire.Stream(sock)
        stream.send(b"POST /x HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        assert stream.read_head().startswith(b"HTTP/1.1 100 ")
        stream.send(b"hi")
        assert response(stream) == (200, "0\n")


@pytest.mark.parametrize("fields, host, status", [
    (["Origin: https://evil.example", "Content-Type: text/plain"], None, 403), (["Origin: null"], None, 403),
    ([], "evil.example", 403), (["Origin: http://localhost:3000"], None, 200),
    (["Origin: https://app.example"], None, 200),
], ids=["cross-site", "opaque", "rebound name", "this machine", "allowed"])
def test_pages_need_the_rights_of_a_websocket(fields, host, status):
    with Listener("--post", "--no-stdin", "--origin", "https://app.example") as listener:
        client = connect(listener)
        result = post(listener.port, b"page", *fields, host=host)
        assert (result[0], result[1] == "1\n") == (status, status == 200)
        post(listener.port, b"end")
        assert texts(client, 1) == ["page" if status == 200 else "end"]


def test_a_login_is_needed():
    with Listener("--post", "--no-stdin", "--auth", "me:geheim") as listener:
        client = connect(listener, "/", basic("me:geheim").encode())
        assert post(listener.port, b"x")[0] == post(listener.port, b"x", basic("me:wrong"))[0] == 401
        assert post(listener.port, b"right", basic("me:geheim")) == (200, "1\n")
        assert texts(client, 1) == ["right"]


def test_with_a_path_only_its_clients_and_numbers_exist():
    with Listener("--post", "--no-stdin", "--path", "/chat") as listener:
        client = connect(listener, "/chat")
        assert post(listener.port, b"x", path="/")[0] == 404
        assert post(listener.port, b"a", path="/chat") == post(listener.port, b"b", path="/clients/1") == (200, "1\n")
        assert texts(client, 2) == ["a", "b"]


def test_a_server_without_the_option_accepts_no_post():
    with Listener("--no-stdin") as listener:
        assert post(listener.port, b"x")[0] == 405
    with Listener("--post", "--no-stdin") as listener:
        for method in ("PUT", "OPTIONS"):
            assert post(listener.port, b"x", method=method) == (405, "Use the method GET, HEAD, or POST.\n")


def test_texts_are_encoded_and_recorded(tmp_path):
    path = tmp_path / "session.jsonl"
    with Listener("--post", "--no-stdin", "--encode", "msgpack", "--record", path, "-vv") as listener:
        client = connect(listener, "/a")
        assert post(listener.port, b"no json", path="/a")[0] == 400
        assert post(listener.port, b"[1]", path="/a") == (200, "1\n")
        assert client.read_message().payload == b"\x91\x01"
        listener.wait_for(r"\[1\]|91 ?01")
        assert listener.stop() == 0
    events = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(event["direction"], event["client"]) for event in events if event["type"] == "message"] == [("out", 1)]


def test_a_post_waits_until_a_full_client_has_room():
    with Listener("--post", "--no-stdin", stdout=subprocess.DEVNULL) as listener:
        client = connect(listener, "/slow")
        body = b"x" * 1_000_000
        waiting = []
        # More than the queue and the kernel hold: the last request is not answered.
        while not waiting:
            sock = socket.create_connection(("127.0.0.1", listener.port), timeout=60)
            sock.sendall(b"POST /slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            sock.settimeout(2)
            try:
                assert response(wire.Stream(sock)) == (200, "1\n")
                sock.close()
            except TimeoutError:
                waiting.append(sock)
        # Other paths go on.
        assert post(listener.port, b"x", path="/other") == (200, "0\n")
        count = 0
        waiting[0].settimeout(60)
        client.sock.settimeout(60)
        while count == 0 or not readable(waiting[0]):
            assert len(client.read_message().payload) == len(body)
            count += 1
        assert response(wire.Stream(waiting[0])) == (200, "1\n")
        assert post(listener.port, b"end", path="/slow") == (200, "1\n")
        while (message := client.read_message()).payload != b"end":
            assert len(message.payload) == len(body)


def readable(sock):
    sock.setblocking(False)
    try:
        return bool(sock.recv(1, socket.MSG_PEEK))
    except BlockingIOError:
        return False
    finally:
        sock.settimeout(60)


def test_a_post_may_arrive_over_http2():
    with Listener("--post", "--no-stdin", "--http2") as listener:
        client = connect(listener, "/a")
        fields = [(b":method", b"POST"), (b":scheme", b"http"), (b":path", b"/a"), (b":authority", b"localhost")]
        with http2.Client(listener) as poster:
            poster.request([*fields, (b"content-length", b"8")])
            poster.send(http2.data(b"over two", flags=http2.END_STREAM))
            # RFC 9113 §8.1: END_STREAM delimits a body without a length.
            poster.request(fields, stream=3)
            poster.send(http2.data(b"x", stream=3, flags=http2.END_STREAM))
            while not {1, 3} <= poster.ends.keys():
                poster.read()
            assert [poster.heads[stream][":status"] for stream in (1, 3)] == ["200", "200"]
            assert poster.data[1].buffer == b"1\n"
        assert texts(client, 2) == ["over two", "x"]


@pytest.mark.parametrize("end", [
    lambda poster: poster.send(http2.reset(http2.NO_ERROR)), lambda poster: poster.stream.sock.close()],
    ids=["reset", "connection"])
def test_a_post_over_http2_that_ends_without_end_stream_is_not_sent(end):
    with Listener("--post", "--no-stdin", "--http2") as listener:
        client = connect(listener, "/")
        with http2.Client(listener) as poster:
            poster.request(http2.changed(http2.GET, _method=b"POST"))
            poster.send(http2.data(b"half"))
            end(poster)
        with http2.Client(listener) as poster:
            poster.request(http2.changed(http2.GET, _method=b"POST"))
            poster.send(http2.data(b"whole", flags=http2.END_STREAM))
            assert poster.response()[0] == 200
        assert texts(client, 1) == ["whole"]


def test_a_body_that_stops_arriving_is_given_up_and_the_server_goes_on():
    with Listener("--post", "--no-stdin", "--http2", "--handshake-timeout", "1s") as listener:
        client = connect(listener, "/x")
        for sent in (b"", b"ab"):
            request = b"POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n" + sent
            assert exchange(listener.port, request)[0] == 408
        fields = [(b":method", b"POST"), (b":scheme", b"http"), (b":path", b"/x"), (b":authority", b"localhost")]
        with http2.Client(listener) as poster:
            poster.request([*fields, (b"content-length", b"5")])
            while 1 not in poster.ends:
                poster.read()
            assert poster.heads[1][":status"] == "408"
        assert post(listener.port, b"end", path="/x") == (200, "1\n")
        assert texts(client, 1) == ["end"]


@pytest.mark.parametrize("name", ["+1", "01", "abc", ""], ids=["sign", "leading zero", "letters", "empty"])
def test_only_a_number_as_the_server_writes_it_names_a_client(name):
    with Listener("--post", "--no-stdin") as listener:
        path = f"/clients/{name}"
        other, client = connect(listener, "/"), connect(listener, path)
        assert post(listener.port, b"path", path=path) == (200, "1\n")
        assert post(listener.port, b"x", path="/clients/99999999999999999999999")[0] == 404
        assert post(listener.port, b"one", path="/clients/1") == (200, "1\n")
        assert texts(other, 1) == ["one"]
        assert texts(client, 1) == ["path"]


def test_posts_are_shown_only_if_broadcasts_are():
    for option in ([], ["-vv"]):
        with Listener("--post", "--no-stdin", *option) as listener:
            client = connect(listener)
            assert post(listener.port, b"to one", path="/clients/1") == post(listener.port, b"to all") == (200, "1\n")
            assert texts(client, 2) == ["to one", "to all"]
            assert listener.stop() == 0
            assert ("to one" in listener.err, "to all" in listener.err) == (bool(option),) * 2


@pytest.mark.parametrize("option", [
    ["--replay", "x"], ["--scenario", "x"], ["--threads", "2", "--echo"], ["--once"], ["--exec"]], ids=lambda words: words[0])
def test_modes_with_messages_of_their_own_accept_no_posts(option):
    assert_fails(wsx("listen", "--post", *option, "0", *(["--", "cat"] if option == ["--exec"] else [])), 2, "--post")


def test_an_echo_server_can_send_more():
    with Listener("--post", "--echo") as listener:
        client = connect(listener)
        client.send(wire.text("a", is_masked=True))
        assert texts(client, 1) == ["a"]
        assert post(listener.port, b"b") == (200, "1\n")
        assert texts(client, 1) == ["b"]
