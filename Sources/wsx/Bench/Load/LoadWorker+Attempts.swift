import WSCore

// Connections that are opened to be closed: how fast a server accepts them.
extension LoadWorker {
    /// Begins as many attempts as may be under way at once and are due.
    func attemptDue() {
        while phase == .loading, remainingMessages > 0, connectors.count + connections.count < connectionCount {
            let time = schedule.map { startTime + $0.offset } ?? now
            guard time < measurement.sendEnd else { return }
            guard time <= now else { return paceTimer?.start(at: time) ?? () }
            schedule?.advance()
            if measurement.counts(time) { remainingMessages -= 1 }
            attempt(dueAt: time)
        }
    }

    private func attempt(dueAt time: UInt64) {
        if measurement.sent(dueAt: time, now: now), schedule != nil { measurement.reached(dueAt: time, now: now) }
        begunCount += 1
        open(share.connectionNumber(at: begunCount - 1), dueAt: time) { [unowned self] isOpen in
            takeTime()
            if isOpen {
                measurement.answered(sentAt: time, now: now)
            } else {
                measurement.failed(attemptedAt: time, now: now)
            }
        }
    }
}
