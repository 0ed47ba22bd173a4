import Formats
import WSCore

/// Composes the messages that the steps of a connection send, and judges those that it receives.
struct ScenarioMessages: ~Copyable {
    var variables: TemplateVariables
    var stamps: StampSource
    /// The verdict on a message.
    enum Verdict {
        /// The message, or the last one of a reply.
        case expected
        /// A message of a reply that is not its last.
        case part
        case other
    }

    private var skipped = SkippedMessages()
    /// The closest message that the current step has skipped, among those that are no longer in ``skipped``.
    private var closest: (entry: SkippedMessages.Entry, closeness: Int)?
    private let playsPeer: Bool
    /// Whether a step inserts values of the last message.
    private let usesLastMessage: Bool
    private var buffer = ByteBuffer()

    init(of scenario: Scenario, _ stamps: StampSource) {
        variables = TemplateVariables(scenario.variables)
        playsPeer = scenario.playsPeer
        usesLastMessage = scenario.usesLastMessage
        self.stamps = stamps
    }

    /// Passes the message that a step sends to `send`, and returns its result.
    mutating func compose(
        _ message: Scenario.Message, at now: UInt64,
        _ send: (RawSpan) throws(ScenarioFailure.Reason) -> Bool
    ) throws(ScenarioFailure.Reason) -> Bool {
        if !playsPeer { stamps.next.sequence += 1 }
        stamps.update(at: now)
        buffer.removeAll()
        do throws(TemplateValueError) {
            try message.template.write(to: &buffer, stamp: stamps.next, variables: variables)
            // Both ends set the same variables, so they have the same values.
            if playsPeer || !message.extractions.isEmpty {
                let sent = buffer.withReadableBytes { span in span.withUnsafeBytes { Array($0) } }
                try keep(sent.span.bytes, message.extractions, isFromServer: playsPeer)
            }
        } catch {
            throw .missing(error)
        }
        return try buffer.withReadableBytes(send)
    }

    /// Keeps the values of a message.
    private mutating func keep(
        _ message: RawSpan, _ extractions: [Extraction], isFromServer: Bool
    ) throws(TemplateValueError) {
        for extraction in extractions { try extraction.apply(to: &variables, from: message) }
        if usesLastMessage, isFromServer { variables.setLastMessage(message) }
    }

    /// Checks a message against the expectation of a step, and keeps the values of an expected one.
    mutating func judge(
        _ payload: RawSpan, as kind: MessageKind, shownAs line: [UInt8]?, _ expectation: Scenario.Expectation
    ) throws(ScenarioFailure.Reason) -> Verdict {
        guard expectation.kind == nil || expectation.kind == kind else { return .other }
        var isExpected = true
        do throws(TemplateValueError) {
            var isMatch = true
            if let matcher = expectation.matcher { isMatch = try matches(payload, shownAs: line, matcher) }
            if let replyEnd = expectation.replyEnd {
                guard try matches(payload, shownAs: line, replyEnd) else { return isMatch ? .part : .other }
            } else if !isMatch {
                return .other
            }
            if let expected = expectation.expected { isExpected = try matches(payload, shownAs: line, expected) }
            if isExpected { try keep(payload, expectation.extractions, isFromServer: !playsPeer) }
        } catch {
            throw .missing(error)
        }
        guard isExpected else {
            let message = WaitingFrames.Message(kind: kind, payload: payload.withUnsafeBytes { Array($0) }, line: line)
            throw .wrong(difference(from: expectation.expected, message))
        }
        return .expected
    }

    private mutating func matches(
        _ payload: RawSpan, shownAs line: [UInt8]?, _ matcher: Matcher
    ) throws(TemplateValueError) -> Bool {
        guard matcher.comparesWhole, let line else {
            return try matcher.matches(payload, stamp: stamps.next, variables: variables, scratch: &buffer)
        }
        return try matcher.matches(line.span.bytes, stamp: stamps.next, variables: variables, scratch: &buffer)
    }

    // MARK: Skipped messages

