import WSCore

/// The load of a mode, for the connections of one thread: a type per mode.
///
/// ``LoadContext`` says when to send, the workload says what, and its connections take what arrives.
public protocol Workload: AnyObject {
    /// The state of the thread's load.
    var context: LoadContext { get }
    /// The end of the time that rates are for.
    var measurementEnd: LoadMeasurement.End { get }

    // MARK: Connections

    /// Makes the handler of a connection.
    func makeConnection(_ number: UInt64) -> any LoadHandler
    /// A connection is open.
    func opened(_ connection: LoadConnection)
    /// Whether messages are sent on a connection.
    func isSender(_ connection: LoadConnection) -> Bool
    /// A connection has ended.
    func ended(_ connection: LoadConnection)
    /// The number of connections that only received when the load began.
    var readerCount: Int { get }
    /// Whether no connection is left that could send or receive.
    var isDeserted: Bool { get }

    // MARK: Sending

    /// The load begins.
    func begin()
    /// Sends the messages that are due, and has the host call again for the others.
    func goOn()
    /// All threads have sent all their messages.
    /// - Parameter count: The number of these messages.
    func allSent(_ count: Int)

    // MARK: Replies

    /// Whether nothing is waited for.
    var isAnswered: Bool { get }
    /// Waits for nothing any more.
    /// - Parameter isLate: Whether missing replies have had their time.
    func stopWaiting(isLate: Bool)
}

// The defaults: all connections send, and nothing else happens.
extension Workload {
    /// The last reply.
    public var measurementEnd: LoadMeasurement.End { .withLastReply }

    /// Does nothing.
    public func opened(_ connection: LoadConnection) {}
    /// Every connection is one.
    public func isSender(_ connection: LoadConnection) -> Bool { true }

    /// Counts the messages that will never be answered.
    public func ended(_ connection: LoadConnection) {
        context.measurement.tally.lost += connection.unansweredCount(since: context.measurement.countStart)
    }

    /// None.
    public var readerCount: Int { 0 }
    /// Whether there is no sender.
    public var isDeserted: Bool { context.senders.isEmpty }

    /// Does nothing.
    public func begin() {}
    /// Sends the messages that are due.
    public func goOn() { context.sendDue() }
    /// Does nothing.
    public func allSent(_ count: Int) {}

    /// Whether no connection waits for a reply.
    public var isAnswered: Bool { context.connections.values.allSatisfy { $0.isAnswered } }

    /// Counts the replies that are late.
    public func stopWaiting(isLate: Bool) {
        guard isLate else { return }
        context.measurement.tally.timeouts += context.connections.values.reduce(0) { $0 + $1.inFlightCount }
    }
}
