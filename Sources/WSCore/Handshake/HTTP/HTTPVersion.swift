/// A version of HTTP for the upgrade to WebSocket.
package enum HTTPVersion: Sendable {
    /// HTTP/1.1 (RFC 9112), with the upgrade of RFC 6455.
    case http1
    /// HTTP/2 (RFC 9113), with the extended CONNECT of RFC 8441.
    case http2

    /// The number of the version: `1.1` or `2`.
    package var number: String {
        switch self {
        case .http1: "1.1"
        case .http2: "2"
        }
    }

    /// The name for ALPN (RFC 7301 §6).
    var protocolName: String {
        switch self {
        case .http1: "http/1.1"
        case .http2: "h2"
        }
    }
}
