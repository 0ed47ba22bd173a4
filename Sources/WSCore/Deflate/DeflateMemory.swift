/// The memory that the connections of a loop share for permessage-deflate: zlib's streams, and buffers.
public final class DeflateMemory {
    /// 64 compressing streams of up to 270 KiB.
    let deflaters = StreamPool<DeflateStream>(maximumStreams: 64)
    /// 256 decompressing streams of up to 40 KiB.
    let inflaters = StreamPool<InflateStream>(maximumStreams: 256)
    /// What a message is compressed into.
    var compressed = ByteBuffer()
    /// The storage for the next message to be decompressed.
    var spareMessage = ByteBuffer()

    /// What the buffers keep of their storage after a large message, in bytes.
    static let keptStorageBytes = 64 << 10

    /// Makes memory that is empty.
    public init() {}

    /// Called when a stream is lent to a connection, after which ``releaseIdle()`` is to be called now and then.
    public var didLend: () -> Void {
        get { deflaters.didLend }
        set {
            deflaters.didLend = newValue
            inflaters.didLend = newValue
        }
    }

    /// Frees what has not been used since the last call.
    /// - Returns: Whether something is left.
    public func releaseIdle() -> Bool {
        deflaters.releaseIdle()
        inflaters.releaseIdle()
        return deflaters.hasStreams || inflaters.hasStreams
    }

    /// Makes what compresses and decompresses the messages of one connection.
    /// - Parameters:
    ///   - parameters: What was agreed on.
    ///   - role: This end of the connection.
    public func makeCodec(
        for parameters: DeflateParameters, role: Role
    ) -> (compressor: any MessageCompressor, decompressor: any MessageDecompressor) {
        (
            MessageDeflater(parameters.direction(from: role), memory: self),
            MessageInflater(parameters.direction(from: role == .client ? .server : .client), memory: self)
        )
    }
}
