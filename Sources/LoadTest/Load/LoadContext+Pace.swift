import WSCore

// When messages are sent: in an open loop, when they are due; in a closed one, when there is room for them among those in
// flight.
extension LoadContext {
    /// So many messages are sent in one turn of the loop, so that replies are read meanwhile.
    private static let mostInTurn = 4096
    /// So many of them on a connection.
    private static let mostInTurnOfConnection = 256

    /// Begins the load.
    /// - Parameter time: The beginning, which is now or was just before, on the loop's clock in nanoseconds.
    public func begin(_ workload: any Workload, at time: UInt64) {
        phase = .loading
        startTime = time
        openLoop = plan.schedule(for: shard).map { OpenLoop(Pacer($0, at: time)) }
        measurement.begin(at: time, warmup: plan.warmup, duration: plan.duration, end: workload.measurementEnd)
        senders = connections.values.filter { workload.isSender($0) }.sorted { $0.number < $1.number }
    }

    /// Sends the messages that are due, and has the host wake the load for the others.
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

    /// Sends messages until as many are in flight as may be, or the connection is full.
    public func fill(_ connection: any LoadHandler) {
        guard phase == .loading, now < measurement.sendEnd else { return }
        var count = 0
        while remainingMessages > 0, connection.hasNext {
            // The others have their turn before it goes on.
            guard count < Self.mostInTurnOfConnection else { return host?.fillInNextTurn(connection) ?? () }
            guard connection.send(dueAt: now) else { return }
            countSent(dueAt: now)
            count += 1
        }
    }

    /// Gives up replies that are not there in time, and sends other messages in their place.
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

    /// Takes the next message of the schedule; nil: it is due later, when the host wakes the load, or never.
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
        // There is no room, or the server is closing the connection.
        connection.owedTimes.append(time)
        openLoop?.owe()
    }

    private func send(on connection: LoadConnection, dueAt time: UInt64) -> Bool {
        guard connection.send(dueAt: time) else { return false }
        countSent(dueAt: time)
        return true
    }

    /// Sends on a connection that was full and has room again.
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

    /// Counts the messages as unsent that waited on a connection that has ended. The others take its later ones.
    public func forget(_ connection: LoadConnection) {
        measurement.leftUnsent(connection.owedTimes)
        openLoop?.settle(connection.owedTimes.count)
        connection.owedTimes = []
        guard let index = senders.firstIndex(where: { $0 === connection }) else { return }
        senders.remove(at: index)
        if index < startedCount { startedCount -= 1 }
    }

    /// Sends nothing more, and counts what should have been sent.
    /// - Parameter isCutShort: Whether the run ends now, whatever was still to come.
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

    /// What does not change while nothing can be sent and nothing arrives.
    internal struct Standstill {
        let unsentBytes: Int
        let receivedCount: Int
        /// On the loop's clock, in nanoseconds.
        let since: UInt64
    }

    /// Looks whether a number of messages cannot be sent: no connection has taken or answered anything for as long as a reply
    /// may take.
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
