import WSCore

extension Failure {
    /// The failure that the end of a connection amounts to, or nil for a normal end.
    package static func failure(of end: ConnectionEnd, closeTimeout: Duration) -> Failure? {
        if let violation = end.violation { return failure(of: violation) }
        guard let received = end.closing.received else {
            if end.closingTimedOut, end.failure == nil { return .closingTimedOut(after: closeTimeout) }
            // A peer that drops the connection in response to a close frame has done most of what the closing handshake
            // asks for.
            return end.closing.sent != nil && end.failure == nil ? nil : loss(of: end)
        }
        switch received.code {
        case nil, .normalClosure?, .goingAway?: return nil
        // The peer's close frame echoes our own code.
        case let code where end.closing.wasStartedHere && code == end.closing.sent?.code: return nil
        default: return .closed(received)
        }
    }

    /// The failure for a connection that ended without a close frame.
    package static func loss(of end: ConnectionEnd) -> Failure {
        if case .protection(let error as HTTP2Error)? = end.failure, error.isViolation {
            .http2Violation(error)
        } else {
            .lost(end.failure, silence: end.silence)
        }
    }

    /// The failure for a connection that we have failed: a violation by the peer, or a message beyond one of our
    /// limits.
    package static func failure(of violation: ProtocolError) -> Failure {
        violation.isLimit ? .limitExceeded(violation) : .violation(violation)
    }

    /// The reason to reconnect after the end of a connection, or nil if reconnecting is unnecessary or useless.
    ///
    /// The code 1001 (going away) does not mean that the conversation is complete, as 1000 does.
    /// - Parameter codes: The close codes that do not mean it, either.
    package static func interruption(by end: ConnectionEnd, _ codes: RetriedCodes = .only([])) -> Failure? {
        guard end.violation == nil, !end.closing.wasStartedHere else { return nil }
        let failure = end.closing.received.map { Failure.closed($0) } ?? loss(of: end)
        return codes.retries(failure) ? failure : nil
    }

    /// The wait that the server asks for with Retry-After, at most ``Backoff/longestRequestedWait``; 0 if it asks for none.
    package var requestedWait: Duration {
        min(refusal?.head.retryDelay(at: WallTime.now.seconds) ?? .zero, Backoff.longestRequestedWait)
    }
}
