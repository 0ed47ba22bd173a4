#!/usr/bin/env python3
"""Photographs the console of `wsx listen --console`, the report of `wsx bench --report`, the session page of `wsx convert`,
and the live page of `wsx relay --page`, light and dark.

Writes docs/images/{console,report,session,live}-{light,dark}.png and session-narrow.png, or into the directory given as the
argument. WSX names another binary than .build/release/wsx. Needs chromium-headless-shell and pytest, which `make test-deps`
installs.
"""

import base64
import json
import os
import pathlib
import random
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Interop"))

from browser import Chromium  # noqa: E402
from console_page import ConsolePage  # noqa: E402
from processes import BINARY, Listener, Relay, Running, wsx  # noqa: E402
from report_page import ReportPage  # noqa: E402
from session_page import LivePage, SessionPage  # noqa: E402

WIDTH = 1000
MAXIMUM_BYTES = 150 << 10
ATTEMPTS = 10
# A load light enough for the machine, and long enough for charts over time.
LOAD = ["-c", "50", "-r", "5k", "--warmup", "1s", "-d", "8s", "echo:"]
MESSAGES = [
    ("text", "hello"),
    ("text", '{"user":7,"ok":true}'),
    ("text", "Escape sequences are harmless: \x1b[31mred"),
]


def photograph(page, path, height, width=WIDTH):
    """Writes a screenshot of the window."""
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
    page.evaluate("document.documentElement.style.overflow = 'hidden'")
    page.evaluate("window.scrollTo(0, 0); document.activeElement.blur()")
    picture = base64.b64decode(page.call("Page.captureScreenshot", format="png")["data"])
    path.write_bytes(picture)
    print(f"{path}: {len(picture):,} bytes")
    if len(picture) > MAXIMUM_BYTES:
        sys.exit(f"pages.py: {path.name} is larger than {MAXIMUM_BYTES:,} bytes")


def load_test(report):
    """Writes a report. Returns whether it has no warning about a busy machine."""
    for _ in range(ATTEMPTS):
        run = wsx("bench", "-q", "--output", "json", "--report", report, *LOAD)
        if run.status:
            sys.exit(f"pages.py: wsx bench: {run.err}")
        if not json.loads(run.out)["warnings"]:
            return True
    return False


def photograph_report(browser, report, scheme, directory):
    with ReportPage(browser, report, width=WIDTH, is_dark=scheme == "dark") as page:
        # The tables are at the end of the page, so this screenshot is cut off after the charts.
        photograph(page, directory / f"report-{scheme}.png", height=1000)


def photograph_console(browser, scheme, directory):
    with Listener("--echo", "--console") as server, ConsolePage(browser, server) as page:
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        page.connect()
        for form, text in MESSAGES:
            page.send(text, form)
        page.send("ca fe f0 0d", "hex")
        page.wait_for_row("binary", "")
        page.wait_for(f"document.querySelectorAll('.row').length >= {2 * len(MESSAGES) + 3}")
        photograph(page, directory / f"console-{scheme}.png", height=640)


def session_events():
    """The events of a session with a server of prices: requests, replies, pings, and a stream with bursts."""
    chance = random.Random(1)
    moment = 0.0
    prices = {"BTC-USD": 64210.5, "ETH-USD": 3120.25}

    def event(kind, **members):
        minute, second = divmod(moment, 60)
        return {"type": kind, "time": f"2026-05-01T12:{int(minute):02}:{second:09.6f}Z", **members}

    def message(direction, data):
        return event("message", direction=direction, opcode="text", data=json.dumps(data))

    yield event("open", url="wss://api.example.com/v2/stream?token=secret", subprotocol="json.v2",
                extensions="permessage-deflate", status=101)
    yield message("out", {"id": 1, "method": "subscribe", "params": {"channel": "trades", "symbols": list(prices)}})
    for number in range(2, 900):
        moment += chance.expovariate(25 if int(moment / 4) % 3 else 110)
        kind = chance.random()
        if kind < 0.8:
            symbol = chance.choice(list(prices))
            prices[symbol] = round(prices[symbol] * (1 + chance.uniform(-1e-3, 1e-3)), 2)
            yield message("in", {
                "type": "trade", "symbol": symbol, "price": prices[symbol], "sequence": number,
                "maker": {"id": chance.randrange(90000), "side": chance.choice(["buy", "sell"])}})
        elif kind < 0.9:
            yield message("out", {"id": number, "method": "order.status", "params": {"order": f"o-{number}"}})
            moment += chance.uniform(0.003, 0.06)
            yield message("in", {"id": number, "result": {"order": f"o-{number}", "state": "filled"}})
        elif kind < 0.95:
            yield event("message", direction="in", opcode="binary",
                        base64=base64.b64encode(chance.randbytes(40)).decode())
        else:
            yield event("ping", direction="in", data="hb")
    yield event("close", direction="in", code=1000, reason="done", clean=True)


def write_session(page):
    recording = page.with_suffix(".jsonl")
    recording.write_text("".join(json.dumps(event) + "\n" for event in session_events()))
    run = wsx("convert", "-q", recording, page)
    if run.status:
        sys.exit(f"pages.py: wsx convert: {run.err}")


def photograph_session(browser, path, scheme, picture, width, height):
    with SessionPage(browser, path, width=width, height=height, is_dark=scheme == "dark") as page:
        page.wait_for("document.querySelector('.latency:not(:empty)')")
        if width >= WIDTH:
            page.press_keys(*["ArrowDown"] * 10)
        photograph(page, picture, height, width)


def photograph_live(browser, scheme, directory):
    """Photographs the messages of two applications. An order of the second one is held."""
    with Listener("--echo") as server, Relay(server.url, "--page", "0", "--hold", "json:.op==\"order\"") as relay:
        with LivePage(browser, relay, width=1200, height=760, is_dark=scheme == "dark") as page:
            for symbol in ("BTC-USD", "ETH-USD", "SOL-USD"):
                wsx("connect", "-1", f"{relay.url}prices", json.dumps({"op": "subscribe", "symbol": symbol}))
            with Running([BINARY, "connect", "--no-stdin", f"{relay.url}orders", '{"op":"order","limit":5}']):
                page.wait_for("document.querySelector('#held li')")
                page.press_keys("End")
                photograph(page, directory / f"live-{scheme}.png", height=760, width=1200)


def silence_programs():
    """Hides the output of the programs that drive the browser, but not that of this script."""
    sys.stderr = os.fdopen(os.dup(2), "w")
    with open(os.devnull, "w") as null:
        os.dup2(null.fileno(), 2)


def main():
    silence_programs()
    directory = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/images"
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="wsx-", ignore_cleanup_errors=True) as scratch:
        scratch = pathlib.Path(scratch)
        report = scratch / "report.html"
        session = scratch / "session.html"
        write_session(session)
        is_clean = load_test(report)
        with Chromium(scratch / "profile") as browser:
            for scheme in ("light", "dark"):
                photograph_console(browser, scheme, directory)
                photograph_live(browser, scheme, directory)
                photograph_session(browser, session, scheme, directory / f"session-{scheme}.png", WIDTH, 640)
                if is_clean:
                    photograph_report(browser, report, scheme, directory)
            photograph_session(browser, session, "light", directory / "session-narrow.png", 390, 700)
    if not is_clean:
        sys.exit("pages.py: each report has warnings, so its pictures are unchanged; use an idle machine")


if __name__ == "__main__":
    main()
