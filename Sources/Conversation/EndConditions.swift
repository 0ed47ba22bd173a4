import Formats
import WSCore

/// Decides, based on the received messages, when a run ends and whether it succeeds: `--count`, `--one`, `--until`,
/// `--expect`.
package struct EndConditions {
    /// The number of messages to wait for.
    private enum Quota {
        case messages(Int)
        /// One for each message sent, and at least one.
        case replies
    }

    private let quota: Quota?
    /// Whether messages have to do more than arrive.
    private let hasGoal: Bool
    /// All expectations, which apply again when the first message is sent, or `nil` if earlier messages meet them, too.
    private let expectationsOfReplies: [MessageCondition]?
    /// The path of the value that each reply must have, as typed, or `nil` if there is none.
    private let requiredPath: String?
    private let until: [MessageCondition]
    /// The expectations not yet met.
    private var unmet: [MessageCondition]
    /// The number of messages of the input so far.
    private var sentCount = 0
    /// Whether no more messages will be sent.
    private var isInputOver = false
    /// The number of messages received so far.
    package private(set) var receivedCount = 0
    /// The number of messages among them that were omitted, because they lack the value to write.
    private var omittedCount = 0
    /// The number of messages that arrived before the peer had read any.
    package private(set) var greetingCount = 0
    /// The replies so far. Messages that arrive before the first one is sent are no replies.
    private var replies = (count: 0, omittedCount: 0)
    private var isMet = false

    /// Creates conditions in their initial state.
    /// - Parameters:
    ///   - count: The number of messages to wait for, at least 1.
    ///   - countsReplies: Whether to wait for as many messages as are sent instead, and at least one.
    ///   - hasRequests: Whether the messages are requests. Their replies are a goal, for which their queue waits.
    ///   - tellsGreetings: Whether greetings are known, and meet no expectation.
    ///   - requiredPath: The path of the value that each reply must have, as typed, or `nil` if there is none.
    ///   - until: The first message that meets any of them ends the run.
    ///   - expectations: Conditions that messages have to meet before the end.
    package init(
        count: Int? = nil, countsReplies: Bool = false, hasRequests: Bool = false, tellsGreetings: Bool = false,
        requiredPath: String? = nil,
        until: [MessageCondition] = [], expectations: [MessageCondition] = []
    ) {
        quota = countsReplies ? .replies : count.map { .messages($0) }
        hasGoal = quota != nil || hasRequests || !until.isEmpty || !expectations.isEmpty
        self.requiredPath = requiredPath
        self.until = until
        unmet = expectations
        expectationsOfReplies = tellsGreetings ? expectations : nil
    }

    /// Checks a message, text or binary.
    /// - Parameters:
    ///   - text: The message, or the line of an event of an application protocol.
    ///   - payload: The message, or the payload of the event.
    ///   - isOmitted: Whether the message was omitted, because it lacks the value to write. It does not count for
    ///     `--count`.
    ///   - isReply: Whether the message may be a reply.
    ///   - isGreeting: Whether the message was sent before the peer had read any. It meets no expectation.
    /// - Returns: Whether the message meets the goal, which makes it the last one that counts.
    package mutating func receive(
        _ text: RawSpan, payload: RawSpan, isOmitted: Bool = false, isReply: Bool = true, isGreeting: Bool = false
    ) -> Bool {
        receivedCount += 1
        if isGreeting { greetingCount += 1 }
        if isReply { replies.count += 1 }
        if isOmitted {
            omittedCount += 1
            if isReply { replies.omittedCount += 1 }
        }
        if !unmet.isEmpty, !isGreeting { unmet.removeAll { $0.matches(text, payload: payload) } }
        isMet = isMet || hasQuota
        // A loop without a closure: most runs have no condition.
        for condition in until where condition.matches(text, payload: payload) { isMet = true }
        return isMet
    }

    /// Counts a message of the input, which is about to be sent.
    package mutating func messageSent() {
        if sentCount == 0 {
            greetingCount += replies.count
            replies = (0, 0)
            if let expectationsOfReplies { unmet = expectationsOfReplies }
        }
        sentCount += 1
    }

    /// Handles the loss of a connection, after which messages are sent again, and get replies again.
    /// - Parameter resentCount: The number of messages to send again.
    package mutating func connectionLost(resending resentCount: Int) {
        replies.count = min(replies.count, max(0, sentCount - resentCount))
    }

    /// Handles the end of the input: the number of messages to wait for is now known.
    /// - Returns: Whether the messages received so far meet the goal.
    package mutating func inputEnded() -> Bool {
        isInputOver = true
        isMet = isMet || hasQuota
        return isMet
    }

    /// Whether enough messages have arrived, and no further ones will be asked for.
    private var hasQuota: Bool {
        switch quota {
        case nil: false
        case .messages(let count): receivedCount - omittedCount >= count
        case .replies: isInputOver && replies.count >= max(1, sentCount)
        }
    }

    /// The number of messages among those received that may be replies.
    package var replyCount: Int { replies.count }

    /// Whether the goal is met, and there is a reply for each message sent.
    package var areMetByReplies: Bool {
        hasGoal && unmet.isEmpty && unmetGoal == nil && sentCount > 0 && replies.count >= sentCount
    }

    /// The regular expressions in use.
    package var patterns: [Pattern] { (until + unmet).compactMap(\.pattern) }

    /// The expectations not yet met, as typed.
    package var unmetExpectations: [String] { unmet.map(\.source) }

    /// The goal of `--count`, `--one`, or `--until` until it is met, or `nil` if none was given.
    ///
    /// Until the input ends, `--one` waits for the replies to the messages sent so far.
    package var unmetGoal: UnmetGoal? {
        guard !isMet, quota != nil || !until.isEmpty else { return nil }
        let (patterns, writtenCount) = (until.map(\.source), receivedCount - omittedCount)
        switch quota {
        case nil: return UnmetGoal(receivedCount: writtenCount, count: nil, until: patterns)
        case .messages(let count): return UnmetGoal(receivedCount: writtenCount, count: count, until: patterns)
        case .replies:
            guard replies.count < max(1, sentCount) else { return nil }
            return UnmetGoal(receivedCount: replies.count, count: sentCount, until: patterns, countsReplies: true)
        }
    }

    /// The replies without the value that each of them must have, or `nil` if there are none.
    package var incompleteReplies: IncompleteReplies? {
        guard let requiredPath, replies.omittedCount > 0 else { return nil }
        return IncompleteReplies(count: replies.omittedCount, replyCount: replies.count, path: requiredPath)
    }
}

