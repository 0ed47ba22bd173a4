import WSCore

/// The lines that the peer may not have read. They are sent again, in order, on the next connection.
///
///     sent on this connection                            to be sent
///     ├─ line ─┼─ line ─┼─ line ─┼─ line ─┼─ line ─┤     ├─ line ─┼─ line ─┤
///                       ↑ ping 1          ↑ ping 2  not covered by a ping yet
///
/// ``LineConfirmation`` says what confirms a line. A pong proves that the peer has read everything sent before its ping,
/// and so does the answer to our close frame.
///
/// A ping is sent some time after the first line that needs one, not after each line. Servers answer pings as they decode
/// them, before the application has processed earlier messages. If pongs were always in flight, killing a server would
/// always lose messages that a pong had seemingly confirmed. Instead, that window opens only briefly, twice a second.
///
/// Lines that cannot be sent yet wait: the caller takes them one by one when it can send them, and records each one that
/// it has sent. ``ResendingCaution`` decides how many go before a confirmation. This concerns only lines that were sent on
/// lost connections, and a ping follows them at once.
package struct UnconfirmedLines: ~Copyable {
    /// Where a line comes from.
    package enum Origin: Equatable, Sendable {
        case input
        /// A request with this number, whose reply the caller matches but does not need.
        case request(Int)
        /// The message of the command line with this number. Each connection begins with these messages.
        case operand(Int)
        /// The session of the protocol begins each connection with it, such as a subscription.
        case renewal
    }

    /// A line to send.
    package struct Line: Equatable {
        /// The payload.
        package let payload: [UInt8]
        /// The message type.
        package let kind: MessageKind
        /// Whether it was sent on a lost connection.
        package let wasSent: Bool
        /// Where it comes from.
        package let origin: Origin

        /// Creates a line.
        package init(payload: [UInt8], kind: MessageKind, wasSent: Bool, origin: Origin = .input) {
            self.payload = payload
            self.kind = kind
            self.wasSent = wasSent
            self.origin = origin
        }
    }

    private var sent = SentLines()
    /// The lines to send, in order, tagged with the numbers of requests or 0.
    private var waiting = LineQueue()
    /// The lines to send before these, in order.
    private var waitingOperands: ArraySlice<Line> = []
    /// The messages with which each connection begins.
    private var operands: [Line]
    /// The lines that have been given up, until the user decides about them.
    package private(set) var kept: [Line] = []
    /// The number of waiting lines that have not been sent on any connection, except operands.
    package private(set) var waitingCount = 0
    /// The number of operands that have not been sent on any connection.
    package private(set) var unsentOperandCount: Int
    private var pingCount: UInt64 = 0
    private var isConnected = false
    private var isInputOver = false
    /// The time the first line not covered by a ping was sent.
    private var firstUncoveredTime: Duration?
    private var caution = ResendingCaution()
    /// While lines go carefully, the earliest time for the next one.
    private var nextTime = Duration.zero
    /// While lines go carefully, the earliest time for the first one of the connection.
    private var firstTime = Duration.zero

    private static let payload = NumberedPayload(word: "confirm")

    /// The number of bytes at which ``isFull`` asks the source of lines to pause. Lines are accepted regardless, so one
    /// may be larger than this.
    package static var limitBytes: Int { 16 << 20 }
    /// The delay between the first uncovered line and the ping that covers it.
    package static let pingDelay = Duration.milliseconds(500)
    /// The delay after which the next line is sent even if the last ones, which went carefully, are not confirmed: they have
    /// not ended the connection.
    package static let confirmationTimeout = Duration.seconds(10)

    /// Creates an empty store without a connection.
    /// - Parameter operands: The messages with which each connection begins.
    package init(operands: [(payload: [UInt8], kind: MessageKind)] = []) {
        self.operands = operands.enumerated().map { index, message in
            Line(payload: message.payload, kind: message.kind, wasSent: false, origin: .operand(index + 1))
        }
        unsentOperandCount = self.operands.count
    }

    /// The number of lines, except those with which each connection begins.
    package var count: Int { sent.count + waiting.count + kept.count }
    /// Whether pongs prove that the peer has read all lines sent on this connection. Replies may still be missing.
    package var isRead: Bool { sent.isCovered }
    /// Whether the peer has confirmed lines on this connection, except those with which each connection begins.
    package var hasConfirmed: Bool { sent.hasConfirmed }
    /// Whether lines wait to be sent or to be sent again. Later lines have to wait, too.
    package var hasWaiting: Bool { waiting.count > 0 || !waitingOperands.isEmpty }
    /// Whether lines are sent carefully, after the confirmation of those before.
    package var isCareful: Bool { caution.isCareful }
    /// The memory used by the lines in bytes, including some for each line in addition to the payload.
    package var byteCount: Int {
        kept.reduce(sent.byteCount + waiting.byteCount) { $0 + $1.payload.count }
    }
    /// Whether the source of lines should pause until more are confirmed.
    package var isFull: Bool { byteCount >= Self.limitBytes }

    // MARK: Sending

    /// Records a line that is being sent now.
    /// - Parameters:
    ///   - payload: The line, which is copied.
    ///   - now: The monotonic time.
    package mutating func record(
        _ payload: RawSpan, as kind: MessageKind, confirmedBy confirmation: LineConfirmation = .pong,
        from origin: Origin = .input, at now: Duration
    ) {
        if confirmation == .renewal {
            // It is not sent again, but it may be what ends the connections.
            sent.append(payload, as: kind, confirmedBy: .pong, from: .renewal)
        } else {
            sent.append(payload, as: kind, confirmedBy: confirmation, from: origin)
        }
        if firstUncoveredTime == nil { firstUncoveredTime = now }
        if isCareful, mustAwaitConfirmation { nextTime = now + Self.confirmationTimeout }
    }

    /// Records a line that waits.
    package mutating func wait(_ payload: RawSpan, as kind: MessageKind, from origin: Origin = .input) {
        waiting.append(payload, as: kind, wasSent: false, tag: origin.number)
        waitingCount += 1
    }

    /// Whether the next line may be sent now.
    package func canSend(at now: Duration) -> Bool { !isCareful || now >= nextTime }

    /// Removes and returns the first line that waits, or returns `nil` if there is none or it must not be sent yet.
    package mutating func takeWaiting(at now: Duration) -> Line? {
        guard canSend(at: now) else { return nil }
        if let operand = waitingOperands.popFirst() {
            unsentOperandCount = min(unsentOperandCount, waitingOperands.count)
            return operand
        }
        guard let first = waiting.removeFirst() else { return nil }
        if !first.wasSent { waitingCount -= 1 }
        return first.line
    }

    /// Declares the input complete. The last lines then need not wait for their ping.
    package mutating func inputEnded() {
        isInputOver = true
    }

    /// The time the next ping is due, possibly in the past; nil if there is nothing to cover or no connection.
    ///
    /// A ping is due at once if lines go carefully, if the input has ended, or if half of ``limitBytes`` is not
    /// covered. The other half can then fill while the pong is in flight.
    package var pingDueTime: Duration? {
        guard isConnected, let firstUncoveredTime else { return nil }
        let isUrgent = isCareful || isInputOver || sent.uncoveredBytes >= Self.limitBytes / 2
        return isUrgent ? firstUncoveredTime : firstUncoveredTime + Self.pingDelay
    }

    /// When the next ping or, if lines go carefully, the next line is due in the future, or `nil` if none is.
    package func nextDueTime(after now: Duration) -> Duration? {
        let lineTime = isConnected && isCareful ? nextTime : nil
        return [pingDueTime, lineTime].compactMap { $0 }.filter { $0 > now }.min()
    }

    /// Whether a ping is due.
    package func needsPing(at now: Duration) -> Bool {
        pingDueTime.map { $0 <= now } ?? false
    }

    /// Creates a ping that covers all lines sent so far. Returns its payload, which must be sent now.
    package mutating func makePing() -> [UInt8] {
        pingCount += 1
        sent.mark(pingCount)
        firstUncoveredTime = nil
        return Self.payload.bytes(pingCount)
    }

    // MARK: Confirming

    /// Processes a pong: removes the lines covered by its ping that it confirms.
    ///
    /// RFC 6455 §5.5.3: the peer may answer only the most recent ping, so a pong also confirms earlier pings. A pong that
    /// answers none of our pings confirms nothing.
    /// - Returns: Whether the pong answers one of these pings.
    @discardableResult
    package mutating func pongReceived(_ payload: RawSpan) -> Bool {
        guard let number = Self.payload.number(in: payload) else { return false }
        return confirm { $0.answered(number) }
    }

    /// Processes the peer's reply or acknowledgement with a key.
    /// - Returns: Whether it confirms a line.
    @discardableResult
    package mutating func acknowledged(_ key: String) -> Bool {
        confirm { $0.acknowledged(key) }
    }

    /// Processes the peer's answer to our close frame, which confirms all lines sent.
    package mutating func closeConfirmed() {
        firstUncoveredTime = nil
        _ = confirm {
            $0.allConfirmed()
            return true
        }
    }

    /// Confirms lines, and lets the next ones follow: all of them if none was sent on a lost connection.
    /// - Returns: Whether there is something to confirm.
    private mutating func confirm(_ remove: (inout SentLines) -> Bool) -> Bool {
        let count = sent.count
        guard remove(&sent) else { return false }
        guard isCareful else { return true }
        caution.confirmed(count - sent.count)
        if !mustAwaitConfirmation { nextTime = firstTime }
        if sent.isEmpty, !hasSuspects { caution.allConfirmed() }
        return true
    }

    /// Whether lines wait that were sent on lost connections, or begin each connection.
    private var hasSuspects: Bool { !waitingOperands.isEmpty || waiting.firstWasSent == true }

    /// Whether, while lines go carefully, the next one waits for a confirmation. New lines wait for that of all suspects.
    private var mustAwaitConfirmation: Bool {
        sent.lineCount >= (hasSuspects ? caution.window : 1)
    }

    // MARK: Connections

    /// Records a new connection, which begins with the operands. The lines that wait can be sent on it.
    package mutating func connectionOpened(at now: Duration) {
        isConnected = true
        waitingOperands = operands[...]
        firstTime = now + caution.connectionOpened()
        nextTime = sent.isEmpty ? firstTime : now + Self.confirmationTimeout
    }

    /// Records the loss of the connection. Confirmations can no longer arrive, and unconfirmed lines wait for the next
    /// connection.
    /// - Parameters:
    ///   - unsent: Lines that were taken to be sent on this connection, and were not. They follow those that were sent.
    ///   - isInterruption: Whether the end of the connection may be due to the lines.
    /// - Returns: The first unconfirmed line if it is given up, which is the last in ``kept`` then, or `nil`. Renewals are
    ///   given up together, as one line.
    @discardableResult
    package mutating func connectionLost(unsent: [Line] = [], isInterruption: Bool = true) -> Line? {
        let hasConfirmed = hasConfirmed
        let lines = sent.takeAll()
        var verdict = ResendingCaution.Verdict.resend
        if isInterruption {
            verdict = caution.connectionEnded(
                firstUnconfirmed: lines.first?.payload, hasConfirmed: hasConfirmed)
        }
        isConnected = false
        firstUncoveredTime = nil
        waitingOperands = []
        var rest = lines[...]
        var givenUp = verdict == .giveUp ? rest.popFirst() : nil
        if givenUp?.origin == .renewal {
            // They were sent together.
            let renewed = lines.filter { $0.origin == .renewal }.map(\.payload)
            let names = Array(renewed.joined(separator: Array(", ".utf8)))
            givenUp = Line(payload: names, kind: .text, wasSent: true, origin: .renewal)
        } else if let givenUp {
            kept.append(Line(payload: givenUp.payload, kind: givenUp.kind, wasSent: true, origin: givenUp.origin.kept))
            operands.removeAll { $0.origin == givenUp.origin }
        }
        putBack(rest.filter { !$0.origin.beginsConnections } + unsent)
        if verdict == .giveUp, waiting.firstWasSent != true { caution.allConfirmed() }
        return givenUp
    }

    /// Inserts lines before the waiting ones.
    private mutating func putBack(_ lines: [Line]) {
        guard !lines.isEmpty else { return }
        var queue = LineQueue()
        for line in lines {
            queue.append(line.payload.span.bytes, as: line.kind, wasSent: line.wasSent, tag: line.origin.number)
            if !line.wasSent { waitingCount += 1 }
        }
        queue.append(waiting)
        waiting = queue
    }

    // MARK: Lines that were given up

    /// Lets the lines that were given up wait again, behind the others. They go carefully.
    package mutating func retryKept(at now: Duration) {
        guard !kept.isEmpty else { return }
        for line in kept {
            waiting.append(line.payload.span.bytes, as: line.kind, wasSent: true, tag: line.origin.number)
        }
        kept.removeAll()
        caution.suspectLines()
        nextTime = sent.isEmpty ? .zero : now + Self.confirmationTimeout
    }

    /// Forgets the lines that were given up.
    package mutating func dropKept() {
        kept.removeAll()
    }
}

extension UnconfirmedLines.Origin {
    /// The number of a request, or 0.
    fileprivate var number: Int { if case .request(let number) = self { number } else { 0 } }

    /// Whether each connection begins with the line.
    var beginsConnections: Bool {
        switch self {
        case .operand, .renewal: true
        case .input, .request: false
        }
    }

    /// The origin of a line that was given up: connections no longer begin with it.
    fileprivate var kept: UnconfirmedLines.Origin { beginsConnections ? .input : self }
}
