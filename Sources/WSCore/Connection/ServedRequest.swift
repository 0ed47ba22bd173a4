/// A request that asked for no WebSocket, and what became of it.
public struct ServedRequest {
    /// The request.
    public let request: RequestHead
    /// Where the client is.
    public let address: PeerAddress
    /// The status of the answer.
    public let status: Int
    /// When the client was accepted, in the loop's turn time.
    public let acceptTime: Duration
    /// When the last byte of the answer was written, in the same.
    public let endTime: Duration
    /// The number of bytes that came from the client up to the end of its request.
    public let receivedBytes: Int
    /// The number of bytes of the answer that the system took from us.
    public let sentBytes: Int
    /// Whether that is everything.
    public let isComplete: Bool
}
