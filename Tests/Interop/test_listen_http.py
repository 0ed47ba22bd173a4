"""`wsx listen` answers plain HTTP requests: files with `--serve`, and pages and errors without it."""

import concurrent.futures
import email.utils
import hashlib
import html.parser
import os
import random
import re
import socket
import stat
import time
import urllib.parse

import pytest

import wire
from processes import Listener, assert_fails, descriptor_count, memory_limit, peak_resident_bytes, run, wait_until, wsx

MEBIBYTE = 1 << 20
SECRET = b"nobody is to see this"
LARGE_BYTES = 8 * MEBIBYTE


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A directory with all sorts of files, and a secret next to it."""
    base = tmp_path_factory.mktemp("site")
    (base / "secret.txt").write_bytes(SECRET)
    (base / "secret").mkdir()
    (base / "secret/secret.txt").write_bytes(SECRET)
    root = base / "root"
    (root / "sub/deep").mkdir(parents=True)
    (root / "with index").mkdir()
    (root / "list").mkdir()
    (root / ".git").mkdir()
    (root / ".well-known").mkdir()
    files = {
        "page.html": b"<p>page", "app.js": b"1", "style.css": b"", "data.json": b"{}", "icon.svg": b"<svg/>",
        "module.wasm": b"\0asm", "unknown": b"?", "notes.txt": "zwölf".encode(), "digits.txt": b"0123456789",
        "large.bin": random.randbytes(LARGE_BYTES), "empty.txt": b"", "sub/deep/file.txt": b"deep",
        "with index/index.html": b"<p>index", ".git/config": SECRET, ".env": SECRET,
        ".well-known/security.txt": b"contact", "list/plain.txt": b"x",
    }
    for name, contents in files.items():
        (root / name).write_bytes(contents)
    long_ago = time.time() - 1000
    for name in files:
        os.utime(root / name, (long_ago, long_ago))
    links = {
        "inside": "notes.txt", "sub/deep/up": "../../notes.txt", "to-sub": "sub", "out": "../secret.txt",
        "out-dir": "..", "absolute": str(base / "secret.txt"), "absolute-in": str(root / "notes.txt"), "loop": "loop",
        "slash": "/", "proc": "/proc/self/root", "sub/out": "../../secret.txt", "via": "sub/../../secret.txt",
        "back": "../root/notes.txt", "sub/deep/top": "../..", "sub/deep/above": "../../..", "chain": "out",
        "env": ".env", "git": ".git", "sub/config": "../.git/config",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    os.mkfifo(root / "pipe")
    return root


@pytest.fixture(scope="module")
def server(site):
    with Listener("--echo", "--serve", site) as server:
        yield server
        assert wsx("connect", "-n", "1", server.url, "alive").out == b"alive\n"
        assert server.stop() == 0


@pytest.fixture(scope="module")
def bare():
    """A server without files."""
    with Listener("--echo") as server:
        yield server


class Answer:
    """An answer, read to the end of its connection."""

    def __init__(self, data):
        self.data = data
        self.head, _, self.body = data.partition(b"\r\n\r\n")
        self.status = int(self.head.split(b" ")[1]) if data else None

    def field(self, name):
        value = wire.field(self.head, name.encode())
        return None if value is None else value.decode()


def ask(server, target="/", *fields, method="GET", version="1.1", host="127.0.0.1", cut=0):
    """Sends a request exactly as given, minus `cut` bytes at its end, and reads the whole answer."""
    head = [f"{method} {target} HTTP/{version}", *([f"Host: {host}"] if host else []), *fields, "", ""]
    stream = wire.Stream(socket.create_connection(("127.0.0.1", server.port), timeout=60))
    with stream.sock:
        data = "\r\n".join(head).encode("latin-1")
        stream.send(data[:len(data) - cut])
        answer = Answer(stream.read_to_end())
    if answer.status and answer.status != 304 and method != "HEAD":
        assert len(answer.body) == int(answer.field("Content-Length"))
    return answer


def http_url(server, path=""):
    return server.url.replace("ws", "http", 1) + path


def curl(*arguments, **options):
    return run(["curl", "--silent", "--show-error", "--max-time", "50", *arguments], **options)


UPGRADE = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
VERSION = "Sec-WebSocket-Version: 13"


@pytest.mark.parametrize(
    "options, request_, status",
    [
        ([], {}, 200),
        ([], {"fields": UPGRADE}, 426),
        ([], {"fields": UPGRADE[:2] + [VERSION]}, 400),
        ([], {"fields": [*UPGRADE, VERSION, "Origin: http://evil.example"]}, 403),
        (["--path", "/ws"], {"fields": [*UPGRADE, VERSION]}, 404),
        ([], {"method": "HEAD", "host": "evil.example"}, 403),
        ([], {"fields": [f"X{number}: y" for number in range(200)]}, 431),
        (["--reject", "304"], {"fields": [*UPGRADE, VERSION]}, 304),
    ])
def test_every_answer_has_the_same_fields(options, request_, status):
    request_ = dict(request_)
    fields = request_.pop("fields", [])
    with Listener("--echo", *options) as server:
        before = int(time.time())
        answer = ask(server, request_.pop("target", "/"), *fields, **request_)
        assert answer.status == status
        date = email.utils.parsedate_to_datetime(answer.field("Date")).timestamp()
        assert before <= date <= time.time()
        assert answer.field("X-Content-Type-Options") == "nosniff"
        assert answer.field("Cache-Control") == "no-cache"
        assert answer.field("Connection").startswith("close")
        assert answer.field("Content-Length") != ("0" if status != 304 else "")
        assert (answer.body == b"") == (request_.get("method") == "HEAD" or status == 304)
        names = [line.split(b":")[0].lower() for line in answer.head.split(b"\r\n")[1:]]
        assert len(names) == len(set(names)), names


# Without files


@pytest.mark.parametrize(
    "options, target, method, status",
    [([], "/", "HEAD", 200), ([], "/", "POST", 405), (["--path", "/ws"], "/ws?q", "GET", 426)])
def test_a_plain_request_gets_the_right_status(options, target, method, status):
    with Listener("--echo", *options) as server:
        answer = ask(server, target, method=method)
        assert answer.status == status
        assert (answer.field("Upgrade") == "websocket") == (status == 426)
        assert ("Upgrade" in answer.field("Connection")) == (status == 426)
        assert answer.field("Allow") == ("GET, HEAD" if status == 405 else None)
        assert answer.field("Content-Type") == "text/plain; charset=utf-8"
        assert (answer.body == b"") == (method == "HEAD")
        path = target.partition("?")[0]
        server.wait_for(rf'Answered {method}: {status}, from 127\.0\.0\.1:\d+, path "{path}", \d\.\d s, \d+ B in, \d+ B out')


def test_the_root_page_shows_how_to_connect(bare):
    answer = ask(bare, host=f"localhost:{bare.port}")
    assert f"wsx connect ws://localhost:{bare.port}/\n".encode() in answer.body
    # The client's Host must not end up in a command that users paste into a shell.
    answer = ask(bare, host="$(id).localhost")
    assert b"wsx connect ws://HOST/\n" in answer.body


def test_a_request_body_is_ignored_and_the_answer_arrives(bare):
    result = curl("--include", "--data-binary", "@-", "-H", "Expect:", http_url(bare, "upload"), stdin=b"x" * MEBIBYTE)
    assert result.out.startswith(b"HTTP/1.1 405 ")


def test_bytes_after_a_request_are_not_a_second_request(bare):
    request = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    stream = wire.Stream(socket.create_connection(("127.0.0.1", bare.port), timeout=60))
    with stream.sock:
        stream.send(request * 3)
        assert stream.read_to_end().count(b"HTTP/1.1 ") == 1


def test_log_lines_cannot_be_forged():
    with Listener("--echo") as server:
        for target in ["/%0AAnswered%1b[2J", "/\x1b[2J", "/\u009b31m", "/a b"]:
            ask(server, target, host="\u009b2J")
            ask(server, target)
        ask(server, "/last")
        server.wait_for(r'Answered GET: 426, .*path "/last"')
        lines = server.err.splitlines()
        assert len(lines) == 1 + 8 + 1
        assert not re.search("[\x00-\x1f\x7f-\x9f]", "".join(lines))


def test_a_head_of_more_than_64_kib_does_not_end_the_server(site, tmp_path):
    (tmp_path / "fields").write_text("".join(f"X-Field-{number}: {'v' * 4000}\n" for number in range(20)))
    with Listener("--serve", site, "-H", f"@{tmp_path / 'fields'}") as server:
        for target in "/digits.txt", "/list/", "/sub":
            answer = ask(server, target)
            assert answer.status in (200, 301, 308), target
        assert server.process.poll() is None


# Files


@pytest.mark.parametrize(
    "path, media_type",
    [
        ("page.html", "text/html; charset=utf-8"),
        ("unknown", "application/octet-stream"),
        ("sub/deep/up", "application/octet-stream"),
        ("with%20index/", "text/html; charset=utf-8"),
    ])
def test_a_file_is_served_with_its_type(server, site, path, media_type):
    answer = ask(server, f"/{path}?query")
    file = site / urllib.parse.unquote(path)
    assert (answer.status, answer.field("Content-Type")) == (200, media_type)
    assert answer.body == (file / "index.html" if file.is_dir() else file).read_bytes()
    assert answer.field("X-Content-Type-Options") == "nosniff"
    assert answer.field("Cache-Control") == "no-cache"
    assert answer.field("Connection") == "close"
    assert abs(email.utils.parsedate_to_datetime(answer.field("Date")).timestamp() - time.time()) < 60
    head = ask(server, f"/{path}", method="HEAD")
    assert (head.status, head.body, head.field("Content-Length")) == (200, b"", str(len(answer.body)))


def test_a_websocket_opens_at_any_path_next_to_the_files(server):
    for path in ["", "app.js", "sub", "..%2f"]:
        assert wsx("connect", "-n", "1", server.url + path, "hi").out == b"hi\n"


# Ranges and preconditions


@pytest.mark.parametrize(
    "given, body, content_range",
    [("0-0", b"0", "bytes 0-0/10"), ("3-5", b"345", "bytes 3-5/10"), ("7-", b"789", "bytes 7-9/10"),
     ("-2", b"89", "bytes 8-9/10"), ("0-99", b"0123456789", "bytes 0-9/10")])
def test_curl_gets_a_range(server, given, body, content_range):
    result = curl("--include", "--range", given, http_url(server, "digits.txt"))
    answer = Answer(result.out)
    assert (answer.status, answer.body, answer.field("Content-Range")) == (206, body, content_range)


def test_curl_resumes_a_download(server, site, tmp_path):
    contents = (site / "large.bin").read_bytes()
    (tmp_path / "part").write_bytes(contents[:3_000_001])
    result = curl("--continue-at", "-", "--output", tmp_path / "part", http_url(server, "large.bin"))
    assert result.status == 0, result
    assert (tmp_path / "part").read_bytes() == contents


# Directories


class Links(html.parser.HTMLParser):
    """Collects a page's links with their texts, and all its elements."""

    def __init__(self, page):
        super().__init__()
        self.links, self.elements, self.is_in_link = [], set(), False
        self.feed(page.decode())

    def handle_starttag(self, tag, attributes):
        self.elements.add(tag)
        if tag == "a":
            assert [name for name, _ in attributes] == ["href"]
            self.links.append([attributes[0][1], ""])
        self.is_in_link = tag == "a"

    def handle_endtag(self, tag):
        self.is_in_link = False

    def handle_data(self, data):
        if self.is_in_link:
            self.links[-1][1] += data


