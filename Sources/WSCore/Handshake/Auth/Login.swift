/// The identity of an authenticated client. It comes from the server's own settings, never from the request.
public enum Login: Equatable, Sendable {
    /// Authenticated with a password (RFC 7617).
    case basic(user: String)
    /// Authenticated with a token (RFC 6750), which has no user name.
    case bearer
}
