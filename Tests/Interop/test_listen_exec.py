"""`wsx listen --exec` runs a program for each client."""

import asyncio
import base64
import contextlib
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import signal
import socket
import struct
import threading
import time

import pytest
import websockets

import wire
from processes import (
    PYTHON, Listener, assert_fails, descriptor_count, memory_limit, peak_resident_bytes, resident_bytes,
    run, wait_until, wsx)
from tls import client_context

MEBIBYTE = 1 << 20
CYCLES = int(os.environ.get("WSX_EXEC_CYCLES", "500"))


def dial(server, *fields, path="/"):
    stream = wire.Stream(socket.create_connection(("127.0.0.1", server.port), timeout=60))
    stream.send(wire.upgrade_request(server.port, path, *fields))
    assert stream.read_head().startswith(b"HTTP/1.1 101 ")
    return stream


@contextlib.contextmanager
def client(server, *fields, path="/"):
    stream = dial(server, *fields, path=path)
    with stream.sock:
        yield stream


def reset(stream):
    """Closes a socket with a reset, as if the client had crashed."""
    stream.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    stream.sock.close()


def text(message):
    return wire.text(message, is_masked=True)


def closing(stream):
    """Returns the code and reason of the close frame."""
    frame = stream.read_until_close()
    return frame.close_code, frame.payload[2:].decode()


def is_alive(pid):
    """Whether a process runs. Zombies do not count."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def children(pid):
    """Returns the child processes of a process, including zombies."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                stat = pathlib.Path(f"/proc/{entry}/stat").read_text()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(stat.rpartition(")")[2].split()[1]) == pid:
                found.append(int(entry))
    return found


def python(script):
    return [PYTHON, "-u", "-c", script]


# Environment

DUMP = python("import json, os; print(json.dumps(dict(os.environ)))")


def environment_of(server, *fields, path="/"):
    with client(server, *fields, path=path) as stream:
        variables = json.loads(stream.read_message().payload)
        assert closing(stream) == (1000, "")
    return variables


def test_a_request_becomes_cgi_variables():
    with Listener("-s", "chat", program=DUMP) as server:
        variables = environment_of(
            server, b"Sec-WebSocket-Protocol: other, chat", b"Origin: http://localhost", b"Cookie: a=1; b=2",
            b"X-Two: one", b"x-two: two", path="/a%20b/c?d=e%20f")
        remote_port = variables.pop("REMOTE_PORT")
        assert remote_port.isdigit()
        assert {name: value for name, value in variables.items() if not os.environ.get(name)} == {
            "GATEWAY_INTERFACE": "CGI/1.1", "SERVER_SOFTWARE": variables["SERVER_SOFTWARE"],
            "SERVER_PROTOCOL": "HTTP/1.1", "SERVER_NAME": "127.0.0.1", "SERVER_PORT": str(server.port),
            "REQUEST_METHOD": "GET", "REQUEST_URI": "/a%20b/c?d=e%20f", "SCRIPT_NAME": "", "PATH_INFO": "/a b/c",
            "QUERY_STRING": "d=e%20f", "REMOTE_ADDR": "127.0.0.1", "REMOTE_HOST": "127.0.0.1",
            "WSX_CLIENT": "1", "WSX_SUBPROTOCOL": "chat", "HTTP_HOST": f"127.0.0.1:{server.port}",
            "HTTP_UPGRADE": "websocket", "HTTP_CONNECTION": "Upgrade", "HTTP_SEC_WEBSOCKET_VERSION": "13",
            "HTTP_SEC_WEBSOCKET_KEY": "dGhlIHNhbXBsZSBub25jZQ==", "HTTP_SEC_WEBSOCKET_PROTOCOL": "other, chat",
            "HTTP_ORIGIN": "http://localhost", "HTTP_COOKIE": "a=1; b=2", "HTTP_X_TWO": "one, two"}
        assert environment_of(server)["WSX_CLIENT"] == "2"
        assert "WSX_SUBPROTOCOL" not in environment_of(server, b"Sec-WebSocket-Protocol: other")


