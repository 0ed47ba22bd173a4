"""Cookie files: what `--cookie FILE` sends, what `--cookie-jar` writes, and that curl reads and writes the same."""

import os
import shutil
import signal

import pytest

import wire
from processes import BINARY, Running, assert_fails, require_program, run, wsx
from scripted_server import ScriptedServer
from test_protocol_selection import TOKEN, Hub


def line(host, name, value, path="/", covers="FALSE", secure="FALSE", expiry=0, prefix=""):
    return "\t".join([prefix + host, covers, path, secure, str(expiry), name, value]) + "\n"


def server(*fields):
    """A server that sets cookies. Its results are the Cookie fields that it receives."""

    def script(peer):
        head = peer.read_request()
        lines = [f"Set-Cookie: {field}".encode() for field in fields]
        if b"websocket" in head:
            peer.upgrade(*lines, then=wire.close(1000))
            peer.read_until_close()
        else:
            peer.send(b"\r\n".join([b"HTTP/1.1 200 OK", b"Content-Length: 0", b"Connection: close", *lines, b"", b""]))
            peer.read_to_end()
        return wire.field(head, b"Cookie")

    return ScriptedServer(script)


def curl(*arguments):
    require_program("curl")
    result = run(["curl", "--silent", "--show-error", "--max-time", "50", *arguments])
    assert result.status == 0, result


def pairs(field):
    return sorted(field.split(b"; ")) if field else []


def test_cookies_of_curl_are_sent_by_wsx_and_the_other_way_around(tmp_path):
    jar, other = tmp_path / "jar", tmp_path / "other"
    cookies = ["session=geheim; HttpOnly", "theme=dark blue; Max-Age=3600", "empty=", "gone=x; Max-Age=0",
               "below=1; Path=/below", 'quoted="q"']
    expected = [b"empty=", b'quoted="q"', b"session=geheim", b"theme=dark blue"]
    with server(*cookies) as peer:
        url = f"http://127.0.0.1:{peer.port}/"
        curl("-c", jar, url)
        assert wsx("connect", "-b", jar, "--cookie-jar", other, peer.url).status == 0
        curl("-b", other, url)
    assert [pairs(field) for field in peer.results] == [[], expected, expected]
    assert other.stat().st_mode & 0o777 == 0o600
    # Both files have the same lines, in another order, with times that may differ by the duration of the test.
    files = [path.read_text().splitlines() for path in (jar, other)]
    first, second = (sorted(tuple(text.split("\t")[i] for i in (0, 1, 2, 3, 5, 6)) for text in file if "\t" in text)
                     for file in files)
    assert first == second and len(first) == 5


def test_cookies_are_kept_from_run_to_run_in_one_file(tmp_path):
    jar = tmp_path / "jar"
    for fields in (["a=1; Path=/"], ["b=2; Path=/"], ["a=3; Path=/"]):
        with server(*fields) as peer:
            result = wsx("connect", "-b", jar, "--cookie-jar", jar, peer.url)
        assert result.status == 0, result
    assert pairs(peer.results[0]) == [b"a=1", b"b=2"]
    lines = [text for text in jar.read_text().splitlines() if "\t" in text]
    assert lines == [line("127.0.0.1", "b", "2").strip(), line("127.0.0.1", "a", "3").strip()]
    assert os.listdir(tmp_path) == ["jar"]


@pytest.mark.parametrize("status", [401, 403])
def test_cookies_of_a_rejection_are_saved(tmp_path, status):
    jar = tmp_path / "jar"

    def script(peer):
        peer.read_request()
        peer.send(f"HTTP/1.1 {status} No\r\nSet-Cookie: a=1\r\nContent-Length: 0\r\n\r\n".encode())

    with ScriptedServer(script) as peer:
        result = wsx("connect", "--cookie-jar", jar, peer.url)
    assert result.status == 4
    assert line("127.0.0.1", "a", "1") in jar.read_text()


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_cookies_are_saved_when_the_run_is_interrupted(tmp_path, number, status):
    jar = tmp_path / "jar"

    def script(peer):
        peer.upgrade(b"Set-Cookie: a=1", then=wire.text("open"))
        peer.read_until_close()

    with ScriptedServer(script) as peer:
        with Running([BINARY, "connect", "--no-stdin", "--cookie-jar", jar, peer.url]) as running:
            running.wait_for("open", "out")
            running.signal(number)
            assert running.wait() == status
    assert line("127.0.0.1", "a", "1") in jar.read_text()


