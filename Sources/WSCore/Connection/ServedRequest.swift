/// A request that asked for no WebSocket, and what became of it.
public struct ServedRequest {
    /// The request.
    public let request: RequestHead
    /// The client's address; nil on a Unix-domain socket.
    public let address: SocketAddress?
    /// The status of the answer.
    public let status: Int
    /// How much of the answer's content the system took from us, in bytes.
    public let contentByteCount: Int
    /// Whether that is everything.
    public let isComplete: Bool
    /// The time from the request to the last byte of the answer.
    public let duration: Duration
}
