/// When `wsx listen` closes a client.
enum CloseLimit: Equatable, Sendable {
    /// After so many messages of the client.
    case messages(Int)
    /// After so long.
    case time(Duration)
}
