import Formats
import WSCore

/// The lines of a run, from the user to the peer's reply or confirmation. Where a line is, and why:
///
///     operands ─┐                       ┌─► held: for the confirmation of its subscription ─┐
///               ├─► waiting ── next ────┤                                                   ▼
///     append ───┘      ▲                └──────────────────────────────────────► in flight ─┴─► done
///                      │                                                             │
///                      ├──── connectionEnded: unconfirmed lines go first ────────────┤
///                      └──── retryKept ───── kept: connections kept ending ◄─────────┘
///
/// A line waits for a connection and the login; behind others; for the reply to the previous request, or to one of many; or,
/// after connections were lost, for the confirmation of lines that may be the cause (``Caution``). Without a connection that
/// is lost, a line that needs no reply is done when it is sent.
///
/// A ping is sent some time after the first line that needs one, not after each line. Servers answer pings as they decode
/// them, before the application has processed earlier messages. If pongs were always in flight, killing a server would
/// always lose messages that a pong had seemingly confirmed. Instead, that window opens only briefly, twice a second.
package struct LineQueue: ~Copyable {
    /// The maximum number of requests in flight.
    package static let maximumInFlight = 65_536
    /// The number of bytes of unconfirmed and waiting lines at which ``isFull`` asks their source to pause, and further
    /// requests wait. Lines are accepted regardless, so one may be larger than this.
    package static let limitBytes = 16 << 20

    package let settings: Settings
    var waiting = WaitingLines()
    /// The messages with which each connection begins.
    var operands: [Line]
    /// Those that have not been sent on this connection. They precede the others.
    var waitingOperands: ArraySlice<Line>
    var flights = LineFlights()
    var caution = Caution()
    var held = Held()
    /// The lines that have been given up, until the user decides about them.
    package internal(set) var kept: [Line] = []
    /// The number of lines with numbers so far.
    package internal(set) var messageCount: Int
    /// The total number of requests that have timed out.
    package internal(set) var expiredCount = 0
    /// Whether any line has been sent.
    package internal(set) var hasSent = false
    var pingCount: UInt64 = 0
    var isConnected = false
    var isInputOver = false

    /// Creates a queue without a connection.
    /// - Parameter operands: The messages with which each connection begins, with their numbers.
    package init(_ settings: Settings, operands: [Line] = []) {
        self.settings = settings
        self.operands = operands
        waitingOperands = operands[...]
        messageCount = operands.count
    }

    // MARK: State

    /// Whether lines wait. Later lines have to wait, too.
    package var hasWaiting: Bool { waiting.count > 0 || !waitingOperands.isEmpty }
    /// Whether messages of the command line wait. They precede the others.
    package var hasWaitingOperands: Bool { !waitingOperands.isEmpty }
    /// Whether all requests have been sent, and answered or timed out.
    package var isSettled: Bool { !settings.areRequests || !hasWaiting && flights.awaitedCount == 0 }
    /// Whether lines are sent carefully, after the confirmation of those before.
    package var isCareful: Bool { caution.isCareful }
    /// Whether lines wait because they are sent carefully, and not for the subscription of the last one.
    package var holdsBack: Bool { isCareful && hasWaiting && held.isEmpty }
    /// Whether the peer has confirmed lines on this connection, except those with which each connection begins.
    package var hasConfirmed: Bool { flights.hasConfirmed }
    /// Whether pongs prove that the peer has read all lines sent on this connection. Replies may still be missing.
    package var isRead: Bool { flights.isCovered }
    /// Whether nothing is left to send, and the peer has read and answered everything that was sent.
    package var isDone: Bool { isRead && !hasWaiting && held.isEmpty && isSettled }
    /// The memory used by the lines in bytes, including some for each line in addition to the payload.
    package var byteCount: Int { kept.reduce(flights.byteCount + waiting.byteCount) { $0 + $1.payload.count } }
    /// Whether the source of lines should pause. Without another connection to wait for, and with requests, only little
    /// waits.
    package var isFull: Bool {
        byteCount >= Self.limitBytes || hasWaiting && (settings.areRequests || !settings.keepsLines)
    }

    /// The number of lines, without requests and operands.
    package var lineCount: Int { unconfirmedCount + waitingCount }
    /// The number of lines that the peer may not have read, without requests that need a reply, and operands.
    package var unconfirmedCount: Int {
        let resent = settings.needsReplies ? waiting.numberedCount - waiting.newNumberedCount : 0
        return flights.unconfirmedCount + waiting.count - waiting.newCount - resent + kept.count - keptRequestCount
    }
    /// The number of waiting lines that have not been sent on any connection, without requests and operands.
    package var waitingCount: Int { waiting.newCount - (settings.countsRequests ? waiting.newNumberedCount : 0) }
    /// The number of operands that have not been sent on any connection.
    package var unsentOperandCount: Int { operands.count { $0.past == .new } }
    /// The number of requests that wait to be sent or answered. If replies are optional, those that were not sent and will
    /// not be.
    package var unansweredCount: Int {
        guard settings.needsReplies else { return settings.countsRequests ? waiting.newNumberedCount : 0 }
        return waitingRequestCount + flights.awaitedCount + keptRequestCount
    }
    /// The number of requests that were sent and need a reply that is missing.
    package var unansweredSentCount: Int {
        guard settings.needsReplies, settings.areRequests else { return 0 }
        return flights.awaitedCount + keptRequestCount + waiting.numberedCount - waiting.newNumberedCount
            + waitingOperands.count(where: \.wasSent)
    }
    /// The number of lines that wait and have not been sent on any connection.
    package var unsentCount: Int {
        waiting.newCount + held.count + (settings.areRequests ? waitingOperands.count { !$0.wasSent } : 0)
    }

    private var waitingRequestCount: Int {
        settings.areRequests ? waiting.numberedCount + waitingOperands.count : 0
    }
    private var keptRequestCount: Int { settings.needsReplies ? kept.count { $0.number > 0 } : 0 }

    // MARK: Waiting

    /// Adds a line that waits.
    package mutating func append(_ payload: RawSpan, as kind: MessageKind) {
        waiting.append(payload, as: kind, number: 0, wasSent: false)
    }

    /// Adds a line that waits.
    package mutating func append(_ line: Line) {
        waiting.append(line)
    }

    /// Numbers the next request.
    package mutating func request(_ payload: [UInt8], as kind: MessageKind, draft: Line.Draft? = nil) -> Line {
        messageCount += 1
        return Line(payload, as: kind, number: messageCount, draft: draft)
    }

    /// Whether a line may be sent now without waiting.
    package func canSend(at now: Duration) -> Bool { !hasWaiting && hasRoom(at: now) }

    /// Removes and returns the next line if it may be sent now, or returns `nil`. The caller calls
    /// ``sent(_:_:at:)``, or drops the line.
    package mutating func next(at now: Duration) -> Line? {
        guard hasRoom(at: now) else { return nil }
        return waitingOperands.popFirst() ?? waiting.removeFirst()
    }

    private func hasRoom(at now: Duration) -> Bool {
        if isCareful, now < caution.nextTime || !held.isEmpty { return false }
        guard settings.areRequests else { return true }
        if settings.isSequential { return flights.awaitedCount == 0 }
        return flights.awaitedCount < Self.maximumInFlight && flights.byteCount < Self.limitBytes
    }

    /// Whether lines wait that were sent on earlier connections, or begin each connection.
    var hasSuspects: Bool { !waitingOperands.isEmpty || waiting.firstWasSent }

    // MARK: Sending

    /// Records a line of the input that is sent without waiting.
    /// - Parameters:
    ///   - payload: The line, which is copied if it may have to be sent again.
    ///   - now: The monotonic time.
    package mutating func sent(_ payload: RawSpan, as kind: MessageKind, at now: Duration) {
        guard settings.keepsLines else { return }
        flights.append(plain: payload, as: kind, at: now)
        awaitConfirmation(at: now)
    }

    /// Records a line that was given to a connection.
    /// - Parameters:
    ///   - line: A line that ``next(at:)`` has returned, without placeholders, or a new one.
    ///   - now: The monotonic time.
    /// - Returns: Whether its reply will be matched to it.
    @discardableResult
    package mutating func sent(_ line: Line, _ receipt: LineReceipt = LineReceipt(), at now: Duration) -> Bool {
        hasSent = true
        if line.origin == .operand { operandSent(line, receipt) }
        var key: JSONScalar?
        var ids: [JSONScalar] = []
        let isAwaited: Bool
        switch settings.matching {
        case .order where line.number > 0: isAwaited = true
        case .keys where line.number > 0:
            key = receipt.key.map { JSONScalar($0) }
            isAwaited = key != nil
        case .id, .calls:
            ids = line.number > 0 ? settings.ids(of: line) : []
            isAwaited = !ids.isEmpty
        default: isAwaited = false
        }
        // A line without a reply needs no number.
        let line = isAwaited || line.number == 0 || line.origin == .operand ? line : line.numbered(0)
        if let number = receipt.heldNumber {
            let isRequest = isAwaited && (settings.needsReplies || line.origin == .operand)
            held.hold(number, line, confirmedBy: receipt.confirmation, isRequest: isRequest)
        } else if !isAwaited, settings.keepsLines {
            keep(line, confirmedBy: receipt.confirmation, at: now)
        }
        guard isAwaited else { return false }
        if ids.isEmpty {
            track(line, key: key, receipt, at: now)
        } else {
            for id in ids { track(line, key: id, sharedBy: ids.count, receipt, at: now) }
        }
        awaitConfirmation(at: now)
        return true
    }

    /// Awaits the reply to a line, and keeps the line until it is confirmed.
    private mutating func track(
        _ line: Line, key: JSONScalar?, sharedBy: Int = 1, _ receipt: LineReceipt, at now: Duration
    ) {
        guard settings.keepsLines, !settings.needsReplies, receipt.heldNumber == nil else {
            let isKept = settings.keepsLines && settings.needsReplies
            return flights.append(
                isKept ? line : line.finished([]), key: key, confirmedBy: nil, isAwaited: true,
                needsReply: settings.needsReplies, sharedBy: sharedBy, at: now)
        }
        keep(line, confirmedBy: receipt.confirmation, awaiting: key, at: now)
    }

    private mutating func operandSent(_ line: Line, _ receipt: LineReceipt) {
        if receipt.heldNumber == nil { held.operandSent(line.number) }
        guard let index = operands.firstIndex(where: { $0.number == line.number }) else { return }
        if receipt.isRenewed {
            operands.remove(at: index)
        } else {
            // Its placeholders are replaced again on the next connection.
            operands[index].past = .sent
        }
    }

    /// Keeps a line until it is confirmed.
    /// - Parameter key: The key of a reply that will be matched to it, but is not needed.
    private mutating func keep(
        _ line: Line, confirmedBy confirmation: LineConfirmation, awaiting key: JSONScalar? = nil, at now: Duration
    ) {
        if key == nil, line.number == 0, confirmation == .pong, line.origin == .input {
            flights.append(plain: line.payload.span.bytes, as: line.kind, at: now)
        } else if confirmation == .renewal {
            // It is not sent again, but it may be what ends the connections.
            let renewal = line.sent(as: .renewal, number: line.number)
            flights.append(renewal, key: key, confirmedBy: .pong, isAwaited: key != nil, needsReply: false, at: now)
        } else {
            flights.append(
                line, key: key ?? confirmation.key.map { JSONScalar($0) }, confirmedBy: confirmation,
                isAwaited: key != nil, needsReply: false, at: now)
        }
        awaitConfirmation(at: now)
    }

    /// Records that the session of the protocol has renewed what a line on an earlier connection asked for.
    package mutating func renewed(_ topic: String, at now: Duration) {
        guard settings.keepsLines else { return }
        keep(Line(Array(topic.utf8), as: .text), confirmedBy: .renewal, at: now)
    }

    /// Lets the next line wait for the confirmation of those that have been sent, while lines go carefully. New lines wait
    /// for that of all that were sent on earlier connections.
    private mutating func awaitConfirmation(at now: Duration) {
        if isCareful, mustAwaitConfirmation { caution.awaitConfirmation(at: now) }
    }

    var mustAwaitConfirmation: Bool { flights.pendingCount >= (hasSuspects ? caution.window : 1) }

    /// Forgets a message of the command line that cannot be sent.
    package mutating func drop(operand line: Line) {
        operands.removeAll { $0.number == line.number }
    }

    // MARK: Held lines

    /// The number of lines that wait for their subscription.
    package var heldCount: Int { held.count }

    /// Records that the session has sent a line that it held back.
    package mutating func heldLineSent(_ number: Int, at now: Duration) {
        guard let (line, confirmation) = held.sent(number), settings.keepsLines else { return }
        keep(line, confirmedBy: confirmation, at: now)
    }

    /// Records that the session will not send lines that it held back, because their subscription was refused or has ended.
    /// - Returns: The number of these lines, without requests, which get an error reply.
    package mutating func heldLinesDropped(_ numbers: [Int]) -> Int { held.drop(numbers) }

    /// Counts a line that will not be sent.
    package mutating func dropped(_ line: Line, because cause: ProtocolProblem.UnsentCause) {
        held.drop([line], because: cause)
    }

    /// The lines that wait for the server or were not sent because of it, or `nil` if there are none.
    /// - Parameter cause: What waiting lines wait for.
    package func unsentLines(waitingFor cause: ProtocolProblem.UnsentCause) -> ProtocolProblem? {
        let isCounted = !settings.keepsLines && !settings.areRequests
        return held.summary(waitingFor: cause, others: isCounted ? waiting.count : 0)
    }

    /// The number of lines that the end of the connection drops while they wait for their subscription.
    package func droppedCount(keepsHeld: Bool) -> Int {
        guard keepsHeld, settings.keepsLines else {
            return held.count + (settings.keepsLines || settings.areRequests ? 0 : waiting.count)
        }
        return held.count - held.keptCount
    }
}
