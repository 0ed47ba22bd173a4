"""`wsx check` with servers and clients that are right, faulty, or of another kind."""

import itertools
import json
import signal
import socket
import xml.etree.ElementTree as ElementTree

import jsonschema
import pytest

import wire
from processes import (BINARY, PEERS, PEERS_PYTHON, ROOT, Listener, PeerServer, Running, assert_fails, run, wsx)
from scripted_server import ScriptedServer

SCHEMA = json.loads((ROOT / "docs/schemas/check.json").read_text())
FAULTY = PEERS / "faulty_peer.py"
# What takes long for a peer in Python.
QUICK = ["--exclude", "9.*", "--exclude", "12.*", "--exclude", "13.*", "--exclude", "S.*"]


def check(*arguments, **options):
    return wsx("check", *arguments, **{"timeout": 300, **options})


def cases(result):
    """The results by their ids."""
    document = json.loads(result.out)
    jsonschema.validate(document, SCHEMA)
    return {case["id"]: case for case in document["cases"]}


@pytest.fixture(scope="module")
def echo_server():
    with Listener("--echo") as server:
        yield server


# MARK: Servers

def assert_right(result):
    assert result.status == 0, result.out[-3000:]
    assert {case["verdict"] for case in cases(result).values()} <= {"passed", "informational"}


def test_the_echo_server_is_right(echo_server):
    assert_right(check(echo_server.url, "--json", *QUICK, "-c", "8", "--case-timeout", "60s"))
    # The first of each section of the longer ones; a heavy test plays all.
    longer = [f"{section}.{number}.1" for section, count in ((9, 8), (12, 5), (13, 7)) for number in range(1, count + 1)]
    assert_right(check(echo_server.url, "--json", *itertools.chain.from_iterable(("--case", id) for id in longer)))


@pytest.mark.heavy
def test_the_echo_server_is_right_in_all_cases(echo_server):
    result = check(echo_server.url, "--json", "--exclude", "S.*", "-c", "8")
    assert_right(result)
    assert len([id for id in cases(result) if id[0].isdigit()]) == 517


def test_the_echo_server_is_safe(echo_server):
    result = check(echo_server.url, "--case", "S.*", "-c", "1")
    assert result.status == 0, result.out[-3000:]


def test_the_built_in_server_is_checked():
    result = check("echo:", "--case", "1.*")
    assert (result.status, result.lines[-1]) == (0, "echo:: 16 cases, 16 passed, 0 failed")


def test_a_server_that_does_not_echo_is_checked_with_what_needs_no_echo():
    with Listener("--broadcast") as server:
        results = cases(check(server.url, "--json", *QUICK))
        assert_fails(check(server.url, "--case", "1.*"), 7, "nothing has been checked")
    assert results["1.1.1"]["reason"] == "the server does not echo messages"
    assert {case["verdict"] for id, case in results.items() if id.startswith("6.")} == {"passed", "skipped"}
    assert not [case for case in results.values() if case["verdict"] == "failed"]


def test_a_case_is_skipped_if_its_valid_form_fails():
    # It closes the connection after any message.
    with Listener("--echo", "--close-after", "1") as server:
        results = cases(check(server.url, "--json", "--case", "3.*", "--case", "6.6.*"))
    assert {case["verdict"] for case in results.values()} <= {"skipped", "passed"}
    assert results["3.1"]["reason"].startswith("the server does not accept the valid form of it")


def test_a_server_that_wants_a_login_refuses_without_it():
    with Listener("--echo", "--bearer", "secret") as server:
        assert_fails(check(server.url, "--case", "1.1.1"), 4, "refused the handshake with status 401", "login")
        assert check(server.url, "--case", "1.1.1", "--bearer", "secret").status == 0


def test_greetings_and_logins_belong_to_no_case():
    with Listener("--echo", "--first-message", "welcome") as server:
        assert check(server.url, "--case", "1.*").status == 0
        login = ["--first-message", "hi", "--ready", "^hi$"]
        assert check(server.url, "--case", "1.*", *login).status == 0
        assert_fails(check(server.url, "--ready", "never", "--case-timeout", "300ms"), 6, "--ready 'never'")


