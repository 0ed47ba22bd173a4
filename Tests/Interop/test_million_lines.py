"""Many lines through an echo server return byte-identical and in order."""

import filecmp

import pytest

from processes import shell, wsx

# Lengths around 126, where the frame header grows, and text that is not ASCII.
PADDINGS = ["", "x", "é", "水" * 3, "y" * 40, "z" * 117, "w" * 130, "🎈 " * 5]


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    """Returns a function that returns a file with this number of lines."""
    folder = tmp_path_factory.mktemp("lines")

    def write(count):
        path = folder / str(count)
        if not path.exists():
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.writelines(f"{number} {PADDINGS[number % 8]}\n" for number in range(count))
        return path

    return write


# wsx's own echo takes a second for a million lines, ws for Node over half a minute.
@pytest.mark.parametrize("server, count", [
    ("wsx_echo", 1_000_000), ("python_echo", 50_000), ("node_echo", 50_000),
    *(pytest.param(server, 1_000_000, marks=pytest.mark.heavy) for server in ("python_echo", "node_echo"))])
def test_lines_return_byte_identical_and_in_order(request, lines, tmp_path, server, count):
    path, out = lines(count), tmp_path / "out"
    with open(path, "rb") as stdin, open(out, "wb") as stdout:
        # On a busy machine, a server may pause for longer than the default of a second.
        result = wsx(
            "connect", "-n", str(count), "--linger", "60s", request.getfixturevalue(server).url, stdin=stdin,
            stdout=stdout, timeout=150)
    assert (result.status, result.err) == (0, "")
    assert filecmp.cmp(path, out, shallow=False)


def test_many_lines_through_pipes_need_no_count(wsx_echo, lines, tmp_path):
    path, out = lines(200_000), tmp_path / "out"
    result = shell('set -o pipefail; cat "$1" | "$WSX" connect -q "$2" | cat > "$3"', path, wsx_echo.url, out)
    assert (result.status, result.err) == (0, "")
    assert filecmp.cmp(path, out, shallow=False)
