/// The type of a frame (RFC 6455 §5.2, §11.8).
public enum Opcode: UInt8, Sendable, CaseIterable {
    /// Another fragment of the message in progress.
    case continuation = 0x0
    /// A text message, or its first fragment.
    case text = 0x1
    /// A binary message, or its first fragment.
    case binary = 0x2
    /// Starts or completes the closing handshake.
    case close = 0x8
    /// Requests a pong from the peer.
    case ping = 0x9
    /// Answers a ping, or serves as an unsolicited heartbeat.
    case pong = 0xA

    /// Whether this is a control frame: at most 125 bytes, never fragmented, allowed between fragments.
    @inlinable
    public var isControl: Bool {
        switch self {
        case .continuation, .text, .binary: false
        case .close, .ping, .pong: true
        }
    }
}

/// The type of a message.
public enum MessageKind: Sendable {
    /// UTF-8 text.
    case text
    /// Arbitrary bytes.
    case binary

    /// The opcode of a message's first frame.
    @inlinable
    package var opcode: Opcode { self == .text ? .text : .binary }
}
