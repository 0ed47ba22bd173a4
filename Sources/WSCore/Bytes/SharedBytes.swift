/// Immutable bytes that several queues refer to, stored only once.
public final class SharedBytes {
    @usableFromInline internal let bytes: ByteBuffer
    private let counter: BroadcastCounter?
    /// Whether the bytes are a counted message to many connections, so that they belong to none of them.
    internal var isBroadcast: Bool { counter != nil }

    /// The minimum size worth sharing, in bytes. Copying fewer bytes is cheaper than a reference, which takes an
    /// allocation and a separate write.
    package static let worthwhileBytes = 16 << 10
    /// The minimum size of a received message that can be sent back by reference, in bytes. This saves an echo
    /// server a copy of the message in time and in peak memory (docs/PERFORMANCE.md).
    @inlinable package static var largeMessageBytes: Int { 128 << 10 }

    /// Takes over the contents of a buffer. `counter` counts those of a broadcast as long as a queue
    /// refers to them.
    public init(_ bytes: consuming ByteBuffer, countedBy counter: BroadcastCounter? = nil) {
        self.bytes = bytes
        self.counter = counter
        counter?.byteCount += self.bytes.count
    }

    deinit { counter?.byteCount -= bytes.count }

    /// The number of bytes.
    package var count: Int { bytes.count }

    /// Calls `body` with the bytes starting at `offset` (0 to ``count``).
    @inlinable
    public func withBytes<R, E: Error>(from offset: Int = 0, _ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try bytes.withReadableBytes { (bytes) throws(E) in try body(bytes.extracting(droppingFirst: offset)) }
    }
}

/// Counts the broadcasts of a loop that queues refer to, each once.
public final class BroadcastCounter {
    /// The size of the broadcasts.
    internal var byteCount = 0
}
