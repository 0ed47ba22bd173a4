/// What went one way over a connection since it was opened.
public struct Traffic: Equatable, Sendable {
    /// The number of messages.
    public var messages = 0
    /// The bytes of their payloads, as they were before compression.
    public var messageBytes = 0
    /// The bytes of all frames as they travelled, headers and control frames included.
    public var wireBytes = 0

    /// Makes a count, of nothing by default.
    @inlinable
    public init(messages: Int = 0, messageBytes: Int = 0, wireBytes: Int = 0) {
        self.messages = messages
        self.messageBytes = messageBytes
        self.wireBytes = wireBytes
    }
}
