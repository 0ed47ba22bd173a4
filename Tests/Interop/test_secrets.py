"""Secrets in URLs, and secrets that a server repeats: they are sent, but neither shown nor stored."""

import base64
import html
import json
import re
import urllib.parse

import pytest

import wire
from processes import Listener, Relay, environment, wsx
from scripted_server import ScriptedServer
from terminal import Screen


def everything(result):
    return result.out.decode() + result.err


def closing(peer):
    peer.upgrade(then=wire.close(1000))
    peer.read_until_close()
    return peer.request


def rejection(body, *fields, status=b"403 Forbidden"):
    """A script that rejects the request. The body is computed from it."""

    def script(peer):
        content = body(peer.read_request())
        head = b"HTTP/1.1 " + status + b"\r\n" + b"".join(field + b"\r\n" for field in fields)
        peer.send(head + b"Content-Length: %d\r\n\r\n" % len(content) + content)
        return peer.request

    return script


QUERIES = ["access_token=geheim1", "next=%2F%3Ftoken%3Dgeheim1"]


@pytest.mark.parametrize("query", QUERIES)
def test_a_secret_in_the_query_is_sent_but_not_shown(query, tmp_path):
    with ScriptedServer(closing) as server:
        url = f"{server.url}?{query}"
        result = wsx("connect", "-v", "--output", "json", "--record", tmp_path / "r", url)
        assert result.status == 0
        refused = wsx("connect", "-v", "ws://127.0.0.1:1/?" + query)
        assert refused.status == 3
    assert query.encode() in server.results[0].split(b"\r\n")[0]
    for text in (everything(result), (tmp_path / "r").read_text(), everything(refused)):
        assert "eheim1" not in text
        assert "•••" in text


def test_a_value_that_a_template_inserts_into_the_url_is_not_shown(tmp_path):
    # Too short to be found in other text. Base64 has no tilde.
    variables = environment(WSX_SECRET="q~")
    with ScriptedServer(closing) as server:
        url = server.url + "?room={{env:WSX_SECRET}}"
        result = wsx("connect", "-v", "--template", "--output", "json", "--record", tmp_path / "r", url, env=variables)
        assert result.status == 0
        refused = wsx("connect", "-v", "--template", "ws://127.0.0.1:1/?room={{env:WSX_SECRET}}", env=variables)
    assert b"q~" in server.results[0].split(b"\r\n")[0]
    for text in (everything(result), (tmp_path / "r").read_text(), everything(refused)):
        assert "q~" not in text
        assert "•••" in text


@pytest.mark.parametrize("output", ["json", "text"])
def test_bench_neither_shows_nor_stores_a_secret_of_the_url(wsx_echo, tmp_path, output):
    result = wsx(
        "bench", "-c", "1", "--messages", "5", "--output", output, "--report", tmp_path / "r.html", "--hdr", tmp_path / "h",
        wsx_echo.url + "?sig=geheim1&room=1")
    assert result.status == 0
    for text in (everything(result), (tmp_path / "r.html").read_text(), (tmp_path / "h").read_text()):
        assert "geheim1" not in text
    assert "sig=•••" in (tmp_path / "r.html").read_text()
    if output == "json":
        assert json.loads(result.out)["url"].endswith("?sig=•••&room=1")


def test_a_masked_url_does_not_prevent_a_comparison(wsx_echo, tmp_path):
    arguments = ["bench", "-c", "1", "-n", "100", "--output", "json"]
    before = wsx(*arguments, wsx_echo.url + "?sig=geheim1")
    (tmp_path / "before").write_bytes(before.out)
    after = wsx(*arguments, "--baseline", tmp_path / "before", wsx_echo.url + "?sig=geheim2")
    assert json.loads(after.out)["baseline"] is not None
    assert "eheim" not in everything(before) + everything(after)


def test_a_secret_in_location_is_not_shown():
    with ScriptedServer(rejection(lambda _: b"", b"Location: /?token=geheim1", status=b"302 Found")) as server:
        result = wsx("connect", "-v", server.url)
    assert result.status == 4
    assert "Location: /?token=•••" in result.err
    assert "geheim1" not in result.err


def test_a_redirect_to_a_url_with_a_token_does_not_show_it():
    with ScriptedServer(closing) as target:
        location = f"Location: {target.url}?token=geheim1".encode()
        with ScriptedServer(rejection(lambda _: b"", location, status=b"302 Found")) as server:
            result = wsx("connect", "-v", "-L", "--output", "json", server.url)
    assert result.status == 0
    assert b"?token=geheim1 " in target.results[0]
    assert "geheim1" not in everything(result)
    assert f"{target.url}?token=•••" in result.err