def test_a_directory_page_shows_every_name_as_text_and_links_to_it(server, site):
    directory = site / "list"
    names = ["<script>alert(1)<", '"onclick="x', "a&amp;b", "new\nline", "per%25cent", "que?ry#x", "'", "javascript:x",
             "\u202egnp.exe", "水 🎈"]
    hidden = [b"invalid\xff", b".hidden", b"back\\slash"]
    for name in names:
        (directory / name).write_bytes(name.encode())
    for name in hidden:
        with open(os.fsencode(directory) + b"/" + name, "wb") as file:
            file.write(SECRET)
    try:
        answer = ask(server, "/list/")
        page = Links(answer.body)
        assert page.elements == {
            "html", "head", "meta", "title", "style", "body", "h1", "table", "tr", "td", "a"}
        assert "default-src 'none'" in answer.field("Content-Security-Policy")
        texts = dict(page.links)
        assert texts.pop("../") == "../"
        assert len(texts) == len(names) + 1
        for name in names:
            link = urllib.parse.quote(name, safe="")
            assert texts[link] == name.replace("\n", "\\u{A}").replace("\u202e", "\\u{202E}")
            assert urllib.parse.urljoin("http://h/list/", link) == f"http://h/list/{link}"
            assert ask(server, f"/list/{link}").body == name.encode()
    finally:
        for name in names:
            (directory / name).unlink()
        for name in hidden:
            os.unlink(os.fsencode(directory) + b"/" + name)


