/// Compresses the outgoing messages of a connection (RFC 7692 §7.2.1).
final class MessageDeflater: StreamBorrower<DeflateStream>, MessageCompressor {
    private let keepsContext: Bool
    /// The number of consecutive messages that compression did not shorten.
    private var failureCount: UInt8 = 0
    /// The number of messages to send uncompressed before the next trial.
    private var messagesToSkip: UInt8 = 0

    /// The minimum size of a message to compress, in bytes. The headers of the packet alone exceed 40 bytes, and
    /// compressing a shorter message would take a hundred times as long as sending it.
    static let smallestBytes = 64
    /// The number of consecutive failures after which only one message in ``trialInterval`` is tried. Otherwise, random
    /// data would be slowed down to zlib's speed without benefit.
    static let patience: UInt8 = 8
    /// The number of messages per trial while compression does not help.
    static let trialInterval: UInt8 = 16

    /// Creates the compressor for a direction.
    init(_ direction: (windowBits: Int, keepsContext: Bool), memory: DeflateMemory) {
        keepsContext = direction.keepsContext
        super.init(windowBits: direction.windowBits, memory: memory)
    }

    func compressAlone(_ payload: RawSpan, _ body: (RawSpan) -> Void) -> Bool {
        forgetHistory()
        return compress(payload, body)
    }

    func forgetHistory() {
        returnStream()
    }

    func compress(_ payload: RawSpan, _ body: (RawSpan) -> Void) -> Bool {
        guard payload.byteCount >= Self.smallestBytes else { return false }
        guard messagesToSkip == 0 else {
            messagesToSkip -= 1
            return false
        }
        // Taken out to guarantee exclusive access during `body`.
        var output = memory.compressed.takeAll()
        // RFC 7692 §7.1.1: without context takeover, every message starts with an empty window.
        let isShorter = borrowStream().compress(payload, into: &output, keepsHistory: keepsContext)
        if isShorter {
            failureCount = 0
            // RFC 7692 §7.2.1: remove the last four octets of the empty block at the end.
            output.withReadableBytes { body($0.extracting(droppingLast: flushMarker.count)) }
        } else {
            failureCount = min(failureCount + 1, Self.patience)
            if failureCount == Self.patience { messagesToSkip = Self.trialInterval - 1 }
        }
        output.removeAll()
        output.releaseStorage(above: DeflateMemory.keptStorageBytes)
        memory.compressed = output
        return isShorter
    }
}
