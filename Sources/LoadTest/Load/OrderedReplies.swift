import Conversation
import WSCore

/// The doubt about the latencies of a connection whose replies are matched by their order.
///
/// After a lost reply, each later one may belong to any message from then on. Nobody knows when a reply was lost, only that
/// none was when everything had been answered.
internal struct OrderedReplies {
    /// Whether a reply was lost, so that later ones have no latency.
    fileprivate var isAmbiguous = false
    /// When the message of the first reply was due since everything was answered; `UInt64.max` if everything is.
    fileprivate var doubtfulSince = UInt64.max
}

extension LoadContext {
    /// Records a correct reply that was matched by its order.
    /// - Parameters:
    ///   - stream: The messages of the reply, if it may consist of several.
    ///   - isLast: Whether no other message is unanswered.
    internal func answered(
        inOrderOn connection: LoadConnection, sentAt time: UInt64, by stream: ReplyStream? = nil, isLast: Bool
    ) {
        guard !connection.orderedReplies.isAmbiguous else {
            return measurement.answeredWithoutLatency(sentAt: time, now: now)
        }
        measurement.answered(sentAt: time, by: stream, now: now)
        if isLast {
            connection.orderedReplies.doubtfulSince = .max
        } else if connection.orderedReplies.doubtfulSince == .max {
            connection.orderedReplies.doubtfulSince = time
        }
    }

    /// Leaves out the latencies of a connection that are doubtful if a reply was lost, and all later ones.
    internal func doubt(_ connection: LoadConnection) {
        connection.orderedReplies.isAmbiguous = true
        guard connection.orderedReplies.doubtfulSince < .max else { return }
        measurement.omitLatencies(since: connection.orderedReplies.doubtfulSince)
        connection.orderedReplies.doubtfulSince = .max
    }

    /// Times out the replies to messages that were sent on a connection before a time. Returns their number.
    internal func timeOutReplies(on connection: LoadConnection, before time: UInt64) -> Int {
        let count = measurement.timeOut(before: time) { connection.giveUpReplies(before: $0) }
        if count > 0 { doubt(connection) }
        return count
    }
}
