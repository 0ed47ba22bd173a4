/// The servers that get a login of a gateway, or a certificate, that the senders of requests do not have.
package enum LoginScope: Equatable, Sendable {
    case none
    case all
    /// Those of one host, on any port: not in the clear, unless they are on this machine, because any page can make a browser
    /// send a request to port 80 of the host.
    case host(HostPattern)

    /// Whether the server of a URL gets the login.
    /// - Parameter url: Nil for none.
    package func includes(_ url: @autoclosure () -> WebSocketURL?) -> Bool {
        switch self {
        case .none: return false
        case .all: return true
        case .host(let pattern):
            guard let url = url(), case .tcp(let host, _) = url.endpoint else { return false }
            return pattern.matches(host) && (url.isSecure || url.isLoopback)
        }
    }
}
