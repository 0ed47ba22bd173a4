"""A million lines through an echo server return byte-identical and in order."""

import filecmp

import pytest

from processes import shell, wsx

LINE_COUNT = 1_000_000


@pytest.fixture(scope="module")
def million_lines(tmp_path_factory):
    path = tmp_path_factory.mktemp("lines") / "in"
    # Lengths around 126, where the frame header grows, and text that is not ASCII.
    paddings = ["", "x", "é", "水" * 3, "y" * 40, "z" * 117, "w" * 130, "🎈 " * 5]
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.writelines(f"{number} {paddings[number % 8]}\n" for number in range(LINE_COUNT))
    return path


def test_a_million_lines_return_byte_identical_and_in_order(echo_server, million_lines, tmp_path):
    out = tmp_path / "out"
    with open(million_lines, "rb") as stdin, open(out, "wb") as stdout:
        # On a busy machine, a server may pause for longer than the default of a second.
        result = wsx(
            "connect", "-n", str(LINE_COUNT), "--linger", "60s", echo_server.url, stdin=stdin, stdout=stdout, timeout=150)
    assert (result.status, result.err) == (0, "")
    assert filecmp.cmp(million_lines, out, shallow=False)


def test_a_million_lines_through_pipes_need_no_count(wsx_echo, million_lines, tmp_path):
    out = tmp_path / "out"
    result = shell('set -o pipefail; cat "$1" | "$WSX" connect "$2" | cat > "$3"', million_lines, wsx_echo.url, out)
    assert (result.status, result.err) == (0, "")
    assert filecmp.cmp(million_lines, out, shallow=False)
