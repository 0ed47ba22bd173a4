/// The role of an endpoint.
public enum Role: Sendable, CaseIterable {
    /// The endpoint that opened the connection. It masks its frames (RFC 6455 §5.3).
    case client
    /// The endpoint that accepted the connection. It does not mask its frames.
    case server
}
