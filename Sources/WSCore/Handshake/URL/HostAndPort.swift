/// `host[:port]` as in URLs and in the Host and Origin fields (RFC 3986 §3.2.2, §3.2.3).
struct HostAndPort: Equatable {
    /// The host in lower case. An IPv6 address has neither brackets nor zone.
    let host: String
    /// The zone of a link-local IPv6 address (RFC 6874), such as `eth0`.
    let zone: String?
    /// The port, 1 through 65535, or `nil` if there is none.
    let port: UInt16?
    /// Whether the host is an IPv6 address.
    let isIPv6: Bool

    /// Whether the host is an IP address rather than a name.
    var isIPAddress: Bool { isIPv6 || IPLiteral.isIPv4(host) }

    /// Whether a host in lower case is this machine: a loopback address, `localhost`, or a name below it (RFC 6761
    /// §6.3). Other names are not looked up.
    static func isLoopback(_ host: String) -> Bool {
        let name = host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        if let address = IPLiteral.ipv4(host) { return address[0] == 127 }
        return IPLiteral.ipv6(host) == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Whether connections to a host of a URL arrive at a socket that listens on a numeric address of this machine. Of host
    /// names, only `localhost` is known.
    static func reaches(_ listening: String, from host: String) -> Bool {
        // RFC 4291 §2.5.5.2: IPv4-mapped addresses.
        let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        let bytes = { (text: String) in
            IPLiteral.ipv4(text)
                ?? IPLiteral.ipv6(text).map { $0.starts(with: mappedPrefix) ? Array($0.suffix(4)) : $0 }
        }
        let isUnspecified = { (text: String) in bytes(text)?.allSatisfy { $0 == 0 } ?? false }
        // For the unspecified address, Linux connects to a loopback address.
        let isLocal =
            isLoopback(host) || isUnspecified(host) || bytes(host).map { $0.count == 4 && $0[0] == 127 } ?? false
        if isUnspecified(listening) { return isLocal }
        if let address = bytes(host), !isUnspecified(host) { return address == bytes(listening) }
        return isLocal && (listening == "127.0.0.1" || listening == "::1")
    }

    /// Parses `host[:port]`.
    /// - Parameters:
    ///   - text: The text to parse.
    ///   - isInternational: Whether the host may contain non-ASCII letters, as in typed URLs. Header fields use the
    ///     ASCII form.
    /// - Throws: ``URLError``.
    init(parsing text: some StringProtocol, isInternational: Bool = false) throws(URLError) {
        try self.init(parsing: Array(text.utf8)[...], isInternational: isInternational)
    }

    /// Parses the bytes of `host[:port]`.
    init(parsing bytes: ArraySlice<UInt8>, isInternational: Bool = false) throws(URLError) {
        if bytes.first == UInt8(ascii: "[") {
            let text = String(decoding: bytes, as: UTF8.self)
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { throw .invalidIPv6Address(text) }
            (host, zone) = try Self.parseIPv6(bytes[..<end].dropFirst())
            isIPv6 = true
            let rest = bytes[(end + 1)...]
            guard rest.isEmpty || rest.first == ASCII.colon else { throw .invalidHost(text) }
            port = try Self.parsePort(rest.dropFirst())
            return
        }
        let colon = bytes.firstIndex(of: ASCII.colon) ?? bytes.endIndex
        guard !bytes[colon...].dropFirst().contains(ASCII.colon) else { throw .unbracketedIPv6Address }
        host = try Self.parseName(bytes[..<colon], isInternational: isInternational)
        zone = nil
        isIPv6 = false
        port = try Self.parsePort(bytes[colon...].dropFirst())
    }

    private static func parseIPv6(_ bytes: ArraySlice<UInt8>) throws(URLError) -> (host: String, zone: String?) {
        let text = String(decoding: bytes, as: UTF8.self)
        let percent = bytes.firstIndex(of: UInt8(ascii: "%")) ?? bytes.endIndex
        let address = String(decoding: bytes[..<percent], as: UTF8.self)
        guard IPLiteral.ipv6(address) != nil else { throw .invalidIPv6Address(text) }
        guard percent < bytes.endIndex else { return (ASCII.lowercased(address), nil) }
        // RFC 6874 §2: "%25" precedes the zone. People also write a plain "%".
        var zone = bytes[(percent + 1)...]
        if zone.count > 2, zone.starts(with: "25".utf8) { zone = zone.dropFirst(2) }
        let isZone = zone.allSatisfy { byte in
            ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._~".utf8.contains(byte)
        }
        guard !zone.isEmpty, isZone else { throw .invalidIPv6Address(text) }
        return (ASCII.lowercased(address), String(decoding: zone, as: UTF8.self))
    }

    private static func parseName(
        _ bytes: ArraySlice<UInt8>, isInternational: Bool
    ) throws(URLError) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        // Most names are in their final form.
        let isFinal = { (byte: UInt8) in ASCII.isUnreservedOrSubDelimiter(byte) && ASCII.lowercased(byte) == byte }
        if (1...255).contains(bytes.count), bytes.allSatisfy(isFinal) { return text }
        var name = bytes.contains(UInt8(ascii: "%")) ? try PercentEncoding.decode(text) : text
        guard !name.isEmpty else { throw .emptyHost }
        // RFC 3987 §3.1: an IRI's host is resolved, and sent in Host, in its ASCII form.
        if isInternational, !name.utf8.allSatisfy({ $0 < 0x80 }) { name = try InternationalName.ascii(name) }
        // RFC 3986 §3.2.2: a registered name consists of these characters and has at most 255 bytes.
        guard ASCII.allSatisfy(name, ASCII.isUnreservedOrSubDelimiter) else { throw .invalidHost(name) }
        guard name.utf8.count <= 255 else { throw .hostTooLong(byteCount: name.utf8.count) }
        return ASCII.lowercased(name)
    }

    /// Parses the digits after the colon. No digits means no port.
    private static func parsePort(_ digits: ArraySlice<UInt8>) throws(URLError) -> UInt16? {
        guard !digits.isEmpty else { return nil }
        let limit = Int(UInt16.max) + 1
        let port =
            digits.allSatisfy(ASCII.isDigit)
            ? digits.reduce(0) { min($0 * 10 + Int($1 - UInt8(ascii: "0")), limit) } : limit
        guard port > 0, port < limit else { throw .invalidPort(String(decoding: digits, as: UTF8.self)) }
        return UInt16(port)
    }
}
