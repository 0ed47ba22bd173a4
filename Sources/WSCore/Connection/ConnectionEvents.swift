/// Hands a session's events to the connection's handler.
@usableFromInline
internal struct ConnectionEvents<Handler: ConnectionHandler>: SessionHandler {
    @usableFromInline internal let connection: Connection<Handler>
    @usableFromInline internal let handler: Handler

    @inlinable
    internal init(connection: Connection<Handler>, handler: Handler) {
        self.connection = connection
        self.handler = handler
    }

    @inlinable
    internal func received(_ payload: RawSpan, as kind: MessageKind, outbox: inout Outbox) {
        handler.connection(connection, received: payload, as: kind, outbox: &outbox)
    }

    @inlinable
    internal func receivedPing(_ payload: RawSpan, outbox: inout Outbox) {
        handler.connection(connection, receivedPing: payload, outbox: &outbox)
    }

    @inlinable
    internal func receivedPong(_ payload: RawSpan, outbox: inout Outbox) {
        handler.connection(connection, receivedPong: payload, outbox: &outbox)
    }

    @inlinable
    internal func receivedClose(_ frame: CloseFrame, outbox: inout Outbox) {
        handler.connection(connection, receivedClose: frame, outbox: &outbox)
    }

    @inlinable
    internal func receivedHeader(_ header: FrameHeader) {
        handler.connection(connection, receivedHeader: header)
    }

    @inlinable
    internal func receivedPiece(_ piece: RawSpan, of header: FrameHeader) {
        handler.connection(connection, receivedPiece: piece, of: header)
    }

    @inlinable
    internal func takesMore(_ outbox: borrowing Outbox) -> Bool {
        connection.takesMore(outbox)
    }
}
