import WSCore

// Deadlines of connections: of their application protocol, and of the steps of their scenario.
extension LoadContext {
    /// Calls ``LoadConnection/timePassed()`` at the deadline of a connection.
    internal func awaitDeadline(of connection: LoadConnection) {
        guard let deadline = connection.deadline, deadline < connection.awaitedDeadline else { return }
        connection.awaitedDeadline = deadline
        let isEarliest = deadline < deadlines.earliest ?? .max
        deadlines.add(connection.number, at: deadline)
        if isEarliest { host?.wakeAtDeadline(deadline) }
    }

    /// Handles the deadlines that have passed. Called at the time requested with ``LoadHost/wakeAtDeadline(_:)``, in any
    /// phase.
    package func deadlinePassed() {
        while let entry = deadlines.takeDue(by: now) {
            guard let connection = connections[entry.item], connection.awaitedDeadline == entry.time else { continue }
            connection.awaitedDeadline = .max
            // The connection may have a later deadline now.
            connection.timePassed()
            awaitDeadline(of: connection)
        }
        if let time = deadlines.earliest { host?.wakeAtDeadline(time) }
    }
}