def test_hostile_requests_reach_no_shell_and_no_library(tmp_path):
    touched = tmp_path / "touched"
    with Listener(program=["bash", "-c", f"env -0 | base64 -w0; echo; : {' '.join(['$1', '$@'])}"]) as server:
        attack = b"() { :;}; touch " + os.fsencode(touched)
        with client(
            server, b"User-Agent: " + attack, b"X-Shell: " + attack, b"X_Under: a", b"X-Under: b", b"Proxy: evil",
            b"pRoXy: evil", b"Authorization: Basic eDp5", b"Proxy-Authorization: Basic eDp5", b"X-Tab: a\tb",
            b"X-Line: $(touch " + os.fsencode(touched) + b")", b"BASH_ENV: evil", b"LD-PRELOAD: evil",
            b"X-C1: \xc2\x9b31m", b"X!: a", b"Content-Length: 0",
            path="/--flag/%2e%2e/$(touch%20x)?--flag&`touch`",
        ) as stream:
            entries = base64.b64decode(stream.read_message().payload).split(b"\0")
    variables = dict(entry.split(b"=", 1) for entry in entries if entry)
    assert not touched.exists()
    assert not any(name.startswith(b"BASH_FUNC") for name in variables)
    for name in ["HTTP_USER_AGENT", "HTTP_X_SHELL", "HTTP_PROXY", "HTTP_AUTHORIZATION", "HTTP_PROXY_AUTHORIZATION",
                 "HTTP_X_TAB", "HTTP_X_C1", "HTTP_CONTENT_LENGTH", "BASH_ENV", "LD_PRELOAD"]:
        assert name.encode() not in variables, name
    assert all(re.fullmatch(rb"[A-Z_][A-Z0-9_]*", name) for name in variables)
    assert variables[b"HTTP_X_UNDER"] == b"b"
    assert variables[b"HTTP_LD_PRELOAD"] == b"evil", "under the name HTTP_LD_PRELOAD, it is harmless"
    assert variables[b"PATH_INFO"] == b"/--flag/../$(touch x)"
    assert variables[b"QUERY_STRING"] == b"--flag&`touch`"


def test_no_argument_comes_from_a_request():
    with Listener(program=python("import sys; print(sys.argv)") + ["one", "$PATH_INFO"]) as server:
        with client(server, b"X-Evil: --flag", path="/--flag?--flag") as stream:
            assert stream.read_message().payload == b"['-c', 'one', '$PATH_INFO']"


def test_the_authenticated_user_is_a_variable_that_clients_cannot_forge():
    basic = b"Authorization: Basic " + base64.b64encode("zoë:a:b".encode())
    with Listener("--auth", "zoë:a:b", "--auth", "other:x", "--bearer", "t0ken", program=DUMP) as server:
        variables = environment_of(server, basic)
        assert (variables["AUTH_TYPE"], variables["REMOTE_USER"]) == ("Basic", "zoë")
        variables = environment_of(server, b"authorization: bEARER t0ken", b"Remote-User: root", b"Auth-Type: Basic")
        assert variables["AUTH_TYPE"] == "Bearer"
        assert "REMOTE_USER" not in variables
        assert "a:b" not in repr(variables) and "t0ken" not in repr(variables)
    with Listener(program=DUMP) as server:
        variables = environment_of(server, basic, b"Remote-User: root")
        assert "AUTH_TYPE" not in variables and "REMOTE_USER" not in variables


def test_a_program_has_a_clean_environment():
    ours = {"PATH": os.environ["PATH"], "HOME": "/h", "LANG": "C.UTF-8", "LC_TIME": "C", "TZ": "UTC", "SECRET": "x",
            "LD_LIBRARY_PATH": "/x", "HTTP_PROXY": "http://x", "AWS_SECRET_ACCESS_KEY": "x", "WSX_CLIENT": "7"}
    with Listener(program=["env", "MORE=yes", *DUMP], env=ours) as server:
        variables = environment_of(server)
    kept = {name: value for name, value in variables.items() if not re.match("HTTP_|SERVER_|REMOTE_|REQUEST_", name)}
    assert kept == {
        "PATH": ours["PATH"], "HOME": "/h", "LANG": "C.UTF-8", "LC_TIME": "C", "TZ": "UTC", "MORE": "yes",
        "WSX_CLIENT": "1", "GATEWAY_INTERFACE": "CGI/1.1", "SCRIPT_NAME": "", "PATH_INFO": "/", "QUERY_STRING": "",
        **{name: kept[name] for name in ["LC_CTYPE"] if name in kept and name not in ours}}
    assert "HTTP_PROXY" not in variables


