/// Immutable bytes that several queues refer to, stored only once.
public final class SharedBytes {
    @usableFromInline internal let bytes: ByteBuffer
    /// Whether the bytes are a message to many connections, so that they belong to none of them.
    internal let isBroadcast: Bool

    /// The minimum size worth sharing, in bytes. Copying fewer bytes is cheaper than a reference, which takes an
    /// allocation and a separate write.
    public static let worthwhileBytes = 16 << 10
    /// The minimum size of a received message that can be sent back by reference, in bytes.
    @inlinable public static var largeMessageBytes: Int { 128 << 10 }

    /// Takes over the contents of a buffer.
    public init(_ bytes: consuming ByteBuffer, isBroadcast: Bool = false) {
        self.bytes = bytes
        self.isBroadcast = isBroadcast
    }

    /// The number of bytes.
    public var count: Int { bytes.count }

    /// Calls `body` with the bytes starting at `offset` (0 to ``count``).
    @inlinable
    public func withBytes<R, E: Error>(from offset: Int = 0, _ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try bytes.withReadableBytes { (bytes) throws(E) in try body(bytes.extracting(droppingFirst: offset)) }
    }
}
