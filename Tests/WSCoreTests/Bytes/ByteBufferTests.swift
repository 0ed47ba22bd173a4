import TestSupport
import Testing
import WSCore

@Suite struct ByteBufferTests {
    @Test("bytes are consumed in order, across growth and compaction")
    func order() {
        var buffer = ByteBuffer()
        var expected: [UInt8] = []
        var next: UInt8 = 0
        for round in 1...200 {
            for _ in 0..<(round % 37) {
                buffer.append(byte: next)
                expected.append(next)
                next &+= 1
            }
            let taken = buffer.count / 3
            buffer.consume(taken)
            expected.removeFirst(taken)
            expectEqual(contents(of: buffer), expected)
        }
    }

    @Test("a buffer that is emptied as fast as it is filled does not grow")
    func steadyState() {
        var buffer = ByteBuffer()
        for _ in 0..<10_000 {
            buffer.append("0123456789")
            buffer.consume(10)
        }
        expectEqual(buffer.storageBytes, 256)
    }

    @Test("releaseStorage(above:) affects only empty buffers")
    func release() {
        var buffer = ByteBuffer()
        buffer.append("x")
        buffer.releaseStorage(above: 0)
        #expect(buffer.storageBytes > 0)
        buffer.consume(1)
        buffer.releaseStorage(above: 0)
        expectEqual(buffer.storageBytes, 0)
    }

    @Test("a buffer reuses consumed space instead of growing")
    func compaction() {
        var buffer = ByteBuffer()
        buffer.append(String(repeating: "a", count: 250))
        buffer.consume(240)
        buffer.append(String(repeating: "b", count: 200))
        expectEqual(buffer.storageBytes, 256)
        expectEqual(
            contents(of: buffer),
            Array("\(String(repeating: "a", count: 10))\(String(repeating: "b", count: 200))".utf8))
    }

    @Test("removeLast(_:) keeps the bytes before")
    func removal() {
        var buffer = ByteBuffer()
        buffer.append("abcd")
        buffer.consume(1)
        buffer.removeLast(2)
        expectEqual(contents(of: buffer), Array("b".utf8))
        buffer.append("x")
        expectEqual(contents(of: buffer), Array("bx".utf8))
    }

    @Test("growStorage(to:) keeps the contents")
    func growth() {
        var buffer = ByteBuffer()
        buffer.append("abc")
        buffer.consume(1)
        buffer.growStorage(to: 1000)
        expectEqual(buffer.storageBytes, 1000)
        expectEqual(buffer.freeBytes, 998)
        expectEqual(contents(of: buffer), Array("bc".utf8))
        buffer.growStorage(to: 10)
        expectEqual(buffer.storageBytes, 1000)
    }

    @Test("takeAll() leaves an empty buffer without storage")
    func takeAll() {
        var buffer = ByteBuffer()
        buffer.append("taken")
        let taken = buffer.takeAll()
        expectEqual(contents(of: taken), Array("taken".utf8))
        expectEqual(contents(of: buffer), [])
        expectEqual(buffer.storageBytes, 0)
    }

    @Test("an empty buffer has no readable bytes, and appending nothing does not allocate")
    func empty() {
        var buffer = ByteBuffer()
        buffer.append("")
        buffer.consume(0)
        expectEqual(contents(of: buffer), [])
        expectEqual(buffer.storageBytes, 0)
    }

    @Test("bytes written to reserved space become readable when committed")
    func reserve() {
        var buffer = ByteBuffer()
        buffer.append("ab")
        let target = buffer.reserve(1000)
        target.storeBytes(of: 0x63, as: UInt8.self)
        expectEqual(contents(of: buffer), Array("ab".utf8))
        buffer.commit(1)
        expectEqual(contents(of: buffer), Array("abc".utf8))
    }

    @Test("readable bytes can be changed in place")
    func mutation() {
        var buffer = ByteBuffer()
        buffer.append("xyz")
        buffer.consume(1)
        buffer.withMutableReadableBytes { bytes in
            bytes.storeBytes(of: 0x21, toByteOffset: 1, as: UInt8.self)
        }
        expectEqual(contents(of: buffer), Array("y!".utf8))
    }
}
