/// Where a connection comes from, as far as it can be told.
public enum PeerAddress: Sendable, CustomStringConvertible {
    /// Another process of this machine, through a Unix-domain socket.
    case local
    /// A place in a network.
    case network(SocketAddress)
    /// A place in a network that the system does not know any more: the peer was gone when it was asked.
    case unknown

    /// The place in a network, if it is known to be one.
    public var socketAddress: SocketAddress? {
        if case .network(let address) = self { address } else { nil }
    }

    /// `127.0.0.1:4711`, or what stands for it in a sentence.
    public var description: String {
        switch self {
        case .local: "a local socket"
        case .network(let address): "\(address)"
        case .unknown: "an unknown address"
        }
    }
}
