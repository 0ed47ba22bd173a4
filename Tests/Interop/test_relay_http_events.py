"""`relay --http`: events about requests that open no WebSocket, and what reads them."""

import json
import socket

import pytest

import http2
import wire
from http2 import CANCEL, END_HEADERS, END_STREAM, GET, Client, changed
from processes import Listener, Proxy, Relay, wait_until, wsx
from scripted_server import ScriptedServer
from services import OpenSSLServer
from test_relay import request, status
from test_relay_responses import answering, read
from test_schemas import check
from tls import client_context

PAGE = b"HTTP/1.1 302 Found\r\nLocation: /in\r\nSet-Cookie: sid=geheim99\r\nContent-Length: 4\r\n\r\npage"


def recording(relay, path):
    """Ends the relay, and returns its events."""
    relay.stop()
    events = check("events", path.read_text().splitlines())
    return [event for event in events if event["type"] not in ("recording", "listening")]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "session.jsonl"


def test_heads_status_sizes_and_time_are_recorded_without_secrets_and_bodies(path):
    with answering(PAGE) as server:
        with Relay(server.url, "--http", "--record", path, "--json", "-H", "Authorization: Bearer geheim77") as relay:
            read(relay, (
                b"POST /login?token=geheim88&x=1 HTTP/1.1\r\nHost: h.localhost:%d\r\nCookie: sid=geheim66\r\nX-Bytes: \xff\x01\r\n"
                b"X-Echo: geheim77\r\nContent-Length: 8\r\n\r\nBody1234" % relay.port).replace(b"\x01", b"\\"))
            relay.wait_for("Answered POST: 302")
            (event,) = recording(relay, path)
            written = json.loads(relay.out.splitlines()[-1])
            assert written | {"time": event["time"]} == event
    assert "geheim" not in path.read_text() and "Body1234" not in path.read_text()
    assert (event["method"], event["status"], event["http"]) == ("POST", 302, "1.1")
    assert event["url"] == f"http://h.localhost:{relay.port}/login?token=•••&x=1"
    assert (event["received_bytes"], event["sent_bytes"]) == (8, 4)
    sent = event["request_headers"]
    assert (sent["cookie"], sent["x-bytes"], sent["x-echo"]) == (["•••"], ["\ufffd\\"], ["•••"])
    # The login of the command line is not the client's.
    assert "authorization" not in sent and "client" not in event and "reason" not in event and "cut" not in event
    assert event["headers"]["location"] == ["/in"] and event["headers"]["set-cookie"] == ["•••"]


