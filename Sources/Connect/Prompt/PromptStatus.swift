import WSCore

/// The status in the prompt: no connection, the progress of an attempt to connect, the time of the next attempt, or the
/// progress of a large message.
///
///     (TLS handshake, 3 s) >
///     (reconnecting in 3 s) >
///     (receiving 12.3 MiB of 64.0 MiB) >
final class PromptStatus {
    /// The state of the connection.
    enum Base {
        case connected
        case connecting
        case closing
        case disconnected
        /// The next attempt is due at this loop time.
        case waiting(until: Duration)
    }

    /// The state of the connection.
    var base = Base.connected {
        didSet {
            transfer = TransferProgress()
            timer = nil
            update()
        }
    }

    private static let interval = Duration.milliseconds(250)

    private unowned let connection: any PromptConnection
    private let loop: EventLoop
    /// Called with the text in the parentheses, or `nil` for none.
    var didChange: (String?) -> Void = { _ in }
    private var timer: Timer?
    private var transfer = TransferProgress()

    /// Creates a status that shows nothing yet.
    init(of connection: any PromptConnection, on loop: EventLoop) {
        self.connection = connection
        self.loop = loop
    }

    /// Starts showing the progress of an arriving message if its frame is large or a continuation.
    func frameBegan(_ header: FrameHeader) {
        if header.payloadBytes > TransferProgress.largeBytes || header.opcode == .continuation { watch() }
    }

    /// Starts showing the progress of a message that was just sent. Must not be called while a message is being passed
    /// to the connection.
    func watchSending() {
        _ = transfer.words(unsentBytes: connection.unsentBytes, incoming: nil)
        watch()
    }

    /// Updates the progress periodically until nothing is in progress.
    func watch() {
        guard timer == nil else { return }
        let timer = Timer(on: loop) { [unowned self] in update() }
        self.timer = timer
        timer.start(after: Self.interval, every: Self.interval)
    }

    private func update() {
        didChange(words)
    }

    /// The text in the parentheses, or `nil` for none. After `nil`, nothing changes until ``watch()`` is called.
    private var words: String? {
        switch base {
        case .connected: return progress
        case .connecting:
            watch()
            return connection.attemptWords ?? "connecting"
        case .closing: return "closing"
        case .disconnected: return "disconnected"
        case .waiting(let time):
            watch()
            if let attempt = connection.attemptWords { return attempt }
            return Self.countdown(to: time, at: loop.now)
        }
    }

    /// The time until the next attempt: `reconnecting in 3 s`. It is rounded like that of the notice, which has a
    /// decimal, but is never 0.
    static func countdown(to time: Duration, at now: Duration) -> String {
        "reconnecting in \(max(1, Int(((time - now) / .seconds(1)).rounded()))) s"
    }

    private var progress: String? {
        guard timer != nil else { return nil }
        let (unsentBytes, incoming) = (connection.unsentBytes, connection.incomingProgress)
        if unsentBytes == 0, incoming == nil { timer = nil }
        return transfer.words(unsentBytes: unsentBytes, incoming: incoming)
    }
}
