/// How much of a message has arrived.
public struct MessageProgress: Equatable, Sendable {
    /// The bytes that are there, as they travelled: compressed, where the message is.
    public let bytes: Int
    /// The bytes that there will be; nil: its last frame has not begun, and nobody knows.
    public let totalBytes: Int?
}
