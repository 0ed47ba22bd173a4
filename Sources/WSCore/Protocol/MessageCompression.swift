/// Compresses the messages that a session sends. An extension provides it; the session knows but this much of it.
public protocol MessageCompressor: AnyObject {
    /// Compresses a whole message and gives `body` what is to travel in its place.
    /// - Returns: Whether `body` was called: not when the message is better sent as it is.
    func compress(_ payload: RawSpan, _ body: (RawSpan) -> Void) -> Bool

    /// The window that was agreed on, 8 through 15 bits: what one compressor makes, others with the same may send.
    var windowBits: Int { get }

    /// Compresses a message that refers to none before, so that every peer with this window can read it.
    /// - Returns: Whether `body` was called, as with ``compress(_:_:)``.
    func compressAlone(_ payload: RawSpan, _ body: (RawSpan) -> Void) -> Bool

    /// Has the next message refer to none before: the peer has been sent one that another compressor made.
    func forgetHistory()
}

/// Restores the compressed messages that a session receives.
public protocol MessageDecompressor: AnyObject {
    /// Takes the next part of a compressed message and appends what it holds to `message`.
    ///
    /// - Parameters:
    ///   - piece: The part, of any length.
    ///   - isMessageEnd: Whether the message ends with it.
    ///   - message: The message so far, from its beginning. Its storage may be exchanged while it is empty.
    ///   - limitBytes: What `message` may grow to.
    /// - Throws: ``ProtocolError/invalidCompressedData``, or ``ProtocolError/messageTooBig(limit:)`` as soon as the limit
    ///   is passed, however much is still to come.
    func decompress(
        _ piece: RawSpan, isMessageEnd: Bool, into message: inout ByteBuffer, limitBytes: Int
    ) throws(ProtocolError)

    /// Takes back the storage of a message that has been handed on, for the next one.
    func recycle(_ message: inout ByteBuffer)
}