def echo_forms(secret):
    data = secret.encode()
    return [
        data, urllib.parse.quote(secret, safe="").encode(), urllib.parse.quote_plus(secret).encode(),
        json.dumps(secret).encode(), json.dumps(secret, ensure_ascii=False).replace("/", "\\/").encode(),
        html.escape(secret).encode(),
    ]


# Characters that the forms escape.
SECRET = "g&e<h>'e i\"m/é~1"


@pytest.mark.parametrize("form, place, command", [(0, "body", "connect"), (2, "field", "bench"), (4, "reason", "connect")])
def test_a_rejection_that_repeats_a_password_does_not_show_it(form, place, command):
    echo = echo_forms(SECRET)[form]
    fields = [b"X-Echo: " + echo] if place == "field" else []
    status = b"403 no " + echo if place == "reason" else b"403 No"
    with ScriptedServer(rejection(lambda _: echo if place == "body" else b"", *fields, status=status)) as server:
        result = wsx(command, "--auth", "env:WSX_LOGIN", server.url, env=environment(WSX_LOGIN=f"me:{SECRET}"))
        events = wsx(
            "connect", "-v", "--output", "json", "--auth", "env:WSX_LOGIN", server.url,
            env=environment(WSX_LOGIN=f"me:{SECRET}"))
    assert result.status == events.status == 4
    for run in (result, events):
        shown = everything(run)
        assert "•••" in shown
        for part in (echo.decode(), SECRET, base64.b64encode(f"me:{SECRET}".encode()).decode()):
            assert part not in shown
        assert "m/é" not in shown and "~1" not in shown


@pytest.mark.parametrize(
    "arguments, secret",
    [
        (["--bearer", "geheim-token"], "geheim-token"),
        (["-H", "Authorization: Custom geheim-token"], "geheim-token"),
        (["--auth", "me:pw"], "me:pw"),
        (["-s", "base64url.bearer.authorization.k8s.io.geheim-token"], "geheim-token"),
    ])
def test_a_rejection_that_repeats_the_request_does_not_show_its_secrets(arguments, secret):
    with ScriptedServer(rejection(lambda request: b"refused: " + request + b" and me:pw")) as server:
        result = wsx(
            "connect", "-v", "--output", "json", *arguments, server.url, env=environment(WSX_SECRET="geheim-token"))
        quiet = wsx("connect", *arguments, server.url, env=environment(WSX_SECRET="geheim-token"))
    assert result.status == quiet.status == 4
    assert secret in server.results[0].decode() + "me:pw"
    assert secret not in everything(result) + everything(quiet)
    assert "•••" in everything(result)


def test_a_secret_that_the_end_of_the_shown_text_cuts_is_not_shown():
    secret = "geheimnis" * 20
    with ScriptedServer(rejection(lambda _: b"x" * 100 + b" " + secret.encode())) as server:
        result = wsx("connect", "--bearer", secret, server.url)
    assert "geheimnis" not in everything(result)


def test_a_proxy_that_repeats_the_request_does_not_show_its_password():
    with ScriptedServer(rejection(lambda request: request + b" geheim1")) as proxy:
        address = f"http://me:geheim1@127.0.0.1:{proxy.port}"
        results = [
            wsx("connect", "-v", "--output", "json", "--proxy", address, "ws://127.0.0.1:1/"),
            wsx("connect", "ws://127.0.0.1:1/", env=environment(ws_proxy=address, no_proxy="")),
            wsx("bench", "--proxy", address, "ws://127.0.0.1:1/"),
        ]
    for result in results:
        assert result.status == 3
        assert "geheim1" not in everything(result)
        assert base64.b64encode(b"me:geheim1").decode() not in everything(result)


@pytest.mark.parametrize("command", ["connect", "bench"])
def test_a_close_reason_that_repeats_a_token_does_not_show_it(command, tmp_path):
    def script(peer):
        peer.upgrade(then=wire.close(4001, b"bad token geheim-token"))
        peer.read_until_close()

    extra = ["-v", "--output", "json", "--record", tmp_path / "r"] if command == "connect" else []
    with ScriptedServer(script) as server:
        result = wsx(command, *extra, "--bearer", "geheim-token", server.url)
    assert result.status != 0
    shown = everything(result) + ((tmp_path / "r").read_text() if extra else "")
    assert "bad token •••" in shown
    assert "geheim-token" not in shown


