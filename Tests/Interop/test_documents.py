"""The documents name files, declarations, and command lines that exist."""

import pathlib
import re
import shlex

import pytest

from processes import environment, wsx

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACES = ["Benchmarks", "Fuzz", "Sources", "Tests", "completions", "docs", "man", "packaging", "scripts"]
FILES = [path for place in PLACES for path in (ROOT / place).rglob("*") if path.is_file()]
PATHS = {place for path in FILES for place in [path, *path.parents] if ROOT in place.parents} | set(ROOT.iterdir())
RELATIVE = {path.relative_to(ROOT).as_posix() for path in PATHS}
DOCUMENTS = [path for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")] if path.name != "CHANGELOG.md"]

# What the how-tos add, and what belongs to other projects.
NEW = re.compile(r"WAMP|Ascii85|Burst|CountingStream|burst|lostReply|showCounts|DiscardService")
FOREIGN = {"backoffLimitPerIndex", "vVERSION", "GenerativeService", "BidiGenerateContent"}
FOREIGN_PATHS = {"benchmarks/load_test.c", "sys/sysctl.h", "http/1.1", "share/doc/wsx/copyright", "public/", "NNN-title.md"}


def words_of_sources():
    kinds = {".swift", ".h", ".c", ".py", ".js", ".sh"}
    texts = (path.read_text(errors="replace") for path in FILES if path.suffix in kinds)
    return {word for text in texts for word in re.findall(r"[A-Za-z_]\w*", text)} | {path.stem for path in FILES} | {
        part for path in FILES for part in re.split(r"\W", path.name)} | {path.name for path in PATHS}


WORDS = words_of_sources()


def lines(document):
    """The numbers, texts, and languages of the lines; the language is None outside of a block of code."""
    language = None
    for number, line in enumerate(document.read_text().replace("\\\n", " \n").split("\n"), 1):
        if fence := re.match(r"\s*```(\w*)", line):
            language = (fence.group(1) or "sh") if language is None else None
        else:
            yield number, line, language


def exists(path):
    return any(f"/{known}".endswith(f"/{path.rstrip('/')}") for known in RELATIVE)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_a_document_names_exists(document):
    missing = []
    for number, line, language in lines(document):
        for link in re.findall(r"\]\(([^)#\s:]+)(?:#[^)]*)?\)", line):
            if not link.startswith("../..") or document.parent != ROOT:
                missing += [] if (document.parent / link).exists() else [(number, link)]
        for code in re.findall(r"`([^`]+)`", line) if language is None else []:
            is_path = re.fullmatch(r"[\w+-][\w.+-]*(/[\w.+-]+)+/?|[\w+-]+\.(swift|py|md)", code)
            if is_path and not NEW.search(code) and code not in FOREIGN_PATHS and not exists(code):
                missing.append((number, code))
        codes = [re.sub(r'//.*|"[^"]*"', "", line)] if language == "swift" else re.findall(r"`([^`]+)`", line)
        for word in re.findall(r"\b(?:[a-z]+(?:[A-Z]\w*)+|[A-Z]\w*[a-z]+[A-Z]\w*)\b", " ".join(codes)):
            if language in (None, "swift") and word not in WORDS | FOREIGN and not NEW.search(word):
                missing.append((number, word))
    assert missing == []


def command_lines(document):
    """The words of the command lines of a document that have no placeholder or variable for a value."""
    text = re.sub(r"\\\n\s*", " ", document.read_text())
    blocks = re.findall(r"```(?:bash|sh)?\n(.*?)```", text, re.DOTALL)
    for line in [line for block in blocks for line in block.split("\n")]:
        if not line.startswith("wsx ") or "..." in line or "$" in line:
            continue
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        try:
            words = list(lexer)[1:]
        except ValueError:
            # A quoted text continues on the next line.
            continue
        end = next((index for index, word in enumerate(words) if set(word) <= set("|<>;&()")), len(words))
        if words[0] in ("connect", "listen", "relay", "bench") or words[0].startswith(("-", "ws", "@", "echo:")):
            yield words[:end]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_options_of_command_lines_exist(document):
    for words in command_lines(document):
        end = words.index("--") if "--" in words else len(words)
        # Help comes after the options have been checked.
        result = wsx(*words[:end], "--help", *words[end:], env=environment(WSX_CONFIG=""))
        assert result.status == 0, (words, result)
