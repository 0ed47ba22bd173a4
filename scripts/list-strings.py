#!/usr/bin/env python3
"""Lists the texts that users can see: string literals of two or more words in Sources/, and the pages' HTML and scripts.

    scripts/list-strings.py [FOLDER...]      FILE:LINE: TEXT, one line each

Interpolations are shown as in the source. Texts of developers only (preconditions, comments) are left out.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SINGLE = re.compile(r'"((?:[^"\\\n]|\\\((?:[^()]|\([^()]*\))*\)|\\.)*)"')
FOR_DEVELOPERS = re.compile(r"^\s*(//|precondition|assert|fatalError|@Test|import )")


def swift_texts(source):
    """Returns the string literals of a Swift file with their line numbers. A multi-line literal is one text."""
    lines = source.split("\n")
    index = 0
    while index < len(lines):
        line = lines[index]
        if '"""' in line and not FOR_DEVELOPERS.match(line):
            start = index + 1
            end = next((n for n in range(start, len(lines)) if '"""' in lines[n]), len(lines))
            text = " ".join(part.strip().removesuffix("\\").strip() for part in lines[start:end])
            yield start + 1, text
            index = end + 1
            continue
        if not FOR_DEVELOPERS.match(line):
            for match in SINGLE.finditer(line.split(" // ")[0]):
                yield index + 1, match.group(1)
        index += 1


def page_texts(source):
    """Returns the text between tags, and the string literals of scripts."""
    for number, line in enumerate(source.split("\n"), 1):
        for match in re.finditer(r">([^<>{}]+)<|[\"'`]([^\"'`<>]+ [^\"'`<>]+)[\"'`]", line):
            yield number, (match.group(1) or match.group(2)).strip()


def is_words(text):
    return len(re.findall(r"[A-Za-z]{2,}", re.sub(r"\\\((?:[^()]|\([^()]*\))*\)", " ", text))) >= 2 and " " in text


def main():
    folders = [pathlib.Path(name) for name in sys.argv[1:]] or [ROOT / "Sources"]
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            texts = {".swift": swift_texts, ".html": page_texts, ".js": page_texts}.get(path.suffix)
            if texts is None:
                continue
            for number, text in texts(path.read_text()):
                if is_words(text):
                    print(f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}:{number}: {text}")


if __name__ == "__main__":
    main()
