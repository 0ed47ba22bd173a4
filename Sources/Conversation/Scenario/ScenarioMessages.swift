import Formats
import WSCore

/// Composes the messages that the steps of a connection send, and judges those that it receives.
struct ScenarioMessages: ~Copyable {
    var variables: TemplateVariables
    var stamps: StampSource
    /// The last message that the current step has skipped.
    var skipped: SkippedMessage?
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
            // The client extracts values from the messages it receives, so its peer keeps the same values.
            if playsPeer {
                let sent = buffer.withReadableBytes { span in span.withUnsafeBytes { Array($0) } }
                try keep(sent.span.bytes, message.extractions)
            }
        } catch {
            throw .missing(error)
        }
        return try buffer.withReadableBytes(send)
    }

    /// Keeps the values of a message of the peer.
    private mutating func keep(_ message: RawSpan, _ extractions: [Extraction]) throws(TemplateValueError) {
        for extraction in extractions { try extraction.apply(to: &variables, from: message) }
        if usesLastMessage { variables.setLastMessage(message) }
    }

    /// Checks a message against the expectation of the current step.
    mutating func takes(
        _ payload: RawSpan, as kind: MessageKind, shownAs line: [UInt8]?, _ expectation: Scenario.Expectation
    ) throws(ScenarioFailure.Reason) -> Bool {
        var isMatch = expectation.kind == nil || expectation.kind == kind
        var isExpected = true
        do throws(TemplateValueError) {
            if isMatch {
                isMatch = try matches(payload, shownAs: line, expectation.matcher)
            }
            if isMatch, let expected = expectation.expected {
                isExpected = try matches(payload, shownAs: line, expected)
            }
            if isMatch, isExpected, !playsPeer { try keep(payload, expectation.extractions) }
        } catch {
            throw .missing(error)
        }
        if isMatch, isExpected { return true }
        let message = WaitingFrames.Message(kind: kind, payload: payload.withUnsafeBytes { Array($0) }, line: line)
        guard isExpected else { throw .wrong(difference(from: expectation.expected, message)) }
        if expectation.isStrict { throw .unexpected(difference(from: expectation, message)) }
        skipped = SkippedMessage(message)
        return false
    }

    private mutating func matches(
        _ payload: RawSpan, shownAs line: [UInt8]?, _ matcher: Matcher
    ) throws(TemplateValueError) -> Bool {
        guard matcher.comparesWhole, let line else {
            return try matcher.matches(payload, stamp: stamps.next, variables: variables, scratch: &buffer)
        }
        return try matcher.matches(line.span.bytes, stamp: stamps.next, variables: variables, scratch: &buffer)
    }

    // MARK: Failures

    /// What a step waits for, and why the last message was not the one.
    func awaited(by action: Scenario.Step.Action) -> ScenarioFailure.Awaited {
        switch (action, skipped) {
        case (.receive(let expectation), .kept(let message)?):
            .otherMessage(difference(from: expectation, message))
        case (.receive, .long(let byteCount)?): .otherMessageThan(byteCount: byteCount)
        case (.receivePing, _): .ping
        case (.receivePong, _): .pong
        case (.receiveClose, _): .close
        case (.close, _): .closeAnswer
        default: .message
        }
    }

    /// The difference of the last message that a step has skipped, or `nil` if there is none.
    func skippedDifference(from action: Scenario.Step.Action) -> MessageDifference? {
        guard case .receive(let expectation) = action, case .kept(let message)? = skipped else { return nil }
        return difference(from: expectation, message)
    }

    private func difference(
        from expectation: Scenario.Expectation, _ message: WaitingFrames.Message
    ) -> MessageDifference? {
        if let expected = expectation.kind, expected != message.kind {
            return MessageDifference(at: nil, expected: Self.words(expected), actual: Self.words(message.kind))
        }
        return difference(from: expectation.matcher, message)
    }

    private func difference(from matcher: Matcher?, _ message: WaitingFrames.Message) -> MessageDifference? {
        guard let matcher else { return nil }
        let text = matcher.comparesWhole ? message.line ?? message.payload : message.payload
        do throws(TemplateValueError) {
            return try matcher.difference(text.span.bytes, stamp: stamps.next, variables: variables)
        } catch {
            return nil
        }
    }

    private static func words(_ kind: MessageKind) -> String { "a \(kind == .text ? "text" : "binary") message" }
}
