import WSCore

/// Waits for replies after the end of the input.
final class LingerTimer {
    /// What the connection is doing when the wait is over.
    struct Activity {
        /// Received so far, in bytes.
        let receivedBytes: Int
        let isInMessage: Bool
        /// Whether input still waits to be written, or received data to be read.
        let isHeldUp: Bool
    }

    private let limit: Duration
    private let restartsOnArrival: Bool
    private let loop: EventLoop
    private let activity: () -> Activity
    private let action: () -> Void
    private lazy var timer = Timer(on: loop) { [unowned self] in timePassed() }
    /// In the loop's turn time.
    private var start: Duration
    private var receivedBytes = 0

    /// Starts to wait.
    /// - Parameters:
    ///   - limit: How long to wait.
    ///   - restartsOnArrival: Whether each received message starts the wait anew.
    ///   - activity: Reports the connection's activity. Input that waits to be written, and received data that waits to be
    ///     read, start the wait anew, and so does a message in progress if messages do.
    ///   - action: Called once when the wait is over.
    init(
        _ limit: Duration, restartsOnArrival: Bool, on loop: EventLoop, activity: @escaping () -> Activity,
        action: @escaping () -> Void
    ) {
        self.limit = limit
        self.restartsOnArrival = restartsOnArrival
        self.loop = loop
        self.activity = activity
        self.action = action
        start = loop.turnTime
        timer.start(after: limit)
    }

    /// Takes note of a received message. It costs no system call.
    func messageArrived() {
        if restartsOnArrival { start = loop.turnTime }
    }

    private func timePassed() {
        let activity = activity()
        let isMoving = activity.isInMessage && activity.receivedBytes != receivedBytes
        receivedBytes = activity.receivedBytes
        if activity.isHeldUp || isMoving && restartsOnArrival { start = loop.turnTime }
        let elapsed = loop.turnTime - start
        if elapsed < limit { timer.start(after: limit - elapsed) } else { action() }
    }
}
