/// An open WebSocket connection without its I/O: bytes in, messages out, and the reverse.
///
///      bytes from the peer → receive(_:handler:) → MessageReceiver → handler
///                                                       │ pongs, close
///      bytes to the peer ← outbox.bytes ←──────────── Outbox ←──── send(…)
///
/// Both roles share this type; only masking differs. It reads neither a clock nor a socket.
public struct Session: ~Copyable {
    /// The sending half.
    public var outbox: Outbox
    @usableFromInline internal var receiver: MessageReceiver

    /// The messages and bytes received so far.
    public var receivedTraffic: Traffic { receiver.traffic }

    /// Creates a session for a connection that has just completed its opening handshake.
    /// - Parameters:
    ///   - role: The role of this endpoint.
    ///   - limits: The limits on incoming messages.
    ///   - maskingKeys: The source of masking keys for a client's frames.
    ///   - fragmentBytes: The maximum payload of an outgoing data frame, in bytes. Defaults to nil: no limit.
    ///   - compressor: Compresses outgoing messages, if negotiated.
    ///   - decompressor: Decompresses incoming messages, if negotiated.
    ///   - partialInputs: The pool of partial inputs, shared by the sessions of a loop.
    ///   - answersPings: Whether pings are answered, as RFC 6455 §5.5.2 requires. Defaults to true.
    public init(
        role: Role, limits: Limits, maskingKeys: MaskingKeySource, fragmentBytes: Int? = nil,
        compressor: (any MessageCompressor)? = nil, decompressor: (any MessageDecompressor)? = nil,
        partialInputs: PartialInputPool = PartialInputPool(), answersPings: Bool = true
    ) {
        outbox = Outbox(
            role: role, maskingKeys: maskingKeys, fragmentBytes: fragmentBytes, answersPings: answersPings)
        if compressor != nil || decompressor != nil {
            outbox.extensions = SessionExtensions(compressor: compressor, decompressor: decompressor)
        }
        receiver = MessageReceiver(role: role, limits: limits, pool: partialInputs)
    }

    /// The state of the closing handshake.
    public var closing: ClosingHandshake { outbox.closing }

    /// Whether a message has started to arrive but is incomplete.
    public var isInMessage: Bool { receiver.partial?.messageKind != nil }

    /// The progress of the incomplete message, or nil if there is none.
    public var incomingProgress: MessageProgress? { receiver.progress }

    /// The storage of the incomplete message, in bytes.
    internal var incompleteBytes: Int { receiver.partial?.message.storageBytes ?? 0 }

    /// The number of payload bytes that the incomplete message still lacks, at most; nil if there is none.
    internal var missingBytes: Int? {
        guard let progress = receiver.progress else { return nil }
        return (progress.totalBytes ?? max(progress.bytes, receiver.limits.maximumMessageBytes)) - progress.bytes
    }

    /// Whether received messages may be compressed.
    internal var decompresses: Bool { outbox.extensions?.decompressor != nil }

    /// Sends a close frame, unless one was sent before, and ignores further input.
    internal mutating func abandon(with frame: CloseFrame) {
        receiver.finish()
        outbox.sendClose(frame)
    }

    /// Decodes bytes from the peer in place and delivers messages and control frames to `handler`, in order.
    ///
    /// Bytes after the peer's close frame or a violation are ignored (RFC 6455 §1.4, §7.1.7).
    /// - Parameters:
    ///   - bytes: The received bytes, which are unmasked in place.
    ///   - handler: Receives messages and control frames.
    /// - Returns: The number of bytes consumed: all of them, unless the handler's ``SessionHandler/takesMore(_:)``
    ///   returned false. Pass the remaining bytes again later, unchanged.
    /// - Throws: ``ProtocolError`` if the peer violates the protocol. ``outbox`` then contains the close frame that
    ///   reports it.
    @inlinable
    @discardableResult
    public mutating func receive<Handler: SessionHandler & ~Copyable>(
        _ bytes: inout MutableRawSpan, handler: inout Handler
    ) throws(ProtocolError) -> Int {
        do throws(ProtocolError) {
            return try receiver.receive(&bytes, outbox: &outbox, handler: &handler)
        } catch {
            fail(error)
            throw error
        }
    }

    /// RFC 6455 §7.1.7: to fail the connection, send a close frame with an appropriate code and ignore further input.
    @usableFromInline
    internal mutating func fail(_ error: ProtocolError) {
        abandon(with: CloseFrame(code: error.closeCode, reason: error.description))
    }
}

/// The traffic in one direction since the connection was opened.
public struct Traffic: Equatable, Sendable {
    /// The number of messages.
    public var messages = 0
    /// The total size of the messages in bytes, before compression.
    public var messageBytes = 0
    /// The total size of all frames in bytes on the wire, including headers and control frames.
    public var wireBytes = 0

    /// Creates traffic counts. They default to 0.
    @inlinable
    public init(messages: Int = 0, messageBytes: Int = 0, wireBytes: Int = 0) {
        self.messages = messages
        self.messageBytes = messageBytes
        self.wireBytes = wireBytes
    }
}
