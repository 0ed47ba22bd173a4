import WSCore

/// One connection of a load test, as its thread knows it.
///
/// Each mode has a subclass that is the handler of a ``Connection``. So each mode has its own decoder, into which
/// its `received` is compiled; the mode is chosen once, when the connection is made, and not for each message. A decoder
/// is 10 KB of the program, and the six of them 0.7 %. A generic class would not do: its conformance to
/// ``ConnectionHandler`` is not specialised, and the decoder reaches a handler through that.
public class LoadConnection {
    /// The number of the connection, from 0.
    public final let number: UInt64
    /// The context outlives its connections. Counting references to it took a tenth of the time of a message.
    internal final let context: Unmanaged<LoadContext>
    /// Sends messages; nil before the connection is open and after its end.
    public final var port: (any LoadPort)?
    /// Whether it is to send on in the next turn.
    public final var isSendingOn = false
    /// When messages were due that wait for room in its queue, on the loop's clock in nanoseconds.
    internal final var owedTimes: [UInt64] = []
    /// Whether this end closes it, so that its end is no error.
    public final var isClosing = false

    /// Prepares the handler of a connection.
    internal init(_ number: UInt64, in context: LoadContext) {
        self.number = number
        self.context = .passUnretained(context)
    }

    /// Whether it takes another message.
    internal final var hasRoom: Bool { port?.isFull == false }

    /// Sends a message; false: it takes no more.
    internal final func send(_ payload: RawSpan, as kind: MessageKind) -> Bool {
        port?.offer(payload, as: kind) ?? false
    }

    // MARK: What modes override

    /// Whether another message may be sent in a closed loop.
    internal var hasNext: Bool { false }
    /// Sends the next message, which is due now or was before; false: the connection takes no more.
    internal func send(dueAt time: UInt64) -> Bool { false }
    /// Waits no more for replies to messages that were sent before a time, and returns the number of these messages.
    internal func giveUpReplies(before time: UInt64) -> Int { 0 }
    /// Whether nothing is waited for.
    internal var isAnswered: Bool { true }
    /// The number of messages in flight.
    internal var inFlightCount: Int { 0 }
    /// The number of messages without a reply that were sent at a time or later.
    internal func unansweredCount(since time: UInt64) -> Int { 0 }
}

/// A connection that is the handler of its decoder.
public protocol LoadHandler: LoadConnection, ConnectionHandler {}

extension LoadHandler {
    /// Takes the time for all that is decoded now: it has been read by now.
    public func connectionWillReceive(_ connection: Connection<Self>) {
        context._withUnsafeGuaranteedRef { $0.now = connection.loop.nowNanoseconds }
    }

    /// Ignores messages.
    public func connection(
        _ connection: Connection<Self>, received payload: RawSpan, as kind: MessageKind, outbox: inout Outbox
    ) {}

    // Rare events may count references.

    /// Sends the messages that have waited for room.
    public func connectionDidDrain(_ connection: Connection<Self>) {
        let context = context.takeUnretainedValue()
        context.now = connection.loop.nowNanoseconds
        context.drained(self)
    }

    /// Reports the end.
    public func connection(_ connection: Connection<Self>, didEnd end: ConnectionEnd) {
        context.takeUnretainedValue().host?.ended(self, end)
    }
}

/// The way out of a connection: ``Connection``, or a fake in unit tests.
public protocol LoadPort: AnyObject {
    /// Whether so much waits that the connection takes no more for now.
    var isFull: Bool { get }
    /// The number of bytes that the peer has not taken.
    var unsentBytes: Int { get }
    /// The traffic that has been sent, or waits to be.
    var sentTraffic: Traffic { get }
    /// The traffic that has been received.
    var receivedTraffic: Traffic { get }
    /// Sends a message, even if the connection is full; returns whether it was sent.
    func send(_ payload: RawSpan, as kind: MessageKind) -> Bool
    // One call, and not `isFull` and `send`: each through a protocol costs 30 instructions.
    /// Sends a message unless the connection is full; returns whether it was sent.
    func offer(_ payload: RawSpan, as kind: MessageKind) -> Bool
    /// Sends a ping with up to 125 bytes unless the connection is full; returns whether it was sent.
    func offerPing(_ payload: RawSpan) -> Bool
    /// Begins the closing handshake; returns whether it had not begun before.
    func close(_ frame: CloseFrame) -> Bool
    /// Ends the connection without a closing handshake.
    func terminate()
}

extension Connection: LoadPort {
    /// Sends a message unless the queue is full; returns whether it was sent.
    public func offer(_ payload: RawSpan, as kind: MessageKind) -> Bool { !isFull && send(payload, as: kind) }
    /// Sends a ping unless the queue is full; returns whether it was sent.
    public func offerPing(_ payload: RawSpan) -> Bool { !isFull && sendPing(payload) }
}
