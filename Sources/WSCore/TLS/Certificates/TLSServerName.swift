/// The name or address that a server's certificate must contain.
package enum TLSServerName: Hashable, Sendable {
    /// A host name. It is also sent to the server, to select a certificate (RFC 6066 §3).
    case name(String)
    /// An IP address without brackets. It is verified but not sent.
    case address(String)

    /// Creates a server name from a URL's host: an address with or without brackets, or a name.
    package init(host: String) {
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        let isAddress = IPLiteral.ipv4(bare) != nil || IPLiteral.ipv6(Self.withoutZone(bare)) != nil
        self = isAddress ? .address(bare) : .name(host)
    }

    /// The name as sent and compared, or the address without its zone, which certificates do not contain.
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
