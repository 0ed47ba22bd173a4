import WSCore

extension Failure {
    /// What a connection's end counts as; nil: as done.
    static func failure(of end: ConnectionEnd, closeTimeout: Duration) -> Failure? {
        if let violation = end.violation { return failure(of: violation) }
        guard let received = end.closing.received else {
            if end.closingTimedOut, end.failure == nil { return .closingTimedOut(after: closeTimeout) }
            // A peer that drops the connection when asked to close it has done most of what was asked.
            return end.closing.sent != nil && end.failure == nil ? nil : .lost(end.failure)
        }
        switch received.code {
        case nil, .normalClosure?, .goingAway?: return nil
        // The answer to our own close frame has our own code.
        case let code where end.closing.wasStartedHere && code == end.closing.sent?.code: return nil
        default: return .closed(received)
        }
    }

    /// What a connection that we have failed counts as: a violation by the peer, or a message beyond a limit of ours.
    static func failure(of violation: ProtocolError) -> Failure {
        violation.isLimit ? .limitExceeded(violation) : .violation(violation)
    }

    /// Why another connection is to be opened after an end, if that can help; nil: there is no need, or no use.
    ///
    /// A peer that goes away has not said that all is done, as 1000 does.
    static func interruption(by end: ConnectionEnd) -> Failure? {
        guard end.violation == nil, !end.closing.wasStartedHere else { return nil }
        let failure = end.closing.received.map { Failure.closed($0) } ?? .lost(end.failure)
        return failure.isWorthRetrying ? failure : nil
    }
}
