import WSCore

/// The state of pauses, lifetimes, and stages in a thread.
internal struct LoadShape {
    /// What to do on a connection.
    fileprivate enum Action {
        /// Send the next message after a pause.
        case proceed
        /// Close the connection at the end of its lifetime, after its outstanding reply.
        case retire
        /// Close the connection now.
        case close
    }

    /// What to do on connections later.
    fileprivate var agenda = TimeQueue<(action: Action, connection: any LoadHandler)>()
    /// The number of connections that are active in the current stage.
    fileprivate var activeCount = 0
    /// When that number may change, on the loop's clock in nanoseconds.
    fileprivate var changeTime: UInt64 = .max
    /// Chooses pauses and lifetimes, which repeat in every run.
    fileprivate var random: SeededRandom

    init(of shard: Shard) {
        random = SeededRandom(seed: UInt64(shard.index))
    }

    /// When something has to be done next, on the loop's clock in nanoseconds.
    fileprivate var nextTime: UInt64 { min(changeTime, agenda.earliest ?? .max) }
}

// The shape of a load: pauses between messages, lifetimes of connections, and stages.
//
//      open ─► active ◄─► pause
//                │ end of its lifetime, or a stage with fewer connections
//                ▼
//            retiring ─► closing ─► ended ─► open again, if it is still active
//             until its outstanding reply
extension LoadContext {
    // MARK: Agenda

    /// Executes due entries, with a limit per turn, and schedules a wake-up for the next entry.
    internal func executeAgenda() {
        moveToStage()
        var count = 0
        while count < Self.mostInTurn, let (_, (action, connection)) = shape.agenda.takeDue(by: now) {
            count += 1
            switch action {
            case .proceed:
                if connection.state == .pausing { connection.state = .active }
                fill(connection)
            case .retire: retire(connection)
            case .close: closeIfRetired(connection)
            }
        }
        if shape.nextTime < .max { host?.wake(at: shape.nextTime) }
    }

    /// Schedules a wake-up for the pace. The agenda may need an earlier one.
    internal func wake(at time: UInt64) {
        host?.wake(at: min(time, shape.nextTime))
    }

    private func add(_ action: LoadShape.Action, on connection: any LoadHandler, at time: UInt64) {
        let isEarliest = time < shape.nextTime
        shape.agenda.add((action, connection), at: time)
        // The wake-up of the pace is not known here; the next turn schedules the earlier of both.
        if isEarliest { host?.wakeSoon() }
    }

    private func randomTime(in range: ClosedRange<Duration>) -> UInt64 {
        UInt64.random(in: range.lowerBound.nanoseconds...range.upperBound.nanoseconds, using: &shape.random)
    }

    // MARK: Pauses

    /// Whether the next message of a closed loop follows a reply at once.
    @inline(__always)
    internal func mayContinue(_ connection: any LoadHandler) -> Bool {
        afterReply == .send || afterReply == .decide && staysBusy(connection) && openLoop == nil
    }

    /// Whether a connection may send its next message after a reply, instead of pausing or closing.
    internal func staysBusy(_ connection: any LoadHandler) -> Bool {
        guard afterReply == .decide else { return true }
        guard !connection.isRetiring else {
            // Not in this turn, because the connection may be receiving.
            if connection.inFlightCount == 0 { add(.close, on: connection, at: now) }
            return false
        }
        guard let pause = plan.pace.think else { return true }
        guard connection.hasNext, connection.state == .active else { return false }
        connection.state = .pausing
        add(.proceed, on: connection, at: now + randomTime(in: pause))
        return false
    }

    // MARK: Lifetimes

    /// Begins the lifetime of a connection that takes part in the load.
    internal func beginLifetime(of connection: any LoadHandler, at time: UInt64) {
        if !isActive(connection.number) {
            // The number of connections fell while it was being opened.
            add(.retire, on: connection, at: time)
        } else if let lifetime = plan.connections.lifetime {
            add(.retire, on: connection, at: time + randomTime(in: lifetime))
        }
    }

    private func retire(_ connection: LoadConnection) {
        if !connection.isClosing { connection.state = .retiring }
        closeIfRetired(connection)
    }

    /// Closes a retiring connection if no reply is outstanding. Otherwise the reply, or its timeout, closes it.
    private func closeIfRetired(_ connection: LoadConnection) {
        guard connection.state == .retiring, connection.inFlightCount == 0, connection.port != nil else { return }
        host?.close(connection)
    }

    /// Opens a connection that has ended again, at once after its lifetime, and later if it was lost.
    internal func replace(_ connection: LoadConnection) {
        guard plan.changesConnections else { return }
        remember(connection)
        guard isActive(connection.number) else { return connections.reopening[connection.number] = nil }
        reopen(connection, after: connection.isRetiring ? .zero : Self.retryDelay)
    }

    // MARK: Stages

    private func isActive(_ number: UInt64) -> Bool {
        plan.connections.stages == nil || number < shard.connectionNumber(at: shape.activeCount)
    }

    /// Whether a connection still has to be opened.
    package func stillNeeds(_ number: UInt64) -> Bool {
        if !isActive(number) { connections.reopening[number] = nil }
        return isActive(number)
    }

    /// Opens and closes connections to reach the number of the current stage.
    private func moveToStage() {
        guard let stages = plan.connections.stages else { return }
        let time = now - startTime
        let count = stages.activeCount(at: time, of: shard)
        while shape.activeCount < count {
            shape.activeCount += 1
            activate(shard.connectionNumber(at: shape.activeCount - 1))
        }
        while shape.activeCount > count {
            shape.activeCount -= 1
            if let connection = connections[shard.connectionNumber(at: shape.activeCount)] { retire(connection) }
        }
        let change = stages.nextChange(from: time, activeCount: count, of: shard)
        shape.changeTime = change.map { startTime + $0 } ?? .max
    }

    private func activate(_ number: UInt64) {
        guard let connection = connections[number] else {
            if connections.reopening[number] == nil { reopen(number, after: .zero) }
            return
        }
        // A connection that is already closing is opened again after its end.
        guard !connection.isClosing else { return }
        if connection.state == .retiring { connection.state = .active }
        host?.fillInNextTurn(connection)
    }
}