    /// Forgets which messages the current step has skipped. Those of earlier steps are kept, except for a new iteration.
    mutating func beginStep(isFirst: Bool) {
        closest = nil
        if isFirst { skipped.removeAll() }
    }

    /// Keeps a message that no step has taken.
    /// - Parameters:
    ///   - step: The current step, and ``lastStep`` the last one that could have taken it.
    mutating func skip(
        _ message: WaitingFrames.Message, _ expectation: Scenario.Expectation, in step: Scenario.Step, lastStep: Int
    ) {
        for entry in skipped.add(SkippedMessages.Entry(message: message, line: step.line, lastStep: lastStep))
        where entry.lastStep == lastStep {
            let closeness = closeness(of: entry.message, to: expectation)
            if closeness > closest?.closeness ?? -2 { closest = (entry, closeness) }
        }
    }

    /// How much a message resembles the expected one: -1 for another kind, or the number of equal values.
    func closeness(of message: WaitingFrames.Message, to expectation: Scenario.Expectation) -> Int {
        guard expectation.kind == nil || expectation.kind == message.kind else { return -1 }
        guard let matcher = expectation.matcher else { return 0 }
        return matcher.closeness(text(of: message, for: matcher).span.bytes, stamp: stamps.next, variables: variables)
    }

    private func text(of message: WaitingFrames.Message, for matcher: Matcher) -> [UInt8] {
        matcher.comparesWhole ? message.line ?? message.payload : message.payload
    }

    // MARK: Failures

    /// What a step waits for, and why the messages so far were others.
    /// - Parameter index: The index of the step.
    func awaited(by action: Scenario.Step.Action, at index: Int) -> ScenarioFailure.Awaited {
        switch action {
        case .receive: candidate(for: action, at: index).map { .otherMessage($0) } ?? .message
        case .receivePing: .ping
        case .receivePong: .pong
        case .receiveClose: .close
        case .close: .closeAnswer
        default: .message
        }
    }

    /// The skipped message that explains best why a step has not got its message, or `nil` if there is none.
    /// - Parameter index: The index of the step.
    func candidate(for action: Scenario.Step.Action, at index: Int) -> ScenarioFailure.Candidate? {
        guard case .receive(let expectation) = action else { return nil }
        let earlier = skipped.entries.first { $0.lastStep < index && isMatch($0.message, expectation) }
        if let earlier { return .skippedEarlier(line: earlier.line) }
        let others = [closest?.entry].compactMap(\.self) + skipped.entries.filter { $0.lastStep >= index }
        // Of equally close ones, the last.
        guard
            let best = others.max(by: {
                closeness(of: $0.message, to: expectation) <= closeness(of: $1.message, to: expectation)
            })
        else { return skipped.longBytes.map { .tooLong(byteCount: $0) } }
        return .differs(difference(from: expectation, best.message))
    }

    private func isMatch(_ message: WaitingFrames.Message, _ expectation: Scenario.Expectation) -> Bool {
        guard expectation.kind == nil || expectation.kind == message.kind, let matcher = expectation.matcher else {
            return false
        }
        var scratch = ByteBuffer()
        do throws(TemplateValueError) {
            return try matcher.matches(
                text(of: message, for: matcher).span.bytes, stamp: stamps.next, variables: variables,
                scratch: &scratch)
        } catch {
            return false
        }
    }

    /// How a message differs from the expected one.
    func difference(
        from expectation: Scenario.Expectation, _ message: WaitingFrames.Message
    ) -> MessageDifference? {
        if let expected = expectation.kind, expected != message.kind {
            return MessageDifference(at: nil, expected: Self.words(expected), actual: Self.words(message.kind))
        }
        return difference(from: expectation.matcher, message)
    }

    private func difference(from matcher: Matcher?, _ message: WaitingFrames.Message) -> MessageDifference? {
        guard let matcher else { return nil }
        do throws(TemplateValueError) {
            return try matcher.difference(
                text(of: message, for: matcher).span.bytes, stamp: stamps.next, variables: variables)
        } catch {
            return nil
        }
    }

    private static func words(_ kind: MessageKind) -> String { "a \(kind == .text ? "text" : "binary") message" }
}
