import WSCore

// What messages for all clients have wait.
extension ListenRun: BroadcastHost {
    /// How many clients there are.
    var clientCount: Int { server.connections.count }

    /// The clients whose queues are full.
    func fullReaders(but sender: Int?) -> [Int] {
        var readers: [Int] = []
        for (number, connection) in server.connections
        where number != sender && connection.isFull && !connection.isClosing {
            readers.append(number)
        }
        return readers
    }

    /// What a client has not taken.
    func unsentBytes(of reader: Int) -> Int? {
        server.connections[reader].flatMap { $0.isClosing ? nil : $0.unsentBytes }
    }

    /// Has a client wait, or the input.
    func pauseSender(_ sender: Int?, for reason: PauseReasons) {
        if let sender { server.connections[sender]?.pauseReading(for: reason) } else { input?.pause() }
    }

    /// Has it go on.
    func resumeSender(_ sender: Int?, after reason: PauseReasons) {
        if let sender { server.connections[sender]?.resumeReading(after: reason) } else { readOn() }
    }

    /// Closes a client with 1013.
    func close(slowReader reader: Int, because fault: String) {
        guard let connection = server.connections[reader] else { return }
        console.notice("Client \(reader) \(fault) while others wait: closed with 1013")
        close(connection, with: CloseFrame(code: .tryAgainLater, reason: "reading too slowly"))
    }
}
