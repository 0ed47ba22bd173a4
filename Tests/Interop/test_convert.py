"""`wsx convert` between recordings and HAR files. The files in har/ have the forms that their programs write."""

import base64
import json
import pathlib
import random
import re
import resource
import signal
import stat

import jsonschema
import pytest

from browser import Page
from processes import BINARY, Listener, Relay, Running, assert_fails, memory_limit, shell, wsx

HAR = pathlib.Path(__file__).parent / "har"
SCHEMA = json.loads((HAR / "schema.json").read_text())


def convert(*arguments, **options):
    result = wsx("convert", *arguments, **options)
    assert result.status == 0, result.err
    return result


def events_of(source, *arguments):
    """The events of the recording of a HAR file."""
    return [json.loads(line) for line in convert(*arguments, source, "-").lines]


def har_of(recording, *arguments):
    """The entries of the HAR file of a recording."""
    har = json.loads(convert(*arguments, recording, "-").out)
    jsonschema.validate(har, SCHEMA)
    return har["log"]["entries"]


def brief(events):
    return [(event["direction"], event["opcode"], event.get("data", event.get("base64")), event["time"][11:])
            for event in events if event["type"] == "message"]


def write_har(path, *entries):
    path.write_text(json.dumps({"log": {"version": "1.2", "creator": {}, "entries": entries}}))
    return path


def websocket_entry(*messages, url="ws://h.example/"):
    return {"_resourceType": "websocket", "_webSocketMessages": messages, "startedDateTime": "2026-01-01T00:00:00Z",
            "request": {"url": url}, "response": {"status": 101, "headers": []}}


def message(kind, data, time=1767225600.5, opcode=1):
    return {"type": kind, "time": time, "opcode": opcode, "data": data}


# MARK: HAR to recording


def test_a_connection_of_chromium_becomes_a_recording_without_secrets():
    result = convert(HAR / "chromium.har", "-")
    assert "1 control frame or error" in result.err
    events = [json.loads(line) for line in result.lines]
    # The request began at 250 ms, and the handshake took 41 ms.
    assert events[0] == {"type": "recording", "time": "2026-03-04T09:30:00.291000Z"}
    opened = events[1]
    assert opened["timings"] == {"upgrade_us": 41_000, "total_us": 41_000}
    assert opened["request_headers"]["authorization"] == ["•••"]
    assert (opened["type"], opened["url"]) == ("open", "wss://chat.example/room?access_token=•••&v=2")
    assert (opened["status"], opened["subprotocol"]) == (101, "chat.v2")
    assert opened["headers"]["set-cookie"] == ["•••"]
    assert opened["headers"]["upgrade"] == ["websocket"]
    assert brief(events) == [
        ("out", "text", '{"op":"join","room":"tea"}', "09:30:00.301234Z"),
        ("in", "text", '{"op":"joined","members":2}', "09:30:00.352000Z"),
        ("out", "binary", "AAEC/w==", "09:30:01.500000Z"), ("in", "binary", "/wAH", "09:30:01.750001Z"),
        ("in", "text", "grüße, 世界", "09:30:01.760000Z")]
    for secret in [b"q1w2e3r4t5", b"1f2e3d4c5b6a", b"r4nd0mt0k3n"]:
        assert secret not in result.out


def test_playwright_writes_milliseconds_and_may_omit_times(tmp_path):
    events = events_of(HAR / "playwright.har")
    assert events[1]["extensions"] == "permessage-deflate"
    assert brief(events) == [
        ("out", "text", "subscribe EUR", "10:00:00.600000Z"), ("in", "text", "EUR 1.0812", "10:00:01.100500Z"),
        ("in", "binary", "\x01\x02", "10:00:02.100000Z")]
    path = write_har(tmp_path / "a.har", websocket_entry(message("send", "a", -1), message("receive", "b", -1)))
    assert [time for *_, time in brief(events_of(path))] == ["00:00:00.000000Z"] * 2


def test_the_connection_is_chosen_if_there_are_several(tmp_path):
    path, output = HAR / "mitmproxy.har", tmp_path / "out.jsonl"
    lines = ["1: wss://api.example/live, status 101, 1 sent, 1 received, 50 ms",
             "2: ws://api.example/plain, status 101, 0 sent, 0 received"]
    result = wsx("convert", path, output)
    assert result.status == 2
    assert result.error_lines[0].endswith("2 WebSocket connections; choose one with --connection N:")
    assert result.error_lines[1:] == ["  " + line for line in lines]
    assert not output.exists()
    assert convert("--list", path).lines == lines
    assert [data for _, _, data, _ in brief(events_of(path, "--connection", "1"))] == ["ping?", "pong!"]
    assert [event["type"] for event in events_of(path, "--connection", "2")] == ["recording", "open"]
    assert_fails(wsx("convert", "--connection", "3", path, output), 2, "--connection 3", "only 2 WebSocket connections")


