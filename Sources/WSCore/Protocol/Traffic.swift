/// The traffic in one direction since the connection was opened.
public struct Traffic: Equatable, Sendable {
    /// The number of messages.
    public var messages = 0
    /// The total size of the messages in bytes, before compression.
    public var messageBytes = 0
    /// The total size of all frames in bytes on the wire, including headers and control frames.
    public var wireBytes = 0

    /// Creates traffic counts. They default to 0.
    @inlinable
    package init(messages: Int = 0, messageBytes: Int = 0, wireBytes: Int = 0) {
        self.messages = messages
        self.messageBytes = messageBytes
        self.wireBytes = wireBytes
    }

    /// Counts a message.
    @inlinable @inline(__always)
    internal mutating func count(_ messageBytes: Int) {
        messages &+= 1
        self.messageBytes &+= messageBytes
    }

    package static func += (sum: inout Traffic, other: Traffic) {
        sum.messages &+= other.messages
        sum.messageBytes &+= other.messageBytes
        sum.wireBytes &+= other.wireBytes
    }

    package static func -= (difference: inout Traffic, other: Traffic) {
        difference.messages &-= other.messages
        difference.messageBytes &-= other.messageBytes
        difference.wireBytes &-= other.wireBytes
    }
}
