import WSCore

/// Compares replies with what was sent, and enters what they are.
struct ReplyVerifier: ~Copyable {
    var message: EchoMessage

    /// A reply that has no number in it is compared with so many messages before and after the one that was expected.
    private static let mostCompared = 256

    /// Makes one for replies to a message.
    init(_ message: consuming EchoMessage) {
        self.message = message
    }

    /// Checks a reply, and records how long it took.
    /// - Parameter isRightKind: Whether it is text or binary as the message was.
    @inline(__always)
    mutating func received(
        _ payload: RawSpan, isRightKind: Bool, by connection: LoadConnection, for worker: LoadWorker
    ) {
        if isRightKind, connection.ledger.expectedCount > 0, message.isEcho(payload, of: connection.expectedStamp) {
            worker.measurement.answered(sentAt: connection.ledger.takeFirst(), now: worker.now)
        } else {
            receivedUnexpected(payload, isRightKind: isRightKind, by: connection, for: worker)
        }
    }

    /// Finds out what a reply is that is not the one that was expected next.
    @inline(never)
    private mutating func receivedUnexpected(
        _ payload: RawSpan, isRightKind: Bool, by connection: LoadConnection, for worker: LoadWorker
    ) {
        guard let found = number(of: payload, isRightKind: isRightKind, by: connection) else {
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
        guard isRightKind, message.isEcho(payload, of: stamp) else {
            return worker.measurement.count(\.mismatched, ofMessageAt: sendTime)
        }
        if answer.isReordered { worker.measurement.count(\.reordered, ofMessageAt: sendTime) }
        worker.measurement.answered(sentAt: sendTime, now: worker.now)
    }

    /// Which message a reply belongs to; nil: that cannot be told.
    private mutating func number(of payload: RawSpan, isRightKind: Bool, by connection: LoadConnection) -> UInt64? {
        guard message.isFoundByComparing else {
            return message.number(in: payload, of: connection.number, expected: connection.ledger.first)
        }
        guard isRightKind else { return nil }
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
}
