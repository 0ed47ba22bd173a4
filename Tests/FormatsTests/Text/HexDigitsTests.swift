import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct HexDigitsTests {
    @Test("All 22 digits are parsed, the 16 lowercase ones are written, and others are rejected")
    func digits() {
        let digits = Array("0123456789abcdef".utf8)
        for value in UInt8(0)...15 {
            expectEqual(HexDigits.digit(value), digits[Int(value)])
        }
        for byte in UInt8.min...UInt8.max {
            expectEqual(HexDigits.value(byte), UInt8(String(Unicode.Scalar(byte)), radix: 16))
        }
    }

    @Test("Each byte is two lowercase digits and survives a round trip")
    func everyByte() throws {
        let bytes = Array(UInt8.min...UInt8.max)
        var buffer = ByteBuffer()
        bytes.withUnsafeBytes { HexDigits.append($0.bytes, to: &buffer) }
        let digits = text(of: buffer)
        #expect(digits.hasPrefix("000102") && digits.hasSuffix("fdfeff") && digits.utf8.count == 512)
        try expectEqual(Self.decoded(digits), bytes)
        try expectEqual(Self.decoded(digits.uppercased()), bytes)
    }

    @Test(
        "Blanks are allowed between bytes and around them",
        arguments: [
            ("", []), (" \t\r", []), ("00 ff", [0, 255]), ("  00\tFf\r", [0, 255]), ("0a0b 0c", [10, 11, 12]),
        ] as [(String, [UInt8])])
    func blanks(text: String, bytes: [UInt8]) throws {
        try expectEqual(Self.decoded(text), bytes)
    }

    @Test(
        "An invalid digit, or a blank within a byte, is reported with its position",
        arguments: [("0g", 1), ("00,ff", 2), ("0x00", 1), ("0 0", 1), ("00 f ", 4), ("é", 0)])
    func unexpected(text: String, offset: Int) {
        #expect(throws: EncodedTextError.unexpected(offset: offset)) { try Self.decoded(text) }
    }

    @Test("An odd number of digits is rejected", arguments: ["0", "000", "00 f"])
    func odd(text: String) {
        #expect(throws: EncodedTextError.truncated) { try Self.decoded(text) }
    }

    private static func decoded(_ text: String) throws -> [UInt8] {
        try decodedBytes(of: text) { try HexDigits.appendDecoded($0, to: &$1) }
    }
}