def test_a_program_has_the_original_descriptor_limit():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    begin = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    with Listener(program=["sh", "-c", "ulimit -Sn; ulimit -Hn"], preexec_fn=begin) as server, client(server) as stream:
        assert stream.read_message().payload == b"256"
        assert stream.read_message().payload.decode() == str(hard).replace("-1", "unlimited")
        limits = pathlib.Path(f"/proc/{server.pid}/limits").read_text()
        assert re.search(rf"Max open files +{hard} ", limits), "wsx raises its own limit"


def test_programs_start_while_more_descriptors_are_open_than_they_may_open():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    begin = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (32, hard))
    with Listener(program=["sh", "-c", "ulimit -Sn; exec cat"], preexec_fn=begin) as server, contextlib.ExitStack() as all:
        for _ in range(12):
            assert all.enter_context(client(server)).read_message().payload == b"32"


def test_the_status_of_a_program_counts_even_if_its_parent_ignores_children():
    begin = lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with Listener("--once", program=["sh", "-c", "exit 3"], preexec_fn=begin) as server, client(server) as stream:
        assert closing(stream) == (1011, "exited with status 3")
        assert server.wait() == 1


def test_a_program_has_only_the_standard_descriptors():
    descriptors = [os.open("/dev/null", os.O_RDONLY) for _ in range(3)]
    high = 200
    os.dup2(descriptors[0], high)
    script = "import os; print(sorted((int(n), os.readlink('/proc/self/fd/' + n).split(':')[0]) for n in os.listdir('/proc/self/fd') if os.path.exists('/proc/self/fd/' + n)))"
    try:
        with Listener(program=python(script), pass_fds=[*descriptors, high]) as server:
            for descriptor in [*descriptors, high]:
                assert os.path.exists(f"/proc/{server.pid}/fd/{descriptor}"), "wsx inherits the descriptor"
            with client(server), client(server) as stream:
                assert stream.read_message().payload == b"[(0, 'pipe'), (1, 'pipe'), (2, 'pipe')]"
    finally:
        for descriptor in [*descriptors, high]:
            os.close(descriptor)


def test_a_program_has_its_own_session_and_default_signal_handling():
    script = ("import os, signal; print(os.getpid() == os.getsid(0) == os.getpgid(0), "
              "[l for l in open('/proc/self/status') if l.startswith(('SigIgn', 'SigBlk'))])")
    with Listener(program=["env", *python(script)]) as server, client(server) as stream:
        line = stream.read_message().payload.decode()
        assert line.startswith("True ")
        # Python ignores SIGPIPE (13) and SIGXFSZ (25), so only blocked signals are checked here.
        assert re.findall(r"SigBlk:\\t0{16}", line)
    with Listener(program=["grep", "SigIgn", "/proc/self/status"]) as server, client(server) as stream:
        name, mask = stream.read_message().payload.split()
        # Signal 32 is reserved by the C library.
        assert name == b"SigIgn:" and int(mask, 16) & 0x7FFFFFFF == 0


def test_the_subject_of_a_client_certificate_is_a_variable(certificates):
    identity = certificates.good
    options = ["--tls-cert", identity.chain, "--tls-key", identity.key, "--client-ca", certificates.root]
    with Listener(*options, program=DUMP) as server:
        async def talk():
            context = client_context(certificates.root, certificates.client)
            async with websockets.connect(server.url, ssl=context, open_timeout=60) as connection:
                return json.loads(await connection.recv())
        variables = asyncio.run(talk())
        assert variables["HTTPS"] == "on"
        assert variables["SSL_CLIENT_S_DN"] == "CN=client"


# Messages

def test_lines_travel_in_both_directions():
    messages = ["hello", "", "zwölf 水 🎈", "x" * 70_000, "two\nlines"]
    with Listener(program=["cat"]) as server:
        result = wsx("connect", "-n", "6", "--output", "nul", server.url, *messages)
        assert result.out.decode().split("\0")[:-1] == [*messages[:4], "two", "lines"]
        assert result.status == 0


