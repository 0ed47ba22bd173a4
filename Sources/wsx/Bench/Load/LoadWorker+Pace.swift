import WSCore

// When messages are sent: in an open loop, when they are due; in a closed one, when there is room for them among those in
// flight.
extension LoadWorker {
    /// So many messages are sent in one turn of the loop, so that replies are read meanwhile.
    private static let mostInTurn = 4096
    /// So many of them on a connection.
    private static let mostInTurnOfConnection = 256

    /// Takes the present time, for all that is done next.
    @inline(__always)
    func takeTime() {
        now = loop.nowNanoseconds
    }

    /// Sends what is due, and has the timer call again.
    func sendDue() {
        if openLoop == nil { startConnections() } else { sendScheduled() }
    }

    /// Enters a message that is sent now.
    @inline(__always)
    func countSent(dueAt time: UInt64) {
        if measurement.sent(dueAt: time, now: now), openLoop == nil { remainingMessages &-= 1 }
    }

    /// Waits for the last replies when all messages have been sent.
    func drainIfSent() {
        if phase == .loading, remainingMessages == 0, openLoop?.owedCount ?? 0 == 0 { drain() }
    }

    // MARK: Closed loop

    /// Has those connections send their first messages whose turn it is.
    private func startConnections() {
        let ramp = Double(settings.ramp.wholeNanoseconds) / Double(settings.arguments.connectionCount)
        while startedCount < senders.count, phase == .loading {
            let time = startTime + UInt64(ramp * Double(senders[startedCount].number))
            guard time <= now else { return paceTimer?.start(at: time) ?? () }
            startedCount += 1
            fill(senders[startedCount - 1])
        }
    }

    /// Sends as many messages as may be without a reply, as long as there is room for them.
    func fill(_ load: LoadConnection) {
        guard phase == .loading, now < measurement.sendEnd else { return }
        let limit = Self.mostInTurnOfConnection
        // The others have their turn before it goes on.
        if workload.fill(load, atMost: limit, for: self) == limit { sending.add(load) }
    }

    // MARK: Open loop

    private func sendScheduled() {
        var count = 0
        while remainingMessages > 0, !senders.isEmpty {
            guard count < Self.mostInTurn else { return paceTimer?.start(at: now) ?? () }
            guard let due = takeDue() else { return }
            count += 1
            sendOrOwe(on: senders[due.position % senders.count], dueAt: due.time)
        }
    }

    /// Takes the next message of the schedule; nil: it is due later, when the timer calls, or never.
    func takeDue() -> (time: UInt64, position: Int)? {
        switch openLoop?.next(by: now, before: measurement.sendEnd) {
        case .over, nil: return nil
        case .later(let time):
            paceTimer?.start(at: time)
            return nil
        case .due(let time, let position, let wasHeld):
            if measurement.counts(time) {
                remainingMessages -= 1
                if !wasHeld { measurement.reached(dueAt: time, now: now) }
            }
            return (time, position)
        }
    }

    private func sendOrOwe(on load: LoadConnection, dueAt time: UInt64) {
        if load.owedTimes.isEmpty, send(on: load, dueAt: time) { return }
        // There is no room, or the server is closing the connection.
        load.owedTimes.append(time)
        openLoop?.owe()
    }

    private func send(on load: LoadConnection, dueAt time: UInt64) -> Bool {
        guard load.hasRoom, workload.send(on: load, dueAt: time) else { return false }
        countSent(dueAt: time)
        return true
    }

    /// A connection whose queue was full has room again.
    func drained(_ load: LoadConnection) {
        guard phase == .loading else { return closeIfAnswered() }
        takeTime()
        guard openLoop != nil else { return sending.add(load) }
        var sentCount = 0
        for time in load.owedTimes {
            guard send(on: load, dueAt: time) else { break }
            sentCount += 1
        }
        load.owedTimes.removeFirst(sentCount)
        openLoop?.settle(sentCount)
        drainIfSent()
    }

    /// What was due on a connection that has ended is not sent; what will be falls to the others.
    func forget(_ load: LoadConnection) {
        measurement.leftUnsent(load.owedTimes)
        openLoop?.settle(load.owedTimes.count)
        load.owedTimes = []
        guard let index = senders.firstIndex(where: { $0 === load }) else { return }
        senders.remove(at: index)
        if index < startedCount { startedCount -= 1 }
    }

    /// Nothing more is sent: what should have been is counted.
    /// - Parameter isCutShort: Whether the run ends now, whatever was still to come.
    func endSchedule(isCutShort: Bool) {
        paceTimer = nil
        for load in senders {
            measurement.leftUnsent(load.owedTimes)
            load.owedTimes = []
        }
        let end = isCutShort ? min(now, measurement.sendEnd) : measurement.sendEnd
        let count = openLoop?.end(from: measurement.countStart, until: end, atMost: remainingMessages) ?? 0
        measurement.tally.unsent += count
        remainingMessages -= count
    }
}
