/// Compresses the outgoing messages of a connection (RFC 7692 §7.2.1).
final class MessageDeflater: StreamBorrower<DeflateStream>, MessageCompressor {
    private let keepsContext: Bool
    /// The number of consecutive messages that zlib compressed to a quarter, or, if negative, did not shorten. At most
    /// ``minimumSuccesses`` and ``maximumFailures``.
    private var trend: Int8 = 0
    /// The number of messages to send uncompressed before the next trial.
    private var messagesToSkip: UInt8 = 0
    /// ``historyIndex`` in four bytes: each idle connection has one. -1 stands for nil.
    private var smallHistoryIndex: Int32 = -1

    /// The minimum size of a message to compress, in bytes. The headers of the packet alone exceed 40 bytes, and
    /// compressing a shorter message would take a hundred times as long as sending it.
    static let smallestBytes = 64
    /// The number of consecutive failures after which only one message in ``trialInterval`` is tried. Otherwise, random
    /// data would be slowed down to zlib's speed without benefit.
    static let maximumFailures: Int8 = 8
    /// The number of messages per trial while compression does not help.
    static let trialInterval: UInt8 = 16
    /// The number of consecutive short messages that repeat so much of earlier ones that ``ShortDeflater`` takes over.
    static let minimumSuccesses: Int8 = 8

    /// Creates the compressor for a direction.
    init(_ direction: (windowBits: Int, keepsContext: Bool), memory: DeflateMemory) {
        keepsContext = direction.keepsContext
        super.init(windowBits: DeflateStream.windowBits(within: direction.windowBits), memory: memory)
    }

    deinit {
        memory.histories.remove(of: self)
    }

    /// The position of the history among those of the memory, or nil if there is none or a stream is borrowed.
    var historyIndex: Int? {
        get { smallHistoryIndex < 0 ? nil : Int(smallHistoryIndex) }
        set { smallHistoryIndex = Int32(newValue ?? -1) }
    }

    override func willUse(_ stream: DeflateStream) {
        memory.histories.restore(stream, of: self)
    }

    override func willGiveBack(_ stream: DeflateStream, isIdle: Bool) {
        // An idle connection starts anew, to take less memory.
        if !isIdle { memory.histories.save(stream, of: self) }
    }

    func compressAlone(_ payload: RawSpan, _ body: (RawSpan) -> Void) -> Bool {
        forgetHistory()
        return compress(payload, body)
    }

    func forgetHistory() {
        returnStream()
        memory.histories.remove(of: self)
    }

    func compress(_ payload: RawSpan, _ body: (RawSpan) -> Void) -> Bool {
        guard payload.byteCount >= Self.smallestBytes else { return false }
        guard messagesToSkip == 0 else {
            messagesToSkip -= 1
            return false
        }
        // Taken out to guarantee exclusive access during `body`.
        var output = memory.compressed.takeAll()
        let isShorter = compressShort(payload, into: &output) || compressWithStream(payload, into: &output)
        // RFC 7692 §7.2.1: remove the last four octets of the empty block at the end.
        if isShorter { output.withReadableBytes { body($0.extracting(droppingLast: flushMarker.count)) } }
        output.removeAll()
        output.releaseStorage(above: DeflateMemory.keptStorageBytes)
        memory.compressed = output
        return isShorter
    }

    /// Compresses a short message without zlib, if it repeats as much of earlier ones as those before it.
    private func compressShort(_ payload: RawSpan, into output: inout ByteBuffer) -> Bool {
        guard trend == Self.minimumSuccesses, payload.byteCount <= ShortDeflater.maximumBytes else { return false }
        if historyIndex == nil {
            memory.histories.save(borrowStream(), of: self)
            guard historyIndex != nil else { return false }
            returnStream()
        }
        return memory.histories.compress(payload, of: self, into: &output, limitBytes: payload.byteCount / 8 * 3)
    }

    private func compressWithStream(_ payload: RawSpan, into output: inout ByteBuffer) -> Bool {
        let isShorter = borrowStream().compress(payload, into: &output)
        if !isShorter {
            trend = max(min(trend, 0) - 1, -Self.maximumFailures)
            if trend == -Self.maximumFailures { messagesToSkip = Self.trialInterval - 1 }
        } else if keepsContext, payload.byteCount <= ShortDeflater.maximumBytes, output.count <= payload.byteCount / 4 {
            trend = min(max(trend, 0) + 1, Self.minimumSuccesses)
        } else {
            trend = 0
        }
        // RFC 7692 §7.1.1: without context takeover, every message starts with an empty window.
        if !keepsContext { returnStream() }
        return isShorter
    }
}
