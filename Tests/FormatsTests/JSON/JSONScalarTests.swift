import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct JSONScalarTests {
    static let comparisonCases: [(String, String, Bool)] = [
        (#""a""#, #""a""#, true), (#""a/""#, #""\u0061\/""#, true), (#""1""#, "1", false), ("1", "1.0", true),
        ("1", "1", true), ("-2", "-20e-1", true), ("1", "-1", false), ("0.5", "5", false),
        ("10000000000000000000000", "1e22", true),
        ("123456789012345678901234500", "1.234567890123456789012345e26", true),
        ("true", #""true""#, false), ("true", "false", false),
        (#""🎈""#, #""\ud83c\udf88""#, true),
        (#""""#, #""""#, true),
    ]

    @Test("Strings are compared decoded, and numbers by their value", arguments: Self.comparisonCases)
    func comparison(first: String, second: String, areEqual: Bool) throws {
        let (first, second) = (try #require(try Self.scalar(first)), try #require(try Self.scalar(second)))
        expectEqual((first == second), areEqual)
    }

    @Test(
        "Null, objects, arrays, and strings with unpaired surrogates are not scalars",
        arguments: ["null", "{}", "[]", #""\ud800""#])
    func others(text: String) throws {
        try expectNil(Self.scalar(text))
    }

    @Test("A value is shown as JSON, escaped, and truncated if it is long")
    func description() throws {
        try expectEqual(Self.scalar("7.50")?.description, "7.5")
        try expectEqual(Self.scalar(#""a\u001b[2Jb""#)?.description, #""a\u{1B}[2Jb""#)
        let long = try #require(try Self.scalar("\"" + String(repeating: "é", count: 100) + "\""))
        expectEqual(long.description, "\"" + String(repeating: "é", count: 60) + "…\"")
    }

    private static func scalar(_ text: String) throws -> JSONScalar? {
        try Array(text.utf8).withUnsafeBytes { bytes in
            var reader = JSONReader()
            let token = try #require(try reader.next(in: bytes.bytes))
            return JSONScalar(token, in: bytes.bytes)
        }
    }
}