def test_the_last_line_needs_no_newline_and_status_0_closes_normally():
    with Listener(program=["printf", "one\ntwo\n\nthree"]) as server:
        result = wsx("connect", "--no-stdin", server.url)
        assert (result.status, result.out) == (0, b"one\ntwo\n\nthree\n")
        server.wait_for("Client 1: printf exited with status 0\n")


def test_binary_messages_are_byte_exact_both_ways():
    data = random.randbytes(MEBIBYTE)
    with Listener("--binary", program=["cat"]) as server:
        result = wsx(
            "connect", "--input", "chunks", "--output", "raw", "--linger", "2s", server.url, stdin=data)
        assert result.status == 0
        assert hashlib.sha256(result.out).digest() == hashlib.sha256(data).digest()
        with client(server) as stream:
            stream.send(wire.frame(wire.TEXT, b"\xc3\xa4", is_masked=True))
            assert stream.read_message() == wire.Message(wire.BINARY, b"\xc3\xa4", False, [2])


def test_output_without_a_newline_is_held_back_unless_it_is_binary():
    script = "import sys; sys.stdout.write('50 %'); sys.stdout.flush(); sys.stdin.readline(); print(' done')"
    with Listener(program=python(script)) as server, client(server) as stream:
        stream.send(text("go"))
        assert stream.read_message().payload == b"50 % done"
    with Listener("--binary", program=python(script)) as server, client(server) as stream:
        assert stream.read_message().payload == b"50 %"
        stream.send(text("go\n"))
        received = b""
        while len(received) < len(b" done\n"):
            received += stream.read_message().payload
        assert received == b" done\n"


def test_a_line_over_the_limit_ends_the_program_and_its_client():
    with Listener("--max-message-size", "1k", program=["sh", "-c", "echo short; exec tr '\\0' x </dev/zero"]) as server:
        with client(server) as stream:
            assert stream.read_message().payload == b"short"
            assert closing(stream) == (1011, "a line is too long")
        server.wait_for("wsx: client 1: a line of sh's output has more than 1024 bytes; raise --max-message-size to send it\n")
        wait_until(lambda: not children(server.pid))
        assert peak_resident_bytes(server.pid) < memory_limit(64 * MEBIBYTE)


def test_a_program_may_write_to_dev_stdout():
    with Listener(program=["sh", "-c", "echo one >/dev/stdout; echo two | tee /dev/stderr"]) as server:
        assert wsx("connect", "--no-stdin", server.url).out == b"one\ntwo\n"
        server.wait_for(r"Client 1 \| two\n")


def test_json_events_report_clients():
    with Listener("--output", "json", program=["cat"]) as server:
        assert wsx("connect", "-n", "1", server.url, "hello").status == 0
        server.wait_for('"close"', "out")
        types = [json.loads(line)["type"] for line in server.out.decode().splitlines()]
        assert types == ["listening", "open", "message", "close"]


# Standard error

def test_standard_error_is_forwarded_with_client_numbers_and_escaped_controls():
    script = r"printf 'one\033[31m\r\ntwo' >&2; echo done; read line"
    with Listener(program=["sh", "-c", script]) as server, client(server), client(server) as stream:
        assert stream.read_message().payload == b"done"
        server.wait_for(r"Client 2 \| one\\u\{1B\}\[31m\\u\{D\}\n")
        stream.send(text("go"))
        server.wait_for(r"Client 2 \| two\n")


def test_endless_standard_error_is_split_into_lines_and_uses_bounded_memory():
    script = f"head -c {32 * MEBIBYTE} /dev/zero | tr '\\0' x >&2; echo done"
    with Listener(program=["sh", "-c", script]) as server, client(server) as stream:
        assert stream.read_message().payload == b"done"
        server.wait_for("exited with status 0")
        lines = [line for line in server.err.splitlines() if line.startswith("Client 1 | ")]
        assert sum(len(line) - len("Client 1 | ") for line in lines) == 32 * MEBIBYTE
        assert max(map(len, lines)) < 5000
        assert peak_resident_bytes(server.pid) < memory_limit(32 * MEBIBYTE)


