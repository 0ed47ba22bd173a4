import WSCore

/// The connections that do not take part in the load yet.
package struct LoadArrivals {
    /// The numbers of the connections on which the server is not ready yet.
    package internal(set) var unready: Set<UInt64> = []
    /// The numbers of the connections that are being opened during the load, with the due times of messages that wait
    /// for them.
    internal var reopening: [UInt64: [UInt64]] = [:]
    /// The connections that have ended, by number. The next one with the number continues where the last one ended.
    fileprivate var earlier: [UInt64: EarlierConnections] = [:]
}

/// The connections with the same number that have ended.
internal struct EarlierConnections {
    /// The number of connections.
    fileprivate(set) var count: UInt64 = 0
    /// The number of messages of the load that they have sent, rounded up to a multiple of the number of templates.
    fileprivate(set) var messageCount: UInt64 = 0
    /// The number of messages that they have sent automatically.
    fileprivate(set) var automaticCount: UInt64 = 0
}

// Connections that are opened during the load, usually in place of one with the same number that has ended.
//
//      ended ─► reopen ─► the host opens it ─► readiness ─► enter: it sends
//                ▲               │ failed, again after 1 s
//                └───────────────┘
extension LoadContext {
    /// The time between attempts to open a connection.
    package static let retryDelay = Duration.seconds(1)

    /// Opens a connection again under its number. The new one also sends the messages that the old one owes. Does
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
        arrivals.reopening[number, default: []] += times
        host?.reopen(number, after: delay)
    }

    /// The number of connections that are being opened during the load, or whose server is not ready yet.
    package var reopeningCount: Int { arrivals.reopening.count }

    // MARK: Numbers

    /// The connections with a number that have ended.
    internal func earlier(_ number: UInt64) -> EarlierConnections { arrivals.earlier[number] ?? EarlierConnections() }

    /// The seed of the random values on a connection. The connections with a number have different ones.
    internal func seed(of number: UInt64) -> UInt64 { number ^ earlier(number).count << 40 }

    /// Remembers a connection that has ended and may be opened again. A server may store what it receives, so the
    /// messages under one number must not repeat.
    internal func remember(_ connection: LoadConnection) {
        guard phase != .closing, phase != .over else { return }
        // The next connection begins with the first template again.
        let templateCount = UInt64(max(1, plan.messages.templates.count))
        let rest = connection.messageCount % templateCount
        var earlier = earlier(connection.number)
        earlier.count += 1
        earlier.messageCount = connection.messageCount + (rest > 0 ? templateCount - rest : 0)
        earlier.automaticCount = connection.pipeline?.automaticCount ?? 0
        arrivals.earlier[connection.number] = earlier
    }

    // MARK: Readiness

    /// Handles a server that is ready.
    internal func becameReady(_ connection: LoadConnection) {
        measurement.loggedIn(nanoseconds: now - connection.openTime)
        arrivals.unready.remove(connection.number)
        guard phase == .opening else { return enterIfReady(connection) }
        if arrivals.unready.isEmpty { host?.wakeSoon() }
    }

    /// Stops waiting for the server of a connection.
    package func stopAwaiting(_ connection: LoadConnection) {
        arrivals.unready.remove(connection.number)
    }

    /// Lets a connection that was opened during the load take part in it, unless its server is not ready yet.
    package func enterIfReady(_ connection: LoadConnection) {
        let number = connection.number
        guard !arrivals.unready.contains(number), let connection = connections[number],
            let backlog = arrivals.reopening.removeValue(forKey: number)
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
