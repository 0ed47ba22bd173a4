/// The state of the closing handshake (RFC 6455 §7.1).
///
///                        we send Close
///           ┌────── open ──────────────→ sent ──────┐
///           │                                       │ the peer's Close arrives
///           │ the peer's Close arrives              │ (an answer, or sent before
///           ↓                                       ↓  ours arrived)
///       received ───────────────────────────→ complete
///                    we send our answer
///
/// Each endpoint sends at most one close frame, so simultaneous closes are no special case.
public struct ClosingHandshake: Equatable, Sendable {
    /// The close frame sent, or nil if none was sent yet.
    public internal(set) var sent: CloseFrame?
    /// The close frame received, or nil if none has arrived yet.
    public internal(set) var received: CloseFrame?
    /// Whether this endpoint sent its close frame before it received the peer's.
    public internal(set) var wasStartedHere = false

    /// Creates the state of an open connection.
    public init() {}

    /// Whether both endpoints have sent a close frame.
    public var isComplete: Bool { sent != nil && received != nil }

    /// Whether this endpoint has sent its close frame, after which it may send only pongs.
    ///
    /// RFC 6455 §5.5.1: an endpoint must not send data frames after a close frame. Our own pings would serve no purpose
    /// then. The peer's pings are answered until its close frame arrives (§5.5.2).
    @inlinable
    public var isSendingOver: Bool { sent != nil }
}
