import WSCore

// What goes one way.
extension LoadWorker {
    /// Sends the next message of a connection, which is due now or was before; false: it takes no more.
    func send(on load: LoadConnection, dueAt time: UInt64) -> Bool {
        guard let connection = load.connection else { return false }
        switch mode {
        case .echo, .send, .receive, .connect:
            message.set(load.nextStamp(dueAt: time))
            guard message.withBytes({ connection.send($0, as: kind) }) else { return false }
        case .idle:
            message.set(load.nextStamp(dueAt: time))
            guard message.withBytes({ connection.sendPing($0) }) else { return false }
        case .broadcast:
            guard publish(on: load, dueAt: time) else { return false }
        }
        switch mode {
        case .echo, .idle: load.ledger.send(at: time)
        case .send, .receive, .connect: load.ledger.sendForNothing()
        case .broadcast: break
        }
        countSent(dueAt: time)
        return true
    }

    /// Counts a message that nothing is known of.
    func receivedMessage() {
        measurement.arrived(at: now)
    }

    /// Asks the server for what is to be received.
    func subscribe() {
        guard !settings.messages.isEmpty else { return }
        for load in senders {
            for _ in settings.messages { _ = send(on: load, dueAt: now) }
        }
    }

    /// Has a connection that takes all it is given send on, after the others have had their turn.
    func sendOn(_ load: LoadConnection) {
        if waitingSenders.isEmpty { loop.atEndOfNextTurn(nextSending) }
        waitingSenders.append(load)
    }
}

/// Goes on sending on connections that have had their part of a turn.
final class LoadSending: EndOfTurnWork {
    private unowned let worker: LoadWorker
    /// Those of this turn; what the array takes is kept for the turn after the next.
    private var loads: [LoadConnection] = []

    /// Makes the work of a worker.
    init(of worker: LoadWorker) {
        self.worker = worker
    }

    /// Sends on.
    func endTurn() {
        swap(&loads, &worker.waitingSenders)
        worker.takeTime()
        for load in loads { worker.refill(load) }
        loads.removeAll(keepingCapacity: true)
        worker.drainIfSent()
    }
}
