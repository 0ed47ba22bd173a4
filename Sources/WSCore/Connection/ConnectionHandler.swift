/// Handles a connection's events. Implement it with one class per use, so that calls are dispatched statically.
///
/// Every method of a ``Connection`` may be called at any time, also from here; none of them calls the handler.
public protocol ConnectionHandler: AnyObject, SendableMetatype {
    /// Decodes bytes and delivers messages and control frames. Returns the number of bytes consumed.
    ///
    /// Do not call or override this method: it is part of the protocol only to specialize decoding for the handler's
    /// type. A stream calls its delegate through unspecialized code.
    static func decode(_ bytes: inout MutableRawSpan, on connection: Connection<Self>) -> Int
    /// Called when bytes were read, before they are decoded. Any number of the following calls may result, or none.
    func connectionWillReceive(_ connection: Connection<Self>)
    /// Called when these bytes have been decoded, or as many as the handler takes.
    func connectionDidReceive(_ connection: Connection<Self>)
    /// Called when a message is complete. The payload is valid during the call; text is valid UTF-8.
    func connection(_ connection: Connection<Self>, received payload: RawSpan, as kind: MessageKind)
    /// Called when a ping arrives, after it was answered.
    func connection(_ connection: Connection<Self>, receivedPing payload: RawSpan)
    /// Called when a pong arrives.
    func connection(_ connection: Connection<Self>, receivedPong payload: RawSpan)
    /// Called when the peer's close frame arrives, after it was answered.
    func connection(_ connection: Connection<Self>, receivedClose frame: CloseFrame)
    /// Called when a frame header arrives.
    func connection(_ connection: Connection<Self>, receivedHeader header: FrameHeader)
    /// Called for each piece of a frame's payload, unmasked but not decompressed.
    func connection(_ connection: Connection<Self>, receivedPiece piece: RawSpan, of header: FrameHeader)
    /// Observes outgoing frames, or nil. Read once, when the connection is created.
    var sentFrameObserver: (any SentFrameObserver)? { get }
    /// Called when a full output queue has drained to half of its limit, or was discarded after a write failure.
    func connectionDidDrain(_ connection: Connection<Self>)
    /// Whether the consumer of the peer's messages has stopped taking them. If so, nothing is lost by ending the
    /// connection once the peer is gone. Asked periodically while reading is paused.
    func connectionIsStuck(_ connection: Connection<Self>) -> Bool
    /// Called when memory is scarce, and the connection holds a large part of it without making progress. The handler
    /// must abandon the connection.
    func connectionIsStalled(_ connection: Connection<Self>, holding byteCount: Int)
    /// Called once, when the connection has ended. No other call follows.
    func connection(_ connection: Connection<Self>, didEnd end: ConnectionEnd)
}

extension ConnectionHandler {
    @inlinable
    package static func decode(_ bytes: inout MutableRawSpan, on connection: Connection<Self>) -> Int {
        connection.handler.connectionWillReceive(connection)
        defer { connection.handler.connectionDidReceive(connection) }
        // A copy, so the handler may query the connection: it sees the state before these bytes.
        var traffic = connection.receiver.traffic
        var events = ConnectionEvents(of: connection)
        guard connection.receiver.isIdle else {
            return decodeRest(of: &bytes, from: 0, traffic, on: connection, &events)
        }
        var offset = 0
        do throws(ProtocolError) {
            let mayContinue = try MessageReceiver.receiveShortMessages(
                &bytes, offset: &offset, connection.settings.rules, &traffic, handler: &events)
            traffic.wireBytes &+= offset
            if mayContinue, offset < bytes.byteCount {
                return decodeRest(of: &bytes, from: offset, traffic, on: connection, &events)
            }
            connection.receiver.traffic = traffic
            return offset
        } catch {
            traffic.wireBytes &+= offset
            connection.receiver.traffic = traffic
            connection.receiver.finish()
            connection.fail(error)
            return bytes.byteCount
        }
    }

    /// Decodes bytes of any kind. Not inlined, to keep the path of short messages short.
    @inlinable @inline(never)
    internal static func decodeRest(
        of bytes: inout MutableRawSpan, from offset: Int, _ traffic: Traffic, on connection: Connection<Self>,
        _ events: inout ConnectionEvents<Self>
    ) -> Int {
        var receiver = connection.receiver
        receiver.traffic = traffic
        defer { connection.receiver = receiver }
        var rest = bytes._mutatingExtracting(offset..<bytes.byteCount)
        do throws(ProtocolError) {
            return try offset
                + receiver.receive(
                    &rest, by: connection.settings.rules, handler: &events, decompressor: connection.decompressor,
                    pool: connection.resources.partialInputs)
        } catch {
            connection.fail(error)
            return bytes.byteCount
        }
    }

    /// Does nothing.
    @inlinable
    package func connectionWillReceive(_ connection: Connection<Self>) {}
    /// Does nothing.
    @inlinable
    package func connectionDidReceive(_ connection: Connection<Self>) {}
    /// Does nothing: the ping was answered.
    @inlinable
    package func connection(_ connection: Connection<Self>, receivedPing payload: RawSpan) {}
    /// Does nothing.
    @inlinable
    package func connection(_ connection: Connection<Self>, receivedPong payload: RawSpan) {}
    /// Does nothing: ``connection(_:didEnd:)`` follows.
    @inlinable
    package func connection(_ connection: Connection<Self>, receivedClose frame: CloseFrame) {}
    /// Does nothing.
    @inlinable
    package func connection(_ connection: Connection<Self>, receivedHeader header: FrameHeader) {}
    /// Does nothing.
    @inlinable
    package func connection(_ connection: Connection<Self>, receivedPiece piece: RawSpan, of header: FrameHeader) {}
    /// Returns nil: no observer.
    @inlinable
    package var sentFrameObserver: (any SentFrameObserver)? { nil }
    /// Does nothing.
    @inlinable
    package func connectionDidDrain(_ connection: Connection<Self>) {}
    /// Returns false: the peer's messages will be consumed.
    @inlinable
    package func connectionIsStuck(_ connection: Connection<Self>) -> Bool { false }
    /// Closes the connection with 1013.
    @inlinable
    package func connectionIsStalled(_ connection: Connection<Self>, holding byteCount: Int) {
        connection.abandon(with: .memoryIsScarce)
    }
}

extension CloseFrame {
    /// The close frame for a connection that holds memory without making progress.
    public static var memoryIsScarce: CloseFrame { CloseFrame(code: .tryAgainLater, reason: "memory is scarce") }
}
