import WSCore

/// Why a conversation in an application protocol fails: the connection is unusable, or something in it went wrong.
package enum ProtocolProblem: Error, Equatable, Sendable {
    /// The server refuses the login or, after it, the connection; the value is the reason.
    case refused(String, afterLogin: Bool, isAboutLogin: Bool = true)
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
    /// The server reported this many such errors, which have been shown.
    case errors(Int)
    /// This many lines were not sent. Some of them may have been sent on an earlier connection.
    case unsentLines(Int, UnsentCause, mayHaveArrived: Bool = false)
    /// The server has not confirmed this many lines, such as subscriptions.
    case unconfirmedLines(Int)
    /// The server refused a line and ended the connection; the value is the reason.
    case refusedLine(String)
    /// A message cannot be sent; the value is the reason.
    case unsendable(String)

    /// Why lines were not sent.
    package enum UnsentCause: Sendable {
        /// The server did not confirm the login.
        case login
        /// The server did not confirm their subscriptions.
        case subscription
        /// The server refused or ended their subscriptions.
        case refusal
        /// They were kept for a connection on which they are invalid.
        case invalid
    }
}

extension ProtocolProblem {
    /// Whether the server has ended the conversation as with a close frame that reports no problem.
    /// - Parameter reconnects: Whether another connection follows if the server is only going away.
    package func isNormalEnd(reconnects: Bool) -> Bool {
        guard case .ended(let frame?, _, afterLogin: true) = self else { return false }
        return frame.code == .normalClosure || frame.code == .goingAway && !reconnects
    }
}
