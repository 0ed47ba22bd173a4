import TestSupport
import Testing

@testable import Conformance

@Suite struct WireTests {
    /// Reads bytes in pieces. Returns the heads, or the violation.
    private func heads(_ bytes: [UInt8], masked: Bool = false, by size: Int) throws(Violation) -> [FrameHead] {
        var reader = FrameReader(expectsMask: masked)
        var heads: [FrameHead] = []
        var failure: Violation?
        for start in stride(from: 0, to: bytes.count, by: size) {
            var piece = Array(bytes[start..<min(start + size, bytes.count)])
            piece.withUnsafeMutableBytes { buffer in
                var rest = buffer
                do throws(Violation) {
                    while let event = try reader.next(&rest) { if case .head(let head) = event { heads.append(head) } }
                } catch {
                    failure = error
                }
            }
        }
        if let failure { throw failure }
        return heads
    }

    @Test(arguments: [1, 2, 1000])
    func framesAreRead(by size: Int) throws {
        let bytes: [UInt8] =
            [0x01, 0x02, 0x61, 0x62, 0x89, 0x00, 0x80, 0x7E, 0x00, 0x7E] + Array(repeating: 0x61, count: 126)
        let heads = try heads(bytes, by: size)
        expectEqual(heads.map(\.opcode), [1, 9, 0])
        expectEqual(heads.map(\.payloadCount), [2, 0, 126])
        expectEqual(heads.map(\.isFinal), [false, true, true])
    }

    @Test(
        "What no peer may send is a violation",
        arguments: [
            ([0x81, 0x80, 0, 0, 0, 0], "a server's frame is masked"), ([0x83, 0], "opcode 3 is reserved"),
            ([0x8B, 0], "opcode 11 is reserved"), ([0x09, 0], "a control frame is fragmented"),
            ([0x88, 0x7E, 0, 0x7E], "a control frame has 126 bytes, more than 125"),
            ([0x80, 0], "a continuation frame continues no message"),
            ([0x01, 0, 0x81, 0], "a message begins inside another one"),
            ([0x82, 0x7E, 0, 125], "a length of 125 is not in its shortest form"),
            ([0x82, 0x7F, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], "a length of 65535 is not in its shortest form"),
            ([0x82, 0x7F, 0x80, 0, 0, 0, 0, 1, 0, 0], "the first bit of a 64-bit length is set"),
        ] as [([UInt8], String)])
    func violation(_ bytes: [UInt8], _ reason: String) {
        let error = #expect(throws: Violation.self) { try heads(bytes, by: 1) }
        expectEqual(error?.reason, reason)
    }

    @Test(
        "UTF-8 is checked by RFC 3629, in pieces",
        arguments: [
            ([0xC3, 0xA9], true), ([0xF4, 0x8F, 0xBF, 0xBF], true), ([0xED, 0x9F, 0xBF], true),
            ([0xEF, 0xBF, 0xBF], true),
            ([0xED, 0xA0, 0x80], false), ([0xC1, 0xBF], false), ([0xE0, 0x9F, 0xBF], false),
            ([0xF0, 0x8F, 0xBF, 0xBF], false),
            ([0xF4, 0x90, 0x80, 0x80], false), ([0xF5], false), ([0x80], false), ([0xC3, 0x28], false),
        ] as [([UInt8], Bool)])
    func utf8(_ bytes: [UInt8], _ isValid: Bool) {
        var checker = UTF8Checker()
        let results = bytes.map { byte in [byte].withUnsafeBytes { checker.accepts($0) } }
        expectEqual(results.allSatisfy { $0 } && checker.isComplete, isValid)
    }

    @Test func theMaskIsThatOfTheRFC() {
        // RFC 6455 §5.7.
        var bytes: [UInt8] = [0x7F, 0x9F, 0x4D, 0x51, 0x58]
        bytes.withUnsafeMutableBytes { Mask.apply([0x37, 0xFA, 0x21, 0x3D], to: $0, offset: 0) }
        expectEqual(bytes, Array("Hello".utf8))
    }

    @Test func theAcceptIsThatOfTheRFC() {
        expectEqual(HandshakePlan.accept("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    /// Decompresses messages after each other.
    private func inflated(_ messages: [[UInt8]], _ side: DeflateParameters.Side) throws(Violation) -> [[UInt8]] {
        let inflater = Inflater(side)
        var results: [[UInt8]] = []
        for message in messages {
            var result: [UInt8] = []
            var failure: Violation?
            message.withUnsafeBytes { bytes in
                do throws(Violation) {
                    try inflater.decompress(bytes) { (part) throws(Violation) in result += part }
                    try inflater.finish { (part) throws(Violation) in result += part }
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            results.append(result)
        }
        return results
    }

    @Test func compressedMessagesAreThoseOfTheRFC() throws {
        // RFC 7692 §7.2.3.2: the second message refers to the first.
        let messages: [[UInt8]] = [[0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], [0xF2, 0x00, 0x11, 0x00, 0x00]]
        expectEqual(try inflated(messages, .init()), [Array("Hello".utf8), Array("Hello".utf8)])
        #expect(throws: Violation.self) { try inflated(messages, .init(keepsContext: false)) }
    }

    @Test func aReferenceBeyondTheWindowIsAViolation() throws {
        var payload = Payload()
        payload.append(.noise, count: 700)
        let message = payload.bytes()
        let compressed = Deflater(.init(windowBits: 15)).compress(message + message)
        expectEqual(try inflated([compressed], .init(windowBits: 15)), [message + message])
        #expect(throws: Violation.self) { try inflated([compressed], .init(windowBits: 9)) }
        let narrow = Deflater(.init(windowBits: 9)).compress(message + message)
        expectEqual(try inflated([narrow], .init(windowBits: 9)), [message + message])
    }

    @Test func anEmptyMessageIsAZeroByte() throws {
        let deflater = Deflater(.init())
        expectEqual(deflater.compress([]), [0])
        expectEqual(try inflated([[0], deflater.compress(Array("a".utf8))], .init()), [[], Array("a".utf8)])
    }
}
