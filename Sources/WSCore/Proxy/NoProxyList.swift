/// The hosts to connect to without a proxy, as listed by `--no-proxy` and the variable `no_proxy`.
///
/// Commas or whitespace separate the elements:
///
/// | element | matches |
/// | --- | --- |
/// | `*` | all hosts |
/// | `example.com`, `.example.com`, `*.example.com` | that host and its subdomains |
/// | `192.0.2.1`, `2001:db8::1`, `[2001:db8::1]` | that address |
/// | `192.0.2.0/24`, `2001:db8::/32` | the addresses in that network |
/// | any of these followed by `:port`; IPv6 in brackets | the same, at that port only |
///
/// Case, a final dot of a name, and the zone of an IPv6 address are ignored. Names are not looked up, so an address
/// matches no name. Other elements match nothing, because the variable is shared with programs that support other
/// forms.
struct NoProxyList: Equatable, Sendable {
    private enum Pattern: Equatable {
        case all
        /// A host and its subdomains, in lower case.
        case domain(String)
        /// A network: the addresses with this prefix.
        case addresses([UInt8], prefixBits: Int)
    }

    private struct Element: Equatable {
        let pattern: Pattern
        let port: UInt16?
    }

    private let elements: [Element]

    /// Parses a list. Every text is valid.
    init(parsing text: String) {
        elements = text.utf8
            .split { $0 == UInt8(ascii: ",") || ASCII.isOptionalWhitespace($0) }
            .compactMap { Self.element(parsing: ASCII.lowercased(Substring($0))) }
    }

    /// Whether the list matches a host and port; an IPv6 address has no brackets but may have a zone.
    func contains(host: String, port: UInt16) -> Bool {
        let name = Self.normalized(ASCII.lowercased(host))
        let address = Self.address(name)
        return elements.contains { element in
            guard element.port == nil || element.port == port else { return false }
            switch (element.pattern, address) {
            case (.all, _): return true
            case (.domain(let domain), nil): return name == domain || name.hasSuffix("." + domain)
            case (.addresses(let network, let prefixBits), let address?):
                return Self.areEqual(address, network, inFirstBits: prefixBits)
            default: return false
            }
        }
    }

    private static func element(parsing text: String) -> Element? {
        guard let (host, port) = hostAndPort(text) else { return nil }
        if host == "*" { return Element(pattern: .all, port: port) }
        let parts = host.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        if let address = address(normalized(String(Substring(parts[0])))) {
            guard parts.count <= 2 else { return nil }
            let prefixBits = parts.count == 2 ? prefixBits(parts[1], of: address) : address.count * 8
            return prefixBits.map { Element(pattern: .addresses(address, prefixBits: $0), port: port) }
        }
        let name = normalized(host)
        let domain = name.hasPrefix("*.") ? name.dropFirst(2) : name.hasPrefix(".") ? name.dropFirst() : name[...]
        return domain.isEmpty ? nil : Element(pattern: .domain(String(domain)), port: port)
    }

    /// Splits off the port and removes the brackets of an IPv6 address.
    private static func hostAndPort(_ text: String) -> (host: String, port: UInt16?)? {
        let bytes = Array(text.utf8)
        var host = bytes[...]
        var rest: ArraySlice<UInt8> = []
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            host = bytes[1..<end]
            rest = bytes[(end + 1)...]
            // Both [2001:db8::/32] and [2001:db8::]/32 are in use.
            let bits = rest.prefix { $0 != ASCII.colon }
            guard bits.isEmpty || bits.first == UInt8(ascii: "/") else { return nil }
            host += bits
            rest = rest.dropFirst(bits.count)
        } else if let colon = bytes.firstIndex(of: ASCII.colon), bytes.lastIndex(of: ASCII.colon) == colon {
            host = bytes[..<colon]
            rest = bytes[colon...]
        }
        let name = String(decoding: host, as: UTF8.self)
        guard !rest.isEmpty else { return (name, nil) }
        let digits = rest.dropFirst()
        guard digits.allSatisfy(ASCII.isDigit), let port = UInt16(String(decoding: digits, as: UTF8.self)) else {
            return nil
        }
        return (name, port)
    }

    /// Removes the zone of an IPv6 address or the final dot of a name.
    private static func normalized(_ host: String) -> String {
        let isIPv6 = host.utf8.contains(ASCII.colon)
        if isIPv6 { return String(Substring(host.utf8.prefix { $0 != UInt8(ascii: "%") })) }
        return host.utf8.last == UInt8(ascii: ".") ? String(Substring(host.utf8.dropLast())) : host
    }

    private static func address(_ text: String) -> [UInt8]? { IPLiteral.ipv4(text) ?? IPLiteral.ipv6(text) }

    private static func prefixBits(_ digits: Substring.UTF8View, of address: [UInt8]) -> Int? {
        guard digits.allSatisfy(ASCII.isDigit), let bits = Int(String(Substring(digits))), bits <= address.count * 8
        else { return nil }
        return bits
    }

    private static func areEqual(_ left: [UInt8], _ right: [UInt8], inFirstBits bitCount: Int) -> Bool {
        guard left.count == right.count else { return false }
        let wholeByteCount = bitCount / 8
        guard left.prefix(wholeByteCount).elementsEqual(right.prefix(wholeByteCount)) else { return false }
        let restBits = bitCount % 8
        return restBits == 0 || (left[wholeByteCount] ^ right[wholeByteCount]) >> (8 - UInt8(restBits)) == 0
    }
}
