"""Two kinds of terminal: a screen rendered by tmux, and the raw bytes sent to a pseudo-terminal."""

import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time

from processes import BINARY, end, wait_until

# How long to wait for output, in seconds. A lower value finds failures sooner on an idle machine.
PATIENCE = float(os.environ.get("WSX_TEST_PATIENCE", 60))


class Screen:
    """A shell in its own terminal, driven by keys and read as rendered text. The shell ends with the block."""

    def __init__(self, width=100, height=30, **variables):
        # Keep state files out of the user's home and separate from other tests.
        self._state = tempfile.TemporaryDirectory(prefix="wsx-state-")
        self.state = pathlib.Path(self._state.name)
        self.name = f"wsx-test-{os.getpid()}-{time.monotonic_ns()}"
        self._socket = pathlib.Path(os.environ.get("TMUX_TMPDIR", "/tmp"), f"tmux-{os.getuid()}", self.name)
        environment = {
            **os.environ, "WSX": BINARY, "PS1": "shell$ ", "LC_ALL": "C.UTF-8", "INPUTRC": "/dev/null", "PAGER": "cat",
            "XDG_STATE_HOME": self._state.name, **{name: os.fspath(value) for name, value in variables.items()}}
        for name in ("TMUX", "NO_COLOR", "LESS"):
            environment.pop(name, None)
        self._tmux(
            "-f", "/dev/null", "new-session", "-d", "-x", str(width), "-y", str(height), "-s", "test",
            "env", "PS1=shell$ ", "bash", "--norc", "--noprofile", env=environment)
        try:
            self.wait_for_last_line("shell$")
        except AssertionError:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._tmux("kill-server")
        # The tmux server leaves its socket behind.
        self._socket.unlink(missing_ok=True)
        self._state.cleanup()

    def type(self, text):
        """Types text literally."""
        self._tmux("send-keys", "-t", "test", "-l", "--", text)

    def press(self, *keys):
        """Presses keys by name: `Enter`, `Up`, `C-c`."""
        self._tmux("send-keys", "-t", "test", *keys)

    def enter(self, text):
        """Types a line and presses Enter."""
        self.type(text)
        self.press("Enter")

    def paste(self, text, newline="\r", is_bracketed=True):
        """Pastes text like a terminal: newlines become carriage returns, and marks surround a bracketed paste."""
        path = self.state / "pasted"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        self._tmux("load-buffer", os.fspath(path))
        self._tmux("paste-buffer", *(["-p"] if is_bracketed else []), "-s", newline, "-t", "test")

    def resize(self, width, height):
        self._tmux("resize-window", "-t", "test", "-x", str(width), "-y", str(height))

    @property
    def text(self):
        """The screen and its scrollback, without trailing blank lines."""
        return self._tmux("capture-pane", "-p", "-t", "test", "-S", "-").rstrip("\n")

    @property
    def lines(self):
        return self.text.split("\n")

    @property
    def last_line(self):
        return self.lines[-1]

    def wait_for(self, pattern, timeout=PATIENCE):
        """Waits until the screen matches a pattern and returns the match."""
        deadline = time.monotonic() + timeout
        while True:
            text = self.text
            match = re.search(pattern, text, re.MULTILINE)
            if match:
                return match
            assert time.monotonic() < deadline, f"no {pattern!r} on the screen:\n{text}"
            time.sleep(0.03)

    def wait_for_last_line(self, expected, timeout=PATIENCE):
        """Waits until the last line equals `expected`."""
        deadline = time.monotonic() + timeout
        while (text := self.text).split("\n")[-1] != expected:
            assert time.monotonic() < deadline, f"the last line is not {expected!r}:\n{text}"
            time.sleep(0.03)

    def _tmux(self, *arguments, **options):
        result = subprocess.run(
            ["tmux", "-L", self.name, *arguments], capture_output=True, timeout=60, **options)
        return result.stdout.decode()


class RawTerminal:
    """wsx with a pseudo-terminal as its controlling terminal. Keeps every byte written to it."""

    def __init__(self, *arguments, width=80, height=24, stdout=None, ignores=None, **variables):
        self._state = tempfile.TemporaryDirectory(prefix="wsx-state-")
        self.main, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        self.attributes_before = termios.tcgetattr(terminal)
        self.terminal = terminal
        self.output = b""
        environment = {
            **os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", "INPUTRC": "/dev/null", "PAGER": "cat",
            "XDG_STATE_HOME": self._state.name, **{name: os.fspath(value) for name, value in variables.items()}}
        self.process = subprocess.Popen(
            [BINARY, *map(os.fspath, arguments)], stdin=terminal, stdout=stdout or terminal, stderr=terminal,
            start_new_session=True, env=environment,
            preexec_fn=lambda: (
                fcntl.ioctl(0, termios.TIOCSCTTY, 0), ignores and signal.signal(ignores, signal.SIG_IGN)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end(self.process)
        for descriptor in (self.main, self.terminal):
            try:
                os.close(descriptor)
            except OSError:
                # The test may have hung up the terminal.
                pass
        self._state.cleanup()

    @property
    def attributes(self):
        return termios.tcgetattr(self.terminal)

    def type(self, data):
        os.write(self.main, data if isinstance(data, bytes) else data.encode())

    def read(self):
        """Reads the pending output of the terminal."""
        while select.select([self.main], [], [], 0)[0]:
            self.output += os.read(self.main, 65536)
        return self.output

    def wait_for(self, text, timeout=PATIENCE):
        wait_until(lambda: text in self.read(), timeout, f"{text!r} in {self.output!r}")

    def wait(self, timeout=PATIENCE):
        """Reads until the program ends and returns its status."""
        wait_until(lambda: (self.read(), self.process.poll() is not None)[1], timeout, "the end")
        self.read()
        return self.process.returncode

    @property
    def session(self):
        """The processes of the terminal's session."""
        processes = []
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                # The name of the program, in parentheses, may contain spaces.
                state, _, _, session = path.read_text().rsplit(")", 1)[1].split()[:4]
            except OSError:
                continue
            if int(session) == self.process.pid and state != "Z":
                processes.append(int(path.parent.name))
        return processes

    def signal(self, number=signal.SIGTERM):
        self.process.send_signal(number)
