/// A request that was not an upgrade, and its response.
public struct ServedRequest {
    /// The request.
    public let request: RequestHead
    /// The client's address.
    public let address: PeerAddress
    /// The status code of the response.
    public let status: Int
    /// The time of acceptance, in the loop's turn time.
    public let acceptTime: Duration
    /// The time the last byte of the response was written, in the loop's turn time.
    public let endTime: Duration
    /// The number of bytes received from the client, up to the end of the request.
    public let receivedBytes: Int
    /// The number of bytes of the response that the kernel has accepted.
    public let sentBytes: Int
    /// Whether the kernel has accepted the whole response.
    public let isComplete: Bool
}
