import WSCore

/// Calls a function at a deadline that may move, once data that arrived before it has been read.
package final class DeadlineTimer {
    /// The interval of checks whether reading has resumed.
    private static let pauseInterval = Duration.milliseconds(250)
    /// The time in which data that has arrived before the deadline is read.
    private static let readingInterval = Duration.milliseconds(1)

    private let loop: EventLoop
    private let deadline: () -> UInt64?
    private let isReadingPaused: () -> Bool
    private let action: () -> Void
    private lazy var timer = Timer(on: loop) { [unowned self] in timerFired() }
    /// When the timer fires, or `nil` if it is not running.
    private var time: UInt64?
    /// Whether data that arrived before the deadline has been read.
    private var hasReadArrived = false

    /// Creates a stopped timer.
    /// - Parameters:
    ///   - deadline: Returns the deadline on the loop's clock in nanoseconds, or `nil` if there is none.
    ///   - isReadingPaused: Returns whether data may have arrived without being read.
    ///   - action: Called after the deadline.
    package init(
        on loop: EventLoop, deadline: @escaping () -> UInt64?,
        isReadingPaused: @escaping () -> Bool = { false }, action: @escaping () -> Void
    ) {
        self.loop = loop
        self.deadline = deadline
        self.isReadingPaused = isReadingPaused
        self.action = action
    }

    private var now: UInt64 { loop.now.nanoseconds }

    /// Handles a change of the deadline. A timer that fires before a later deadline runs on, so that most changes start
    /// no timer.
    package func update() {
        guard let deadline = deadline() else { return stop() }
        if let time, time <= deadline { return }
        start(at: deadline)
    }

    package func stop() {
        hasReadArrived = false
        guard time != nil else { return }
        time = nil
        timer.stop()
    }

    private func start(at time: UInt64) {
        self.time = time
        timer.start(after: .nanoseconds(Int64(clamping: time > now ? time - now : 0)))
    }

    private func timerFired() {
        time = nil
        guard let deadline = deadline() else { return }
        let now = now
        guard deadline <= now else {
            hasReadArrived = false
            return start(at: deadline)
        }
        guard !isReadingPaused() else {
            hasReadArrived = false
            return start(at: now + Self.pauseInterval.nanoseconds)
        }
        guard hasReadArrived else {
            hasReadArrived = true
            return start(at: now + Self.readingInterval.nanoseconds)
        }
        hasReadArrived = false
        action()
    }
}

extension EventLoop {
    /// The offset from the loop's clock to the time since 1970, in nanoseconds. It changes when the machine sleeps, or its
    /// clock is set.
    package var clockOffset: UInt64 { WallTime.now.sinceEpoch.nanoseconds &- nowNanoseconds }
}
