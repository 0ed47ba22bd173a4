"""The completion scripts, run in their shells."""

import os
import pathlib
import re
import shlex
import shutil
import time

import pytest

from processes import BINARY, run, wait_until
from terminal import Screen

COMPLETIONS = pathlib.Path(__file__).parents[2] / "completions"
PROGRAM = "wsx-test-program"
URLS = {"echo:", "ws://", "wss://"}
COMMANDS = {"connect", "listen", "bench", "help", "completions"}
PROFILES = {"@prod", "@preview"}
RECENT = {"wss://recent.example/a?b=c&d", "wss://recent.example/x"}
# The characters that end a word for bash.
BREAKS = ":=@"


@pytest.fixture
def place(tmp_path):
    """A directory that contains a directory, a file, a program on PATH, profiles, and recent URLs."""
    (tmp_path / "site").mkdir()
    (tmp_path / "notes.txt").touch()
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / PROGRAM
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / "bin/wsx").symlink_to(BINARY)
    (tmp_path / "config").write_text("".join(f"[{name[1:]}]\n" for name in PROFILES))
    (tmp_path / "state/wsx").mkdir(parents=True)
    (tmp_path / "state/wsx/urls").write_text("".join(f"{url}\n" for url in RECENT))
    return tmp_path


def variables(place):
    return {"PATH": f"{place}/bin:{os.environ['PATH']}", "WSX_CONFIG": f"{place}/config", "XDG_STATE_HOME": f"{place}/state"}


def environment(place):
    return {**os.environ, **variables(place), "HOME": os.fspath(place)}


def bash(place, *words):
    """The completions that bash offers for the last word. It inserts only the part after the last word break."""
    line = " ".join(["wsx", *words])
    script = f"""
        source {shlex.quote(os.fspath(COMPLETIONS / "wsx.bash"))}
        COMP_WORDBREAKS={shlex.quote(BREAKS)} COMP_LINE={shlex.quote(line)} COMP_POINT={len(line)}
        COMP_WORDS=(wsx "$@") COMP_CWORD=$#
        _wsx wsx
        for reply in "${{COMPREPLY[@]}}"; do eval "printf '%s\\\\n' $reply"; done
        """
    pieces = [piece for word in words for piece in re.findall(f"[{BREAKS}]|[^{BREAKS}]+", word) or [""]]
    result = run(
        ["bash", "--norc", "--noprofile", "-c", script, "bash", *pieces], cwd=place, env=environment(place))
    # compopt works only while readline completes.
    assert result.status == 0 and all("compopt" in line for line in result.err.splitlines()), result
    # With hostcomplete, which is on by default, it inserts the '@' as well.
    kept = re.match(f"(?:.*[{BREAKS}])?", words[-1]).group().removesuffix("@")
    return {kept + reply for reply in result.out.decode().split()}


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
    with Screen(width=120, height=150, **variables(place)) as screen:
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

        wait_until(is_listed, what=f"a list for {line!r}")
        # zsh shows special characters as it would insert them.
        return set(texts[-1].replace("\\", "").split())


@pytest.fixture(params=[bash, fish, zsh], ids=lambda shell: shell.__name__)
def offered(request, place):
    """The words a shell offers."""
    if not shutil.which(request.param.__name__):
        pytest.skip(f"{request.param.__name__} is not installed")
    return lambda *words: request.param(place, *words)


def test_serve_completes_directories_only(offered):
    assert {word.rstrip("/") for word in offered("listen", "--serve", "")} == {"site", "bin", "state"}


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


@pytest.mark.parametrize("words", [
    ["@p"], ["connect", "-q", "@p"], ["-q", "@p"], ["bench", "@p"], ["relay", "8080", "@p"],
    ["relay", "127.0.0.1:8080", "-q", "@p"],
], ids=" ".join)
def test_a_profile_completes(offered, words):
    assert offered(*words) == PROFILES


@pytest.mark.parametrize("setup", [
    "shopt -s hostcomplete", "shopt -u hostcomplete; COMP_WORDBREAKS+=@",
    "shopt -u hostcomplete; COMP_WORDBREAKS=${COMP_WORDBREAKS//@}",
])
def test_bash_keeps_the_at_sign_of_a_profile(place, setup):
    with Screen(**variables(place)) as screen:
        screen.enter(f"source {shlex.quote(os.fspath(COMPLETIONS / 'wsx.bash'))}; {setup}; clear; echo ready")
        screen.wait_for("^ready$")
        for typed, completed in {"wsx @": "wsx @pr", "wsx @pre": "wsx @preview", "wsx relay 8 @pro": "wsx relay 8 @prod"}.items():
            screen.press("C-u")
            screen.type(typed + "\t")
            screen.wait_for(f"^shell\\$ {completed}$")


@pytest.mark.parametrize("words", [["wss://rec"], ["connect", "wss://rec"], ["bench", "-c", "5", "wss:"]], ids=" ".join)
def test_a_recent_url_completes(offered, words):
    assert offered(*words) >= RECENT


def test_profiles_and_recent_urls_are_offered_with_the_commands(offered):
    assert offered("") >= PROFILES | RECENT


@pytest.mark.parametrize("shell", [bash, fish], ids=lambda shell: shell.__name__)
def test_a_profile_completes_only_once(shell, place):
    if not shutil.which(shell.__name__):
        pytest.skip(f"{shell.__name__} is not installed")
    assert not shell(place, "@prod", "@p") & PROFILES
    assert not shell(place, "connect", "wss://h/", "@p") & PROFILES
