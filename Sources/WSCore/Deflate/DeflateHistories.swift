/// Keeps the histories of busy compressors that had to give their streams back.
///
/// They share one block of memory, so they leave no holes between the blocks of idle connections. The kernel provides
/// its pages as they are used, and the block is freed when no histories are left.
///
///      [owner, size, history][owner, size, history]…   count ≤ maximumCount
final class DeflateHistories {
    private struct Header {
        /// Not retained: the owner removes its history when it is deinitialized.
        unowned(unsafe) let owner: MessageDeflater
        let byteCount: Int32
        /// Whether the history was already there at the last call of ``DeflateHistories/releaseIdle()``.
        var isOld = false
    }

    /// The number of histories.
    private var count = 0
    /// Room for ``maximumCount`` histories with their headers. Allocated for the first history.
    private var storage: UnsafeMutableRawPointer?

    /// The maximum number of histories. Further compressors start without history.
    private static let maximumCount = 16 << 10
    private static let headerBytes = MemoryLayout<Header>.stride
    private static let slotBytes = headerBytes + DeflateStream.historyBytes

    deinit {
        freeStorage()
    }

    /// Whether there are no histories.
    var isEmpty: Bool { count == 0 }

    /// Saves the history of the owner's stream.
    func save(_ stream: DeflateStream, of owner: MessageDeflater) {
        guard count < Self.maximumCount else { return }
        let slot = allocatedStorage() + count * Self.slotBytes
        let history = UnsafeMutableRawBufferPointer(start: slot + Self.headerBytes, count: DeflateStream.historyBytes)
        let byteCount = stream.copyHistory(to: history)
        guard byteCount > 0 else { return }
        slot.initializeMemory(as: Header.self, to: Header(owner: owner, byteCount: Int32(byteCount)))
        owner.historyIndex = count
        count += 1
    }

    /// Resets a stream and continues with the owner's history, if any. The history is then removed.
    func restore(_ stream: DeflateStream, of owner: MessageDeflater) {
        guard let index = owner.historyIndex, let header = header(at: index) else { return stream.reset() }
        let history = UnsafeRawPointer(header) + Self.headerBytes
        stream.restore(UnsafeRawBufferPointer(start: history, count: Int(header.pointee.byteCount)))
        remove(at: index)
    }

    /// Removes the owner's history, if any.
    func remove(of owner: MessageDeflater) {
        if let index = owner.historyIndex { remove(at: index) }
    }

    /// Removes a history. The last one takes its place.
    private func remove(at index: Int) {
        count -= 1
        guard let removed = header(at: index), let last = header(at: count) else { return }
        removed.pointee.owner.historyIndex = nil
        guard index < count else { return }
        UnsafeMutableRawPointer(removed).copyMemory(
            from: last, byteCount: Self.headerBytes + Int(last.pointee.byteCount))
        last.pointee.owner.historyIndex = index
    }

    /// Removes histories that were already there at the last call, because their owners are idle.
    func releaseIdle() {
        // From the end, because removing a history moves one from behind it.
        for index in (0..<count).reversed() {
            guard let header = header(at: index) else { return }
            if header.pointee.isOld { remove(at: index) } else { header.pointee.isOld = true }
        }
        if isEmpty { freeStorage() }
    }

    private func header(at index: Int) -> UnsafeMutablePointer<Header>? {
        storage.map { ($0 + index * Self.slotBytes).assumingMemoryBound(to: Header.self) }
    }

    private func allocatedStorage() -> UnsafeMutableRawPointer {
        if let storage { return storage }
        let allocated = UnsafeMutableRawPointer.allocate(
            byteCount: Self.maximumCount * Self.slotBytes, alignment: MemoryLayout<Header>.alignment)
        storage = allocated
        return allocated
    }

    private func freeStorage() {
        storage?.deallocate()
        storage = nil
    }
}