def test_an_error_shows_a_few_of_many_connections(tmp_path):
    path = write_har(tmp_path / "a.har", *[websocket_entry(url=f"ws://h/{number}") for number in range(1, 31)])
    lines = wsx("convert", path, "-").error_lines
    assert "30 WebSocket connections" in lines[0]
    assert lines[20].startswith("  20: ws://h/20,")
    assert lines[21:] == ["  … (10 more; --list shows all)"]


def test_files_of_firefox_have_no_messages():
    assert convert("--list", HAR / "firefox.har").lines == ["1: wss://chat.example/room, status 101, no messages"]
    assert_fails(wsx("convert", HAR / "firefox.har", "-"), 2, "lacks its messages", "Firefox")


# Exported by the network panel of Chromium 156; hosts are replaced. The connections as `--list` shows them, and the number
# of error messages that become nothing.
CHROMIUM_FILES = {
    # Over HTTP/2, the status is 200, and the version wrong.
    "chromium-http2.har": (0, [
        "1: wss://prices.example/feed?symbols=EUR,USD, status 200, 4 sent, 4 received, 41 ms",
        "2: wss://prices.example/feed?token=•••, status 200, 2 sent, 1 received, 9 ms"]),
    # The server rejected the first connection with 503, which its entry does not tell.
    "chromium-errors.har": (1, [
        "1: ws://live.example/live, status unknown, 0 sent, 0 received, 0 ms",
        "2: ws://live.example/live, status 101, 3 sent, 3 received, 28 ms"]),
    # "Export HAR (sanitized)", graphql-transport-ws.
    "chromium-sanitized.har": (0, [
        "1: ws://graph.example/, status 101, 3 sent, 7 received, 247 ms",
        "2: ws://graph.example/, status 101, 1 sent, 0 received, 0 ms"]),
    # An upgrade after polling, with binary attachments.
    "chromium-socketio.har": (0, [
        "1: ws://chat.example/socket.io/?EIO=4&transport=websocket&sid=•••, status 101, 6 sent, 7 received, 46 ms"]),
}


@pytest.mark.parametrize("name", CHROMIUM_FILES)
def test_files_of_chromium_are_listed_and_converted_without_losses_and_secrets(name, tmp_path):
    errors, lines = CHROMIUM_FILES[name]
    assert convert("--list", HAR / name).lines == lines
    entries = [entry for entry in json.loads((HAR / name).read_text())["log"]["entries"]
               if entry["_resourceType"] == "websocket"]
    assert len(entries) == len(lines)
    output = b""
    for number, entry in enumerate(entries, 1):
        recording = tmp_path / f"{number}.jsonl"
        convert("--connection", str(number), HAR / name, recording, "-q")
        messages = [event for event in events_of(HAR / name, "--connection", str(number)) if event["type"] == "message"]
        assert [
            ("send" if event["direction"] == "out" else "receive", event.get("data", event.get("base64")))
            for event in messages
        ] == [
            (m["type"], base64.b64decode(m["data"]).decode() if m["opcode"] == 2 and is_text(m["data"]) else m["data"])
            for m in entry["_webSocketMessages"] if m["opcode"] >= 0]
        entry, = har_of(recording, "-q")
        assert len(entry["_webSocketMessages"]) == len(messages)
        output += recording.read_bytes()
    result = convert(HAR / name, tmp_path / "page.html")
    assert ("error" in result.err) == (errors > 0)
    for secret in [b"0123456789abcdef", b"a1b2c3d4", b"sid=f_g-8"]:
        assert secret not in output + (tmp_path / "page.html").read_bytes()


def is_text(data):
    """Whether Base64 encodes UTF-8 text, which a recording of a binary message contains as it is."""
    try:
        return bool(base64.b64decode(data).decode())
    except UnicodeDecodeError:
        return False


