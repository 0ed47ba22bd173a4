#!/usr/bin/env python3
"""Enforces the layers of docs/ARCHITECTURE.md: a folder uses only names of the folders that scripts/layers.txt allows.

    check-layers.py [--self-test]

Reads names instead of compiling, which takes seconds, so it does not know the types of expressions. It reports a name
only if no permitted declaration can be meant, and misses
- a member of a value, such as `value.name`, if a permitted folder, another module, or the standard library has any
  member, parameter, or label of this name, or if the member belongs to a type of the other folder;
- a conformance that another folder declares.
"""

import collections
import os
import pathlib
import re
import shutil
import sys

import swift_names

ROOT = pathlib.Path(__file__).resolve().parent.parent
IMPLICIT_VALUES = {"error", "newValue", "oldValue"}
# LoadTest does no I/O: loops, clocks, and descriptors are behind LoadHost and LoadPort.
IO_TYPES = {
    "Connector", "EventLoop", "File", "OutputFile", "PreciseTimer", "ProcessorTime", "SecureRandom", "Server",
    "StandardDescriptors", "SystemStream", "Timer"}


class Table:
    """The rows of layers.txt: `uses` maps a folder to the folders it may use besides itself, and `imports` a module to
    the folders and files that may import it. All paths begin with the target."""

    def __init__(self, text):
        self.uses, self.imports = {}, {}
        target = None
        for line in text.splitlines():
            line = line.split("#")[0].rstrip()
            if not line:
                continue
            if not line.startswith(" "):
                target = line
                continue
            name, allowed = (part.split() for part in line.split(":"))
            if target == "imports":
                self.imports[name[0]] = allowed
            else:
                self.uses[f"{target}/{name[0]}"] = [target if path == "*" else f"{target}/{path}" for path in allowed]

    def paths(self):
        """Returns every path that the table names."""
        return {path for rows in (self.uses, self.imports) for paths in rows.values() for path in paths} | set(self.uses)


def is_in(path, folders):
    """Whether a path is one of some folders and files, or below one."""
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


class Module:
    """The declarations of a target, each with the paths of its files. Private ones are visible in their own file only."""

    def __init__(self):
        # By scope and name.
        self.paths = collections.defaultdict(set)
        # Scopes and names that are types.
        self.types = set()
        # Member names that are declared in extensions only: the extended types' paths, by name and file.
        self.extension_members = collections.defaultdict(dict)
        self.inherited = collections.defaultdict(set)
        self.aliases = {}

    def add(self, path, file):
        for declaration in file.declarations:
            if declaration.is_private:
                continue
            key = (declaration.scope, declaration.name)
            self.paths[key].add(path)
            if declaration.is_type:
                self.types.add(key)
            elif declaration.is_in_extension:
                self.extension_members[declaration.name].setdefault(path, set()).add(declaration.scope)
        for scope, names in file.inherited.items():
            self.inherited[scope] |= names
        self.aliases.update(file.aliases)

    def scopes(self, path):
        """Yields a type, the types it inherits from, and then the same for the types around it."""
        while path:
            waiting, seen = [path], set()
            while waiting:
                scope = waiting.pop()
                if scope not in seen:
                    seen.add(scope)
                    yield scope
                    waiting += self.inherited.get(scope, ())
            path = path.rpartition(".")[0]


