import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct JSONChangesTests {
    private static func changes(_ old: String, _ new: String) throws -> [String] {
        let (old, new) = (Array(old.utf8), Array(new.utf8))
        return try JSONChanges(from: old.span.bytes, to: new.span.bytes).changes.map(\.description)
    }

    @Test(
        "Changed, added, and removed members are named by their paths",
        arguments: [
            (#"{"price":101.5}"#, #"{"price":101.7}"#, [".price 101.5 → 101.7"]),
            (#"{"a":1,"old":2}"#, #"{"a":1,"new":"x"}"#, [#"+.new "x""#, "-.old"]),
            (#"{"a":{"b":{"c":true}}}"#, #"{"a":{"b":{"c":null}}}"#, [".a.b.c true → null"]),
            (#"{"a":1}"#, #"{"a":"1"}"#, [#".a 1 → "1""#]),
            (#"{"a b":1,"":1}"#, #"{"a b":2,"":2}"#, [#"."a b" 1 → 2"#, #"."" 1 → 2"#]),
            ("1", "[1]", [". 1 → [1]"]),
            (#"{"a":1,"a":2}"#, #"{"a":2}"#, []),
        ] as [(String, String, [String])])
    func members(old: String, new: String, expected: [String]) throws {
        try expectEqual(Self.changes(old, new), expected)
    }

    @Test(
        "Layout, order, and notation do not matter, but every digit does",
        arguments: [
            (#"{"a":1,"b":2}"#, "{ \"b\" : 2.0,\n\"a\":10e-1 }", []),
            ("1", " 1.0\n", []), ("1", "0\n", [". 1 → 0"]), ("\"a\"\n", "\"b\"", [#". "a" → "b""#]),
            (#"["\u0061\/"]"#, #"["a/"]"#, []),
            ("[12345678901234567890]", "[12345678901234567891]", [".[0] 12345678901234567890 → 12345678901234567891"]),
            ("[0.1]", "[0.10000000000000000001]", [".[0] 0.1 → 0.10000000000000000001"]),
            (#"["\u00e9"]"#, #"["e\u0301"]"#, [#".[0] "\u00e9" → "e\u0301""#]),
            (#"["\ud800"]"#, #"["\ud801"]"#, [#".[0] "\ud800" → "\ud801""#]),
        ] as [(String, String, [String])])
    func values(old: String, new: String, expected: [String]) throws {
        try expectEqual(Self.changes(old, new), expected)
    }

    @Test(
        "Elements are compared after the equal ones at both ends",
        arguments: [
            ("[1,2,3]", "[0,1,2,3]", ["+.[0] 0"]), ("[1,2,3]", "[1,2,3,4]", ["+.[3] 4"]),
            ("[1,2,3]", "[1,3]", ["-.[1]"]), ("[1,2,3]", "[1,5,3]", [".[1] 2 → 5"]),
            (#"{"bids":[[1,2],[3,4]]}"#, #"{"bids":[[1,2],[3,5]]}"#, [".bids[1][1] 4 → 5"]),
            ("[1,1]", "[1]", ["-.[1]"]), ("[]", "[{}]", ["+.[0] {}"]),
        ])
    func elements(old: String, new: String, expected: [String]) throws {
        try expectEqual(Self.changes(old, new), expected)
    }

    @Test("Long values are abbreviated")
    func longValues() throws {
        let long = String(repeating: "é", count: 100)
        try expectEqual(Self.changes(#"{"a":1}"#, #"{"a":"\#(long)"}"#), [".a 1 → \"\(long.prefix(39))…\""])
        try expectEqual(Self.changes("[]", #"[{ "a" : [1, 2] }]"#), [#"+.[0] {"a":[1,2]}"#])
        try expectEqual(Self.changes("[]", #"[{"a":"\#(long)"},["\#(long)"]]"#), ["+.[0] {…}", "+.[1] […]"])
    }

    @Test("Only the first changes are listed; the others are counted")
    func manyChanges() throws {
        let texts = [0, 1000].map { start in
            Array(("[" + (start..<start + 300).map { "\($0)" }.joined(separator: ",") + "]").utf8)
        }
        let (old, new) = (texts[0], texts[1])
        let found = try JSONChanges(from: old.span.bytes, to: new.span.bytes)
        expectEqual(found.changes.count, JSONChanges.maximumCount)
        expectEqual(found.omittedCount, 300 - JSONChanges.maximumCount)
    }

    @Test("Deeply nested values are compared as a whole")
    func depth() throws {
        let depth = JSONChanges.maximumDepth
        func nested(_ value: String, _ depth: Int) -> String {
            String(repeating: "[", count: depth) + value + String(repeating: "]", count: depth)
        }
        let path = "." + String(repeating: "[0]", count: depth)
        try expectEqual(Self.changes(nested("1", depth), nested("2", depth)), ["\(path) 1 → 2"])
        try expectEqual(Self.changes(nested("1", depth + 1), nested("2", depth + 1)), ["\(path) [1] → [2]"])
        try expectEqual(Self.changes(nested("1", 500), nested("2", 500)).count, 1)
    }

    @Test("A text that is not JSON is an error", arguments: [("{", "{}"), ("{}", "x"), ("1 2", "1")])
    func invalid(old: String, new: String) {
        #expect(throws: JSONError.self) { try Self.changes(old, new) }
    }
}
