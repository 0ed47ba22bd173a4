import WSCore

// Connections that are opened during the load, usually in place of one with the same number that has ended.
//
//      ended ─► reopen ─► the host opens it ─► readiness ─► enter: it sends
//                ▲               │ failed, again after 1 s
//                └───────────────┘
extension LoadContext {
    /// The time between attempts to open a connection.
    package static let retryDelay = Duration.seconds(1)

    /// Opens a connection again under its number. The new one also sends the messages that wait for the old one. Does
    /// nothing after the end of sending.
    ///
    /// A workload calls it in ``Workload/ended(_:)``.
    /// - Parameter delay: The time before the attempt.
    package func reopen(_ connection: LoadConnection, after delay: Duration) {
        reopen(connection.number, backlog: connection.backlog, after: delay)
        connection.backlog = []
    }

    /// Opens the connection with a number, which must not be open. Does nothing before the load and after the end of
    /// sending.
    /// - Parameters:
    ///   - times: The due times of messages that wait for it.
    ///   - delay: The time before the attempt.
    package func reopen(_ number: UInt64, backlog times: [UInt64] = [], after delay: Duration) {
        guard phase == .ready || phase == .loading else { return }
        connections.reopening[number, default: []] += times
        host?.reopen(number, after: delay)
    }

    /// Remembers a connection that has ended and may be opened again.
    internal func remember(_ connection: LoadConnection) {
        guard phase != .closing, phase != .over else { return }
        connections.remember(connection, templateCount: plan.messages.templates.count)
    }

    // MARK: Readiness

    /// Handles a server that is ready.
    internal func becameReady(_ connection: LoadConnection) {
        measurement.loggedIn(nanoseconds: now - connection.openTime)
        connections.unready.remove(connection.number)
        guard phase == .opening else { return enterIfReady(connection) }
        if connections.unready.isEmpty { host?.wakeSoon() }
    }

    /// Stops waiting for the server of a connection.
    package func stopAwaiting(_ connection: LoadConnection) {
        connections.unready.remove(connection.number)
    }

    /// Lets a connection that was opened during the load take part in it, unless its server is not ready yet.
    package func enterIfReady(_ connection: LoadConnection) {
        let number = connection.number
        guard !connections.unready.contains(number), let connection = connections[number],
            let backlog = connections.reopening.removeValue(forKey: number)
        else { return }
        // Before the load, there is no backlog, and the start of the load finds all connections.
        guard phase == .loading, workload?.isSender(connection) == true else { return }
        connection.backlog = backlog
        let hasStarted = senders.insert(connection)
        beginLifetime(of: connection, at: now)
        // It may be receiving, so it sends in the next turn.
        if openLoop != nil || hasStarted { host?.fillInNextTurn(connection) }
        // Starts it when the ramp reaches it, and the schedule if there was no sender.
        host?.wakeSoon()
    }
}
