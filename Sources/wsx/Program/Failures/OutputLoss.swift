import Formats
import WSCore

/// What an output lacks at the end of a run because its reader was too slow.
enum OutputLoss: Equatable, CustomStringConvertible {
    /// Standard output lacks this many received messages. It lacks at least one, or other events.
    /// - Parameter hasUnread: Whether more had arrived that was not read.
    case messages(Int, hasUnread: Bool = false)
    /// The recording lacks its end.
    case recording(path: String)

    /// The loss in words: `writing standard output: 2 received messages were not written …`.
    var description: String {
        switch self {
        case .messages(let count, let hasUnread):
            let lost = count > 0 ? Phrase.count(count, "received message") : "the last events"
            return "writing standard output: \(lost) \(count == 1 ? "was" : "were") not written because its reader was "
                + "too slow" + (hasUnread ? "; more had arrived and was not read" : "")
        case .recording(let path):
            return "recording to \(escapingControls(path)): the end is missing because the pipe's reader was too slow"
        }
    }
}
