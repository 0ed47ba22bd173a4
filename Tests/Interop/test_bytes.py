"""Messages travel byte for byte, in every format of input and output."""


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


def test_text_lines_can_contain_every_ascii_byte_except_lf(wsx_echo):
    line = bytes(range(128)).replace(b"\n", b"") + b"\n"
    assert echoed(wsx_echo.url, "-n", "1", stdin=line) == line


def test_chunks_are_binary_and_arrive_whole(echo_server):
    stream = ALL_BYTES * 4096
    assert echoed(echo_server.url, "--input", "chunks", "--output", "raw", stdin=stream) == stream


def test_no_input_sends_nothing(wsx_echo):
    assert echoed(wsx_echo.url, stdin=b"") == b""


def test_empty_input_is_one_empty_message_with_input_message(wsx_echo):
    assert echoed(wsx_echo.url, "--input", "message", stdin=b"") == b"\n"


def test_raw_output_adds_nothing(wsx_echo):
    assert echoed(wsx_echo.url, "--output", "raw", stdin=b"a\nb\n\nc") == b"abc"


def test_input_that_is_not_utf8_is_rejected_unless_it_is_binary(wsx_echo):
    result = wsx("connect", wsx_echo.url, stdin=b"ok\n\xff\n")
    assert_fails(result, 2, "input message 2", "--binary")


def test_piped_output_keeps_control_characters(wsx_echo):
    hostile = "\x1b[31m\x07\u202e\u0085\x9b".encode() + b"\n"
    assert echoed(wsx_echo.url, "-n", "1", stdin=hostile) == hostile
