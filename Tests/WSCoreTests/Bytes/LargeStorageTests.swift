import TestSupport
import Testing

@testable import WSCore

@Suite struct LargeStorageTests {
    @Test("kept storage is taken again")
    func reuse() {
        var pool = LargeStorage.Pool()
        let block = LargeStorage.Block(byteCount: 1 << 20)
        expectEmpty(pool.keep(block))
        expectEqual(pool.take(atLeast: 1 << 20)?.start, block.start)
        #expect(pool.isEmpty && pool.keptBytes == 0)
        block.start.deallocate()
    }

    @Test("the smallest storage that fits is taken, with at most a quarter more than requested")
    func fit() {
        var pool = LargeStorage.Pool()
        for sixteenths in [32, 18, 16, 20] { _ = pool.keep(LargeStorage.Block(byteCount: sixteenths << 16)) }
        expectNil(pool.take(atLeast: 33 << 16))
        expectNil(pool.take(atLeast: 21 << 16))
        var taken: [LargeStorage.Block] = []
        while let block = pool.take(atLeast: 16 << 16) { taken.append(block) }
        let sizes: [Int] = [16 << 16, 18 << 16, 20 << 16]
        expectEqual(taken.map(\.capacityBytes), sizes)
        expectEqual(pool.keptBytes, 32 << 16)
        if let last = pool.take(atLeast: 32 << 16) { taken.append(last) }
        for block in taken { block.start.deallocate() }
    }

    @Test("the kept amount is bounded; the least recently kept storage is freed first")
    func bound() {
        var pool = LargeStorage.Pool()
        let sixth = LargeStorage.maximumKeptBytes / 6 + 1
        let blocks = (0..<6).map { _ in LargeStorage.Block(byteCount: sixth) }
        let surplus = blocks.flatMap { pool.keep($0) }
        expectEqual(surplus.map(\.start), [blocks[0].start])
        expectEqual(pool.keptBytes, 5 * sixth)
        let huge = LargeStorage.Block(byteCount: LargeStorage.maximumKeptBytes + 1)
        expectEqual(pool.keep(huge).map(\.start), [huge.start])
        let largest = LargeStorage.Block(byteCount: LargeStorage.maximumKeptBytes)
        expectEqual(pool.keep(largest).count, 5)
        expectEqual(pool.keptBytes, LargeStorage.maximumKeptBytes)
        for block in blocks + [huge, largest] { block.start.deallocate() }
    }

    @Test("storage that is not used for one to two seconds is freed")
    func release() {
        var pool = LargeStorage.Pool()
        let blocks = (0..<2).map { _ in LargeStorage.Block(byteCount: 1 << 20) }
        _ = pool.keep(blocks[0])
        expectEmpty(pool.releaseUnused(at: .seconds(10)))
        _ = pool.keep(blocks[1])
        // Another loop asks shortly afterwards.
        expectEmpty(pool.releaseUnused(at: .seconds(10.5)))
        expectEqual(pool.releaseUnused(at: .seconds(11)).map(\.start), [blocks[0].start])
        expectEqual(pool.releaseUnused(at: .seconds(12)).map(\.start), [blocks[1].start])
        #expect(pool.isEmpty && pool.keptBytes == 0)
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
            expectEqual(contents(of: buffer), bytes)
        }
    }
}
