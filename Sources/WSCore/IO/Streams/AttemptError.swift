/// Why one address could not be connected to.
public enum AttemptError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What the system says.
    case system(IOError)
    /// The address to connect from, which is named, cannot be used.
    case source(String, IOError)
    /// There are addresses to connect from, but none of the family of the one to connect to.
    case noSource(SocketAddress.Family)
    /// The address means something on one interface only, and none is named (RFC 4007 §6).
    case missingZone

    /// Whether the same attempt may succeed later, with nothing changed at this end.
    public var mayPass: Bool {
        if case .system(let error) = self { error.mayPass } else { false }
    }

    /// Why, in a few words: `connection refused`.
    public var description: String {
        switch self {
        case .system(let error): error.description
        case .source(let source, .addressNotAvailable):
            "cannot connect from \(source): not an address of this machine"
        case .source(let source, let error): "cannot connect from \(source): \(error)"
        case .noSource(.ipv4): "there is no IPv4 address to connect from"
        case .noSource(.ipv6): "there is no IPv6 address to connect from"
        case .missingZone: "its interface is missing, as in [fe80::1%eth0]"
        }
    }
}