@pytest.mark.parametrize("arguments", [["-v"], ["-v", "--output", "json"]])
def test_a_relay_shows_no_token_that_a_close_reason_repeats(arguments, tmp_path):
    def script(peer):
        peer.upgrade(then=wire.close(4001, b"bad token geheim-token"))
        peer.read_until_close()

    header = tmp_path / "header"
    header.write_text("Authorization: Token token=\"geheim-token\"\n")
    with ScriptedServer(script) as server:
        with Relay(server.url, *arguments, "-H", f"@{header}", "--record", tmp_path / "r") as relay:
            client = wsx("connect", relay.url)
            assert relay.stop() == 0
            shown = relay.err + relay.out.decode() + (tmp_path / "r").read_text()
    assert '4001 "bad token geheim-token"' in client.err
    assert "geheim-token" not in shown
    assert re.search('4001 +"bad token •••"', shown) and '"reason":"bad token •••"' in shown


@pytest.mark.parametrize("response", [
    b"HTTP/1.1 401 F\r\nWWW-Authenticate: geheim-1 realm=\"x\"\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 101 F\r\nUpgrade: geheim-1\r\nConnection: Upgrade\r\n\r\n",
    b"HTTP/1.1 2000 geheim-1\r\n\r\n",
    b"HTTP/1.1 302 F\r\nLocation: geheim-1://h/\r\nContent-Length: 0\r\n\r\n",
])
def test_an_error_that_names_what_a_server_sent_does_not_show_a_secret(response, tmp_path):
    def script(peer):
        peer.read_request()
        peer.send(response)

    with ScriptedServer(script) as server:
        for options in [], ["-L", "--output", "json", "--record", tmp_path / "r"]:
            result = wsx("connect", *options, "--bearer", "geheim-1", server.url)
            recorded = (tmp_path / "r").read_text() if options else ""
            assert result.status != 0 and "geheim-1" not in everything(result) + recorded, result


@pytest.mark.parametrize("field", ["Sec-WebSocket-Extensions: permessage-deflate; {}", "Sec-WebSocket-Extensions: {}",
                                   "Sec-WebSocket-Protocol: {}"])
def test_an_error_that_names_what_a_server_accepted_does_not_show_a_secret(field):
    with ScriptedServer(lambda peer: peer.upgrade(field.format("server_max_window_bits=geheim-1").encode())) as server:
        result = wsx("connect", "--bearer", "geheim-1", server.url)
    assert result.status != 0 and "geheim-1" not in everything(result), result


# Of the request, a part is repeated alone.
PARTS = [
    ["-H", 'Authorization: Token token="geheim-7"'],
    ["--cookie", 'sid="geheim-7"'],
    ["-s", "chat,bearer.geheim-7"],
    ["--first-message", '{"op":"login","apiKey":"geheim-7"}'],
    ["--define", 'login={"password":"geheim-7"}'],
]


@pytest.mark.parametrize("arguments", PARTS)
def test_a_part_of_a_credential_that_a_server_repeats_alone_is_not_shown(arguments, tmp_path):
    def script(peer):
        head = peer.read_request()
        fields = [b"Sec-WebSocket-Protocol: chat"] if b"chat," in head else []
        peer.upgrade(b"X-Echo: geheim-7", *fields, then=wire.close(4001, b"no geheim-7"))
        peer.read_until_close()

    query = "?auth=%7B%22token%22%3A%22geheim-8%22%7D"
    with ScriptedServer(script) as server:
        result = wsx("connect", "-v", "--output", "json", "--record", tmp_path / "r", *arguments, server.url + query)
    # Messages are data, and recorded as they are.
    recorded = [line for line in (tmp_path / "r").read_text().splitlines() if '"type":"message"' not in line]
    for shown in everything(result), "\n".join(recorded):
        assert "no •••" in shown and "geheim" not in shown
    with ScriptedServer(rejection(lambda _: b"geheim-7 geheim-8", b"X-Echo: geheim-7", status=b"403 No geheim-7")) as server:
        result = wsx("connect", "-v", "--output", "json", *arguments, server.url + query)
        # A load has no definitions.
        load = [] if "--define" in arguments else [wsx("bench", "-c", "1", *arguments, server.url + query)]
    for run in result, *load:
        assert '403 "No •••"' in run.err and "geheim" not in everything(run)


