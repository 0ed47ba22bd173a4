"""The completion scripts, run in their shells."""

import os
import pathlib
import re
import shlex
import shutil
import time

import pytest

from processes import run, wait_until
from terminal import Screen

COMPLETIONS = pathlib.Path(__file__).parents[2] / "completions"
PROGRAM = "wsx-test-program"
URLS = {"echo:", "ws://", "wss://"}
COMMANDS = {"connect", "listen", "bench", "help", "completions"}


@pytest.fixture
def place(tmp_path):
    """A directory that contains a directory, a file, and a program on PATH."""
    (tmp_path / "site").mkdir()
    (tmp_path / "notes.txt").touch()
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / PROGRAM
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return tmp_path


def environment(place):
    return {**os.environ, "PATH": f"{place}/bin:{os.environ['PATH']}", "HOME": os.fspath(place)}


def bash(place, *words):
    """What bash offers for the last word."""
    script = f"""
        source {shlex.quote(os.fspath(COMPLETIONS / "wsx.bash"))}
        COMP_WORDS=(wsx "$@") COMP_CWORD=$#
        _wsx
        printf '%s\\n' "${{COMPREPLY[@]}}"
        """
    result = run(
        ["bash", "--norc", "--noprofile", "-c", script, "bash", *words], cwd=place, env=environment(place))
    # compopt works only while readline completes.
    assert result.status == 0 and all("compopt" in line for line in result.err.splitlines()), result
    return set(result.out.decode().split())


def fish(place, *words):
    """What fish offers for the last word."""
    line = " ".join(["wsx", *words])
    script = f"source {shlex.quote(os.fspath(COMPLETIONS / 'wsx.fish'))}; complete -C {shlex.quote(line)}"
    result = run(["fish", "--no-config", "-c", script], cwd=place, env=environment(place))
    assert (result.status, result.err) == (0, ""), result
    return {candidate.split("\t")[0] for candidate in result.out.decode().splitlines()}


def zsh(place, *words):
    """What zsh offers for the last word, according to its screen."""
    line = " ".join(["wsx", *words])
    script = shlex.quote(os.fspath(COMPLETIONS / "_wsx"))
    with Screen(width=120, height=150, PATH=environment(place)["PATH"]) as screen:
        screen.enter(f"cd {shlex.quote(os.fspath(place))}; PS1='zsh%% ' exec zsh -f")
        screen.wait_for("^zsh%$")
        screen.enter(f"autoload -U compinit; compinit -D -u; source {script}; LISTMAX=1000; clear; echo ready")
        screen.wait_for("^ready$")
        screen.type(line)
        screen.wait_for(f"{re.escape(line.rstrip())}$")
        # At the end of a line, C-d lists candidates and inserts nothing.
        screen.press("C-d")
        texts = [None, None]

        def is_listed():
            texts.append(screen.text.partition(f"zsh% {line.rstrip()}")[2])
            time.sleep(0.1)
            return texts[-1].strip() and texts[-1] == texts[-2]

        wait_until(is_listed, timeout=10, what=f"a list for {line!r}")
        return set(texts[-1].split())


@pytest.fixture(params=[bash, fish, zsh], ids=lambda shell: shell.__name__)
def offered(request, place):
    """The words a shell offers."""
    if not shutil.which(request.param.__name__):
        pytest.skip(f"{request.param.__name__} is not installed")
    return lambda *words: request.param(place, *words)


def test_serve_completes_directories_only(offered):
    assert {word.rstrip("/") for word in offered("listen", "--serve", "")} == {"site", "bin"}


def test_file_options_complete_files(offered):
    assert "notes.txt" in offered("connect", "-f", "no") | offered("connect", "-f", "")


@pytest.mark.parametrize(
    "words", [["connect"], ["connect", "-q"], ["connect", "--output", "json"], ["-q"], ["bench", "-c", "5"]], ids=" ".join)
def test_a_url_completes_where_one_is_expected(offered, words):
    assert offered(*words, "") >= URLS


def test_the_first_word_completes_commands_and_urls(offered):
    assert offered("") >= COMMANDS | URLS


def test_options_complete_without_a_command(offered):
    assert {"--quiet", "--version"} <= offered("--")


def test_bench_completes_its_subcommand(offered):
    assert "merge" in offered("bench", "")


def test_exec_completes_programs_and_their_files(offered):
    for words in (["listen", "--exec", "--"], ["listen", "--exec", "8080", "--"]):
        assert PROGRAM in offered(*words, PROGRAM[:-3])
        assert "notes.txt" in offered(*words, PROGRAM, "")
