/// How a connection has opened and ended so far.
struct Course {
    /// Whether we are the client.
    let isClient: Bool
    /// The response with which the server has refused.
    var refusal: Head?
    /// The response with status 101.
    var response: Head?
    /// The code of the peer's close frame; ``CloseCode/none`` for a frame without one.
    var peerClose: UInt16?
    var hasSentClose = false
    /// Whether the peer's close frame came before ours.
    var peerClosedFirst = false
    /// Whether TCP has ended, or the stream of HTTP/2.
    var hasEnded = false
    /// The error with which the peer has ended HTTP/2.
    var error: HTTP2Error?

    init(isClient: Bool) { self.isClient = isClient }

    /// Whether the WebSocket has been open.
    var isOpen: Bool { response != nil || !isClient }

    /// Whether TCP ended before either side had closed.
    private var endedFirst: Bool { hasEnded && peerClose == nil && !hasSentClose }

    /// Whether the connection has come to an end as an outcome wants.
    /// - Parameters:
    ///   - isDone: Whether all steps are done.
    ///   - hasEvents: Whether the outcome has events.
    func matches(_ ending: Ending, isDone: Bool, hasEvents: Bool) -> Bool {
        switch ending {
        case .refuses(let statuses, let orDrops, let conditions):
            guard !isOpen else { return false }
            guard let refusal, let status = refusal.status else { return orDrops && hasEnded }
            return (statuses.isEmpty || statuses.contains(status)) && conditions.allSatisfy(refusal.meets)
        case .opens(let conditions):
            return isOpen && isDone && (response.map { response in conditions.allSatisfy(response.meets) } ?? true)
        case .closes: return isOpen && isDone && (!peerClosedFirst && !endedFirst || hasEvents)
        case .ends: return hasEnded && error == nil
        case .resets(let codes, let endsConnection, let orDrops):
            guard let error else { return orDrops && hasEnded }
            return (codes.isEmpty || codes.contains(error.code)) && (error.endsConnection || !endsConnection)
        case .fails(let codes, let isExact, let orDrops):
            guard isOpen, peerClosedFirst || endedFirst else { return false }
            guard isExact else { return true }
            return peerClose.map(codes.contains) ?? orDrops
        case .answers(let codes, let orDrops):
            guard isOpen, hasSentClose else { return false }
            return peerClose.map(codes.contains) ?? (orDrops && hasEnded)
        }
    }

    /// Judges the end apart from the events.
    func closeVerdict(_ ending: Ending) -> CloseVerdict {
        switch ending {
        case .fails(let codes, let isExact, _):
            guard peerClosedFirst || endedFirst else { return .failed }
            // RFC 6455 §7.1.7: a peer should send a close frame. Outcomes with exact codes say whether it may drop, and those
            // without codes are also of clients that reject our handshake.
            guard let peerClose else { return isExact || codes.isEmpty ? .ok : .unclean }
            return codes.isEmpty || peerClose == CloseCode.none || codes.contains(peerClose) ? .ok : .wrongCode
        case .ends, .refuses, .resets: return hasEnded ? .ok : .failed
        case .closes, .opens, .answers:
            if peerClosedFirst || endedFirst { return .failed }
            guard let peerClose else {
                if case .answers(_, orDrops: true) = ending, hasEnded { return .ok }
                return .unclean
            }
            var codes = [CloseCode.normal, CloseCode.none]
            if case .answers(let others, _) = ending { codes = others }
            guard codes.contains(peerClose) else { return .wrongCode }
            return isClient && !hasEnded ? .notEnded : .ok
        }
    }

    /// The end in words.
    var words: String {
        if let refusal { return "the server refused with status \(refusal.status ?? 0)" }
        if let peerClose {
            let code = peerClose == CloseCode.none ? "no code" : "\(peerClose)"
            return peerClosedFirst ? "the peer closed with \(code)" : "the peer answered our close frame with \(code)"
        }
        if let error {
            return "the peer ended the \(error.endsConnection ? "connection" : "stream") with "
                + HTTP2ErrorCode.name(error.code)
        }
        return hasEnded ? "the peer ended the connection without a close frame" : "the connection stayed open"
    }
}

extension Ending {
    func permits(_ code: UInt16) -> Bool {
        switch self {
        case .answers(let codes, _), .fails(let codes, _, _): codes.contains(code)
        case .closes, .ends, .refuses, .opens, .resets: false
        }
    }

    /// Whether the end of TCP is awaited.
    var isOfTCP: Bool { if case .ends = self { true } else { false } }

    /// Whether we close.
    var isOurs: Bool {
        switch self {
        case .closes, .opens: true
        case .fails, .answers, .ends, .refuses, .resets: false
        }
    }

    /// Whether the outcome depends on the handshake only.
    fileprivate var judgesHandshake: Bool {
        switch self {
        case .opens, .refuses: true
        case .closes, .fails, .answers, .ends, .resets: false
        }
    }
}

extension Case {
    /// Whether an outcome depends on the handshake only.
    var judgesHandshake: Bool { outcomes.contains { $0.ending.judgesHandshake } }
}

extension Head {
    fileprivate func meets(_ condition: HeadCondition) -> Bool {
        let values = values(of: condition.name)
        guard condition.isPresent else { return values.isEmpty }
        return condition.value.map { value in values.contains { $0.lowercased() == value.lowercased() } }
            ?? !values.isEmpty
    }
}