def test_without_the_option_nothing_changes(path):
    with Listener("--echo") as server, Relay(server.url, "--record", path) as relay:
        read(relay, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert wsx("-1", relay.url, "hi").status == 0
        events = recording(relay, path)
    assert "http" not in {event["type"] for event in events}
    assert not {"request_headers", "headers", "status"} & events[0].keys()


def test_the_events_need_an_output():
    result = wsx("relay", "--http", "0", "ws://127.0.0.1:1/")
    assert result.status == 2 and "--http: its events have no place; add --record" in result.err


def test_accepted_and_refused_upgrades_have_heads(path):
    with Listener("--echo", "--reject", "403") as refusing, Relay(refusing.url, "--http", "--record", path) as relay:
        assert status(read(relay, wire.upgrade_request(relay.port, "/a"))[0]) == 403
        assert status(read(relay, wire.upgrade_request(relay.port, "/b", b"Origin: http://evil.example"))[0]) == 403
        by_server, by_relay = recording(relay, path)
    assert (by_server["url"], by_server["status"]) == (f"ws://127.0.0.1:{relay.port}/a", 403)
    assert "reason" not in by_server and "date" in by_server["headers"]
    assert by_relay["request_headers"]["origin"] == ["http://evil.example"] and "--origin" in by_relay["reason"]
    with Listener("--echo") as server, Relay(server.url, "--http", "--record", path) as relay:
        assert wsx("-1", "-H", "Cookie: a=geheim99", relay.url, "hi").status == 0
        opened = recording(relay, path)[0]
    assert (opened["type"], opened["status"]) == ("open", 101)
    assert opened["request_headers"]["cookie"] == ["•••"] and "sec-websocket-accept" in opened["headers"]


def test_answers_of_the_relay_are_recorded_with_their_reason(path):
    with ScriptedServer(lambda peer: None) as server:
        url = server.url
    with Relay(url, "--http", "--record", path) as relay:
        body = read(relay, b"HEAD /x HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")[0]
        assert status(body) == 502
        assert status(read(relay, b"POST / HTTP/1.1\r\nHost: evil.example\r\n\r\n")[0]) == 403
        assert status(read(relay, b"nonsense\r\n\r\n")[0]) == 400
        unreachable, rebound = recording(relay, path)
    assert (unreachable["method"], unreachable["status"], unreachable["http"]) == ("HEAD", 502, "1.0")
    assert unreachable["sent_bytes"] == 0 and "refused" in unreachable["reason"]
    assert (rebound["status"], rebound["url"]) == (403, "http://evil.example/") and rebound["sent_bytes"] > 0


@pytest.mark.parametrize("response, code", [(b"", 499), (PAGE[:-1], 302)], ids=["before an answer", "in a page"])
def test_a_request_that_ends_early_is_marked(response, code, path):
    seen = []

    def script(peer):
        seen.append(peer.read_head())
        peer.send(response)
        if not response:
            peer.read_to_end()

    with ScriptedServer(script) as server, Relay(server.url, "--http", "--http2", "--record", path) as relay:
        with Client(relay) as client:
            client.request(GET, flags=END_HEADERS | END_STREAM)
            wait_until(lambda: seen)
            if not response:
                client.send(http2.reset(CANCEL))
            client.read_until(lambda: 1 in client.ends) if response else None
            relay.wait_for(f"Answered GET: {code}")
        (event,) = recording(relay, path)
    assert (event["status"], event["cut"], event["http"]) == (code, True, "2")
    assert ("headers" in event) == (code == 302)


def test_a_proxy_records_requests_to_intercepted_hosts_only(path, tmp_path, certificates):
    authority = tmp_path / "ca"
    with answering(PAGE) as server, Proxy(
            "--http", "--record", path, "--intercept", "localhost", "--proxy-ca", authority) as proxy:
        for data in [f"GET http://127.0.0.1:{server.port}/other HTTP/1.1", "CONNECT 127.0.0.1:1 HTTP/1.1",
                     f"GET http://localhost:{server.port}/own?token=geheim99 HTTP/1.1", "GET https://localhost:1/ HTTP/1.1",
                     "GET http://me:geheim88@localhost/ HTTP/1.1", "GET / HTTP/1.1\r\nHost: me:geheim77@localhost",
                     "CONNECT me:geheim66@localhost:1 HTTP/1.1"]:
            fields = "" if "Host" in data else "\r\nHost: x"
            read(proxy, f"{data}{fields}\r\n\r\n".encode())
        events = recording(proxy, path)
        assert "geheim" not in proxy.err and f'url "http://•••@localhost/"' in proxy.err
    assert [(event["url"], event["status"]) for event in events] == [
        (f"http://localhost:{server.port}/own?token=•••", 302), ("https://localhost:1/", 502),
        ("http://•••@localhost/", 400), ("http://•••@localhost/", 400), ("•••@localhost:1", 400)]
    assert events[3]["request_headers"]["host"] == ["•••@localhost"] and "refused" in events[1]["reason"]
    assert "geheim" not in path.read_text()


def test_intercepted_requests_whose_server_cannot_be_verified_are_recorded(path, tmp_path, certificates):
    authority = tmp_path / "ca"
    with OpenSSLServer(certificates.bad["expired"]) as server, Proxy(
            "--http", "--record", path, "--proxy-ca", authority) as proxy:
        stream = wire.Stream(socket.create_connection(("127.0.0.1", proxy.port), timeout=60))
        stream.send(f"CONNECT localhost:{server.port} HTTP/1.1\r\n\r\n".encode())
        assert status(stream.read_head()) == 200
        stream.sock = client_context(authority / "ca.pem").wrap_socket(stream.sock, server_hostname="localhost")
        stream.send(b"GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert status(stream.read_head()) == 502
        proxy.wait_for("502, from ")
        (event,) = recording(proxy, path)
    assert (event["url"], event["status"]) == (f"https://localhost:{server.port}/x", 502)


def test_requests_over_http2_are_recorded_as_they_passed(path):
    with answering(PAGE) as server, Relay(server.url, "--http", "--http2", "--record", path) as relay:
        with Client(relay) as client:
            client.request(changed(GET, _method=b"POST", _authority=b"localhost:1"))
            client.send(http2.data(b"body", flags=END_STREAM))
            assert client.content() == b"page"
        relay.wait_for("Answered POST: 302")
        (event,) = recording(relay, path)
    assert (event["url"], event["received_bytes"], event["sent_bytes"]) == ("http://localhost:1/", 4, 4)
    assert not {"connection", "transfer-encoding"} & event["headers"].keys()


@pytest.fixture
def session(path):
    """A recording with two requests, one WebSocket, and an event of a later version."""
    with Listener("--echo") as server, Relay(server.url, "--http", "--record", path) as relay:
        read(relay, b"GET /login?x=1 HTTP/1.1\r\nHost: a.localhost\r\nX-Y: 1\r\n\r\n")
        assert wsx("-1", relay.url, "hi").status == 0
        read(relay, b"POST /logout HTTP/1.1\r\nHost: a.localhost\r\nContent-Length: 2\r\n\r\nok")
        assert [event["type"] for event in recording(relay, path) if event["type"] in ("open", "http")] == [
            "http", "open", "http"]
    later = '{"type":"later","time":"2026-01-31T15:04:05.123456Z","direction":7,"status":"x","client":1}\n'
    path.write_text("".join(line + later for line in path.read_text().splitlines(keepends=True)))
    return path


def test_har_files_have_entries_for_requests(session, tmp_path):
    assert wsx("convert", session, tmp_path / "s.har").status == 0
    entries = json.loads((tmp_path / "s.har").read_text())["log"]["entries"]
    assert [("_webSocketMessages" in entry, entry["request"]["method"]) for entry in entries] == [
        (False, "GET"), (True, "GET"), (False, "POST")]
    login, socket, logout = entries
    assert "_resourceType" not in login and socket["_resourceType"] == "websocket"
    assert login["request"]["url"] == "http://a.localhost/login?x=1" and login["response"]["status"] == 426
    assert {"name": "x-y", "value": "1"} in login["request"]["headers"]
    assert login["request"]["queryString"] == [{"name": "x", "value": "1"}]
    assert login["response"]["content"]["mimeType"] == "text/plain; charset=utf-8"
    assert login["response"]["bodySize"] == login["response"]["content"]["size"] > 0
    assert logout["request"]["bodySize"] == 2 and login["timings"]["wait"] == login["time"] >= 0
    assert login["startedDateTime"] <= socket["startedDateTime"] <= logout["startedDateTime"]
    assert any(field["name"] == "sec-websocket-key" for field in socket["request"]["headers"])
    # Back to a recording, only the WebSocket is left.
    assert wsx("convert", tmp_path / "s.har", tmp_path / "s.jsonl").status == 0
    assert "http" not in {event["type"] for event in check("events", (tmp_path / "s.jsonl").read_text().splitlines())}
    chosen = wsx("convert", "--connection", "1", session, "-")
    assert len(json.loads(chosen.out)["log"]["entries"]) == 1


def test_har_files_tell_responses_that_are_cut_or_missing(tmp_path, path):
    path.write_text(
        '{"type":"http","method":"GET","url":"http://h/","status":200,"cut":true,"reason":"the server is gone"}\n'
        '{"type":"http","status":502,"reason":"refused"}\n{"type":"http","cut":true}\n')
    assert wsx("convert", path, tmp_path / "s.har").status == 0
    entries = json.loads((tmp_path / "s.har").read_text())["log"]["entries"]
    assert [(entry["request"]["url"], entry["response"]["status"], entry["response"].get("_error"),
             entry["response"].get("comment")) for entry in entries] == [
        ("http://h/", 200, "the server is gone", "the server is gone"),
        ("http://unknown.invalid/", 502, None, "refused"), ("http://unknown.invalid/", 0, "cut short", None)]


def test_a_session_without_a_websocket_is_a_file_with_requests(tmp_path, path):
    with answering(PAGE) as server:
        for name in ("s.har", "s.html"):
            with Relay(server.url, "--http", "--record", tmp_path / name) as relay:
                read(relay, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                relay.stop()
            assert "http://localhost/" in (tmp_path / name).read_text()
        with Relay(server.url, "--http", "--record", path) as relay:
            read(relay, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            recording(relay, path)
    assert wsx("convert", path, tmp_path / "t.har").status == 0
    assert wsx("convert", path, tmp_path / "t.html").status == 0
    page = (tmp_path / "t.html").read_text()
    assert '"GET http://localhost/"' in page and '"status":302' in page and '"location":["/in"]' in page
    result = wsx("convert", "--list", path)
    assert result.status == 2 and "it contains no connection" in result.err


def test_other_readers_ignore_requests_and_types_of_later_versions(session, tmp_path):
    assert wsx("convert", session, tmp_path / "s.html").status == 0
    assert len(wsx("convert", "--list", session).lines) == 1
    with Listener("--replay", session) as server:
        assert wsx("-1", server.url, "hi").out == b"hi\n"
    with Listener("--echo") as server:
        # The echo server does not close.
        steps = tmp_path / "steps.jsonl"
        steps.write_text("".join(
            line for line in session.read_text().splitlines(keepends=True) if json.loads(line)["type"] != "close"))
        assert wsx("--scenario", steps, server.url).status == 0
        result = wsx("--input", "json", server.url, stdin=session.read_bytes())
        assert (result.status, result.out) == (0, b"hi\n"), result


@pytest.mark.parametrize("name, field", [([], "wsx"), (["="], None), (["=gateway-1:80"], "gateway-1:80"), (["=a b"], None)],
                         ids=["default", "empty", "host and port", "blank"])
def test_via_names_the_relay_to_both_sides(name, field):
    def script(peer):
        head = peer.read_head()
        if b"Upgrade" in head:
            peer.send(wire.upgrade_response(head, b"Via: 1.1 b"))
        else:
            peer.send(b"HTTP/1.0 103 Hint\r\n\r\nHTTP/1.0 200 OK\r\nVia: 1.1 b\r\nContent-Length: 0\r\n\r\n")
        return head

    option = "--via" + "".join(name)
    if field is None:
        result = wsx("relay", option, "0", "ws://127.0.0.1:1/")
        assert result.status == 2 and "--via" in result.err
        return
    with ScriptedServer(script) as server, Relay(server.url, option, "--http2", "--no-stdin") as relay:
        page = read(relay, b"GET / HTTP/1.0\r\nHost: localhost\r\nVia: 1.1 a\r\n\r\n")[0]
        assert b"\r\nVia: 1.1 b, 1.0 %b\r\n" % field.encode() in page
        opened = request(relay, wire.upgrade_request(relay.port, "/")).read_head()
        assert b"\r\nVia: 1.1 b, 1.1 %b\r\n" % field.encode() in opened
        with Client(relay) as client:
            client.request(GET, flags=END_HEADERS | END_STREAM)
            client.read_until(lambda: 1 in client.ends)
            assert client.heads[1]["via"] == f"1.1 b, 1.0 {field}"
        heads = server.results
    assert [version in head for head, version in zip(heads, (
        b"\r\nVia: 1.1 a, 1.0 %b\r\n" % field.encode(), b"\r\nVia: 1.1 %b\r\n" % field.encode(),
        b"\r\nVia: 2 %b\r\n" % field.encode()))] == [True] * 3, heads
