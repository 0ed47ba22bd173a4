import WSCore

// Clients that read more slowly than we send.
extension ListenRun {
    /// How long a client that takes nothing may hold up what goes to all before it is closed with 1013…
    static let slowReaderLimit = Duration.seconds(1)
    /// …and one that takes something, but stays behind.
    static let holdLimit = Duration.seconds(5)

    /// Pauses where messages to many clients come from while the queue of one is full: the input, and the sender of the
    /// message that is being handed on, if it is a client's.
    func holdForSlowReaders(_ sender: Connection<ListenClient>? = nil) {
        let now = loop.turnTime
        for (number, connection) in server.connections
        where connection !== sender && connection.isFull && !connection.isClosing && slowReaders[number] == nil {
            slowReaders[number] = SlowReader(unsentBytes: connection.unsentBytes, time: now, fullTime: now)
        }
        guard !slowReaders.isEmpty else { return }
        input?.pause()
        if let sender {
            heldSenders.insert(sender.handler.number)
            sender.pauseReading(for: .slowReader)
        }
        guard slowReaderTimer == nil else { return }
        let timer = Timer(on: loop) { [unowned self] in judgeSlowReaders() }
        slowReaderTimer = timer
        timer.start(after: Self.slowReaderLimit)
    }

    /// Closes the clients that have taken nothing since they were seen last, and those that hold others up for long.
    private func judgeSlowReaders() {
        let now = loop.turnTime
        for (number, last) in slowReaders {
            guard let connection = server.connections[number], !connection.isClosing else {
                slowReaders[number] = nil
                continue
            }
            let unsentBytes = connection.unsentBytes
            let isMoving = unsentBytes < last.unsentBytes
            if isMoving {
                slowReaders[number] = SlowReader(unsentBytes: unsentBytes, time: now, fullTime: last.fullTime)
            }
            let isLate = now - last.fullTime >= Self.holdLimit || (!isMoving && now - last.time >= Self.slowReaderLimit)
            // A client that has the server to itself holds nobody up.
            if isLate, server.connections.count > 1 {
                slowReaders[number] = nil
                let what = isMoving ? "stays behind" : "takes nothing"
                console.notice("Client \(number) \(what) while others wait: closed with 1013")
                close(connection, with: CloseFrame(code: .tryAgainLater, reason: "reading too slowly"))
            }
        }
        goOnAfterSlowReaders()
        if !slowReaders.isEmpty { slowReaderTimer?.start(after: Self.slowReaderLimit) }
    }

    /// A client has room again, or has left.
    func clientDidDrain(_ number: Int) {
        heldSenders.remove(number)
        slowReaders[number] = nil
        goOnAfterSlowReaders()
    }

    private func goOnAfterSlowReaders() {
        guard slowReaders.isEmpty else { return }
        slowReaderTimer = nil
        for number in heldSenders { server.connections[number]?.resumeReading(after: .slowReader) }
        heldSenders = []
        readOn()
    }
}

/// A client whose queue is full.
struct SlowReader {
    /// What it had not taken when it was last seen to take something, in bytes.
    let unsentBytes: Int
    /// When that was.
    let time: Duration
    /// Since when the queue has been full.
    let fullTime: Duration
}
