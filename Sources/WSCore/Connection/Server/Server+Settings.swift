// The settings of a server, and what it reports.
extension Server {
    /// The settings of a server.
    package struct Settings: Sendable {
        /// The policy that decides which requests are accepted.
        package var policy: ServerPolicy
        /// The settings of each connection. The role is always server.
        package var connection: Connection<Handler>.Settings
        /// The preferences for permessage-deflate; nil declines all offers.
        package var deflate: DeflatePreferences?
        /// Responds to requests that are not upgrades.
        package var responder: any WebResponder
        /// The time limit for receiving a request.
        package var handshakeTimeout = Duration.seconds(10)
        /// The bandwidth of each client's stream in bytes per second and direction, including TLS; nil means no limit.
        package var bytesPerSecond: Int?
        /// The time a client may take nothing of a response before it is disconnected.
        package var responseTimeout = Duration.seconds(30)
        /// The maximum number of concurrent connections, including those in the opening handshake; nil for as many as
        /// the limit on open files allows.
        package var maximumConnections: Int?
        /// This server's share of a port; nil if it has the port to itself.
        package var share: Share?
        /// Whether clients may speak HTTP/2: with TLS if ALPN has selected it, otherwise with prior knowledge.
        package var acceptsHTTP2 = false
        /// Whether only this process may connect. Requires Unix domain sockets: TCP does not tell the peer's process.
        package var acceptsOnlyThisProcess = false
        /// The number of descriptors to reserve for the handlers' own use.
        package var reservedDescriptors = 0
        /// The number of streams for each client, including those to another server.
        package var streamsPerClient = 1
        /// The maximum number of bytes that all connections hold together: incomplete messages and queued output, except
        /// the first 64 KiB of each connection; nil means no common limit.
        package var maximumHeldBytes: Int?

        /// Creates settings. By default, a page of help answers requests that are not upgrades, requests may take 10 s,
        /// and responses may stall for 30 s.
        package init(
            policy: ServerPolicy, connection: Connection<Handler>.Settings, deflate: DeflatePreferences? = nil,
            responder: (any WebResponder)? = nil
        ) {
            self.policy = policy
            self.connection = connection
            self.deflate = deflate
            self.responder = responder ?? Site(policy: policy)
        }
    }

    /// One of several servers on the same port, each on its own thread.
    package struct Share: Sendable {
        /// The index of this server, starting from 0.
        package let index: Int
        /// The number of servers.
        package let count: Int

        /// Creates a share.
        package init(index: Int, count: Int) {
            self.index = index
            self.count = count
        }
    }

    /// An address to listen on.
    package enum Endpoint: Sendable {
        /// An address and a port; port 0 selects any free port.
        case tcp(SocketAddress)
        /// The path of a Unix domain socket.
        case unix(path: String)
        /// A socket that is already listening.
        case inherited(InheritedSocket)
    }

    /// A limit that pauses accepting.
    package enum Limit: Equatable, Sendable {
        /// The connections use all files that the limit on open files allows; with their number.
        case descriptors(Int)
        /// The number of connections has reached ``Settings/maximumConnections``.
        case connections(Int)
        /// The system cannot accept a connection, such as for lack of memory.
        case system(IOError)
    }

    /// What happens to clients, and to the server.
    package enum Event {
        /// A connection is open, and has not received anything.
        case opened(Connection<Handler>)
        /// A request was refused.
        case refused(HandshakeRefusal, OpeningFacts)
        /// The response to a request that is not an upgrade is complete or has failed, or a tunnel has ended.
        case served(ServedRequest)
        /// A request that opened no WebSocket has ended, if a gateway reports that.
        case exchanged(ServedRequest)
        /// TLS failed before the request was complete, perhaps in an intercepted tunnel to this target.
        case failedToSecure(TLSError, OpeningFacts, intercepted: ProxyTarget?)
        /// A client's HTTP/2 connection has ended because of a violation.
        case violatedHTTP2(HTTP2Error, PeerAddress)
        /// Accepting has paused.
        case reachedLimit(Limit)
    }
}
