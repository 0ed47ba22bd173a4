import WSCore

// What is waited for: replies, and a server that takes nothing.
extension LoadWorker {
    /// What does not change while nothing can be sent and nothing comes.
    struct Standstill {
        let unsentBytes: Int
        let receivedCount: Int
        /// On the loop's clock, in nanoseconds.
        let since: UInt64
    }

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
        workload.giveUpReplies(before: now - timeout, for: self)
        if phase == .loading {
            drainIfStuck()
            drainIfSent()
        } else {
            closeIfAnswered()
        }
    }

    /// Ends a number of messages that cannot be sent: nobody has read or answered for as long as a reply may take.
    private func drainIfStuck() {
        guard settings.duration == nil, !senders.isEmpty,
            senders.allSatisfy({ !$0.owedTimes.isEmpty || !$0.hasRoom })
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
        if phase == .draining, workload.isAnswered(for: self) { close() }
    }
}
