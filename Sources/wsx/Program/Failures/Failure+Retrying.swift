import WSCore

extension Failure {
    /// Whether another attempt may succeed without a change on this side, because the server or the network may be down
    /// temporarily. A server does not change its mind about access rights.
    var isWorthRetrying: Bool {
        switch self {
        case .lost, .silent, .notReady: true
        case .closed(let frame): Self.isPassing(frame.code)
        case .connecting(_, let error): Self.isPassing(error)
        case .application(let failure): failure.isWorthRetrying
        case .badArgument, .missingAddress, .badInput, .input, .output, .recording, .writing, .system, .listening: false
        case .closedEarly, .closedBeforeReady, .waitEnded, .incompleteReplies, .incomplete, .errorReplies: false
        case .unmet, .badReplies, .unmetThresholds, .aborted, .scenarioFailed, .scenarioFailedForClients, .noReply,
            .lateReplies, .unanswered, .unsent, .program:
            false
        case .violation, .limitExceeded, .closingTimedOut, .runTimedOut, .gaveUp, .undeliverable, .told, .interrupted,
            .terminated,
            .hungUp, .quit, .incompleteOutput:
            false
        }
    }

    /// The codes of servers that stop or restart, and of gateways that lost their server. Other codes respond to the
    /// messages, which would be sent again.
    private static func isPassing(_ code: CloseCode?) -> Bool {
        switch code {
        case .goingAway?, .internalError?, .serviceRestart?, .tryAgainLater?, .badGateway?: true
        default: false
        }
    }

    private static func isPassing(_ error: ConnectError) -> Bool {
        switch error {
        case .unresolvable(_, let error): error.mayPass
        case .unreachable(let attempts): attempts.contains { isPassing($0.error) }
        case .timedOut: true
        case .lost(.system, _): true
        case .lost(.protection(let error as TLSError), _): isPassing(error)
        case .proxyUnreachable(_, let error): isPassing(error)
        case .proxy(_, let error): isPassing(error)
        case .security(let error), .proxySecurity(_, let error): isPassing(error)
        case .handshake(let error): isPassing(error)
        case .lost, .noAddress, .unknownZone, .proxyChoice, .credentialsRefused, .compression, .redirect, .negotiation:
            false
        }
    }

    /// A missing source address or zone is a problem on this side.
    private static func isPassing(_ error: AttemptError) -> Bool {
        if case .system(let error) = error { error.mayPass } else { false }
    }

    private static func isPassing(_ error: TLSError) -> Bool {
        if case .endedDuringHandshake = error { true } else { false }
    }

    private static func isPassing(_ error: HandshakeError) -> Bool {
        switch error {
        case .closedBeforeResponse, .incompleteResponse: true
        case .refused(let head, _, _): isPassing(status: head.status)
        default: false
        }
    }

    /// RFC 9110 §15.5.9, RFC 8470 §5.2, RFC 6585 §4: 408, 425, and 429 invite a retry. Among server errors, 501 and 505
    /// are permanent (RFC 9110 §15.6).
    private static func isPassing(status: Int) -> Bool {
        switch status {
        case 408, 425, 429: true
        case 501, 505: false
        case 500...599: true
        default: false
        }
    }

    private static func isPassing(_ error: ProxyError) -> Bool {
        switch error {
        case .closedBeforeAnswer, .incompleteAnswer: true
        // RFC 9110 §15.6: the proxy could not reach the server or is unavailable. The proxy's own 500 implies neither.
        case .refused(let head, _, _): 502...504 ~= head.status
        // RFC 1928 §6: general failure, network or host unreachable, connection refused, TTL expired.
        case .failed(let reply): [1, 3, 4, 5, 6].contains(reply.code)
        default: false
        }
    }
}
