/// Takes what happens on a connection. A class of its own for each use, so that calls are dispatched statically.
///
/// While a `received` method runs, the connection is decoding: answers go to the `outbox` it is given, and the
/// methods of the connection that send are not to be called. Those of other connections may be.
public protocol ConnectionHandler: AnyObject, SendableMetatype {
    /// Decodes bytes that have been read, hands over what they hold, and returns how many of them were taken.
    ///
    /// It is the connection's own, neither to be called nor to be written again: where the type of a handler is known,
    /// decoding is specialised for it, but a stream reaches its delegate in code that is generic still.
    static func decode(_ bytes: inout MutableRawSpan, on connection: Connection<Self>) -> Int
    /// Bytes have been read and are about to be decoded: a few calls of the others may follow, or none.
    func connectionWillReceive(_ connection: Connection<Self>)
    /// A whole message has arrived; it is valid during the call, and text is valid UTF-8.
    func connection(
        _ connection: Connection<Self>, received payload: RawSpan, as kind: MessageKind, outbox: inout Outbox)
    /// A ping has arrived and has been answered.
    func connection(_ connection: Connection<Self>, receivedPing payload: RawSpan, outbox: inout Outbox)
    /// A pong has arrived.
    func connection(_ connection: Connection<Self>, receivedPong payload: RawSpan, outbox: inout Outbox)
    /// The peer's close frame has arrived, and has been answered when it came first.
    func connection(_ connection: Connection<Self>, receivedClose frame: CloseFrame, outbox: inout Outbox)
    /// The header of a frame has arrived.
    func connection(_ connection: Connection<Self>, receivedHeader header: FrameHeader)
    /// A piece of the payload of the frame whose header came last has arrived, unmasked.
    func connection(_ connection: Connection<Self>, receivedPiece piece: RawSpan, of header: FrameHeader)
    /// Who looks at the frames that are sent; asked once, when the connection is made.
    var sentFrameObserver: (any SentFrameObserver)? { get }
    /// The output queue was full and has room again.
    func connectionDidDrain(_ connection: Connection<Self>)
    /// Asked from time to time while nothing is read from the peer: whether whoever takes its messages has stopped to, so that
    /// nothing is lost if the connection ends with the peer gone.
    func connectionIsStuck(_ connection: Connection<Self>) -> Bool
    /// The connection has ended; nothing further is called.
    func connection(_ connection: Connection<Self>, didEnd end: ConnectionEnd)
}

extension ConnectionHandler {
    /// Decodes them with the connection's session.
    @inlinable
    public static func decode(_ bytes: inout MutableRawSpan, on connection: Connection<Self>) -> Int {
        assert(connection.isReceiving, "only the connection has its bytes decoded")
        connection.handler.connectionWillReceive(connection)
        var events = ConnectionEvents(of: connection)
        do throws(ProtocolError) {
            return try connection.session.receive(&bytes, handler: &events)
        } catch {
            connection.peerViolated(error)
            return bytes.byteCount
        }
    }

    /// Does nothing.
    @inlinable
    public func connectionWillReceive(_ connection: Connection<Self>) {}
    /// Does nothing: the ping has been answered.
    @inlinable
    public func connection(_ connection: Connection<Self>, receivedPing payload: RawSpan, outbox: inout Outbox) {}
    /// Does nothing.
    @inlinable
    public func connection(_ connection: Connection<Self>, receivedPong payload: RawSpan, outbox: inout Outbox) {}
    /// Does nothing: the end follows.
    @inlinable
    public func connection(_ connection: Connection<Self>, receivedClose frame: CloseFrame, outbox: inout Outbox) {}
    /// Does nothing.
    @inlinable
    public func connection(_ connection: Connection<Self>, receivedHeader header: FrameHeader) {}
    /// Does nothing.
    @inlinable
    public func connection(_ connection: Connection<Self>, receivedPiece piece: RawSpan, of header: FrameHeader) {}
    /// Nobody.
    @inlinable
    public var sentFrameObserver: (any SentFrameObserver)? { nil }
    /// Does nothing.
    @inlinable
    public func connectionDidDrain(_ connection: Connection<Self>) {}
    /// It is not: somebody will take what the peer has sent.
    @inlinable
    public func connectionIsStuck(_ connection: Connection<Self>) -> Bool { false }
}
