import WSCore

/// Calculates, without a clock, how long to wait for replies after the end of the input.
struct LingerWait {
    /// The activity of the connection at the time of a check.
    struct Activity {
        /// The number of bytes received so far.
        let receivedBytes: Int
        let isInMessage: Bool
        /// Whether sent data waits to be written, or received data waits to be read.
        let isHeldUp: Bool
    }

    private let limit: Duration
    private let restartsOnArrival: Bool
    private var start: Duration
    private var receivedBytes = 0

    /// Starts the wait.
    /// - Parameters:
    ///   - limit: The duration of the wait.
    ///   - restartsOnArrival: Whether each received message restarts the wait.
    init(_ limit: Duration, restartsOnArrival: Bool, at now: Duration) {
        self.limit = limit
        self.restartsOnArrival = restartsOnArrival
        start = now
    }

    /// Handles a received message. Pings do not count: a server that sends them would keep each run alive.
    mutating func messageArrived(at now: Duration) {
        if restartsOnArrival { start = now }
    }

    /// Returns the remaining time, or zero if the wait is over.
    ///
    /// Data waiting to be written or read restarts the wait. With `restartsOnArrival`, so does a message in progress.
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
    /// The state of the wait, in the loop's turn time.
    private var wait: LingerWait

    /// Starts the wait.
    /// - Parameters:
    ///   - limit: The duration of the wait.
    ///   - restartsOnArrival: Whether each received message restarts the wait.
    ///   - activity: Returns the connection's activity.
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

    /// Handles a received message, without a system call.
    func messageArrived() {
        wait.messageArrived(at: loop.turnTime)
    }

    private func timePassed() {
        let remaining = wait.remaining(at: loop.turnTime, activity())
        if remaining > .zero { timer.start(after: remaining) } else { action() }
    }
}
