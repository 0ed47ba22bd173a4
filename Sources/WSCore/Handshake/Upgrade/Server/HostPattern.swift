/// A pattern of host names and IP addresses: `*` stands for any text. Case and a final dot do not matter.
package struct HostPattern: Equatable, Sendable {
    /// The host as normalized in URLs, if the pattern names a single one.
    package let host: String?
    private let pattern: PathPattern

    /// Parses a pattern. Returns nil for anything else, such as a host with a port, or a name with `*` that is not ASCII.
    package init?(_ text: String) {
        let isAddress = IPLiteral.ipv6(text) != nil
        // An asterisk is a character of names.
        guard
            let parsed = try? HostAndPort(
                parsing: isAddress ? "[\(text)]" : text, isInternational: !text.contains("*")),
            parsed.port == nil, parsed.zone == nil, !text.contains("%"),
            parsed.isIPv6 || ProxyTarget.isName(parsed.host, with: "-_*"),
            // A segment of a path is a text without slashes, too.
            let pattern = PathPattern("/" + Self.withoutFinalDot(parsed.host))
        else { return nil }
        host = parsed.host.contains("*") ? nil : Self.withoutFinalDot(parsed.host)
        self.pattern = pattern
    }

    /// Whether a host as normalized in URLs matches.
    package func matches(_ host: String) -> Bool { pattern.matches("/" + Self.withoutFinalDot(host)) }

    private static func withoutFinalDot(_ host: String) -> String {
        host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host
    }
}
