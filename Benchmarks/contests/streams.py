"""Streams of bytes, and of records, from one process to another, with each end on its own core."""

import os
import re
import subprocess
import sys
import time

from contest import Contest, Figure
from machine import CLIENT_CORE, SCRATCH, SERVER_CORE, WSX, free_port, pinned, wait_until_listening

STREAM_BYTES = 1 << 30
RECORD = b'{"type":"trade","symbol":"WSX","price":101.5,"size":100}'
RECORD_COUNT = 4_000_000
RECORDS_PER_MESSAGE = 100


def copy_rate(receiver, sender, source, byte_count=STREAM_BYTES):
    """Returns the bytes per second at which `sender` copies a file to the running `receiver`, which writes this many bytes."""
    with open(source, "rb") as stdin:
        begin = time.monotonic()
        process = subprocess.Popen(
            pinned(CLIENT_CORE, sender), stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        left = byte_count
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
    return byte_count / seconds


def wsx_copy(source, read="chunks", written=("--output", "raw"), byte_count=STREAM_BYTES):
    receiver = subprocess.Popen(
        pinned(SERVER_CORE, [WSX, "listen", *written, "--compress=off", "0"]), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    port = re.search(rb":(\d+)/", receiver.stderr.readline()).group(1).decode()
    sender = [WSX, "connect", "--linger", "forever", "--compress=off", "--input", read, f"ws://127.0.0.1:{port}/"]
    rate = copy_rate(receiver, sender, source, byte_count)
    receiver.stderr.close()
    return rate


def record_rate(source, *steps):
    """Returns the records per second that one core writes as lines, if `steps` make them of messages."""
    byte_count = RECORD_COUNT * (len(RECORD) + 1)
    return wsx_copy(source, "nul", steps, byte_count) / (len(RECORD) + 1)


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

    lines = SCRATCH / "records.bin"
    message = b"\n".join([RECORD] * RECORDS_PER_MESSAGE) + b"\0"
    lines.write_bytes(message * (RECORD_COUNT // RECORDS_PER_MESSAGE))
    yield Contest(
        (Figure(f"records of {len(RECORD)} bytes, {RECORDS_PER_MESSAGE} in a message, to lines", "per second", 1),),
        {"wsx --decode lines": lambda: record_rate(lines, "--decode", "lines"),
         "wsx, the messages as they are": lambda: record_rate(lines)})
    lines.unlink()
