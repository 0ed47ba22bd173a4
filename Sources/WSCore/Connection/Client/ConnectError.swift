/// The reason a connection attempt failed.
package enum ConnectError: Error {
    /// The phase of a connection attempt.
    package enum Phase: String, CaseIterable, Sendable {
        /// Looking up the name.
        case resolving = "name lookup"
        /// Establishing the TCP or Unix domain connection.
        case connecting = "connection"
        /// Performing the proxy's handshake, including TLS with the proxy.
        case tunnelling = "proxy"
        /// Performing the TLS handshake with the server.
        case securing = "TLS handshake"
        /// Waiting for the response to the upgrade request.
        case upgrading = "upgrade"
    }

    /// The host name could not be resolved.
    case unresolvable(host: String, IOError)
    /// The host name has no address of the requested family.
    case noAddress(host: String)
    /// This machine has no interface with the name of the IPv6 address's zone.
    case unknownZone(String, host: String)
    /// No address could be reached. Lists the error for each.
    case unreachable([(address: String, error: AttemptError)])
    /// The connection failed during a phase.
    case lost(StreamError, Phase)
    /// The value of a proxy environment variable is invalid.
    case proxyChoice(ProxyChoiceError)
    /// The proxy could not be reached.
    indirect case proxyUnreachable(Proxy, ConnectError)
    /// The proxy rejected the tunnel or violated its protocol.
    case proxy(Proxy, ProxyError)
    /// TLS with the proxy failed.
    case proxySecurity(Proxy, TLSError)
    /// TLS with the server failed.
    case security(TLSError)
    /// The server rejected the upgrade or sent an invalid response.
    case handshake(HandshakeError)
    /// The server rejected the upgrade with 401 although there is a login.
    case loginRefused(HandshakeError, ClientLogin.Use)
    /// The server rejected the upgrade with 403 after it had requested a client certificate, and none was given.
    case certificateMissing(HandshakeError)
    /// The server's permessage-deflate response does not match the offer.
    case compression(DeflateNegotiationError)
    /// The server's response to the negotiation before the upgrade does not allow a connection, for this reason.
    case negotiation(reason: String)
    /// The server's redirect cannot be followed.
    case redirect(RedirectError)
    /// The location that a message names cannot be requested.
    case receivedLocation(RedirectError)
    /// The time limit expired during a phase, after this many redirects; `peer` is the host or proxy being contacted, if
    /// known.
    case timedOut(Phase, after: Duration, peer: String?, redirectCount: Int = 0)
}
