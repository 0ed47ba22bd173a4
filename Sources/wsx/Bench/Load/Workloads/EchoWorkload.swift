import WSCore

/// Messages that come back as they were sent.
final class EchoWorkload: RoundTripWorkload {
    private var verifier: ReplyVerifier
    private let kind: MessageKind
    private let inFlight: Int

    /// So many messages of a connection or more are remembered where it is by what they are that replies are told apart.
    private static let leastRemembered = 64

    /// Sends a message on all connections.
    /// - Parameter inFlight: How many may be without a reply on a connection of a closed loop.
    init(_ message: consuming EchoMessage, as kind: MessageKind, inFlight: Int) {
        verifier = ReplyVerifier(message)
        self.kind = kind
        self.inFlight = inFlight
    }

    var receiver: LoadReceiver { .echoes(.passUnretained(self)) }
    var identifiesReplies: Bool { verifier.message.isIdentified }

    func makeConnection(_ number: UInt64, for worker: LoadWorker) -> LoadConnection {
        let remembered = verifier.message.isFoundByComparing ? max(inFlight, Self.leastRemembered) : inFlight
        return LoadConnection(number, remembered: remembered, of: worker)
    }

    func hasNext(_ connection: LoadConnection) -> Bool { connection.ledger.inFlightCount < inFlight }

    func send(on connection: LoadConnection, dueAt time: UInt64) -> Bool {
        verifier.message.set(connection.nextStamp(dueAt: time))
        guard verifier.message.withBytes({ connection.send($0, as: kind) }) else { return false }
        connection.ledger.send(at: time)
        return true
    }

    /// Checks a reply, records how long it took, and sends what may follow it.
    @inline(__always)
    func received(
        _ payload: RawSpan, as kind: MessageKind, by connection: LoadConnection, for worker: LoadWorker,
        outbox: inout Outbox
    ) {
        verifier.received(payload, isRightKind: kind == self.kind, by: connection, for: worker)
        guard worker.phase == .loading else { return worker.closeIfAnswered() }
        guard worker.openLoop == nil else { return }
        let now = worker.now
        while worker.remainingMessages > 0, hasNext(connection), now < worker.measurement.sendEnd {
            verifier.message.set(connection.nextStamp(dueAt: now))
            // Not as `send` does: what follows a reply goes to where the answers to a read go.
            guard verifier.message.withBytes({ outbox.send($0, as: self.kind) }) else { break }
            connection.ledger.send(at: now)
            worker.countSent(dueAt: now)
        }
        if worker.remainingMessages == 0 { worker.drainIfSent() }
    }
}
