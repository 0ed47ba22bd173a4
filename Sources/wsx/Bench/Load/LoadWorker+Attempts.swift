import WSCore

// Connections that are opened to be closed: how fast a server accepts them.
extension LoadWorker {
    /// Begins as many attempts as may be under way at once and are due.
    func attemptDue() {
        while phase == .loading, remainingMessages > 0, connectors.count + connections.count < connectionCount {
            let time = schedule.map { startTime + $0.offset } ?? now
            guard time < sendEnd else { return }
            guard time <= now else { return paceTimer?.start(at: time) ?? () }
            schedule?.advance()
            if isCounted(time) { remainingMessages -= 1 }
            attempt(dueAt: time)
        }
    }

    private func attempt(dueAt time: UInt64) {
        if isCounted(time) {
            latencies.recordSent(at: now)
            if schedule != nil { delays.record(now - time) }
        }
        begunCount += 1
        open(share.connectionNumber(at: begunCount - 1)) { [unowned self] isOpen in
            takeTime()
            if isOpen, isCounted(time) {
                tally.received += 1
                latencies.record(now - time, at: now)
                lastReplyTime = now
            }
            if isCounted(time) { tally.sent += 1 }
        }
    }
}
