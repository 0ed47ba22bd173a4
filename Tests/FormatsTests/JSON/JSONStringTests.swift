import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct JSONStringTests {
    static let literalsCases: [(String, String)] = [
        ("", #""""#), ("plain", #""plain""#), (#"say "hi" \o/"#, #""say \"hi\" \\o/""#),
        ("\n\r\t\u{8}\u{C}", #""\n\r\t\b\f""#), ("\0\u{1}\u{1F}", #""\u0000\u0001\u001f""#),
        ("\u{1B}[31m", #""\u001b[31m""#), ("\u{7F}", #""\u007f""#),
        ("\u{80}\u{9B}\u{9F}", #""\u0080\u009b\u009f""#),
        ("a\u{202E}b\u{2066}c\u{200F}", #""a\u202eb\u2066c\u200f""#), ("\u{2028}\u{2029}", #""\u2028\u2029""#),
        ("\u{61C}\u{180E}\u{FEFF}", #""\u061c\u180e\ufeff""#), ("\u{E0041}", #""\udb40\udc41""#),
        ("é日🦜\u{A0}\u{FFFD}", "\"é日🦜\u{A0}\u{FFFD}\""), ("/", #""/""#),
    ]

    @Test("RFC 8259 §7: quotes, backslashes, and control characters are escaped", arguments: Self.literalsCases)
    func literals(text: String, literal: String) {
        expectEqual(Self.literal(of: text), literal)
    }

    @Test(
        "Combining marks after the eighth on one character are escaped, and so are variation selectors in a row",
        arguments: [
            (
                "a" + String(repeating: "\u{301}", count: 10),
                "a" + String(repeating: "\u{301}", count: 8) + #"\u0301\u0301"#
            ),
            ("\u{FE0F}\u{FE0F}", "\u{FE0F}" + #"\ufe0f"#), ("\u{915}\u{93C}\u{94D}", "\u{915}\u{93C}\u{94D}"),
            (String(repeating: "e\u{301}b", count: 20), String(repeating: "e\u{301}b", count: 20)),
        ])
    func marks(text: String, json: String) {
        expectEqual(Self.literal(of: text), "\"\(json)\"")
    }

    @Test("Each mark begins with a byte that is looked at")
    func markLeads() {
        for value in UInt32(0x80)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), scalar.isMark else { continue }
            let text = String(repeating: Character(scalar), count: 10)
            #expect(Self.literal(of: text).utf8.count > 2 + text.utf8.count, "U+\(String(value, radix: 16))")
        }
    }

    @Test("Each scalar of the planes in use survives a round trip, with control characters escaped")
    func everyScalar() {
        var text = ""
        for value in Array(0...0x3FFF as ClosedRange<UInt32>) + Array(0xFE00...0xFFFF) + Array(0x1BC00...0x1BCFF)
            + Array(0x1D100...0x1D1FF) + Array(0xE0000...0xE1000)
        {
            guard let scalar = Unicode.Scalar(value) else { continue }
            text.unicodeScalars.append(scalar)
        }
        let literal = Self.literal(of: text)
        expectEqual(decodeJSONString(literal), text)
        #expect(literal.unicodeScalars.allSatisfy { !$0.isInvisible })
    }

    private static func literal(of string: String) -> String {
        var buffer = ByteBuffer()
        Array(string.utf8).withUnsafeBytes { JSONString.append($0.bytes, to: &buffer) }
        return text(of: buffer)
    }
}

/// Decodes a JSON string by RFC 8259 §7, independently of the code under test; `nil` if it is invalid.
func decodeJSONString(_ literal: String) -> String? {
    var units = Array(literal.utf16)[...]
    guard units.popFirst() == 0x22, units.popLast() == 0x22 else { return nil }
    let simple: [UInt16: UInt16] = [0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 8, 0x66: 12, 0x6E: 10, 0x72: 13, 0x74: 9]
    var decoded: [UInt16] = []
    while let unit = units.popFirst() {
        guard unit >= 0x20, unit != 0x22 else { return nil }
        guard unit == 0x5C else {
            decoded.append(unit)
            continue
        }
        guard let escape = units.popFirst() else { return nil }
        if escape == 0x75 {
            guard units.count >= 4, let value = UInt16(String(decoding: units.prefix(4), as: UTF16.self), radix: 16)
            else { return nil }
            units.removeFirst(4)
            decoded.append(value)
        } else if let value = simple[escape] {
            decoded.append(value)
        } else {
            return nil
        }
    }
    return String(decoding: decoded, as: UTF16.self)
}
