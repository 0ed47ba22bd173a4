import Conversation
import Formats
import WSCore

/// Why an application protocol ends a connection.
struct ApplicationFailure: Equatable {
    /// The name of the protocol.
    let name: String
    let problem: ProtocolProblem

    /// The exit status.
    var status: ExitStatus {
        switch problem {
        case .refused(_, afterLogin: false, _), .ended(_?, _, afterLogin: false): .refused
        case .refused, .unusable, .ended: .closed
        case .notReady, .unsentLines(_, .login, _), .unsentLines(_, .subscription, _), .unconfirmedLines: .timedOut
        case .notUnderstood, .undecodable: .violation
        case .error, .errors, .refusedLine, .unsentLines(_, .refusal, _): .unmet
        case .unsendable, .unsentLines(_, .invalid, _): .usage
        }
    }

    /// The kind of failure in events.
    var kind: FailureKind {
        switch problem {
        case .refused(_, afterLogin: false, _), .ended(_?, _, afterLogin: false): .handshake
        case .refused, .ended(_?, _, _): .closed
        case .unusable, .ended(nil, _, _): .lost
        case .notReady, .unsentLines(_, .login, _), .unsentLines(_, .subscription, _), .unconfirmedLines: .timeout
        case .notUnderstood, .undecodable: .violation
        case .error, .errors, .refusedLine, .unsentLines(_, .refusal, _): .expectation
        case .unsendable, .unsentLines(_, .invalid, _): .usage
        }
    }

    /// Whether the server has ended the conversation as with a close frame that reports no problem.
    /// - Parameter reconnects: Whether another connection follows if the server is only going away.
    func isNormalEnd(reconnects: Bool) -> Bool {
        guard case .ended(let frame?, _, afterLogin: true) = problem else { return false }
        return frame.code == .normalClosure || frame.code == .goingAway && !reconnects
    }

    /// Whether another attempt may succeed.
    var isWorthRetrying: Bool {
        switch problem {
        case .refused, .notUnderstood, .undecodable, .error, .errors, .unsentLines, .unconfirmedLines, .unsendable:
            false
        case .notReady, .unusable, .refusedLine, .ended(nil, _, _): true
        case .ended(let frame?, _, _): Failure.closed(frame).isWorthRetrying
        }
    }

    /// One line without the program's name.
    var message: String {
        switch problem {
        case .refused(let words, afterLogin: false, isAboutLogin: true):
            "\(name): \(words); check the credentials\(help)"
        case .refused(let words, _, _): "\(name): \(words)"
        case .notReady(let limit):
            "\(name): the server did not confirm the login within \(Phrase.duration(limit)); check that the "
                + "server speaks \(name), or raise --connect-timeout"
        case .unusable(let words): "the connection was lost: \(words) (\(name))"
        case .refusedLine(let words): "\(name): \(words)"
        case .unconfirmedLines(let count):
            "\(name): the server did not confirm \(Phrase.count(count, "line")), such as a subscription; check "
                + "\(count == 1 ? "it" : "them"), or wait longer with --linger"
        case .ended(nil, _, _):
            "\(name): the server ended the connection before the login was complete; check the URL and the "
                + "credentials"
        case .ended(let frame?, let meaning, let afterLogin):
            "\(name): the server closed the connection\(afterLogin ? "" : " before the login was complete"): "
                + Failure.words(for: frame, meaning: meaning)
        case .notUnderstood(let reason): "\(name): a message of the server is not understood: \(reason)"
        case .undecodable(let reason): "--decode: a message cannot be decoded: \(reason)"
        case .error(let words): "\(name): the server reported an error: \(escapingControls(words))"
        case .errors(let count): "\(name): the server reported \(Phrase.count(count, "error"))"
        case .unsendable(let reason): "sending: \(reason)"
        case .unsentLines(let count, let cause, let mayHaveArrived):
            "\(name): \(Self.unsent(count, mayHaveArrived: mayHaveArrived)): \(Self.words(for: cause))"
        }
    }

    /// The message of a run that fails for another reason, which makes the remedy pointless.
    var note: String {
        guard case .unsentLines(let count, .subscription, let mayHaveArrived) = problem else { return message }
        let lines = Self.unsent(count, mayHaveArrived: mayHaveArrived)
        return "\(name): \(lines): the server had not confirmed the subscription"
    }

    /// The number of lines that were not sent.
    /// - Parameter mayHaveArrived: Whether some of them may have been sent on an earlier connection.
    static func unsent(_ count: Int, mayHaveArrived: Bool = false) -> String {
        let lines = Phrase.count(count, "line")
        return mayHaveArrived
            ? "\(lines) may not have reached the server" : "\(lines) \(count == 1 ? "was" : "were") not sent"
    }

    private static func words(for cause: ProtocolProblem.UnsentCause) -> String {
        switch cause {
        case .login: "the server did not confirm the login"
        case .subscription:
            "the server did not confirm the subscription; check it, or wait longer with --linger"
        case .refusal: "the server refused or ended the subscription"
        case .invalid: "not valid on the new connection"
        }
    }

    /// The command that describes the protocol's parameters, unless a file defines the protocol.
    private var help: String {
        ApplicationProtocol(named: name) == nil ? "" : " (wsx help protocol \(name))"
    }
}
