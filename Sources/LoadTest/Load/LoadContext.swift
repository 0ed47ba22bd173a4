import WSCore

/// How far a thread of a load test has come.
public enum LoadPhase: Sendable {
    /// Connections are being opened.
    case opening
    /// The connections are open.
    case ready
    /// Messages are sent.
    case loading
    /// Nothing more is sent; replies are missing.
    case draining
    case closing
    case over
}

/// The state of one thread's load: time, connections, remaining messages, and measurement.
///
/// It is all that a ``Workload`` has to do with its thread. Values are stored here rather than asked of the thread: a
/// message uses several. What takes an event loop is asked of ``host``, which unit tests replace.
public final class LoadContext {
    /// The load that was asked for.
    public let plan: LoadPlan
    /// The part of the load that this thread carries.
    public let shard: Shard
    /// The offset from the loop's clock to the time since 1970, in nanoseconds.
    internal let clockOffset: UInt64
    /// The thread, which owns the context and sets this at once. It is not retained.
    public unowned(unsafe) var host: (any LoadHost)?

    /// How far the thread has come.
    public var phase = LoadPhase.opening
    /// The time that was taken last, on the loop's clock in nanoseconds.
    public var now: UInt64 = 0
    /// The counts and latencies so far.
    public var measurement = LoadMeasurement()
    /// The number of messages that may still be sent.
    public internal(set) var remainingMessages: Int
    /// The messages that are due; nil: each reply has the next message sent.
    public internal(set) var openLoop: OpenLoop?

    /// The connections that are open, by their numbers.
    public var connections: [UInt64: any LoadHandler] = [:]
    /// Those that send, in the order of their numbers, from the beginning of the load.
    public internal(set) var senders: [any LoadHandler] = []
    /// When the load began, on the loop's clock in nanoseconds.
    internal var startTime: UInt64 = 0
    /// The number of senders that have begun to send, in a closed loop.
    internal var startedCount = 0
    /// Whether other threads know that this one sends nothing more.
    private var hasReportedSent = false
    /// Set while no connection takes or answers anything.
    internal var standstill: Standstill?

    /// Prepares the load of a thread.
    /// - Parameter clockOffset: The offset from the loop's clock to the time since 1970, in nanoseconds.
    public init(_ plan: LoadPlan, shard: Shard, clockOffset: UInt64) {
        self.plan = plan
        self.shard = shard
        self.clockOffset = clockOffset
        remainingMessages = plan.messageCount(of: shard)
    }

    /// Makes the workload of the plan's mode.
    public func makeWorkload() -> any Workload { plan.mode.descriptor.makeWorkload(self) }

    /// The number of connections that this thread is to have.
    public var connectionCount: Int { shard.connectionCount(of: plan.connectionCount) }

    /// Counts a message that is sent now.
    @inline(__always)
    internal func countSent(dueAt time: UInt64) {
        if measurement.sent(dueAt: time, now: now), openLoop == nil { remainingMessages &-= 1 }
    }

    /// Tells the other threads, once, that this one sends nothing more.
    internal func reportSent() {
        guard !hasReportedSent else { return }
        hasReportedSent = true
        host?.allIsSent()
    }

    /// Sends until the other threads report that all is sent.
    internal func leaveSendingToOthers() {
        remainingMessages = .max
        reportSent()
    }

    /// Counts the bytes of messages and frames from now on.
    public func beginCountingBytes() {
        measurement.tally.forgetBytes()
        for case let port? in connections.values.map(\.port) {
            measurement.tally.subtractBytes(sent: port.sentTraffic, received: port.receivedTraffic)
        }
    }

    /// Waits for the last replies when all messages have been sent.
    public func drainIfSent() {
        if phase == .loading, remainingMessages == 0, openLoop?.owedCount ?? 0 == 0 { host?.drain() }
    }
}

/// What a load needs of the thread it runs on. Unit tests implement it with a fake.
public protocol LoadHost: AnyObject {
    /// Has ``Workload/goOn()`` called at a time on the loop's clock, in nanoseconds.
    func wake(at time: UInt64)
    /// Has ``Workload/goOn()`` called in a moment: not from within, where what fails at once would recurse once for each
    /// connection.
    func wakeSoon()
    /// Has ``LoadContext/fill(_:)`` called for a connection in the next turn of the loop, after the other connections.
    func fillInNextTurn(_ connection: any LoadHandler)
    /// Ends sending, and waits for the replies that are missing.
    func drain()
    /// Closes the connections, at the end of the loop's turn, if no reply is missing then.
    func closeIfAnswered()
    /// Tells the other threads that this one sends nothing more.
    func allIsSent()

    /// Opens the next connection.
    /// - Parameters:
    ///   - countsTime: Whether the time this takes is part of the results.
    ///   - completion: Called once, before the connection is among those of the context; not if opening is called off.
    func openConnection(countsTime: Bool, completion: @escaping (_ isOpen: Bool) -> Void)
    /// Closes a connection with a closing handshake.
    func close(_ connection: LoadConnection)
    /// A connection has ended.
    func ended(_ connection: LoadConnection, _ end: ConnectionEnd)
}
