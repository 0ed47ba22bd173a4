import Formats
import WSCore

/// Why the server disconnected a client.
enum DisconnectReason {
    /// No message in either direction for this long.
    case idle(Duration)
    /// Nothing received for this long, through this many heartbeats.
    case silent(for: Duration, misses: Int)

    /// What the log says.
    var words: String {
        switch self {
        case .idle(let limit): "idle for \(Phrase.duration(limit))"
        case .silent(_, let misses): "no answer to \(Phrase.count(misses, "heartbeat"))"
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