def test_a_server_that_is_not_there():
    assert_fails(check("ws://127.0.0.1:1/"), 3, "connection refused")


@pytest.mark.parametrize("arguments, words", [
    ([], ["URL", "--listen PORT"]),
    (["ws://h/", "--case", "99.*"], ["--case", "wsx check --list"]),
    (["--listen", "0", "ws://h/"], ["--listen", "leave out the URL"]),
    (["ws://h/", "--once"], ["--once", "--listen"]),
    (["ws://h/", "--autobahn", ROOT / "README.md"], ["--autobahn"]),
    (["ws://h/", "--case", "T.*"], ["add --http2"]),
    (["--explain", "99.1"], ["--explain 99.1", "wsx check --list"]),
    (["ws://h/", "--case", "1.1.1", "--case", "zzz.*"], ["--case 'zzz.*'"]),
    (["ws://h/", "--case-timeout", "0"], ["--case-timeout"]),
    (["ws://h/", "--case", "H.*", "--http2"], ["leave out --http2"]),
])
def test_mistakes_are_usage_errors(arguments, words):
    assert_fails(check(*arguments), 2, *words)


# MARK: Cases

def test_cases_are_listed_and_explained():
    lines = check("--list", "--case", "7.9.*").lines
    assert len(lines) == 9 and lines[0].startswith("7.9.1\t")
    text = check("--explain", "5.18").out.decode()
    assert "send text" in text and "RFC 6455 §5.4" in text


def test_a_file_has_own_cases(echo_server, tmp_path):
    path = tmp_path / "x.cases"
    path.write_text('section X Mine\n  rfc 6455 §5\n  why It matters.\n'
                    'case X.1 An echo\n  send text "a"\n  pass echo\ncase X.2 No echo\n  send text "a"\n  pass text "b"\n')
    result = check(echo_server.url, "--case-file", path)
    assert result.status == 7
    assert "failed X.2 No echo" in result.lines and "  It matters." in result.lines
    assert "  > text, 1 byte: a" in result.lines and "  < text, 1 byte: a" in result.lines
    path.write_text("section X Mine\ncase X.1 A\n  sned text\n")
    assert_fails(check(echo_server.url, "--case-file", path), 2, "x.cases: line 3: unknown line 'sned'")


def test_a_server_that_crashes_in_a_case_of_section_s_fails(tmp_path):
    path = tmp_path / "s.cases"
    path.write_text('section S Safety\n  rfc 6455 §10\n  why W.\ncase S.1 It ends\n  send text "crash"\n  pass any, ends\n')
    is_alive = True

    def script(peer):
        nonlocal is_alive
        if not is_alive:
            return
        peer.upgrade()
        while True:
            frame = peer.read_frame()
            if frame.payload == b"crash":
                is_alive = False
                return
            peer.send(wire.frame(wire.PONG if frame.opcode == wire.PING else frame.opcode, frame.payload))
            if frame.opcode == wire.CLOSE:
                return

    with ScriptedServer(script) as server:
        result = check(server.url, "--case-file", path)
    assert result.status == 7, result
    assert any("does not answer on a new connection" in line for line in result.lines), result


def test_a_server_that_answers_nothing_is_not_checked():
    with ScriptedServer(lambda peer: (peer.upgrade(), peer.sock.recv(1), list(iter(lambda: peer.sock.recv(9999), b"")))) as server:
        assert_fails(check(server.url, "--case-timeout", "300ms"), 4, "neither a ping nor a message")


def test_inputs_are_not_overwritten(echo_server, tmp_path):
    path = tmp_path / "x.cases"
    path.write_text('section X Mine\ncase X.1 A\n  send text "a"\n  pass echo\n')
    assert_fails(check(echo_server.url, "--case-file", path, "--junit", path), 2, "--junit", "--case-file reads the same file")
    assert path.read_text().startswith("section")


