import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct JSONReaderTests {
    @Test(
        "RFC 8259 §2: a text is parsed into tokens with their ranges",
        arguments: [
            (#"{"id":7}"#, ["beginObject {", #"key "id""#, "number 7", "endObject }"]),
            (
                " [ 1 , -0.5e+10, \"a\\u00e9\\\"\" ,true,false,null , {} , [] ] \n",
                [
                    "beginArray [", "number 1", "number -0.5e+10", #"string "a\u00e9\"""#, "literal true",
                    "literal false", "literal null", "beginObject {", "endObject }", "beginArray [", "endArray ]",
                    "endArray ]",
                ]
            ),
            (
                #"{"a" : {"b":[0]},"a":1}"#,
                [
                    "beginObject {", #"key "a""#, "beginObject {", #"key "b""#, "beginArray [", "number 0",
                    "endArray ]", "endObject }", #"key "a""#, "number 1", "endObject }",
                ]
            ),
            ("12345678901234567890.10", ["number 12345678901234567890.10"]), (#""""#, [#"string """#]),
        ])
    func tokens(text: String, expected: [String]) throws {
        try expectEqual(Self.tokens(of: text), expected)
    }

    @Test(
        "An incomplete text is truncated at any position",
        arguments: [#"{"a":[1.5e+3,"x\u00e9"],"b":{"c":null}}"#, "[true,false]", #""\n""#])
    func truncations(text: String) {
        for length in 0..<text.utf8.count {
            expectEqual(Self.problem(in: Array(text.utf8.prefix(length))), .truncated)
        }
    }

    static let mistakesCases: [(String, Int)] = [
        ("[1,]", 3), ("{,}", 1), (#"{"a":1,}"#, 7), (#"{"a"1}"#, 4), ("01", 1), ("-x", 1), ("1.x", 2), ("1ex", 2),
        ("tru1", 3), ("[1 2]", 3), ("{1:2}", 1), ("[1}", 2), (#"{"a":1]"#, 6), ("1 1", 2), (#""\x""#, 2),
        (#""\u12G4""#, 5), ("\"\n\"", 1), ("'a'", 0), ("[]]", 2), ("+1", 0), (".5", 0), ("NaN", 0),
        ("\u{FEFF}1", 0),
        ("]", 0), ("}", 0),
    ]

    @Test("Invalid JSON is rejected at the first invalid byte", arguments: Self.mistakesCases)
    func mistakes(text: String, offset: Int) {
        expectEqual(Self.problem(in: Array(text.utf8)), .unexpected(offset: offset))
    }

    @Test("At most 512 levels are accepted")
    func depth() {
        let deepest = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        expectNil(Self.problem(in: Array(deepest.utf8)))
        expectEqual(Self.problem(in: Array("[\(deepest)]".utf8)), .tooDeep(limit: 512))
    }

    @Test("The current depth is known while parsing")
    func openLevels() throws {
        var reader = JSONReader()
        let text = Array(#"{"a":[1"#.utf8)
        #expect(throws: JSONError.truncated) {
            while try text.withUnsafeBytes({ try reader.next(in: $0.bytes) }) != nil {}
        }
        expectEqual(reader.depth, 2)
    }

    @Test(
        "The members of an object have the range of their whole values",
        arguments: [
            (#" {"a":1,"b" : {"c":[ 2 ]},"a":"x"} "#, [#""a" 1"#, #""b" {"c":[ 2 ]}"#, #""a" "x""#]), ("{}", []),
            ("[1]", nil), ("7", nil), (#"[{"a":1}]"#, nil),
        ] as [(String, [String]?)])
    func members(text: String, expected: [String]?) throws {
        let bytes = Array(text.utf8)
        let members = try JSONReader.members(of: bytes.span.bytes)?.map { member in
            [member.name, member.value].map { String(decoding: bytes[$0.range], as: UTF8.self) }.joined(separator: " ")
        }
        expectEqual(members, expected)
    }

    @Test("The text is checked beyond its members", arguments: [#"{"a":1} x"#, #"{"a":1"#, "[1,x]", "7 8"])
    func invalidMembers(text: String) {
        let bytes = Array(text.utf8)
        #expect(throws: JSONError.self) { _ = try JSONReader.members(of: bytes.span.bytes) }
    }

    private static func tokens(of text: String) throws -> [String] {
        let bytes = Array(text.utf8)
        var reader = JSONReader()
        var tokens: [String] = []
        while let token = try bytes.withUnsafeBytes({ try reader.next(in: $0.bytes) }) {
            tokens.append("\(token.kind) " + String(decoding: bytes[token.range], as: UTF8.self))
        }
        return tokens
    }

    private static func problem(in bytes: [UInt8]) -> JSONError? {
        bytes.withUnsafeBytes { JSONReader.problem(in: $0.bytes) }
    }
}
