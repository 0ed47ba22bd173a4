import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct PatternTests {
    static let searchCases: [(String, String, Bool)] = [
        ("a.c", "xabcx", true), ("^b", "ab", false), ("", "", true), ("^$", "", true), (#"\d{3}"#, "a12", false),
        ("(?i)ÄRGER", "ärger", true), (#"^\w+$"#, "größe", true), (#"(a)\1"#, "xaax", true), ("x$", "x\n", true),
        ("水.", "水🎈", true), ("^.$", "🎈", true),
    ]

    @Test("A pattern uses the syntax of Perl", arguments: Self.searchCases)
    func search(source: String, text: String, isFound: Bool) throws {
        try expectEqual(Self.match(source, Array(text.utf8)) != nil, isFound)
    }

    @Test("A match has a byte range, and the next search starts after it")
    func ranges() throws {
        let text = Array("ä1 b22".utf8)
        try expectEqual(Self.match(#"\d+"#, text), 2..<3)
        try expectEqual(Self.match(#"\d+"#, text, from: 3), 5..<7)
        try expectEqual(Self.match(#"b\K2"#, text), 5..<6)
    }

    @Test("The groups of a match have byte ranges")
    func groups() throws {
        let pattern = try Pattern(#"(ä)(x)?(\d)"#, isCapturing: true)
        expectEqual(pattern.groupCount, 3)
        let text = Array("-ä7".utf8)
        expectEqual(pattern.firstMatch(in: text.span.bytes), 1..<4)
        expectEqual((0...9).map { pattern.group($0) }, [1..<4, 1..<3, nil, 3..<4, nil, nil, nil, nil, nil, nil])
    }

    @Test("Only the first nine groups have ranges, and none without capturing")
    func manyGroups() throws {
        let source = String(repeating: "(.)", count: 12)
        let text = Array("abcdefghijkl".utf8)
        let pattern = try Pattern(source, isCapturing: true)
        expectEqual(pattern.groupCount, 12)
        let isMatch = pattern.matches(text.span.bytes)
        expectTrue(isMatch)
        expectEqual(pattern.group(9), 8..<9)
        expectNil(pattern.group(10))
        let other = try Pattern(source)
        let isOtherMatch = other.matches(text.span.bytes)
        expectTrue(isOtherMatch)
        expectEqual(other.group(0), 0..<12)
        expectNil(other.group(1))
    }

    @Test("Invalid UTF-8 hides no match")
    func invalidText() throws {
        try expectEqual(Self.match("b", [0xFF, 0xFE, 0x62]), 2..<3)
        try expectEqual(Self.match("ä", [0xFF] + Array("ä".utf8)), 1..<3)
        try expectEqual(Self.match("a", [0x00, 0x61]), 1..<2)
    }

    @Test(
        "In a text that is not UTF-8, a character may be any byte",
        arguments: [
            (".", [0xFF], true), ("^.$", [0xC3], true), ("^..$", [0xFF, 0x00], true), (".", [0x0A], false),
            (#"\xff"#, [0xFE, 0xFF], true), (#"^\xff"#, [0xFE, 0xFF], false), ("^[^a]+$", [0x80, 0x81], true),
            ("^$", [0xFF], false), (#"\x{20ac}"#, [0xFF], false), ("(*UTF).", [0xFF], false),
            ("^ab", [0x61, 0x62, 0xFF], true), (#"^ab\xff$"#, [0x61, 0x62, 0xFF], true),
            (#"^(?!\x89P)"#, [0x89, 0x50, 0xFF], false), (#"(?<!.)P"#, [0x89, 0x50], false),
            ("^(?!.)", [0x89, 0x50], false),
            (#"^(?!\x89Q)"#, [0x89, 0x50, 0xFF], true),
            // Valid UTF-8 has only the characters of its text.
            ("^..$", [0xC3, 0xA4], false), (#"\xc3"#, [0xC3, 0xA4], false),
        ] as [(String, [UInt8], Bool)])
    func bytes(source: String, text: [UInt8], isFound: Bool) throws {
        try expectEqual(Self.match(source, text) != nil, isFound)
    }

    @Test("The groups of a match in bytes have byte ranges")
    func groupsOfBytes() throws {
        let pattern = try Pattern(#"\xff(.)"#, isCapturing: true)
        let text: [UInt8] = [0x00, 0xFF, 0xFE]
        expectEqual(pattern.firstMatch(in: text.span.bytes), 1..<3)
        expectEqual(pattern.group(1), 2..<3)
    }

    @Test(
        "A group that repeats throughout a long text is found",
        arguments: [
            (#"^(\w+\s?)+done$"#, "word ", 9 << 10, "done"), ("^(a|b)*c$", "ab", 40 << 10, "c"),
            ("^(a|b)*c$", "ab", 1 << 20, "c"),
        ])
    func longTexts(source: String, part: String, count: Int, end: String) throws {
        let text = Array(String(repeating: part, count: count / part.utf8.count).utf8) + Array(end.utf8)
        let pattern = try Pattern(source)
        pattern.didGiveUp = { Issue.record("the pattern gave up") }
        expectEqual(text.withUnsafeBytes { pattern.firstMatch(in: $0.bytes) }, 0..<text.count)
    }

    @Test(
        "A pattern that exceeds the limits does not match or hang, and is reported once",
        arguments: [("^(x+x+)+$", 5000), ("^(x|y)*!$", 32 << 20)])
    func catastrophe(source: String, count: Int) throws {
        let pattern = try Pattern(source)
        var givenUpCount = 0
        pattern.didGiveUp = { givenUpCount += 1 }
        for (text, expectedCount) in [
            (Array("x?".utf8), 0), ([UInt8](repeating: 0x78, count: count) + [0x21, 0x21], 1),
        ] {
            for _ in 0..<2 {
                expectTrue(text.withUnsafeBytes { !pattern.matches($0.bytes) })
                expectEqual(givenUpCount, expectedCount)
            }
        }
    }

    @Test(
        "An invalid pattern is rejected with the reason and the position in characters",
        arguments: [
            ("(", "missing closing parenthesis at the end"),
            ("a[", "missing terminating ] for character class at the end"),
            ("a)b", "unmatched closing parenthesis at character 2"),
            ("äö)ü", "unmatched closing parenthesis at character 3"),
            ("*", "quantifier does not follow a repeatable item at character 1"),
        ])
    func mistakes(source: String, description: String) {
        do throws(PatternError) {
            _ = try Pattern(source)
            Issue.record("accepted")
        } catch {
            expectEqual("\(error)", description)
        }
    }

    private static func match(_ source: String, _ text: [UInt8], from start: Int = 0) throws -> Range<Int>? {
        let pattern = try Pattern(source)
        return text.withUnsafeBytes { pattern.firstMatch(in: $0.bytes, from: start) }
    }
}
