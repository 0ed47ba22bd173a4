import WSCore

/// Gives each client a turn when clients repeatedly fill standard output or the recording: a client that has filled an
/// output waits until all others have been read.
///
/// The operating system chooses which ready client is read first, and may always choose the same one. If that client
/// filled the output each time, all others would be paused before they are read, forever.
///
///      client 1 ── fills ──► all wait ──► drained: 2 and 3 are read
///      client 2 ── fills ──► all wait ──► drained: 3 is read
///      client 3 ── fills nothing ───────► the round ends: 1 and 2 are read, too
final class OutputTurns {
    /// Whether clients are waiting for an output.
    private(set) var isOutputWaitedFor = false

    private unowned let host: any SenderControl
    /// The clients that have filled an output and wait for the others.
    private var fillers: Set<Int> = []
    /// Whether a check for the end of the round is scheduled.
    private var isLooking = false
    /// Whether an output has been filled since the check was scheduled.
    private var isRefilled = false

    /// Creates the turns for a run with empty outputs.
    init(of host: any SenderControl) {
        self.host = host
    }

    /// Reports that a client's message has filled an output.
    func didFill(with client: Int) {
        isOutputWaitedFor = true
        isRefilled = true
        guard fillers.insert(client).inserted else { return }
        host.pauseSender(client, for: .outputTurn)
    }

    /// Reports that the outputs have room again.
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
    /// Resumes the waiting clients, unless another client has filled an output meanwhile.
    func endTurn() {
        isLooking = false
        guard !isOutputWaitedFor else { return }
        guard !isRefilled else { return look() }
        let clients = fillers
        fillers.removeAll()
        for client in clients { host.resumeSender(client, after: .outputTurn) }
    }
}
