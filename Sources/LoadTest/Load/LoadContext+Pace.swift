import WSCore

// The timing of messages: an open loop sends them when they are due; a closed loop sends one whenever the number of
// messages in flight allows it.
extension LoadContext {
    /// The maximum number of messages sent per turn of the loop. Replies are read between turns.
    internal static let mostInTurn = 4096
    /// The maximum number of messages sent on one connection per turn.
    private static let mostInTurnOfConnection = 256

    /// Starts the load.
    /// - Parameter time: The start on the loop's clock in nanoseconds, which is now or just before.
    package func begin(_ workload: any Workload, at time: UInt64) {
        phase = .loading
        self.workload = workload
        openLoop = plan.schedule(for: shard).map { OpenLoop(Pacer($0, at: time)) }
        // Other modes with a rate record it when a connection is free again.
        measurement.recordsService = openLoop != nil && plan.mode.accepts(.inFlight)
        measurement.needsWaits = measurement.recordsService
        afterReply = plan.changesConnections || plan.pace.think != nil ? .decide : openLoop == nil ? .send : .nothing
        measurement.begin(
            at: time, warmup: plan.warmup, duration: plan.duration, end: workload.measurementEnd,
            stages: plan.allStages)
        measurement.sample(openCount: connections.count, at: time)
        senders = SenderList(
            connections.values.filter {
                workload.isSender($0) && !connections.unready.contains($0.number) && !$0.isClosing
            })
        for connection in senders { beginLifetime(of: connection, at: time) }
        guard plan.connections.lifetime != nil else { return }
        for number in (0..<connectionCount).map({ shard.connectionNumber(at: $0) })
        where connections[number] == nil && connections.reopening[number] == nil {
            reopen(number, after: Self.retryDelay)
        }
    }

    /// Sends the messages that are due, and schedules a wake-up for the next one.
    internal func sendDue() {
        executeAgenda()
        if openLoop == nil { startConnections() } else { sendScheduled() }
    }

    // MARK: Closed loop

    /// Starts the connections that the ramp has reached.
    private func startConnections() {
        let ramp = Double(plan.pace.ramp.nanoseconds) / Double(plan.connections.count)
        while let connection = senders.nextToStart, phase == .loading {
            let time = startTime + UInt64(ramp * Double(connection.number))
            guard time <= now else { return wake(at: time) }
            senders.startNext()
            fill(connection)
        }
    }

    /// Sends messages until the maximum number is in flight or the connection is full.
    package func fill(_ connection: any LoadHandler) {
        guard phase == .loading, now < measurement.sendEnd, connection.state != .pausing, !connection.isRetiring else {
            return
        }
        var count = 0
        while remainingMessages > 0, connection.hasNext {
            // Let the other connections have their turn first.
            guard count < Self.mostInTurnOfConnection else { return host?.fillInNextTurn(connection) ?? () }
            guard connection.send(dueAt: now) else { return }
            countSent(dueAt: now)
            count += 1
        }
    }

    // Two functions rather than one that takes a closure: a closure retains what it refers to for each message.
    /// Returns whether messages may follow a reply at once. Closes connections that wait for their last reply.
    @inline(__always)
    internal func sendsAfterReply(on connection: some LoadHandler) -> Bool {
        guard phase == .loading else {
            host?.closeIfAnswered()
            return false
        }
        return mayContinue(connection)
    }

    /// Returns when the next message that follows a reply is due, which is now, or `nil` if none follows. Begins to wait for
    /// the last replies if all messages are sent.
    @inline(__always)
    internal func timeAfterReply(on connection: some LoadHandler) -> UInt64? {
        guard remainingMessages > 0 else {
            drainIfSent()
            return nil
        }
        return connection.hasNext && now < measurement.sendEnd ? now : nil
    }

    /// Times out replies, and sends other messages in their place.
    package func giveUpReplies(before time: UInt64) {
        for connection in connections.values {
            let count = timeOutReplies(on: connection, before: time)
            if count > 0, mayContinue(connection) { fill(connection) }
        }
    }

    // MARK: Open loop

    private func sendScheduled() {
        // A ping belongs to its connection: the others are not pinged more often if it is not open.
        let isByNumber = plan.changesConnections || plan.isHeartbeat
        var count = 0
        while remainingMessages > 0, !senders.isEmpty || plan.changesConnections {
            guard count < Self.mostInTurn else { return wake(at: now) }
            guard let due = takeDue() else { return }
            count += 1
            if isByNumber {
                sendOrQueue(on: shard.connectionNumber(at: due.position), dueAt: due.time)
            } else {
                sendOrQueue(on: senders[due.position % senders.count], dueAt: due.time)
            }
        }
    }

