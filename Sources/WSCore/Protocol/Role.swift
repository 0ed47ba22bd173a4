/// Which end of a connection a session is.
public enum Role: Sendable, CaseIterable {
    /// The end that asked for the connection: it masks what it sends.
    case client
    /// The end that accepted it: what it sends is not masked.
    case server
}