def test_the_files_and_commands_of_others_contain_no_personal_data():
    """Hosts are reserved names (RFC 2606) or addresses (RFC 5737, loopback), and there is no mail address and no path."""
    files = [path for path in HAR.glob("*.har")] + [HAR.parent / "curl_commands.txt"]
    commands = (HAR.parent / "curl_commands.txt").read_text().count("\n\n# ")
    assert len(files) - 1 + commands >= 20
    for path in files:
        text = path.read_text()
        for host in re.findall(r"\b(?:wss?|https?)://([^/:?'\"\s\\]+)", text):
            assert re.search(r"(^|\.)example(\.com)?$|^localhost$|\.local$|^127\.0\.0\.1$|^10\.0\.0\.1$", host), (path, host)
        for address in re.findall(r'"serverIPAddress": "([^"]+)"', text):
            assert address.startswith(("203.0.113.", "192.0.2.", "198.51.100.", "127.")), (path, address)
        assert not re.search(r"[\w.]+@[\w-]+\.[a-z]{2,}|/home/|/Users/", text), path


@pytest.fixture
def recording(tmp_path):
    convert(HAR / "chromium.har", tmp_path / "session.jsonl", "-q")
    return tmp_path / "session.jsonl"


def test_the_recording_can_be_replayed_by_a_server(recording):
    with Listener("--replay", recording) as server:
        result = wsx("connect", "-n", "1", server.url, '{"op":"join","room":"tea"}')
    assert (result.status, result.lines) == (0, ['{"op":"joined","members":2}'])


def test_the_recording_is_a_scenario_for_both_sides(recording):
    with Listener("--scenario", recording, "--once") as server:
        result = wsx("connect", "--scenario", recording, server.url)
        assert (result.status, result.err) == (0, "")
        assert server.wait() == 0


def test_the_recording_can_be_sent(recording, tmp_path):
    result = wsx("connect", "--input", "json", "--output", "hex", "--linger", "5s", "-n", "2", "echo:",
                 stdin=recording.read_bytes())
    assert (result.status, result.lines) == (0, [b'{"op":"join","room":"tea"}'.hex(), "000102ff"])


# MARK: Recording to HAR


def test_a_session_becomes_a_har_file_and_a_recording_again(tmp_path):
    path, har = tmp_path / "session.jsonl", tmp_path / "session.har"
    with Listener("--echo") as server:
        url = server.url + "chat?token=s3cr3t-value&x=1"
        assert wsx("connect", "--record", path, "--input", "json", "-n", "2", url, stdin=(
            b'{"type":"message","data":"gr\\u00fc\\u0007"}\n{"type":"ping","data":"p"}\n'
            b'{"type":"message","base64":"AP8="}\n')).status == 0
    result = convert(path, har)
    assert result.error_lines == [
        "HAR has no control frames; omitted: 2 pings and pongs, close code 1000."]
    assert stat.S_IMODE(har.stat().st_mode) == 0o600
    entry, = har_of(path)
    assert entry["request"]["url"].endswith("chat?token=•••&x=1")
    assert {"name": "x", "value": "1"} in entry["request"]["queryString"]
    assert (entry["response"]["status"], entry["serverIPAddress"]) == (101, "127.0.0.1")
    assert {"name": "upgrade", "value": "websocket"} in entry["response"]["headers"]
    assert [(m["type"], m["opcode"], m["data"]) for m in entry["_webSocketMessages"]] == [
        ("send", 1, "grü\x07"), ("send", 2, "AP8="), ("receive", 1, "grü\x07"), ("receive", 2, "AP8=")]
    assert entry["time"] == pytest.approx(sum(
        max(0, value) for name, value in entry["timings"].items() if name != "ssl"), abs=0.01)

    before = [json.loads(line) for line in path.read_text().splitlines()]
    assert brief(events_of(har)) == brief(before)


@pytest.mark.parametrize("command", ["listen", "relay"])
def test_each_client_of_a_server_becomes_an_entry(command, tmp_path):
    path = tmp_path / "session.jsonl"
    with Listener("--echo") as upstream:
        server = Listener("--echo", "--record", path) if command == "listen" else Relay(
            upstream.url, "--record", path)
        with server:
            for number in range(3):
                assert wsx("connect", "-n", "1", server.url, f"from {number}").status == 0
            server.stop()
    entries = har_of(path, "-q")
    assert [[(m["type"], m["data"]) for m in entry["_webSocketMessages"]] for entry in entries] == [
        [("send", f"from {number}"), ("receive", f"from {number}")] for number in range(3)]
    assert len(convert("--list", path).lines) == 3
    assert har_of(path, "--connection", "2") == entries[1:2]