    /// Takes the next message of the schedule if it is due. Otherwise returns `nil`, and schedules a wake-up if more
    /// messages follow.
    internal func takeDue() -> (time: UInt64, position: Int, wasHeld: Bool)? {
        switch openLoop?.next(by: now, before: measurement.sendEnd) {
        case .over, nil: return nil
        case .later(let time):
            wake(at: time)
            return nil
        case .due(let time, let position, let wasHeld):
            if measurement.counts(time) {
                remainingMessages -= 1
                if !wasHeld { measurement.reached(dueAt: time, now: now) }
            }
            return (time, position, wasHeld)
        }
    }

    /// Attributes the delay of messages that are due by now to the server.
    internal func holdDue() {
        openLoop?.hold(until: now)
    }

    /// Sends a message on the connection with a number. It waits while the connection is opened again, but a connection
    /// that is not open needs no ping.
    private func sendOrQueue(on number: UInt64, dueAt time: UInt64) {
        let index = senders.position(from: number)
        let connection = index < senders.count && senders[index].number == number ? senders[index] : nil
        if plan.isHeartbeat, connection?.isRetiring ?? true { return }
        if let connection {
            sendOrQueue(on: connection, dueAt: time)
        } else if connections.reopening[number] != nil {
            connections.reopening[number]?.append(time)
            openLoop?.backlogCount += 1
        }
    }

    private func sendOrQueue(on connection: any LoadHandler, dueAt time: UInt64) {
        if connection.backlog.isEmpty, send(on: connection, dueAt: time) { return }
        // The queue is full, an iteration is in progress, or the server is closing the connection.
        measurement.count(\.waited, ofMessageAt: time)
        connection.backlog.append(time)
        openLoop?.backlogCount += 1
    }

    private func send(on connection: LoadConnection, dueAt time: UInt64) -> Bool {
        guard !connection.isRetiring, connection.send(dueAt: time) else { return false }
        countSent(dueAt: time)
        return true
    }

    /// Resumes sending on a connection that has room again.
    internal func drained(_ connection: any LoadHandler) {
        guard phase == .loading else { return host?.closeIfAnswered() ?? () }
        guard openLoop != nil else { return host?.fillInNextTurn(connection) ?? () }
        sendBacklog(on: connection)
        drainIfSent()
    }

    /// Continues on a connection that is not receiving.
    package func resume(_ connection: any LoadHandler) {
        connection.finishTurn()
        guard openLoop != nil else { return fill(connection) }
        if phase == .loading { sendBacklog(on: connection) }
    }

    /// Takes the next message of a connection that has become free.
    /// - Returns: The time at which it was due, or `nil` if none is due.
    internal func nextDueTime(of connection: LoadConnection) -> UInt64? {
        guard openLoop != nil else { return remainingMessages > 0 && now < measurement.sendEnd ? now : nil }
        guard !connection.backlog.isEmpty else { return nil }
        openLoop?.backlogCount -= 1
        return connection.backlog.removeFirst()
    }

    /// Sends the messages that wait for room on a connection.
    private func sendBacklog(on connection: any LoadHandler) {
        var sentCount = 0
        for time in connection.backlog {
            guard send(on: connection, dueAt: time) else { break }
            if measurement.needsWaits { connection.keepWait(ofMessageAt: time) }
            sentCount += 1
        }
        connection.backlog.removeFirst(sentCount)
        openLoop?.backlogCount -= sentCount
    }

    // MARK: End

    /// Removes a connection that has ended and counts its waiting messages as unsent. Later messages go to the other
    /// connections.
    package func forget(_ connection: LoadConnection) {
        measurement.leftUnsent(connection.backlog)
        openLoop?.backlogCount -= connection.backlog.count
        connection.backlog = []
        senders.remove(connection)
    }

    /// Ends sending and counts the messages that should have been sent.
    /// - Parameter isCutShort: Whether the run ends early, regardless of messages that are not due yet.
    package func endSending(isCutShort: Bool) {
        measurement.sample(openCount: connections.count, at: now)
        measurement.stop(at: now, isEarly: isCutShort)
        for connection in senders {
            measurement.leftUnsent(connection.backlog)
            connection.backlog = []
        }
        for times in connections.reopening.values { measurement.leftUnsent(times) }
        connections.reopening = [:]
        let end = isCutShort ? min(now, measurement.sendEnd) : measurement.sendEnd
        let count = openLoop?.end(from: measurement.countStart, until: end, atMost: remainingMessages) ?? 0
        measurement.tally.unsent += count
        remainingMessages -= count
        // A closed loop with a number of messages and no other end: no connection was left.
        if openLoop == nil, !isCutShort, plan.duration == nil, let most = plan.messageCount, remainingMessages <= most {
            measurement.tally.unsent += remainingMessages
            remainingMessages = 0
        }
        host?.allIsSent()
    }
}
