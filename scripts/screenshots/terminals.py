#!/usr/bin/env python3
"""Draws terminals with wsx as SVGs, prompt.svg, proxy.svg, and check.svg: terminals.py [DIRECTORY], by default
docs/images.

Scripted sessions run in tmux. The captured pane, colors included, becomes text elements of an SVG. WSX names another binary
than .build/release/wsx. Needs Python, tmux, and python3-websockets, which `make test-deps` installs.
"""

import contextlib
import dataclasses
import html
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("WSX", ROOT / ".build/release/wsx")).resolve()
ROWS = 32

SERVER = """
import asyncio, websockets
async def echo(connection):
    async for message in connection:
        await connection.send(message)
async def main():
    async with websockets.serve(echo, "localhost", 8080):
        await asyncio.get_running_loop().create_future()
asyncio.run(main())
"""


@contextlib.contextmanager
def background(*command):
    """Runs a program without output."""
    with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as program:
        try:
            yield
        finally:
            program.terminate()


@dataclasses.dataclass
class Screen:
    """A picture. Each step types a line, and waits until the screen matches. A step without a line runs a program."""

    title: str
    steps: list
    # Typed without Enter.
    last_line: str = ""
    server: tuple = ()
    columns: int = 80


SCREENS = {
    "prompt": Screen("The prompt of wsx, connected to the built-in echo server", [
        ("wsx echo:", r"/help lists"),
        ("hello", r"← hello"),
        ('{"user":7,"name":"Ada","scores":[' + ",".join(str(number * number) for number in range(40)) + '],"ok":true}',
         r"← \{(.|\n)*true\}"),
        ("/binary hex cafe f00d", r"← binary"),
        # Ctrl-V makes the escape character part of the line.
        ("a server cannot turn this \x16\x1b[31mred", r"← a server"),
        ("/find Ada", r"Found [1-9]"),
        ("/ping", r"← pong"),
    ], last_line="the line you type stays intact"),
    "proxy": Screen("wsx relay as a proxy: the messages of an application whose URL is built in", [
        ("wsx relay 9000 -k --rewrite '\"limit\":5 => \"limit\":1000'", r"127\.0\.0\.1:9000"),
        ((str(BINARY), "connect", "-k", "--no-stdin", "--proxy", "http://127.0.0.1:9000", "wss://localhost:8443/orders",
          '{"op":"list","limit":5}'), r"limit(.|\n)*limit(.|\n)*limit"),
        ("/show 1", r"\"op\": \"list\""),
    ], last_line="@1 {\"op\":\"refresh\"}",
        server=(str(BINARY), "listen", "--echo", "--no-stdin", "--tls-self-signed", "8443")),
    "check": Screen("wsx check, which plays its cases of closing to a server", [
        ("wsx check --case '7.*' --case 'C.1*' ws://localhost:8080/", r"cases, .* failed"),
        ("wsx check --explain C.13.3", r"others accept any"),
    ], columns=112, server=("/usr/bin/python3", "-c", SERVER)),
}

FONT_SIZE = 14
CELL_WIDTH = 8.4
LINE_HEIGHT = 19
MARGIN = 16
TITLE_BAR = 30
BACKGROUND, FOREGROUND, BAR = "#101216", "#d6d9df", "#2a2e37"
# Black, red, green, yellow, blue, magenta, cyan, white; then their bright variants.
PALETTE = [
    "#4b5263", "#ec7a82", "#a3cf7f", "#e8c580", "#78b9f5", "#cf8ae6", "#62c4cf", "#d6d9df",
    "#7f8797", "#ff9aa1", "#bfe59c", "#f5d99b", "#9bcdfb", "#e0a8f2", "#86d9e3", "#ffffff",
]
# The levels of red, green, and blue in the colors 16 to 231.
CUBE = [0, 95, 135, 175, 215, 255]


class Terminal:
    """A shell in its own tmux server."""

    def __init__(self, home, columns):
        self.socket = os.path.join(home, "tmux")
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("TMUX", "NO_COLOR") and not name.lower().endswith("_proxy")}
        environment |= {
            "HOME": home, "LC_ALL": "C.UTF-8", "INPUTRC": "/dev/null", "XDG_STATE_HOME": home, "TERM": "xterm-256color",
            "PATH": f"{BINARY.parent}:{os.environ['PATH']}"}
        self.tmux(
            "-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(ROWS), "-s", "prompt",
            "env", "PS1=$ ", "HISTFILE=", "bash", "--norc", "--noprofile", env=environment)
        self.wait_for(r"^\$")

    def tmux(self, *arguments, **options):
        result = subprocess.run(
            ["tmux", "-S", self.socket, *arguments], check=True, capture_output=True, timeout=30, **options)
        return result.stdout.decode()

    def type(self, text, *keys):
        self.tmux("send-keys", "-t", "prompt", "-l", "--", text)
        for key in keys:
            self.tmux("send-keys", "-t", "prompt", key)

    def wait_for(self, pattern):
        deadline = time.monotonic() + 20
        while not re.search(pattern, text := self.tmux("capture-pane", "-p", "-t", "prompt"), re.MULTILINE):
            if time.monotonic() > deadline:
                sys.exit(f"terminals.py: no {pattern!r} on the screen:\n{text}")
            time.sleep(0.05)

    def capture(self):
        return self.tmux("capture-pane", "-e", "-p", "-t", "prompt").rstrip("\n").split("\n")

    def close(self):
        self.tmux("kill-server")


