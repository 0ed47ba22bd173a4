#!/usr/bin/env python3
"""Photographs the console of `wsx listen --console` and the report of `wsx bench --report`, light and dark.

Writes docs/images/{console,report}-{light,dark}.png, or into the directory given as the argument. WSX names another
binary than .build/release/wsx. Needs chromium-headless-shell and pytest, which `make test-deps` installs.
"""

import base64
import json
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Interop"))

from browser import Chromium  # noqa: E402
from console_page import ConsolePage  # noqa: E402
from processes import Listener, wsx  # noqa: E402
from report_page import ReportPage  # noqa: E402

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


def photograph(page, path, height):
    """Writes a screenshot of the window."""
    page.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=height, deviceScaleFactor=1, mobile=False)
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
        is_clean = load_test(report)
        with Chromium(scratch / "profile") as browser:
            for scheme in ("light", "dark"):
                photograph_console(browser, scheme, directory)
                if is_clean:
                    photograph_report(browser, report, scheme, directory)
    if not is_clean:
        sys.exit("pages.py: each report has warnings, so its pictures are unchanged; use an idle machine")


if __name__ == "__main__":
    main()
