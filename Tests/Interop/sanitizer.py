"""Sanitizer support: `make test SANITIZE=address` and `make test SANITIZE=thread`.

A sanitizer writes its findings to a file, independent of the process's standard error and exit status. The test during
which a report appears fails. Leak detection is off: the program exits when its work is done and leaves cleanup to the
system. The unit tests check for leaks.
"""

import os
import pathlib
import tempfile

SANITIZER = os.environ.get("SANITIZE", "")

# Memory limits are multiplied, to allow for the shadow memory of each byte, and raised by a constant, to allow for the
# quarantine of freed memory (16 MiB, see below) and for bookkeeping per thread and file.
MEMORY_FACTOR = 2 if SANITIZER else 1
MORE_MEMORY_BYTES = 64 << 20 if SANITIZER else 0
# ThreadSanitizer has a thread of its own.
MORE_THREADS = 1 if SANITIZER == "thread" else 0

REPORTS = pathlib.Path(tempfile.mkdtemp(prefix="wsx-sanitizer-")) if SANITIZER else None
if SANITIZER:
    options = f"log_path={REPORTS}/report:exitcode=99:detect_leaks=0:quarantine_size_mb=16"
    os.environ["ASAN_OPTIONS"] = os.environ["TSAN_OPTIONS"] = options


def take_reports():
    """Returns all sanitizer reports since the last call, and deletes them."""
    if not REPORTS:
        return ""
    texts = []
    for path in REPORTS.iterdir():
        texts.append(path.read_text(errors="replace"))
        path.unlink()
    return "\n".join(texts)