# Path traversal


def traversals():
    """Returns paths that leave the root in some interpretation."""
    dots = ["..", "%2e%2e", ".%2e", "%2E.", "%252e%252e", "%c0%ae%c0%ae", "%uff0e%uff0e", "..;", "..%00", "...",
            "%u002e.", "%ef%bc%8e%ef%bc%8e"]
    slashes = ["/", "%2f", "%5c", "\\", "%252f", "//", "/./", "%c0%af", "%e0%80%af", "/%2e/"]
    # Each prefix has the number of directories to climb out of.
    prefixes = {"/": 1, "/sub/": 2, "/sub/deep/": 3, "//": 1, "/./": 1, "/with%20index/": 2}
    targets = ["secret.txt", "secret/secret.txt"]
    return [
        prefix + (dot + slash) * count + target
        for prefix, count in prefixes.items() for dot in dots for slash in slashes for target in targets]


LINKS_OUT = [
    "/out", "/out-dir/secret.txt", "/out-dir/", "/absolute", "/absolute-in", "/loop", "/slash/etc/passwd",
    "/proc/etc/passwd", "/sub/out", "/via", "/back", "/sub/deep/above/secret.txt", "/chain", "/out/", "/pipe",
    "/.git/config", "/.env", "/%2egit/config", "/.git/", "/sub/../.env", "/to-sub/out", "/sub/deep/top/out",
    "/sub/deep/top/.env", "/app.js/../.env", "/out-dir", "/.",
    "/env", "/git/config", "/git/", "/git", "/sub/config",
]