class Checker:
    def __init__(self, table, files, library):
        """`files` maps paths below Sources/ to texts."""
        self.table, self.texts, self.library = table, files, library
        self.files = {path: swift_names.Reader(text).read() for path, text in files.items()}
        self.modules = collections.defaultdict(Module)
        for path, file in self.files.items():
            self.modules[path.split("/")[0]].add(path, file)
        # The files of each name of a member, variable, or label. Private ones count in their own file only.
        self.values = collections.defaultdict(set)
        for path, file in self.files.items():
            for name in file.bound:
                self.values[name].add(path)
            for declaration in file.declarations:
                if not declaration.is_type and not declaration.is_private:
                    self.values[declaration.name].add(path)
        self.problems = set()

    def check(self):
        """Returns the problems as lines, in order."""
        for path in sorted(self.files):
            self.check_imports(path)
            self.check_uses(path)
        return [f"Sources/{path}:{line}: {text}" for path, line, text in sorted(self.problems)]

    def report(self, path, offset, text):
        self.problems.add((path, self.texts[path].count("\n", 0, offset) + 1, text))

    def check_imports(self, path):
        for module, offset in self.files[path].imports:
            if module not in self.table.imports:
                self.report(path, offset, f"imports {module}, which scripts/layers.txt does not name")
            elif not is_in(path, self.table.imports[module]):
                self.report(path, offset, f"imports {module}, which is for {', '.join(self.table.imports[module])}")

    def check_uses(self, path):
        file = self.files[path]
        target = path.split("/")[0]
        module = self.modules[target]
        own = {(declaration.scope, declaration.name): declaration for declaration in file.declarations}
        rules = [(folder, [folder, *allowed]) for folder, allowed in self.table.uses.items() if is_in(path, [folder])]
        for use in file.uses:
            chain = use.chain
            if target == "LoadTest":
                self.check_io(path, use)
            if chain[0] == "":
                self.check_member(path, rules, module, own, use, chain[1])
                continue
            if len(chain) > 1 and chain[0] in self.modules:
                chain = chain[1:]
            if chain[0] in file.bound or chain[0] in IMPLICIT_VALUES:
                scope = None
            elif chain[0] in ("self", "Self"):
                scope = use.scope or None
            else:
                scope = self.check_name(path, rules, module, own, use, chain[0])
            for name in chain[1:]:
                if scope is None:
                    self.check_member(path, rules, module, own, use, name)
                    continue
                scope = self.check_nested(path, rules, module, own, use, scope, name)

    def check_io(self, path, use):
        following = self.texts[path][use.offset + len(use.chain[0]):][:1]
        if use.chain[0] in IO_TYPES and following in ("(", "<", ".") or use.chain[:2] == ("WallTime", "now"):
            self.report(path, use.offset, f"{use.chain[0]}: LoadTest does no I/O")

    def check_paths(self, path, rules, use, name, declaring):
        """Reports a name if a rule allows none of the files that declare it."""
        for folder, allowed in rules:
            if path not in declaring and not any(is_in(other, allowed) for other in declaring):
                places = sorted({os.path.dirname(other) for other in declaring})
                self.report(path, use.offset, f"{name} is declared in {', '.join(places)}, which {folder} may not use")
                return

    def is_external(self, module, key):
        """Whether another module or the standard library declares a name with a scope, or may do so."""
        scope, name = key
        if any(key in other.paths for other in self.modules.values() if other is not module):
            return True
        if not scope:
            return name in self.library.global_names
        outermost = ("", scope.split(".")[0])
        return not any(outermost in other.paths for other in self.modules.values()) and self.library.may_have(name)

    def check_name(self, path, rules, module, own, use, name):
        """Checks the first name of a chain, and returns the path of the type that it means, or None."""
        for scope in module.scopes(use.scope):
            if (scope, name) in own or (scope, name) in module.paths:
                return self.check_declared(path, rules, module, own, use, (scope, name))
        if ("", name) in own or ("", name) in module.paths:
            if self.is_external(module, ("", name)):
                return name if ("", name) in module.types else None
            if name[0].islower() and self.may_be_member(path, rules, module, use.scope, name):
                return None
            return self.check_declared(path, rules, module, own, use, ("", name))
        if name[0].isupper():
            # A type of another module, perhaps with extensions in this one.
            return name
        if use.scope:
            # A member of a type whose declaration is out of sight, such as one of the standard library's.
            self.check_member(path, rules, module, own, use, name)
        return None

    def check_declared(self, path, rules, module, own, use, key):
        if key not in own:
            self.check_paths(path, rules, use, ".".join(filter(None, key)), module.paths[key])
        if key not in module.types and not (key in own and own[key].is_type):
            return None
        declared = ".".join(filter(None, key))
        alias = module.aliases.get(declared)
        return ".".join(alias) if alias else declared

    def may_be_member(self, path, rules, module, scope, name):
        """Whether a name within a type may be a member that this script cannot find."""
        is_known = all((("", root) in module.paths) for root in [part.split(".")[0] for part in module.scopes(scope)])
        return bool(scope) and not is_known and self.is_permitted_value(path, rules, module, name)

    def check_nested(self, path, rules, module, own, use, scope, name):
        """Checks a member of a type, and returns the path of the type that it means, or None."""
        for candidate in module.scopes(scope):
            key = (candidate, name)
            if self.is_external(module, key):
                return None
            if key in own or key in module.paths:
                return self.check_declared(path, rules, module, own, use, key)
        self.check_member(path, rules, module, own, use, name)
        return None

    def is_permitted_value(self, path, rules, module, name):
        """Whether something permitted has a name: in the file's module, in another one, or in the standard library."""
        return (
            self.library.may_have(name)
            or any(
                path == other or self.modules[other.split("/")[0]] is not module
                or all(is_in(other, allowed) for _, allowed in rules)
                for other in self.values[name]))

    def check_member(self, path, rules, module, own, use, name):
        """Checks a member of a value of unknown type: it must not be declared only in an extension in another folder, for
        a type that the other folder does not declare."""
        extensions = module.extension_members.get(name)
        if not extensions or self.is_permitted_value(path, rules, module, name):
            return
        for folder, allowed in rules:
            foreign = {
                other for other, scopes in extensions.items()
                if not is_in(other, allowed) and all(self.is_permitted_type(allowed, module, scope) for scope in scopes)}
            if foreign:
                self.check_paths(path, [(folder, allowed)], use, name, foreign)
                return

    def is_permitted_type(self, allowed, module, scope):
        """Whether folders declare a type, or none of its module does."""
        outer, _, name = scope.rpartition(".")
        declaring = module.paths.get((outer, name))
        return not declaring or any(is_in(other, allowed) for other in declaring)


