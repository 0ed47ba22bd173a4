/// A load whose messages are answered, each with a latency.
protocol RoundTripWorkload: Workload {
    /// Whether it can be told which message a reply belongs to.
    var identifiesReplies: Bool { get }
}

extension RoundTripWorkload {
    /// Has what is not answered in time followed by other messages.
    func giveUpReplies(before time: UInt64, for worker: LoadWorker) {
        for connection in worker.connections.values {
            let count =
                identifiesReplies ? connection.ledger.giveUp(before: time) : connection.ledger.writeOff(before: time)
            worker.measurement.tally.timeouts += count
            if count > 0, worker.openLoop == nil { worker.fill(connection) }
        }
    }

    func isAnswered(for worker: LoadWorker) -> Bool {
        worker.connections.values.allSatisfy { $0.ledger.unansweredCount == 0 }
    }

    func ended(_ connection: LoadConnection, for worker: LoadWorker) {
        worker.measurement.tally.lost += connection.ledger.unansweredCount(since: worker.measurement.countStart)
    }

    func stopWaiting(isLate: Bool, for worker: LoadWorker) {
        guard isLate else { return }
        worker.measurement.tally.timeouts += worker.connections.values.reduce(0) { $0 + $1.ledger.inFlightCount }
    }
}
