/// What there is to say of a client that did not become a connection, for a log.
public struct OpeningFacts: Sendable {
    /// Where the client is.
    public let address: PeerAddress
    /// When it was accepted, in the loop's turn time.
    public let acceptTime: Duration
    /// The number of bytes that came from it.
    public let receivedBytes: Int
    /// The number of bytes of the answer to it.
    public let sentBytes: Int
}
