#!/usr/bin/env python3
"""Checks what the compiler does not: scripts/layers.txt says which folders of a target a folder may use, and which files
may import a module from outside; other imports must be dependencies of the target in Package.swift. LoadTest must not
do I/O, either.

Reads the names of types instead of compiling, which takes seconds. It does not find functions, constants, members of
extensions, names in string interpolations, and types whose name the file gives to one of its own.
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TYPE = re.compile(r"^( *)((?:\w+(?:\([a-z]+\))? )*)(?:struct|class|enum|protocol|actor|typealias) (\w+)", re.MULTILINE)
# What does not count as a use: comments, texts, and the names of members.
IGNORED = re.compile(r'//.*|/\*(?:.|\n)*?\*/|"""(?:.|\n)*?"""|#".*?"#|"(?:\\.|[^"\\\n])*"|\.[A-Z]\w*')
IMPORT = re.compile(r"\s*(?:@\w+(?:\([^)]*\))? )*(?:\w+ )?import (?:\w+ )?(\w+)")
GENERIC = re.compile(r"\b(?:func \S+?|init|struct \w+|class \w+|enum \w+)<([^>(]*)>")
# Loops, clocks, and descriptors are behind LoadHost and LoadPort.
IO = re.compile(
    r"\b(?:Connector|EventLoop|OutputFile|PreciseTimer|ProcessorTime|SecureRandom|StandardDescriptors|SystemStream)\b"
    r"|\b(?:File|Server|Timer)[(<.]|\bWallTime\.now")


def is_in(path, folders):
    """Whether a path is one of some folders and files, or below one."""
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


def read_table(text):
    """Returns what each folder may use besides itself, and which folders and files may import each module."""
    uses, imports, target = {}, {}, None
    for line in text.splitlines():
        line = line.split("#")[0].rstrip()
        if line.startswith(" "):
            name, allowed = (part.split() for part in line.split(":"))
            if target == "imports":
                imports[name[0]] = allowed
            else:
                uses[f"{target}/{name[0]}"] = [target if path == "*" else f"{target}/{path}" for path in allowed]
        elif line:
            target = line
    return uses, imports


def dependencies():
    """Returns the targets that each target may import, according to Package.swift."""
    # Another folder than that of the build: SwiftPM locks it, and `make test` builds the unit tests meanwhile.
    package = subprocess.run(
        ["swift", "package", "--scratch-path", ".build/description", "dump-package"], cwd=ROOT, check=True,
        stdout=subprocess.PIPE, text=True).stdout
    return {target["name"]: {name["byName"][0] for name in target["dependencies"]}
            for target in json.loads(package)["targets"]}


def check(files, uses, imports, targets):
    """Returns the problems of files, given as texts by their paths below Sources/."""
    modules = re.compile(rf"\b(?:{'|'.join(targets)})\.(?=[A-Z])")
    declared = collections.defaultdict(lambda: collections.defaultdict(set))
    for path, text in files.items():
        for indent, modifiers, name in TYPE.findall(text):
            if not indent and "private" not in modifiers:
                declared[path.split("/")[0]][name].add(path)
    for path, text in sorted(files.items()):
        target = path.split("/")[0]
        code = IGNORED.sub(lambda match: " " + "\n" * match[0].count("\n"), modules.sub("", text))
        own = {name for _, _, name in TYPE.findall(text)} | set(re.findall(r"\w+", " ".join(GENERIC.findall(code))))
        rules = [(folder, [folder, *allowed]) for folder, allowed in uses.items() if is_in(path, [folder])]
        for number, line in enumerate(code.splitlines(), 1):
            place = f"Sources/{path}:{number}"
            if match := IMPORT.match(line):
                if match[1] in imports and not is_in(path, imports[match[1]]):
                    yield f"{place}: imports {match[1]}, which is for {', '.join(imports[match[1]])}"
                elif match[1] not in targets[target] | set(imports) - set(targets):
                    yield f"{place}: imports {match[1]}, which Package.swift does not name for {target}"
                continue
            if target == "LoadTest" and (match := IO.search(line)):
                yield f"{place}: {match[0].strip('(<.')}: LoadTest does no I/O"
            for name in set(re.findall(r"\b[A-Z]\w*", line)) - own:
                places = declared[target].get(name, ())
                for folder, allowed in rules:
                    if places and not any(is_in(other, allowed) for other in places):
                        folders = ", ".join(sorted({os.path.dirname(other) for other in places}))
                        yield f"{place}: {name} is declared in {folders}, which {folder} may not use"


def main():
    sources = ROOT / "Sources"
    files = {str(path.relative_to(sources)): path.read_text() for path in sources.rglob("*.swift")}
    uses, imports = read_table((ROOT / "scripts/layers.txt").read_text())
    named = {path for rows in (uses, imports) for paths in rows.values() for path in paths} | set(uses)
    folders = {"/".join(path.split("/")[:2]) for path in files if path.count("/") > 1}
    layered = {folder.split("/")[0] for folder in uses}
    problems = [
        *(f"scripts/layers.txt: there is no {path}" for path in sorted(named) if not any(is_in(f, [path]) for f in files)),
        *(f"Sources/{path}: put it into a folder" for path in sorted(files)
          if path.count("/") == 1 and path.split("/")[0] in layered and path not in named),
        *(f"scripts/layers.txt: {folder} has no row" for folder in sorted(folders - set(uses))
          if folder.split("/")[0] in layered),
        *check(files, uses, imports, dependencies())]
    for problem in problems:
        print(f"layers: {problem}", file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
