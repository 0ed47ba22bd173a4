extension Connector {
    /// The destination of a connection and how to reach it.
    package struct Settings: Sendable {
        /// A destination that replaces the one in the URL.
        package enum Destination: Equatable, Sendable {
            /// A host and port.
            case tcp(host: String, port: UInt16)
            /// The path of a Unix domain socket.
            case unix(path: String)
        }

        /// The request to send, including its URL.
        package var request: ClientRequest
        /// A location to request in place of the URL; nil for the URL.
        package var location: ReceivedLocation?
        /// The HTTP request before the upgrade; nil for none.
        package var negotiation: Negotiation?
        /// The destination to connect to; nil for the URL's host, possibly through a proxy.
        package var destination: Destination?
        /// The network settings.
        package var network = NetworkSettings()
        /// Chooses the proxy; nil for a direct connection.
        package var proxies: ProxyChoice?
        /// The method for the user name and password of an HTTP proxy.
        package var proxyAuthentication = AuthenticationMethod.basic
        /// The name expected in the server's certificate; nil for the URL's host.
        package var serverName: String?
        /// The redirects to follow. Others are reported as refusals.
        package var redirects = RedirectPolicy()
        /// The time limits.
        package var timeouts = ConnectTimeouts()
        /// Whether the stream leads to the server of a `wss` URL without TLS, for what another client sends.
        package var isTunnel = false
        /// Whether the user named the server, which then gets the certificate. A client of a proxy may have.
        package var isServerOfUser = true
        /// The addresses on which this process listens, to which it must not connect.
        package var ownAddresses: [SocketAddress] = []
        /// Distinguishes ways to the server that must not share an HTTP/2 connection.
        package var sharingGroup = 0

        /// Creates settings. By default, the connection is direct and redirects are not followed.
        package init(request: ClientRequest, destination: Destination? = nil) {
            self.request = request
            self.destination = destination
        }

        /// Whether the server is on this machine, judging by the URL: a loopback address without a proxy, a Unix
        /// socket, or the built-in echo server.
        package var isLocal: Bool {
            switch (destination, request.url.endpoint) {
            case (.tcp(let host, _), _): return HostAndPort.isLoopback(host)
            case (.unix, _), (_, .unix), (_, .embeddedEcho): return true
            case (nil, .tcp(let host, let port)):
                // An invalid proxy is none: there will be no connection.
                let proxy = try? proxies?.proxy(isSecure: request.url.isSecure, host: host, port: port)
                return proxy == nil && HostAndPort.isLoopback(host)
            }
        }

        /// Whether a stream leads back to this process.
        /// - Parameter peer: The address and port at its other end.
        func isOwn(_ peer: String, from stream: SystemStream) -> Bool {
            guard !ownAddresses.isEmpty, let peer = try? HostAndPort(parsing: peer) else { return false }
            return ownAddresses.contains { own in
                guard own.port == peer.port else { return false }
                if HostAndPort.reaches(own.host, from: peer.host) { return true }
                // A connection between two addresses of this machine has the same one at both ends.
                return own.hostBytes.allSatisfy { $0 == 0 } && stream.localAddress?.host == peer.host
            }
        }

        /// Whether connections go to a listening socket of this machine, judging by the URL. Of host names, only `localhost`
        /// is known.
        /// - Parameter place: The numeric address, or the path, on which the socket listens.
        package func leads(to place: Destination) -> Bool {
            switch (destination, request.url.endpoint, place) {
            case (.tcp(let host, let port), _, .tcp(let listening, let listeningPort)):
                return port == listeningPort && HostAndPort.reaches(listening, from: host)
            case (nil, .tcp(let host, let port), .tcp(let listening, let listeningPort)):
                let proxy = try? proxies?.proxy(isSecure: request.url.isSecure, host: host, port: port)
                return proxy == nil && port == listeningPort && HostAndPort.reaches(listening, from: host)
            case (.unix(let path), _, .unix(let listening)), (nil, .unix(let path), .unix(let listening)):
                return path == listening
            default: return false
            }
        }
    }

    /// An HTTP POST request without a body before the upgrade, whose response says where to connect, as in SignalR.
    package struct Negotiation: Sendable {
        /// What follows a successful response.
        package enum Next: Sendable {
            /// The upgrade with this request.
            case upgrade(ClientRequest)
            /// Another negotiation, before the upgrade with this request.
            case negotiate(ClientRequest)
        }

        /// Returns the URL to request before the upgrade of a URL, on the same server.
        package let url: @Sendable (WebSocketURL) -> WebSocketURL
        /// Reads the body of a successful response to the negotiation before this request, which may be a redirect.
        package let next:
            @Sendable (_ body: RawSpan, _ request: ClientRequest, RedirectPolicy) throws(ConnectError) -> Next

        /// Creates a negotiation.
        package init(
            url: @escaping @Sendable (WebSocketURL) -> WebSocketURL,
            next:
                @escaping @Sendable (_ body: RawSpan, _ request: ClientRequest, RedirectPolicy) throws(ConnectError)
                -> Next
        ) {
            self.url = url
            self.next = next
        }
    }

    /// A newly opened connection.
    package struct Opened {
        /// The stream, ready for frames.
        package let stream: any ByteStream
        /// The final request, after redirects.
        package let request: ClientRequest
        /// The result of the opening handshake.
        package let upgrade: ClientUpgrade
        /// The TLS parameters; nil without TLS.
        package let tls: TLSSummary?
        /// The negotiated permessage-deflate parameters; nil without compression.
        package let deflate: DeflateParameters?
        /// Frame data that arrived in the same read as the response.
        package let firstBytes: [UInt8]
        /// The address and port, or socket path, of the server or proxy at the other end of the stream.
        package let peer: String
        /// Whether the stream is one of a connection that existed before; see ``HTTP2Pool``.
        package internal(set) var isShared = false
        /// The total time to open the connection.
        package let duration: Duration
        /// The time spent in each phase.
        package let phaseDurations: PhaseDurations
    }

    /// A response whose body has not been read.
    package struct UnreadResponse {
        /// The head of the response.
        package let head: ResponseHead
        /// The stream, which has another owner now.
        package let stream: any ByteStream
        /// The bytes received after the head.
        package let firstBytes: [UInt8]
    }

    /// A step in opening a connection, for observers.
    package enum Step {
        /// Connected to a proxy or the server at an address and port, or at a socket path.
        case reached(peer: String, Proxy?)
        /// Sent a request head to a proxy or the server. Its fields contain secrets; its first line does not. A function,
        /// because most observers ignore it.
        case sent(head: () -> String)
        /// Received a response head.
        case received(ResponseHead)
        /// Completed a TLS handshake with a proxy or, if nil, the server.
        case secured(TLSSummary, with: Proxy?)
        /// Sends a request again, on a new connection, with a login by this scheme to a proxy or, if nil, the server.
        case loggingIn(scheme: String, at: Proxy?)
        /// Follows a redirect from one request to another.
        case redirected(ClientRequest, to: ClientRequest)
    }
}

