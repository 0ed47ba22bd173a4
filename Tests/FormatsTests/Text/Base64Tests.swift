import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct Base64Tests {
    @Test(
        "RFC 4648 §10: the test vectors, in both directions",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func vectors(plain: String, encoded: String) throws {
        expectEqual(Self.encoded(Array(plain.utf8)), encoded)
        try expectEqual(Self.decoded(encoded), Array(plain.utf8))
        try expectEqual(Self.decoded(encoded.filter { $0 != "=" }), Array(plain.utf8), "without padding")
    }

    @Test("Each byte value in each position survives a round trip, in both alphabets")
    func everyByte() throws {
        let bytes: [UInt8] = (UInt8.min...UInt8.max).flatMap { [$0, ~$0, $0 ^ 0x55, $0] }
        for count in bytes.count - 3...bytes.count {
            let encoded = Self.encoded(Array(bytes[..<count]))
            try expectEqual(Self.decoded(encoded), Array(bytes[..<count]))
            let others: [Character: Character] = ["+": "-", "/": "_"]
            let forURLs = String(encoded.map { others[$0] ?? $0 })
            expectNotEqual(forURLs, encoded)
            try expectEqual(Self.decoded(forURLs), Array(bytes[..<count]))
        }
    }

    @Test("Surrounding blanks are ignored", arguments: [" Zm8=", "Zm8=\r", "\t Zm8= \t\r", "Zm8 \r"])
    func blanks(text: String) throws {
        try expectEqual(Self.decoded(text), Array("fo".utf8))
        try expectEqual(Self.decoded(" \r"), [])
    }

    @Test(
        "An invalid character is reported with its position",
        arguments: [("Zm9v!m9v", 4), ("Zm 9v", 2), ("Z=8=", 1), ("Zg==Zg==", 2), ("é", 0), ("Zm9v\0", 4), ("Zm9v,", 4)])
    func unexpected(text: String, offset: Int) {
        #expect(throws: EncodedTextError.unexpected(offset: offset)) { try Self.decoded(text) }
    }

    static let paddingCases: [String] = ["Zg=", "Zm8==", "Zm9v=", "Zm9v==", "Zm9v====", "=", "====", "Zg==="]

    @Test("Padding is right or absent", arguments: Self.paddingCases)
    func padding(text: String) {
        #expect(throws: EncodedTextError.badPadding) { try Self.decoded(text) }
    }

    @Test(
        "RFC 4648 §3.5: a single character, and nonzero unused bits, are rejected",
        arguments: ["Z", "Zm9vZ", "Zh==", "Zh", "Zm9=", "Zm9"])
    func truncated(text: String) {
        #expect(throws: EncodedTextError.truncated) { try Self.decoded(text) }
    }

    private static func encoded(_ bytes: [UInt8]) -> String {
        var buffer = ByteBuffer()
        bytes.withUnsafeBytes { Base64.append($0.bytes, to: &buffer) }
        return text(of: buffer)
    }

    private static func decoded(_ text: String) throws -> [UInt8] {
        try decodedBytes(of: text) { try Base64.appendDecoded($0, to: &$1) }
    }
}
