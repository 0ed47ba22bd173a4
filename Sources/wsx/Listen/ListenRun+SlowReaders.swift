import WSCore

// Clients that read more slowly than we send.
extension ListenRun {
    /// How long a client that takes nothing may hold up what goes to all before it is closed with 1013.
    static let slowReaderLimit = Duration.seconds(5)

    /// Pauses the input while a client's queue is full, and closes one that takes nothing meanwhile.
    func holdInputForSlowReaders() {
        let now = loop.turnTime
        for connection in slowReaders {
            let queuedBytes = connection.queuedBytes
            guard let last = connection.handler.lastFull, last.queuedBytes <= queuedBytes else {
                connection.handler.lastFull = (queuedBytes, now)
                continue
            }
            // A client that has the server to itself holds nobody up.
            if now - last.time >= Self.slowReaderLimit, server.connections.count > 1 {
                connection.handler.isGivenUp = true
                close(connection, with: CloseFrame(code: .tryAgainLater, reason: "reading too slowly"))
            }
        }
        guard !slowReaders.isEmpty else { return readOn() }
        input?.pause()
        guard slowReaderTimer == nil else { return }
        let timer = Timer(on: loop) { [unowned self] in
            slowReaderTimer = nil
            holdInputForSlowReaders()
        }
        slowReaderTimer = timer
        timer.start(after: Self.slowReaderLimit)
    }

    private var slowReaders: [Connection<ListenClient>] {
        server.connections.values.filter { $0.isFull && !$0.handler.isGivenUp }
    }

    /// Goes on with the input when all clients have room.
    func clientDidDrain() {
        guard slowReaders.isEmpty else { return }
        slowReaderTimer = nil
        readOn()
    }
}
