/// Forwards a session's events to the connection's handler.
@usableFromInline
internal struct ConnectionEvents<Handler: ConnectionHandler>: SessionHandler {
    /// Unmanaged, because the caller retains it: reference counting would add 10 % to the time of a short message.
    @usableFromInline internal let connection: Unmanaged<Connection<Handler>>

    @inlinable
    internal init(of connection: Connection<Handler>) {
        self.connection = .passUnretained(connection)
    }

    @inlinable
    internal func received(_ payload: RawSpan, as kind: MessageKind, outbox: inout Outbox) {
        connection._withUnsafeGuaranteedRef { $0.handler.connection($0, received: payload, as: kind, outbox: &outbox) }
    }

    @inlinable
    internal func receivedPing(_ payload: RawSpan, outbox: inout Outbox) {
        connection._withUnsafeGuaranteedRef { $0.handler.connection($0, receivedPing: payload, outbox: &outbox) }
    }

    @inlinable
    internal func receivedPong(_ payload: RawSpan, outbox: inout Outbox) {
        connection._withUnsafeGuaranteedRef { $0.handler.connection($0, receivedPong: payload, outbox: &outbox) }
    }

    @inlinable
    internal func receivedClose(_ frame: CloseFrame, outbox: inout Outbox) {
        connection._withUnsafeGuaranteedRef { $0.handler.connection($0, receivedClose: frame, outbox: &outbox) }
    }

    @inlinable
    internal func receivedHeader(_ header: FrameHeader) {
        connection._withUnsafeGuaranteedRef { $0.handler.connection($0, receivedHeader: header) }
    }

    @inlinable
    internal func receivedPiece(_ piece: RawSpan, of header: FrameHeader) {
        connection._withUnsafeGuaranteedRef { $0.handler.connection($0, receivedPiece: piece, of: header) }
    }

    @inlinable
    internal func takesMore(_ outbox: borrowing Outbox) -> Bool {
        connection._withUnsafeGuaranteedRef { $0.takesMore(outbox) }
    }
}
