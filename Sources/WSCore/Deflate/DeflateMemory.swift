/// The memory that the connections of a loop share for permessage-deflate: zlib streams and buffers.
package final class DeflateMemory {
    /// Up to 64 compression streams of at most 120 KiB each.
    let deflaters = StreamPool<DeflateStream>(maximumStreams: 64)
    /// The histories of up to 16,384 other busy compressors, 5 KiB each.
    let histories = DeflateHistories()
    /// Up to 1,024 decompression streams of at most 44 KiB each. The history of one is saved when it changes hands, and
    /// takes nearly as much, so fewer streams would save little memory.
    let inflaters = StreamPool<InflateStream>(maximumStreams: 1024)
    /// The output buffer for compression.
    var compressed = ByteBuffer()
    /// Storage for the next decompressed message.
    var spareMessage = ByteBuffer()

    /// The maximum storage the buffers keep after a large message, in bytes.
    static let keptStorageBytes = 64 << 10

    /// Creates empty memory.
    package init() {}

    /// Called when a stream is lent to a connection. The owner should then call ``releaseIdle()`` periodically.
    package var didLend: () -> Void {
        get { deflaters.didLend }
        set {
            deflaters.didLend = newValue
            inflaters.didLend = newValue
        }
    }

    /// Frees streams and histories that have not been used since the last call.
    /// - Returns: Whether any are left.
    package func releaseIdle() -> Bool {
        deflaters.releaseIdle()
        histories.releaseIdle()
        inflaters.releaseIdle()
        return deflaters.hasStreams || inflaters.hasStreams || !histories.isEmpty
    }

    /// Creates the compressor and decompressor of a connection.
    /// - Parameters:
    ///   - parameters: The negotiated parameters.
    ///   - role: The role of this endpoint.
    package func makeCodec(for parameters: DeflateParameters, role: Role) -> MessageExtensions {
        MessageExtensions(
            compressor: MessageDeflater(parameters.direction(from: role), memory: self),
            decompressor: MessageInflater(
                parameters.direction(from: role == .client ? .server : .client), memory: self))
    }
}
