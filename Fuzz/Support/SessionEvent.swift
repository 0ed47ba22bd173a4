import SessionSupport
import WSCore

/// An event that a session reports to its handler.
enum SessionEvent: Equatable {
    case message(MessageKind, [UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case close(CloseFrame)
}

/// Records the events of a session.
struct RecordingHandler: SessionHandler {
    var events: [SessionEvent] = []
    var headers: [FrameHeader] = []
    /// Whether the handler pauses the session after every frame.
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
}

/// Copies the bytes of a span.
func bytes(of span: RawSpan) -> [UInt8] {
    span.withUnsafeBytes { Array($0) }
}

/// Copies the readable bytes of a buffer.
func contents(of buffer: borrowing ByteBuffer) -> [UInt8] {
    buffer.withReadableBytes { bytes(of: $0) }
}

/// Returns a source of masking keys that are the same in every run.
func seededKeys() -> MaskingKeySource {
    var random = SeededRandom(seed: 1)
    return MaskingKeySource { buffer in
        for offset in stride(from: 0, to: buffer.count, by: 8) {
            buffer.storeBytes(of: random.next(), toByteOffset: offset, as: UInt64.self)
        }
    }
}

extension Session {
    /// Passes a copy of the bytes to the session, repeatedly until the handler has accepted all of them.
    mutating func receive<Handler: SessionHandler>(
        _ bytes: some Sequence<UInt8>, handler: inout Handler
    ) throws(ProtocolError) {
        var copy = Array(bytes)
        var span = copy.mutableSpan
        var raw = span.mutableBytes
        var offset = 0
        repeat {
            var rest = raw._mutatingExtracting(offset..<raw.byteCount)
            offset += try receive(&rest, handler: &handler)
        } while offset < raw.byteCount
    }
}