def test_no_path_leads_out_of_the_root(server):
    paths = traversals()
    assert len(paths) > 1000
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for path, answer in zip(paths + LINKS_OUT, pool.map(lambda path: ask(server, path), paths + LINKS_OUT)):
            assert answer.status in (400, 404), (path, answer.data)
            assert SECRET not in answer.data and b"root:" not in answer.data, path


def test_a_link_that_changes_constantly_never_leads_out(server, site):
    """During the requests, the directory of a file is repeatedly replaced by a link to the secret's directory."""
    real, away, place = site / "real", site / "away", site / "place"
    real.mkdir()
    (real / "secret.txt").write_bytes(b"harmless")
    away.symlink_to(site.parent / "secret")
    answers = set()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        def ask_often():
            for _ in range(300):
                answers.add(ask(server, "/place/secret.txt").body)

        asking = pool.submit(ask_often)
        while not asking.done():
            os.rename(real, place)
            os.rename(place, real)
            os.rename(away, place)
            os.rename(place, away)
        asking.result()
    assert SECRET not in answers
    away.unlink()
    (real / "secret.txt").unlink()
    real.rmdir()


@pytest.mark.parametrize("host, status", [
    ("evil.example", 403), ("127.0.0.1.evil.example", 403), ("localhost.evil.example:80", 403), ("10.0.0.1", 200),
    ("localhost", 200), ("app.localhost:8080", 200), ("[::1]", 200), (None, 400), ("a b", 400), ("h:99999", 400)])
def test_files_are_served_only_to_hosts_that_dns_rebinding_cannot_use(server, host, status):
    assert ask(server, "/app.js", host=host).status == status


def test_an_allowed_host_gets_files(site):
    with Listener("--echo", "-o", "http://app.example", "--serve", site) as server:
        assert ask(server, "/app.js", host="app.example").status == 200
        assert ask(server, "/app.js", host="other.example").status == 403


# Load


def test_a_hundred_concurrent_downloads_are_complete(site):
    expected = hashlib.sha256((site / "large.bin").read_bytes()).digest()

    def digest(server, _):
        return hashlib.sha256(ask(server, "/large.bin").body).digest()

    with Listener("--echo", "--serve", site) as server:
        before = descriptor_count(server.pid)
        with concurrent.futures.ThreadPoolExecutor(100) as pool:
            assert set(pool.map(lambda number: digest(server, number), range(100))) == {expected}
        wait_until(lambda: descriptor_count(server.pid) <= before, what="the descriptors' release")
        assert peak_resident_bytes(server.pid) < memory_limit(128 * MEBIBYTE)


