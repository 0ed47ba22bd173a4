import Formats
import WSCore

/// The load of a mode for the connections of one thread. Each mode has its own type.
///
/// ``LoadContext`` decides when to send and the workload decides what; its connections receive the replies.
package protocol Workload: AnyObject {
    /// The state of the thread's load.
    var context: LoadContext { get }
    /// The end of the period over which rates are calculated.
    var measurementEnd: LoadMeasurement.End { get }

    /// The regular expressions that received messages are compared with.
    var patterns: [Pattern] { get }

    // MARK: Connections

    /// Creates the handler of a connection.
    func makeConnection(_ number: UInt64) -> any LoadHandler
    /// Called when a connection is open.
    func opened(_ connection: LoadConnection)
    /// Whether messages are sent on a connection.
    func isSender(_ connection: LoadConnection) -> Bool
    /// Called when a connection has ended.
    func ended(_ connection: LoadConnection)
    /// The number of connections that only receive, set when the load starts.
    var readerCount: Int { get }
    /// Whether no connection is left that could send or receive.
    var isDeserted: Bool { get }

    // MARK: Sending

    /// Called when the load starts.
    func begin()
    /// Sends the messages that are due, and schedules a wake-up for the next one.
    func sendDue()
    /// Called when sending has ended on this thread.
    /// - Parameter isTimed: Whether the time was over, rather than the messages.
    func sendingEnded(isTimed: Bool)
    /// Called when all threads have sent all their messages.
    /// - Parameter count: The total number of messages.
    func allSent(_ count: Int)

    // MARK: Replies

    /// The longest wait for outstanding replies after the end of sending.
    var replyWait: Duration { get }
    /// Whether no reply is outstanding.
    var isAnswered: Bool { get }
    /// Stops waiting for replies.
    /// - Parameter isLate: Whether outstanding replies have timed out.
    func stopWaiting(isLate: Bool)
}

// The defaults for modes in which all connections send.
extension Workload {
    package var measurementEnd: LoadMeasurement.End { .withLastReply }

    package var patterns: [Pattern] { context.factory.patterns }

    package func opened(_ connection: LoadConnection) {}
    package func isSender(_ connection: LoadConnection) -> Bool { true }

    /// Counts the messages that will never be answered, and opens the connection again if the plan demands it.
    package func ended(_ connection: LoadConnection) {
        if !connection.isAnswered { context.doubt(connection) }
        context.measurement.lose { connection.unansweredCount(since: $0) }
        context.replace(connection)
    }

    package var readerCount: Int { 0 }
    /// Whether no sender is left, and none is being opened or will be.
    package var isDeserted: Bool {
        context.senders.isEmpty && context.connections.reopening.isEmpty && context.plan.connections.stages == nil
    }

    package func begin() {}
    package func sendDue() { context.sendDue() }
    package func sendingEnded(isTimed: Bool) {}
    package func allSent(_ count: Int) {}

    package var replyWait: Duration { context.plan.replies.timeout }

    package var isAnswered: Bool { context.connections.values.allSatisfy { $0.isAnswered } }

    /// Counts late replies.
    package func stopWaiting(isLate: Bool) {
        guard isLate else { return }
        for connection in context.connections.values {
            _ = context.timeOutReplies(on: connection, before: .max)
        }
    }
}
