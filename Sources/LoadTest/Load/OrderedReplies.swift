import Conversation
import WSCore

/// The doubt about the latencies of a connection whose replies are matched by their order.
///
///      certain ─► suspect: a reply timed out ─► ambiguous: one was lost
///         ▲              │ everything is answered, late
///         └──────────────┘                         or in excess
///
/// After a lost reply, each later one may belong to any message from then on. It is unknown when a reply was lost, only
/// that none was when everything had been answered.
internal struct OrderedReplies {
    /// A reply whose latency is held back until it is certain.
    fileprivate typealias Held = (dueTime: UInt64, latency: UInt64)

    fileprivate enum State {
        case certain
        /// Since a time.
        case suspect(since: UInt64, held: [Held])
        case ambiguous
    }

    fileprivate var state = State.certain
    /// When the message of the first reply was due since everything was answered; `UInt64.max` if everything is.
    fileprivate var doubtfulSince = UInt64.max

    /// The latencies that a suspect connection holds back. Later ones are left out.
    fileprivate static let mostHeld = 4096
}

extension LoadContext {
    /// Records a correct reply that was matched by its order.
    /// - Parameters:
    ///   - stream: The messages of the reply, if it may consist of several.
    ///   - isLast: Whether no other message is unanswered.
    internal func answered(
        inOrderOn connection: LoadConnection, sentAt time: UInt64, by stream: ReplyStream? = nil, isLast: Bool
    ) {
        guard case .certain = connection.orderedReplies.state else {
            return answered(inDoubtOn: connection, sentAt: time, isLast: isLast)
        }
        measurement.answered(
            on: connection.number, sentAt: time, after: connection.takeWait(ofMessageAt: time), by: stream, now: now)
        if isLast {
            connection.orderedReplies.doubtfulSince = .max
        } else if connection.orderedReplies.doubtfulSince == .max {
            connection.orderedReplies.doubtfulSince = time
        }
    }

    @inline(never)
    private func answered(inDoubtOn connection: LoadConnection, sentAt time: UInt64, isLast: Bool) {
        measurement.answeredWithoutLatency(sentAt: time, now: now)
        guard case .suspect(let since, var held) = connection.orderedReplies.state else { return }
        // The array has one owner.
        connection.orderedReplies.state = .ambiguous
        if held.count < OrderedReplies.mostHeld { held.append((time, now > time ? now - time : 0)) }
        guard isLast else { return connection.orderedReplies.state = .suspect(since: since, held: held) }
        for (time, latency) in held {
            measurement.confirm(
                latency, on: connection.number, ofMessageAt: time, after: connection.takeWait(ofMessageAt: time))
        }
        connection.orderedReplies = OrderedReplies()
    }

    /// Leaves out the latencies of a connection that are doubtful because a reply was lost, and all later ones.
    internal func doubt(_ connection: LoadConnection) {
        let replies = connection.orderedReplies
        connection.orderedReplies.state = .ambiguous
        connection.orderedReplies.doubtfulSince = .max
        guard replies.doubtfulSince < .max else { return }
        switch replies.state {
        case .certain: measurement.omitLatencies(since: replies.doubtfulSince, until: now)
        case .suspect(let time, _): measurement.omitLatencies(since: replies.doubtfulSince, until: time)
        case .ambiguous: break
        }
    }

    /// Leaves out all latencies of a connection on which a message arrived while nothing was unanswered. It may be the last
    /// of replies that were shifted by another message, at any time since the connection was opened. Before the first message
    /// of the load, it is a greeting.
    internal func surplus(on connection: LoadConnection) {
        guard connection.messageCount > connections.earlier(connection.number).messageCount else { return }
        if case .ambiguous = connection.orderedReplies.state { return }
        doubt(connection)
        measurement.omitLatencies(since: connection.openTime, until: now)
    }

    /// Times out the replies to messages that were sent on a connection before a time. Returns their number.
    internal func timeOutReplies(on connection: LoadConnection, before time: UInt64) -> Int {
        connection.limitWaits(before: time)
        let count = measurement.timeOut(before: time) { connection.giveUpReplies(before: $0) }
        if count > 0, case .certain = connection.orderedReplies.state {
            connection.orderedReplies.state = .suspect(since: now, held: [])
        }
        return count
    }
}
