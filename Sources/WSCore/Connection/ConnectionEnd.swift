/// The end of an open connection.
public struct ConnectionEnd: Sendable {
    /// The final state of the closing handshake.
    package let closing: ClosingHandshake
    /// The peer's violation that made us fail the connection, if any.
    package let violation: ProtocolError?
    /// The network failure that ended the connection, if any.
    package let failure: StreamError?
    /// Whether the peer did not answer our close frame in time.
    package let closingTimedOut: Bool
    /// The time between the last bytes from the peer and the end, with millisecond resolution.
    package let silence: Duration
    /// The number of bytes sent that have not reached the peer's side, as far as known: accurate to a few KiB with TCP;
    /// through a Unix domain socket, without those that the kernel holds.
    package let unsentBytes: Int

    /// Creates the end of a connection.
    package init(
        closing: ClosingHandshake, violation: ProtocolError? = nil, failure: StreamError? = nil,
        closingTimedOut: Bool = false, silence: Duration = .zero, unsentBytes: Int = 0
    ) {
        self.closing = closing
        self.violation = violation
        self.failure = failure
        self.closingTimedOut = closingTimedOut
        self.silence = silence
        self.unsentBytes = unsentBytes
    }

    /// Whether both close frames were exchanged (RFC 6455 §7.1.4) without a violation.
    package var isClean: Bool { closing.isComplete && violation == nil }

    /// The connection's close code (RFC 6455 §7.1.5): the code received, 1005 if the close frame has none, 1006 if no
    /// close frame arrived.
    package var code: CloseCode {
        guard let received = closing.received else { return .abnormalClosure }
        return received.code ?? .noStatus
    }

    /// The connection's close reason (RFC 6455 §7.1.6): the reason received, or an empty string.
    package var reason: String { closing.received?.reason ?? "" }
}