def test_interleaved_clients_and_messages_to_all_are_separated(tmp_path):
    path = tmp_path / "session.jsonl"
    time = "2026-01-01T00:00:0{}.000000Z"
    events = [{"type": "recording"}, {"type": "open", "url": "ws://h/", "client": 1},
              {"type": "open", "url": "ws://h/", "client": 2},
              {"type": "message", "direction": "in", "data": "one", "client": 1},
              {"type": "message", "direction": "in", "data": "two", "client": 2},
              {"type": "message", "direction": "out", "data": "all"},
              {"type": "message", "direction": "out", "data": "only one", "client": 1}]
    path.write_text("\n".join(json.dumps(event | {"time": time.format(n)}) for n, event in enumerate(events)))
    assert [[(m["type"], m["data"]) for m in entry["_webSocketMessages"]] for entry in har_of(path)] == [
        [("send", "one"), ("receive", "all"), ("receive", "only one")], [("send", "two"), ("receive", "all")]]


def test_a_recording_without_its_beginning_and_secrets_of_others_are_converted(tmp_path):
    path = tmp_path / "session.jsonl"
    path.write_text('{"type":"message","direction":"in","data":"x"}\n')
    assert har_of(path)[0]["request"]["url"] == "ws://unknown.invalid/"
    path.write_text(json.dumps({
        "type": "open", "url": "wss://me:pa55word@h/?sig=0123456789", "status": 200, "address": "[::1]:443",
        "headers": {"set-cookie": ["session=abcdefgh"], "bad name": ["x"]}, "timings": {"tls_us": "x"}}))
    result = convert(path, "-")
    for secret in [b"pa55word", b"0123456789", b"abcdefgh"]:
        assert secret not in result.out
    entry, = har_of(path)
    assert (entry["response"]["status"], entry["response"]["statusText"]) == (200, "OK")
    assert entry["serverIPAddress"] == "::1"


IMPORT = """(async har => {
    const {HARFormat, Importer} = await import("/devtools/models/har/har.js");
    const requests = Importer.Importer.requestsFromHARLog(new HARFormat.HARRoot(har).log);
    return requests.map(request => ({
        url: request.url(), type: request.resourceType().name(), status: request.statusCode,
        headers: request.responseHeaders.map(field => [field.name, field.value]), seconds: request.endTime - request.issueTime(),
        frames: request.frames().map(frame => [frame.type, frame.time, frame.opCode, frame.text])}));
})(%s)"""


def test_the_network_panel_of_chromium_imports_the_file(browser, recording):
    har = convert(recording, "-").out.decode()
    with Page(browser) as page:
        # The developer tools are part of the browser.
        page.open(re.sub(r"^ws(://[^/]+)/.*", r"http\1/devtools/inspector.html", browser.url))
        request, = page.evaluate(IMPORT % har)
    assert request["url"].startswith("wss://chat.example/room?access_token=")
    assert (request["type"], request["status"]) == ("websocket", 101)
    assert ["upgrade", "websocket"] in request["headers"]
    assert request["seconds"] == pytest.approx(1.51, abs=0.001)
    assert request["frames"] == [
        [m["type"], m["time"], m["opcode"], m["data"]]
        for m in json.loads(har)["log"]["entries"][0]["_webSocketMessages"]]
    assert len(request["frames"]) == 5


# MARK: Files


def test_standard_input_and_output_are_files_or_pipes(tmp_path):
    expected = convert(HAR / "playwright.har", "-").out
    assert convert("-", "-", stdin=(HAR / "playwright.har").read_bytes()).out == expected
    with open(HAR / "playwright.har", "rb") as file:
        with Running([BINARY, "convert", "-", "-"], stdin=file) as run:
            assert run.wait() == 0
            assert run.out == expected


def test_output_that_cannot_be_written_is_an_error(tmp_path):
    with open("/dev/full", "wb") as full:
        with Running([BINARY, "convert", HAR / "chromium.har", "-"], stdout=full) as run:
            assert run.wait() == 1
            assert "writing standard output: no space left on device" in run.err
    # A reader that closes the pipe is a normal end.
    result = shell('"$WSX" convert -q "$1" - | true; echo ${PIPESTATUS[0]}', HAR / "chromium.har")
    assert (result.lines, result.err) == (["0"], "")


