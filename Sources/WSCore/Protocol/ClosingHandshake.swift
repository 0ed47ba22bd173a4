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
package struct ClosingHandshake: Equatable, Sendable {
    /// The close frame sent, or nil if none was sent yet.
    package var sent: CloseFrame?
    /// The close frame received, or nil if none has arrived yet.
    package var received: CloseFrame?
    /// Whether this endpoint sent its close frame before it received the peer's.
    package var wasStartedHere = false

    /// Creates a state, by default that of an open connection.
    package init(sent: CloseFrame? = nil, received: CloseFrame? = nil, wasStartedHere: Bool = false) {
        self.sent = sent
        self.received = received
        self.wasStartedHere = wasStartedHere
    }

    /// Whether both endpoints have sent a close frame.
    package var isComplete: Bool { sent != nil && received != nil }
}
