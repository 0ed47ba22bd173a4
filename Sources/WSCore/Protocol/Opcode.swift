/// What a frame is for (RFC 6455 §5.2, §11.8).
public enum Opcode: UInt8, Sendable, CaseIterable {
    /// A further fragment of the message that is being sent.
    case continuation = 0x0
    /// A text message or its first fragment.
    case text = 0x1
    /// A binary message or its first fragment.
    case binary = 0x2
    /// The closing handshake.
    case close = 0x8
    /// A question whether the peer is there.
    case ping = 0x9
    /// The answer to a ping, or an unsolicited sign of life.
    case pong = 0xA

    /// Whether frames of this kind are control frames: short, never fragmented, allowed between fragments.
    @inlinable
    public var isControl: Bool {
        switch self {
        case .continuation, .text, .binary: false
        case .close, .ping, .pong: true
        }
    }
}

/// What a message holds.
public enum MessageKind: Sendable {
    /// UTF-8 text.
    case text
    /// Any bytes.
    case binary

    /// The opcode of the message's first frame.
    @inlinable
    public var opcode: Opcode { self == .text ? .text : .binary }
}
