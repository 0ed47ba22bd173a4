/// Detects that a run with a message count is stuck: for the duration of the reply timeout, no connection has accepted
/// or answered anything.
package struct StandstillDetector {
    /// The values that do not change while nothing can be sent and nothing arrives, or `nil` while something can be sent.
    private var last: (unsentBytes: Int, receivedCount: Int)?
    /// The time of their last change, on the loop's clock in nanoseconds.
    private var changeTime: UInt64 = 0

    /// Creates a detector for one thread.
    package init() {}

    /// Returns whether a load is stuck. Called at regular intervals.
    package mutating func check(_ context: LoadContext) -> Bool {
        let senders = context.senders
        guard context.plan.duration == nil, !(senders.isEmpty && context.connections.reopening.isEmpty),
            senders.allSatisfy({ !$0.backlog.isEmpty || !$0.hasRoom })
        else {
            last = nil
            return false
        }
        let unsentBytes = senders.reduce(0) { $0 + ($1.port?.unsentBytes ?? 0) }
        let receivedCount = context.measurement.tally.received
        guard let last, last == (unsentBytes, receivedCount) else {
            self.last = (unsentBytes, receivedCount)
            changeTime = context.now
            return false
        }
        return context.now - changeTime >= context.longestReplyWait.nanoseconds
    }
}
