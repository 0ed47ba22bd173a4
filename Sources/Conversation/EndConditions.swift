import Formats
import WSCore

/// Decides, based on the received messages, when a run ends and whether it succeeds: `--count`, `--one`, `--until`,
/// `--expect`.
public struct EndConditions {
    /// The number of messages to wait for.
    private enum Quota {
        case messages(Int)
        /// One for each message sent, and at least one. `earlyCount` messages arrived before the first one was sent.
        case replies(sentCount: Int, earlyCount: Int, isInputOver: Bool)
    }

    private var quota: Quota?
    private let until: [Pattern]
    /// The expectations not yet met.
    private var unmet: [Pattern]
    /// The number of messages received so far.
    public private(set) var receivedCount = 0
    private var isMet = false

    /// Creates conditions in their initial state.
    /// - Parameters:
    ///   - count: The number of messages to wait for, at least 1.
    ///   - countsReplies: Whether to wait for as many messages as are sent instead, and at least one.
    ///   - until: Patterns. The first match of any of them ends the run.
    ///   - expectations: Patterns that messages have to match before the end.
    public init(
        count: Int? = nil, countsReplies: Bool = false, until: [Pattern] = [], expectations: [Pattern] = []
    ) {
        quota =
            countsReplies
            ? .replies(sentCount: 0, earlyCount: 0, isInputOver: false) : count.map { .messages($0) }
        self.until = until
        unmet = expectations
    }

    /// Checks a message, text or binary.
    /// - Parameter isCounted: Whether the message counts for `--count`.
    /// - Returns: Whether the message meets the goal, which makes it the last one that counts.
    public mutating func isLast(_ payload: RawSpan, isCounted: Bool = true) -> Bool {
        if isCounted { receivedCount += 1 }
        if !unmet.isEmpty { unmet.removeAll { $0.matches(payload) } }
        isMet = isMet || hasQuota
        // A loop without a closure: most runs have no pattern.
        for pattern in until where pattern.matches(payload) { isMet = true }
        return isMet
    }

    /// Counts a message of the input, which is about to be sent.
    public mutating func messageSent() {
        guard case .replies(let sentCount, let earlyCount, let isInputOver) = quota else { return }
        quota = .replies(
            sentCount: sentCount + 1, earlyCount: sentCount == 0 ? receivedCount : earlyCount, isInputOver: isInputOver)
    }

    /// Handles the end of the input: the number of messages to wait for is now known.
    /// - Returns: Whether the messages received so far meet the goal.
    public mutating func inputEnded() -> Bool {
        guard case .replies(let sentCount, let earlyCount, false) = quota else { return isMet }
        quota = .replies(sentCount: sentCount, earlyCount: earlyCount, isInputOver: true)
        isMet = isMet || hasQuota
        return isMet
    }

    /// Whether enough messages have arrived, and no further ones will be asked for.
    private var hasQuota: Bool {
        switch quota {
        case nil, .replies(_, _, false): false
        case .messages(let count): receivedCount >= count
        case .replies(let sentCount, let earlyCount, true):
            receivedCount - earlyCount >= max(1, sentCount)
        }
    }

    /// The regular expressions in use.
    public var patterns: [Pattern] { until + unmet }

    /// The expectations not yet met, as typed.
    public var unmetExpectations: [String] { unmet.map(\.source) }

    /// The goal of `--count`, `--one`, or `--until` until it is met, or `nil` if none was given.
    ///
    /// Until the input ends, `--one` waits for the replies to the messages sent so far.
    public var unmetGoal: UnmetGoal? {
        guard !isMet, quota != nil || !until.isEmpty else { return nil }
        let patterns = until.map(\.source)
        switch quota {
        case nil: return UnmetGoal(receivedCount: receivedCount, count: nil, until: patterns)
        case .messages(let count): return UnmetGoal(receivedCount: receivedCount, count: count, until: patterns)
        case .replies(let sentCount, let earlyCount, _):
            let (replyCount, count) = (receivedCount - earlyCount, max(1, sentCount))
            guard replyCount < count else { return nil }
            return UnmetGoal(receivedCount: replyCount, count: count, until: patterns, countsReplies: true)
        }
    }
}

/// The unmet goal of `--count`, `--one`, and `--until`. Meeting any of them is enough.
public struct UnmetGoal: Equatable, Sendable {
    /// The number of messages received so far.
    public let receivedCount: Int
    /// The number of messages to wait for.
    public let count: Int?
    /// The regular expressions to wait for, as typed.
    public let until: [String]
    /// Whether the messages are the replies for `--one`.
    public var countsReplies = false

    /// The progress of the run: `1 of 3 messages`.
    public var progress: String {
        let parts = [messageCount, until.isEmpty ? nil : "no message matched \(patterns)"]
        return parts.compactMap { $0 }.joined(separator: ", and ")
    }

    /// The progress as the end of a sentence: `after 1 of 3 messages`, `before --until 'ready' matched`.
    public var moment: String {
        let parts = [messageCount.map { "after \($0)" }, until.isEmpty ? nil : "before \(patterns) matched"]
        return parts.compactMap { $0 }.joined(separator: " and ")
    }

    private var messageCount: String? {
        count.map { "\(receivedCount) of " + (countsReplies ? "\($0) replies" : Phrase.count($0, "message")) }
    }

    private var patterns: String {
        "--until " + until.map { "'\(escapingControls($0))'" }.joined(separator: " or ")
    }
}
