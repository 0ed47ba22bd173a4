import WSCore

// What is said to clients as in a recording.
extension ListenRun: ReplayHost {
    /// Whether more can be said to a client.
    func hasRoom(for client: Int) -> Bool {
        server.connections[client].map { !$0.isFull && !$0.handler.hasFullGate } ?? false
    }

    /// Says something to a client.
    func say(_ item: InputItem, _ payload: RawSpan, after pause: Duration, to client: Int) {
        guard let connection = server.connections[client],
            connection.handler.letsThrough(item, payload, after: pause)
        else { return }
        pass(item, payload, to: connection)
    }

    /// Closes a client with the close frame of `--close-after`.
    func closeAfterReplay(_ client: Int) {
        guard let connection = server.connections[client] else { return }
        send(.close(settings.faultClose), RawSpan(), to: connection)
    }

    /// Reads nothing from a client.
    func pauseForReplay(_ client: Int) {
        server.connections[client]?.pauseReading(for: .replay)
    }

    /// Goes on reading from a client.
    func resumeAfterReplay(_ client: Int) {
        server.connections[client]?.resumeReading(after: .replay)
    }
}
