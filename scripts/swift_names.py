"""Reads the names that a Swift file declares and uses, without a compiler.

The reader knows scopes, generic parameters, argument labels, and string interpolation. It does not know the type of an
expression.
"""

import dataclasses
import re

TOKEN = re.compile(r"""
    (?P<blank>[\s;]+|//[^\n]*)
  | (?P<comment>/\*)
  | (?P<string>\#*(?:\"""(?=\n)|"))
  | (?P<name>`\w+`|[^\W\d]\w*)
  | (?P<other>\d\w*(?:\.\d\w*)?|->|\.\.\.|\.\.<|==|.)
""", re.VERBOSE | re.DOTALL)
TYPE_KEYWORDS = {"actor", "class", "enum", "protocol", "struct"}
MODIFIERS = {
    "borrowing", "class", "consuming", "convenience", "dynamic", "fileprivate", "final", "indirect", "internal", "lazy",
    "mutating", "nonisolated", "nonmutating", "open", "override", "package", "private", "public", "required", "static",
    "unowned", "weak"}
KEYWORDS = TYPE_KEYWORDS | MODIFIERS | {
    "any", "as", "associatedtype", "async", "await", "break", "case", "catch", "continue", "default", "defer", "deinit",
    "do", "else", "extension", "fallthrough", "false", "for", "func", "get", "guard", "if", "import", "in", "init", "inout",
    "is", "let", "nil", "operator", "precedencegroup", "repeat", "rethrows", "return", "self", "set", "some", "subscript",
    "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while", "yield", "Self", "_"}
CLOSING = {"(": ")", "[": "]", "{": "}"}


@dataclasses.dataclass(slots=True)
class Declaration:
    """A name in a type (`scope` is its path, such as `Session.State`) or, with the scope "", of the module."""

    scope: str
    name: str
    is_type: bool
    is_private: bool
    is_in_extension: bool


@dataclasses.dataclass(slots=True)
class Use:
    """A chain of names such as `Session.State.open`, and the path of the type around it.

    A chain that begins with an empty name, such as ("", "count"), is a member of an expression of unknown type."""

    offset: int
    chain: tuple
    scope: str


@dataclasses.dataclass(slots=True)
class SwiftFile:
    declarations: list
    uses: list
    # The modules it imports, with their offsets.
    imports: list
    # Names of variables, parameters, labels, and local functions and types, wherever they are.
    bound: set
    # The names in the inheritance clauses of each type, by path.
    inherited: dict
    # The chain of names after `=` in each type alias, by path.
    aliases: dict


def string_end(text, position, delimiter):
    """Returns the end of a string that begins at a position, and the ranges of its interpolations."""
    hashes = delimiter.count("#") * "#"
    quotes = delimiter.lstrip("#")
    piece = re.compile(rf"{quotes}{hashes}|\\{hashes}(\(|.)" + ("" if len(quotes) == 3 else "|\n"), re.DOTALL)
    ranges = []
    while match := piece.search(text, position):
        position = match.end()
        if match.group(1) == "(":
            end = position_after_group(text, position)
            ranges.append((position, end - 1))
            position = end
        elif match.group(1) is None:
            break
    else:
        position = len(text)
    return position, ranges


def position_after_group(text, position):
    """Returns the position after the parenthesis that closes the one before a position."""
    depth = 1
    while depth and position < len(text):
        match = TOKEN.match(text, position)
        position = match.end()
        if match.lastgroup == "string":
            position, _ = string_end(text, position, match.group())
        elif match.lastgroup == "comment":
            position = comment_end(text, position)
        else:
            depth += {"(": 1, ")": -1}.get(match.group(), 0)
    return position


def comment_end(text, position):
    """Returns the end of a block comment. Block comments nest."""
    depth = 1
    for match in re.compile(r"/\*|\*/").finditer(text, position):
        depth += 1 if match.group() == "/*" else -1
        if depth == 0:
            return match.end()
    return len(text)


def tokens(text, position=0, end=None):
    """Returns the words of a text and their offsets, without comments and strings. An interpolation is in parentheses."""
    words, offsets = [], []
    end = len(text) if end is None else end
    while position < end:
        match = TOKEN.match(text, position)
        kind = match.lastgroup
        if kind == "string":
            words.append('""')
            offsets.append(position)
            position, ranges = string_end(text, match.end(), match.group())
            for first, last in ranges:
                inner_words, inner_offsets = tokens(text, first, last)
                words += ["(", *inner_words, ")"]
                offsets += [first, *inner_offsets, last]
            continue
        if kind == "comment":
            position = comment_end(text, match.end())
            continue
        if kind != "blank":
            words.append(match.group().strip("`") if kind == "name" else match.group())
            offsets.append(position)
        position = match.end()
    return words, offsets


def is_name(word):
    return word[0].isalpha() or word[0] == "_"


