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
