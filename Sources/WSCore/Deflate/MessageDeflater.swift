/// Compresses the messages that one end of a connection sends (RFC 7692 §7.2.1).
final class MessageDeflater: StreamBorrower<DeflateStream>, MessageCompressor {
    private let keepsContext: Bool
    private let memory: DeflateMemory
    /// The number of messages in a row that did not get shorter.
    private var failureCount = 0
    /// Messages that are sent as they are before the next one is tried.
    private var messagesToSkip = 0

    /// A shorter message travels as it is: the packet that carries it has over 40 bytes of headers, and the time to
    /// compress it would be that of sending it a hundred times.
    static let smallestBytes = 64
    /// After this many messages in a row that did not become shorter, only one in ``trialInterval`` is tried. Random
    /// data would otherwise travel at zlib's pace for nothing.
    static let patience = 8
    /// One of this many messages is tried while compression does not help.
    static let trialInterval = 16

    /// Makes the compressor of a direction.
    init(_ direction: (windowBits: Int, keepsContext: Bool), memory: DeflateMemory) {
        keepsContext = direction.keepsContext
        self.memory = memory
        super.init(windowBits: direction.windowBits, pool: memory.deflaters)
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
        // Taken out, so that nothing happens to it meanwhile.
        var output = memory.compressed.takeAll()
        // RFC 7692 §7.1.1: without context takeover every message starts with an empty window.
        let isShorter = borrowStream().compress(payload, into: &output, keepsHistory: keepsContext)
        if isShorter {
            failureCount = 0
            // RFC 7692 §7.2.1: the empty block at the end is cut down to its first bits.
            output.withReadableBytes { body($0.extracting(droppingLast: flushMarker.count)) }
        } else {
            failureCount += 1
            if failureCount >= Self.patience { messagesToSkip = Self.trialInterval - 1 }
        }
        output.removeAll()
        output.releaseStorage(above: DeflateMemory.keptStorageBytes)
        memory.compressed = output
        return isShorter
    }
}