class Reader:
    """Reads one file. `read` returns what it found."""

    def __init__(self, text):
        self.words, self.offsets = tokens(text)
        # Spares checks for the end.
        self.words += [""] * 4
        self.offsets += [len(text)] * 4
        self.file = SwiftFile([], [], [], set(), {}, {})
        # Open brackets: the character, the path of the type if it is a type's body, otherwise None, whether the body is an
        # extension's, whether its members are private, and the generic parameters that end with it.
        self.brackets = []
        # The declaration whose body has not begun: the number of open brackets, then as in `brackets`.
        self.pending = None
        # The generic parameters of declarations that are not at an end: name, and index of the first word.
        self.generic_ranges = []

    def read(self):
        index = 0
        while self.words[index]:
            word = self.words[index]
            if word in CLOSING:
                self.open(index)
            elif word in (")", "]", "}"):
                self.close(index)
            elif is_name(word) and self.words[index - 1] != "#":
                index = self.read_name(index)
                continue
            index += 1
        self.end_pending(index)
        return self.without_generic_parameters()

    # Scopes

    @property
    def scope(self):
        """The path of the type around the current word, or ""."""
        return next((bracket[1] for bracket in reversed(self.brackets) if bracket[1]), "")

    @property
    def is_local(self):
        """Whether a declaration here belongs to a body of code."""
        return bool(self.brackets) and self.brackets[-1][1] is None

    def open(self, index):
        word = self.words[index]
        path, is_extension, is_private, generics = None, False, False, []
        if word == "{":
            if self.pending and self.pending[0] == len(self.brackets):
                _, path, is_extension, is_private, generics = self.pending
                self.pending = None
            self.bind_closure_parameters(index + 1)
        self.brackets.append((word, path, is_extension, is_private, generics))

    def close(self, index):
        if self.pending and self.pending[0] == len(self.brackets):
            self.end_pending(index)
        if self.brackets:
            self.end_generics(self.brackets.pop()[4], index)

    def begin(self, index, path, is_extension, is_private, generics):
        self.pending = (len(self.brackets), path, is_extension, is_private, [(name, index) for name in generics])

    def end_pending(self, index):
        if self.pending:
            self.end_generics(self.pending[4], index)
            self.pending = None

    def end_generics(self, generics, index):
        self.generic_ranges += [(name, self.offsets[first], self.offsets[index]) for name, first in generics]

    def without_generic_parameters(self):
        by_name = {}
        for name, first, last in self.generic_ranges:
            by_name.setdefault(name, []).append((first, last))
        self.file.uses = [
            use for use in self.file.uses
            if not any(first <= use.offset <= last for first, last in by_name.get(use.chain[0], ()))]
        return self.file

    # Declarations and uses

    def read_name(self, index):
        """Reads what begins with a name or keyword, and returns the index of the next word."""
        word, following = self.words[index], self.words[index + 1]
        if self.words[index - 1] == ".":
            return self.add_use(index, leading=("",))
        if word in TYPE_KEYWORDS and is_name(following) and following not in KEYWORDS:
            return self.read_type(index)
        if word == "extension":
            return self.read_extension(index)
        if word in ("func", "init", "subscript", "typealias", "associatedtype"):
            return self.read_function_or_alias(index)
        if word in ("let", "var"):
            return self.read_variable(index)
        if word == "case" and not self.is_local and self.brackets:
            return self.read_cases(index)
        if word == "import":
            self.file.imports.append((self.words[index + 1], self.offsets[index]))
            return index + 2
        if word == "for":
            self.bind_until(index + 1, "in")
        if word in KEYWORDS and not (word in ("self", "Self") and following == "."):
            return index + 1
        return self.add_use(index)

    def add_use(self, index, leading=()):
        word, offset = self.words[index], self.offsets[index]
        is_attached_label = self.words[index + 1] == ":" and self.offsets[index + 1] == offset + len(word)
        previous = self.words[index - 1]
        is_in_parentheses = bool(self.brackets) and self.brackets[-1][0] == "("
        if not leading and is_attached_label and (not word[0].isupper() or is_in_parentheses and previous in ("(", ",")):
            self.file.bound.add(word)
            return index + 1
        if not leading and is_in_parentheses and is_name(self.words[index + 1]) and self.words[index + 2] == ":":
            # An argument label before the parameter's name.
            self.file.bound.add(word)
            return index + 1
        chain = [*leading, word]
        index += 1
        while self.words[index] == "." and is_name(self.words[index + 1]) and not leading:
            chain.append(self.words[index + 1])
            index += 2
        self.file.uses.append(Use(offset, tuple(chain), self.scope))
        return index

    def declare(self, name, is_type, is_private):
        if self.is_local:
            self.file.bound.add(name)
            return
        is_in_extension = bool(self.brackets) and self.brackets[-1][2]
        is_private = is_private or bool(self.brackets) and self.brackets[-1][3]
        self.file.declarations.append(Declaration(self.scope, name, is_type, is_private, is_in_extension))

    def is_private(self, index):
        """Whether a declaration whose keyword is at an index is private to the file."""
        while index > 0:
            index -= 1
            word = self.words[index]
            if word == ")" and self.words[index - 2] == "(":
                # private(set), or an attribute with one argument.
                index -= 3
                if self.words[index - 1] == "@":
                    index -= 1
            elif self.words[index - 1] == "@":
                index -= 1
            elif word in ("private", "fileprivate"):
                return True
            elif word not in MODIFIERS:
                return False
        return False

    def read_type(self, index):
        self.end_pending(index)
        name = self.words[index + 1]
        is_private = self.is_private(index)
        self.declare(name, is_type=True, is_private=is_private)
        path = f"{self.scope}.{name}" if self.scope else name
        generics = self.generic_parameters(index + 2)
        self.declare_generics(path, generics, is_private)
        self.begin(index, path, False, False, generics)
        self.read_inheritance(index + 2, path)
        return index + 2

    def declare_generics(self, path, generics, is_private):
        """Makes the parameters of a type known to its extensions in other files."""
        self.file.declarations += [Declaration(path, name, True, is_private, False) for name in generics]

    def read_extension(self, index):
        self.end_pending(index)
        first = index + 1
        chain = [self.words[first]]
        while self.words[first + 1] == "." and is_name(self.words[first + 2]):
            first += 2
            chain.append(self.words[first])
        path = ".".join(chain)
        self.begin(index, path, True, self.is_private(index), [])
        self.read_inheritance(first + 1, path)
        return index + 1

    def read_inheritance(self, index, path):
        """Notes the names between the colon and the body."""
        is_after_colon = False
        while self.words[index] not in ("{", "where", ""):
            is_after_colon = is_after_colon or self.words[index] == ":"
            if is_after_colon and is_name(self.words[index]):
                self.file.inherited.setdefault(path, set()).add(self.words[index])
            index += 1

    def generic_parameters(self, index):
        """Returns the generic parameters that begin at an index, if any do."""
        if self.words[index] != "<":
            return []
        names, depth = [], 0
        while self.words[index]:
            word = self.words[index]
            depth += {"<": 1, ">": -1}.get(word, 0)
            if depth == 0:
                break
            if depth == 1 and word in ("<", ","):
                follows = index + 1
                while self.words[follows] in ("each", "let"):
                    follows += 1
                names.append(self.words[follows])
            index += 1
        return names

    def read_function_or_alias(self, index):
        word = self.words[index]
        if word in ("init", "subscript"):
            if self.is_local:
                # A call of an initializer.
                return index + 1
            self.end_pending(index)
            self.begin(index, None, False, False, self.generic_parameters(index + 1))
            return index + 1
        self.end_pending(index)
        name = self.words[index + 1]
        if not is_name(name):
            # An operator.
            self.begin(index, None, False, False, [])
            return index + 2
        self.declare(name, word != "func", self.is_private(index))
        if word == "func":
            self.begin(index, None, False, False, self.generic_parameters(index + 2))
        elif word == "typealias":
            self.read_alias(index + 1)
        return index + 2

    def read_alias(self, index):
        path = f"{self.scope}.{self.words[index]}" if self.scope else self.words[index]
        while self.words[index] not in ("=", ""):
            index += 1
        chain = []
        while is_name(self.words[index + 1] or "="):
            chain.append(self.words[index + 1])
            index += 2
            if self.words[index] != ".":
                break
        self.file.aliases[path] = tuple(chain)

    def read_variable(self, index):
        if self.pending and self.pending[0] == len(self.brackets):
            self.end_pending(index)
        name = self.words[index + 1]
        if is_name(name) and name not in KEYWORDS and self.words[index + 2] not in (".", "("):
            self.declare(name, is_type=False, is_private=self.is_private(index))
            return index + 2
        if name in ("(", ".") or is_name(name) and name not in KEYWORDS:
            self.bind_until(index + 1, "=", ":", "{", "in", "where")
        return index + 1

    def read_cases(self, index):
        """Reads the names in `case a, b(x: Int), c = 1`. Payloads and values are read as what follows."""
        self.end_pending(index)
        follows = index
        while follows == index or self.words[follows] == ",":
            self.declare(self.words[follows + 1], is_type=False, is_private=False)
            self.words[follows + 1] = "_"
            follows += 2
            if self.words[follows] == "(":
                follows = self.index_after_group(follows)
            if self.words[follows] == "=":
                follows += 2
        return index + 1

    def index_after_group(self, index):
        depth = 0
        while self.words[index]:
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(self.words[index], 0)
            index += 1
            if depth == 0:
                break
        return index

    # Local names

    def bind_until(self, index, *ends):
        """Binds the names of a pattern, up to one of some words."""
        for end in range(index, index + 60):
            word = self.words[end]
            if word in ends or not word:
                return
            if is_name(word) and not word[0].isupper() and word not in KEYWORDS:
                self.file.bound.add(word)

    def bind_closure_parameters(self, index):
        """Binds the names before `in` at the beginning of a closure, including captured ones."""
        names = []
        for position in range(index, index + 60):
            word = self.words[position]
            if word == "in":
                self.file.bound.update(names)
                return
            if not word or word in "{};" or word in KEYWORDS - {"inout", "weak", "unowned", "self", "_", "throws", "async"}:
                return
            if is_name(word) and not word[0].isupper():
                names.append(word)
