"""Messages travel byte for byte, in every format of input and output."""

import pytest

from processes import assert_fails, wsx

ALL_BYTES = bytes(range(256))


def echoed(url, *arguments, stdin=b""):
    result = wsx("connect", "--linger", "500ms", *arguments, url, stdin=stdin)
    assert (result.status, result.err) == (0, "")
    return result.out


def test_all_byte_values_return_from_a_binary_file(echo_server, tmp_path):
    path = tmp_path / "bytes"
    path.write_bytes(ALL_BYTES * 3)
    assert echoed(echo_server.url, "--binary", "-f", path, "--output", "raw", "-n", "1") == ALL_BYTES * 3


def test_all_byte_values_return_as_one_message_of_standard_input(echo_server):
    assert echoed(
        echo_server.url, "--binary", "--input", "message", "--output", "raw", "-n", "1", stdin=ALL_BYTES) == ALL_BYTES


def test_binary_lines_can_contain_every_byte_except_lf(echo_server):
    line = ALL_BYTES.replace(b"\n", b"")
    lines = (line + b"\n") * 3 + line[::-1] + b"\n"
    assert echoed(echo_server.url, "--binary", "-n", "4", stdin=lines) == lines


def test_text_lines_can_contain_every_ascii_byte_except_lf(wsx_echo):
    line = bytes(range(128)).replace(b"\n", b"") + b"\n"
    assert echoed(wsx_echo.url, "-n", "1", stdin=line) == line


def test_nul_records_can_contain_every_byte_except_nul(echo_server):
    record = ALL_BYTES[1:] + b"\0"
    assert echoed(
        echo_server.url, "--binary", "--input", "nul", "--output", "nul", "-n", "2", stdin=record * 2) == record * 2


def test_chunks_are_binary_and_arrive_whole(echo_server):
    stream = ALL_BYTES * 4096
    assert echoed(echo_server.url, "--input", "chunks", "--output", "raw", stdin=stream) == stream


def test_an_empty_line_is_an_empty_message(echo_server):
    assert echoed(echo_server.url, "-n", "4", stdin=b"\na\n\n\n") == b"\na\n\n\n"


def test_a_last_line_without_a_newline_is_sent(echo_server):
    assert echoed(echo_server.url, "-n", "2", stdin=b"a\nb") == b"a\nb\n"


def test_no_input_sends_nothing(wsx_echo):
    assert echoed(wsx_echo.url, stdin=b"") == b""


def test_empty_input_is_one_empty_message_with_input_message(wsx_echo):
    assert echoed(wsx_echo.url, "--input", "message", stdin=b"") == b"\n"


@pytest.mark.parametrize("options, expected", [((), b"a\r|b||\r|c\r"), (("--crlf",), b"a|b|||c")])
def test_crlf_removes_one_carriage_return_per_line(wsx_echo, options, expected):
    out = echoed(wsx_echo.url, *options, "--output", "nul", stdin=b"a\r\nb\n\n\r\nc\r")
    assert out == b"".join(record + b"\0" for record in expected.split(b"|"))


def test_raw_output_adds_nothing(wsx_echo):
    assert echoed(wsx_echo.url, "--output", "raw", stdin=b"a\nb\n\nc") == b"abc"


def test_a_message_with_newlines_is_one_message(wsx_echo):
    result = wsx("connect", "--output", "nul", "-n", "1", wsx_echo.url, "a\nb\n")
    assert (result.status, result.out) == (0, b"a\nb\n\0")


def test_input_that_is_not_utf8_is_rejected_unless_it_is_binary(wsx_echo):
    result = wsx("connect", wsx_echo.url, stdin=b"ok\n\xff\n")
    assert_fails(result, 2, "input message 2", "--binary")


def test_a_file_that_is_not_utf8_is_rejected_before_connecting(tmp_path):
    path = tmp_path / "bytes"
    path.write_bytes(b"\xff")
    assert_fails(wsx("connect", "-f", path, "ws://127.0.0.1:1/"), 2, "--binary")


def test_piped_output_keeps_control_characters(wsx_echo):
    hostile = "\x1b[31m\x07\u202e\u0085\x9b".encode() + b"\n"
    assert echoed(wsx_echo.url, "-n", "1", stdin=hostile) == hostile
