import Conversation
import WSCore

/// The phases of a load test's thread.
package enum LoadPhase: Sendable {
    /// Connections are being opened.
    case opening
    /// The connections are open.
    case ready
    /// Messages are being sent.
    case loading
    /// Sending has ended; replies are outstanding.
    case draining
    case closing
    case over
}

/// What a reply triggers, in the simplest terms that apply to all connections.
internal enum AfterReply {
    /// The next message, at once: a closed loop.
    case send
    /// Nothing: an open loop.
    case nothing
    /// ``LoadContext/staysBusy(_:)`` decides.
    case decide
}

/// The state of one thread's load: time, connections, remaining messages, and measurement.
///
/// It is the only part of the thread that a ``Workload`` uses. Values are stored here instead of requested from the
/// thread, because each message uses several of them. Operations that need an event loop go through ``host``, which
/// unit tests replace.
package final class LoadContext {
    /// The requested load.
    package let plan: LoadPlan
    /// The share of the load that this thread carries.
    package let shard: Shard
    /// Makes the messages and pipelines of connections.
    package let factory: MessageFactory
    /// The thread, which owns the context and sets this immediately.
    package unowned var host: (any LoadHost)?

    /// The current phase.
    package var phase = LoadPhase.opening
    /// The time of the last clock reading, on the loop's clock in nanoseconds.
    package var now: UInt64 = 0
    /// The counts and latencies so far.
    package var measurement = LoadMeasurement()
    /// The number of messages that may still be sent.
    package internal(set) var remainingMessages: Int
    /// The schedule of messages, or `nil` in a closed loop.
    package internal(set) var openLoop: OpenLoop?
    /// What a reply triggers.
    internal var afterReply = AfterReply.send
    /// The state of pauses, lifetimes, and stages.
    internal var shape: LoadShape

    package var connections = ConnectionTable()
    /// The connections that send, ordered by number. Set when the load starts.
    package internal(set) var senders = SenderList()
    /// Decides which connections send. It owns the context and is set when the load starts.
    internal unowned var workload: (any Workload)?
    /// The deadlines of connections, by number. A connection may have outdated entries.
    internal var deadlines = TimeQueue<UInt64>()

    /// Prepares the load of a thread.
    /// - Parameter clockOffset: The offset from the loop's clock to the time since 1970, in nanoseconds.
    package init(_ plan: LoadPlan, shard: Shard, clockOffset: UInt64) {
        self.plan = plan
        self.shard = shard
        factory = MessageFactory(plan, clockOffset: clockOffset)
        shape = LoadShape(of: shard)
        remainingMessages = plan.messageCount(of: shard)
    }

    /// Creates the workload of the plan's mode.
    package func makeWorkload() -> any Workload { plan.mode.makeWorkload(self) }

    /// The number of connections of this thread.
    package var connectionCount: Int { shard.connectionCount(of: plan.connections.count) }

    /// The start of the load, on the loop's clock in nanoseconds. It must have begun.
    internal var startTime: UInt64 { measurement.countStart - plan.warmup.nanoseconds }

    /// The longest wait for a reply.
    internal var longestReplyWait: Duration { max(plan.replies.timeout, workload?.replyWait ?? .zero) }

    /// Counts messages that are sent now, at least one.
    @inline(__always)
    internal func countSent(_ count: Int = 1, dueAt time: UInt64) {
        if measurement.sent(count, dueAt: time, now: now), openLoop == nil { remainingMessages &-= count }
    }

    /// Continues until the other threads report that everything has been sent.
    internal func leaveSendingToOthers() {
        remainingMessages = .max
        host?.allIsSent()
    }

    /// Resets the byte counts, to count from now on.
    package func beginCountingBytes() {
        measurement.tally.traffic = LoadTraffic()
        // The end of a connection adds all its traffic.
        for case let port? in connections.values.map(\.port) { measurement.tally.traffic -= port.traffic }
    }

    /// Keeps the byte counts of the measured duration once it has ended. No connection may be receiving.
    package func endCountingBytes() {
        measurement.keepTraffic(ofOpen: connections.values.lazy.compactMap { $0.port?.traffic })
    }

    /// Releases the connections at the end of the run, because they refer to the context.
    package func releaseConnections() {
        connections = ConnectionTable()
        senders = SenderList()
        shape = LoadShape(of: shard)
    }

    /// Starts waiting for the last replies if all messages have been sent.
    package func drainIfSent() {
        if phase == .loading, remainingMessages == 0, openLoop?.backlogCount ?? 0 == 0 { host?.drain() }
    }
}

/// The thread as a load sees it. Unit tests replace it with a fake.
package protocol LoadHost: AnyObject {
    /// Schedules a call of ``Workload/sendDue()`` at a time on the loop's clock, in nanoseconds.
    func wake(at time: UInt64)
    /// Schedules a call of ``Workload/sendDue()`` in the next turn. A direct call would recurse once per connection if
    /// attempts fail immediately.
    func wakeSoon()
    /// Schedules a call of ``LoadContext/resume(_:)`` for a connection in the next turn of the loop, after the other
    /// connections.
    func fillInNextTurn(_ connection: any LoadHandler)
    /// Schedules a call of ``LoadContext/deadlinePassed()`` at a time on the loop's clock, in nanoseconds, in place of an
    /// earlier request.
    func wakeAtDeadline(_ time: UInt64)
    /// Ends sending and waits for outstanding replies.
    func drain()
    /// Closes the connections at the end of the loop's turn if no reply is outstanding then.
    func closeIfAnswered()
    /// Notifies the other threads that this one has ended sending. Later calls have no effect.
    func allIsSent()

    /// Opens the next connection.
    /// - Parameters:
    ///   - countsTime: Whether the time this takes is part of the results.
    ///   - completion: Called once, before the connection is added to those of the context. Not called if opening is
    ///     canceled or has not begun.
    /// - Returns: Whether it has begun. Otherwise, there is no request for it, and the run ends.
    func openConnection(countsTime: Bool, completion: @escaping (_ isOpen: Bool) -> Void) -> Bool
    /// Opens the connection with a number during the load. Failed attempts are counted and repeated after
    /// ``LoadContext/retryDelay``. The end of sending cancels them.
    /// - Parameter delay: The time before the first attempt.
    func reopen(_ number: UInt64, after delay: Duration)
    /// Reports the failure of a scenario's step.
    /// - Parameter isOpening: Whether the step precedes the iterations.
    func stepFailed(_ failure: ScenarioFailure, isOpening: Bool)
    /// Reports a problem of the application protocol of a connection.
    func protocolFailed(on connection: LoadConnection, because problem: ProtocolProblem)
    /// Closes a connection with a closing handshake.
    func close(_ connection: LoadConnection)
    /// Handles the end of a connection.
    func ended(_ connection: LoadConnection, _ end: ConnectionEnd)
}
