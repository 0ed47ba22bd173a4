import WSCore

/// What messages for all clients may take of a turn of the loop: a read full of small ones for thousands of clients would
/// keep everybody else waiting.
///
///      client, input ── message, message, … ──► all clients      until its budget is spent
///      client, input ── (paused)                                 until the next turn
final class BroadcastBudget {
    private unowned let run: ListenRun
    /// The client whose messages are being handed on; nil: the input's are.
    private var sender: Int?
    private var turn: UInt64 = 0
    /// What is left of its budget.
    private var leftBytes = turnBytes
    private var pausedSenders: [Int] = []
    /// Whether the input has to wait.
    private(set) var holdsInput = false

    /// What one sender's messages may come to in a turn, in bytes: about two milliseconds of one core.
    static let turnBytes = 16 << 20
    /// What a message costs beside its own bytes, once and for each client: it takes as long as copying so many.
    static let bytesPerMessage = 4 << 10
    static let bytesPerClient = 256

    /// Makes the budget of a run.
    init(of run: ListenRun) {
        self.run = run
    }

    /// Counts a message that has been handed to all clients, and has its sender wait for the next turn when that is enough
    /// for this one.
    /// - Parameter connection: The sender's; nil: it is the input's.
    func spend(_ payload: RawSpan, from connection: Connection<ListenClient>?) {
        let sender = connection?.handler.number
        if sender != self.sender || turn != run.loop.turnCount {
            self.sender = sender
            turn = run.loop.turnCount
            leftBytes = Self.turnBytes
        }
        leftBytes -= Self.bytesPerMessage + (payload.byteCount + Self.bytesPerClient) * run.server.connections.count
        if leftBytes <= 0 { pause(connection) }
    }

    private func pause(_ connection: Connection<ListenClient>?) {
        leftBytes = Self.turnBytes
        if pausedSenders.isEmpty, !holdsInput { run.loop.atEndOfNextTurn(self) }
        if let connection {
            connection.pauseReading(for: .turn)
            pausedSenders.append(connection.handler.number)
        } else {
            run.input?.pause()
            holdsInput = true
        }
    }
}

extension BroadcastBudget: EndOfTurnWork {
    /// Goes on with those that had to wait.
    func endTurn() {
        let senders = pausedSenders
        pausedSenders.removeAll()
        for number in senders { run.server.connections[number]?.resumeReading(after: .turn) }
        guard holdsInput else { return }
        holdsInput = false
        run.readOn()
    }
}
