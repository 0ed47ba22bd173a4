"""A large message arrives whole, in either direction."""

import random

from processes import Listener, assert_fails, wsx

MEBIBYTE = 1 << 20
# Other servers may take a while before they process our close frame.
PATIENT = ["--close-timeout", "50s"]


def text_of(byte_count):
    """Returns text of exactly this many bytes, with characters of one to four bytes."""
    unit = "aé水🎈".encode()
    return unit * (byte_count // len(unit)) + b"a" * (byte_count % len(unit))


def test_a_text_message_of_32_mib_returns_whole(echo_server):
    message = text_of(32 * MEBIBYTE)
    result = wsx(
        "connect", "--input", "message", "--output", "raw", "-n", "1", *PATIENT, echo_server.url, stdin=message)
    assert (result.status, result.err) == (0, "")
    assert result.out == message


def test_a_file_of_32_mib_returns_whole_as_one_binary_message(echo_server, tmp_path):
    path = tmp_path / "message"
    path.write_bytes(random.randbytes(32 * MEBIBYTE))
    result = wsx("connect", "--binary", "-f", path, "--output", "raw", "-n", "1", *PATIENT, echo_server.url)
    assert (result.status, result.err) == (0, "")
    assert result.out == path.read_bytes()


def test_fragments_of_a_text_message_may_split_characters(echo_server):
    message = text_of(MEBIBYTE + 1)
    result = wsx(
        "connect", "--fragment-size", "1021", "--input", "message", "--output", "raw", "-n", "1",
        echo_server.url, stdin=message)
    assert (result.status, result.err) == (0, "")
    assert result.out == message


def test_a_message_over_the_limit_of_connect_is_a_violation(wsx_echo):
    result = wsx("connect", "--max-message-size", "1k", wsx_echo.url, stdin=b"x" * 1025 + b"\n")
    assert_fails(result, 1, "larger than 1024 bytes", "--max-message-size", "1009")


def test_a_message_of_exactly_the_limit_is_accepted(wsx_echo):
    result = wsx("connect", "--max-message-size", "1k", "-n", "1", wsx_echo.url, stdin=b"x" * 1024)
    assert (result.status, result.err) == (0, "")


def test_a_message_over_the_limit_of_listen_is_rejected_with_1009():
    with Listener("--echo", "--max-message-size", "1k") as server:
        result = wsx("connect", server.url, "x" * 1025)
        assert_fails(result, 1, "1009")
