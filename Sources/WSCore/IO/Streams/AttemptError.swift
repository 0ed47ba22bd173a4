/// The reason a connection attempt to one address failed.
package enum AttemptError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The system reported an error.
    case system(IOError)
    /// The named source address cannot be used.
    case source(String, IOError)
    /// Source addresses are given, but none of the destination's family.
    case noSource(SocketAddress.Family)
    /// A link-local address has no zone, so its interface is unknown (RFC 4007 §6).
    case missingZone
    /// This process itself listens there.
    case ownServer

    /// Whether the same attempt may succeed later without any change on this side.
    package var mayPass: Bool {
        if case .system(let error) = self { error.mayPass } else { false }
    }

    /// A short reason, such as `connection refused`.
    package var description: String {
        switch self {
        case .system(let error): error.description
        case .source(let source, .addressNotAvailable):
            "\(source) is not an address of this machine"
        case .source(let source, let error): "cannot connect from \(source): \(error)"
        case .noSource(.ipv4): "there is no IPv4 source address"
        case .noSource(.ipv6): "there is no IPv6 source address"
        case .missingZone: "the address names no interface"
        case .ownServer: "the relay itself listens there"
        }
    }
}
