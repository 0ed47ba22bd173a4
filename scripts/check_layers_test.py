"""Cases for check-layers.py --self-test: each text is a file of a low folder that may not use the high one."""

import sys

TABLE = """
Lib
    Low:
    High: Low
Other
    Any: *
imports
    CLibrary: Lib/High
    Lib: Other
"""
FILES = {
    "Lib/Low/Base.swift": "public struct Base { func own() {} }\nfunc helper() {}",
    "Lib/High/Top.swift": """
        protocol Watcher {}
        class Top: Watcher { struct Part { static let size = 1 }; static func make() -> Top { Top() } }
        typealias Maker = () -> Top
        func build() {}
        let flag = 1
        extension Base { func unusual() {}; var first: Int { 1 }; static var extra: Base { Base() }; enum Added {} }
        extension String { var unusualLength: Int { 1 } }
        """,
    # Visible nowhere else.
    "Lib/Low/Private.swift": "private struct Top {}\nextension Base { private func unusual() {} }",
    "Other/Any/Same.swift": "struct Else {}",
}
FORBIDDEN = {
    "a type in a signature": "func f(_ x: Top) {}",
    "a result": "func f() -> Top? { nil }",
    "a generic argument": "var x: [String: Array<Top>] = [:]",
    "a generic constraint": "func f<T: Watcher>(_ x: T) {}",
    "a where clause": "func f<T>(_ x: T) where T: Watcher {}",
    "an existential type": "func f(_ x: (any Watcher)?) {}",
    "a conformance": "extension Base: Watcher {}",
    "a superclass": "class Lower: Top {}",
    "an extension of a type": "extension Top { func f() {} }",
    "a static member": "func f() { _ = Top.make() }",
    "an initializer": "func f() { _ = Top() }",
    "a cast": "func f(_ x: Any) { _ = x as? Top }",
    "a metatype": "let x = Top.self",
    "a typed error": "func f() throws(Top) {}",
    "a key of a dictionary": "var x: [Top: Int] = [:]",
    "a parameter of a closure": "let x = { (x: Top) in 1 }",
    "a nested type": "var x: Top.Part?",
    "a type alias": "let x: Maker? = nil",
    "a target of a type alias": "typealias X = Top",
    "a name with its module": "func f(_ x: Lib.Top) {}",
    "a free function": "func f() { build() }",
    "a global constant": "func f() { print(flag) }",
    "a method of a higher extension": "func f(_ x: Base) { x.unusual() }",
    "the same after a call": "func f() { make().map { $0.unusual() } }",
    "the same within the type": "extension Base { func f() { unusual() } }",
    "the same through self": "extension Base { func f() { self.unusual() } }",
    "a key path": "let x = [\"\"].map(\\.unusualLength)",
    "a static member of a higher extension": "let x = Base.extra",
    "an implicit static member of a higher extension": "let x: Base = .extra",
    "a type in a higher extension": "let x: Base.Added",
    "an interpolation": 'let x = "a \\(f("\\(Top.self)")) b"',
    "an interpolation in a raw string": 'let x = #"a \\#(Top.self) b"#',
    "an interpolation in several lines": 'let x = """\n    a "b" \\(Top.self) c\n    """',
    "code after a quotation mark": 'let x = #""" is empty"#; let y: Top',
    "an import of a C library": "import CLibrary",
    "an import with an attribute": "@preconcurrency import CLibrary",
    "an import of an unknown module": "import Foundation",
}
PERMITTED = {
    "a name of its own folder": "func f(_ x: Base) { x.own(); helper() }",
    "comments": "// Top\n/// Top\n/* Top /* Top */ build() */",
    "strings": 'let x = "Top \\" Top" + #"Top \\(Top)"# + """\n    Top "Top"\n    """',
    "a local variable": "func f() { let flag = 1; let Top = 2; print(flag, Top) }",
    "a parameter": "func f(flag: Int, to build: Int) { print(flag, build) }",
    "a parameter of a closure": "func f() { g { build in build } }",
    "a variable of a loop": "func f() { for (flag, build) in x { flag(build) } }",
    "a pattern": "func f() { switch x { case .a(let flag): flag() } }",
    "a case of an enum": "enum X { case Top, Maker(Int); static let x = X.Top }",
    "an argument label": "func f() { g(Top: 1, flag: 2) }",
    "an own member": "struct X { var flag = 1; func f() { print(flag, self.flag) } }",
    "an own nested type": "struct X { enum Top { case a }; var x: Top }\nextension X { var y: Top { x } }",
    "a private type": "private struct Top {}\nprivate func f(_ x: Top) {}",
    "a local type": "func f() { struct Top {}; _ = Top() }",
    "a generic parameter": "struct X<Top> { var x: Top; func f(_ y: Top) {} }\nextension X { func g(_ y: Top) {} }",
    "a generic parameter of a function": "func f<Top>(_ x: Top) -> Top { x }",
    "an associated type": "protocol X { associatedtype Top; func f(_ x: Top) }",
    "a name of the standard library": "func f(_ x: [Int]) { _ = x.first }",
    "a member with the name of a type": "func f(_ x: X) { _ = x.Top }",
}


def run(check):
    """Returns the exit status. `check` takes the text of a table and the files, and returns the problems."""
    failures = [f"misses {name}: {text}" for name, text in FORBIDDEN.items() if not problems(check, text)]
    failures += [f"reports {name}: {text}: {found}" for name, text in PERMITTED.items() if (found := problems(check, text))]
    for failure in failures:
        print(f"check-layers: {failure}", file=sys.stderr)
    return 1 if failures else 0


def problems(check, text):
    return check(TABLE, {**FILES, "Lib/Low/Case.swift": text})
