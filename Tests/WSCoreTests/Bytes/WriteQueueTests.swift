import TestSupport
import Testing

@testable import WSCore

@Suite struct WriteQueueTests {
    @Test("bytes are taken in order, however they are split", arguments: [1, 3, 7, 1000])
    func order(pieceBytes: Int) {
        let shared = (0..<3).map { SharedBytes(buffer(of: noise(UInt64($0), byteCount: 20 + $0))) }
        let queue = WriteQueue()
        var tail = ByteBuffer()
        var expected: [UInt8] = []
        for (index, bytes) in shared.enumerated() {
            let own = [UInt8](repeating: UInt8(index), count: index)
            own.withUnsafeBytes { tail.append($0.bytes) }
            queue.append(bytes, after: &tail)
            expectEqual(tail.count, 0)
            expected += own + contents(of: bytes)
        }
        expectEqual(queue.count, expected.count)
        var output = ByteBuffer()
        while queue.first != nil { queue.moveFirst(atMost: pieceBytes, to: &output) }
        expectEqual(contents(of: output), expected)
        expectEqual(queue.count, 0)
    }

    @Test("shared bytes are released when taken")
    func release() {
        let queue = WriteQueue()
        weak var first: SharedBytes?
        var tail = ByteBuffer()
        do {
            let bytes = SharedBytes(buffer(of: [1, 2, 3]))
            first = bytes
            queue.append(bytes, after: &tail)
        }
        expectNotNil(first)
        let isTaken = queue.takeFirst { part in part.shared.count }
        expectTrue(isTaken)
        #expect(first == nil && queue.first == nil)
    }

    @Test("bytes not taken remain queued and counted")
    func partly() {
        let queue = WriteQueue()
        var tail = buffer(of: [9, 9])
        queue.append(SharedBytes(buffer(of: [1, 2, 3])), after: &tail)
        let isTaken = queue.takeFirst { part in
            part.own.consume(1)
            return 0
        }
        #expect(!isTaken && queue.count == 4)
        let isTakenNow = queue.takeFirst { part in
            part.own.removeAll()
            return 2
        }
        #expect(!isTakenNow && queue.count == 1)
    }

    @Test("a part copies its bytes if they fill little of the buffer's storage, which the buffer keeps")
    func lentStorage() throws {
        let queue = WriteQueue()
        var tail = ByteBuffer()
        tail.growStorage(to: 1 << 20)
        append([9, 9], to: &tail)
        queue.append(SharedBytes(buffer(of: [1])), after: &tail)
        let part = try #require(queue.first)
        #expect(part.own.count == 2 && part.own.storageBytes <= 256)
        #expect(tail.isEmpty && tail.storageBytes >= 1 << 20)
        append(noise(1, byteCount: 700_000), to: &tail)
        queue.append(SharedBytes(buffer(of: [2])), after: &tail)
        expectEqual(tail.storageBytes, 0, "more than half of the storage is in use, so its contents are not copied")
        var output = ByteBuffer()
        while queue.first != nil { queue.moveFirst(atMost: 1, to: &output) }
        expectEqual(contents(of: output), [9, 9, 1] + noise(1, byteCount: 700_000) + [2])
    }

    @Test("parts are taken in order and released when taken, while others are appended")
    func manyParts() {
        let queue = WriteQueue()
        var tail = ByteBuffer()
        var output = ByteBuffer()
        var waiting: [() -> SharedBytes?] = []
        for number in 0..<1000 {
            let bytes = SharedBytes(buffer(of: [UInt8(number % 251)]))
            waiting.append { [weak bytes] in bytes }
            queue.append(bytes, after: &tail)
            guard number % 3 == 2 else { continue }
            for _ in 0..<2 { queue.moveFirst(atMost: 1, to: &output) }
            let kept: [Bool] = waiting.map { $0() != nil }
            expectEqual(kept.prefix(output.count).contains(true), false)
            expectEqual(kept.dropFirst(output.count).dropLast().contains(false), false)
        }
        while queue.first != nil { queue.moveFirst(atMost: 1, to: &output) }
        let expected: [UInt8] = (0..<1000).map { UInt8($0 % 251) }
        expectEqual(contents(of: output), expected)
        expectEqual(queue.count, 0)
    }

    private func append(_ bytes: [UInt8], to buffer: inout ByteBuffer) {
        bytes.withUnsafeBytes { buffer.append($0.bytes) }
    }

    private func contents(of shared: SharedBytes) -> [UInt8] {
        shared.withBytes { span in span.withUnsafeBytes { Array($0) } }
    }

    private func contents(of buffer: borrowing ByteBuffer) -> [UInt8] {
        buffer.withReadableBytes { span in span.withUnsafeBytes { Array($0) } }
    }
}
