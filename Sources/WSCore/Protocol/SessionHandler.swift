/// Handles messages and control frames received by a session.
///
/// Payloads are valid only during the call. The outbox is the session's; anything sent to it leaves with the other
/// output of the turn. Pongs and close frames sent in answer are already in it.
public protocol SessionHandler: ~Copyable {
    /// Called when a message is complete. A text message is valid UTF-8.
    mutating func received(_ payload: RawSpan, as kind: MessageKind, outbox: inout Outbox)
    /// Called when a ping arrives, after it was answered.
    mutating func receivedPing(_ payload: RawSpan, outbox: inout Outbox)
    /// Called when a pong arrives.
    mutating func receivedPong(_ payload: RawSpan, outbox: inout Outbox)
    /// Called when the peer's close frame arrives. No other call follows.
    mutating func receivedClose(_ frame: CloseFrame, outbox: inout Outbox)
    /// Called when a frame header arrives, before its payload. Does nothing by default.
    mutating func receivedHeader(_ header: FrameHeader)
    /// Called for each piece of a frame's payload, unmasked but not decompressed. Does nothing by default.
    mutating func receivedPiece(_ piece: RawSpan, of header: FrameHeader)
    /// Whether the handler can take more input; asked between frames. Defaults to true.
    ///
    /// Checking only between reads would be too late: a few compressed bytes can contain many large messages.
    func takesMore(_ outbox: borrowing Outbox) -> Bool
}

extension SessionHandler where Self: ~Copyable {
    /// Ignores the header.
    @inlinable
    public mutating func receivedHeader(_ header: FrameHeader) {}

    /// Ignores the piece.
    @inlinable
    public mutating func receivedPiece(_ piece: RawSpan, of header: FrameHeader) {}

    /// Returns true.
    @inlinable
    public func takesMore(_ outbox: borrowing Outbox) -> Bool { true }
}
