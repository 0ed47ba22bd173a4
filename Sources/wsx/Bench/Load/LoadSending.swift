import WSCore

/// Goes on sending on connections that have had their part of a turn, after the others have had theirs.
final class LoadSending: EndOfTurnWork {
    private unowned let worker: LoadWorker
    /// Connections that are to send on in the next turn.
    private var waiting: [LoadConnection] = []
    /// Those of this turn; what the array takes is kept for the turn after the next.
    private var connections: [LoadConnection] = []

    /// Makes the work of a worker.
    init(of worker: LoadWorker) {
        self.worker = worker
    }

    /// Has a connection that takes all it is given send on.
    func add(_ connection: LoadConnection) {
        guard !connection.isSendingOn else { return }
        connection.isSendingOn = true
        if waiting.isEmpty { worker.loop.atEndOfNextTurn(self) }
        waiting.append(connection)
    }

    /// Sends on.
    func endTurn() {
        swap(&connections, &waiting)
        worker.takeTime()
        for connection in connections {
            connection.isSendingOn = false
            worker.fill(connection)
        }
        connections.removeAll(keepingCapacity: true)
        worker.drainIfSent()
    }
}