@pytest.mark.parametrize("extension, least", [("har", 0.9), ("html", 0.6)])
def test_a_file_for_which_there_is_no_space_keeps_the_messages_that_fit(tmp_path, extension, least):
    limit = 1_000_000
    events = [f'{{"type":"message","direction":"in","kind":"text","data":"{number:06d} {"x" * 990}"}}'
              for number in range(2000)]
    path, output = tmp_path / "session.jsonl", tmp_path / f"session.{extension}"
    path.write_text("\n".join(['{"type":"open","url":"ws://h/"}', *events]) + "\n")

    def limited():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    result = wsx("convert", path, output, preexec_fn=limited)
    assert_fails(result, 1, f"writing {output}: file too large; the file has the messages that fit")
    text = output.read_text()
    if extension == "har":
        entry, = json.loads(text)["log"]["entries"]
        texts = [message["data"] for message in entry["_webSocketMessages"]]
    else:
        assert text.rstrip().endswith("</html>")
        texts = [event[4] for chunk in re.findall(r'<script type="application/json" class="events">(.*?)</script>', text, re.S)
                 for event in json.loads(chunk) if event[1] == "in text"]
    assert limit * least < len(text) <= limit
    assert [int(text[:6]) for text in texts] == list(range(len(texts))) and len(texts) > 500
    assert [entry.name for entry in tmp_path.iterdir() if entry not in (path, output)] == []


def test_a_session_that_is_longer_than_the_space_for_it_keeps_its_beginning(tmp_path):
    limit, output = 300_000, tmp_path / "session.har"

    def limited():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    messages = b"".join(b"%06d %s\n" % (number, b"x" * 990) for number in range(1000))
    result = wsx("connect", "--record", output, "echo:", stdin=messages, preexec_fn=limited)
    assert result.status == 1 and f"recording to {output}: file too large" in result.err
    entry, = json.loads(output.read_text())["log"]["entries"]
    assert len(entry["_webSocketMessages"]) > 200


def test_the_output_never_replaces_a_file(tmp_path):
    path = tmp_path / "old.jsonl"
    path.write_text("old")
    assert_fails(wsx("convert", HAR / "chromium.har", path), 2, "old.jsonl", "file already exists")
    assert path.read_text() == "old"
    link = tmp_path / "link.jsonl"
    link.symlink_to(tmp_path / "missing")
    assert_fails(wsx("convert", HAR / "chromium.har", link), 2, "file already exists")


@pytest.mark.parametrize("output, words", [
    ("out.json", ["extension names no format"]), ("out", ["extension names no format"]),
    (".har", ["a HAR file already"]), ("out.har", ["a HAR file already"]), ("missing/out.jsonl", ["no such file"])])
def test_the_output_has_the_other_format(output, words, tmp_path):
    assert_fails(wsx("convert", HAR / "chromium.har", tmp_path / output), 2, *words)
    assert list(tmp_path.iterdir()) == []


def test_an_output_is_needed_except_for_a_list():
    assert_fails(wsx("convert", "--list", HAR / "chromium.har", "-"), 2, "--list writes no file")
    assert_fails(wsx("convert", HAR / "chromium.har"), 2, "OUT")
    result = wsx("convert")
    assert_fails(result, 2, "needs IN")
    assert "try 'wsx convert session.har'" not in result.err


BAD_MESSAGES = {
    "wrong type": (message("sent", "x"), "message 2: its 'type' is not 'send' or 'receive'"),
    "no data": ({"type": "send"}, "message 2: its 'data' is not a string"),
    "negative time": (message("send", "x", -5), "message 2: its 'time' is not a time"),
    "huge time": (message("send", "x", 1e300), "message 2: its 'time' is not a time"),
    "Base64": (message("send", "A*==", opcode=2), "message 2: its 'data' is not Base64: byte 2"),
    "surrogate": (message("send", "\ud800"), "message 2: its 'data' contains half of a surrogate pair"),
}


@pytest.mark.parametrize("name", BAD_MESSAGES)
def test_an_invalid_message_is_an_error_and_leaves_no_file(name, tmp_path):
    bad, words = BAD_MESSAGES[name]
    path, output = write_har(tmp_path / "a.har", websocket_entry(message("send", "good"), bad)), tmp_path / "a.jsonl"
    assert_fails(wsx("convert", path, output), 2, "a.har", words)
    assert [file.name for file in tmp_path.iterdir()] == ["a.har"]


