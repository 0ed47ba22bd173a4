"""`--aws-sigv4`: signatures as botocore computes them, the sources of credentials, and their absence from output."""

import calendar
import json
import os
import random
import re
import time
import urllib.parse

import pytest

import wire
from processes import PEERS, PEERS_PYTHON, RECONNECT, assert_fails, run, wsx
from scripted_server import ScriptedServer
from test_bench import bench

SECRET, TOKEN = "geheim/SECRET+key0123456789", "IQoJgeheimTOKEN//////////wEaCXVz"
KEYS = {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": SECRET}
SIGN = ["--aws-sigv4", "eu-west-1:execute-api"]


def clean(home="/nonexistent", **variables):
    """The environment of the tests without that of AWS, plus these variables."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return {**kept, "HOME": os.fspath(home), **variables}


def closing(peer):
    peer.upgrade(then=wire.close(1000))
    peer.read_until_close()
    return peer.request


def header(head, name):
    value = wire.field(head, name.encode())
    return None if value is None else value.decode()


def signed_by(head):
    """The access key ID and the session token of a request."""
    id = re.match(r"AWS4-HMAC-SHA256 Credential=([^/]+)/", header(head, "Authorization")).group(1)
    return id, header(head, "X-Amz-Security-Token")


def botocore(requests):
    """The Authorization fields that botocore computes for recorded requests, with the keyword arguments of each."""
    lines = []
    for head, given in requests:
        method, target, _ = head.split(b"\r\n")[0].decode().split(" ")
        fields = [line.decode().split(": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line]
        signed = {name: value for name, value in fields if name == "Host" or name.startswith("X-Amz-")}
        lines.append(json.dumps({"method": method, "url": "https://h" + target, "headers": signed, **given}))
    result = run([PEERS_PYTHON, PEERS / "aws_signer.py"], stdin="\n".join(lines).encode())
    assert result.status == 0, result
    return result.lines


def test_signatures_are_those_of_botocore():
    choices = random.Random(4)
    segments = ["a", "..", ".", "", "prod", "%C3%A9", "a%20b", "arn%3Aaws%3Ax%2Fy", "!$&'()*+,;=:@", "-._~", "%25"]
    names = ["a", "A", "a-b", "ä", "x y", "", "1"]
    requests = []
    with ScriptedServer(closing) as server:
        for index in range(15):
            path = "/".join(choices.choices(segments, k=choices.randrange(5)))
            pairs = [(choices.choice(names), choices.choice(["", "1", "b=c", "/:&", "é"])) for _ in range(index % 4)]
            query = "&".join("=".join(urllib.parse.quote(part, safe="-_.~") for part in pair) for pair in pairs)
            id, secret, token = f"AKID{index}", "".join(choices.choices("aA0/+é", k=40)), choices.choice([None, TOKEN])
            region, service = choices.choice(["us-east-1", "cn-north-1"]), choices.choice(["execute-api", "neptune-db"])
            variables = {"AWS_ACCESS_KEY_ID": id, "AWS_SECRET_ACCESS_KEY": secret, "AWS_SESSION_TOKEN": token or ""}
            extra = choices.choice([[], ["-H", "X-Amz-Meta: a   b \t c"], ["--host", "a1.example:8443"]])
            url = f"{server.url}{path}?{query}"
            result = wsx("connect", "--aws-sigv4", f"{region}:{service}", *extra, url, env=clean(**variables))
            assert result.status == 0, result
            given = {"region": region, "service": service, "credentials": [id, secret, token]}
            requests.append((server.results[-1], given))
    assert [header(head, "Authorization") for head, _ in requests] == botocore(requests)
    times = [time.strptime(header(head, "X-Amz-Date"), "%Y%m%dT%H%M%SZ") for head, _ in requests]
    assert all(abs(time.time() - calendar.timegm(then)) < 60 for then in times)


# Sources


@pytest.fixture
def home(tmp_path):
    """A home directory with profiles."""
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws/credentials").write_text(
        f"[default]\naws_access_key_id = DEFAULT\naws_secret_access_key = {SECRET}\n\n"
        f"[temporary]\naws_access_key_id=TEMPORARY\naws_secret_access_key={SECRET}\naws_session_token={TOKEN}\n"
        "[half]\naws_access_key_id = HALF\n")
    (tmp_path / ".aws/config").write_text(
        "[default]\nregion = ap-south-1\n[profile temporary]\nregion = sa-east-1\n"
        f"[profile config]\naws_access_key_id = CONFIG\naws_secret_access_key = {SECRET}\n"
        "[profile sso]\nsso_session = s\nregion = us-east-1\n"
        "[profile role]\nrole_arn = arn:x\nsource_profile = default\n")
    return tmp_path


@pytest.mark.parametrize("arguments, variables, expected", [
    ([], {}, ("DEFAULT", None)), ([], {"AWS_PROFILE": "temporary"}, ("TEMPORARY", TOKEN)),
    ([], {"AWS_PROFILE": "config"}, ("CONFIG", None)), ([], KEYS, ("AKIDEXAMPLE", None)),
    ([], {**KEYS, "AWS_SESSION_TOKEN": TOKEN, "AWS_PROFILE": "temporary"}, ("AKIDEXAMPLE", TOKEN)),
    (["--netrc"], KEYS, ("AKIDEXAMPLE", None))])
def test_credentials_come_from_the_environment_or_a_profile(home, arguments, variables, expected):
    with ScriptedServer(closing) as server:
        url = server.url.replace("//", "//me:pw@")
        result = wsx("connect", "-v", *SIGN, *arguments, url, env=clean(home, **variables))
    assert result.status == 0, result
    assert signed_by(server.results[0]) == expected
    assert header(server.results[0], "Authorization").count("Signature=") == 1


def test_variables_name_the_files_with_profiles(home, tmp_path):
    (tmp_path / "c").write_text(f"[default]\naws_access_key_id = OTHER\naws_secret_access_key = {SECRET}\n")
    variables = {"AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "c"), "AWS_CONFIG_FILE": "/no/such"}
    with ScriptedServer(closing) as server:
        wsx("connect", *SIGN, server.url, env=clean(home, **variables))
        assert signed_by(server.results[0]) == ("OTHER", None)
    result = wsx("connect", "--aws-sigv4", "x", server.url, env=clean(home, **variables))
    assert_fails(result, 2, "the region is missing")


@pytest.mark.parametrize("arguments, variables, words", [
    ([], {"HOME": "/nonexistent"}, ["no AWS credentials", "set AWS_ACCESS_KEY_ID", "aws configure export-credentials"]),
    ([], {"AWS_PROFILE": "none"}, ["no AWS profile 'none'", "AWS_PROFILE"]),
    ([], {"AWS_PROFILE": "half"}, ["'half' has no aws_secret_access_key"]),
    ([], {"AWS_PROFILE": "sso"}, ["'sso_session'", 'eval "$(aws configure export-credentials --format env)"']),
    ([], {"AWS_PROFILE": "role"}, ["'role_arn'", "not support"]),
    ([], {"AWS_ACCESS_KEY_ID": "A"}, ["AWS_SECRET_ACCESS_KEY is not; set both"]),
    ([], {**KEYS, "AWS_SESSION_TOKEN": "geheim\r\nX: y"}, ["the session token must be"]),
    ([], {"AWS_CONFIG_FILE": "/"}, ["--aws-sigv4 /: "]),
    ([], {"AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"}, ["no AWS credentials"]),
    (["-H", "authorization: geheim"], KEYS, ["--header", "'Authorization'"]),
    (["-H", "X-Amz-Date: 1"], KEYS, ["'X-Amz-Date'"]),
    (["-H", "X-Amz-Security-Token: geheim"], {**KEYS, "AWS_SESSION_TOKEN": TOKEN}, ["'X-Amz-Security-Token'"]),
    ([], {**KEYS, "AWS_ACCESS_KEY_ID": "a b"}, ["the access key ID must be", "in the environment"]),
    (["--auth", "a:geheim"], KEYS, ["cannot be used with"]), (["--bearer", "geheim"], KEYS, ["cannot be used with"]),
    (["--digest"], KEYS, ["cannot be used with"]), (["--anyauth"], KEYS, ["cannot be used with"])])
@pytest.mark.parametrize("command", ["connect", "bench"])
def test_unusable_credentials_exit_2_before_the_first_connection(home, command, arguments, variables, words):
    with ScriptedServer(closing) as server:
        result = wsx(command, *SIGN, *arguments, server.url, env=clean(**{"home": home, **variables}))
        assert server.connection_count == 0
    assert_fails(result, 2, *words)
    assert "geheim" not in result.err


# Connections


def test_each_attempt_is_signed_anew_and_other_origins_get_neither_signature_nor_token():
    def redirecting(peer):
        head = peer.read_request()
        if head.startswith(b"GET /start"):
            peer.send(f"HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode())
        else:
            peer.upgrade(then=wire.close(1000))
            peer.read_until_close()
        return head

    variables = clean(**KEYS, AWS_SESSION_TOKEN=TOKEN)
    with ScriptedServer(redirecting) as server, ScriptedServer(closing) as other:
        location = "/next"
        assert wsx("connect", *SIGN, "-L", server.url + "start", env=variables).status == 0
        location = other.url
        for option in "-L", "--location-trusted":
            result = wsx("connect", *SIGN, option, server.url + "start", env=variables)
            assert result.status == 0, result
            assert result.err.endswith("not sent there: X-Amz-Date, X-Amz-Security-Token, Authorization\n"), result
    first, second = server.results[:2]
    given = {"region": "eu-west-1", "service": "execute-api", "credentials": ["AKIDEXAMPLE", SECRET, TOKEN]}
    signatures = [header(head, "Authorization") for head in (first, second)]
    assert signatures == botocore([(first, given), (second, given)])
    for head in other.results:
        assert b"X-Amz" not in head and b"Authorization" not in head


def test_a_proxy_gets_no_signature():
    def tunnel(peer):
        head = peer.read_request()
        peer.send(b"HTTP/1.1 200 OK\r\n\r\n")
        peer.read_request()
        peer.upgrade(then=wire.close(1000))
        peer.read_until_close()
        return head

    with ScriptedServer(tunnel) as server:
        proxy = ["--proxy", server.url.replace("ws:", "http:")]
        result = wsx("connect", *SIGN, *proxy, "ws://a1.example/", env=clean(**KEYS))
    assert result.status == 0, result
    assert server.results[0].startswith(b"CONNECT") and b"X-Amz" not in server.results[0]
    assert b"Authorization" not in server.results[0]


def test_a_reconnect_is_signed():
    def script(peer):
        peer.upgrade(then=wire.close(1012 if server.connection_count == 1 else 1000))
        peer.read_until_close()
        return peer.request

    with ScriptedServer(script) as server:
        assert wsx("connect", *SIGN, *RECONNECT, "--no-stdin", server.url, env=clean(**KEYS)).status == 0
    given = {"region": "eu-west-1", "service": "execute-api", "credentials": ["AKIDEXAMPLE", SECRET, None]}
    signatures = [header(head, "Authorization") for head in server.results]
    assert len(signatures) == 2 and signatures == botocore([(head, given) for head in server.results])


# Secrets


def repeating(status):
    """A script that rejects the request and repeats all it has learned, as API Gateway does with what it expected."""

    def script(peer):
        head = peer.read_request()
        signature = header(head, "Authorization").rsplit("=", 1)[1]
        body = f"{SECRET} {TOKEN} {signature} {header(head, 'Authorization')}".encode()
        peer.send(b"HTTP/1.1 %d No\r\nContent-Length: %d\r\n\r\n" % (status, len(body)) + body)
        return signature

    return script


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("command", ["connect", "bench"])
def test_no_secret_of_a_signature_is_shown_or_recorded(tmp_path, command, status):
    options = {"connect": ["-v", "--record", tmp_path / "r"], "bench": ["-n", "1", "-c", "1"]}[command]
    with ScriptedServer(repeating(status)) as server:
        variables = clean(**KEYS, AWS_SESSION_TOKEN=TOKEN)
        result = wsx(command, *SIGN, *options, "--output", "json", server.url, env=variables)
    assert result.status != 0, result
    shown = result.out.decode() + result.err
    if command == "connect":
        assert "Authorization: •••" in shown and "X-Amz-Security-Token: •••" in shown
        shown += (tmp_path / "r").read_text()
    for secret in (SECRET, TOKEN, server.results[0]):
        assert secret not in shown, result


def test_a_program_does_not_get_the_credentials():
    def script(peer):
        peer.upgrade()
        lines = []
        while (frame := peer.read_frame()).opcode != wire.CLOSE:
            lines.append(frame.payload)
        peer.send(wire.frame(wire.CLOSE, frame.payload))
        return b"\n".join(lines)

    with ScriptedServer(script) as server:
        variables = clean(**KEYS, AWS_SESSION_TOKEN=TOKEN)
        result = wsx("connect", *SIGN, "--exec", server.url, "--", "env", env=variables)
    assert result.status == 0, result
    assert b"PATH=" in server.results[0] and b"AWS" not in server.results[0]


def test_each_connection_of_a_load_test_is_signed():
    def echoing(peer):
        peer.upgrade()
        while (frame := peer.read_frame()).opcode != wire.CLOSE:
            peer.send(wire.frame(frame.opcode, frame.payload))
        peer.send(wire.frame(wire.CLOSE, frame.payload))
        return peer.request

    with ScriptedServer(echoing) as server:
        result, results = bench(server.url, *SIGN, "-c", "4", "-n", "20", env=clean(**KEYS, AWS_SESSION_TOKEN=TOKEN))
    assert result.status == 0, result
    given = {"region": "eu-west-1", "service": "execute-api", "credentials": ["AKIDEXAMPLE", SECRET, TOKEN]}
    assert len(server.results) == 4
    signatures = [header(head, "Authorization") for head in server.results]
    assert signatures == botocore([(head, given) for head in server.results])
    assert not any(secret in result.out.decode() for secret in (SECRET, TOKEN))
