import Conversation
import Formats
import WSCore

/// Why an application protocol ends a connection.
struct ApplicationFailure: Equatable {
    /// The reason.
    enum Cause: Equatable {
        /// The server refuses the login or, after it, the connection; the value is the reason.
        case refused(String, afterLogin: Bool)
        /// The server has not confirmed the login in time.
        case notReady(after: Duration)
        /// The connection is unusable; the value is the reason, such as a silent server.
        case unusable(String)
        /// The server ended the connection: with a close frame, whose code the protocol may define, or without one.
        case ended(CloseFrame?, meaning: String?, afterLogin: Bool)
        /// A message of the server is not understood; the value is the reason.
        case notUnderstood(String)
        /// The codecs cannot decode a message of the server; the value is the reason.
        case undecodable(String)
        /// The server reported this error, which answers no request.
        case error(String)
        /// The server did not confirm the subscriptions for which this many lines waited.
        case unsentLines(Int)
    }

    /// The name of the protocol, or the option of the codecs.
    let name: String
    let cause: Cause

    /// The exit status.
    var status: ExitStatus {
        switch cause {
        case .refused(_, afterLogin: false), .ended(_?, _, afterLogin: false): .refused
        case .refused, .unusable, .ended: .closed
        case .notReady, .unsentLines: .timedOut
        case .notUnderstood, .undecodable: .violation
        case .error: .unmet
        }
    }

    /// The kind of failure in events.
    var kind: FailureKind {
        switch cause {
        case .refused(_, afterLogin: false), .ended(_?, _, afterLogin: false): .handshake
        case .refused, .ended(_?, _, _): .closed
        case .unusable, .ended(nil, _, _): .lost
        case .notReady, .unsentLines: .timeout
        case .notUnderstood, .undecodable: .violation
        case .error: .expectation
        }
    }

    /// Whether another attempt may succeed.
    var isWorthRetrying: Bool {
        switch cause {
        case .refused, .notUnderstood, .undecodable, .error, .unsentLines: false
        case .notReady, .unusable, .ended(nil, _, _): true
        case .ended(let frame?, _, _): Failure.closed(frame).isWorthRetrying
        }
    }

    /// One line without the program's name.
    var message: String {
        switch cause {
        case .refused(let words, afterLogin: false): "\(name): \(words); check the credentials\(help)"
        case .refused(let words, afterLogin: true): "\(name): \(words)"
        case .notReady(let limit):
            "\(name): the server did not confirm the login within \(Phrase.duration(limit)); check that the "
                + "server speaks \(name), or raise --connect-timeout"
        case .unusable(let words): "the connection was lost: \(words) (\(name))"
        case .ended(nil, _, _):
            "\(name): the server ended the connection before the login was complete; check the URL and the "
                + "credentials"
        case .ended(let frame?, let meaning, let afterLogin):
            "\(name): the server closed the connection\(afterLogin ? "" : " before the login was complete"): "
                + Failure.words(for: frame, meaning: meaning)
        case .notUnderstood(let reason): "\(name): a message of the server is not understood: \(reason)"
        case .undecodable(let reason): "\(name): a message cannot be decoded: \(reason)"
        case .error(let words): "\(name): the server reported an error: \(words)"
        case .unsentLines(let count):
            "\(name): \(Phrase.count(count, "line")) \(count == 1 ? "was" : "were") not sent: the server did not confirm "
                + "the subscription, or refused it; check it, or wait longer with --linger"
        }
    }

    /// The command that describes the protocol's parameters, unless a file defines the protocol.
    private var help: String {
        ApplicationProtocol(named: name) == nil ? "" : " (wsx help protocol \(name))"
    }
}
