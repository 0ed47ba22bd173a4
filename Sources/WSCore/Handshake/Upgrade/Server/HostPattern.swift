/// A pattern of host names and IP addresses: `*` stands for any text. Case and a final dot do not matter.
package struct HostPattern: Equatable, Sendable {
    /// The host as normalized in URLs, if the pattern names a single one.
    package let host: String?
    private let pattern: PathPattern

    /// Parses a pattern.
    /// - Throws: ``HostPatternError``.
    package init(parsing text: String) throws(HostPatternError) {
        guard text.contains("*") else {
            let parsed: HostAndPort
            do throws(URLError) {
                parsed = try HostAndPort(
                    parsing: IPLiteral.ipv6(text) == nil ? text : "[\(text)]", isInternational: true)
            } catch {
                throw .host(error)
            }
            guard parsed.port == nil else { throw .port }
            try self.init(host: parsed.host, parsed.host)
            return
        }
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { throw .international }
        guard !text.contains(":") || text.split(separator: ":", omittingEmptySubsequences: false).count > 2 else {
            throw .port
        }
        try self.init(host: nil, ASCII.lowercased(text))
    }

    private init(host: String?, _ text: String) throws(HostPatternError) {
        // A segment of a path, too, is a text without slashes.
        guard let pattern = PathPattern("/" + Self.withoutFinalDot(text)), !text.contains("/"), !text.contains("@")
        else {
            throw .host(.invalidHost(text))
        }
        self.pattern = pattern
        self.host = host.map(Self.withoutFinalDot)
    }

    /// Whether a host as normalized in URLs matches.
    package func matches(_ host: String) -> Bool { pattern.matches("/" + Self.withoutFinalDot(host)) }

    private static func withoutFinalDot(_ host: String) -> String {
        host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host
    }
}

/// The reason a text is not a ``HostPattern``.
package enum HostPatternError: Error, Equatable, CustomStringConvertible {
    /// The host is invalid.
    case host(URLError)
    /// A port follows the host.
    case port
    /// A pattern with `*` contains other letters than those of ASCII.
    case international

    /// The reason and the remedy.
    package var description: String {
        switch self {
        case .host(let error): error.description
        case .port: "it has a port, but all ports of a host match; write the host alone"
        case .international: "write the ASCII form of an international name with '*', such as *.xn--mnchen-3ya.example"
        }
    }
}
