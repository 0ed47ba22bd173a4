/// Handles the messages and control frames that a ``MessageReceiver`` decodes. Payloads are valid only during the call.
public protocol FrameHandler: ~Copyable {
    /// Called when a message is complete. A text message is valid UTF-8.
    mutating func received(_ payload: RawSpan, as kind: MessageKind)
    /// Called instead for a message that arrived in parts and has at least ``SharedBytes/largeMessageBytes``.
    mutating func received(_ message: SharedBytes, as kind: MessageKind)
    /// Called when a ping arrives. RFC 6455 §5.5.2: it must be answered.
    mutating func receivedPing(_ payload: RawSpan)
    /// Called when a pong arrives.
    mutating func receivedPong(_ payload: RawSpan)
    /// Called when the peer's close frame arrives. No other call follows. RFC 6455 §5.5.1: it must be answered, unless a
    /// close frame has been sent.
    mutating func receivedClose(_ frame: CloseFrame)
    /// Called when a frame header arrives, before its payload. Does nothing by default.
    mutating func receivedHeader(_ header: FrameHeader)
    /// Called for each piece of a frame's payload, unmasked but not decompressed. Does nothing by default.
    mutating func receivedPiece(_ piece: RawSpan, of header: FrameHeader)
    /// Whether the handler can take more input; asked between frames. Defaults to true.
    ///
    /// Checking only between reads would be too late: a few compressed bytes can contain many large messages.
    var takesMore: Bool { get }
}

extension FrameHandler where Self: ~Copyable {
    @inlinable
    package mutating func received(_ message: SharedBytes, as kind: MessageKind) {
        message.withBytes { received($0, as: kind) }
    }

    @inlinable
    package mutating func receivedHeader(_ header: FrameHeader) {}

    @inlinable
    package mutating func receivedPiece(_ piece: RawSpan, of header: FrameHeader) {}

    @inlinable
    package var takesMore: Bool { true }
}