def test_words_of_ours_that_equal_a_secret_are_shown(tmp_path):
    def script(peer):
        peer.upgrade(then=wire.close(4007, b"not 4007"))
        peer.read_until_close()

    with ScriptedServer(script) as server:
        result = wsx("connect", "-v", "--record", tmp_path / "r", server.url + "?token=4007")
        assert 'close  4007' in result.err and '4007 "not •••"' in result.err
        assert '"code":4007' in (tmp_path / "r").read_text()
        port = server.url.split(":")[2].strip("/")
        for secret in port, "127.0.0.1", f"127.0.0.1:{port}", "websocket", "Upgrade":
            result = wsx("connect", "-v", "--bearer", secret, server.url)
            assert f"Reached 127.0.0.1:{port}" in result.err and f"Host: 127.0.0.1:{port}" in result.err
            assert "→ Upgrade: websocket" in result.err and '4007 "not 4007"' in result.err
    with ScriptedServer(rejection(lambda _: b"not 403")) as server:
        port = server.url.split(":")[2].strip("/")
        for secret in "403", port, "127.0.0.1":
            result = wsx("connect", "-v", "-a", f"bob:{secret}", server.url)
            assert f"connecting to ws://127.0.0.1:{port}/: the server answered 403 Forbidden" in result.err
            assert "HTTP/1.1 403 Forbidden" in result.err and (secret != "403" or "not •••" in result.err)
            load = wsx("bench", "-c", "1", "-a", f"bob:{secret}", server.url)
            assert f"ws://127.0.0.1:{port}/: the server answered 403 Forbidden" in load.err


def test_a_connection_of_a_load_with_its_own_token_does_not_show_it(tmp_path):
    (tmp_path / "users.csv").write_text("user,token\nalice,geheim-a\nbob,geheim-b\n")
    with ScriptedServer(rejection(lambda request: request)) as server:
        result = wsx(
            "bench", "-c", "2", "--data", tmp_path / "users.csv", "--bearer", "{{token}}", "-H", "X-Key: {{token}}",
            server.url + "?u={{user}}&t={{token}}")
    assert result.status == 4
    assert "geheim-" not in everything(result)


def test_a_login_of_a_protocol_is_not_shown():
    def script(peer):
        peer.upgrade(then=wire.text(b'0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000}'))
        peer.read_message()
        peer.send(wire.text(b'44{"message":"bad token geheim-token"}'))
        peer.read_until_close()

    with ScriptedServer(script) as server:
        result = wsx(
            "connect", "-v", "--protocol", "socket.io", "--param", 'auth={"token":"geheim-token"}', server.url, stdin=b"")
    assert result.status == 4
    assert "bad token •••" in result.err
    assert "geheim-token" not in everything(result)


def test_the_prompt_shows_no_secret_of_the_url_and_stores_none(wsx_echo):
    with Screen() as screen:
        screen.enter(f"$WSX --no-history '{wsx_echo.url}?access_token=geheim1&room=1'; clear")
        screen.wait_for_last_line(">")
        screen.enter("/info")
        screen.wait_for("URL .*access_token=•••&room=1")
        screen.enter("/headers")
        screen.wait_for("GET /.*access_token=•••&room=1")
        shown = "\n".join(line for line in screen.lines if "$WSX" not in line)
        assert "geheim1" not in shown
        screen.enter("/quit")


def test_the_history_and_the_recent_urls_keep_no_secret(wsx_echo):
    lines = [
        '{"accessKey":"geheim1"}', '{"signature":"geheim1"}', '{"session":"geheim1"}', '{"jwt":"geheim1"}', "AUTH geheim1",
        "PASS geheim1", '{"pwd":"geheim1"}', "-----BEGIN PRIVATE KEY-----geheim1", "-H X-Login:geheim1",
        f"/connect {wsx_echo.url}?t=geheim1",
    ]
    with Screen() as screen:
        screen.enter(f"$WSX '{wsx_echo.url}?sig=geheim1'; clear")
        screen.wait_for_last_line(">")
        screen.enter("kept-line")
        for line in lines:
            screen.enter(line)
        screen.wait_for("Connected to .*t=•••")
        screen.enter("/quit")
        screen.wait_for_last_line("shell$")
        files = [path for path in screen.state.rglob("*") if path.is_file()]
        stored = "".join(path.read_text() for path in files)
        assert "kept-line" in stored
        assert "geheim1" not in stored


