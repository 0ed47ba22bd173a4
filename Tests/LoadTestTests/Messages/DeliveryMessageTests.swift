import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct DeliveryMessageTests {
    private static let stamp = DeliveryMessage.Stamp(
        run: 0xFEED_F00D, number: 0xFFFF_FFFF, publisher: 7, time: 0x1234_5678_9ABC_DEF0)

    private static func bytes(_ byteCount: Int) -> [UInt8] {
        var message = DeliveryMessage(byteCount: byteCount, run: 1)
        message.set(stamp)
        return message.withBytes { bytes in bytes.withUnsafeBytes { Array($0) } }
    }

    private static func read(_ bytes: [UInt8], byteCount: Int) -> DeliveryMessage.Stamp? {
        var message = DeliveryMessage(byteCount: byteCount, run: 1)
        return message.stamp(of: bytes.span.bytes)
    }

    @Test(
        "A message is text with its publisher, number, and due time", arguments: [48, 49, 55, 1000])
    func roundTrip(byteCount: Int) {
        let bytes = Self.bytes(byteCount)
        expectEqual(bytes.count, byteCount)
        #expect(bytes.allSatisfy { 0x20..<0x7F ~= $0 })
        expectEqual(String(decoding: bytes.prefix(40), as: UTF8.self), "feedf00dffffffff00000007123456789abcdef0")
        expectEqual(Self.read(bytes, byteCount: byteCount), Self.stamp)
    }

    @Test("A message with any changed bit is not recognized", arguments: 0..<56)
    func damage(index: Int) {
        for bit in 0..<8 {
            var bytes = Self.bytes(56)
            bytes[index] ^= 1 << UInt8(bit)
            expectNil(Self.read(bytes, byteCount: 56))
        }
    }

    @Test("A message of another length is not recognized")
    func lengths() {
        expectNil(Self.read(Self.bytes(56), byteCount: 55))
        expectNil(Self.read(Array(Self.bytes(56).prefix(48)), byteCount: 56))
        expectNil(Self.read([], byteCount: 48))
    }
}
