import WSCore

/// The load of a mode, for the connections of one thread: a type per mode.
///
/// ``LoadContext`` says when to send, the workload says what, and its connections take what arrives.
public protocol Workload: AnyObject {
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
    /// Sends what is due, and has the thread call again.
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

// A load whose connections all send, and for which nothing is to be done but that.
extension Workload {
    public var measurementEnd: LoadMeasurement.End { .withLastReply }

    public func opened(_ connection: LoadConnection) {}
    public func isSender(_ connection: LoadConnection) -> Bool { true }

    /// Counts the messages that will never be answered.
    public func ended(_ connection: LoadConnection) {
        context.measurement.tally.lost += connection.unansweredCount(since: context.measurement.countStart)
    }

    public var readerCount: Int { 0 }
    public var isDeserted: Bool { context.senders.isEmpty }

    public func begin() {}
    public func goOn() { context.sendDue() }
    public func allSent(_ count: Int) {}

    public var isAnswered: Bool { context.connections.values.allSatisfy { $0.isAnswered } }

    /// Counts the replies that are late.
    public func stopWaiting(isLate: Bool) {
        guard isLate else { return }
        context.measurement.tally.timeouts += context.connections.values.reduce(0) { $0 + $1.inFlightCount }
    }
}
