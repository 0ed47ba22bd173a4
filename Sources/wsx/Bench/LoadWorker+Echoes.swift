import WSCore

// What happens for every message.
extension LoadWorker {
    /// Takes the present time, for all that is done next.
    @inline(__always)
    func takeTime() {
        now = loop.nowNanoseconds
    }

    /// Checks a reply, records how long it took, and sends what may follow it.
    @inline(__always)
    func received(_ payload: RawSpan, as kind: MessageKind, by connection: LoadConnection, outbox: inout Outbox) {
        if connection.ledger.expectedCount > 0 {
            message.stamp(connection.ledger.first, of: connection.number)
            if kind == self.kind, message.isEqual(to: payload) {
                took(connection.ledger.takeFirst())
            } else {
                receivedUnexpected(payload, as: kind, by: connection)
            }
        } else {
            receivedUnexpected(payload, as: kind, by: connection)
        }
        guard phase == .loading else { return closeIfAnswered() }
        while remainingMessages > 0, connection.ledger.expectedCount < inFlight, now < sendEnd {
            remainingMessages &-= 1
            message.stamp(connection.ledger.next, of: connection.number)
            guard message.withBytes({ outbox.send($0, as: self.kind) }) else { break }
            connection.ledger.send(at: now)
            tally.sent &+= 1
        }
        if remainingMessages == 0 { drainIfSent() }
    }

    /// Counts a right reply to a message of that time.
    @inline(__always)
    private func took(_ sendTime: UInt64) {
        tally.received &+= 1
        lastReplyTime = now
        latencies.record(now &- sendTime, at: now)
    }

    /// Finds out what a reply is that is not the one that was expected next.
    @inline(never)
    private func receivedUnexpected(_ payload: RawSpan, as kind: MessageKind, by connection: LoadConnection) {
        let (number, expected) = (connection.number, connection.ledger.first)
        guard let found = message.number(in: payload, of: number, expected: expected) else {
            if connection.ledger.takeOldest() != nil { tally.mismatched += 1 } else { tally.duplicated += 1 }
            return
        }
        guard let (sendTime, isReordered) = connection.ledger.take(found) else {
            tally.duplicated += 1
            return
        }
        message.stamp(found, of: number)
        guard kind == self.kind, message.isEqual(to: payload) else {
            tally.mismatched += 1
            return
        }
        if isReordered { tally.reordered += 1 }
        took(sendTime)
    }

    // MARK: Outside of a read

    /// Sends as many messages as may be without a reply.
    func refill(_ load: LoadConnection) {
        guard let connection = load.connection else { return }
        while phase == .loading, remainingMessages > 0, load.ledger.expectedCount < inFlight {
            message.stamp(load.ledger.next, of: load.number)
            guard message.withBytes({ connection.send($0, as: kind) }) else { return }
            remainingMessages -= 1
            load.ledger.send(at: now)
            tally.sent += 1
        }
    }

    /// Has replies given up that are not there in time.
    func startReplyTimer() {
        let timeout = settings.arguments.replyTimeout
        replyTimer = Timer(on: loop) { [unowned self] in giveUpReplies() }
        replyTimer?.start(after: timeout, every: timeout / 4)
    }

    private func giveUpReplies() {
        takeTime()
        let timeout = UInt64(settings.arguments.replyTimeout / .nanoseconds(1))
        guard now > timeout else { return }
        for load in connections.values {
            let count = load.ledger.giveUp(before: now - timeout)
            tally.timeouts += count
            if count > 0 { refill(load) }
        }
        if phase == .loading { drainIfSent() } else { closeIfAnswered() }
    }

    /// Waits for the last replies when all messages have been sent.
    func drainIfSent() {
        if phase == .loading, remainingMessages == 0 { drain() }
    }

    /// Closes the connections when there is no reply to wait for.
    func closeIfAnswered() {
        guard phase == .draining, !isCheckScheduled else { return }
        // At the end of the turn: connections are not to be closed while one of them is receiving.
        isCheckScheduled = true
        loop.atEndOfTurn(self)
    }
}

extension LoadWorker: EndOfTurnWork {
    /// Looks whether a reply is missing.
    func endTurn() {
        isCheckScheduled = false
        guard phase == .draining, connections.values.allSatisfy({ $0.ledger.unansweredCount == 0 }) else { return }
        close()
    }
}
