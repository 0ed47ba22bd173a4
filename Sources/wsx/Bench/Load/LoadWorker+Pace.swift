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
    func continueLoad() {
        takeTime()
        switch mode {
        case .connect: attemptDue()
        case .receive: subscribe()
        case .echo, .send, .broadcast, .idle: if openLoop == nil { startConnections() } else { sendDue() }
        }
        drainIfSent()
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
        while remainingMessages > 0, !senders.isEmpty {
            guard count < Self.mostInTurn else { return paceTimer?.start(at: now) ?? () }
            switch openLoop?.next(by: now, before: measurement.sendEnd) {
            case .over, nil: return
            case .later(let time): return paceTimer?.start(at: time) ?? ()
            case .due(let time, let position, let wasHeld):
                count += 1
                if measurement.counts(time) {
                    remainingMessages -= 1
                    if !wasHeld { measurement.reached(dueAt: time, now: now) }
                }
                sendOrOwe(on: senders[position % senders.count], dueAt: time)
            }
        }
    }

    private func sendOrOwe(on load: LoadConnection, dueAt time: UInt64) {
        if load.owedTimes.isEmpty, load.connection?.isFull == false, send(on: load, dueAt: time) { return }
        // There is no room, or the server is closing the connection.
        load.owedTimes.append(time)
        openLoop?.owe()
    }

    /// A connection whose queue was full has room again.
    func drained(_ load: LoadConnection) {
        guard phase == .loading else { return closeIfAnswered() }
        takeTime()
        guard openLoop != nil else { return mode == .receive ? () : sendOn(load) }
        var sentCount = 0
        for time in load.owedTimes {
            guard load.connection?.isFull == false, send(on: load, dueAt: time) else { break }
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
        let end = isCutShort ? min(now, measurement.sendEnd) : measurement.sendEnd
        let count = openLoop?.end(from: measurement.countStart, until: end, atMost: remainingMessages) ?? 0
        measurement.tally.unsent += count
        remainingMessages -= count
    }
}
