/// What an outbox has beside its bytes while its peer has much to read; the others do without.
final class OutboxBacklog {
    /// What is to be written before them.
    let queue = WriteQueue()
    /// The answer to the latest ping, kept back while the peer does not read.
    var pendingPong: [UInt8]?
}
