import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct JSONStringDecodingTests {
    @Test(
        "RFC 8259 §7: escapes are decoded",
        arguments: [
            (#""""#, ""), (#""plain""#, "plain"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
            (#""\u00e9\u6C34x""#, "é水x"), (#""\ud83c\udf88""#, "🎈"), (#""\u0000""#, "\0"), (#""é🎈\n""#, "é🎈\n"),
        ])
    func escapes(literal: String, text: String) {
        expectEqual(Self.decoded(literal), text)
    }

    @Test(
        "An unpaired surrogate is rejected",
        arguments: [#""\ud83c""#, #""\udf88""#, #""\ud83cx""#, #""\ud83c\n""#, #""\ud83c\ud83c""#, #""\ud83c\u0041""#])
    func halves(literal: String) {
        expectNil(Self.decoded(literal))
    }

    @Test("Written strings survive a round trip")
    func roundTrip() {
        let scalars = (0...0x2FFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init) + ["\u{FEFF}", "\u{E0041}"]
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        var literal = ByteBuffer()
        Array(String(text).utf8).withUnsafeBytes { JSONString.append($0.bytes, to: &literal) }
        let written = literal.withReadableBytes { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
        expectEqual(Self.decoded(written), String(text))
    }

    static let comparisonCases: [(String, String, Bool)] = [
        (#""abc""#, "abc", true), (#""""#, "", true), (#""a\u0062c""#, "abc", true), (#""abc""#, "abd", false),
        (#""abcdefghij""#, "abcdefghij", true), (#""abcdefghij""#, "abcdefghiJ", false),
        (#""a\n""#, #"a\n"#, false), (#""ab""#, "abc", false), (#""\ud83c""#, "\u{FFFD}", false),
    ]

    @Test("A string is compared with the text it stands for", arguments: Self.comparisonCases)
    func comparison(literal: String, text: String, isEqual: Bool) {
        let (literal, text) = (Array(literal.utf8), Array(text.utf8))
        expectEqual(JSONString.isEqual(literal.span.bytes, to: text.span.bytes), isEqual)
    }

    @Test("An unpaired surrogate can be replaced")
    func replacement() {
        let literal = Array(#""a\ud83c\n""#.utf8)
        expectEqual(JSONString.decoded(literal.span.bytes), "a\u{FFFD}\n")
    }

    private static func decoded(_ literal: String) -> String? {
        var buffer = ByteBuffer()
        let isText = Array(literal.utf8).withUnsafeBytes { JSONString.appendDecoded($0.bytes, to: &buffer) }
        guard isText else { return nil }
        return buffer.withReadableBytes { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
    }
}
