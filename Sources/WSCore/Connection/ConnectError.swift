/// Why no connection came about.
public enum ConnectError: Error {
    /// How far an attempt had come.
    public enum Phase: String, CaseIterable, Sendable {
        /// The name was being looked up.
        case resolving = "name lookup"
        /// The TCP or Unix-domain connection was being made.
        case connecting = "connection"
        /// The proxy had been asked for a connection, or TLS to it was being set up.
        case tunnelling = "proxy"
        /// TLS to the server was being set up.
        case securing = "TLS handshake"
        /// The upgrade had been asked for.
        case upgrading = "upgrade"
    }

    /// The name does not resolve.
    case unresolvable(host: String, IOError)
    /// The name resolves, but to no address of the family asked for.
    case noAddress(host: String)
    /// The zone of an IPv6 address is no interface of this machine.
    case unknownZone(String, host: String)
    /// No address could be reached; each with its reason.
    case unreachable([(address: String, error: AttemptError)])
    /// The connection broke in a phase.
    case lost(StreamError, Phase)
    /// A variable of the environment names no proxy.
    case proxyChoice(ProxyChoiceError)
    /// The proxy could not be reached; why.
    indirect case proxyUnreachable(Proxy, ConnectError)
    /// The proxy did not connect us to the server.
    case proxy(Proxy, ProxyError)
    /// TLS to a proxy could not be set up.
    case proxySecurity(Proxy, TLSError)
    /// TLS to the server could not be set up, or the server ended it.
    case security(TLSError)
    /// The server refused the upgrade or answered it wrongly.
    case handshake(HandshakeError)
    /// The server refused the upgrade with 401, although it had been sent credentials.
    case credentialsRefused(HandshakeError)
    /// The server accepted permessage-deflate, but not as it was offered.
    case compression(DeflateNegotiationError)
    /// The server redirects to where is not followed.
    case redirect(RedirectError)
    /// It took too long; `peer` is whom we were connected, or connecting, to, where that is known.
    case timedOut(Phase, after: Duration, peer: String?)
}
