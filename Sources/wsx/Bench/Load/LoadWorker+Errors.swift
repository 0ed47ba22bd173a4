import LoadTest
import WSCore

// Counting errors.
extension LoadWorker {
    /// Counts an error and keeps the first failure.
    func note(_ failure: Failure, counting count: WritableKeyPath<LoadTally, Int>) {
        context.measurement.tally[keyPath: count] += 1
        if self.failure == nil { self.failure = failure }
    }

    /// Counts an unexpected end of a connection.
    func note(prematureEnd end: ConnectionEnd) {
        guard end.violation == nil else { return note(end) }
        let failure = end.closing.received.map { Failure.closed($0) } ?? .lost(end.failure)
        note(failure, counting: \.closedErrors)
    }

    /// Counts the end of a connection if it is a failure.
    func note(_ end: ConnectionEnd) {
        let closeTimeout = settings.arguments.client.limits.closeTimeout
        guard let failure = Failure.failure(of: end, closeTimeout: closeTimeout) else { return }
        switch failure {
        case .violation: note(failure, counting: \.protocolErrors)
        case .closingTimedOut: note(failure, counting: \.timeouts)
        default: note(failure, counting: \.closedErrors)
        }
    }

    /// Counts a failed connection attempt.
    func note(_ error: ConnectError) {
        let failure = Failure.connecting(url: "\(settings.url)", error)
        switch failure.status {
        case .timedOut: note(failure, counting: \.timeouts)
        case .refused, .violation: note(failure, counting: \.handshakeErrors)
        default: note(failure, counting: \.connectErrors)
        }
    }
}
