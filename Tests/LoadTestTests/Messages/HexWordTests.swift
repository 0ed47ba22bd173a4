import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct HexWordTests {
    private static func text(_ number: UInt32) -> String {
        withUnsafeBytes(of: HexWord.digits(of: number)) { String(decoding: $0, as: UTF8.self) }
    }

    private static func value(_ text: String) -> UInt32? {
        HexWord.value(of: Array(text.utf8).span.bytes)
    }

    @Test(
        "A number is eight digits, the highest first",
        arguments: [
            (0, "00000000"), (0x0123_4567, "01234567"), (0x89AB_CDEF, "89abcdef"), (.max, "ffffffff"), (10, "0000000a"),
        ] as [(UInt32, String)])
    func digits(number: UInt32, text: String) {
        expectEqual(Self.text(number), text)
        expectEqual(Self.value(text), number)
    }

    @Test("The digits of a number parse to that number", arguments: 0..<32 as Range<UInt32>)
    func roundTrip(bit: UInt32) {
        for number in [1 << bit, (1 << bit) &- 1, 0x9E37_79B9 &* (bit + 1)] {
            expectEqual(Self.value(Self.text(number)), number)
        }
    }

    @Test("Fewer digits are a smaller number, and other characters are invalid")
    func values() {
        expectEqual(Self.value("a0"), 160)
        expectEqual(Self.value(""), 0)
        for text in ["0g", "A0", " 1", "-1", "1\u{0}", "/0", ":0", "`0"] { expectNil(Self.value(text), "\(text)") }
    }
}
