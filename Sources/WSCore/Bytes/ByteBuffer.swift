/// A growable byte queue: bytes are appended at the end and consumed from the front.
///
///      storage
///      ├── consumed ──┼──── readable ────┼──── free ────┤
///      0          readIndex         writeIndex       capacity
///
/// Consuming moves a cursor. Readable bytes move to the front only if space is needed at the end and at least half of
/// the storage is consumed, which bounds the number of times each byte moves. An empty buffer keeps its storage until
/// ``releaseStorage(above:)`` is called.
public struct ByteBuffer: ~Copyable {
    @usableFromInline internal var storage: UnsafeMutableRawPointer?
    @usableFromInline internal private(set) var capacityBytes: Int
    @usableFromInline internal var readIndex = 0
    @usableFromInline internal var writeIndex = 0

    /// Creates an empty buffer without storage. The first append allocates.
    package init() {
        storage = nil
        capacityBytes = 0
    }

    deinit {
        if let storage { Self.release(storage, capacityBytes: capacityBytes) }
    }

    /// The number of readable bytes.
    @inlinable
    package var count: Int { writeIndex - readIndex }

    /// Whether there are no readable bytes.
    @inlinable
    package var isEmpty: Bool { writeIndex == readIndex }

    /// The size of the storage, in bytes.
    package var storageBytes: Int { capacityBytes }

    /// The number of bytes that can be appended without moving or allocating storage.
    package var freeBytes: Int { capacityBytes - writeIndex }

