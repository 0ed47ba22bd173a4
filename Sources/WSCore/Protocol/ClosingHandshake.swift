/// How far the closing handshake has come (RFC 6455 §7.1).
///
///                        we send Close
///           ┌────── open ──────────────→ sent ──────┐
///           │                                       │ the peer's Close arrives
///           │ the peer's Close arrives              │ (its answer, or its own that
///           ↓                                       ↓  crossed ours: no difference)
///       received ───────────────────────────→ complete
///                    we send our answer
///
/// Each end sends one close frame at most, whichever came first, so simultaneous closes need no case of their own.
public struct ClosingHandshake: Equatable, Sendable {
    /// The close frame that was sent; nil before.
    public internal(set) var sent: CloseFrame?
    /// The close frame that arrived; nil before.
    public internal(set) var received: CloseFrame?
    /// Whether this end sent its close frame before the peer's arrived.
    public internal(set) var wasStartedHere = false

    /// Makes the state of an open connection.
    public init() {}

    /// Whether both ends have sent their close frame.
    public var isComplete: Bool { sent != nil && received != nil }

    /// Whether nothing more may be sent, but for answers to pings.
    ///
    /// RFC 6455 §5.5.1: an endpoint must not send any more data frames after sending a close frame. Pings of our own
    /// would be of no use. Those of the peer are answered until its close frame arrives (§5.5.2).
    @inlinable
    public var isSendingOver: Bool { sent != nil }
}