@pytest.mark.parametrize("ending", ["regular", "failed"])
def test_a_cookie_file_that_cannot_be_written_is_an_error(tmp_path, ending):
    folder = tmp_path / "folder"
    folder.mkdir()

    def script(peer):
        peer.read_request()
        shutil.rmtree(folder)
        if ending == "regular":
            peer.upgrade(then=wire.close(1000))
            peer.read_until_close()
        else:
            peer.send(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")

    with ScriptedServer(script) as peer:
        result = wsx("connect", "--cookie-jar", folder / "jar", peer.url)
    words = f"wsx: writing {folder}/jar: no such file or directory"
    assert words in result.error_lines
    if ending == "regular":
        assert_fails(result, 1, words)
    else:
        assert result.status == 4, result


def test_the_negotiation_of_signalr_gets_the_cookies_of_a_file(tmp_path):
    jar = tmp_path / "jar"
    jar.write_text(line("127.0.0.1", "a", "1", path="/chat"))
    hub = Hub(lambda number: (200, TOKEN), ["Set-Cookie: node=2"])
    with ScriptedServer(hub) as peer:
        wsx("connect", "--no-stdin", "--timeout", "20s", "--protocol", "signalr", "-b", jar, "--cookie-jar", jar,
            f"http://127.0.0.1:{peer.port}/chat")
    post, get = hub.requests
    assert "Cookie: a=1\r\n" in post
    assert "Cookie: a=1; node=2\r\n" in get
    # The default path of RFC 6265 §5.1.4.
    assert line("127.0.0.1", "node", "2", path="/chat") in jar.read_text()


def test_each_connection_of_bench_sends_the_cookies_of_a_file(tmp_path):
    jar = tmp_path / "jar"
    jar.write_text(line("127.0.0.1", "a", "1"))
    with server() as peer:
        wsx("bench", "-c", "4", "-t", "2", "--mode", "connect", "-n", "4", "-q", "-b", jar, peer.url)
    assert peer.results == [b"a=1"] * 4


@pytest.mark.parametrize("command", [["connect", "-v", "--output", "json", "--record", "RECORD"], ["bench", "-c", "1", "-n", "1"]])
def test_cookies_of_a_file_are_secrets(tmp_path, command):
    jar, record = tmp_path / "jar", tmp_path / "record"
    jar.write_text(line("127.0.0.1", "sid", "geheim-1") + "geheim-2\n")

    def script(peer):
        head = peer.read_request()
        assert b"Cookie: sid=geheim-1" in head
        body = b"refused: " + head
        peer.send(b"HTTP/1.1 403 No\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    with ScriptedServer(script) as peer:
        result = wsx(*[record if word == "RECORD" else word for word in command], "-b", jar, peer.url)
    assert result.status != 0 and peer.connection_count > 0
    recorded = record.read_text() if record.exists() else ""
    assert "•••" in result.err, result
    assert "geheim" not in result.err + result.out.decode() + recorded
    if command[0] == "connect":
        assert f"wsx: --cookie {jar}: 1 line without a cookie ignored\n" in result.err


@pytest.mark.parametrize("lines", [[line("127.0.0.1", f"n{number}", "1") for number in range(51)], ["no cookie\n"]])
def test_a_jar_that_would_lose_cookies_is_not_written(tmp_path, lines):
    jar = tmp_path / "jar"
    jar.write_text(line("127.0.0.1", "a", "1") + "".join(lines))
    before = jar.read_bytes()
    result = wsx("connect", "-b", jar, "--cookie-jar", jar, "ws://127.0.0.1:1")
    assert_fails(result, 2, "--cookie-jar", "would be lost")
    assert jar.read_bytes() == before


def test_a_jar_is_not_the_recording(tmp_path):
    for path in (tmp_path / "new", tmp_path / "old"):
        (tmp_path / "old").touch()
        assert_fails(wsx("connect", "--cookie-jar", path, "--record", path, "echo:", "x"), 2, "--cookie-jar", "--record")
