/// Compresses outgoing messages. This protocol is all a session knows about the negotiated extension.
package protocol MessageCompressor: AnyObject {
    /// Compresses a message and passes the result to `body`.
    /// - Returns: Whether `body` was called; false if the message should be sent uncompressed.
    func compress(_ payload: RawSpan, _ body: (RawSpan) -> Void) -> Bool

    /// The size of the window in bits. Connections with the same window size can share compressed messages.
    var windowBits: Int { get }

    /// Compresses a message without references to earlier messages, readable by every peer with this window size.
    /// - Returns: Whether `body` was called, as for ``compress(_:_:)``.
    func compressAlone(_ payload: RawSpan, _ body: (RawSpan) -> Void) -> Bool

    /// Resets the history, because the peer was sent a message from another compressor.
    func forgetHistory()
}

/// Decompresses incoming messages.
public protocol MessageDecompressor: AnyObject {
    /// Decompresses the next piece of a message and appends the output to `message`.
    ///
    /// - Parameters:
    ///   - piece: The next piece, of any length.
    ///   - isMessageEnd: Whether this is the last piece of the message.
    ///   - message: The output so far. The decompressor may replace its storage while it is empty.
    ///   - limitBytes: The maximum size of `message`, in bytes.
    /// - Throws: ``ProtocolError/invalidCompressedData``, or ``ProtocolError/messageTooBig(limit:)`` as soon as the
    ///   output exceeds the limit.
    func decompress(
        _ piece: RawSpan, isMessageEnd: Bool, into message: inout ByteBuffer, limitBytes: Int
    ) throws(ProtocolError)

    /// Reclaims the storage of a delivered message for reuse.
    func recycle(_ message: inout ByteBuffer)
}
