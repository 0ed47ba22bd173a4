extension Connector {
    /// Where to connect to and how.
    public struct Settings: Sendable {
        /// Where a stream leads that does not lead where the URL points.
        public enum Destination: Equatable, Sendable {
            /// A host and a port.
            case tcp(host: String, port: UInt16)
            /// The path of a Unix-domain socket.
            case unix(path: String)
        }

        /// What is asked for, and where.
        public var request: ClientRequest
        /// Where the stream leads; nil: where the URL points, perhaps through a proxy.
        public var destination: Destination?
        /// How the stream is opened.
        public var network: NetworkSettings
        /// Which proxy it goes through.
        public var proxies: ProxyChoice?
        /// The name that the server's certificate has to have; nil: the host of the URL.
        public var serverName: String?
        /// The number of redirects that are followed one after another; nil: a redirect is a refusal like others.
        public var maximumRedirects: Int?
        /// How long it may take.
        public var timeouts: ConnectTimeouts

        /// Makes settings that do what the request says and nothing else.
        public init(
            request: ClientRequest, destination: Destination? = nil, network: NetworkSettings = NetworkSettings(),
            proxies: ProxyChoice? = nil, serverName: String? = nil, maximumRedirects: Int? = nil,
            timeouts: ConnectTimeouts = ConnectTimeouts()
        ) {
            self.request = request
            self.destination = destination
            self.network = network
            self.proxies = proxies
            self.serverName = serverName
            self.maximumRedirects = maximumRedirects
            self.timeouts = timeouts
        }
    }

    /// A connection that has just been opened.
    public struct Opened {
        /// The stream, on which frames follow.
        public let stream: any ByteStream
        /// What was asked for in the end, after redirects.
        public let request: ClientRequest
        /// What was agreed.
        public let upgrade: ClientUpgrade
        /// What was agreed for TLS; nil: it is not used.
        public let tls: TLSSummary?
        /// What was agreed for permessage-deflate; nil: it is not used.
        public let deflate: DeflateParameters?
        /// Frames, or the beginning of one, that arrived together with the response.
        public let firstBytes: [UInt8]
        /// Where the stream leads, the server or a proxy: an address and port, or a socket's path.
        public let peer: String
        /// How long it took.
        public let duration: Duration
        /// How long each part of it took.
        public let phaseDurations: PhaseDurations
    }

    /// What happens on the way, for those who want to look on.
    public enum Step {
        /// A stream leads to the peer, an address and port or a socket's path, which is a proxy or the server.
        case reached(peer: String, Proxy?)
        /// The head of a request has been sent, to a proxy or to the server, with its secrets.
        case sent(head: String)
        /// The head of a response that was not the last word has come.
        case received(ResponseHead)
        /// TLS stands: with the proxy, or with the server.
        case secured(TLSSummary, with: Proxy?)
        /// A redirect is followed.
        case redirected(to: WebSocketURL)
    }
}

/// How long connecting may take.
public struct ConnectTimeouts: Equatable, Sendable {
    /// The limit over everything.
    public var whole: Duration
    /// The limits of phases that have one of their own.
    public var phases: [ConnectError.Phase: Duration]

    /// Makes limits; by default 10 s over everything.
    public init(whole: Duration = .seconds(10), phases: [ConnectError.Phase: Duration] = [:]) {
        self.whole = whole
        self.phases = phases
    }
}
