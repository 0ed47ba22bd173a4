import WSCore

/// What an application protocol finds wrong with a connection.
public enum ProtocolProblem: Error, Equatable, Sendable {
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
    /// The server reported this many such errors, which have been shown.
    case errors(Int)
    /// This many lines were not sent, because the server did not confirm their subscriptions.
    case unsentLines(Int)
    /// A message cannot be sent; the value is the reason.
    case unsendable(String)
}
