"""Credentials: their sources, their transmission, and their absence from all output."""

import base64
import hashlib
import os
import re

import pytest

import wire
from processes import assert_fails, environment, wsx
from scripted_server import ScriptedServer


def sent_fields(*arguments, user="", **options):
    """Runs connect. Returns its result, and the credentials among the request's header fields."""

    def script(peer):
        peer.upgrade(then=wire.close(1000))
        peer.read_until_close()
        return wire.field(peer.request, b"Authorization"), wire.field(peer.request, b"Cookie")

    with ScriptedServer(script) as server:
        result = wsx("connect", "-v", *arguments, server.url.replace("//", f"//{user}"), **options)
    return result, server.results[0]


@pytest.mark.parametrize(
    "option, secret, fields",
    [("--auth", "me:geheim", (b"Basic bWU6Z2VoZWlt", None)), ("--bearer", "geheim", (b"Bearer geheim", None)),
     ("--cookie", "id=geheim", (None, b"id=geheim"))])
@pytest.mark.parametrize("origin", ["argument", "file", "file without a newline", "environment"])
def test_a_secret_from_any_source_is_sent_but_not_shown(tmp_path, option, secret, fields, origin):
    path = tmp_path / "secret"
    path.write_text(secret + ("" if "without" in origin else "\n"))
    argument = {"argument": secret, "environment": "env:WSX_TEST_SECRET"}.get(origin, f"@{path}")
    result, sent = sent_fields(option, argument, env={**os.environ, "WSX_TEST_SECRET": secret})
    assert sent == fields
    assert result.status == 0
    assert "•••" in result.err
    assert "geheim" not in result.err and "bWU6Z2VoZWlt" not in result.err


def md5(text):
    return hashlib.md5(text.encode()).hexdigest()


def digest_response(field, method, password):
    """The response that a field with an answer to a challenge of Digest authentication must have (RFC 7616 §3.4.1)."""
    given = dict(re.findall(r'(\w+)="?([^",]*)"?', field))
    secret = md5(f"{given['username']}:{given['realm']}:{password}")
    request = md5(f"{method}:{given['uri']}")
    return md5(":".join([secret, given["nonce"], given["nc"], given["cnonce"], given["qop"], request]))


def digest_server(password="geheim"):
    """Accepts clients that answer its challenge, and closes the other connections. Returns the Authorization fields."""

    def script(peer):
        field = (wire.field(peer.read_request(), b"Authorization") or b"").decode()
        if field.startswith("Digest ") and digest_response(field, "GET", password) in field:
            peer.upgrade(then=wire.close(1000))
            peer.read_until_close()
        else:
            peer.send(
                b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=x\r\n"
                b'WWW-Authenticate: Digest realm="x", nonce="n/1", qop="auth-int,auth", algorithm=MD5\r\n'
                b"Content-Length: 0\r\n\r\n")
        return field

    return ScriptedServer(script)


@pytest.mark.parametrize("option", ["--digest", "--anyauth"])
def test_a_challenge_of_digest_authentication_is_answered_once_and_not_shown(option, tmp_path):
    recording = tmp_path / "recording"
    for password, status in [("geheim", 0), ("falsch", 4)]:
        with digest_server() as server:
            result = wsx(
                "connect", "-v", option, "--auth", f"me:{password}", "--record", recording, "--output", "json", server.url)
        first, answer = server.results
        assert result.status == status, result
        assert first == "" and answer.startswith('Digest username="me", realm="x", nonce="n/1", uri="/", cnonce="')
        assert "Logging in with Digest, on a new connection" in result.err
        assert result.err.count("→ Authorization: •••") == 1
        assert ("rejected the credentials" in result.err) == (status != 0)
        response = re.search('response="([0-9a-f]{32})"', answer)[1]
        shown = result.err + result.out.decode() + recording.read_text()
        for secret in [password, response, base64.b64encode(f"me:{password}".encode()).decode()]:
            assert secret not in shown


def test_bench_answers_a_challenge_for_each_connection():
    with digest_server() as server:
        wsx("bench", "--digest", "--auth", "me:geheim", "-c", "3", "-d", "100ms", server.url)
    assert len([field for field in server.results if field == ""]) >= 3
    assert len([field for field in server.results if field.startswith("Digest ")]) >= 3


def test_digest_sends_no_password_to_a_server_that_wants_it_as_it_is():
    challenge = b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n"

    def script(peer):
        field = wire.field(peer.read_request(), b"Authorization")
        peer.send(challenge)
        return field

    for option, fields in [("--digest", [None]), ("--anyauth", [None, b"Basic bWU6Z2VoZWlt"])]:
        with ScriptedServer(script) as server:
            result = wsx("connect", option, server.url.replace("//", "//me:geheim@"))
        assert server.results == fields
        assert result.status == 4
        assert ("use --anyauth instead" if option == "--digest" else "rejected the credentials") in result.err


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--bearer", "env:WSX_NO_SUCH"], "the environment variable 'WSX_NO_SUCH' is not set"),
        (["--cookie", "geheim"], "name=value"),
        (["-H", "Authorization: Bearer geheim\x01"], "control character"),
        (["-H", "Authorization Bearer geheim:geheim"], '"Authorization "'),
    ])
