import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct EmbeddedDataTests {
    @Test("JSON in strings is found at every depth")
    func nested() {
        let locations = Self.locations(#"{"a":["x","{\"b\":\"[1, 2]\"}"],"c d":"{}"}"#)
        expectEqual(locations.map(\.path), [".a[1]", ".a[1] → .b", #"."c d""#])
        expectEqual(
            locations.map(\.data),
            [
                .json(Array(#"{"b":"[1, 2]"}"#.utf8)), .json(Array("[1,2]".utf8)), .json(Array("{}".utf8)),
            ])
    }

    @Test("A message that is no JSON can be data itself")
    func whole() {
        let text = "aGVsbG8gd29ybGQsIGhlbGxv"
        expectEqual(Self.locations(text), [.init(path: "", data: .base64(Array("hello world, hello".utf8)))])
        expectEqual(Self.locations("1735689600").map(\.path), ["."])
        expectEqual(Self.locations("plain text"), [])
    }

    @Test(
        "RFC 7519: a token has two JSON objects and a signature",
        arguments: [
            ("eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjE3MzU2ODk2MDB9.c2ln", 1_735_689_600), ("eyJhbGciOiJub25lIn0.e30.", nil),
            ("eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjEuNX0.c2ln", 1),
            // Beyond the years that can be shown.
            ("eyJhbGciOiAibm9uZSJ9.eyJleHAiOi05MjIzMzcyMDM2ODU0Nzc0Nzg0fQ.c2ln", nil),
            ("eyJhbGciOiJIUzI1NiJ9.eyJleHAiOi0xfQ.c2ln", nil), ("eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjFlMTh9.c2ln", nil),
        ] as [(String, Int?)])
    func tokens(text: String, expiry: Int?) throws {
        guard case .token(_, _, let found)? = Self.data(text) else {
            Issue.record("no token")
            return
        }
        expectEqual(found, expiry)
    }

    @Test(
        "Other text is no token",
        arguments: ["a.b.c", "eyJhbGciOiJIUzI1NiJ9.e30", "e30.WzFd.c2ln", "e30.e30.c2ln.x", "e30.e30.c2l+", "1.2.3"])
    func noTokens(text: String) {
        expectNil(Self.data(text))
    }

    @Test(
        "Unix times are recognized by their size",
        arguments: [
            ("1735689600", "2025-01-01T00:00:00.000000Z"), ("1735689600.25", "2025-01-01T00:00:00.250000Z"),
            ("1735689600123", "2025-01-01T00:00:00.123000Z"), ("1735689600123456", "2025-01-01T00:00:00.123456Z"),
            ("1735689600123456789", "2025-01-01T00:00:00.123456Z"),
        ])
    func times(number: String, time: String) {
        for text in ["[\(number)]", "[\"\(number)\"]"] {
            guard case .time(let found)? = Self.locations(text).first?.data else {
                Issue.record("no time")
                return
            }
            expectEqual(EventTime.text(of: found), time)
        }
    }

    static let noTimesCases: [String] = [
        "1", "999999999", "4102444800", "17356896001", "-173568960", "1.7356896e9", "17356896001234", "1735689600.",
    ]

    @Test("Other numbers are no times", arguments: Self.noTimesCases)
    func noTimes(number: String) {
        #expect(Self.data(number) == nil && Self.locations("[\(number)]").isEmpty)
    }

    static let noBase64Cases: [String] = [
        "", "aGk=", "internationalization", "0123456789abcdef0123456789abcdef", "a-long-name-with-words",
        "aB3=aB3=aB3=aB3=aB3=",
        "not base64 at all, 1 Text", "12345678901234567890",
    ]

    @Test("Words, identifiers, and digests are no Base64", arguments: Self.noBase64Cases)
    func noBase64(text: String) {
        expectNil(Self.data(text))
    }

    @Test("The number of decoded values is limited")
    func limit() {
        let text = "[" + Array(repeating: "1735689600", count: 1000).joined(separator: ",") + "]"
        expectEqual(Self.locations(text).count, EmbeddedData.maximumCount)
        let inner = Array(repeating: "1735689600", count: 60).joined(separator: ",")
        expectEqual(Self.locations("[\(inner),\"[\(inner)]\",\(inner)]").count, EmbeddedData.maximumCount)
    }

    @Test("JSON in JSON is decoded up to a depth")
    func depth() {
        let text = (0..<12).reduce("1") { text, _ in
            "[\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"]"
        }
        expectEqual(Self.locations(text).count, 9)
    }

    private static func locations(_ text: String) -> [EmbeddedData.Location] {
        EmbeddedData.locations(in: Array(text.utf8).span.bytes)
    }

    private static func data(_ string: String) -> EmbeddedData? {
        locations("[\"\(string)\"]").first?.data
    }
}
