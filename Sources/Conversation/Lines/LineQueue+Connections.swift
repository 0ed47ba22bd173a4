// The beginning and the end of connections.
extension LineQueue {
    /// Records a new connection. The lines that wait can be sent on it.
    package mutating func connectionOpened(at now: Duration) {
        isConnected = true
        waitingOperands = operands[...]
        held.connectionOpened()
        caution.connectionOpened(at: now, hasSent: flights.pendingCount > 0)
    }

    /// Records the end of the connection. Confirmations can no longer arrive, and unconfirmed lines wait for the next
    /// connection. Requests that need a reply do so only after an interruption.
    /// - Parameters:
    ///   - isInterruption: Whether another connection may follow, and the lines may be the reason.
    ///   - keepsHeld: Whether lines that wait for their subscription are kept for another connection.
    ///   - cause: What lines that are not kept waited for.
    /// - Returns: The first unconfirmed line if it is given up, which is the last in ``kept`` then, or `nil`. Renewals are
    ///   given up together, as one line.
    @discardableResult
    package mutating func connectionEnded(
        isInterruption: Bool = true, keepsHeld: Bool = true, waitingFor cause: ProtocolProblem.UnsentCause = .login
    ) -> Line? {
        isConnected = false
        let hasConfirmed = hasConfirmed
        let lines = flights.takeAll(takesRequests: isInterruption && settings.keepsLines)
        var rest = lines[...]
        var givenUp: Line?
        if isInterruption, settings.keepsLines,
            caution.connectionEnded(firstUnconfirmed: lines.first?.identity, hasConfirmed: hasConfirmed)
        {
            givenUp = rest.popFirst()
        }
        if givenUp?.origin == .renewal {
            // They were sent together.
            let renewed = lines.filter { $0.origin == .renewal }.map(\.payload)
            givenUp = Line(Array(renewed.joined(separator: Array(", ".utf8))), as: .text, from: .renewal, past: .sent)
        } else if let line = givenUp {
            // Connections no longer begin with it.
            kept.append(
                line.sent(as: .input, number: line.origin == .operand && !settings.areRequests ? 0 : line.number))
            operands.removeAll { line.origin == .operand && $0.number == line.number }
        }
        // At the end of a run, only what was not sent counts.
        if isInterruption, settings.keepsLines { waitingOperands = operands[...] }
        let unsent = held.connectionEnded(waitingFor: cause)
        if keepsHeld, settings.keepsLines {
            waiting.prepend(rest.filter { !$0.beginsConnections } + unsent)
        } else {
            waiting.prepend(rest.filter { !$0.beginsConnections })
            held.drop(unsent, because: cause)
        }
        if !settings.keepsLines, !settings.areRequests {
            var dropped: [Line] = []
            while let line = waiting.removeFirst() { dropped.append(line) }
            held.drop(dropped, because: cause)
        }
        if givenUp != nil, !waiting.firstWasSent { caution = Caution() }
        return givenUp
    }

    /// Forgets all requests, and lines that are not sent again, at the end of a prompt's connection.
    package mutating func abandonRequests() {
        guard settings.areRequests else { return }
        _ = flights.takeAll(takesRequests: true)
        let (countsRequests, needsReplies) = (settings.countsRequests, settings.needsReplies)
        waiting.removeAll { countsRequests && $0.number > 0 }
        kept.removeAll { needsReplies && $0.number > 0 }
        waitingOperands = []
        if !hasSuspects { caution = Caution() }
    }

    /// Forgets all lines, because they were meant for another server. Numbers continue.
    package mutating func begin(_ settings: Settings) {
        var next = LineQueue(settings)
        (next.messageCount, next.expiredCount, next.hasSent) = (messageCount, expiredCount, hasSent)
        next.pingCount = pingCount
        self = next
    }

    // MARK: Lines that were given up

    /// Lets the lines that were given up wait again, behind the others. They go carefully.
    package mutating func retryKept(at now: Duration) {
        guard !kept.isEmpty else { return }
        for line in kept { waiting.append(line) }
        kept.removeAll()
        caution.suspectLines(at: now, hasSent: flights.pendingCount > 0)
    }

    /// Forgets the lines that were given up.
    package mutating func dropKept() {
        kept.removeAll()
    }
}
