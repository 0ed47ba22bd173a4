/// Answers requests that ask for no WebSocket.
public protocol WebResponder: Sendable {
    /// The answer to a request, which is good HTTP and may be answered as far as host and authorization are concerned.
    func response(to request: RequestHead) -> WebResponse
}