BAD_FILES = {
    "empty": (b"", "it is empty"),
    "blank": (b"\n \n", "the text is incomplete"),
    "no JSON": (b"GET / HTTP/1.1\r\n", "neither a HAR file nor a recording"),
    "UTF-16": ("{}".encode("utf-16"), "neither a HAR file nor a recording"),
    "bad JSON": (b'{"log":{"entries":[{]', "it is not valid JSON: unexpected character at byte 21"),
    "array": (b"[]", "neither a HAR file nor a recording"),
    "other object": (b'{"a":1}', "neither a HAR file nor a recording"),
    "no entries": (b'{"log":{}}', "it has no 'log' with 'entries'"),
    "no WebSocket": (b'{"log":{"entries":[{"request":{"url":"http://h/"}}]}}', "no WebSocket connection"),
    "cut": ((HAR / "chromium.har").read_bytes()[:3000], "the text is incomplete"),
    "nesting": (b'{"log":{"entries":[{"a":' + b"[" * 600, "levels of nesting"),
    "bad event": (b'{"type":"recording"}\n{"type":"message","direction":"in"}\n', "line 2: it has neither"),
    "cut event": (b'{"type":"recording"}\n{"type":"mess', "line 2: it is not valid JSON"),
    "no connection": (b'{"type":"recording"}\n', "it contains no connection"),
}


@pytest.mark.parametrize("is_piped", [False, True])
def test_an_invalid_file_is_an_error(is_piped, tmp_path):
    for contents, words in BAD_FILES.values():
        path = tmp_path / "bad"
        path.write_bytes(contents)
        result = wsx("convert", "-" if is_piped else path, "-", stdin=contents if is_piped else b"")
        assert (result.status, result.out) == (2, b""), words
        assert len(result.error_lines) == 1, result.err
        # The beginning of a pipe is examined before it is copied.
        assert words in result.err or is_piped and "neither a HAR file nor a recording" in result.err


def test_an_endless_input_is_recognized():
    with Running([BINARY, "convert", "/dev/zero", "-"]) as run:
        assert run.wait() == 2
        assert "neither a HAR file nor a recording" in run.err


def test_a_peer_cannot_control_the_terminal(tmp_path):
    path = write_har(tmp_path / "a.har", websocket_entry(url="ws://h/\x1b[2J"), websocket_entry(url="ws://h/\x9b2J"))
    for result in [wsx("convert", path, "-"), wsx("convert", "--list", path)]:
        assert not re.search("[\x1b\x9b]", result.err + result.out.decode())
        assert "ws://h/" in result.err + result.out.decode()


# MARK: Size


def write_large_har(path, megabytes):
    """Writes a page with a body that fills most of the file, and a connection with many messages."""
    body = base64.b64encode(random.randbytes(750_000)).decode()
    page = json.dumps({"request": {"url": "https://h.example/", "postData": {"text": body}}, "response": {
        "status": 200, "headers": [], "content": {"text": body, "encoding": "base64"}}})
    with open(path, "w") as file:
        file.write('{"log":{"version":"1.2","entries":[')
        for _ in range(megabytes * 3 // 8):
            file.write(page + ",\n")
        head = json.dumps(websocket_entry(message("send", "x"))).split("]", 1)
        file.write(head[0])
        text = json.dumps(message("receive", "y" * 1000))
        for _ in range(megabytes * 250):
            file.write("," + text)
        file.write("]" + head[1] + "]}}")


def private_bytes(pid):
    with open(f"/proc/{pid}/status") as status:
        match = re.search(r"RssAnon:\s+(\d+) kB", status.read())
        return int(match.group(1)) << 10 if match else 0


def peak_private_bytes(arguments):
    """The peak of the private memory of a run that pauses whenever its output is not read."""
    peak = 0
    with Running(arguments) as run:
        while run.process.poll() is None:
            try:
                peak = max(peak, private_bytes(run.pid))
            except (FileNotFoundError, ProcessLookupError):
                break
        assert run.wait(300) == 0, run.err
    assert peak > 0
    return peak


def check_memory(megabytes, limit, tmp_path):
    har, recording = tmp_path / "large.har", tmp_path / "large.jsonl"
    write_large_har(har, megabytes)
    assert har.stat().st_size > megabytes * 1_000_000
    assert peak_private_bytes([BINARY, "convert", har, recording]) < memory_limit(limit)
    assert recording.stat().st_size > megabytes * 250_000
    assert peak_private_bytes([BINARY, "convert", recording, tmp_path / "again.har"]) < memory_limit(limit)


def test_a_large_file_is_not_kept_in_memory(tmp_path):
    check_memory(24, 16 << 20, tmp_path)


@pytest.mark.heavy
def test_a_file_of_100_megabytes_is_converted_in_64_megabytes(tmp_path):
    check_memory(100, 64 << 20, tmp_path)
