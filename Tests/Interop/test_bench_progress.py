"""The progress line of `wsx bench`."""

from processes import wsx
from terminal import Screen


def test_a_terminal_shows_progress_and_then_the_results():
    with Screen(width=90, height=40) as screen:
        screen.enter('"$WSX" bench -c 3 -d 90s echo:')
        screen.wait_for(r"\d s left +[0-9,]+ replies/s +[▁▂▃▄▅▆▇█]+ +p50 [^,]+, p99 .* +3 open")
        screen.press("C-c")
        screen.wait_for(r"(?m)^Echo test with 20-byte text messages for \d+\.\d s")
        screen.wait_for_last_line("shell$")
        assert "left" not in screen.text


def test_the_progress_line_does_not_scroll_a_narrow_terminal():
    with Screen(width=30, height=40) as screen:
        screen.enter('"$WSX" bench -d 8s -c 3 echo: >/dev/null; echo over')
        screen.wait_for(r"\d s left")
        screen.wait_for(r"(?m)^over")
        lines = [line for line in screen.lines if line and "shell$" not in line and "WSX" not in line]
        assert lines[-1] == "over" and not any("left" in line for line in lines)


def test_without_a_terminal_there_is_no_progress_line():
    assert wsx("bench", "-d", "1s", "echo:").err == ""
