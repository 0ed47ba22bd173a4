/// Bytes that several queues refer to, so that they are in memory once. They do not change any more.
public final class SharedBytes {
    private let bytes: ByteBuffer

    /// From this many bytes on it is cheaper to refer to bytes than to copy them: a reference takes an allocation, and a
    /// write of its own.
    public static let worthwhileBytes = 16 << 10

    /// Takes over what is in a buffer.
    public init(_ bytes: consuming ByteBuffer) {
        self.bytes = bytes
    }

    /// How many there are.
    public var count: Int { bytes.count }

    /// Gives `body` the bytes from `offset` (0 through ``count``) on.
    public func withBytes<R, E: Error>(from offset: Int = 0, _ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try bytes.withReadableBytes { (bytes) throws(E) in try body(bytes.extracting(droppingFirst: offset)) }
    }
}
