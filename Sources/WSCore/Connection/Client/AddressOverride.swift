/// Addresses for a host and port that replace the DNS lookup: `HOST:PORT:IP[,IP...]`.
package struct AddressOverride: Sendable {
    /// The host as normalized in URLs, without a final dot; nil matches any host.
    private let host: String?
    /// The port this override applies to, also the port of its addresses.
    private let port: UInt16
    /// The addresses, in order of preference within each family; never empty.
    let addresses: [SocketAddress]

    /// Parses `HOST:PORT:IP[,IP...]`. The host may be `*` for any host. IPv6 addresses may be in brackets.
    /// - Throws: ``AddressOverrideError`` if the text has another form or the zone of an IPv6 address does not exist.
    package init(parsing text: String) throws(AddressOverrideError) {
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

    /// Returns the addresses for a host and port, or nil. The last one for the host applies, else the last for `*`.
    static func addresses(for host: String, port: UInt16, in overrides: [AddressOverride]) -> [SocketAddress]? {
        let host = withoutFinalDot(ASCII.lowercased(host))
        let matching = overrides.filter { $0.port == port && ($0.host == nil || $0.host == host) }
        return (matching.last { $0.host != nil } ?? matching.last)?.addresses
    }

    /// Splits the text at the second colon, ignoring colons in brackets.
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

/// An error in an address override, `HOST:PORT:IP[,IP...]`.
package enum AddressOverrideError: Error, Equatable, CustomStringConvertible {
    /// The text starts with a sign that has a meaning only in curl.
    case prefix(String)
    /// The port is missing.
    case missingPort
    /// An address is missing, for example between two commas.
    case missingAddress
    /// The host or port is invalid.
    case host(URLError)
    /// The text is not an IP address, for example a host name.
    case invalidAddress(String)
    /// This machine has no interface with the name of the IPv6 address's zone.
    case unknownZone(String)

    /// The cause and a remedy.
    package var description: String {
        switch self {
        case .prefix("-"): "there is no cached address to remove; omit the '-'"
        case .prefix(let sign): "the addresses apply to the whole run anyway; omit the '\(sign)'"
        case .missingPort: "there is no port; write HOST:PORT:IP"
        case .missingAddress: "an address is missing; write HOST:PORT:IP[,IP...]"
        case .host(let error): error.description
        case .invalidAddress(let text):
            "\(quoted(text)) is not an IP address; write one like 192.0.2.1 or [2001:db8::1]"
        case .unknownZone(let zone): "this machine has no interface \(quoted(zone)); list the interfaces with 'ip link'"
        }
    }
}
