import WSCore

/// Connections that are kept open, with a ping on each now and then, which has a schedule.
final class PingWorkload: RoundTripWorkload {
    private var verifier: ReplyVerifier

    /// Sends a message as pings.
    init(_ message: consuming EchoMessage) {
        verifier = ReplyVerifier(message)
    }

    var receiver: LoadReceiver { .pongs(.passUnretained(self)) }
    var identifiesReplies: Bool { verifier.message.isIdentified }

    func send(on connection: LoadConnection, dueAt time: UInt64) -> Bool {
        verifier.message.set(connection.nextStamp(dueAt: time))
        guard verifier.message.withBytes({ connection.sendPing($0) }) else { return false }
        connection.ledger.send(at: time)
        return true
    }

    /// Takes a pong as the answer to all pings up to its own: only the latest has to be answered (RFC 6455 §5.5.3).
    func received(_ payload: RawSpan, by connection: LoadConnection, for worker: LoadWorker) {
        let first = connection.ledger.first
        // A pong that nobody asked for is a sign of life, and no answer (RFC 6455 §5.5.3).
        guard let number = verifier.message.number(in: payload, of: connection.number, expected: first),
            number < connection.ledger.next
        else { return }
        while connection.ledger.first < number {
            worker.measurement.answered(sentAt: connection.ledger.takeFirst(), now: worker.now)
        }
        verifier.received(payload, isRightKind: true, by: connection, for: worker)
        if worker.phase != .loading { worker.closeIfAnswered() }
    }
}
