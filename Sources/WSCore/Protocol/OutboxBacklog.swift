/// The part of an outbox that only connections with a slow reader or shared frames need.
final class OutboxBacklog {
    /// The frames to write before the outbox's own bytes.
    let queue = WriteQueue()
    /// The payload of the pong held back until the peer reads, if any.
    var pendingPong: [UInt8]?
}
