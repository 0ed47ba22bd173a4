import WSCore

/// Keeps the messages of the input until the peer has read them, for runs with `--reconnect`: the stage between the
/// requests and the connection.
///
/// Pings ask the peer what it has read; see ``UnacknowledgedMessages``.
final class AcknowledgementStage {
    /// What the stage needs of the run.
    protocol Host: AnyObject {
        /// Sends a ping that confirms messages on the open connection.
        func sendConfirmingPing(_ payload: [UInt8])
        /// Whether the peer's answers may have arrived without being read.
        var isReadingPaused: Bool { get }
        /// Called when the peer has not confirmed the last messages in time.
        func confirmationTimedOut()
    }

    /// How far the wait has come for the pong that confirms the last messages, before the connection is closed.
    private enum ClosingWait {
        case none
        case running(Timer)
        /// The peer did not answer in time, or there is no time for it.
        case over
    }

    private unowned let host: any Host
    private let loop: EventLoop
    /// How long the peer may take to confirm the last messages.
    private let patience: Duration
    private var messages = UnacknowledgedMessages()
    /// Sends the next ping.
    private lazy var pingTimer = Timer(on: loop) { [unowned self] in confirmInTime() }
    private var closingWait = ClosingWait.none
    /// Whether the peer has confirmed messages on this connection.
    private(set) var hasConfirmed = false

    /// Makes a stage without messages.
    init(patience: Duration, on loop: EventLoop, host: any Host) {
        self.patience = patience
        self.loop = loop
        self.host = host
    }

    /// The number of messages that the peer may not have read.
    var count: Int { messages.count }
    /// Whether the source of the messages is to pause.
    var isFull: Bool { messages.isFull }

    // MARK: Messages

    /// Records a message, sent now or with the next connection.
    func record(_ payload: RawSpan, as kind: MessageKind) {
        messages.record(payload, as: kind, at: loop.turnTime)
    }

    /// Takes note that no further message comes.
    func inputEnded() {
        messages.inputEnded()
        confirmInTime()
    }

    /// Forgets all messages: they were meant for another server.
    func reset() {
        messages = UnacknowledgedMessages()
    }

    // MARK: Confirming

    /// Sends the confirming ping now, or when it is due.
    func confirmInTime() {
        guard let dueTime = messages.pingDueTime else { return }
        let wait = dueTime - loop.turnTime
        guard wait <= .zero else { return pingTimer.start(after: wait) }
        host.sendConfirmingPing(messages.makePing())
    }

    /// Takes a pong.
    /// - Returns: Whether it confirms messages, and whether the closing handshake has waited for that.
    func pongReceived(_ payload: RawSpan) -> (isConfirmation: Bool, endsWait: Bool) {
        guard messages.pongReceived(payload) > 0 else { return (false, false) }
        hasConfirmed = true
        guard case .running = closingWait, messages.isEmpty else { return (true, false) }
        closingWait = .over
        return (true, true)
    }

    /// Returns whether the closing handshake has to wait until the peer has confirmed the last messages, which is asked
    /// for here. The peer has as long for that as for the handshake itself.
    func delaysClosing() -> Bool {
        switch closingWait {
        case .running: return true
        case .over: return false
        case .none: break
        }
        guard !messages.isEmpty else { return false }
        inputEnded()
        let timer = Timer(on: loop) { [unowned self] in closingWaitEnded() }
        timer.start(after: patience)
        closingWait = .running(timer)
        return true
    }

    /// Has the closing handshake wait no more.
    func hurry() {
        closingWait = .over
    }

    /// Closes without the pong, unless the pong may have come and is not read.
    private func closingWaitEnded() {
        if case .running(let timer) = closingWait, host.isReadingPaused { return timer.start(after: patience) }
        closingWait = .over
        host.confirmationTimedOut()
    }

    // MARK: Connections

    /// Takes note of a connection, and sends again what may not have arrived on the one before.
    func connectionOpened(send: (RawSpan, MessageKind) -> Void) {
        messages.connectionOpened(at: loop.turnTime, send: send)
        confirmInTime()
    }

    /// Takes note of the end of a connection.
    func connectionEnded(_ end: ConnectionEnd) {
        pingTimer.stop()
        if Self.isAnswer(end.closing) { messages.closeConfirmed() }
        messages.connectionLost()
    }

    /// Takes note that another connection follows.
    /// - Returns: Whether the peer had confirmed messages on the last one.
    func connectionFollows() -> Bool {
        closingWait = .none
        defer { hasConfirmed = false }
        return hasConfirmed
    }

    /// Whether the peer has answered our close frame, and so has read everything before it. A close frame with another
    /// code may have crossed ours. Without a code, or with 1000, the peer has finished in any case.
    private static func isAnswer(_ closing: ClosingHandshake) -> Bool {
        guard closing.wasStartedHere, let received = closing.received else { return false }
        return received.code == nil || received.code == .normalClosure || received.code == closing.sent?.code
    }
}
