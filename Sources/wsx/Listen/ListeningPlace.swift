import WSCore

/// Where a server listens, as people and events are told.
struct ListeningPlace {
    /// The URL that clients connect to.
    let url: String
    /// The beginning of its clients' URLs, which the request's path follows.
    let urlPrefix: String
    /// What a browser opens; nil for a Unix-domain socket.
    let webURL: String?
    /// The port; nil for a Unix-domain socket.
    let port: UInt16?

    /// Describes an endpoint.
    /// - Parameters:
    ///   - address: The address with the port in use; nil for a Unix-domain socket.
    ///   - isSecure: Whether it is reached with TLS.
    init(_ endpoint: Server<ListenClient>.Endpoint, boundTo address: SocketAddress?, isSecure: Bool) {
        port = address?.port
        webURL = address.map { address in
            // An address that stands for all of the machine's is none to open.
            let authority = address.hostBytes.allSatisfy { $0 == 0 } ? "localhost:\(address.port)" : "\(address)"
            return "\(isSecure ? "https" : "http")://\(authority)/"
        }
        if let address {
            urlPrefix = "\(isSecure ? "wss" : "ws")://\(address)"
            url = urlPrefix + "/"
        } else {
            url = "ws+unix:" + (endpoint.path ?? "")
            urlPrefix = url + ":"
        }
    }
}

extension Server.Endpoint {
    /// The path of a Unix-domain socket; nil for an address.
    fileprivate var path: String? {
        switch self {
        case .tcp: nil
        case .unix(let path): path
        case .inherited(let socket): if case .unix(let path) = socket.place { path } else { nil }
        }
    }
}
