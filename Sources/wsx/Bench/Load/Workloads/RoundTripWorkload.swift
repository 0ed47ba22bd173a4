import WSCore

/// Messages that come back, or pings and their pongs: each is compared with what was sent, and has a latency.
final class RoundTripWorkload: Workload {
    /// What makes the round trip.
    enum Carrier {
        case message(MessageKind)
        case ping
    }

    private var message: EchoMessage
    private let carrier: Carrier
    private let kind: MessageKind
    private let inFlight: Int

    /// So many messages of a connection or more are remembered where it is by what they are that replies are told apart.
    private static let leastRemembered = 64
    /// A reply that has no number in it is compared with so many messages before and after the one that was expected.
    private static let mostCompared = 256

    /// Sends a message on all connections.
    /// - Parameter inFlight: How many may be without a reply on a connection of a closed loop.
    init(_ message: consuming EchoMessage, as carrier: Carrier, inFlight: Int) {
        self.message = message
        self.carrier = carrier
        self.inFlight = inFlight
        kind = if case .message(let kind) = carrier { kind } else { .binary }
    }

    var receiver: LoadReceiver {
        switch carrier {
        case .message: .echoes(.passUnretained(self))
        case .ping: .pongs(.passUnretained(self))
        }
    }

    // MARK: Sending

    func makeConnection(_ number: UInt64, for worker: LoadWorker) -> LoadConnection {
        LoadConnection(
            number, remembered: message.isFoundByComparing ? max(inFlight, Self.leastRemembered) : inFlight, of: worker)
    }

    func hasNext(_ connection: LoadConnection) -> Bool { connection.ledger.inFlightCount < inFlight }

    func send(on connection: LoadConnection, dueAt time: UInt64) -> Bool {
        message.set(connection.nextStamp(dueAt: time))
        let isSent = message.withBytes { bytes in
            switch carrier {
            case .message(let kind): connection.send(bytes, as: kind)
            case .ping: connection.sendPing(bytes)
            }
        }
        if isSent { connection.ledger.send(at: time) }
        return isSent
    }

    // MARK: Replies

    /// Checks a reply, records how long it took, and sends what may follow it.
    @inline(__always)
    func received(
        _ payload: RawSpan, as kind: MessageKind, by connection: LoadConnection, for worker: LoadWorker,
        outbox: inout Outbox
    ) {
        if kind == self.kind, connection.ledger.expectedCount > 0,
            message.isEcho(payload, of: connection.expectedStamp)
        {
            worker.measurement.answered(sentAt: connection.ledger.takeFirst(), now: worker.now)
        } else {
            receivedUnexpected(payload, as: kind, by: connection, for: worker)
        }
        guard worker.phase == .loading else { return worker.closeIfAnswered() }
        guard worker.openLoop == nil else { return }
        let now = worker.now
        while worker.remainingMessages > 0, connection.ledger.inFlightCount < inFlight, now < worker.measurement.sendEnd
        {
            message.set(connection.nextStamp(dueAt: now))
            guard message.withBytes({ outbox.send($0, as: self.kind) }) else { break }
            connection.ledger.send(at: now)
            worker.countSent(dueAt: now)
        }
        if worker.remainingMessages == 0 { worker.drainIfSent() }
    }

    /// Takes a pong as the answer to all pings up to its own: only the latest has to be answered (RFC 6455 §5.5.3).
    func receivedPong(
        _ payload: RawSpan, by connection: LoadConnection, for worker: LoadWorker, outbox: inout Outbox
    ) {
        let first = connection.ledger.first
        // A pong that nobody asked for is a sign of life, and no answer (RFC 6455 §5.5.3).
        guard let number = message.number(in: payload, of: connection.number, expected: first),
            number < connection.ledger.next
        else { return }
        while connection.ledger.first < number {
            worker.measurement.answered(sentAt: connection.ledger.takeFirst(), now: worker.now)
        }
        received(payload, as: kind, by: connection, for: worker, outbox: &outbox)
    }

    /// Finds out what a reply is that is not the one that was expected next.
    @inline(never)
    private func receivedUnexpected(
        _ payload: RawSpan, as kind: MessageKind, by connection: LoadConnection, for worker: LoadWorker
    ) {
        guard let found = number(of: payload, as: kind, by: connection) else {
            guard message.isIdentified || connection.ledger.expectedCount > 0 else {
                return countDuplicate(for: worker)
            }
            let sendTime = message.isIdentified ? connection.ledger.replaceOldest() : connection.ledger.takeFirst()
            guard let sendTime else { return countDuplicate(for: worker) }
            return worker.measurement.count(\.mismatched, ofMessageAt: sendTime)
        }
        guard let answer = connection.ledger.take(found) else { return countDuplicate(for: worker) }
        let sendTime = answer.sendTime
        if answer.wasReplaced { worker.measurement.unmatch(messageAt: sendTime) }
        let stamp = EchoMessage.Stamp(number: found, connection: connection.number, time: sendTime)
        guard kind == self.kind, message.isEcho(payload, of: stamp) else {
            return worker.measurement.count(\.mismatched, ofMessageAt: sendTime)
        }
        if answer.isReordered { worker.measurement.count(\.reordered, ofMessageAt: sendTime) }
        worker.measurement.answered(sentAt: sendTime, now: worker.now)
    }

    /// Which message a reply belongs to; nil: that cannot be told.
    private func number(of payload: RawSpan, as kind: MessageKind, by connection: LoadConnection) -> UInt64? {
        guard message.isFoundByComparing else {
            return message.number(in: payload, of: connection.number, expected: connection.ledger.first)
        }
        guard kind == self.kind else { return nil }
        return connection.ledger.likelyNumbers(Self.mostCompared).first { number in
            connection.ledger.sendTime(of: number).map { time in
                message.isEcho(
                    payload, of: EchoMessage.Stamp(number: number, connection: connection.number, time: time))
            } ?? false
        }
    }

    /// Nothing tells when what is doubled was sent.
    private func countDuplicate(for worker: LoadWorker) {
        worker.measurement.count(\.duplicated, ofMessageAt: worker.now)
    }

    // MARK: Waiting

    /// Has what is not answered in time followed by other messages.
    func giveUpReplies(before time: UInt64, for worker: LoadWorker) {
        for connection in worker.connections.values {
            let count =
                message.isIdentified
                ? connection.ledger.giveUp(before: time) : connection.ledger.writeOff(before: time)
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