/// Replies without the value that `--pick` writes, of a run with `--one`.
package struct IncompleteReplies: Equatable, Sendable, CustomStringConvertible {
    /// The number of replies without the value.
    package let count: Int
    /// The number of all replies.
    package let replyCount: Int
    /// The path of the value, as typed.
    package let path: String

    /// The problem: `the reply has no value at .id (--pick)`, `2 of 3 replies have no value at .id (--pick)`.
    package var description: String {
        let subject = replyCount == 1 ? "the reply" : "\(count) of \(replyCount) replies"
        return "\(subject) \(count == 1 ? "has" : "have") no value at \(escapingControls(path)) (--pick)"
    }
}

/// The unmet goal of `--count`, `--one`, and `--until`. Meeting any of them is enough.
package struct UnmetGoal: Equatable, Sendable {
    /// The number of messages received so far.
    package let receivedCount: Int
    /// The number of messages to wait for. For replies, the number of messages sent; 0 waits for any message.
    package let count: Int?
    /// The conditions to wait for, as typed.
    package let until: [String]
    /// Whether the messages are the replies for `--one`.
    package let countsReplies: Bool
    /// The condition of `--ready`, as typed, if no message has met it: nothing counted then.
    package var ready: String?

    /// Creates a goal.
    package init(receivedCount: Int, count: Int?, until: [String], countsReplies: Bool = false) {
        self.receivedCount = receivedCount
        self.count = count
        self.until = until
        self.countsReplies = countsReplies
    }

    /// The progress of the run: `1 of 3 messages`.
    package var progress: String {
        if let ready { return "no message matched --ready '\(escapingControls(ready))'" }
        let messages = awaitsAnyMessage ? "no message was received" : messageCount
        let parts = [messages, until.isEmpty ? nil : "no message matched \(patterns)"]
        return parts.compactMap { $0 }.joined(separator: ", and ")
    }

    /// The progress as the end of a sentence: `after 1 of 3 messages`, `before --until 'ready' matched`.
    package var moment: String {
        let messages = awaitsAnyMessage ? "before the first message" : messageCount.map { "after \($0)" }
        let parts = [messages, until.isEmpty ? nil : "before \(patterns) matched"]
        return parts.compactMap { $0 }.joined(separator: " and ")
    }

    /// Whether `--one` waits for the first message, because nothing was sent.
    private var awaitsAnyMessage: Bool { countsReplies && count == 0 }

    private var messageCount: String? {
        count.map { "\(receivedCount) of " + (countsReplies ? "\($0) replies" : Phrase.count($0, "message")) }
    }

    private var patterns: String {
        "--until " + until.map { "'\(escapingControls($0))'" }.joined(separator: " or ")
    }
}
