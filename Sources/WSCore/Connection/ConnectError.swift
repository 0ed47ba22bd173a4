/// Why no connection came about.
public enum ConnectError: Error {
    /// How far an attempt had come.
    public enum Phase: String, Sendable {
        /// The name was being looked up.
        case resolving = "name lookup"
        /// The TCP or Unix-domain connection was being made.
        case connecting = "connection"
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
    /// The connection broke during the upgrade.
    case lost(StreamError)
    /// The server refused the upgrade or answered it wrongly.
    case handshake(HandshakeError)
    /// The server accepted permessage-deflate, but not as it was offered.
    case compression(DeflateNegotiationError)
    /// It took too long.
    case timedOut(Phase, after: Duration)
}