# Ends

@pytest.mark.parametrize(
    "script, code, reason",
    [("exit 0", 1000, ""), ("kill -9 $$", 1011, "was killed by signal 9")])
def test_the_exit_of_a_program_determines_the_close_of_its_client(script, code, reason):
    with Listener("--compress=off", program=["sh", "-c", "echo before; " + script]) as server, client(server) as stream:
        assert stream.read_message().payload == b"before"
        assert closing(stream) == (code, reason)
        stream.send(wire.close(code, is_masked=True))
        server.wait_for(f"Client 1: sh {reason or 'exited with status 0'}\n")
        assert stream.read_to_end() == b""


def test_all_output_arrives_before_the_close():
    with Listener(program=["seq", "200000"]) as server:
        result = wsx("connect", "--no-stdin", server.url)
        assert result.status == 0
        assert result.out == "".join(f"{n}\n" for n in range(1, 200_001)).encode()


@pytest.mark.parametrize(
    "leave", [reset, lambda stream: stream.send(wire.close(1000, is_masked=True))], ids=["reset", "closed"])
@pytest.mark.parametrize(
    "program", [
        ["cat"],
        ["sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"],
        ["sh", "-c", "sleep 1000 & sleep 1000"],
    ], ids=["cat", "stubborn", "shell"])
def test_a_program_ends_when_its_client_leaves(program, leave):
    with Listener("-v", "--exec-grace", "100ms", program=program) as server:
        stream = dial(server)
        pid = int(server.wait_for(r"Client 1: \S+ is process (\d+)").group(1))
        assert is_alive(pid)
        stream.send(text("hello"))
        leave(stream)
        wait_until(lambda: not is_alive(pid), what="the program's end")
        wait_until(lambda: not children(server.pid), what="nothing left")
        stream.sock.close()
        assert server.stop() == 0


FAMILY = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(2):
    if os.fork() == 0:
        if os.fork() == 0:
            while True:
                time.sleep(0.05)
        os._exit(0)
os.wait()
os.wait()
pids = []
for p in os.listdir('/proc'):
    try:
        if p.isdigit() and open('/proc/' + p + '/stat').read().rpartition(')')[2].split()[2] == str(os.getpid()):
            pids.append(int(p))
    except OSError:
        pass
print(*pids)
"""


@pytest.mark.parametrize("ending", ["sys.exit(0)", "sys.stdin.read()", "time.sleep(1000)"])
def test_grandchildren_that_ignore_sigterm_are_killed_and_block_nothing(ending):
    with Listener("--exec-grace", "200ms", program=python(FAMILY + ending)) as server:
        with client(server) as stream:
            pids = [int(word) for word in stream.read_message().payload.split()]
            assert len([pid for pid in pids if is_alive(pid)]) >= 2
            if ending == "sys.exit(0)":
                assert closing(stream) == (1000, "")
        wait_until(lambda: not any(map(is_alive, pids)), what="the end of the process group")
        wait_until(lambda: not children(server.pid))
        assert server.stop() == 0


DAEMON = """
import os, time
ends = os.pipe()
if os.fork() == 0:
    os.setsid()
    print(os.getpid())
    os.write(ends[1], b"x")
    time.sleep(1000)
