/// Whom a server's certificate has to name.
public enum TLSServerName: Hashable, Sendable {
    /// A host name, which is also sent so that the server can choose a certificate (RFC 6066 §3).
    case name(String)
    /// An IP address without brackets, which is only verified.
    case address(String)

    /// Takes the host of a URL: an address with or without brackets, or else a name.
    public init(host: String) {
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        let isAddress = IPLiteral.ipv4(bare) != nil || IPLiteral.ipv6(Self.withoutZone(bare)) != nil
        self = isAddress ? .address(bare) : .name(host)
    }

    /// The name as it is sent and compared, or the address without its zone, which no certificate has.
    internal var verifiedText: String {
        switch self {
        // RFC 6066 §3: without a trailing dot.
        case .name(let name): name.hasSuffix(".") ? String(name.dropLast()) : name
        case .address(let address): Self.withoutZone(address)
        }
    }

    private static func withoutZone(_ address: String) -> String {
        String(address.prefix { $0 != "%" })
    }
}
