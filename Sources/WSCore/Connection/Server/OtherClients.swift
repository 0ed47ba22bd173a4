/// The clients of a server that have no WebSocket, or not yet.
internal struct OtherClients {
    private(set) var openings: [ServerOpening] = []
    /// The responses in progress to requests that are not upgrades.
    var exchanges: [ObjectIdentifier: WebExchange] = [:]
    /// The requests that are being forwarded.
    var forwardedExchanges: [ObjectIdentifier: ForwardedExchange] = [:]
    /// The tunnels that are not open yet.
    var tunnelOpenings: [ObjectIdentifier: TunnelOpening] = [:]
    var tunnels: [ObjectIdentifier: Tunnel] = [:]
    /// The POST requests whose bodies have not been delivered.
    var postedRequests: [ObjectIdentifier: PostedRequest] = [:]
    /// Those of them that wait for room, or for earlier ones, in the order of their arrival.
    var waitingPosts: [PostedRequest] = []
    var isDeliveringPosts = false
    /// The HTTP/2 connections, which have any number of streams.
    var http2Connections: [ObjectIdentifier: HTTP2Connection] = [:]
    /// The number of HTTP/2 connections without streams.
    var idleHTTP2Count = 0
    /// The number of refused clients still receiving their response.
    var lingeringCount = 0

    mutating func add(_ opening: ServerOpening) {
        opening.place = openings.count
        openings.append(opening)
    }

    mutating func remove(_ opening: ServerOpening) {
        let last = openings.removeLast()
        guard last !== opening else { return }
        last.place = opening.place
        openings[last.place] = last
    }

    mutating func removeOpenings() { openings = [] }

    /// The number of clients. Of an HTTP/2 connection, the streams count, or the connection itself if it has none.
    var count: Int {
        openings.count + exchanges.count + forwardedExchanges.count + tunnelOpenings.count + tunnels.count
            + postedRequests.count + idleHTTP2Count + lingeringCount
    }
}

/// What a ``Server`` knows about a client before its request.
struct Peer {
    let address: PeerAddress
    /// Nil without TLS.
    let tls: TLSStream?
    /// The index of the endpoint it connected to.
    let endpointIndex: Int
    /// The tunnel in which its request arrives; nil for none.
    var intercepted: Intercepted?
}
