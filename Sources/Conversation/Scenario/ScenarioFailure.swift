import Formats
import WSCore

/// Why a scenario has failed, and where.
package struct ScenarioFailure: Error, Equatable {
    /// The reason.
    package enum Reason: Error, Equatable, Sendable {
        /// The step has not received in time what it waits for.
        case timedOut(Duration, Awaited)
        /// A message differs from the one that a strict step expects.
        case unexpected(MessageDifference?)
        /// The message that the step waits for has unexpected contents.
        case wrong(MessageDifference?)
        /// The run has reached its time limit in the step. The second value is `nil` if the step does not wait for the
        /// peer.
        case runTimedOut(after: Duration, Awaited?)
        /// The connection has ended, and the step does not expect that, or expects another code. `skipped`: the message
        /// that was closest to the expected one, or `nil` if none was skipped.
        case closed(Ending, expected: CloseCode?, skipped: Candidate? = nil)
        /// More messages than the limit have arrived while no step waited for them.
        case tooMuchWaits(byteCount: Int)
        /// The client has sent a message after the last step of its peer.
        case afterLastStep
        /// A value is missing.
        case missing(TemplateValueError)
        /// The message of the step cannot be sent, for this reason.
        case unsendable(String)
    }

    /// What a step waits for.
    package enum Awaited: Equatable, Sendable {
        /// A message, and none has arrived.
        case message
        /// Another message than those that have arrived.
        case otherMessage(Candidate)
        /// The end of a reply, of which a number of messages has arrived.
        case replyEnd(messageCount: Int)
        /// A ping.
        case ping
        /// A pong.
        case pong
        /// The end of the connection.
        case close
        /// The answer to the close frame of the step.
        case closeAnswer
    }

    /// A message that a step has skipped, and that explains its failure best.
    package enum Candidate: Equatable, Sendable {
        /// The message that is closest to the expected one differs.
        case differs(MessageDifference?)
        /// The last message is too long to be compared.
        case tooLong(byteCount: Int)
        /// The message matches, but an earlier step, in this line, has skipped it.
        case skippedEarlier(line: Int)
    }

    /// How a connection has ended.
    package enum Ending: Equatable, Sendable {
        /// The peer has sent a close frame.
        case closed(CloseFrame)
        /// There was no close frame. The network failure in words, or `nil` if there was none.
        case lost(String?)
        /// The peer has violated the protocol, or exceeded a limit.
        case violation(ProtocolError)
        /// The peer has not answered the close frame within the time limit of the connection.
        case unanswered
    }

    /// The index of the step.
    package let step: Int
    /// The name of the step, or `nil` if it has none.
    package let name: String?
    /// The number of its line in the file, from 1.
    package let line: Int
    /// The reason.
    package let reason: Reason
    /// The name of the scenario, or `nil` if there are no others.
    package var scenario: String?
}

extension ScenarioFailure: CustomStringConvertible {
    /// The step: `line 4 (login)`, or `checkout, line 4 (login)` with several scenarios.
    package var place: String {
        (scenario.map { "\(escapingControls($0)), " } ?? "") + "line \(line)"
            + (name.map { " (\(escapingControls($0)))" } ?? "")
    }

    /// The step and the reason: `line 4 (login): no matching message within 2 s`.
    package var description: String { "\(place): \(reason)" }
}

extension ScenarioFailure.Reason: CustomStringConvertible {
    /// The reason, to follow a colon.
    package var description: String {
        switch self {
        case .timedOut(let limit, let awaited): Self.words(for: awaited, within: " within \(Phrase.duration(limit))")
        case .runTimedOut(let limit, let awaited):
            "timed out after \(Phrase.duration(limit)) (--timeout)"
                + (awaited.map { ": " + Self.words(for: $0, within: "") } ?? "")
        case .unexpected(let difference?): "another message arrived: \(difference)"
        case .unexpected(nil): "another message arrived"
        case .wrong(let difference?): "the message is wrong: \(difference)"
        case .wrong(nil): "the message is wrong"
        case .closed(let ending, let expected, let skipped):
            Self.words(for: ending, insteadOf: expected) + (skipped?.words ?? "")
        case .tooMuchWaits(let byteCount):
            "more than \(byteCount >> 20) MiB of messages arrived while no step waited for them"
        case .afterLastStep: "another message arrived after the last step"
        case .missing(let error): "\(error)"
        case .unsendable(let reason): "the message cannot be sent: \(reason)"
        }
    }

