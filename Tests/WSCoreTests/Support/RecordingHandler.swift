import SessionSupport
import WSCore

/// An event delivered to a session's handler.
enum Event: Equatable, Sendable {
    case message(MessageKind, [UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case close(CloseFrame)

    static func text(_ text: String) -> Event { .message(.text, Array(text.utf8)) }
    static func binary(_ bytes: [UInt8]) -> Event { .message(.binary, bytes) }
    static func close(_ code: UInt16?, _ reason: String = "") -> Event {
        .close(CloseFrame(code: code.map { CloseCode(rawValue: $0) }, reason: reason))
    }
}

/// Records the events of a session.
struct RecordingHandler: SessionHandler {
    var events: [Event] = []
    var headers: [FrameHeader] = []
    var pieces: [[UInt8]] = []
    /// Whether the handler pauses after every frame.
    var takesSingleFrames = false

    var takesMore: Bool { !takesSingleFrames }

    mutating func received(_ payload: RawSpan, as kind: MessageKind, outbox: inout Outbox) {
        events.append(.message(kind, bytes(of: payload)))
    }

    mutating func receivedPing(_ payload: RawSpan, outbox: inout Outbox) {
        events.append(.ping(bytes(of: payload)))
    }

    mutating func receivedPong(_ payload: RawSpan, outbox: inout Outbox) {
        events.append(.pong(bytes(of: payload)))
    }

    mutating func receivedClose(_ frame: CloseFrame, outbox: inout Outbox) {
        events.append(.close(frame))
    }

    mutating func receivedHeader(_ header: FrameHeader) {
        headers.append(header)
    }

    mutating func receivedPiece(_ piece: RawSpan, of header: FrameHeader) {
        pieces.append(bytes(of: piece))
    }
}

/// Copies the bytes of a span.
func bytes(of span: RawSpan) -> [UInt8] {
    span.withUnsafeBytes { Array($0) }
}
