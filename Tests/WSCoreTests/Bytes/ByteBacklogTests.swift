import Testing

@testable import WSCore

@Suite struct ByteBacklogTests {
    @Test("bytes come out in the order in which they went in, however they are cut", arguments: [1, 3, 7, 1000])
    func order(pieceBytes: Int) {
        let shared = (0..<3).map { SharedBytes(buffer(of: noise(UInt64($0), byteCount: 20 + $0))) }
        let backlog = ByteBacklog()
        var tail = ByteBuffer()
        var expected: [UInt8] = []
        for (index, bytes) in shared.enumerated() {
            let own = [UInt8](repeating: UInt8(index), count: index)
            own.withUnsafeBytes { tail.append($0.bytes) }
            backlog.append(bytes, after: &tail)
            #expect(tail.count == 0)
            expected += own + contents(of: bytes)
        }
        #expect(backlog.count == expected.count)
        var output = ByteBuffer()
        while backlog.first != nil { backlog.moveFirst(atMost: pieceBytes, to: &output) }
        #expect(contents(of: output) == expected)
        #expect(backlog.count == 0)
    }

    @Test("what is shared is let go of once it has been taken")
    func release() {
        let backlog = ByteBacklog()
        weak var first: SharedBytes?
        var tail = ByteBuffer()
        do {
            let bytes = SharedBytes(buffer(of: [1, 2, 3]))
            first = bytes
            backlog.append(bytes, after: &tail)
        }
        #expect(first != nil)
        let isTaken = backlog.takeFirst { part in part.shared.count }
        #expect(isTaken)
        #expect(first == nil && backlog.first == nil)
    }

    @Test("what is not taken stays, and is counted")
    func partly() {
        let backlog = ByteBacklog()
        var tail = buffer(of: [9, 9])
        backlog.append(SharedBytes(buffer(of: [1, 2, 3])), after: &tail)
        let isTaken = backlog.takeFirst { part in
            part.own.consume(1)
            return 0
        }
        #expect(!isTaken && backlog.count == 4)
        let isTakenNow = backlog.takeFirst { part in
            part.own.removeAll()
            return 2
        }
        #expect(!isTakenNow && backlog.count == 1)
    }

    private func contents(of shared: SharedBytes) -> [UInt8] {
        shared.withBytes { span in span.withUnsafeBytes { Array($0) } }
    }

    private func contents(of buffer: borrowing ByteBuffer) -> [UInt8] {
        buffer.withReadableBytes { span in span.withUnsafeBytes { Array($0) } }
    }
}