    /// - Parameter limit: The time limit, such as ` within 2 s`, or an empty text.
    private static func words(for awaited: ScenarioFailure.Awaited, within limit: String) -> String {
        switch awaited {
        case .message: "nothing arrived\(limit)"
        case .otherMessage(let candidate): "no matching message\(limit)\(candidate.words)"
        case .replyEnd(let count): "the reply did not end\(limit), after \(Phrase.count(count, "message"))"
        case .ping: "no ping arrived\(limit)"
        case .pong: "no pong arrived\(limit)"
        case .close: "the peer did not close the connection\(limit)"
        case .closeAnswer: "the peer did not answer the close frame\(limit)"
        }
    }

    private static func words(for ending: ScenarioFailure.Ending, insteadOf expected: CloseCode?) -> String {
        let instead = expected.map { " instead of \($0.rawValue)" } ?? ""
        switch ending {
        case .closed(let frame):
            let reason = frame.reason.isEmpty ? "" : ": \"\(escapingControls(frame.reason))\""
            return "the connection ended with \(ending.code.rawValue)\(instead)\(reason)"
        case .lost(let failure):
            return "the connection ended without a close frame\(instead)" + (failure.map { ": \($0)" } ?? "")
        case .violation(let error):
            let culprit = error.isLimit ? "" : "the peer violated the WebSocket protocol: "
            return "\(culprit)\(error) (\(error.identifier), closed with \(error.closeCode.rawValue))"
        case .unanswered: return "the peer did not answer the close frame in time; --close-timeout sets the limit"
        }
    }
}

extension ScenarioFailure.Candidate {
    /// The message, to follow a clause.
    fileprivate var words: String {
        switch self {
        case .differs(let difference?): "; the closest message differs: \(difference)"
        case .differs(nil): ""
        case .tooLong(let byteCount): "; the last message has \(Phrase.count(byteCount, "byte"))"
        case .skippedEarlier(let line): "; the step in line \(line) skipped a message that matches"
        }
    }
}

extension ScenarioFailure.Ending {
    /// The end as a scenario sees it.
    package init(_ end: ConnectionEnd) {
        if let violation = end.violation {
            self = .violation(violation)
        } else if let frame = end.closing.received {
            self = .closed(frame)
        } else {
            self = end.closingTimedOut && end.failure == nil ? .unanswered : .lost(end.failure.map { "\($0)" })
        }
    }

    /// The connection's close code (RFC 6455 §7.1.5).
    var code: CloseCode {
        guard case .closed(let frame) = self else { return .abnormalClosure }
        return frame.code ?? .noStatus
    }

    /// Whether a scenario may wait for this end: neither side is at fault.
    var mayBeExpected: Bool {
        switch self {
        case .closed, .lost: true
        case .violation, .unanswered: false
        }
    }

    /// Whether the end completes a closing handshake of this end. A peer may drop the connection instead of answering.
    var completesClose: Bool {
        if case .lost(let failure) = self { failure == nil } else { mayBeExpected }
    }
}

extension ScenarioFailure.Reason {
    /// Whether the peer has not answered the close frame of the step.
    package var isUnansweredClose: Bool {
        switch self {
        case .timedOut(_, .closeAnswer), .closed(.unanswered, _, _): true
        default: false
        }
    }

    /// Whether a value is missing.
    var isMissing: Bool { if case .missing = self { true } else { false } }

    /// Whether the time limit of the run is the reason.
    package var isRunTimeout: Bool { if case .runTimedOut = self { true } else { false } }
}
