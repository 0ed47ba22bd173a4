import TestSupport
import Testing
import WSCore

@Suite struct CloseFrameTests {
    @Test("RFC 6455 §5.5.1: an empty payload has no code")
    func empty() throws {
        try expectEqual(decode([]), CloseFrame(code: nil))
        expectEqual(encode(CloseFrame(code: nil)), [])
    }

    @Test("RFC 6455 §5.5.1: the first two bytes are the code and the rest is the reason")
    func codeAndReason() throws {
        let payload: [UInt8] = [0x03, 0xE8] + Array("bye".utf8)
        let frame = CloseFrame(code: .normalClosure, reason: "bye")
        try expectEqual(decode(payload), frame)
        expectEqual(encode(frame), payload)
        try expectEqual(decode([0x0F, 0xA0]), CloseFrame(code: CloseCode(rawValue: 4000)))
    }

    @Test("RFC 6455 §5.5.1: a one-byte payload is rejected")
    func oneByte() {
        #expect(throws: ProtocolError.closePayloadTooShort) { try decode([0x03]) }
    }

    @Test(
        "RFC 6455 §7.4: a code that must not be sent is rejected", arguments: [0, 999, 1004, 1005, 1006, 1015, 65535])
    func invalidCode(code: UInt16) {
        #expect(throws: ProtocolError.invalidCloseCode(code)) { try decode([UInt8(code >> 8), UInt8(code & 0xFF)]) }
    }

    @Test(
        "RFC 6455 §5.5.1: a reason with invalid UTF-8 is rejected",
        arguments: UTF8Vectors.invalid.map(\.bytes) + UTF8Vectors.truncated)
    func invalidReason(reason: [UInt8]) {
        #expect(throws: ProtocolError.invalidCloseReason) { try decode([0x03, 0xE8] + reason) }
    }

    @Test("RFC 6455 §5.5: a reason of 123 bytes is kept and a longer one is truncated between scalars")
    func longReason() throws {
        let longest = String(repeating: "x", count: 123)
        expectEqual(CloseFrame(code: .goingAway, reason: longest).reason, longest)
        try expectEqual(decode([0x03, 0xE9] + Array(longest.utf8)).reason, longest)
        expectEqual(CloseFrame(code: .goingAway, reason: longest + "y").reason, longest)
        // 122 bytes plus a scalar of two, three, or four bytes exceed 123 bytes.
        let shorter = String(repeating: "x", count: 122)
        for scalar in ["é", "€", "🦜"] {
            expectEqual(CloseFrame(code: .goingAway, reason: shorter + scalar).reason, shorter)
        }
        expectEqual(CloseFrame(code: .goingAway, reason: String(repeating: "🦜", count: 31)).reason.utf8.count, 120)
    }

    @Test("a very long reason is truncated quickly")
    func veryLongReason() {
        let reason = String(repeating: "🦜", count: 200_000)
        expectEqual(CloseFrame(code: .goingAway, reason: reason).reason.utf8.count, 120)
    }

    @Test("RFC 6455 §5.5.1: a reason without a code is discarded")
    func reasonWithoutCode() {
        expectEqual(CloseFrame(code: nil, reason: "lost").reason, "")
    }

    private func decode(_ payload: [UInt8]) throws(ProtocolError) -> CloseFrame {
        try CloseFrame(decoding: payload.span.bytes)
    }

    private func encode(_ frame: CloseFrame) -> [UInt8] {
        var buffer = ByteBuffer()
        frame.encode(into: &buffer)
        return contents(of: buffer)
    }
}
