import Testing

@testable import WSCore

@Suite struct LargeStorageTests {
    @Test("kept storage is taken again")
    func reuse() {
        var shelf = LargeStorage.Shelf()
        let block = LargeStorage.Block(byteCount: 1 << 20)
        #expect(shelf.keep(block).isEmpty)
        #expect(shelf.take(atLeast: 1 << 20)?.start == block.start)
        #expect(shelf.isEmpty && shelf.keptBytes == 0)
        block.start.deallocate()
    }

    @Test("the smallest storage that fits is taken, with at most a quarter more than requested")
    func fit() {
        var shelf = LargeStorage.Shelf()
        for sixteenths in [32, 18, 16, 20] { _ = shelf.keep(LargeStorage.Block(byteCount: sixteenths << 16)) }
        #expect(shelf.take(atLeast: 33 << 16) == nil)
        #expect(shelf.take(atLeast: 21 << 16) == nil)
        var taken: [LargeStorage.Block] = []
        while let block = shelf.take(atLeast: 16 << 16) { taken.append(block) }
        #expect(taken.map(\.capacityBytes) == [16 << 16, 18 << 16, 20 << 16])
        #expect(shelf.keptBytes == 32 << 16)
        if let last = shelf.take(atLeast: 32 << 16) { taken.append(last) }
        for block in taken { block.start.deallocate() }
    }

    @Test("the kept amount is bounded; the least recently kept storage is freed first")
    func bound() {
        var shelf = LargeStorage.Shelf()
        let sixth = LargeStorage.maximumKeptBytes / 6 + 1
        let blocks = (0..<6).map { _ in LargeStorage.Block(byteCount: sixth) }
        let surplus = blocks.flatMap { shelf.keep($0) }
        #expect(surplus.map(\.start) == [blocks[0].start])
        #expect(shelf.keptBytes == 5 * sixth)
        let huge = LargeStorage.Block(byteCount: LargeStorage.maximumKeptBytes + 1)
        #expect(shelf.keep(huge).map(\.start) == [huge.start])
        let largest = LargeStorage.Block(byteCount: LargeStorage.maximumKeptBytes)
        #expect(shelf.keep(largest).count == 5)
        #expect(shelf.keptBytes == LargeStorage.maximumKeptBytes)
        for block in blocks + [huge, largest] { block.start.deallocate() }
    }

    @Test("storage that is not used for one to two seconds is freed")
    func release() {
        var shelf = LargeStorage.Shelf()
        let blocks = (0..<2).map { _ in LargeStorage.Block(byteCount: 1 << 20) }
        _ = shelf.keep(blocks[0])
        #expect(shelf.releaseUnused(at: .seconds(10)).isEmpty)
        _ = shelf.keep(blocks[1])
        // Another loop asks shortly afterwards.
        #expect(shelf.releaseUnused(at: .seconds(10.5)).isEmpty)
        #expect(shelf.releaseUnused(at: .seconds(11)).map(\.start) == [blocks[0].start])
        #expect(shelf.releaseUnused(at: .seconds(12)).map(\.start) == [blocks[1].start])
        #expect(shelf.isEmpty && shelf.keptBytes == 0)
        for block in blocks { block.start.deallocate() }
    }

    @Test("messages of 64 KiB to 1 MiB no longer need new storage each time", arguments: [64 << 10, 1 << 20])
    func mediumMessages(byteCount: Int) {
        // Other tests use the same storage at the same time, but not in each of the attempts.
        #expect(
            (0..<1000).contains { _ in
                do {
                    var buffer = ByteBuffer()
                    buffer.growStorage(to: byteCount)
                }
                return Self.isKept(byteCount)
            })
    }

    @Test("a buffer that grows leaves its previous storage to the next one")
    func growth() {
        #expect(
            (0..<1000).contains { _ in
                var buffer = ByteBuffer()
                buffer.growStorage(to: 300_000)
                buffer.growStorage(to: 700_000)
                return Self.isKept(300_000)
            })
    }

    /// Whether storage of this size is kept. Takes it, if so.
    private static func isKept(_ byteCount: Int) -> Bool {
        var buffer = ByteBuffer()
        buffer.growStorageIfKept(to: byteCount)
        return buffer.storageBytes > 0
    }

    @Test("a buffer grows into kept storage and keeps its contents")
    func buffer() {
        let bytes = noise(1, byteCount: 2_000_000)
        for _ in 0..<10 {
            var buffer = ByteBuffer()
            for start in stride(from: 0, to: bytes.count, by: 100_000) {
                bytes[start..<start + 100_000].withUnsafeBytes { buffer.append($0.bytes) }
            }
            #expect(contents(of: buffer) == bytes)
        }
    }
}