def test_bad_case_files_have_one_error(echo_server, tmp_path):
    path = tmp_path / "x.cases"
    for text, words in [
            ('case X.1 A\n  row\n  send text "$1"\n  pass echo\n', "$1"), ('case X.1 A\n  pass any\ncase X.1 A\n  pass any\n', "exists"),
            ('case X.1 A\n  send text 99999999999999*"a"\n  pass any\n', "line 3"),
            ('case X.1 A\n  send text "a" times=99999999999\n  pass any\n', "1000000"),
            ('control c\n  sync now\ncase X.1 A\n  pass any\n', "unexpected 'now'")]:
        path.write_text("section X Mine\n" + text)
        result = check(echo_server.url, "--case-file", path)
        if words == "$1":
            assert result.status in (0, 7)
        else:
            assert_fails(result, 2, words)


# MARK: Results

def test_results_show_no_secrets(echo_server, tmp_path):
    path = tmp_path / "x.cases"
    path.write_text('section X Mine\n  rfc 6455 §5\n  why W.\ncase X.1 A\n  send text "a"\n  pass text "b"\n')
    result = check(f"{echo_server.url}?token=s3cretquery", "--case-file", path, "--first-message", '{"token":"s3cretmessage"}',
                   "-H", "X-Token: s3cretfield")
    assert result.status == 7
    assert b"s3cret" not in result.out and "s3cret" not in result.err


def test_known_failures_are_tolerated(tmp_path):
    expected = tmp_path / "expected"
    with PeerServer([PEERS_PYTHON, FAULTY, "serve", "--fault", "fr-rsv2-ignored"]) as server:
        arguments = [server.url, "--case", "3.*"]
        result = check(*arguments)
        assert result.status == 7
        failed = [line.split()[1] for line in result.lines if line.startswith("failed ")]
        assert "3.2" in failed
        expected.write_text("\n".join(failed) + "  # known\n3.1\n")
        result = check(*arguments, "--expect", expected)
        assert result.status == 0
        assert "3.1 is expected to fail, but is passed" in result.lines


def test_results_in_files(echo_server, tmp_path):
    result = check(echo_server.url, "--case", "2.*", "--agent", "lib/1.0", "--junit", tmp_path / "j.xml",
                   "--autobahn", tmp_path / "reports/servers")
    assert result.status == 0
    suite = ElementTree.parse(tmp_path / "j.xml").getroot()[0]
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("lib/1.0", "11", "0")
    index = json.loads((tmp_path / "reports/servers/index.json").read_text())
    assert index["lib/1.0"]["2.1"]["behavior"] == "OK" and index["lib/1.0"]["2.1"]["behaviorClose"] == "OK"
    report = json.loads((tmp_path / "reports/servers" / index["lib/1.0"]["2.1"]["reportfile"]).read_text())
    assert (report["id"], report["behavior"]) == ("2.1", "OK")


def test_a_configuration_of_the_old_suite_runs(echo_server, tmp_path):
    path = tmp_path / "fuzzingclient.json"
    servers = [{"agent": name, "url": echo_server.url, "options": {"version": 18}} for name in ("one", "two")]
    path.write_text(json.dumps({
        "outdir": str(tmp_path / "reports"), "servers": servers, "cases": ["1.*", "2.*", "H.*"],
        "exclude-cases": ["1.2.*"], "exclude-agent-cases": {"tw*": ["2.*"]}}))
    result = check("--spec", path, "--exclude", "H.*")
    assert result.status == 0, result
    assert [line for line in result.lines if ": " in line] == [
        "one: 19 cases, 19 passed, 0 failed", "two: 8 cases, 8 passed, 0 failed"]
    index = json.loads((tmp_path / "reports/index.json").read_text())
    assert {agent: len(cases) for agent, cases in index.items()} == {"one": 19, "two": 8}
    # One that cannot be reached does not hide the results of the others.
    path.write_text(json.dumps({
        "servers": [{"url": "ws://127.0.0.1:1"}, {"url": echo_server.url}], "cases": ["1.1.1"]}))
    result = check("--spec", path)
    assert result.status == 3 and f"{echo_server.url}: 1 case, 1 passed, 0 failed" in result.lines


