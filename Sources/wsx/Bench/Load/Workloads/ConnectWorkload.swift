import WSCore

/// Connections that are opened to be closed: how fast a server accepts them.
final class ConnectWorkload: Workload {
    /// The attempts that count and are under way.
    private var attemptCount = 0

    var receiver: LoadReceiver { .nobody }

    // MARK: Connections

    func makeConnection(_ number: UInt64, for worker: LoadWorker) -> LoadConnection {
        let connection = LoadConnection(number, of: worker)
        connection.isClosing = true
        return connection
    }

    func opened(_ connection: LoadConnection, for worker: LoadWorker) {
        worker.close(connection)
    }

    /// There is room for another attempt.
    func ended(_ connection: LoadConnection, for worker: LoadWorker) {
        if worker.phase == .loading { worker.goOnSoon() }
    }

    func isDeserted(for worker: LoadWorker) -> Bool { false }

    // MARK: Attempts

    /// Begins as many attempts as may be under way at once and are due.
    func goOn(for worker: LoadWorker) {
        while worker.remainingMessages > 0,
            worker.opener.openingCount + worker.connections.count < worker.connectionCount,
            let time = nextTime(for: worker)
        {
            attempt(dueAt: time, for: worker)
        }
    }

    /// When the next attempt was or is due; nil: it is not yet, or not any more.
    private func nextTime(for worker: LoadWorker) -> UInt64? {
        guard worker.openLoop == nil else { return worker.takeDue()?.time }
        return worker.now < worker.measurement.sendEnd ? worker.now : nil
    }

    private func attempt(dueAt time: UInt64, for worker: LoadWorker) {
        worker.countSent(dueAt: time)
        if worker.measurement.counts(time) { attemptCount += 1 }
        worker.opener.openNext { [unowned self, unowned worker] number, result in
            worker.takeTime()
            if worker.measurement.counts(time) { attemptCount -= 1 }
            switch result {
            case .success(let opened):
                worker.measurement.answered(sentAt: time, now: worker.now)
                worker.opened(opened, number, countsTime: worker.measurement.counts(time))
            case .failure(let error):
                worker.measurement.failed(attemptedAt: time, now: worker.now)
                worker.note(error)
            }
            worker.goOnSoon()
        }
    }

    // MARK: Replies

    func isAnswered(for worker: LoadWorker) -> Bool {
        worker.opener.openingCount == 0 && worker.connections.isEmpty
    }

    func stopWaiting(isLate: Bool, for worker: LoadWorker) {
        if isLate {
            worker.measurement.tally.timeouts += attemptCount
        } else {
            worker.measurement.tally.lost += attemptCount
        }
        attemptCount = 0
    }
}
