import WSCore

/// Calls a function when the run must end because of a signal or the time limit of `--timeout`.
///
/// Signals that were ignored when the process started, as with `nohup`, stay ignored.
package final class StopRequests {
    /// A request to end the run.
    package enum Request: Equatable {
        case interrupt
        case terminate
        case hangUp
        case quit
        /// The run reached this time limit.
        case timeLimit(Duration)

        /// The failure of a run that cannot complete because of the request.
        package var failure: Failure {
            switch self {
            case .interrupt: .interrupted
            case .terminate: .terminated
            case .hangUp: .hungUp
            case .quit: .quit
            case .timeLimit(let limit): .runTimedOut(after: limit)
            }
        }

        /// The signal, or `nil` for a time limit.
        package var signal: SignalWatcher.Signal? { StopRequests.requests.first { $0.1 == self }?.0 }
    }

    private static let requests: [(SignalWatcher.Signal, Request)] = [
        (.interrupt, .interrupt), (.terminate, .terminate), (.hangUp, .hangUp), (.quit, .quit),
    ]

    private let signals: [SignalWatcher]
    private let timer: Timer?

    /// Starts to watch; releasing the object stops it.
    /// - Parameters:
    ///   - signals: SIGINT and SIGTERM, and also SIGHUP and SIGQUIT if `all`.
    ///   - timeLimit: The time limit of the run; nil: none.
    ///   - action: Receives each request.
    /// - Throws: ``Failure`` if the system has no descriptor left.
    package init(
        all: Bool = true, timeLimit: Duration? = nil, on loop: EventLoop, action: @escaping (Request) -> Void
    ) throws(Failure) {
        var signals: [SignalWatcher] = []
        do throws(IOError) {
            for (signal, request) in Self.requests.prefix(all ? 4 : 2) {
                signals.append(try SignalWatcher(signal, on: loop) { action(request) })
            }
        } catch {
            throw .system(error)
        }
        self.signals = signals
        timer = timeLimit.map { limit in
            let timer = Timer(on: loop) { action(.timeLimit(limit)) }
            timer.start(after: limit)
            return timer
        }
    }
}
