import Conversation
import WSCore

/// Keeps lines until the peer has confirmed them, for runs with `--reconnect`. This stage is between the requests and the
/// connection. The rules are those of `UnconfirmedLines`.
final class AcknowledgementStage {
    /// The run as the stage sees it.
    protocol Host: AnyObject {
        /// Sends a ping on the open connection. Its pong confirms the preceding messages.
        func sendConfirmingPing(_ payload: [UInt8])
        /// Whether answers from the peer may have arrived without being read.
        var isReadingPaused: Bool { get }
        /// Called when the peer has not confirmed the last messages in time.
        func confirmationTimedOut()
        /// Called outside of the connection's handler when lines were confirmed, or when the next line is due.
        func linesMoved()
    }

    /// The wait for the pong that confirms the last messages before the connection is closed.
    private enum ClosingWait {
        case none
        case running(Timer)
        /// The wait has ended, or is skipped because the run is in a hurry.
        case over
    }

    private unowned let host: any Host
    private let loop: EventLoop
    /// The time limit for the confirmation of the last messages.
    private let confirmationTimeout: Duration
    private var lines: UnconfirmedLines
    /// Sends the next ping or line.
    private lazy var timer = Timer(on: loop) { [unowned self] in
        confirmInTime()
        if lines.isCareful { host.linesMoved() }
    }
    private var closingWait = ClosingWait.none
    /// Whether the peer confirmed lines on the last connection.
    private var hadConfirmed = false
    /// Whether work is scheduled for the end of the turn.
    private var isWorkScheduled = false

    /// Creates a stage without lines.
    /// - Parameter operands: The messages with which each connection begins.
    init(
        _ operands: [(payload: [UInt8], kind: MessageKind)], confirmationTimeout: Duration, on loop: EventLoop,
        host: any Host
    ) {
        lines = UnconfirmedLines(operands: operands)
        self.confirmationTimeout = confirmationTimeout
        self.loop = loop
        self.host = host
    }

    /// The number of lines that the peer may not have read.
    var count: Int { lines.count }
    /// The number of these that have not been sent on any connection.
    var waitingCount: Int { lines.waitingCount }
    /// The number of lines, including operands, that have not been sent on any connection.
    var unsentCount: Int { lines.waitingCount + lines.unsentOperandCount }
    /// Whether a new line has to wait.
    var mustWait: Bool { lines.hasWaiting || !lines.canSend(at: loop.turnTime) }
    /// Whether lines wait because they are sent carefully.
    var holdsLines: Bool { lines.isCareful && lines.hasWaiting }
    /// Whether lines are sent carefully.
    var isCareful: Bool { lines.isCareful }
    /// The lines that were given up.
    var kept: [UnconfirmedLines.Line] { lines.kept }
    /// Whether the source of the lines should pause.
    var isFull: Bool { lines.isFull }

    // MARK: Lines

    /// Records a line that is sent now.
    func record(
        _ payload: RawSpan, as kind: MessageKind, confirmedBy confirmation: LineConfirmation,
        from origin: UnconfirmedLines.Origin = .input
    ) {
        lines.record(payload, as: kind, confirmedBy: confirmation, from: origin, at: loop.turnTime)
    }

    /// Records a line that waits.
    func wait(_ payload: RawSpan, as kind: MessageKind, from origin: UnconfirmedLines.Origin = .input) {
        lines.wait(payload, as: kind, from: origin)
    }

    /// Removes and returns the first line that waits, or returns `nil` if there is none or it must not be sent yet. If the
    /// caller sends it, it records it again.
    func takeWaiting() -> UnconfirmedLines.Line? { lines.takeWaiting(at: loop.turnTime) }

    /// Handles the end of the input.
    func inputEnded() {
        lines.inputEnded()
        confirmInTime()
    }

    /// Discards all lines because they were meant for another server.
    /// - Parameter operands: The messages with which each connection to the next server begins.
    func reset(_ operands: [(payload: [UInt8], kind: MessageKind)]) {
        lines = UnconfirmedLines(operands: operands)
    }

