import WSCore

/// Decides how long to wait for replies after the end of the input, without a clock.
struct LingerWait {
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
    private var start: Duration
    private var receivedBytes = 0

    /// Starts to wait at a time.
    /// - Parameters:
    ///   - limit: How long to wait.
    ///   - restartsOnArrival: Whether each received message starts the wait anew.
    init(_ limit: Duration, restartsOnArrival: Bool, at now: Duration) {
        self.limit = limit
        self.restartsOnArrival = restartsOnArrival
        start = now
    }

    /// Takes note of a received message. Pings do not count: a server that sends them would keep every run alive.
    mutating func messageArrived(at now: Duration) {
        if restartsOnArrival { start = now }
    }

    /// Returns how much longer to wait; zero: the wait is over.
    ///
    /// Input that waits to be written and received data that waits to be read start the wait anew. So does a message in
    /// progress, if messages do.
    mutating func remaining(at now: Duration, _ activity: Activity) -> Duration {
        let isMoving = activity.isInMessage && activity.receivedBytes != receivedBytes
        receivedBytes = activity.receivedBytes
        if activity.isHeldUp || isMoving && restartsOnArrival { start = now }
        return max(.zero, limit - (now - start))
    }
}

/// Waits for replies after the end of the input.
final class LingerTimer {
    private let loop: EventLoop
    private let activity: () -> LingerWait.Activity
    private let action: () -> Void
    private lazy var timer = Timer(on: loop) { [unowned self] in timePassed() }
    /// In the loop's turn time.
    private var wait: LingerWait

    /// Starts to wait.
    /// - Parameters:
    ///   - limit: How long to wait.
    ///   - restartsOnArrival: Whether each received message starts the wait anew.
    ///   - activity: Reports the connection's activity.
    ///   - action: Called once when the wait is over.
    init(
        _ limit: Duration, restartsOnArrival: Bool, on loop: EventLoop,
        activity: @escaping () -> LingerWait.Activity, action: @escaping () -> Void
    ) {
        self.loop = loop
        self.activity = activity
        self.action = action
        wait = LingerWait(limit, restartsOnArrival: restartsOnArrival, at: loop.turnTime)
        timer.start(after: limit)
    }

    /// Takes note of a received message. It costs no system call.
    func messageArrived() {
        wait.messageArrived(at: loop.turnTime)
    }

    private func timePassed() {
        let remaining = wait.remaining(at: loop.turnTime, activity())
        if remaining > .zero { timer.start(after: remaining) } else { action() }
    }
}
