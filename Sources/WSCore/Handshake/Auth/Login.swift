/// As whom a client has come in: made of what the server knows, never of what a request says.
public enum Login: Equatable, Sendable {
    /// With a password (RFC 7617).
    case basic(user: String)
    /// With a token (RFC 6750), which has no name.
    case bearer
}
