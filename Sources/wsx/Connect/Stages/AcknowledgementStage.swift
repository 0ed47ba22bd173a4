import WSCore

/// Keeps input messages until the peer has read them, for runs with `--reconnect`. This stage is between the requests
/// and the connection.
///
/// Pings find out what the peer has read; see ``UnacknowledgedMessages``.
final class AcknowledgementStage {
    /// The run as the stage sees it.
    protocol Host: AnyObject {
        /// Sends a ping on the open connection. Its pong confirms the preceding messages.
        func sendConfirmingPing(_ payload: [UInt8])
        /// Whether answers from the peer may have arrived without being read.
        var isReadingPaused: Bool { get }
        /// Called when the peer has not confirmed the last messages in time.
        func confirmationTimedOut()
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
    private let patience: Duration
    private var messages = UnacknowledgedMessages()
    /// Sends the next ping.
    private lazy var pingTimer = Timer(on: loop) { [unowned self] in confirmInTime() }
    private var closingWait = ClosingWait.none
    /// Whether the peer has confirmed messages on this connection.
    private(set) var hasConfirmed = false

    /// Creates a stage without messages.
    init(patience: Duration, on loop: EventLoop, host: any Host) {
        self.patience = patience
        self.loop = loop
        self.host = host
    }

    /// The number of messages that the peer may not have read.
    var count: Int { messages.count }
    /// The number of these that have not been sent on any connection.
    var waitingCount: Int { messages.waitingCount }
    /// Whether messages wait to be sent or to be sent again. Later messages have to wait, too.
    var hasWaiting: Bool { messages.hasWaiting }
    /// Whether the source of the messages should pause.
    var isFull: Bool { messages.isFull }

    // MARK: Messages

    /// Records a message that is sent now, or waits.
    func record(_ payload: RawSpan, as kind: MessageKind, isSent: Bool) {
        messages.record(payload, as: kind, isSent: isSent, at: loop.turnTime)
    }

    /// Removes and returns the first message that waits, or returns `nil` if there is none. If the caller sends it, it
    /// records it again.
    func takeWaiting() -> UnacknowledgedMessages.Waiting? { messages.takeWaiting() }

    /// Handles the end of the input.
    func inputEnded() {
        messages.inputEnded()
        confirmInTime()
    }

    /// Discards all messages because they were meant for another server.
    func reset() {
        messages = UnacknowledgedMessages()
    }

    // MARK: Confirming

    /// Sends the confirming ping now, or schedules it.
    func confirmInTime() {
        guard let dueTime = messages.pingDueTime else { return }
        let wait = dueTime - loop.turnTime
        guard wait <= .zero else { return pingTimer.start(after: wait) }
        host.sendConfirmingPing(messages.makePing())
    }

    /// Processes a pong.
    /// - Returns: Whether the pong confirms messages, and whether it ends the wait before the closing handshake.
    func pongReceived(_ payload: RawSpan) -> (isConfirmation: Bool, endsWait: Bool) {
        guard messages.pongReceived(payload) > 0 else { return (false, false) }
        hasConfirmed = true
        guard case .running = closingWait, messages.isConfirmed else { return (true, false) }
        closingWait = .over
        return (true, true)
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
        guard !messages.isConfirmed else { return false }
        inputEnded()
        let timer = Timer(on: loop) { [unowned self] in closingWaitEnded() }
        timer.start(after: patience)
        closingWait = .running(timer)
        return true
    }

    /// Ends the wait before the closing handshake.
    func hurry() {
        closingWait = .over
    }

    /// Ends the wait without a pong, unless reading is paused and the pong may already have arrived.
    private func closingWaitEnded() {
        if case .running(let timer) = closingWait, host.isReadingPaused { return timer.start(after: patience) }
        closingWait = .over
        host.confirmationTimedOut()
    }

    // MARK: Connections

    /// Handles a new connection. The messages that wait can be sent on it.
    func connectionOpened() {
        messages.connectionOpened()
    }

    /// Handles the end of a connection.
    /// - Parameter unsent: Lines that the application protocol has taken and not sent.
    func connectionEnded(_ end: ConnectionEnd, unsent: [UnacknowledgedMessages.Waiting] = []) {
        pingTimer.stop()
        if Self.isAnswer(end.closing) { messages.closeConfirmed() }
        messages.connectionLost(unsent: unsent)
    }

    /// Prepares for another connection.
    /// - Returns: Whether the peer confirmed messages on the last one.
    func connectionFollows() -> Bool {
        closingWait = .none
        defer { hasConfirmed = false }
        return hasConfirmed
    }

    /// Whether the peer has answered our close frame, and therefore has read everything before it. A close frame with
    /// another code may have crossed ours. Without a code or with 1000, the peer has finished in any case.
    private static func isAnswer(_ closing: ClosingHandshake) -> Bool {
        guard closing.wasStartedHere, let received = closing.received else { return false }
        return received.code == nil || received.code == .normalClosure || received.code == closing.sent?.code
    }
}
