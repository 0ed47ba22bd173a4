/// Decompresses the incoming messages of a connection (RFC 7692 §7.2.2).
final class MessageInflater: StreamBorrower<InflateStream>, MessageDecompressor {
    private let keepsContext: Bool
    private var isInMessage = false
    /// The history saved when the stream was given back, or nil if there is none or a stream is borrowed.
    private(set) var history: InflateHistory?

    /// Creates the decompressor for a direction.
    init(_ direction: (windowBits: Int, keepsContext: Bool), memory: DeflateMemory) {
        keepsContext = direction.keepsContext
        super.init(windowBits: direction.windowBits, memory: memory)
    }

    func decompress(
        _ piece: RawSpan, isMessageEnd: Bool, into message: inout ByteBuffer, limitBytes: Int
    ) throws(ProtocolError) {
        if message.storageBytes == 0 { swap(&message, &memory.spareMessage) }
        isInMessage = !isMessageEnd
        try borrowStream().decompress(piece, isMessageEnd: isMessageEnd, into: &message, limitBytes: limitBytes)
        // RFC 7692 §7.1.1: without context takeover, no message refers to earlier ones.
        if isMessageEnd, !keepsContext { returnStream() }
    }

    func recycle(_ message: inout ByteBuffer) {
        message.removeAll()
        message.releaseStorage(above: DeflateMemory.keptStorageBytes)
        if message.storageBytes > memory.spareMessage.storageBytes { swap(&message, &memory.spareMessage) }
        message.releaseStorage(above: 0)
    }

    override var canGiveBack: Bool { !isInMessage }

    override func willUse(_ stream: InflateStream) {
        if let history = history.take() { stream.restore(history) } else { stream.reset() }
    }

    override func willGiveBack(_ stream: InflateStream, isIdle: Bool) {
        history = stream.savedHistory()
    }
}
