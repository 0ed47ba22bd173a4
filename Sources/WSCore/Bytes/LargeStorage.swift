import Synchronization

/// Recycles the storage of large buffers, for all threads of the process.
///
/// An allocator unmaps large blocks when they are freed, and the kernel then provides new, zeroed pages for the next
/// ones. An echo of 1 MiB would then take a server 2.6 ms of CPU time instead of 0.4 (docs/PERFORMANCE.md). Letting
/// glibc keep the blocks, and trimming its heap every two seconds, was tried: an echo of 16 MiB took 30 % more CPU time.
///
///      buffer grows ────► take ──────────┬─► kept storage of this size or up to a quarter more
///                                        └─► new storage
///      buffer releases ─► giveBack ──────┬─► kept, at most 80 MiB
///                                        └─► freed, the least recently kept first
///      every second ────► releaseUnused ───► freed, if kept since the call before
@usableFromInline
internal enum LargeStorage {
    /// A block of storage. The holder is responsible for its memory, on any thread.
    struct Block: @unchecked Sendable {
        /// The first byte.
        let start: UnsafeMutableRawPointer
        /// The size in bytes.
        let capacityBytes: Int

        init(start: UnsafeMutableRawPointer, capacityBytes: Int) {
            self.start = start
            self.capacityBytes = capacityBytes
        }

        /// Allocates a block.
        init(byteCount: Int) {
            // The size depends on peers and users, and the standard library traps if there is no memory for it.
            guard let start = allocate(byteCount) else { endWithoutMemory() }
            self.init(start: start, capacityBytes: byteCount)
        }
    }

    /// The minimum size of recycled storage, in bytes. The heap keeps smaller blocks itself (`Heap.prepare()`), and maps
    /// and unmaps larger ones.
    @inlinable static var smallestBytes: Int { 1 << 20 }
    /// The maximum amount of storage to keep, in bytes: a message of the maximum size and a full output queue.
    static let maximumKeptBytes = 80 << 20
    /// The minimum time between two releases of unused storage.
    static let releaseInterval = Duration.seconds(1)

    /// Whether any storage is kept. ``releaseUnused(at:)`` should then be called periodically.
    static var isKeeping: Bool { keeps.load(ordering: .relaxed) }

    private static let keeps = Atomic(false)
    private static let pool = Synchronization.Mutex(Pool())

    /// Returns storage of at least `byteCount` bytes.
    static func take(atLeast byteCount: Int) -> Block {
        takeKept(atLeast: byteCount) ?? Block(byteCount: byteCount)
    }

    /// Returns kept storage of at least `byteCount` bytes, if available.
    static func takeKept(atLeast byteCount: Int) -> Block? {
        guard isKeeping, byteCount >= smallestBytes else { return nil }
        return pool.withLock { pool in
            let block = pool.take(atLeast: byteCount)
            keeps.store(!pool.isEmpty, ordering: .relaxed)
            return block
        }
    }

    /// Takes ownership of storage of ``smallestBytes`` or more, to keep or free it.
    static func giveBack(_ block: Block) {
        let surplus = pool.withLock { pool in
            let surplus = pool.keep(block)
            keeps.store(!pool.isEmpty, ordering: .relaxed)
            return surplus
        }
        for block in surplus { block.start.deallocate() }
    }

    /// Frees storage that has been kept since the last call, if that was ``releaseInterval`` ago.
    /// - Parameter now: The monotonic time. All threads must use the same clock.
    static func releaseUnused(at now: Duration) {
        let unused = pool.withLock { pool in
            let unused = pool.releaseUnused(at: now)
            keeps.store(!pool.isEmpty, ordering: .relaxed)
            return unused
        }
        for block in unused { block.start.deallocate() }
    }

    /// Frees all kept storage.
    static func releaseAll() {
        let blocks = pool.withLock { pool in
            keeps.store(false, ordering: .relaxed)
            return pool.releaseAll()
        }
        for block in blocks { block.start.deallocate() }
    }

    /// The kept storage.
    struct Pool {
        /// The blocks, the least recently kept first. Their memory belongs to the pool.
        private var blocks: [(block: Block, releaseCount: Int)] = []
        private(set) var keptBytes = 0
        private var releaseCount = 0
        private var lastRelease: Duration?

        var isEmpty: Bool { blocks.isEmpty }

        /// Removes the smallest block of at least `byteCount` bytes, unless more than a quarter would be in excess: a
        /// small message must not hold on to the storage of a large one.
        mutating func take(atLeast byteCount: Int) -> Block? {
            var best: (index: Int, capacityBytes: Int)?
            // The most recently kept block is the most likely to be in the processor's cache.
            for index in blocks.indices.reversed() {
                let capacityBytes = blocks[index].block.capacityBytes
                guard capacityBytes >= byteCount, capacityBytes - byteCount <= byteCount / 4 else { continue }
                if capacityBytes < best?.capacityBytes ?? .max { best = (index, capacityBytes) }
            }
            guard let best else { return nil }
            keptBytes -= best.capacityBytes
            return blocks.remove(at: best.index).block
        }

        /// Keeps a block. Returns the blocks to free.
        mutating func keep(_ block: Block) -> [Block] {
            guard block.capacityBytes <= maximumKeptBytes else { return [block] }
            blocks.append((block, releaseCount))
            keptBytes += block.capacityBytes
            var surplusCount = 0
            while keptBytes > maximumKeptBytes {
                keptBytes -= blocks[surplusCount].block.capacityBytes
                surplusCount += 1
            }
            guard surplusCount > 0 else { return [] }
            return removeFirst(surplusCount)
        }

        /// Removes the blocks kept since the last call that was not too early.
        mutating func releaseUnused(at now: Duration) -> [Block] {
            if let lastRelease, now - lastRelease < releaseInterval { return [] }
            lastRelease = now
            let unusedCount = blocks.prefix { $0.releaseCount < releaseCount }.count
            releaseCount += 1
            for (block, _) in blocks.prefix(unusedCount) { keptBytes -= block.capacityBytes }
            return removeFirst(unusedCount)
        }

        /// Removes all blocks.
        mutating func releaseAll() -> [Block] {
            keptBytes = 0
            return removeFirst(blocks.count)
        }

        private mutating func removeFirst(_ count: Int) -> [Block] {
            let removed = blocks.prefix(count).map(\.block)
            blocks.removeFirst(count)
            return removed
        }
    }
}
