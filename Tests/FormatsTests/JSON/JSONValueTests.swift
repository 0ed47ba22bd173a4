import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct JSONValueTests {
    private static func value(_ text: String) throws(JSONError) -> JSONValue {
        try JSONValue(parsing: Array(text.utf8).span.bytes)
    }

    @Test("A text is parsed into values, and the last of several members with the same name counts")
    func values() throws {
        try expectEqual(
            Self.value(#"{"a":[1,-0.5e2,"\u00e9"],"b":{"c":null},"d":true,"d":false,"e":[]}"#),
            .object([
                "a": .array([.number("1"), .number("-0.5e2"), .string("é")]), "b": .object(["c": .null]),
                "d": .bool(false), "e": .array([]),
            ]))
    }

    @Test("Invalid JSON is rejected", arguments: ["", "{", "[1", "{}{}", "{\"a\" 1}", "[1]x"])
    func refusals(text: String) {
        #expect(throws: JSONError.self) { try Self.value(text) }
    }
}