class Style:
    """The colors and attributes set by SGR sequences. tmux carries them over from line to line."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.color, self.is_bold, self.is_faint = None, False, False

    def apply(self, parameters):
        codes = iter([int(code or 0) for code in parameters.split(";")])
        for code in codes:
            if code == 0:
                self.reset()
            elif code == 1:
                self.is_bold = True
            elif code == 2:
                self.is_faint = True
            elif code == 22:
                self.is_bold = self.is_faint = False
            elif 30 <= code <= 37:
                self.color = PALETTE[code - 30]
            elif 90 <= code <= 97:
                self.color = PALETTE[code - 82]
            elif code == 39:
                self.color = None
            elif code == 38 and next(codes) == 5 and 0 <= (index := next(codes) - 16) < 216:
                self.color = "#" + "".join(f"{CUBE[index // weight % 6]:02x}" for weight in (36, 6, 1))
            elif code == 38:
                sys.exit("terminals.py: only the cube of the 256 colors is supported")

    @property
    def attributes(self):
        return (
            (f' fill="{self.color}"' if self.color else "") + (' font-weight="bold"' if self.is_bold else "")
            + (' opacity="0.6"' if self.is_faint else ""))


def line_elements(line, style, y):
    """Returns the text elements of a line, one for each run of characters with the same style."""
    column = 0
    for position, piece in enumerate(re.split(r"\x1b\[([\d;]*)m", line)):
        if position % 2:
            style.apply(piece)
            continue
        start = column + len(piece) - len(piece.lstrip(" "))
        text = piece.strip(" ")
        column += len(piece)
        if text:
            # An explicit length keeps columns aligned in every font.
            yield (
                f'<text x="{MARGIN + start * CELL_WIDTH:.1f}" y="{y}" textLength="{len(text) * CELL_WIDTH:.1f}"'
                f"{style.attributes}>{html.escape(text, quote=False)}</text>")


def draw(lines, screen):
    """Returns the SVG of a terminal."""
    width = round(2 * MARGIN + screen.columns * CELL_WIDTH)
    height = TITLE_BAR + 2 * MARGIN + len(lines) * LINE_HEIGHT - 6
    style = Style()
    elements = []
    for number, line in enumerate(lines):
        y = TITLE_BAR + MARGIN + number * LINE_HEIGHT + FONT_SIZE - 2
        elements.extend(line_elements(line, style, y))
    cursor_x = MARGIN + len(re.sub(r"\x1b\[[\d;]*m", "", lines[-1])) * CELL_WIDTH
    cursor_y = TITLE_BAR + MARGIN + (len(lines) - 1) * LINE_HEIGHT - 2
    buttons = "".join(
        f'<circle cx="{20 + 18 * number}" cy="{TITLE_BAR / 2:g}" r="5.5" fill="{color}"/>'
        for number, color in enumerate(("#ec7a82", "#e8c580", "#a3cf7f")))
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        f' role="img" aria-label="{html.escape(screen.title)}">',
        "<style>text { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;"
        f" font-size: {FONT_SIZE}px; white-space: pre; }}</style>",
        f'<rect width="{width}" height="{height}" rx="8" fill="{BACKGROUND}"/>',
        f'<path d="M0 {TITLE_BAR}V8a8 8 0 0 1 8-8H{width - 8}a8 8 0 0 1 8 8V{TITLE_BAR}z" fill="{BAR}"/>',
        buttons,
        f'<g fill="{FOREGROUND}">', *elements, "</g>",
        f'<rect x="{cursor_x:.1f}" y="{cursor_y}" width="{CELL_WIDTH}" height="{LINE_HEIGHT - 2}"'
        f' fill="{FOREGROUND}" opacity="0.8"/>',
        "</svg>", ""])


def play(screen):
    """Returns the lines of the terminal at the end of a session."""
    with tempfile.TemporaryDirectory(prefix="wsx-", ignore_cleanup_errors=True) as home, contextlib.ExitStack() as programs:
        if screen.server:
            programs.enter_context(background(*screen.server))
        terminal = Terminal(home, screen.columns)
        programs.callback(terminal.close)
        for line, pattern in screen.steps:
            if isinstance(line, tuple):
                programs.enter_context(background(*line))
            else:
                terminal.type(line, "Enter")
            terminal.wait_for(pattern)
        if screen.last_line:
            terminal.type(screen.last_line)
            terminal.wait_for(re.escape(screen.last_line))
        return terminal.capture()


def main():
    if not os.access(BINARY, os.X_OK):
        sys.exit(f"terminals.py: {BINARY} is missing; run 'make build'")
    directory = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/images"
    directory.mkdir(parents=True, exist_ok=True)
    for name, screen in SCREENS.items():
        path = directory / f"{name}.svg"
        path.write_text(draw(play(screen), screen))
        print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
