import WSCore

/// The clients whose queues are full while others wait for them.
///
/// What goes to all waits for the slowest, but not for long: a client that takes nothing, or stays behind, is closed with
/// 1013, and nobody has lost anything by it.
final class SlowReaders {
    private unowned let run: ListenRun
    /// By their numbers.
    private var readers: [Int: Reader] = [:]
    /// The clients that wait for these, because their messages go to all.
    private var heldSenders: Set<Int> = []
    private var timer: Timer?
    /// How long a client that takes nothing may hold up what goes to all.
    private var patience = Patience()
    /// One that takes something, but stays behind, may do so for so many times as long.
    private static let holdFactor = 5

    private struct Reader {
        /// What it had not taken when it was last seen to take something, in bytes.
        var unsentBytes: Int
        /// When that was.
        var time: Duration
        /// Since when the queue has been full.
        let fullTime: Duration
    }

    /// Whether nobody is waited for.
    var isEmpty: Bool { readers.isEmpty }

    /// Makes the slow readers of a run that has none yet.
    init(of run: ListenRun) {
        self.run = run
    }

    /// Pauses where messages to many clients come from while the queue of one is full: the input, and the sender of the
    /// message that is being handed on, if it is a client's.
    func hold(_ sender: Connection<ListenClient>? = nil) {
        let now = run.loop.turnTime
        for (number, connection) in run.server.connections
        where connection !== sender && connection.isFull && !connection.isClosing && readers[number] == nil {
            readers[number] = Reader(unsentBytes: connection.unsentBytes, time: now, fullTime: now)
        }
        guard !readers.isEmpty else { return }
        run.input?.pause()
        if let sender {
            heldSenders.insert(sender.handler.number)
            sender.pauseReading(for: .slowReader)
        }
        guard timer == nil else { return }
        let timer = Timer(on: run.loop) { [unowned self] in judge() }
        self.timer = timer
        patience.recover(at: now)
        timer.start(after: patience.duration)
    }

    /// A client has room again, or has left.
    func clientDidDrain(_ number: Int) {
        readers[number] = nil
        goOn()
    }

    /// Closes the clients that have taken nothing since they were seen last, and those that hold others up for long.
    private func judge() {
        var hasClosed = false
        for (number, reader) in readers {
            guard let connection = run.server.connections[number], !connection.isClosing else {
                readers[number] = nil
                continue
            }
            // A client that has the server to itself holds nobody up.
            guard let fault = look(at: reader, number, connection), run.server.connections.count > 1 else { continue }
            readers[number] = nil
            run.console.notice("Client \(number) \(fault) while others wait: closed with 1013")
            run.close(connection, with: CloseFrame(code: .tryAgainLater, reason: "reading too slowly"))
            hasClosed = true
        }
        // Those that are closed together have held up nobody longer than one has.
        if hasClosed { patience.lose(at: run.loop.turnTime) }
        goOn()
        if !readers.isEmpty { timer?.start(after: patience.duration) }
    }

    /// What a client is to be closed for; nil: nothing yet.
    private func look(at reader: Reader, _ number: Int, _ connection: Connection<ListenClient>) -> String? {
        let now = run.loop.turnTime
        let unsentBytes = connection.unsentBytes
        let isMoving = unsentBytes < reader.unsentBytes
        if isMoving {
            readers[number]?.unsentBytes = unsentBytes
            readers[number]?.time = now
        }
        if now - reader.fullTime >= patience.duration * Self.holdFactor {
            return isMoving ? "stays behind" : "takes nothing"
        }
        return !isMoving && now - reader.time >= patience.duration ? "takes nothing" : nil
    }

    private func goOn() {
        guard readers.isEmpty else { return }
        timer = nil
        for number in heldSenders { run.server.connections[number]?.resumeReading(after: .slowReader) }
        heldSenders = []
        run.readOn()
    }
}
