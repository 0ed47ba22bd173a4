/// The reason a connection attempt to one address failed.
public enum AttemptError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The system reported an error.
    case system(IOError)
    /// The named source address cannot be used.
    case source(String, IOError)
    /// Source addresses are given, but none of the destination's family.
    case noSource(SocketAddress.Family)
    /// A link-local address has no zone, so its interface is unknown (RFC 4007 §6).
    case missingZone

    /// Whether the same attempt may succeed later without any change on this side.
    public var mayPass: Bool {
        if case .system(let error) = self { error.mayPass } else { false }
    }

    /// A short reason, such as `connection refused`.
    public var description: String {
        switch self {
        case .system(let error): error.description
        case .source(let source, .addressNotAvailable):
            "cannot connect from \(source): it is not an address of this machine"
        case .source(let source, let error): "cannot connect from \(source): \(error)"
        case .noSource(.ipv4): "there is no IPv4 address to connect from"
        case .noSource(.ipv6): "there is no IPv6 address to connect from"
        case .missingZone: "the interface is missing; write one like [fe80::1%eth0]"
        }
    }
}
