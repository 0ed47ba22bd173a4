/// Where a connection comes from.
package enum PeerAddress: Sendable, CustomStringConvertible {
    /// A process on this machine, connected through a Unix domain socket.
    case local
    /// A network address.
    case network(SocketAddress)

    /// The network address, or `nil` for a local process.
    package var socketAddress: SocketAddress? {
        if case .network(let address) = self { address } else { nil }
    }

    /// An address such as `127.0.0.1:4711`, or a noun for use in a sentence.
    package var description: String {
        switch self {
        case .local: "a local socket"
        case .network(let address): "\(address)"
        }
    }
}