os.read(ends[0], 1)
"""


def test_a_daemon_that_keeps_the_pipe_open_does_not_keep_the_connection_open():
    with Listener("--exec-grace", "100ms", program=python(DAEMON)) as server, client(server) as stream:
        pid = int(stream.read_message().payload)
        try:
            assert closing(stream) == (1000, "")
        finally:
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
def test_no_process_survives_the_server(number):
    script = python(FAMILY + "time.sleep(1000)")
    with Listener("--exec-grace", "100ms", "--close-timeout", "300ms", program=script) as server:
        with client(server) as first, client(server) as second:
            pids = [int(word) for stream in [first, second] for word in stream.read_message().payload.split()]
            server.signal(number)
            assert closing(first)[0] == 1001
            assert server.wait() == 0
            assert not any(map(is_alive, pids))


def test_a_second_signal_kills_programs_that_do_not_end():
    with Listener("--exec-grace", "1000s", program=python(FAMILY + "time.sleep(1000)")) as server:
        with client(server) as stream:
            pids = [int(word) for word in stream.read_message().payload.split()]
            server.signal(signal.SIGTERM)
            assert closing(stream)[0] == 1001
            assert any(map(is_alive, pids))
            server.signal(signal.SIGTERM)
            assert server.wait() == 0
            wait_until(lambda: not any(map(is_alive, pids)))


def test_a_program_receives_everything_its_client_sent_before_leaving(tmp_path):
    path = tmp_path / "kept"
    with Listener(program=["sh", "-c", f"sleep 0.3; cat >{path}; echo end >>{path}"]) as server:
        wsx("connect", "--linger", "0", server.url, *map(str, range(1000)))
        expected = "".join(f"{number}\n" for number in range(1000)) + "end\n"
        wait_until(lambda: path.exists() and path.read_text() == expected)


# Backpressure

def test_a_program_that_reads_nothing_pauses_its_client_and_uses_bounded_memory():
    payload = wire.frame(wire.BINARY, b"x" * 65_000, is_masked=True)
    with Listener("--exec-grace", "100ms", program=["sleep", "1000"]) as server:
        stream = dial(server)
        stream.sock.settimeout(2)
        sent = 0
        with pytest.raises(TimeoutError):
            while sent < 200 * MEBIBYTE:
                stream.send(payload)
                sent += len(payload)
        assert sent < 64 * MEBIBYTE
        assert peak_resident_bytes(server.pid) < memory_limit(64 * MEBIBYTE)
        # Others are served, and a paused client that leaves is noticed.
        with client(server):
            pass
        reset(stream)
        wait_until(lambda: not children(server.pid), what="the end of both programs")
        assert server.stop() == 0


def test_a_slow_program_receives_everything_its_client_sent_before_leaving():
    reader = python(
        "import os, sys, time\n"
        "count = 0\n"
        "while data := os.read(0, 1 << 16):\n"
        "    count += len(data)\n"
        "    time.sleep(0.05)\n"
        "print(count, file=sys.stderr)")
    sizes = [60_000] * 40
    with Listener("--exec-grace", "30s", program=reader) as server:
        stream = dial(server)
        for size in sizes:
            stream.send(text("x" * size))
        stream.send(wire.close(1000, is_masked=True))
        stream.sock.close()
        server.wait_for(rf"Client 1 \| {sum(sizes) + len(sizes)}\n", timeout=60)


def test_a_client_that_reads_nothing_pauses_its_program_and_uses_bounded_memory():
    with Listener("--compress=off", program=["seq", "-f", "%0900.0f", "100000000"]) as server:
        with client(server) as stream:
            program = wait_until(lambda: children(server.pid))[0]

            def written():
                return int(re.search(r"wchar: (\d+)", pathlib.Path(f"/proc/{program}/io").read_text()).group(1))

            seen = -1
            while seen != written():
                seen = written()
                time.sleep(1)
            assert 0 < seen < 64 * MEBIBYTE
            assert peak_resident_bytes(server.pid) < memory_limit(128 * MEBIBYTE)
            # Once the client reads, the output continues without gaps.
            for number in range(1, 64 * MEBIBYTE // 900):
                assert stream.read_frame().payload == b"%0900d" % number
        wait_until(lambda: not children(server.pid))


def test_a_cat_with_a_client_that_does_not_read_pauses_and_notices_the_end():
    payload = wire.text("x" * 65_000, is_masked=True)
    with Listener("--compress=off", "--exec-grace", "100ms", program=["cat"]) as server:
        stream = dial(server)
        stream.sock.settimeout(2)
        sent = 0
        with pytest.raises(TimeoutError):
            while sent < 512 * MEBIBYTE:
                stream.send(payload)
                sent += len(payload)
        assert peak_resident_bytes(server.pid) < memory_limit(128 * MEBIBYTE)
        reset(stream)
        wait_until(lambda: not children(server.pid), what="the end of the program")
        assert server.stop() == 0


def test_a_program_that_closes_its_input_keeps_its_client():
    with Listener(program=["sh", "-c", "exec <&-; echo closed; sleep 1; echo end"]) as server:
        with client(server) as stream:
            assert stream.read_message().payload == b"closed"
            for _ in range(100):
                stream.send(text("x" * 65_000))
            assert stream.read_message().payload == b"end"
            assert closing(stream) == (1000, "")


# Limits and failures to start

def test_beyond_the_process_limit_requests_are_refused_until_a_program_ends():
    with Listener("--max-processes", "2", program=["cat"]) as server:
        with client(server), client(server):
            result = wsx("connect", server.url)
            assert result.status == 4
            assert "Retry-After: 1" in result.err
            assert "2 programs are running." in result.err
            server.wait_for("Rejected a request: 503, .*: The server is busy: 2 programs are running")
        wait_until(lambda: not children(server.pid))
        assert wsx("connect", "-n", "1", server.url, "hello").out == b"hello\n"


def test_a_low_descriptor_limit_lowers_the_process_limit():
    few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))  # noqa: E731
    with Listener(program=["cat"], preexec_fn=few) as server:
        server.wait_for("The limit on open files allows only 3 programs; raise it with 'ulimit -n'\n")
        with contextlib.ExitStack() as stack:
            for _ in range(3):
                stream = stack.enter_context(client(server))
                stream.send(text("hello"))
                assert stream.read_message().payload == b"hello"
            assert wsx("connect", server.url).status == 4
        wait_until(lambda: not children(server.pid))
        assert wsx("connect", "-n", "1", server.url, "hello").out == b"hello\n"


@pytest.mark.parametrize(
    "program, words",
    [("nonexistent-program", "no such file"), ("\x1b[31m", "\\u{1B}[31m")])
def test_a_program_that_cannot_run_is_an_error_at_startup(program, words):
    assert_fails(wsx("listen", "--exec", "0", "--", program), 2, "--exec: running '", words)


def test_a_program_that_is_deleted_later_closes_its_clients(tmp_path):
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho hello\n")
    program.chmod(0o755)
    with Listener(program=[program]) as server:
        assert wsx("connect", "--no-stdin", server.url).out == b"hello\n"
        program.unlink()
        with client(server) as stream:
            assert closing(stream) == (1011, "the program could not be started")
        server.wait_for("wsx: client 2: running program: no such file or directory\n")
        before = descriptor_count(server.pid)
        for _ in range(50):
            with client(server) as stream:
                assert closing(stream)[0] == 1011
        wait_until(lambda: descriptor_count(server.pid) <= before)


# Many clients

def test_many_clients_leave_no_processes_descriptors_or_memory_behind():
    def cycle(number):
        stream = dial(server)
        stream.send(text("hello"))
        if number % 4:
            assert stream.read_message().payload == b"hello"
        if number % 2:
            reset(stream)
        else:
            stream.sock.close()

    def many(count):
        threads = [
            threading.Thread(target=lambda: [cycle(number) for number in range(count // 4)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        wait_until(lambda: not children(server.pid), what="the end of the programs")

    with Listener(program=["cat"]) as server:
        many(200)
        wait_until(lambda: server.err.count("disconnected") == 200)
        descriptors, memory = descriptor_count(server.pid), resident_bytes(server.pid)
        many(CYCLES)
        wait_until(lambda: descriptor_count(server.pid) <= descriptors, what="the descriptors' release")
        grown = resident_bytes(server.pid) - memory
        print(f"{CYCLES} cycles: {descriptors} descriptors, {memory >> 10} KiB, {grown >> 10} KiB more")
        assert grown < memory_limit(2 * MEBIBYTE)
        assert server.stop() == 0


# Common programs

@pytest.mark.parametrize(
    "program, sent, received",
    [
        (["bc", "-l"], ["1+2", "2^100"], ["3", "1267650600228229401496703205376"]),
        (["bash", "-c", 'while read -r line; do echo "got $line"; done'], ["a", "b c"], ["got a", "got b c"]),
    ],
    ids=lambda value: value[0])
def test_common_programs_work(program, sent, received):
    if run(["sh", "-c", f"command -v {program[0]}"]).status != 0:
        pytest.skip(f"{program[0]} is not installed")
    with Listener(program=program) as server:
        result = wsx("connect", "-n", str(len(received)), server.url, *sent)
        assert result.lines == received
