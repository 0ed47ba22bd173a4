import Formats
import WSCore

// Confirmations and replies.
extension LineQueue {
    /// The classification of a received message.
    package enum Finding: Equatable {
        /// The message answers no request.
        case push
        case reply(Reply)
        /// A reply to a request that timed out, `delay` ago.
        case lateReply(Reply, delay: Duration)

        /// The reply, late or not, or `nil` for other messages.
        package var reply: Reply? {
            switch self {
            case .push: nil
            case .reply(let reply), .lateReply(let reply, _): reply
            }
        }
    }

    /// A request that has timed out.
    package struct Expired: Equatable {
        package let number: Int
        /// Its id, or `nil` if replies are matched by their order.
        package let id: JSONScalar?
    }

    /// The delay between the first uncovered line and the ping that covers it.
    package static let pingDelay = Duration.milliseconds(500)

    private static let pingPayload = NumberedPayload(word: "confirm")

    // MARK: Confirming

    /// Declares the input complete. The last lines then need not wait for their ping.
    package mutating func inputEnded() {
        isInputOver = true
    }

    /// The time the next ping is due, possibly in the past; nil if there is nothing to cover or no connection.
    ///
    /// A ping is due at once if lines go carefully, if the input has ended, or if half of ``limitBytes`` is not
    /// covered. The other half can then fill while the pong is in flight.
    package var pingDueTime: Duration? {
        guard isConnected, let time = flights.firstUncoveredTime else { return nil }
        let isUrgent = isCareful || isInputOver || flights.uncoveredBytes >= Self.limitBytes / 2
        return isUrgent ? time : time + Self.pingDelay
    }

    /// When the next ping or, if lines go carefully, the next line is due in the future, or `nil` if none is.
    package func nextDueTime(after now: Duration) -> Duration? {
        let lineTime = isConnected && isCareful ? caution.nextTime : nil
        return [pingDueTime, lineTime].compactMap { $0 }.filter { $0 > now }.min()
    }

    /// Whether a ping is due.
    package func needsPing(at now: Duration) -> Bool {
        pingDueTime.map { $0 <= now } ?? false
    }

    /// Creates a ping that covers all lines sent so far. Returns its payload, which must be sent now.
    package mutating func makePing() -> [UInt8] {
        pingCount += 1
        flights.mark(pingCount)
        return Self.pingPayload.bytes(pingCount)
    }

    /// Processes a pong: removes the lines covered by its ping that it confirms.
    ///
    /// RFC 6455 §5.5.3: the peer may answer only the most recent ping, so a pong also confirms earlier pings. A pong that
    /// answers none of our pings confirms nothing.
    /// - Returns: Whether the pong answers one of these pings.
    @discardableResult
    package mutating func pongReceived(_ payload: RawSpan) -> Bool {
        guard let number = Self.pingPayload.number(in: payload) else { return false }
        return confirm { $0.answered(number) }
    }

    /// Processes the peer's reply or acknowledgement with a key.
    /// - Returns: Whether it confirms a line.
    @discardableResult
    package mutating func acknowledged(_ key: String) -> Bool {
        confirm { $0.acknowledged(key) }
    }

    /// Processes the peer's answer to our close frame, which confirms all lines that need no reply.
    package mutating func closeConfirmed() {
        _ = confirm {
            $0.allConfirmed()
            return true
        }
    }

    /// Confirms lines, and lets the next ones follow: all of them if none was sent on a lost connection.
    /// - Returns: Whether there is something to confirm.
    private mutating func confirm(_ remove: (inout LineFlights) -> Bool) -> Bool {
        let count = flights.progressCount
        guard remove(&flights) else { return false }
        guard isCareful else { return true }
        caution.confirmed(count - flights.progressCount)
        if !mustAwaitConfirmation { caution.proceed() }
        if flights.pendingCount == 0, !hasSuspects { caution = Caution() }
        return true
    }

    // MARK: Replies

    /// Matches a received message to a request. A batch of replies may answer several requests; the result describes the
    /// first of them.
    package mutating func received(_ payload: RawSpan, at now: Duration) -> Finding {
        // A call by the server may have the id of one of ours. JSON-RPC 2.0 §5: a reply has no method.
        if settings.makesCalls, let message = JSONMembers(payload) {
            if message.has("method") { return .push }
            // §5: the id of an error is null if the server could not read that of the call. Some servers omit it.
            if message.isNull("id"), message.has("id") || message.json("error")?.first == UInt8(ascii: "{"),
                !message.isNull("error")
            {
                // Only if one request is in flight, it is the answered one.
                return flights.onlyAwaitedKey.flatMap { replied($0, at: now) } ?? .push
            }
        }
        guard let correlation = settings.correlation else { return replied(nil, at: now) ?? .push }
        let ids =
            correlation.replyIDs(in: payload) { flights.expects($0, isLate: false) }
            ?? (flights.hasLate ? correlation.replyIDs(in: payload) { flights.expects($0, isLate: true) } : nil)
        var finding: Finding?
        for id in ids ?? [] {
            let next = replied(id, at: now)
            if finding == nil { finding = next }
        }
        return finding ?? .push
    }

    /// Matches a received reply by its key.
    package mutating func received(key: String, at now: Duration) -> Finding {
        replied(JSONScalar(key), at: now) ?? .push
    }

    private mutating func replied(_ key: JSONScalar?, at now: Duration) -> Finding? {
        var finding: Finding?
        let timeout = settings.replyTimeout
        _ = confirm {
            finding = $0.replied(key, timeout: timeout, at: now)
            return finding != nil
        }
        return finding
    }

    /// When the next request times out, or `nil` if none is in flight.
    package mutating func nextExpiry() -> Duration? { flights.nextExpiry(after: settings.replyTimeout) }

    /// Removes the requests that have timed out and returns them. Without an id or key, a late reply cannot be distinguished
    /// from other messages.
    package mutating func expire(at now: Duration) -> [Expired] {
        let expired = flights.expire(
            after: settings.replyTimeout, at: now, keepsKeys: settings.matching != .order)
        expiredCount += expired.count
        if !expired.isEmpty { _ = confirm { _ in true } }
        return expired
    }

    /// Restarts the timeouts of all requests in flight because received messages could not be read until now.
    package mutating func holdExpiry(at now: Duration) {
        flights.holdExpiry(until: now + settings.replyTimeout)
    }
}

/// The request that a received message answers.
package struct Reply: Equatable {
    /// The number of the request.
    package let number: Int
    /// The time since the request was sent.
    package let roundTrip: Duration
}