def test_a_password_prompt_shows_no_secret_of_the_url(wsx_echo):
    with Screen() as screen:
        screen.enter(f"clear; $WSX --auth me '{wsx_echo.url}?token=geheim1'")
        screen.wait_for(r"Password for me at .*token=•••")
        screen.press("C-c")


def test_listen_shows_no_secret_of_a_client(tmp_path):
    with Listener("-v", "--echo", "--output", "json", "--record", tmp_path / "r", "--once") as server:
        result = wsx(
            "connect", "-n", "1", "-H", "Referer: https://h/?sig=geheim1", "-s", "chat",
            server.url + "?access_token=geheim1&room=1", "x")
        assert result.status == 0
        server.wait()
        shown = server.err + server.out.decode() + (tmp_path / "r").read_text()
    assert "geheim1" not in shown
    assert "?access_token=•••&room=1" in shown


@pytest.mark.parametrize(
    "line, is_secret",
    [
        ("url = ws://127.0.0.1:1/?token=geheim1", True),
        ('first-message = {"token":"geheim1"}', True),
        ("url = ws://127.0.0.1:1/?room=1", False),
    ])
def test_a_readable_configuration_file_with_a_secret_in_a_url_is_refused(tmp_path, line, is_secret):
    path = tmp_path / "config"
    path.write_text(f"[p]\n{line}\n" + ("" if "url" in line else "url = ws://127.0.0.1:1/\n"))
    path.chmod(0o644)
    result = wsx("connect", "@p", env=environment(WSX_CONFIG=path))
    assert result.status == (2 if is_secret else 3)
    assert ("contains a secret, but other users can access the file" in result.err) == is_secret
    assert "geheim1" not in result.err
    path.chmod(0o600)
    assert wsx("connect", "@p", env=environment(WSX_CONFIG=path)).status == 3


@pytest.mark.parametrize(
    "arguments", [["--count", "{}"], ["--subprotocol", "{}", "ws://h"]])
def test_an_invalid_command_line_does_not_show_the_token_of_a_url(arguments):
    url = "ws://127.0.0.1:1/?token=geheim1"
    result = wsx("connect", *(argument.replace("{}", url) for argument in arguments))
    assert result.status == 2
    assert "geheim1" not in result.err


def test_a_relative_redirect_from_a_url_with_an_inserted_value_does_not_show_it():
    def script(peer):
        request = peer.read_request()
        if request.startswith(b"GET /geheim-room/a "):
            return peer.send(b"HTTP/1.1 302 Found\r\nLocation: b?n=1\r\nContent-Length: 0\r\n\r\n")
        return closing(peer)

    with ScriptedServer(script) as server:
        result = wsx(
            "connect", "-v", "-L", "--template", "--output", "json", server.url + "{{env:WSX_SECRET}}/a",
            env=environment(WSX_SECRET="geheim-room"))
    assert result.status == 0
    assert server.results[1].startswith(b"GET /geheim-room/b?n=1 ")
    assert "geheim-room" not in everything(result)


def test_a_program_gets_no_secret_of_the_url_but_a_server_program_gets_the_query(tmp_path):
    with ScriptedServer(closing) as server:
        result = wsx(
            "connect", "--exec", server.url + "?token=geheim1", "--", "sh", "-c", f'echo "$WSX_URL" > {tmp_path}/url; cat')
    assert result.status == 0
    assert (tmp_path / "url").read_text() == f"{server.url}?token=•••\n"
    with Listener("--exec-json", program=["sh", "-c", 'read -r line; printf "%s\\n" "$line" >&2; cat >/dev/null']) as server:
        assert wsx("connect", "--linger", "0", server.url + "?token=geheim1", "x").status == 0
        server.wait_for(r'"url":"[^"]*\?token=geheim1"')


def test_an_invalid_subprotocol_that_is_a_token_is_not_shown():
    result = wsx("connect", "-s", "access_token,abc/geheim==", "ws://127.0.0.1:1/")
    assert result.status == 2
    assert "geheim" not in result.err and "•••" in result.err


def test_a_secret_column_of_a_data_file_is_not_shown(tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("user,api_token\nme,geheim1\n")
    with ScriptedServer(closing) as server:
        result = wsx("connect", "-v", "--data", rows, "--first-message", "{{user}} {{api_token}}", server.url)
    assert "geheim1" not in result.err
    with ScriptedServer(rejection(lambda request: request)) as server:
        result = wsx("connect", "--data", rows, "-H", "X-Relay: {{api_token}}", server.url)
    assert result.status == 4 and "geheim1" not in result.err
