import WSCore

// When messages are sent: in an open loop, when they are due; in a closed one, when there is room for them among those in
// flight.
extension LoadWorker {
    /// So many messages are sent in one turn of the loop, so that replies are read meanwhile.
    private static let mostInTurn = 4096
    /// So many of them on a connection.
    private static let mostInTurnOfConnection = 256
    /// With so many messages waiting for room in the queues of their connections, no more are made until there is some.
    private static let mostOwed = 1 << 20
    /// How long it is waited then, in nanoseconds.
    private static let owedPause: UInt64 = 1_000_000

    /// Takes the present time, for all that is done next.
    @inline(__always)
    func takeTime() {
        now = loop.nowNanoseconds
    }

    /// Sends what is due, and has the timer call again.
    func continueLoad() {
        takeTime()
        switch mode {
        case .connect: attemptDue()
        case .receive: subscribe()
        case .echo, .send, .broadcast, .idle: if schedule == nil { startConnections() } else { sendDue() }
        }
        drainIfSent()
    }

    /// Waits for the last replies when all messages have been sent.
    func drainIfSent() {
        if phase == .loading, remainingMessages == 0, owedCount == 0 { drain() }
    }

    // MARK: Closed loop

    /// Has those connections send their first messages whose turn it is.
    private func startConnections() {
        let ramp = Double(settings.ramp.wholeNanoseconds) / Double(settings.arguments.connectionCount)
        while startedCount < senders.count, phase == .loading {
            let time = startTime + UInt64(ramp * Double(senders[startedCount].number))
            guard time <= now else { return paceTimer?.start(at: time) ?? () }
            startedCount += 1
            refill(senders[startedCount - 1])
        }
    }

    /// Sends as many messages as may be without a reply, as long as there is room for them.
    func refill(_ load: LoadConnection) {
        guard let connection = load.connection else { return }
        var count = 0
        while phase == .loading, remainingMessages > 0, load.ledger.inFlightCount < inFlight,
            now < measurement.sendEnd,
            !connection.isFull
        {
            // Where nothing is waited for, the others have their turn.
            guard count < Self.mostInTurnOfConnection || mode != .send else { return sendOn(load) }
            guard send(on: load, dueAt: now) else { return }
            count += 1
        }
    }

    // MARK: Open loop

    private func sendDue() {
        var count = 0
        while let schedule, remainingMessages > 0, !senders.isEmpty {
            switch schedule.next(by: now, before: measurement.sendEnd) {
            case .over: return
            case .later(let time): return paceTimer?.start(at: time) ?? ()
            case .due(let time, let position):
                guard count < Self.mostInTurn else { return paceTimer?.start(at: time) ?? () }
                guard owedCount < Self.mostOwed else {
                    // It is the server that these wait for.
                    heldUntil = now + Self.owedPause
                    return paceTimer?.start(at: heldUntil) ?? ()
                }
                self.schedule?.advance()
                count += 1
                sendOrOwe(on: senders[position % senders.count], dueAt: time)
            }
        }
    }

    private func sendOrOwe(on load: LoadConnection, dueAt time: UInt64) {
        if measurement.counts(time) {
            remainingMessages -= 1
            if time > heldUntil { measurement.reached(dueAt: time, now: now) }
        }
        if load.owedTimes.isEmpty, load.connection?.isFull == false, send(on: load, dueAt: time) { return }
        // There is no room, or the server is closing the connection.
        load.owedTimes.append(time)
        owedCount += 1
    }

    /// A connection whose queue was full has room again.
    func drained(_ load: LoadConnection) {
        guard phase == .loading else { return closeIfAnswered() }
        takeTime()
        guard schedule != nil else { return mode == .receive ? () : sendOn(load) }
        var sentCount = 0
        for time in load.owedTimes {
            guard load.connection?.isFull == false, send(on: load, dueAt: time) else { break }
            sentCount += 1
        }
        load.owedTimes.removeFirst(sentCount)
        owedCount -= sentCount
        drainIfSent()
    }

    /// What was due on a connection that has ended is not sent; what will be falls to the others.
    func forget(_ load: LoadConnection) {
        measurement.leftUnsent(load.owedTimes)
        owedCount -= load.owedTimes.count
        load.owedTimes = []
        guard let index = senders.firstIndex(where: { $0 === load }) else { return }
        senders.remove(at: index)
        if index < startedCount { startedCount -= 1 }
    }

    /// Ends the load when there is nobody left who could send, or receive.
    func drainIfNobodySends() {
        guard phase == .loading, mode != .connect else { return }
        if isWaitingForOthers ? connections.isEmpty : senders.isEmpty { drain() }
    }

    /// Nothing more is sent: what should have been is counted.
    /// - Parameter isCutShort: Whether the run ends now, whatever was still to come.
    func endSchedule(isCutShort: Bool) {
        paceTimer = nil
        for load in senders {
            measurement.leftUnsent(load.owedTimes)
            load.owedTimes = []
        }
        owedCount = 0
        guard schedule != nil else { return }
        let end = isCutShort ? min(now, measurement.sendEnd) : measurement.sendEnd
        _ = schedule?.skip(before: measurement.countStart)
        let count = schedule?.skip(before: end, atMost: remainingMessages) ?? 0
        measurement.tally.unsent += count
        remainingMessages -= count
    }
}
