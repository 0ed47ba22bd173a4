"""The program around the commands: help, version, completions, make run, and make install."""

import os
import re
import shutil
import signal
import subprocess

import pytest

from processes import BINARY, ROOT, run, shell, wait_until, wsx
from sanitizer import SANITIZER
from terminal import RawTerminal


# Between releases, the version is the next one, and the commit follows in the program that `make build` built.
VERSION = r"wsx \d+\.\d+\.\d+(-dev( \([0-9a-f]{7}\))?)?\n"


def test_the_version_is_one_line():
    result = wsx("--version")
    assert (result.status, result.err) == (0, "")
    assert re.fullmatch(VERSION, result.out.decode())


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["help"], ["help", "connect"], ["help", "listen"], ["connect", "--help"],
                                       ["connect", "-h"], ["listen", "--help"], ["listen", "-h"]], ids=" ".join)
def test_help_goes_to_standard_output(arguments):
    result = wsx(*arguments)
    assert (result.status, result.err) == (0, "")
    assert "wsx" in result.lines[0] or "wsx" in result.lines[2]
    assert max(len(line) for line in result.lines) <= 100


@pytest.mark.parametrize("words, error", [
    (["connect", "--untli"], "wsx: unknown option '--untli'; did you mean '--until'?\n"),
    (["listen", "--until"], "wsx: '--until' is an option of 'wsx connect', not of this command\n"),
])
def test_help_for_an_option_that_does_not_exist_fails(words, error):
    result = wsx("help", *words)
    assert (result.status, result.out, result.err) == (2, b"", error)


def test_long_help_on_a_terminal_goes_through_the_pager(tmp_path):
    shown = tmp_path / "shown"
    for words in (["help", "connect"], ["connect", "--help"]):
        with RawTerminal(*words, PAGER=f"cat > '{shown}'") as terminal:
            assert terminal.wait() == 0
        assert shown.read_bytes() == wsx("help", "connect").out
        assert terminal.output == b""


def test_a_signal_ends_the_pager_and_restores_the_terminal():
    with RawTerminal("help", "connect", PAGER="less") as terminal:
        terminal.wait_for(b"Usage")
        terminal.signal(signal.SIGTERM)
        assert terminal.wait() == 128 + signal.SIGTERM
        assert terminal.attributes == terminal.attributes_before
        wait_until(lambda: not terminal.session, what="the end of less")


@pytest.mark.parametrize("pager", ["", "cat", "no-such-pager 2>/dev/null"])
def test_long_help_without_a_usable_pager_goes_to_the_terminal(pager):
    with RawTerminal("help", "connect", PAGER=pager) as terminal:
        assert terminal.wait() == 0
    assert terminal.output.replace(b"\r\n", b"\n") == wsx("help", "connect").out


def test_help_that_fits_the_screen_needs_no_pager(tmp_path):
    for words, height in ((["help", "completions"], 50), (["help", "connect", "--until"], 50), (["connect", "-h"], 10)):
        with RawTerminal(*words, PAGER=f"cat > '{tmp_path}/shown'", height=height) as terminal:
            assert terminal.wait() == 0
        assert b"wsx" in terminal.output or b"--until" in terminal.output
    assert not (tmp_path / "shown").exists()


def test_a_reader_that_leaves_early_does_not_make_help_fail():
    assert shell('"$WSX" help connect | head -1; echo "${PIPESTATUS[0]}"').lines[-1] == "0"


@pytest.mark.parametrize("kind, file", [("bash", "wsx.bash"), ("zsh", "_wsx"), ("fish", "wsx.fish")])
def test_completions_equal_the_installed_files_and_are_valid(kind, file):
    result = wsx("completions", kind)
    assert (result.status, result.err) == (0, "")
    assert result.out == (ROOT / "completions" / file).read_bytes()
    if shutil.which(kind):
        assert run([kind, "-n", ROOT / "completions" / file]).status == 0


def test_bash_completes_options():
    script = """
        source "$1"
        COMP_WORDS=(wsx connect --ling) COMP_CWORD=2 COMP_LINE="wsx connect --ling" COMP_POINT=18
        function=$(complete -p wsx | sed 's/.*-F \\([^ ]*\\).*/\\1/')
        $function wsx --ling connect
        echo "${COMPREPLY[@]}"
    """
    result = shell(script, ROOT / "completions/wsx.bash")
    assert result.lines[-1].strip() == "--linger"


def make(*arguments, **options):
    """Runs make with an existing binary, so it builds nothing."""
    return run(["make", "--no-print-directory", *arguments], cwd=ROOT, timeout=240, **options)


def test_bash_completes_the_options_of_connect_after_a_url():
    script = f"""source <({BINARY} completions bash)
        COMP_WORDS=(wsx ws://localhost/ --no-std); COMP_CWORD=2; _wsx; echo "${{COMPREPLY[@]}}"
        """
    assert subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60).stdout == "--no-stdin\n"


@pytest.mark.alone
def test_make_run_in_a_pipe_prints_only_the_echo():
    result = make("run", "DEBUG_BUILD=true", f"DEBUG_BINARY={BINARY}", stdin=b"hello\n")
    assert (result.status, result.out) == (0, b"hello\n")


@pytest.mark.alone
def test_make_install_installs_every_file(tmp_path):
    assert make("install", f"DESTDIR={tmp_path}", "PREFIX=/usr").status == 0
    files = {
        os.path.relpath(os.path.join(directory, name), tmp_path) for directory, _, names in os.walk(tmp_path) for name in names}
    assert files == {
        "usr/bin/wsx",
        "usr/share/bash-completion/completions/wsx",
        "usr/share/zsh/site-functions/_wsx",
        "usr/share/fish/vendor_completions.d/wsx.fish",
        *(f"usr/share/man/man{path.suffix[1:]}/{path.name}" for path in (ROOT / "man").iterdir())}
    installed = tmp_path / "usr/bin/wsx"
    assert run([installed, "--version"]).status == 0
    assert run([installed, "connect", "echo:", "hi"]).out == b"hi\n"


@pytest.mark.skipif(SANITIZER != "" or "debug" in BINARY, reason="a sanitizer or a debug build changes the binary")
def test_the_binary_is_small_and_does_not_need_the_swift_runtime(tmp_path):
    stripped = tmp_path / "wsx"
    subprocess.run(["strip", "-o", stripped, BINARY], check=True, timeout=60)
    assert stripped.stat().st_size < 25_000_000
    assert b"libswift" not in run(["ldd", BINARY]).out


@pytest.mark.skipif(not shutil.which("man"), reason="man is not installed")
def test_the_manual_pages_format_without_warnings():
    for page in (ROOT / "man").iterdir():
        result = run(["man", "--warnings", "-l", page], env={**os.environ, "MANWIDTH": "80", "MANROFFSEQ": "t"})
        assert (result.status, result.err) == (0, "")
