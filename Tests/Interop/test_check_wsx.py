"""`wsx check` with wsx itself in all roles, over HTTP/1.1, TLS, and HTTP/2. `make conformance` compares it with another suite."""

import concurrent.futures
import itertools
import json
import pathlib
import signal

import pytest

from processes import BINARY, Listener, Relay, Running, run, wsx

# The client of WSCore, which `make test` builds; see Tests/Conformance.
CLIENT = pathlib.Path(BINARY).with_name("AutobahnClient")
# Over HTTP/1.1 without TLS, a heavy test of test_check.py plays them with the server.
WITHOUT_SPEED = ["--exclude", "9.*", "--exclude", "12.*", "--exclude", "13.*"]
# For busy machines. Some cases of HTTP/2 always take that long.
PATIENT = ["--case-timeout", "60s"]
SERVERS = {
    "tls": (["--tls-self-signed"], ["--insecure", *PATIENT]), "http2": (["--http2"], ["--http2"]),
    "http2-tls": (["--http2", "--tls-self-signed"], ["--http2", "--insecure"])}


def failed(result):
    """The cases that neither pass nor leave the peer a choice, as lines."""
    documents = [json.loads(line) for line in result.lines]
    return [f"{case['id']}: {case['verdict']}: {case.get('reason')}" for document in documents
            for case in document["cases"] if case["verdict"] not in ("passed", "informational")]


@pytest.mark.parametrize("way", SERVERS)
def test_the_echo_server_is_right(way):
    options, arguments = SERVERS[way]
    with Listener("--echo", *options) as server:
        result = wsx("check", server.url, "--json", *arguments, *WITHOUT_SPEED, "--exclude", "H.*", timeout=300)
    assert (result.status, failed(result)) == (0, []), result


@pytest.mark.parametrize("way", ["plain", *SERVERS])
def test_the_relay_is_right(way):
    options, arguments = SERVERS.get(way, ([], PATIENT))
    with Listener("--echo") as server, Relay(server.url, *options) as relay:
        result = wsx("check", relay.url, "--json", *arguments, *WITHOUT_SPEED, "--exclude", "H.*", timeout=300)
    # It ends a client that violates the protocol before the server's reply to an earlier message can return.
    assert result.status == 0, result
    assert not [line for line in failed(result) if ": non-strict: " not in line]


class Checking(Running):
    """`wsx check --listen`, with its port."""

    def __init__(self, *arguments):
        super().__init__([BINARY, "check", "--listen", "0", "--json", *arguments])
        self.port = int(self.wait_for(r"://127\.0\.0\.1:(\d+)").group(1))

    def verdicts(self):
        """The verdicts of the cases by their ids, after the end."""
        (line,) = self.out.splitlines()
        return {case["id"]: case["verdict"] for case in json.loads(line)["cases"]}


@pytest.mark.parametrize("version", ["http1", "http2"])
def test_the_client_is_right(version):
    if not CLIENT.exists():
        pytest.skip("the client is built by 'make test' and 'make conformance'")
    options = ["--http2"] if version == "http2" else []
    more = ["--case", "*", "--exclude", "H.*", "--exclude", "S.*"] if options else []
    with Checking("--once", *options, *WITHOUT_SPEED, *more) as checking:
        assert run([CLIENT, *options, f"ws://127.0.0.1:{checking.port}", "client"], timeout=300).status == 0
        assert checking.wait() == 0, checking.out
    verdicts = checking.verdicts()
    assert set(verdicts.values()) <= {"passed", "informational"}, verdicts
    assert any(id.startswith("T.") for id in verdicts) == bool(options)


def test_the_program_of_a_client_answers_what_it_should():
    """`wsx connect --exec-json` with a program that echoes, once for each case."""
    program = ["jq", "-c", "--unbuffered", 'select(.type == "message") | {type, opcode, data, base64} | del(..|nulls)']
    sections = itertools.chain.from_iterable(["--case", f"{section}.*"] for section in range(1, 8))
    with Checking(*sections) as checking:
        url = f"ws://127.0.0.1:{checking.port}"
        count = int(wsx("connect", "-1", f"{url}/getCaseCount").out)

        def play(number):
            return wsx("connect", f"{url}/runCase?case={number}&agent=program", "--exec", "--exec-json", "--", *program)

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            results = list(pool.map(play, range(1, count + 1)))
        assert all(result.status in (0, 1, 5) for result in results), results
        checking.signal(signal.SIGTERM)
        assert checking.wait() == 0, checking.out
    verdicts = checking.verdicts()
    assert len(verdicts) == count
    # A violation ends the connection before the program's reply to an earlier message can leave.
    assert set(verdicts.values()) <= {"passed", "informational", "non-strict"}, verdicts
