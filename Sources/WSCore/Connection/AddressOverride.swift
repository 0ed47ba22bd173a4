/// Addresses that are used for a host and port in place of a lookup: `HOST:PORT:IP[,IP...]`.
public struct AddressOverride: Sendable {
    /// The host as URLs have it, without a dot at its end; nil: any host.
    private let host: String?
    /// The port that it is for, which the addresses have, too.
    private let port: UInt16
    /// The addresses, in the order in which they are tried within each family; never none.
    let addresses: [SocketAddress]

    /// Reads `HOST:PORT:IP[,IP...]`. The host may be `*`, IPv6 addresses may be in brackets.
    public init(parsing text: String) throws(AddressOverrideError) {
        guard let prefix = text.first, prefix != "-", prefix != "+" else {
            throw text.isEmpty ? .missingPort : .prefix(text.prefix(1) == "-" ? "-" : "+")
        }
        let (hostAndPort, list) = try Self.parts(of: text)
        let isAny = hostAndPort.hasPrefix("*:")
        let parsed: HostAndPort
        do throws(URLError) {
            parsed = try HostAndPort(
                parsing: isAny ? "any" + hostAndPort.dropFirst() : hostAndPort, isInternational: true)
        } catch {
            throw .host(error)
        }
        guard let port = parsed.port else { throw .missingPort }
        self.port = port
        host = isAny ? nil : Self.withoutFinalDot(parsed.zone.map { "\(parsed.host)%\($0)" } ?? parsed.host)
        var addresses: [SocketAddress] = []
        for part in list.split(separator: ",", omittingEmptySubsequences: false) {
            addresses.append(try Self.address(String(part), port: port))
        }
        self.addresses = addresses
    }

    /// The addresses for a host and port: those of the last entry that names the host, else of the last for any host.
    static func addresses(for host: String, port: UInt16, in overrides: [AddressOverride]) -> [SocketAddress]? {
        let host = withoutFinalDot(ASCII.lowercased(host))
        let matching = overrides.filter { $0.port == port && ($0.host == nil || $0.host == host) }
        return (matching.last { $0.host != nil } ?? matching.last)?.addresses
    }

    /// The text before the second colon, of which brackets hide their own, and the text after it.
    private static func parts(of text: String) throws(AddressOverrideError) -> (Substring, Substring) {
        var hostEnd = text.startIndex
        if text.first == "[" {
            guard let bracket = text.firstIndex(of: "]") else { throw .host(.invalidIPv6Address(text)) }
            hostEnd = bracket
        }
        guard let colon = text[hostEnd...].firstIndex(of: ":") else { throw .missingPort }
        let port = text[text.index(after: colon)...]
        guard let second = port.firstIndex(of: ":") else { throw port.isEmpty ? .missingPort : .missingAddress }
        return (text[..<second], text[text.index(after: second)...])
    }

    private static func address(_ text: String, port: UInt16) throws(AddressOverrideError) -> SocketAddress {
        guard !text.isEmpty else { throw .missingAddress }
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let numeric = isBracketed ? String(text.dropFirst().dropLast()) : text
        if let zone = SocketAddress.unknownZone(of: numeric) { throw .unknownZone(zone) }
        guard let address = SocketAddress(numeric: numeric, port: port), !isBracketed || address.family == .ipv6 else {
            throw .invalidAddress(text)
        }
        return address
    }

    private static func withoutFinalDot(_ name: String) -> String {
        name.hasSuffix(".") ? String(name.dropLast()) : name
    }
}
