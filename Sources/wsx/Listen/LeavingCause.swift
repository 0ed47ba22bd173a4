import WSCore

/// Why the server left a client of its own accord.
enum LeavingCause {
    /// Nothing was carried for so long.
    case idle(Duration)
    /// Nothing came for so long, although there were so many heartbeats to answer.
    case silent(for: Duration, misses: Int)

    /// What the log says.
    var words: String {
        switch self {
        case .idle(let limit): "idle for \(Failure.words(for: limit))"
        case .silent(_, let misses): "no answer to \(Failure.number(misses, "heartbeat"))"
        }
    }

    /// What it is a failure of; nil: it is none.
    var failure: Failure? {
        switch self {
        case .idle: nil
        case .silent(let silence, let misses): .silent(for: silence, misses: misses)
        }
    }
}
