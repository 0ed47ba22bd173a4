import TestSupport
import Testing
import WSCore

@Suite struct MaskingTests {
    @Test("RFC 6455 §5.3: octet i is XORed with octet i mod 4 of the key, at every length and alignment")
    func everyLength() {
        var random = SeededRandom(seed: 1)
        let payload = (0..<300).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        for count in 0...200 {
            for start in 0..<8 {
                var bytes = Array(payload[start..<start + count])
                let expected = bytes.enumerated().map { $1 ^ exampleKey[$0 % 4] }
                mask(&bytes, with: maskingKey(exampleKey))
                guard bytes == expected else {
                    Issue.record("\(count) bytes at \(start)")
                    return
                }
            }
        }
    }

    @Test("RFC 6455 §5.3: masking twice restores the payload")
    func twice() {
        var bytes = Array("Hello".utf8)
        mask(&bytes, with: maskingKey(exampleKey))
        expectEqual(bytes, [0x7F, 0x9F, 0x4D, 0x51, 0x58])
        mask(&bytes, with: maskingKey(exampleKey))
        expectEqual(bytes, Array("Hello".utf8))
    }

    @Test("RFC 6455 §5.3: masking in pieces equals masking at once")
    func pieces() {
        let payload = (0..<40).map { UInt8($0 * 5) }
        var expected = payload
        mask(&expected, with: maskingKey(exampleKey))
        for point in 0...payload.count {
            var front = Array(payload[..<point])
            var back = Array(payload[point...])
            mask(&front, with: maskingKey(exampleKey))
            mask(&back, with: maskingKey(exampleKey).advanced(by: point))
            expectEqual(front + back, expected)
        }
    }

    @Test("advancing a key by a multiple of four does not change it")
    func advancedByFour() {
        expectEqual(maskingKey(exampleKey).advanced(by: 0), maskingKey(exampleKey))
        expectEqual(maskingKey(exampleKey).advanced(by: 1 << 40), maskingKey(exampleKey))
        expectEqual(maskingKey(exampleKey).advanced(by: 3), maskingKey([0x3D, 0x37, 0xFA, 0x21]))
    }

    @Test("bytes of every length are masked as they are appended to a buffer")
    func appended() {
        for count in 0...100 {
            let payload = (0..<count).map { UInt8($0) }
            var buffer = ByteBuffer()
            buffer.append("before")
            buffer.append(payload.span.bytes, maskedWith: maskingKey(exampleKey))
            let expected = payload.enumerated().map { $1 ^ exampleKey[$0 % 4] }
            expectEqual(contents(of: buffer), Array("before".utf8) + expected)
        }
    }

    private func mask(_ bytes: inout [UInt8], with key: MaskingKey) {
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        key.apply(to: &raw)
    }
}