class StandardLibrary:
    """The names that Swift's standard library declares: all of them, or None if they are not known, and the global ones."""

    def __init__(self, names=None, global_names=()):
        self.names, self.global_names = names, frozenset(global_names)

    @classmethod
    def installed(cls):
        """Reads the interfaces that come with the compiler."""
        compiler = shutil.which("swiftc")
        if not compiler:
            return cls()
        keywords = "actor|associatedtype|case|class|enum|func|let|protocol|struct|typealias|var"
        names, global_names = set(), set()
        folder = pathlib.Path(compiler).resolve().parent.parent / "lib/swift/linux"
        for module in ("Swift", "_Concurrency", "Synchronization"):
            for interface in folder.glob(f"{module}.swiftmodule/*-linux-gnu.swiftinterface"):
                text = interface.read_text()
                names.update(re.findall(rf"\b(?:{keywords}) (\w+)", text))
                global_names.update(re.findall(rf"^\S.*?\b(?:{keywords}) (\w+)", text, re.MULTILINE))
        return cls(names or None, global_names)

    def may_have(self, name):
        return self.names is None or name in self.names


def table_problems(table, files):
    """Returns what layers.txt lacks, and what it names that does not exist."""
    problems = [f"scripts/layers.txt: there is no {path}" for path in sorted(table.paths())
                if not any(is_in(file, [path]) for file in files)]
    folders = {"/".join(path.split("/")[:2]) for path in files if path.count("/") > 1}
    return problems + [f"scripts/layers.txt: {folder} has no row" for folder in sorted(folders - set(table.uses))]


def main():
    if sys.argv[1:] == ["--self-test"]:
        import check_layers_test
        sys.exit(check_layers_test.run(lambda text, files: Checker(Table(text), files, StandardLibrary({"first"})).check()))
    sources = ROOT / "Sources"
    files = {str(path.relative_to(sources)): path.read_text() for path in sources.rglob("*.swift")}
    table = Table((ROOT / "scripts/layers.txt").read_text())
    problems = table_problems(table, files) + Checker(table, files, StandardLibrary.installed()).check()
    for problem in problems:
        print(f"layers: {problem}", file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
