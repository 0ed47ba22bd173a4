import Conversation
import WSCore

/// A connection of a load test, as its thread sees it.
///
/// Each mode has a subclass that is the handler of a ``Connection``. Each mode therefore has its own decoder, with its
/// `received` method compiled into it, which takes 10 KB of the program. The mode is chosen once per connection rather
/// than once per message. A generic class would not work: its conformance to ``ConnectionHandler`` is not specialized,
/// and the decoder calls a handler through it.
package class LoadConnection {
    // The first fields are those that each reply needs: they share a line of the processor's cache.
    /// The number of the connection; the first one is 0.
    package final let number: UInt64
    internal final let context: LoadContext
    /// Its application protocol, automatic answers, and codecs, or `nil` if there are none.
    package final var pipeline: Pipeline?
    /// For how long messages that have been sent, but not answered, waited, by their due times, in nanoseconds.
    private final var waits: [UInt64: UInt64] = [:]
    /// The due time before which waits are unknown.
    private final var waitsStart: UInt64 = 0
    /// Sends messages; `nil` before the connection is open and after its end.
    package final var port: (any LoadPort)?
    /// Whether it is queued to continue sending in the next turn.
    package final var isSendingOn = false
    /// When messages that wait for room in its queue were due, on the loop's clock in nanoseconds.
    internal final var backlog: [UInt64] = []
    /// The number of waits of late messages that are kept. Above it, those of the earliest are forgotten.
    private static let mostLateWaits = 32_768
    /// Its part in the load.
    internal final var state = State.active
    /// The time at which it was opened, on the loop's clock in nanoseconds.
    internal final let openTime: UInt64
    /// Whether its latencies are doubtful, unless replies have identities.
    internal final var orderedReplies = OrderedReplies()
    /// Whether a message that its application protocol does not understand has been reported.
    internal final var hasReportedUnknown = false
    /// Whether a message that cannot be decoded has been reported.
    internal final var hasReportedUndecodable = false
    /// When to try again to handle a deadline that a full connection has delayed, on the loop's clock in nanoseconds.
    internal final var retryTime: UInt64 = 0
    /// The earliest deadline for which the context has a valid entry, on the loop's clock in nanoseconds.
    internal final var awaitedDeadline = UInt64.max

    /// The part of a connection in the load.
    internal enum State: Equatable {
        case active
        /// Before its next message.
        case pausing
        /// It is closed after its outstanding reply.
        case retiring
        /// This end closes it, so its end is not an error.
        case closing(isRetired: Bool)
        /// Its end is a step of a scenario, or the error has been counted. It is not an error, whatever its close code is.
        case ending
    }

    /// Prepares the handler of a connection.
    internal init(_ number: UInt64, in context: LoadContext) {
        self.number = number
        self.context = context
        openTime = context.now
    }

    /// Whether it is closed, or is to be closed, because it is no longer part of the load.
    internal final var isRetiring: Bool { state == .retiring || state == .closing(isRetired: true) }

    /// Whether its end is not an error.
    package final var isClosing: Bool {
        switch state {
        case .active, .pausing, .retiring: false
        case .closing, .ending: true
        }
    }

    /// Whether its end is not an error, whatever its close code is.
    package final var isEndExpected: Bool { state == .ending }

    /// Closes it with a closing handshake.
    package final func close(_ frame: CloseFrame) {
        beginClosing()
        _ = port?.close(frame)
    }

    /// Excludes it from the load, because this end closes it.
    internal final func beginClosing() {
        if !isClosing { state = .closing(isRetired: state == .retiring) }
    }

    /// Whether messages may be submitted to its pipeline.
    internal final var takesMessages: Bool { port != nil && !isClosing && pipeline?.isReady ?? true }
    /// Whether it accepts another message.
    internal final var hasRoom: Bool { port?.isFull == false }

    /// Sends a message. Returns `false` if the connection is full.
    internal final func send(_ payload: RawSpan, as kind: MessageKind) -> Bool {
        port?.offer(payload, as: kind) ?? false
    }

    /// Sends a message even if the connection is full. Returns whether it was sent.
    internal final func transmit(_ payload: RawSpan, as kind: MessageKind) -> Bool {
        port?.send(payload, as: kind) ?? false
    }

    // MARK: Waits

    /// Keeps the wait of a message that is sent now.
    internal final func keepWait(ofMessageAt time: UInt64) { waits[time] = context.now - time }

    /// Removes and returns the wait of a message that has been answered, or returns `nil` if it is unknown.
    @inline(__always)
    internal final func takeWait(ofMessageAt time: UInt64) -> UInt64? {
        if waits.isEmpty { return time < waitsStart ? nil : 0 }
        return waits.removeValue(forKey: time) ?? (time < waitsStart ? nil : 0)
    }

    /// Forgets waits of messages that were due before a time if there are many: their replies are probably lost.
    internal final func limitWaits(before time: UInt64) {
        guard waits.count > 2 * Self.mostLateWaits else { return }
        let late = waits.keys.filter { $0 < time }.sorted()
        guard late.count > Self.mostLateWaits else { return }
        let start = late[late.count - Self.mostLateWaits]
        waits = waits.filter { $0.key >= start }
        waitsStart = max(waitsStart, start)
    }

    // MARK: Overridden by modes

    /// Whether another message may be sent in a closed loop.
    internal var hasNext: Bool { false }
    /// Sends the next message, which is due. Returns `false` if the connection is full.
    internal func send(dueAt time: UInt64) -> Bool { false }
    /// Handles events that resulted from a message of the workload.
    internal func finishTurn() {
        if pipeline != nil, port != nil { context.executeEffects(of: self) }
    }
    /// When ``timePassed()`` has to be called next, on the loop's clock in nanoseconds, or `nil` for never.
    internal var deadline: UInt64? { pipeline?.deadline.map { max($0, retryTime) } }
    /// Handles a deadline, which may be a later one.
    internal func timePassed() { context.pipelineTimePassed(on: self) }
    /// Stops waiting for replies to messages sent before a time. Returns the number of these messages.
    internal func giveUpReplies(before time: UInt64) -> Int { 0 }
    /// The number of messages of the load sent on this connection and on earlier ones with its number. In a scenario, it
    /// is 0, because the sequence starts over with each connection.
    internal var messageCount: UInt64 { 0 }
    /// Whether no reply is outstanding.
    internal var isAnswered: Bool { true }
    /// The number of messages in flight.
    internal var inFlightCount: Int { 0 }
    /// The number of unanswered messages sent at a time or later.
    internal func unansweredCount(since time: UInt64) -> Int { 0 }

    /// Lets the connection take part in the load, because its server has confirmed the login.
    internal func becameReady(in context: LoadContext) { context.becameReady(self) }
    /// Handles an event of the application protocol. Sends nothing.
    internal func received(_ event: ProtocolEvent, in context: LoadContext) {}
    /// Sends what follows from the events of a message.
    internal func proceed(in context: LoadContext) {}
    /// Whether it has opening steps to take after the server has confirmed the login, and before heartbeats begin.
    internal var isLoggingIn: Bool { false }
    /// Whether refusals are events for ``received(_:in:)``, instead of errors.
    internal var takesRefusals: Bool { false }
    /// Whether a message that cannot be decoded may be the expected one, so it is reported only with
    /// ``LoadContext/reportUndecodable(on:)``.
    internal var takesUndecodable: Bool { false }
}

