"""A stream of random bytes from one process to another, with each end on its own core."""

import os
import re
import subprocess
import sys
import time

from contest import Contest, Figure
from machine import CLIENT_CORE, SCRATCH, SERVER_CORE, WSX, free_port, pinned, wait_until_listening

STREAM_BYTES = 1 << 30


def copy_rate(receiver, sender, source):
    """Returns the bytes per second at which `sender` copies a file to the running `receiver`."""
    with open(source, "rb") as stdin:
        begin = time.monotonic()
        process = subprocess.Popen(
            pinned(CLIENT_CORE, sender), stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        left = STREAM_BYTES
        piece = bytearray(1 << 20)
        while left > 0:
            count = os.readv(receiver.stdout.fileno(), [piece])
            if not count:
                sys.exit(f"bench: {receiver.args} ended with {left} bytes to come")
            left -= count
        seconds = time.monotonic() - begin
    for running in (process, receiver):
        running.kill()
        running.wait()
    receiver.stdout.close()
    return STREAM_BYTES / seconds


def wsx_copy(source):
    receiver = subprocess.Popen(
        pinned(SERVER_CORE, [WSX, "listen", "--output", "raw", "--compress=off", "0"]), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    port = re.search(rb":(\d+)/", receiver.stderr.readline()).group(1).decode()
    sender = [WSX, "connect", "--linger", "forever", "--compress=off", "--input", "chunks", f"ws://127.0.0.1:{port}/"]
    rate = copy_rate(receiver, sender, source)
    receiver.stderr.close()
    return rate


def socat_copy(source, *options):
    """Copies a file over plain TCP."""
    port = free_port()
    receiver = subprocess.Popen(
        pinned(SERVER_CORE, ["socat", "-u", *options, f"TCP-LISTEN:{port},bind=127.0.0.1,reuseaddr", "-"]),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    wait_until_listening(port, "socat")
    return copy_rate(receiver, ["socat", "-u", *options, "-", f"TCP:127.0.0.1:{port}"], source)


def contests():
    source = SCRATCH / "stream.bin"
    with source.open("wb") as file:
        for _ in range(STREAM_BYTES >> 20):
            file.write(os.urandom(1 << 20))
    yield Contest(
        (Figure("pipe: 1 GiB as chunks, one way", "MiB/s", 1 << 20),),
        {"wsx": lambda: wsx_copy(source), "socat over TCP": lambda: socat_copy(source),
         "socat -b 65536": lambda: socat_copy(source, "-b", "65536")})
    source.unlink()