def test_a_client_that_stops_reading_does_not_block_others(server, site):
    stopped = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(20)]
    try:
        for sock in stopped:
            sock.sendall(b"GET /large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert ask(server, "/large.bin").body == (site / "large.bin").read_bytes()
        assert wsx("connect", "-n", "1", server.url, "hi").out == b"hi\n"
    finally:
        for sock in stopped:
            sock.close()


# WebExchangeTests has the same test with a shorter limit.
@pytest.mark.heavy
def test_a_client_that_stops_reading_is_disconnected_after_half_a_minute(site):
    # Larger than the kernel's buffers of a connection.
    with open(site / "sparse", "wb") as file:
        file.truncate(1 << 30)
    with Listener("--echo", "--serve", site) as server:
        before = descriptor_count(server.pid)
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as sock:
            sock.sendall(b"GET /sparse HTTP/1.1\r\nHost: localhost\r\n\r\n")
            server.wait_for(r'Answered GET: 200, .*path "/sparse".* not read the whole response\n', timeout=60)
            wait_until(lambda: descriptor_count(server.pid) <= before, what="the descriptors' release")
    (site / "sparse").unlink()


@pytest.fixture
def huge(site):
    """The size of a file of more than 4 GiB, /huge."""
    size = (4 << 30) + 1000
    with open(site / "huge", "wb") as file:
        file.seek(size - 3)
        file.write(b"end")
    yield size
    (site / "huge").unlink()


def test_the_end_of_a_file_beyond_4_gib_can_be_read(server, huge):
    assert ask(server, "/huge", method="HEAD").field("Content-Length") == str(huge)
    for count in 5, 3000:
        answer = ask(server, "/huge", f"Range: bytes={huge - count}-")
        assert (answer.status, answer.body) == (206, bytes(count - 3) + b"end")


@pytest.mark.heavy
def test_a_file_beyond_4_gib_can_be_downloaded(server, huge):
    result = curl(
        "--max-time", "900", "--output", "/dev/null", "--write-out", "%{size_download}", http_url(server, "huge"),
        timeout=900)
    assert (result.status, result.out) == (0, str(huge).encode())


def test_slow_requests_do_not_delay_downloads(site):
    with Listener("--echo", "--serve", site, "--handshake-timeout", "1s") as server:
        slow = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(50)]
        try:
            for sock in slow:
                sock.sendall(b"GET /app.js HTTP/1.1\r\nHost: lo")
            assert ask(server, "/app.js").body == b"1"
            for sock in slow:
                assert sock.recv(12) == b"HTTP/1.1 408"
        finally:
            for sock in slow:
                sock.close()


# Other transports


def test_files_over_tls(site):
    with Listener("--echo", "--serve", site, "--tls-self-signed") as server:
        url = server.url.replace("wss:", "https:")
        server.wait_for(rf"Serving files from {re.escape(str(site))} at {re.escape(url)}\n")
        result = curl("--insecure", "--http1.1", url + "large.bin")
        assert result.out == (site / "large.bin").read_bytes()
        assert b"wss://127.0.0.1" not in curl("--insecure", url).out
        assert curl("--insecure", "--range", "2-4", url + "digits.txt").out == b"234"


def test_files_on_a_unix_socket(site, tmp_path):
    path = tmp_path / "s"
    with Listener("--echo", "--serve", site, address=f"unix:{path}") as server:
        result = curl("--unix-socket", path, "http://localhost/large.bin")
        assert result.out == (site / "large.bin").read_bytes()
        server.wait_for(r'Answered GET: 200, from a local socket, path "/large.bin", .*, 8.0 MiB out\n')


def test_serving_anything_but_a_directory_is_a_usage_error(site, tmp_path):
    for path, why in [(tmp_path / "none", "no such file"), (site / "app.js", "not a directory"), ("", "no such file")]:
        assert_fails(wsx("listen", "--serve", path, "0"), 2, "--serve", why, "directory")


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read every file")
def test_an_unreadable_file_gets_403(server, site):
    (site / "locked").write_bytes(SECRET)
    os.chmod(site / "locked", 0)
    try:
        assert ask(server, "/locked").status == 403
    finally:
        os.chmod(site / "locked", stat.S_IRUSR | stat.S_IWUSR)
        (site / "locked").unlink()