def test_an_invalid_secret_exits_2_and_is_not_shown(arguments, words):
    result = wsx("connect", *arguments, "ws://127.0.0.1:1/")
    assert_fails(result, 2, words)
    assert "geheim" not in result.err


@pytest.mark.parametrize(
    "url, words",
    [("ws://me:geheim%zz@127.0.0.1/", "%zz"), ("ws://me:geheim@127.0.0.1/ x", "space"), ("me:geheim@h:x/", "port"),
        ("ws://me:geheim@x@127.0.0.1/", "'@'"),
        ("ws://me:geheim/x@127.0.0.1/", "%2F"),
        ("ws://me:geheim?x@127.0.0.1/", "%3F"),
        ("ws://me:geheim#x@127.0.0.1/", "#"),
        ("ws://me:x#geheim@127.0.0.1/", "#"),
        ("ftp://me:geheim@127.0.0.1/", "ftp")])
def test_the_password_of_an_invalid_url_is_not_shown(url, words):
    result = wsx("connect", url)
    assert_fails(result, 2, words)
    assert "geheim" not in result.err


@pytest.mark.parametrize("name", ["Authorization", "X-Api-Key", "api-key", "X-Auth-Token", "X-Access-Token"])
def test_a_sensitive_header_field_is_not_shown(name):
    result, _ = sent_fields("-H", f"{name}: geheim", "-H", "X-Other: seen")
    assert result.status == 0
    assert f"{name}: •••" in result.err and "X-Other: seen" in result.err and "geheim" not in result.err


NETRC = """\
# Logins
machine 127.0.0.1
    login me password geheim

machine other.example login other password "with a space"
"""


@pytest.fixture
def home(tmp_path):
    """A home directory with a .netrc file, as the options of a run."""
    (tmp_path / ".netrc").write_text(NETRC)
    return {"env": environment(HOME=tmp_path)}


def test_netrc_has_the_login_for_the_host(home, tmp_path):
    result, sent = sent_fields("--netrc", **home)
    assert (result.status, sent) == (0, (b"Basic bWU6Z2VoZWlt", None)), result
    assert "geheim" not in result.err and "bWU6Z2VoZWlt" not in result.err
    path = tmp_path / "other"
    path.write_text("default login you password x")
    assert sent_fields("--netrc", env={**home["env"], "NETRC": str(path)})[1] == (b"Basic eW91Ong=", None)


def test_netrc_is_read_only_with_the_option(home):
    assert sent_fields(**home)[1] == (None, None)


@pytest.mark.parametrize("arguments, sent", [
    (["--auth", "a:b"], b"Basic YTpi"), (["--bearer", "t"], b"Bearer t"), (["-H", "Authorization: own"], b"own")])
def test_other_credentials_take_precedence_over_netrc(home, arguments, sent):
    assert sent_fields("--netrc", *arguments, **home)[1] == (sent, None)


def test_an_entry_of_netrc_without_a_login_is_an_error_unless_the_url_has_a_user(home, tmp_path):
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 password p")
    assert_fails(wsx("connect", "--netrc", "ws://127.0.0.1:1/", **home), 2, "line 1: the entry has no login")
    assert sent_fields("--netrc", user="u@", **home)[1] == (b"Basic " + base64.b64encode(b"u:p"), None)


def test_text_files_may_begin_with_a_byte_order_mark(home, tmp_path):
    (tmp_path / ".netrc").write_bytes(b"\xef\xbb\xbfmachine 127.0.0.1 login a password b")
    assert sent_fields("--netrc", **home)[1] == (b"Basic YTpi", None)
    for name, option, text in [("h", "-H", "Authorization: own"), ("t", "--bearer", "own")]:
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + text.encode() + b"\r\n")
        assert sent_fields(option, f"@{tmp_path}/{name}")[1][0].endswith(b"own")


@pytest.mark.parametrize("command", ["connect", "bench"])
def test_an_unusable_netrc_exits_2(home, tmp_path, command):
    path = tmp_path / ".netrc"
    path.write_text("machine h\n  login me password geheim geheim\n")
    result = wsx(command, "--netrc", "ws://127.0.0.1:1/", **home)
    assert_fails(result, 2, f"--netrc {path}, line 2: unknown word", "double quotes")
    assert "geheim" not in result.err
    path.unlink()
    assert_fails(wsx(command, "--netrc", "ws://127.0.0.1:1/", **home), 2, f"--netrc {path}: no such file")