    /// Calls `body` with the readable bytes.
    @inlinable
    public func withReadableBytes<R: ~Copyable, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: storage.map { $0 + readIndex }, count: count).bytes)
    }

    /// Calls `body` with the readable bytes, which it may modify.
    @inlinable
    package mutating func withMutableReadableBytes<R: ~Copyable, E: Error>(
        _ body: (inout MutableRawSpan) throws(E) -> R
    ) throws(E) -> R {
        let bytes = UnsafeMutableRawBufferPointer(start: storage.map { $0 + readIndex }, count: count)
        var span = bytes.mutableBytes
        return try body(&span)
    }

    /// Appends bytes.
    @inlinable
    package mutating func append(_ bytes: RawSpan) {
        let count = bytes.byteCount
        guard count > 0 else { return }
        let target = reserve(count)
        bytes.withUnsafeBytes { source in
            if let base = source.baseAddress { target.copyMemory(from: base, byteCount: count) }
        }
        writeIndex += count
    }

    /// Appends a string as UTF-8.
    package mutating func append(_ string: some StringProtocol) {
        var string = String(string)
        string.withUTF8 { append(UnsafeRawBufferPointer($0).bytes) }
    }

    /// Appends a string literal. When inlined, a short literal takes only a few store instructions.
    @inlinable @inline(__always)
    package mutating func append(literal: StaticString) {
        append(UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount).bytes)
    }

    /// Appends a number in decimal.
    package mutating func append(decimal number: Int) {
        if number < 0 { append(byte: UInt8(ascii: "-")) }
        var rest = number.magnitude
        var digitCount = 1
        while rest >= 10 {
            rest /= 10
            digitCount += 1
        }
        let target = reserve(digitCount)
        rest = number.magnitude
        for index in (0..<digitCount).reversed() {
            target.storeBytes(of: UInt8(ascii: "0") + UInt8(rest % 10), toByteOffset: index, as: UInt8.self)
            rest /= 10
        }
        writeIndex += digitCount
    }

    /// Appends one byte.
    @inlinable
    package mutating func append(byte: UInt8) {
        reserve(1).storeBytes(of: byte, as: UInt8.self)
        writeIndex += 1
    }

    /// Reserves space for `count` bytes (0 or more) and returns its address. Call ``commit(_:)`` after writing.
    @inlinable
    public mutating func reserve(_ count: Int) -> UnsafeMutableRawPointer {
        if let storage, capacityBytes - writeIndex >= count { return storage + writeIndex }
        return makeRoom(for: count)
    }

    /// Makes `count` bytes readable that were written to the space returned by ``reserve(_:)``.
    @inlinable
    public mutating func commit(_ count: Int) {
        precondition(count >= 0 && count <= capacityBytes - writeIndex)
        writeIndex += count
    }

    /// Removes `count` bytes (0 to ``count``) from the front.
    @inlinable
    package mutating func consume(_ count: Int) {
        precondition(count >= 0 && count <= self.count)
        readIndex += count
        if readIndex == writeIndex {
            readIndex = 0
            writeIndex = 0
        }
    }

    /// Removes `count` bytes (0 to ``count``) from the end.
    package mutating func removeLast(_ count: Int) {
        precondition(count >= 0 && count <= self.count)
        writeIndex -= count
    }

    /// Removes all bytes but keeps the storage.
    @inlinable
    package mutating func removeAll() {
        readIndex = 0
        writeIndex = 0
    }

    /// Moves the contents and storage to a new buffer and leaves this one empty.
    public mutating func takeAll() -> ByteBuffer {
        var taken = ByteBuffer()
        swap(&taken, &self)
        return taken
    }

    /// Frees the storage if the buffer is empty and its storage is larger than `bytes`.
    package mutating func releaseStorage(above bytes: Int) {
        guard isEmpty, capacityBytes > bytes, let released = surrender() else { return }
        Self.release(released.start, capacityBytes: released.capacityBytes)
    }

    /// Takes ownership of storage from another buffer. This buffer must have none.
    internal mutating func adopt(_ storage: UnsafeMutableRawPointer, capacityBytes: Int) {
        self.storage = storage
        self.capacityBytes = capacityBytes
        removeAll()
    }

    /// Gives up ownership of the storage and discards its contents. Returns nil if there is no storage.
    internal mutating func surrender() -> (start: UnsafeMutableRawPointer, capacityBytes: Int)? {
        guard let storage else { return nil }
        let surrendered = (storage, capacityBytes)
        self.storage = nil
        capacityBytes = 0
        removeAll()
        return surrendered
    }

    /// Grows the storage to `bytes` if it is smaller.
    package mutating func growStorage(to bytes: Int) {
        if bytes > capacityBytes { moveToStorage(of: bytes) }
    }

    /// Grows the storage to `bytes` if it is smaller and another buffer has recently released storage of this size.
    package mutating func growStorageIfKept(to bytes: Int) {
        guard bytes > capacityBytes, let kept = LargeStorage.takeKept(atLeast: bytes) else { return }
        move(to: kept)
    }

    @usableFromInline
    internal mutating func makeRoom(for count: Int) -> UnsafeMutableRawPointer {
        let readable = self.count
        if let storage, readIndex >= capacityBytes / 2, capacityBytes - readable >= count {
            storage.copyMemory(from: storage + readIndex, byteCount: readable)
            readIndex = 0
            writeIndex = readable
            return storage + writeIndex
        }
        return moveToStorage(of: Swift.max(readable + count, capacityBytes * 2, Self.smallestCapacityBytes))
    }

    /// Moves the readable bytes to the front of new storage. Returns the address of the free space.
    @discardableResult
    private mutating func moveToStorage(of newCapacity: Int) -> UnsafeMutableRawPointer {
        move(
            to: newCapacity < LargeStorage.smallestBytes
                ? LargeStorage.Block(byteCount: newCapacity)
                : LargeStorage.take(atLeast: newCapacity))
    }

    @discardableResult
    private mutating func move(to block: LargeStorage.Block) -> UnsafeMutableRawPointer {
        let readable = self.count
        if let storage {
            block.start.copyMemory(from: storage + readIndex, byteCount: readable)
            // Not kept for reuse: a buffer that grows to a large size would leave the same amount behind.
            storage.deallocate()
        }
        storage = block.start
        capacityBytes = block.capacityBytes
        readIndex = 0
        writeIndex = readable
        return block.start + readable
    }

    /// Frees storage, or keeps it for other buffers.
    internal static func release(_ storage: UnsafeMutableRawPointer, capacityBytes: Int) {
        guard capacityBytes >= LargeStorage.smallestBytes else { return storage.deallocate() }
        LargeStorage.giveBack(LargeStorage.Block(start: storage, capacityBytes: capacityBytes))
    }

    private static let smallestCapacityBytes = 256
}