def test_a_configuration_of_the_old_suite_checks_clients(tmp_path):
    path = tmp_path / "fuzzingserver.json"
    path.write_text(json.dumps({"url": "ws://127.0.0.1:0", "outdir": str(tmp_path / "reports")}))
    with Running([BINARY, "check", "--spec", path, "--once", "--case", "1.1.*"]) as checking:
        url = checking.wait_for(r"on (ws://\S+)\n").group(1).decode()
        assert run([PEERS_PYTHON, FAULTY, "run", url, "--agent", "right"]).status == 0
        assert checking.wait() == 0
    assert len(json.loads((tmp_path / "reports/index.json").read_text())["right"]) == 8


@pytest.mark.parametrize("text, words", [
    ("[]", "not a JSON object"), ("{", "incomplete"), ("{}", "neither servers nor the url"),
    ('{"servers": [{"agent": "x"}]}', "no url"), ('{"url": "ws://h:99999"}', "--listen"),
])
def test_configurations_that_are_wrong(tmp_path, text, words):
    path = tmp_path / "spec.json"
    path.write_text(text)
    assert_fails(check("--spec", path), 2, words)
    if text == "{}":
        assert_fails(check("--spec", path, "ws://h/"), 2, "leave out the URL")


def test_the_run_ends_at_its_time_limit():
    with Listener("--echo") as server:
        assert check(server.url, "--timeout", "1ms").status == 6


# MARK: Clients

class Checking(Running):
    """`wsx check --listen`, with its URL."""

    def __init__(self, *arguments):
        super().__init__([BINARY, "check", "--listen", "0", *arguments])
        self.url = self.wait_for(r"on (ws://\S+)\n").group(1).decode()


def test_clients_fetch_their_cases(tmp_path):
    with Checking("--once", "--case", "1.*", "--case", "5.*", "--autobahn", tmp_path) as checking:
        client = run([PEERS_PYTHON, FAULTY, "run", checking.url, "--agent", "right"])
        assert client.status == 0, client.err
        assert checking.wait() == 0
    assert set(json.loads((tmp_path / "index.json").read_text())) == {"right"}


def test_a_case_that_is_played_at_the_end_has_a_result():
    with Checking("--once", "--json", "--case", "1.1.1") as checking:
        port = int(checking.url.rsplit(":", 1)[1].rstrip("/"))
        with socket.create_connection(("127.0.0.1", port), 30) as silent:
            silent.sendall(wire.upgrade_request(port, "/runCase?case=1&agent=silent"))
            wire.Stream(silent).read_head()
            assert wsx("connect", "--linger", "0", f"{checking.url.rstrip('/')}/updateReports?agent=silent").status == 0
            assert checking.wait() == 7
    assert json.loads(checking.out)["cases"][0]["verdict"] == "failed"


def test_cases_that_a_client_leaves_out_fail():
    with Checking("--once", "--case", "1.1.*") as checking:
        url = checking.url.rstrip("/")
        wsx("connect", "--linger", "0", f"{url}/runCase?case=1&agent=lazy")
        wsx("connect", "--linger", "0", f"{url}/updateReports?agent=lazy")
        assert checking.wait() == 7
    assert b"has not asked for this case" in checking.out


def test_a_faulty_client_fails():
    with Checking("--once", "--case", "2.1", "--case", "2.2", "--case-timeout", "1s") as checking:
        run([PEERS_PYTHON, FAULTY, "run", checking.url, "--fault", "fr-pong-empty"])
        assert checking.wait() == 7


def test_without_clients_nothing_has_been_checked():
    with Checking() as checking:
        checking.signal(signal.SIGINT)
        assert checking.wait() == 7


# MARK: Faults

# One of each kind; Tests/Heavy has all.
SAMPLE = [
    ("hs-accept-wrong", "H.*"), ("fr-rsv1-ignored", "3.*"), ("fr-pong-empty", "2.2"), ("utf8-unchecked", "6.3.1"),
    ("cl-code-999", "7.*"), ("fr-send-text-as-binary", "1.*"), ("fr-send-rsv2", "1.*"), ("pmd-garbage", "D.*"),
]


@pytest.mark.parametrize("fault, glob", SAMPLE)
def test_faults_are_found(fault, glob):
    with PeerServer([PEERS_PYTHON, FAULTY, "serve", "--fault", fault]) as server:
        assert check(server.url, "--case", glob, "--case-timeout", "1s").status == 7