/// The time limits for connecting.
package struct ConnectTimeouts: Equatable, Sendable {
    /// The limit for the whole attempt, including redirects.
    package var whole: Duration
    /// The part of ``whole`` that has passed before the attempt.
    package var elapsed = Duration.zero
    /// Additional limits for single phases.
    package var phases: [ConnectError.Phase: Duration]

    /// Creates limits. By default, the whole attempt may take 10 s, and phases have no limits.
    package init(whole: Duration = .seconds(10), phases: [ConnectError.Phase: Duration] = [:]) {
        self.whole = whole
        self.phases = phases
    }
}

/// Settings for connecting over the network.
package struct NetworkSettings: Sendable {
    /// The address family to use; nil for both.
    package var family: SocketAddress.Family?
    /// Addresses that replace lookups. The last override for a host applies, else the last for any host.
    package var overrides: [AddressOverride]
    /// The local addresses to connect from, with port 0; the first of the remote address's family is used. If empty,
    /// the system chooses. Otherwise, remote addresses of a family without a local address are skipped.
    package var sources: [SocketAddress]
    /// The number of addresses to move from the beginning of each list of addresses to its end; not negative. With one
    /// number for each connection, connections use the addresses of a name in turn.
    package var rotation = 0

    /// Creates settings. By default, both families are used, and the system looks up names and chooses local addresses.
    package init(
        family: SocketAddress.Family? = nil, overrides: [AddressOverride] = [], sources: [SocketAddress] = []
    ) {
        self.family = family
        self.overrides = overrides
        self.sources = sources
    }
}

/// The time spent in each phase of opening a connection, including redirects.
package struct PhaseDurations: Sendable {
    // A search is cheaper than a hash: there are three phases in most attempts.
    private var durations: [(phase: ConnectError.Phase, duration: Duration)] = []

    /// Creates durations of zero.
    package init() {}

    /// The duration of a phase; zero if it did not occur.
    package subscript(phase: ConnectError.Phase) -> Duration {
        get { durations.first { $0.phase == phase }?.duration ?? .zero }
        set {
            if let index = durations.firstIndex(where: { $0.phase == phase }) {
                durations[index].duration = newValue
            } else {
                durations.append((phase, newValue))
            }
        }
    }

    /// The sum of all phases.
    package var total: Duration { durations.reduce(.zero) { $0 + $1.duration } }
}
