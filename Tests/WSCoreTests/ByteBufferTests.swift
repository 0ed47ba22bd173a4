import Testing
import WSCore

@Suite struct ByteBufferTests {
    @Test("bytes come out in the order they went in, across growth and compaction")
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
            #expect(contents(of: buffer) == expected)
        }
    }

    @Test("a buffer that is emptied in step never grows")
    func steadyState() {
        var buffer = ByteBuffer()
        for _ in 0..<10_000 {
            buffer.append("0123456789")
            buffer.consume(10)
        }
        #expect(buffer.storageBytes == 256)
    }

    @Test("only an empty buffer gives its storage back")
    func release() {
        var buffer = ByteBuffer()
        buffer.append("x")
        buffer.releaseStorage(above: 0)
        #expect(buffer.storageBytes > 0)
        buffer.consume(1)
        buffer.releaseStorage(above: 0)
        #expect(buffer.storageBytes == 0)
    }
}

/// The readable bytes of a buffer, copied.
func contents(of buffer: borrowing ByteBuffer) -> [UInt8] {
    buffer.withReadableBytes { span in span.withUnsafeBytes { Array($0) } }
}
