/// Takes what a session receives.
///
/// A payload is valid during the call. The outbox is the session's own: what a handler sends there is
/// written with the rest of the turn. Answers to pings and close frames are in it already.
public protocol SessionHandler: ~Copyable {
    /// A whole message has arrived; a text message is valid UTF-8.
    mutating func received(_ payload: RawSpan, as kind: MessageKind, outbox: inout Outbox)
    /// A ping has arrived and has been answered.
    mutating func receivedPing(_ payload: RawSpan, outbox: inout Outbox)
    /// A pong has arrived.
    mutating func receivedPong(_ payload: RawSpan, outbox: inout Outbox)
    /// The peer's close frame has arrived; nothing follows it.
    mutating func receivedClose(_ frame: CloseFrame, outbox: inout Outbox)
    /// A frame's header has arrived, before its payload. Most handlers need not know.
    mutating func receivedHeader(_ header: FrameHeader)
    /// A piece of the payload of the frame whose header came last has arrived, unmasked, and decompressed by nobody.
    /// Most handlers wait for the message.
    mutating func receivedPiece(_ piece: RawSpan, of header: FrameHeader)
    /// Whether more can be taken now; asked between frames. A few bytes may hold many large messages when they are
    /// compressed, so that pausing between reads would come too late.
    func takesMore(_ outbox: borrowing Outbox) -> Bool
}

extension SessionHandler where Self: ~Copyable {
    /// Does nothing.
    @inlinable
    public mutating func receivedHeader(_ header: FrameHeader) {}

    /// Does nothing.
    @inlinable
    public mutating func receivedPiece(_ piece: RawSpan, of header: FrameHeader) {}

    /// Always.
    @inlinable
    public func takesMore(_ outbox: borrowing Outbox) -> Bool { true }
}
