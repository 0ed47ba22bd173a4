import TestSupport
import Testing
import WSCore

@Suite struct FrameHeaderTests {
    @Test(
        "RFC 6455 §5.2: a header is 2, 4, or 10 bytes long, plus 4 for a masking key",
        arguments: [(0, 2), (125, 2), (126, 4), (65535, 4), (65536, 10), (Int.max, 10)])
    func encodedBytes(payloadBytes: Int, expected: Int) {
        let key = MaskingKey(word: 7)
        expectEqual(FrameHeader(opcode: .binary, payloadBytes: payloadBytes).encodedBytes, expected)
        let masked = FrameHeader(opcode: .binary, maskingKey: key, payloadBytes: payloadBytes)
        expectEqual(masked.encodedBytes, expected + 4)
        #expect(masked.encodedBytes <= FrameHeader.maximumBytes)
    }
}
