/// Lends storage to the buffers of one loop. Empty buffers need none.
///
/// Allocating it anew would add 28 % to the instructions of an echo of 20 bytes on 50 connections.
struct ByteStoragePool: ~Copyable {
    private var storages: [(start: UnsafeMutableRawPointer, capacityBytes: Int)] = []
    private var heldBytes = 0
    private let maximumBytes: Int

    /// Creates an empty pool.
    /// - Parameter maximumBytes: The maximum amount of storage to keep, in bytes. Defaults to 1 MiB; the rest is freed.
    init(maximumBytes: Int = 1 << 20) {
        self.maximumBytes = maximumBytes
    }

    deinit {
        for storage in storages { ByteBuffer.release(storage.start, capacityBytes: storage.capacityBytes) }
    }

    /// Lends the most recently returned storage to a buffer without storage, if available.
    mutating func lend(to buffer: inout ByteBuffer) {
        guard buffer.storage == nil, let storage = storages.popLast() else { return }
        heldBytes -= storage.capacityBytes
        buffer.adopt(storage.start, capacityBytes: storage.capacityBytes)
    }

    /// Takes the storage of a buffer if it is empty.
    mutating func takeBack(from buffer: inout ByteBuffer) {
        guard buffer.isEmpty, let storage = buffer.surrender() else { return }
        guard heldBytes + storage.capacityBytes <= maximumBytes else {
            return ByteBuffer.release(storage.start, capacityBytes: storage.capacityBytes)
        }
        heldBytes += storage.capacityBytes
        storages.append(storage)
    }
}