    /// Sends the lines that were given up again.
    func retryKept() {
        lines.retryKept(at: loop.turnTime)
        scheduleWork()
    }

    /// Forgets the lines that were given up.
    func dropKept() {
        lines.dropKept()
    }

    // MARK: Confirming

    /// Sends the confirming ping now, or schedules it or the next line.
    func confirmInTime() {
        let now = loop.turnTime
        if lines.needsPing(at: now) { host.sendConfirmingPing(lines.makePing()) }
        if let time = lines.nextDueTime(after: now) { timer.start(after: time - now) }
    }

    /// Processes a pong.
    /// - Returns: Whether the pong answers one of these pings, and whether it ends the wait before the closing handshake.
    func pongReceived(_ payload: RawSpan) -> (isConfirmation: Bool, endsWait: Bool) {
        guard lines.pongReceived(payload) else { return (false, false) }
        scheduleWork()
        guard case .running = closingWait, lines.isRead else { return (true, false) }
        closingWait = .over
        return (true, true)
    }

    /// Processes a reply or an acknowledgement of the application protocol.
    func acknowledged(_ key: String) {
        if lines.acknowledged(key) { scheduleWork() }
    }

    /// Once per turn, after all confirmations that have arrived.
    private func scheduleWork() {
        guard !isWorkScheduled else { return }
        isWorkScheduled = true
        loop.atEndOfTurn(self)
    }

    /// Whether the closing handshake has to wait until the peer has confirmed the last messages. The first call asks
    /// for the confirmation. The peer has the close timeout to send it.
    func delaysClosing() -> Bool {
        switch closingWait {
        case .running: return true
        case .over: return false
        case .none: break
        }
        // Messages that still wait will not be sent.
        guard !lines.isRead else { return false }
        inputEnded()
        let timer = Timer(on: loop) { [unowned self] in closingWaitEnded() }
        timer.start(after: confirmationTimeout)
        closingWait = .running(timer)
        return true
    }

    /// Ends the wait before the closing handshake.
    func hurry() {
        closingWait = .over
    }

    /// Ends the wait without a pong, unless reading is paused and the pong may already have arrived.
    private func closingWaitEnded() {
        if case .running(let timer) = closingWait, host.isReadingPaused {
            return timer.start(after: confirmationTimeout)
        }
        closingWait = .over
        host.confirmationTimedOut()
    }

    // MARK: Connections

    /// Handles a new connection. The lines that wait can be sent on it.
    func connectionOpened() {
        lines.connectionOpened(at: loop.turnTime)
    }

    /// Handles the end of a connection.
    /// - Parameters:
    ///   - unsent: Lines that the application protocol has taken and not sent.
    ///   - isInterruption: Whether the run may continue on another connection.
    /// - Returns: The line that is given up, because connections keep ending before the peer confirms it, or `nil`.
    func connectionEnded(
        _ end: ConnectionEnd, unsent: [UnconfirmedLines.Line] = [], isInterruption: Bool
    ) -> UnconfirmedLines.Line? {
        timer.stop()
        if Self.isAnswer(end.closing) { lines.closeConfirmed() }
        hadConfirmed = lines.hasConfirmed
        return lines.connectionLost(unsent: unsent, isInterruption: isInterruption)
    }

    /// Prepares for another connection.
    /// - Returns: Whether the peer confirmed lines on the last one.
    func connectionFollows() -> Bool {
        closingWait = .none
        defer { hadConfirmed = false }
        return hadConfirmed
    }

    /// Whether the peer has answered our close frame, and therefore has read everything before it. A close frame with
    /// another code may have crossed ours. Without a code or with 1000, the peer has finished in any case.
    private static func isAnswer(_ closing: ClosingHandshake) -> Bool {
        guard closing.wasStartedHere, let received = closing.received else { return false }
        return received.code == nil || received.code == .normalClosure || received.code == closing.sent?.code
    }
}

extension AcknowledgementStage: EndOfTurnWork {
    /// Lets the run send the next lines.
    func endTurn() {
        isWorkScheduled = false
        host.linesMoved()
    }
}
