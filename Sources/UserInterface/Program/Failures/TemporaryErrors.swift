import WSCore

// Whether an error may be gone on the next attempt, without a change on this side.

extension CloseCode {
    /// The codes of servers that stop or restart, and of gateways that lost their server. Other codes respond to the
    /// messages, which would be sent again.
    var isTemporary: Bool {
        switch self {
        case .goingAway, .internalError, .serviceRestart, .tryAgainLater, .badGateway: true
        default: false
        }
    }
}

extension AttemptError {
    /// A missing source address or zone is a problem on this side.
    var isTemporary: Bool { if case .system(let error) = self { error.mayPass } else { false } }
}

extension StreamError {
    var isTemporary: Bool {
        switch self {
        case .system: true
        case .protection(let error):
            (error as? TLSError)?.isTemporary ?? (error as? HTTP2Error)?.isTemporary ?? false
        }
    }
}

extension TLSError {
    var isTemporary: Bool { if case .endedDuringHandshake = self { true } else { false } }
}

extension HTTP2Error {
    /// RFC 9113 §8.7: a server that ends a connection, or refuses a stream, has not processed it.
    var isTemporary: Bool {
        switch self {
        case .goAway, .reset(HTTP2Error.refusedStream): true
        default: false
        }
    }
}

extension HandshakeError {
    var isTemporary: Bool {
        switch self {
        case .closedBeforeResponse, .incompleteResponse: true
        case .refused(let head, _, _): Self.isTemporary(status: head.status)
        case .http2(let error): error.isTemporary
        default: false
        }
    }

    /// RFC 9110 §15.5.9, RFC 8470 §5.2, RFC 6585 §4: 408, 425, and 429 invite a retry. Among server errors, 501 and 505
    /// are permanent (RFC 9110 §15.6).
    private static func isTemporary(status: Int) -> Bool {
        switch status {
        case 408, 425, 429: true
        case 501, 505: false
        case 500...599: true
        default: false
        }
    }
}

extension ProxyError {
    var isTemporary: Bool {
        switch self {
        case .closedBeforeAnswer, .incompleteAnswer: true
        // RFC 9110 §15.6: the proxy could not reach the server or is unavailable. The proxy's own 500 implies neither.
        case .refused(let head, _, _): 502...504 ~= head.status
        // RFC 1928 §6: general failure, network or host unreachable, connection refused, TTL expired.
        case .failed(let reply): [1, 3, 4, 5, 6].contains(reply.code)
        default: false
        }
    }
}
