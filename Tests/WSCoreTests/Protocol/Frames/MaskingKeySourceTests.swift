import TestSupport
import Testing
import WSCore

@Suite struct MaskingKeySourceTests {
    @Test("RFC 6455 §5.3: each key is used once, in the order of the random bytes")
    func order() {
        let source = countingKeys()
        for count in 1...UInt32(3 * MaskingKeySource.blockKeys) {
            guard source.next() == maskingKey(countedKey(count)) else {
                Issue.record("key \(count)")
                return
            }
        }
    }

    @Test("RFC 6455 §5.3: random bytes are requested one block at a time, when first needed")
    func blocks() {
        var sizes: [Int] = []
        let source = MaskingKeySource { buffer in
            sizes.append(buffer.count)
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
        }
        expectEqual(sizes, [])
        for _ in 0..<MaskingKeySource.blockKeys { _ = source.next() }
        expectEqual(sizes, [4096])
        _ = source.next()
        expectEqual(sizes, [4096, 4096])
    }
}