/// A connection that handles the events of its decoder.
package protocol LoadHandler: LoadConnection, ConnectionHandler {}

extension LoadHandler {
    /// Reads the clock once for all messages in a read, which have arrived by now.
    package func connectionWillReceive(_ connection: Connection<Self>) {
        context.now = connection.loop.nowNanoseconds
    }

    /// Ignores messages.
    package func connection(_ connection: Connection<Self>, received payload: RawSpan, as kind: MessageKind) {}

    /// Sends messages that waited for room.
    package func connectionDidDrain(_ connection: Connection<Self>) {
        context.now = connection.loop.nowNanoseconds
        context.drained(self)
    }

    /// Reports the end of the connection.
    package func connection(_ connection: Connection<Self>, didEnd end: ConnectionEnd) {
        context.host?.ended(self, end)
    }
}

/// The output of a connection: ``Connection``, or a fake in unit tests.
package protocol LoadPort: AnyObject {
    /// Whether the send queue is full.
    var isFull: Bool { get }
    /// The number of bytes the peer has not accepted yet.
    var unsentBytes: Int { get }
    /// The traffic that has been sent or queued.
    var sentTraffic: Traffic { get }
    /// The traffic that has been received.
    var receivedTraffic: Traffic { get }
    /// Sends a message even if the connection is full. Returns whether it was sent.
    func send(_ payload: RawSpan, as kind: MessageKind) -> Bool
    // One call instead of `isFull` and `send`: each call through a protocol costs 30 instructions.
    /// Sends a message unless the connection is full. Returns whether it was sent.
    func offer(_ payload: RawSpan, as kind: MessageKind) -> Bool
    /// Sends a ping of up to 125 bytes. Returns whether it was sent.
    func sendPing(_ payload: RawSpan) -> Bool
    /// Sends a pong of up to 125 bytes. Returns whether it was sent.
    func sendPong(_ payload: RawSpan) -> Bool
    /// Sends a ping of up to 125 bytes unless the connection is full. Returns whether it was sent.
    func offerPing(_ payload: RawSpan) -> Bool
    /// Starts the closing handshake. Returns `false` if it had already started.
    func close(_ frame: CloseFrame) -> Bool
    /// Ends the connection without a closing handshake.
    func terminate()
}

extension LoadPort {
    /// The traffic so far.
    package var traffic: LoadTraffic { LoadTraffic(sent: sentTraffic, received: receivedTraffic) }
}

extension Connection: LoadPort {
    /// Sends a message unless the queue is full. Returns whether it was sent.
    package func offer(_ payload: RawSpan, as kind: MessageKind) -> Bool { !isFull && send(payload, as: kind) }
    /// Sends a ping unless the queue is full. Returns whether it was sent.
    package func offerPing(_ payload: RawSpan) -> Bool { !isFull && sendPing(payload) }
}
