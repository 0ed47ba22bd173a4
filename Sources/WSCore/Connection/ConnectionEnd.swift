/// How an open connection ended.
public struct ConnectionEnd: Sendable {
    /// How far the closing handshake had come.
    public let closing: ClosingHandshake
    /// What the peer violated, when that is why we ended it.
    public let violation: ProtocolError?
    /// The failure of the network that ended it.
    public let failure: StreamError?
    /// Whether the peer left our close frame unanswered for too long.
    public let closingTimedOut: Bool

    /// Makes an end.
    public init(
        closing: ClosingHandshake, violation: ProtocolError? = nil, failure: StreamError? = nil,
        closingTimedOut: Bool = false
    ) {
        self.closing = closing
        self.violation = violation
        self.failure = failure
        self.closingTimedOut = closingTimedOut
    }

    /// Whether both close frames were exchanged (RFC 6455 §7.1.4) and no violation was their cause.
    public var isClean: Bool { closing.isComplete && violation == nil }

    /// The connection's close code (RFC 6455 §7.1.5): the one received, 1005 for a close frame without one, 1006
    /// for no close frame.
    public var code: CloseCode {
        guard let received = closing.received else { return .abnormalClosure }
        return received.code ?? .noStatus
    }

    /// The connection's close reason (RFC 6455 §7.1.6): the one received, or an empty one.
    public var reason: String { closing.received?.reason ?? "" }
}
