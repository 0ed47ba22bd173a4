/// Storage that the buffers of one loop take turns with: those that have nothing in them need none.
public final class ByteStoragePool {
    private var storages: [(start: UnsafeMutableRawPointer, capacityBytes: Int)] = []
    private var heldBytes = 0
    private let maximumBytes: Int

    /// Makes an empty pool.
    /// - Parameter maximumBytes: How much it keeps, 1 MiB by default; what is given back beyond that is freed.
    public init(maximumBytes: Int = 1 << 20) {
        self.maximumBytes = maximumBytes
    }

    deinit {
        for storage in storages { storage.start.deallocate() }
    }

    /// Gives a buffer without storage that which was given back last, if there is any.
    public func lend(to buffer: inout ByteBuffer) {
        guard buffer.storage == nil, let storage = storages.popLast() else { return }
        heldBytes -= storage.capacityBytes
        buffer.adopt(storage.start, capacityBytes: storage.capacityBytes)
    }

    /// Takes the storage of a buffer that is empty.
    public func takeBack(from buffer: inout ByteBuffer) {
        guard buffer.isEmpty, let storage = buffer.surrender() else { return }
        guard heldBytes + storage.capacityBytes <= maximumBytes else { return storage.start.deallocate() }
        heldBytes += storage.capacityBytes
        storages.append(storage)
    }
}
