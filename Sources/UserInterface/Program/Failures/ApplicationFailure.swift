import Conversation
import Formats
import WSCore

/// Why an application protocol ends a connection.
package struct ApplicationFailure: Equatable {
    /// The name of the protocol.
    package let name: String
    package let problem: ProtocolProblem

    package init(name: String, problem: ProtocolProblem) {
        self.name = name
        self.problem = problem
    }

    /// The exit status, kind, and message.
    package var report: FailureReport {
        var report = reportOfProblem
        report.leavesGoalOpen = true
        report.yieldsToRefusal = report.status == .closed || report.status == .timedOut
        return report
    }

    private var reportOfProblem: FailureReport {
        switch problem {
        case .refused(let words, afterLogin: false, isAboutLogin: true):
            .init(.handshake, "\(name): \(words); check the credentials\(help)")
        case .refused(let words, let afterLogin, _): .init(afterLogin ? .closed : .handshake, "\(name): \(words)")
        case .notReady(let limit):
            .init(
                .timeout,
                "\(name): the server did not confirm the login within \(Phrase.duration(limit)); check that the "
                    + "server speaks \(name), or raise --connect-timeout", isWorthRetrying: true)
        case .unusable(let words):
            .init(.lost, "the connection was lost: \(words) (\(name))", isWorthRetrying: true)
        case .refusedLine(let words): .init(.expectation, "\(name): \(words)", isWorthRetrying: true)
        case .unconfirmedLines(let count):
            .init(
                .timeout,
                "\(name): the server did not confirm \(Phrase.count(count, "line")), such as a subscription; check "
                    + "\(count == 1 ? "it" : "them"), or wait longer with --linger")
        case .ended(nil, _, _):
            .init(
                .lost,
                "\(name): the server ended the connection before the login was complete; check the URL and the "
                    + "credentials", isWorthRetrying: true)
        case .ended(let frame?, let meaning, let afterLogin):
            .init(
                afterLogin ? .closed : .handshake,
                "\(name): the server closed the connection\(afterLogin ? "" : " before the login was complete"): "
                    + Failure.words(for: frame, meaning: meaning), isWorthRetrying: frame.code?.isTemporary ?? false)
        case .notUnderstood(let reason):
            .init(.violation, "\(name): a message of the server is not understood: \(reason)")
        case .undecodable(let reason): .init(.violation, "--decode: a message cannot be decoded: \(reason)")
        case .error(let words):
            .init(.expectation, "\(name): the server reported an error: \(escapingControls(words))")
        case .errors(let count):
            .init(.expectation, "\(name): the server reported \(Phrase.count(count, "error"))")
        case .unsendable(let reason): .init(.usage, "sending: \(reason)")
        case .unsentLines(let count, let cause, let mayHaveArrived):
            .init(
                Self.kind(of: cause),
                "\(name): \(Self.unsent(count, mayHaveArrived: mayHaveArrived)): \(Self.words(for: cause))")
        }
    }

    private static func kind(of cause: ProtocolProblem.UnsentCause) -> FailureKind {
        switch cause {
        case .login, .subscription: .timeout
        case .refusal: .expectation
        case .invalid: .usage
        }
    }

    /// The message of a run that fails for another reason, which makes the remedy pointless.
    package var note: String {
        guard case .unsentLines(let count, .subscription, let mayHaveArrived) = problem else {
            return report.message ?? ""
        }
        let lines = Self.unsent(count, mayHaveArrived: mayHaveArrived)
        return "\(name): \(lines): the server had not confirmed the subscription"
    }

    /// The number of lines that were not sent.
    /// - Parameter mayHaveArrived: Whether some of them may have been sent on an earlier connection.
    package static func unsent(_ count: Int, mayHaveArrived: Bool = false) -> String {
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
