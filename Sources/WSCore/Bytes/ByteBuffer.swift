/// A growable queue of bytes: appended at the end, consumed from the front.
///
///      storage
///      ├── consumed ──┼──── readable ────┼──── free ────┤
///      0          readIndex         writeIndex       capacity
///
/// Consuming moves a cursor; bytes are moved to the front only when room is needed at the end, and
/// then only when at least half of the storage is consumed, so that each byte moves a bounded number
/// of times. A buffer without content has given back nothing: call ``releaseStorage(above:)``.
public struct ByteBuffer: ~Copyable {
    @usableFromInline internal var storage: UnsafeMutableRawPointer?
    @usableFromInline internal private(set) var capacityBytes: Int
    @usableFromInline internal var readIndex = 0
    @usableFromInline internal var writeIndex = 0

    /// Makes an empty buffer that allocates at its first append.
    public init() {
        storage = nil
        capacityBytes = 0
    }

    deinit {
        storage?.deallocate()
    }

    /// The number of readable bytes.
    @inlinable
    public var count: Int { writeIndex - readIndex }

    /// Whether there is nothing to read.
    @inlinable
    public var isEmpty: Bool { writeIndex == readIndex }

    /// The number of bytes of memory that the buffer holds, used or not.
    public var storageBytes: Int { capacityBytes }

    /// The number of bytes that can be appended without moving anything.
    public var freeBytes: Int { capacityBytes - writeIndex }

    /// Gives `body` the readable bytes.
    @inlinable
    public func withReadableBytes<R: ~Copyable, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: storage.map { $0 + readIndex }, count: count).bytes)
    }

    /// Gives `body` the readable bytes to change in place.
    @inlinable
    public mutating func withMutableReadableBytes<R: ~Copyable, E: Error>(
        _ body: (inout MutableRawSpan) throws(E) -> R
    ) throws(E) -> R {
        let bytes = UnsafeMutableRawBufferPointer(start: storage.map { $0 + readIndex }, count: count)
        var span = bytes.mutableBytes
        return try body(&span)
    }

    /// Appends bytes.
    @inlinable
    public mutating func append(_ bytes: RawSpan) {
        let count = bytes.byteCount
        guard count > 0 else { return }
        let target = reserve(count)
        bytes.withUnsafeBytes { source in
            if let base = source.baseAddress { target.copyMemory(from: base, byteCount: count) }
        }
        writeIndex += count
    }

    /// Appends the UTF-8 form of a string.
    public mutating func append(_ string: some StringProtocol) {
        var string = String(string)
        string.withUTF8 { append(UnsafeRawBufferPointer($0).bytes) }
    }

    /// Appends a string that is part of the program. Where it is inlined, a short one is but a few stores.
    @inlinable @inline(__always)
    public mutating func append(literal: StaticString) {
        append(UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount).bytes)
    }

    /// Appends the decimal digits of a number.
    public mutating func append(decimal number: Int) {
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
    public mutating func append(byte: UInt8) {
        reserve(1).storeBytes(of: byte, as: UInt8.self)
        writeIndex += 1
    }

    /// Makes room for `count` more bytes (0 or more) and returns where they go; ``commit(_:)`` says how many were written.
    @inlinable
    public mutating func reserve(_ count: Int) -> UnsafeMutableRawPointer {
        if let storage, capacityBytes - writeIndex >= count { return storage + writeIndex }
        return makeRoom(for: count)
    }

    /// Counts `count` bytes, written where ``reserve(_:)`` said, as readable.
    @inlinable
    public mutating func commit(_ count: Int) {
        precondition(count >= 0 && count <= capacityBytes - writeIndex)
        writeIndex += count
    }

    /// Takes `count` bytes (0 through ``count``) from the front.
    @inlinable
    public mutating func consume(_ count: Int) {
        precondition(count >= 0 && count <= self.count)
        readIndex += count
        if readIndex == writeIndex {
            readIndex = 0
            writeIndex = 0
        }
    }

    /// Takes all bytes away and keeps the storage.
    @inlinable
    public mutating func removeAll() {
        readIndex = 0
        writeIndex = 0
    }

    /// Takes everything out, storage included, and leaves an empty buffer.
    public mutating func takeAll() -> ByteBuffer {
        var taken = ByteBuffer()
        swap(&taken, &self)
        return taken
    }

    /// Frees the storage of an empty buffer when it is larger than `bytes`.
    public mutating func releaseStorage(above bytes: Int) {
        guard isEmpty, capacityBytes > bytes else { return }
        storage?.deallocate()
        storage = nil
        capacityBytes = 0
        removeAll()
    }

    /// Takes storage over, which was allocated for another buffer; this one has none.
    internal mutating func adopt(_ storage: UnsafeMutableRawPointer, capacityBytes: Int) {
        self.storage = storage
        self.capacityBytes = capacityBytes
        removeAll()
    }

    /// Lets go of the storage, whatever is in it; nil: there is none.
    internal mutating func surrender() -> (start: UnsafeMutableRawPointer, capacityBytes: Int)? {
        guard let storage else { return nil }
        let surrendered = (storage, capacityBytes)
        self.storage = nil
        capacityBytes = 0
        removeAll()
        return surrendered
    }

    /// Makes the storage `bytes` large, where it is not.
    public mutating func growStorage(to bytes: Int) {
        if bytes > capacityBytes { moveToStorage(of: bytes) }
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

    /// Moves the readable bytes to the front of larger storage and returns where further ones go.
    @discardableResult
    private mutating func moveToStorage(of newCapacity: Int) -> UnsafeMutableRawPointer {
        let readable = self.count
        let newStorage = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 16)
        if let storage {
            newStorage.copyMemory(from: storage + readIndex, byteCount: readable)
            storage.deallocate()
        }
        storage = newStorage
        capacityBytes = newCapacity
        readIndex = 0
        writeIndex = readable
        return newStorage + readable
    }

    private static let smallestCapacityBytes = 256
}
