import WSCore

/// Calculates, without a clock, how long to wait for replies after the end of the input.
///
/// The wait is short if each message has exactly one reply: it then ends after ``quietPeriod(after:)`` without further
/// messages. If replies are missing, or if the server sends more messages than it received, the whole limit applies.
struct InactivityWait {
    /// The activity of the connection at the time of a check.
    struct Activity {
        /// The number of bytes received so far.
        let receivedBytes: Int
        let isInMessage: Bool
        /// Whether sent data waits to be written, or received data waits to be read.
        let isHeldUp: Bool
        /// The round trip of the connection if each message has exactly one reply, or `nil` otherwise; see
        /// ``ReplyCount``.
        var answeredRoundTrip: Duration?
    }

    private let limit: Duration
    private let restartsOnArrival: Bool
    private var start: Duration
    private var receivedBytes = 0
    /// The quiet period that applied at the last check, or `nil` if the whole limit did.
    private(set) var quietPeriod: Duration?

    /// The silence after which no more messages are expected from a server that has replied to each message: 100 ms or
    /// two round trips, whichever is longer.
    static func quietPeriod(after roundTrip: Duration) -> Duration {
        max(.milliseconds(100), roundTrip * 2)
    }

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
        quietPeriod = activity.isInMessage ? nil : activity.answeredRoundTrip.map { Self.quietPeriod(after: $0) }
        if let period = quietPeriod, period >= limit { quietPeriod = nil }
        return max(.zero, (quietPeriod ?? limit) - (now - start))
    }
}

/// Waits for replies after the end of the input.
final class InactivityTimer {
    private let loop: EventLoop
    private let activity: () -> InactivityWait.Activity
    private let action: (_ quietPeriod: Duration?) -> Void
    private lazy var timer = Timer(on: loop) { [unowned self] in timePassed() }
    /// The state of the wait, in the loop's turn time.
    private var wait: InactivityWait
    /// The time of the next check, in the loop's turn time.
    private var checkTime: Duration
    /// The time without messages after which the wait may be over, or `nil` if only its limit matters.
    private var quietPeriod: Duration?

    /// Starts the wait.
    /// - Parameters:
    ///   - limit: The duration of the wait.
    ///   - restartsOnArrival: Whether each received message restarts the wait.
    ///   - roundTrip: The round trip of the connection if replies are counted and it is known.
    ///   - activity: Returns the connection's activity.
    ///   - action: Called once when the wait is over, with the quiet period that ended it, if it was shorter than the
    ///     limit.
    init(
        _ limit: Duration, restartsOnArrival: Bool, roundTrip: Duration? = nil, on loop: EventLoop,
        activity: @escaping () -> InactivityWait.Activity, action: @escaping (_ quietPeriod: Duration?) -> Void
    ) {
        self.loop = loop
        self.activity = activity
        self.action = action
        wait = InactivityWait(limit, restartsOnArrival: restartsOnArrival, at: loop.turnTime)
        checkTime = loop.turnTime + limit
        timer.start(after: limit)
        if let roundTrip { measured(roundTrip: roundTrip) }
    }

    /// Handles a received message.
    func messageArrived() {
        wait.messageArrived(at: loop.turnTime)
        checkSoon()
    }

    /// Handles the round trip of the connection, from which on the wait may be short.
    func measured(roundTrip: Duration) {
        quietPeriod = InactivityWait.quietPeriod(after: roundTrip)
        checkSoon()
    }

    /// Schedules a check, unless one is due by the end of the quiet period. Most messages therefore start no timer.
    private func checkSoon() {
        guard let quietPeriod, loop.turnTime + quietPeriod < checkTime else { return }
        check(after: quietPeriod)
    }

    private func check(after delay: Duration) {
        checkTime = loop.turnTime + delay
        timer.start(after: delay)
    }

    private func timePassed() {
        let remaining = wait.remaining(at: loop.turnTime, activity())
        if remaining > .zero { check(after: remaining) } else { action(wait.quietPeriod) }
    }
}
