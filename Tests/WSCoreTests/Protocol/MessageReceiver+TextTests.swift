import SessionSupport
import TestSupport
import Testing
import WSCore

@Suite struct MessageReceiverTextTests {
    private let reason = "a text message is not valid UTF-8"

    @Test(
        "RFC 6455 §8.1: valid text is delivered, in one frame and split into two fragments anywhere",
        arguments: UTF8Vectors.valid)
    func valid(text: [UInt8]) {
        expectReceived([frame(0x81, text)], events: [.message(.text, text)])
        for point in 0...text.count where text.count <= 24 || point % 7 == 0 {
            expectReceived(
                [frame(0x01, Array(text[..<point])), frame(0x80, Array(text[point...]))],
                events: [.message(.text, text)])
        }
        expectReceived(inSingleBytes(text), events: [.message(.text, text)])
    }

    @Test("RFC 6455 §8.1: invalid text fails the connection with 1007", arguments: UTF8Vectors.invalid)
    func invalid(text: UTF8Vectors.Invalid) {
        expectViolation([frame(0x81, text.bytes)], .invalidText, code: 1007, reason: reason)
        for point in 0...text.bytes.count {
            expectViolation(
                [frame(0x01, Array(text.bytes[..<point])), frame(0x80, Array(text.bytes[point...]))],
                .invalidText, code: 1007, reason: reason)
        }
    }

    @Test(
        "RFC 6455 §8.1: text that ends within a scalar fails the connection with 1007",
        arguments: UTF8Vectors.truncated)
    func truncated(text: [UInt8]) {
        expectViolation([frame(0x81, text)], .invalidText, code: 1007, reason: reason)
        expectViolation([frame(0x01, text), frame(0x80)], .invalidText, code: 1007, reason: reason)
        expectViolation([frame(0x01), frame(0x80, text)], .invalidText, code: 1007, reason: reason)
    }

    @Test("RFC 6455 §8.1: invalid UTF-8 is allowed in a binary message")
    func binary() {
        for text in UTF8Vectors.invalid.map(\.bytes) + UTF8Vectors.truncated {
            expectReceived([frame(0x82, text)], events: [.binary(text)])
            expectReceived([frame(0x02, text), frame(0x80)], events: [.binary(text)])
        }
    }

    @Test(
        "RFC 6455 §8.1: a violation is reported at the first invalid byte, before the frame is complete",
        arguments: UTF8Vectors.invalid, Role.allCases)
    func failFast(text: UTF8Vectors.Invalid, role: Role) {
        // The header announces 100 bytes more than arrive.
        let bytes = wire(
            [frame(0x01, text.bytes + [UInt8](repeating: 0x2A, count: 100))], receivedBy: role)
        let headerBytes =
            role == .server ? (text.bytes.count + 100 > 125 ? 8 : 6) : (text.bytes.count + 100 > 125 ? 4 : 2)
        expectEqual(failingByte(of: bytes, role), headerBytes + text.failsAt)
    }

    @Test(
        "RFC 6455 §8.1: a violation is reported at the first invalid byte of a later fragment",
        arguments: Role.allCases)
    func failFastAcrossFragments(role: Role) {
        for text in UTF8Vectors.invalid where text.failsAt > 0 {
            let first = wire([frame(0x01, Array(text.bytes[..<text.failsAt])), frame(0x89)], receivedBy: role)
            let second = wire([frame(0x00, Array(text.bytes[text.failsAt...] + [0x2A]))], receivedBy: role)
            expectEqual(failingByte(of: first + second, role), first.count + (role == .server ? 6 : 2))
        }
    }

    @Test(
        "RFC 6455 §8.1: an incomplete final scalar is reported at the header of an empty last frame"
    )
    func failAtEmptyEnd() {
        let bytes = wire([frame(0x01, [0xF0, 0x9F]), frame(0x00), frame(0x80)], receivedBy: .client)
        expectEqual(failingByte(of: bytes, .client), bytes.count - 1)
    }

    @Test("RFC 6455 §5.4: pings between the parts of a scalar do not affect the text")
    func pingInsideScalar() {
        expectReceived(
            [frame(0x01, [0xF0, 0x9F]), frame(0x89, [0xFF]), frame(0x80, [0xA6, 0x9C])],
            events: [.ping([0xFF]), .text("🦜")], answers: [frame(0x8A, [0xFF])])
    }

    private func inSingleBytes(_ text: [UInt8]) -> [[UInt8]] {
        guard !text.isEmpty else { return [frame(0x81)] }
        return text.indices.map { index in
            frame((index == 0 ? 0x01 : 0x00) | (index == text.count - 1 ? 0x80 : 0x00), [text[index]])
        }
    }

    /// The index of the first byte at which the text is rejected, when fed byte by byte.
    private func failingByte(of bytes: [UInt8], _ role: Role) -> Int? {
        var session = Session(role: role, limits: .client, maskingKeys: countingKeys())
        var handler = RecordingHandler()
        for (index, byte) in bytes.enumerated() {
            do throws(ProtocolError) {
                try session.receive([byte], handler: &handler)
            } catch {
                return error == .invalidText ? index : nil
            }
        }
        return nil
    }
}
