import WSCore

/// Who is heard when clients fill standard output, or the recording, again and again: whoever has filled it waits until
/// all others have had a turn.
///
/// Which of the clients that are ready is read first is the system's choice, and may always be the same. If that one fills
/// the output each time, all others are paused before they are read, and would never be.
///
///      client 1 ── fills ──► all wait ──► drained: 2 and 3 are read
///      client 2 ── fills ──► all wait ──► drained: 3 is read
///      client 3 ── fills nothing ───────► a turn is over: 1 and 2 are read, too
final class OutputTurns {
    /// Whether clients wait for an output.
    private(set) var isOutputWaitedFor = false

    private unowned let host: any SenderControl
    /// Those that have filled an output and wait for all others.
    private var fillers: Set<Int> = []
    /// Whether it is going to be looked whether all others have had a turn.
    private var isLooking = false
    /// Whether an output has been filled since that was begun.
    private var isRefilled = false

    /// Makes the turns of a run whose outputs are empty.
    init(of host: any SenderControl) {
        self.host = host
    }

    /// An output has been filled by a message of a client.
    func didFill(with client: Int) {
        isOutputWaitedFor = true
        isRefilled = true
        guard fillers.insert(client).inserted else { return }
        host.pauseSender(client, for: .outputTurn)
    }

    /// The outputs have room again.
    func didDrain() {
        isOutputWaitedFor = false
        look()
    }

    private func look() {
        guard !fillers.isEmpty, !isLooking else { return }
        isLooking = true
        isRefilled = false
        host.loop.atEndOfNextTurn(self)
    }
}

extension OutputTurns: EndOfTurnWork {
    /// Goes on with those that have waited for the others, unless one of these has filled the output as well.
    func endTurn() {
        isLooking = false
        guard !isOutputWaitedFor else { return }
        guard !isRefilled else { return look() }
        let clients = fillers
        fillers.removeAll()
        for client in clients { host.resumeSender(client, after: .outputTurn) }
    }
}
