import WSCore

// What happens for every message and its reply.
extension LoadWorker {
    /// A reply that has no number in it is compared with so many messages before and after the one that was expected.
    private static let mostCompared = 256

    @inline(__always)
    func countSent(dueAt time: UInt64) {
        if measurement.sent(dueAt: time, now: now), openLoop == nil { remainingMessages &-= 1 }
    }

    /// Checks a reply, records how long it took, and sends what may follow it.
    @inline(__always)
    func receivedEcho(_ payload: RawSpan, as kind: MessageKind, by connection: LoadConnection, outbox: inout Outbox) {
        if kind == self.kind, connection.ledger.expectedCount > 0,
            message.isEcho(payload, of: connection.expectedStamp)
        {
            measurement.answered(sentAt: connection.ledger.takeFirst(), now: now)
        } else {
            receivedUnexpected(payload, as: kind, by: connection)
        }
        guard phase == .loading else { return closeIfAnswered() }
        guard openLoop == nil else { return }
        while remainingMessages > 0, connection.ledger.inFlightCount < inFlight, now < measurement.sendEnd {
            message.set(connection.nextStamp(dueAt: now))
            guard message.withBytes({ outbox.send($0, as: self.kind) }) else { break }
            connection.ledger.send(at: now)
            countSent(dueAt: now)
        }
        if remainingMessages == 0 { drainIfSent() }
    }

    /// Takes a pong as the answer to all pings up to its own: only the latest has to be answered (RFC 6455 §5.5.3).
    func receivedPong(_ payload: RawSpan, by connection: LoadConnection, outbox: inout Outbox) {
        let first = connection.ledger.first
        // A pong that nobody asked for is a sign of life, and no answer (RFC 6455 §5.5.3).
        guard let number = message.number(in: payload, of: connection.number, expected: first),
            number < connection.ledger.next
        else { return }
        while connection.ledger.first < number {
            measurement.answered(sentAt: connection.ledger.takeFirst(), now: now)
        }
        receivedEcho(payload, as: kind, by: connection, outbox: &outbox)
    }

    /// Finds out what a reply is that is not the one that was expected next.
    @inline(never)
    private func receivedUnexpected(_ payload: RawSpan, as kind: MessageKind, by connection: LoadConnection) {
        guard let found = number(of: payload, as: kind, by: connection) else {
            guard message.isIdentified || connection.ledger.expectedCount > 0 else { return countDuplicate() }
            let sendTime = message.isIdentified ? connection.ledger.replaceOldest() : connection.ledger.takeFirst()
            guard let sendTime else { return countDuplicate() }
            return measurement.count(\.mismatched, ofMessageAt: sendTime)
        }
        guard let answer = connection.ledger.take(found) else { return countDuplicate() }
        let sendTime = answer.sendTime
        if answer.wasReplaced { measurement.unmatch(messageAt: sendTime) }
        let stamp = EchoMessage.Stamp(number: found, connection: connection.number, time: sendTime)
        guard kind == self.kind, message.isEcho(payload, of: stamp) else {
            return measurement.count(\.mismatched, ofMessageAt: sendTime)
        }
        if answer.isReordered { measurement.count(\.reordered, ofMessageAt: sendTime) }
        measurement.answered(sentAt: sendTime, now: now)
    }

    /// Which message a reply belongs to; nil: that cannot be told.
    private func number(of payload: RawSpan, as kind: MessageKind, by connection: LoadConnection) -> UInt64? {
        guard message.isFoundByComparing else {
            return message.number(in: payload, of: connection.number, expected: connection.ledger.first)
        }
        guard kind == self.kind else { return nil }
        return connection.ledger.likelyNumbers(Self.mostCompared).first { number in
            connection.ledger.sendTime(of: number).map { time in
                message.isEcho(
                    payload, of: EchoMessage.Stamp(number: number, connection: connection.number, time: time))
            } ?? false
        }
    }

    /// Nothing tells when what is doubled was sent.
    private func countDuplicate() {
        measurement.count(\.duplicated, ofMessageAt: now)
    }

    // MARK: Outside of a read

    /// Has replies given up that are not there in time.
    func startReplyTimer() {
        let timeout = settings.arguments.replyTimeout
        replyTimer = Timer(on: loop) { [unowned self] in giveUpReplies() }
        replyTimer?.start(after: timeout, every: timeout / 4)
    }

    private func giveUpReplies() {
        takeTime()
        let timeout = settings.arguments.replyTimeout.wholeNanoseconds
        guard now > timeout else { return }
        for load in connections.values {
            let limit = now - timeout
            let count = message.isIdentified ? load.ledger.giveUp(before: limit) : load.ledger.writeOff(before: limit)
            measurement.tally.timeouts += count
            if count > 0, openLoop == nil { refill(load) }
        }
        if phase == .loading {
            drainIfStuck()
            drainIfSent()
        } else {
            closeIfAnswered()
        }
    }

    /// Ends a number of messages that cannot be sent: nobody has read or answered for as long as a reply may take.
    private func drainIfStuck() {
        guard settings.duration == nil, mode != .connect, !senders.isEmpty,
            senders.allSatisfy({ !$0.owedTimes.isEmpty || $0.connection?.isFull == true })
        else {
            standstill = nil
            return
        }
        let unsentBytes = senders.reduce(0) { $0 + ($1.connection?.unsentBytes ?? 0) }
        let receivedCount = measurement.tally.received
        guard let standstill, standstill.unsentBytes == unsentBytes, standstill.receivedCount == receivedCount else {
            standstill = Standstill(unsentBytes: unsentBytes, receivedCount: receivedCount, since: now)
            return
        }
        if now - standstill.since >= settings.arguments.replyTimeout.wholeNanoseconds { drain() }
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
        if phase == .draining, hasAllReplies { close() }
    }

    private var hasAllReplies: Bool {
        switch mode {
        case .echo, .idle: connections.values.allSatisfy { $0.ledger.unansweredCount == 0 }
        case .send, .receive: true
        case .connect: opener.openingCount == 0 && connections.isEmpty
        case .broadcast: hasAllDeliveries
        }
    }
}
