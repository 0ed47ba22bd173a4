/// One end of an open WebSocket connection, without its I/O: bytes in, messages out, and the reverse.
///
///      bytes from the peer → receive(_:handler:) → MessageReceiver → handler
///                                                       │ pongs, close
///      bytes to the peer ← outbox.bytes ←──────────── Outbox ←──── send(…)
///
/// Both roles share it; only masking differs. It reads no clock and no socket.
public struct Session: ~Copyable {
    /// The sending half.
    public var outbox: Outbox
    @usableFromInline internal var receiver: MessageReceiver

    /// What has been received.
    public var receivedTraffic: Traffic { receiver.traffic }

    /// Makes a session for a connection whose opening handshake has just succeeded.
    /// - Parameters:
    ///   - role: Which end this is.
    ///   - limits: What is accepted from the peer.
    ///   - maskingKeys: Provides keys for the frames a client sends.
    ///   - fragmentBytes: The largest payload of a data frame sent, in bytes; nil: no limit.
    ///   - compressor: Compresses what is sent, where that was agreed on.
    ///   - decompressor: Restores what the peer compressed, where that was agreed on.
    ///   - partialInputs: What sessions of the same loop share while nothing has arrived in part.
    public init(
        role: Role, limits: Limits, maskingKeys: MaskingKeySource, fragmentBytes: Int? = nil,
        compressor: (any MessageCompressor)? = nil, decompressor: (any MessageDecompressor)? = nil,
        partialInputs: PartialInputPool = PartialInputPool()
    ) {
        outbox = Outbox(role: role, maskingKeys: maskingKeys, fragmentBytes: fragmentBytes, compressor: compressor)
        receiver = MessageReceiver(role: role, limits: limits, decompressor: decompressor, pool: partialInputs)
    }

    /// How far the closing handshake has come.
    public var closing: ClosingHandshake { outbox.closing }

    /// Whether a message has begun to arrive and has not arrived in full.
    public var isInMessage: Bool { receiver.partial?.messageKind != nil }

    /// How much of it has arrived; nil: there is none.
    public var incomingProgress: MessageProgress? { receiver.progress }

    /// Takes bytes from the peer, decodes them in place, and hands what they hold to `handler`.
    ///
    /// Bytes that follow the peer's close frame or a violation are ignored (RFC 6455 §1.4, §7.1.7).
    /// - Parameters:
    ///   - bytes: What has arrived; its contents are changed.
    ///   - handler: Takes messages and control frames, in order.
    /// - Returns: The number of bytes that were taken: all of them, unless the handler takes no more for now. What is left
    ///   is then to be given again, unchanged.
    /// - Throws: The peer's violation, after the close frame that reports it has been put into ``outbox``.
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

    /// RFC 6455 §7.1.7: to fail the connection, send a close frame that says why and process nothing more.
    @usableFromInline
    internal mutating func fail(_ error: ProtocolError) {
        receiver.finish()
        outbox.sendClose(CloseFrame(code: error.closeCode, reason: error.description))
    }
}
