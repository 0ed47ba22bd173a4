import WSCore

/// A connection on which each message is answered, with a latency.
package class RoundTripConnection: LoadConnection {
    /// The unanswered messages.
    internal final var ledger: EchoLedger
    /// Whether the message of a reply can be identified.
    private let identifiesReplies: Bool
    /// Whether a reply identifies its message even after others were lost.
    fileprivate let hasUniqueMessages: Bool

    /// Prepares a connection.
    /// - Parameters:
    ///   - remembered: The initial capacity for unanswered messages; at least 1.
    ///   - identity: What replies have in common with their messages.
    internal init(
        _ number: UInt64, remembered: Int, identity: EchoMessage.Identity = .none, in context: LoadContext
    ) {
        ledger = EchoLedger(capacity: remembered, from: context.connections.earlier(number).messageCount)
        identifiesReplies = identity != .none
        hasUniqueMessages = identity == .unique
        super.init(number, in: context)
    }

    /// The oldest unanswered message. There must be one.
    @inline(__always)
    internal final var expectedStamp: EchoMessage.Stamp {
        EchoMessage.Stamp(number: ledger.first, connection: number, time: ledger.firstTime)
    }

    /// The next message.
    @inline(__always)
    internal final func nextStamp(dueAt time: UInt64) -> EchoMessage.Stamp {
        EchoMessage.Stamp(number: ledger.next, connection: number, time: time)
    }

    override internal var messageCount: UInt64 { ledger.next }

    override internal func giveUpReplies(before time: UInt64) -> Int {
        identifiesReplies ? ledger.giveUp(before: time) : ledger.writeOff(before: time)
    }

    override internal var isAnswered: Bool { ledger.unansweredCount == 0 }
    override internal var inFlightCount: Int { ledger.inFlightCount }
    override internal func unansweredCount(since time: UInt64) -> Int { ledger.unansweredCount(since: time) }
}

/// Compares replies with the sent messages and counts the outcomes.
internal struct ReplyVerifier: ~Copyable {
    var message: EchoMessage
    /// The number of replies of this read that have not been recorded. Their messages were due at the same time.
    private var unrecordedCount = 0
    private var unrecordedTime: UInt64 = 0

    /// The number of messages before and after the expected one that a reply without a number is compared with.
    private static let mostCompared = 256

    /// Creates a verifier for replies to a message.
    init(_ message: consuming EchoMessage) {
        self.message = message
    }

    /// Checks a reply, which may be a record of a message, and records its latency.
    /// - Parameter isRightKind: Whether the reply has the kind of the message: text or binary.
    @inline(__always)
    mutating func check(
        _ payload: RawSpan, isRightKind: Bool, by connection: RoundTripConnection, in context: LoadContext
    ) {
        if isRightKind, isNext(payload, on: connection) {
            answered(messageAt: connection.ledger.takeFirst(), on: connection, in: context)
        } else {
            receivedUnexpected(payload, isRightKind: isRightKind, by: connection, in: context)
        }
    }

    /// Records a correct reply, or counts it for ``recordReplies(on:in:)``.
    @inline(__always)
    private mutating func answered(
        messageAt time: UInt64, on connection: RoundTripConnection, in context: LoadContext
    ) {
        guard connection.hasUniqueMessages else {
            return context.answered(
                inOrderOn: connection, sentAt: time, isLast: connection.ledger.unansweredCount == 0)
        }
        if time != unrecordedTime {
            recordReplies(on: connection, in: context)
            unrecordedTime = time
        }
        unrecordedCount &+= 1
    }

    /// Records the latencies of the replies that have been counted. To be called at the end of a read.
    @inline(never)
    mutating func recordReplies(on connection: RoundTripConnection, in context: LoadContext) {
        guard unrecordedCount > 0 else { return }
        if !context.measurement.answered(unrecordedCount, sentAt: unrecordedTime, now: context.now) {
            recordEach(on: connection, in: context)
        }
        unrecordedCount = 0
    }

    @inline(never)
    private func recordEach(on connection: RoundTripConnection, in context: LoadContext) {
        for _ in 0..<unrecordedCount {
            context.measurement.answered(
                on: connection.number, sentAt: unrecordedTime,
                after: connection.takeWait(ofMessageAt: unrecordedTime), now: context.now)
        }
    }

    /// Whether a reply has the content of the oldest unanswered message.
    @inline(__always)
    mutating func isNext(_ payload: RawSpan, on connection: RoundTripConnection) -> Bool {
        connection.ledger.expectedCount > 0
            && message.isEcho(payload, of: connection.expectedStamp, connection.ledger.firstWords)
    }

    /// Classifies a reply that does not equal the expected one.
    @inline(never)
    private mutating func receivedUnexpected(
        _ payload: RawSpan, isRightKind: Bool, by connection: RoundTripConnection, in context: LoadContext
    ) {
        // Something is missing, or too much.
        if !connection.hasUniqueMessages {
            if connection.isAnswered { context.surplus(on: connection) } else { context.doubt(connection) }
        }
        guard let found = number(of: payload, isRightKind: isRightKind, by: connection) else {
            guard message.isIdentified || connection.ledger.expectedCount > 0 else {
                return countDuplicate(in: context)
            }
            let sendTime = message.isIdentified ? connection.ledger.replaceOldest() : connection.ledger.takeFirst()
            guard let sendTime else { return countDuplicate(in: context) }
            return context.measurement.count(\.mismatched, ofMessageAt: sendTime)
        }
        guard let answer = connection.ledger.take(found) else { return countDuplicate(in: context) }
        let sendTime = answer.sendTime
        if answer.wasReplaced { context.measurement.unmatch(messageAt: sendTime) }
        let stamp = EchoMessage.Stamp(number: found, connection: connection.number, time: sendTime)
        guard isRightKind, message.isEcho(payload, of: stamp) else {
            return context.measurement.count(\.mismatched, ofMessageAt: sendTime)
        }
        if answer.isReordered { context.measurement.count(\.reordered, ofMessageAt: sendTime) }
        answered(messageAt: sendTime, on: connection, in: context)
    }

    /// Finds the message that a reply belongs to. Returns `nil` if it is unknown.
    private mutating func number(
        of payload: RawSpan, isRightKind: Bool, by connection: RoundTripConnection
    ) -> UInt64? {
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

    /// Counts a duplicate with the current time, because its send time is unknown.
    private func countDuplicate(in context: LoadContext) {
        context.measurement.count(\.duplicated, ofMessageAt: context.now)
    }
}
