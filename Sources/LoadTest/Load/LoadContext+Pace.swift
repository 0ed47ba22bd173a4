import WSCore

// The timing of messages: an open loop sends them when they are due; a closed loop sends one whenever the number of
// messages in flight allows it.
extension LoadContext {
    /// The maximum number of messages sent per turn of the loop. Replies are read between turns.
    private static let mostInTurn = 4096
    /// The maximum number of messages sent on one connection per turn.
    private static let mostInTurnOfConnection = 256

    /// Starts the load.
    /// - Parameter time: The start on the loop's clock in nanoseconds, which is now or just before.
    public func begin(_ workload: any Workload, at time: UInt64) {
        phase = .loading
        startTime = time
        openLoop = plan.schedule(for: shard).map { OpenLoop(Pacer($0, at: time)) }
        measurement.begin(at: time, warmup: plan.warmup, duration: plan.duration, end: workload.measurementEnd)
        senders = connections.values.filter { workload.isSender($0) }.sorted { $0.number < $1.number }
    }

    /// Sends the messages that are due, and schedules a wake-up for the next one.
    internal func sendDue() {
        if openLoop == nil { startConnections() } else { sendScheduled() }
    }

    // MARK: Closed loop

    /// Starts the connections that the ramp has reached.
    private func startConnections() {
        let ramp = Double(plan.ramp.wholeNanoseconds) / Double(plan.connectionCount)
        while startedCount < senders.count, phase == .loading {
            let time = startTime + UInt64(ramp * Double(senders[startedCount].number))
            guard time <= now else { return host?.wake(at: time) ?? () }
            startedCount += 1
            fill(senders[startedCount - 1])
        }
    }

    /// Sends messages until the maximum number is in flight or the connection is full.
    public func fill(_ connection: any LoadHandler) {
        guard phase == .loading, now < measurement.sendEnd else { return }
        var count = 0
        while remainingMessages > 0, connection.hasNext {
            // Let the other connections have their turn first.
            guard count < Self.mostInTurnOfConnection else { return host?.fillInNextTurn(connection) ?? () }
            guard connection.send(dueAt: now) else { return }
            countSent(dueAt: now)
            count += 1
        }
    }

    /// Times out replies, and sends other messages in their place.
    public func giveUpReplies(before time: UInt64) {
        for connection in connections.values {
            let count = connection.giveUpReplies(before: time)
            measurement.tally.timeouts += count
            if count > 0, openLoop == nil { fill(connection) }
        }
    }

    // MARK: Open loop

    private func sendScheduled() {
        var count = 0
        while remainingMessages > 0, !senders.isEmpty {
            guard count < Self.mostInTurn else { return host?.wake(at: now) ?? () }
            guard let due = takeDue() else { return }
            count += 1
            sendOrOwe(on: senders[due.position % senders.count], dueAt: due.time)
        }
    }

    /// Takes the next message of the schedule if it is due. Otherwise returns `nil`, and schedules a wake-up if more
    /// messages follow.
    internal func takeDue() -> (time: UInt64, position: Int)? {
        switch openLoop?.next(by: now, before: measurement.sendEnd) {
        case .over, nil: return nil
        case .later(let time):
            host?.wake(at: time)
            return nil
        case .due(let time, let position, let wasHeld):
            if measurement.counts(time) {
                remainingMessages -= 1
                if !wasHeld { measurement.reached(dueAt: time, now: now) }
            }
            return (time, position)
        }
    }

    private func sendOrOwe(on connection: any LoadHandler, dueAt time: UInt64) {
        if connection.owedTimes.isEmpty, send(on: connection, dueAt: time) { return }
        // The queue is full, or the server is closing the connection.
        connection.owedTimes.append(time)
        openLoop?.owe()
    }

    private func send(on connection: LoadConnection, dueAt time: UInt64) -> Bool {
        guard connection.send(dueAt: time) else { return false }
        countSent(dueAt: time)
        return true
    }

    /// Resumes sending on a connection that has room again.
    internal func drained(_ connection: any LoadHandler) {
        guard phase == .loading else { return host?.closeIfAnswered() ?? () }
        guard openLoop != nil else { return host?.fillInNextTurn(connection) ?? () }
        var sentCount = 0
        for time in connection.owedTimes {
            guard send(on: connection, dueAt: time) else { break }
            sentCount += 1
        }
        connection.owedTimes.removeFirst(sentCount)
        openLoop?.settle(sentCount)
        drainIfSent()
    }

    // MARK: End

    /// Removes a connection that has ended and counts its waiting messages as unsent. Later messages go to the other
    /// connections.
    public func forget(_ connection: LoadConnection) {
        measurement.leftUnsent(connection.owedTimes)
        openLoop?.settle(connection.owedTimes.count)
        connection.owedTimes = []
        guard let index = senders.firstIndex(where: { $0 === connection }) else { return }
        senders.remove(at: index)
        if index < startedCount { startedCount -= 1 }
    }

    /// Ends sending and counts the messages that should have been sent.
    /// - Parameter isCutShort: Whether the run ends early, regardless of messages that are not due yet.
    public func endSending(isCutShort: Bool) {
        measurement.stop(at: now, isEarly: isCutShort)
        for connection in senders {
            measurement.leftUnsent(connection.owedTimes)
            connection.owedTimes = []
        }
        let end = isCutShort ? min(now, measurement.sendEnd) : measurement.sendEnd
        let count = openLoop?.end(from: measurement.countStart, until: end, atMost: remainingMessages) ?? 0
        measurement.tally.unsent += count
        remainingMessages -= count
        reportSent()
    }

    // MARK: Standstill

    /// The values that do not change while nothing can be sent and nothing arrives.
    internal struct Standstill {
        let unsentBytes: Int
        let receivedCount: Int
        /// The time of the last change, on the loop's clock in nanoseconds.
        let since: UInt64
    }

    /// Whether a run with a message count is stuck: for the duration of the reply timeout, no connection has accepted
    /// or answered anything.
    public func findsStandstill() -> Bool {
        guard plan.duration == nil, !senders.isEmpty,
            senders.allSatisfy({ !$0.owedTimes.isEmpty || !$0.hasRoom })
        else {
            standstill = nil
            return false
        }
        let unsentBytes = senders.reduce(0) { $0 + ($1.port?.unsentBytes ?? 0) }
        let receivedCount = measurement.tally.received
        guard let standstill, standstill.unsentBytes == unsentBytes, standstill.receivedCount == receivedCount else {
            standstill = Standstill(unsentBytes: unsentBytes, receivedCount: receivedCount, since: now)
            return false
        }
        return now - standstill.since >= plan.replyTimeout.wholeNanoseconds
    }
}
