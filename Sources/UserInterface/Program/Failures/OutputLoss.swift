import Formats
import WSCore

/// What a server has not sent at the end of a run.
package struct UnsentOutput: Equatable, CustomStringConvertible {
    /// The number of messages that `--delay` or a replay held back.
    package var delayedMessageCount = 0
    /// The size of the data that did not reach clients.
    package var queuedBytes = 0
    /// Whether standard input had more to send.
    package var hasInput = false

    package init() {}

    /// The loss, or `nil` if nothing is unsent.
    package var loss: OutputLoss? { self == UnsentOutput() ? nil : .unsent(self) }

    /// What was not sent, with a verb: `2 delayed messages, and the rest of standard input were`.
    package var description: String {
        let parts = [
            delayedMessageCount > 0 ? Phrase.count(delayedMessageCount, "delayed message") : nil,
            queuedBytes > 0 ? "\(Phrase.count(queuedBytes, "byte")) that clients did not read" : nil,
            hasInput ? "the rest of standard input" : nil,
        ].compactMap(\.self)
        let isOne = parts.count == 1 && (hasInput || delayedMessageCount == 1 || queuedBytes == 1)
        return parts.joined(separator: ", and ") + (isOne ? " was" : " were")
    }
}

/// What an output lacks at the end of a run because its reader was too slow.
package enum OutputLoss: Equatable, CustomStringConvertible {
    /// Standard output lacks this many received messages. It lacks at least one, or other events.
    /// - Parameter hasUnread: Whether more had arrived that was not read.
    case messages(Int, hasUnread: Bool = false)
    /// The recording lacks its end.
    case recording(path: String)
    /// The file of `--samples` lacks its end.
    case samples(path: String)
    /// Clients of a server lack what was meant for them.
    case unsent(UnsentOutput)

    /// The loss in words: `writing standard output: 2 received messages were not written …`.
    package var description: String {
        switch self {
        case .messages(let count, let hasUnread):
            let lost = count > 0 ? Phrase.count(count, "received message") : "the last events"
            return "writing standard output: \(lost) \(count == 1 ? "was" : "were") not written because its reader was "
                + "too slow" + (hasUnread ? "; more had arrived and was not read" : "")
        case .recording(let path):
            return "recording to \(escapingControls(path)): the end is missing because the pipe's reader was too slow"
        case .samples(let path):
            return "writing samples to \(escapingControls(path)): the end is missing because the pipe's reader was too "
                + "slow"
        case .unsent(let unsent): return "sending to clients: \(unsent) not sent"
        }
    }
}
