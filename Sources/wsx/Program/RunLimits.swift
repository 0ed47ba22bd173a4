import WSCore

/// What ends a run from outside: signals and the time limit. It also holds the one deadline that an end may have.
final class RunLimits {
    /// Why a run is to end.
    enum Cause {
        /// SIGINT: Ctrl-C.
        case interrupt
        case terminate
        case hangUp
        /// SIGQUIT: Ctrl-\, the way out whatever happens.
        case quit
        /// The time limit, `--timeout`, has passed.
        case timeLimit(Duration)
    }

    private let loop: EventLoop
    private var signals: [SignalWatcher] = []
    private var timer: Timer?
    private var deadline: Timer?

    /// Watches signals, and the time from now on.
    /// - Parameters:
    ///   - timeLimit: How long the run may take; nil: as long as it wants.
    ///   - end: Called with each cause.
    init(timeLimit: Duration?, on loop: EventLoop, end: @escaping (Cause) -> Void) {
        self.loop = loop
        signals = [
            SignalWatcher(.interrupt, on: loop) { end(.interrupt) },
            SignalWatcher(.terminate, on: loop) { end(.terminate) },
            SignalWatcher(.hangUp, on: loop) { end(.hangUp) },
            SignalWatcher(.quit, on: loop) { end(.quit) },
        ].compactMap { $0 }
        guard let timeLimit else { return }
        timer = Timer(on: loop) { end(.timeLimit(timeLimit)) }
        timer?.start(after: timeLimit)
    }

    /// Calls an action after a delay, in place of the one that waits.
    func setDeadline(after delay: Duration, action: @escaping () -> Void) {
        let timer = Timer(on: loop, action: action)
        deadline = timer
        timer.start(after: delay)
    }

    /// Forgets the action that waits.
    func clearDeadline() {
        deadline = nil
    }
}
