/// Facts about an opening handshake that did not lead to a connection, for logs.
public struct OpeningFacts: Sendable {
    /// The client's address.
    public let address: PeerAddress
    /// The time of acceptance, in the loop's turn time.
    public let acceptTime: Duration
    /// The number of bytes received from the client.
    public let receivedBytes: Int
    /// The number of bytes in the response.
    public let sentBytes: Int
}
