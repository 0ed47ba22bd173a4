/// Forwards decoded messages and control frames to the connection's handler, and answers those that must be answered.
@usableFromInline
internal struct ConnectionEvents<Handler: ConnectionHandler>: FrameHandler {
    /// Unmanaged, because the caller retains it: reference counting would add 10 % to the time of a short message.
    @usableFromInline internal let connection: Unmanaged<Connection<Handler>>

    @inlinable
    internal init(of connection: Connection<Handler>) {
        self.connection = .passUnretained(connection)
    }

    /// Calls `body` unless the handler has ended the connection.
    @inlinable @inline(__always)
    internal func ifOpen(_ body: (Connection<Handler>) -> Void) {
        connection._withUnsafeGuaranteedRef { if $0.isOpen { body($0) } }
    }

    @inlinable
    internal func received(_ payload: RawSpan, as kind: MessageKind) {
        ifOpen { $0.handler.connection($0, received: payload, as: kind) }
    }

    @inlinable
    internal func received(_ message: SharedBytes, as kind: MessageKind) {
        ifOpen {
            $0.outbox.beginSharing(message)
            message.withBytes { received($0, as: kind) }
            $0.outbox.endSharing()
        }
    }

    @inlinable
    internal func receivedPing(_ payload: RawSpan) {
        ifOpen {
            $0.answer(ping: payload)
            $0.handler.connection($0, receivedPing: payload)
        }
    }

    @inlinable
    internal func receivedPong(_ payload: RawSpan) {
        ifOpen { $0.handler.connection($0, receivedPong: payload) }
    }

    @inlinable
    internal func receivedClose(_ frame: CloseFrame) {
        ifOpen {
            $0.answer(close: frame)
            $0.handler.connection($0, receivedClose: frame)
        }
    }

    @inlinable
    internal func receivedHeader(_ header: FrameHeader) {
        ifOpen { $0.handler.connection($0, receivedHeader: header) }
    }

    @inlinable
    internal func receivedPiece(_ piece: RawSpan, of header: FrameHeader) {
        ifOpen { $0.handler.connection($0, receivedPiece: piece, of: header) }
    }

    @inlinable
    internal var takesMore: Bool {
        connection._withUnsafeGuaranteedRef { $0.takesMore }
    }
}
