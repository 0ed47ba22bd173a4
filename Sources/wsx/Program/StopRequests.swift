import WSCore

/// Calls a function when something outside the run asks it to end: a signal, or the time limit of `--timeout`.
///
/// A signal that the process was started to ignore, as by `nohup`, is still ignored.
final class StopRequests {
    /// A request to end the run.
    enum Request: Equatable {
        case interrupt
        case terminate
        case hangUp
        case quit
        /// The run has taken this long.
        case timeLimit(Duration)

        /// The failure that a run ends with which cannot do what it was to do.
        var failure: Failure {
            switch self {
            case .interrupt: .interrupted
            case .terminate: .terminated
            case .hangUp: .hungUp
            case .quit: .quit
            case .timeLimit(let limit): .runTimedOut(after: limit)
            }
        }
    }

    private let signals: [SignalWatcher]
    private let timer: Timer?

    /// Starts to watch; releasing the object ends that.
    /// - Parameters:
    ///   - signals: SIGINT and SIGTERM, and also SIGHUP and SIGQUIT if `all`.
    ///   - timeLimit: How long the run may take; nil: there is no limit.
    ///   - action: Receives each request.
    init(
        all: Bool = true, timeLimit: Duration? = nil, on loop: EventLoop, action: @escaping (Request) -> Void
    ) {
        let requests: [(SignalWatcher.Signal, Request)] = [
            (.interrupt, .interrupt), (.terminate, .terminate), (.hangUp, .hangUp), (.quit, .quit),
        ]
        signals = requests.prefix(all ? 4 : 2).compactMap { signal, request in
            SignalWatcher(signal, on: loop) { action(request) }
        }
        timer = timeLimit.map { limit in
            let timer = Timer(on: loop) { action(.timeLimit(limit)) }
            timer.start(after: limit)
            return timer
        }
    }
}
