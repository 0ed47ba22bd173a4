import Formats
import WSCore

/// Decides, based on the received messages, when a run ends and whether it succeeds: `--count`, `--until`, `--expect`.
public struct EndConditions {
    private let count: Int?
    private let until: [Pattern]
    /// The expectations not yet met.
    private var unmet: [Pattern]
    private var receivedCount = 0
    private var isMet = false

    /// Creates conditions in their initial state. `count` must be at least 1.
    public init(count: Int? = nil, until: [Pattern] = [], expectations: [Pattern] = []) {
        self.count = count
        self.until = until
        unmet = expectations
    }

    /// Checks a message, text or binary.
    /// - Returns: Whether the message meets the goal, which makes it the last one that counts.
    public mutating func isLast(_ payload: RawSpan) -> Bool {
        receivedCount += 1
        if !unmet.isEmpty { unmet.removeAll { $0.matches(payload) } }
        isMet = isMet || receivedCount == count
        // A loop without a closure: most runs have no pattern.
        for pattern in until where pattern.matches(payload) { isMet = true }
        return isMet
    }

    /// The regular expressions in use.
    public var patterns: [Pattern] { until + unmet }

    /// The expectations not yet met, as typed.
    public var unmetExpectations: [String] { unmet.map(\.source) }

    /// The goal of `--count` or `--until` until it is met, or `nil` if neither was given.
    public var unmetGoal: UnmetGoal? {
        guard !isMet, count != nil || !until.isEmpty else { return nil }
        return UnmetGoal(receivedCount: receivedCount, count: count, until: until.map(\.source))
    }
}

/// The unmet goal of `--count` and `--until`. Meeting either of them is enough.
public struct UnmetGoal: Equatable, Sendable {
    /// The number of messages received so far.
    public let receivedCount: Int
    /// The number of messages to wait for.
    public let count: Int?
    /// The regular expressions to wait for, as typed.
    public let until: [String]

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

    private var messageCount: String? { count.map { "\(receivedCount) of \(Phrase.count($0, "message"))" } }

    private var patterns: String {
        "--until " + until.map { "'\(escapingControls($0))'" }.joined(separator: " or ")
    }
}
