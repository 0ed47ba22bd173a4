"""What is different under a sanitizer: `make test SANITIZE=address` and `make test SANITIZE=thread`.

A sanitizer writes what it finds into a file, whatever becomes of the standard error and the exit status of the process,
and the test in which it appears fails. Leaks are not looked for here: the program exits as soon as its work is done,
and leaves the rest to the system. The unit tests look for them.
"""

import os
import pathlib
import tempfile

SANITIZER = os.environ.get("SANITIZE", "")

# How many times as much memory the program may take up, for the shadow of each byte, and how much more in any case: what
# was freed is kept aside (16 MiB, below) to see who uses it still, and so is what threads and files have to do with it.
MEMORY_FACTOR = 2 if SANITIZER else 1
MORE_MEMORY_BYTES = 64 << 20 if SANITIZER else 0

REPORTS = pathlib.Path(tempfile.mkdtemp(prefix="wsx-sanitizer-")) if SANITIZER else None
if SANITIZER:
    options = f"log_path={REPORTS}/report:exitcode=99:detect_leaks=0:quarantine_size_mb=16"
    os.environ["ASAN_OPTIONS"] = os.environ["TSAN_OPTIONS"] = options


def take_reports():
    """What sanitizers have reported since the last time, and removes it."""
    if not REPORTS:
        return ""
    texts = []
    for path in REPORTS.iterdir():
        texts.append(path.read_text(errors="replace"))
        path.unlink()
    return "\n".join(texts)
