/// A proxy that connections are made through, as `--proxy` and the environment name it.
///
/// | form | means |
/// | --- | --- |
/// | `http://user:password@host:port`, `host:port` | HTTP CONNECT, port 1080 unless given |
/// | `https://…` | HTTP CONNECT over TLS, port 443 unless given |
/// | `socks5://…` | SOCKS 5 with an address that is looked up here, port 1080 unless given |
/// | `socks5h://…` | SOCKS 5 with the host's name, which the proxy looks up |
///
/// The default ports are those of curl. User name and password are optional and percent-decoded; neither may
/// contain a control character, the user name no colon.
public struct Proxy: Equatable, Sendable {
    /// How a proxy is asked for a connection.
    public enum Kind: String, CaseIterable, Sendable {
        /// HTTP CONNECT over TCP.
        case http
        /// HTTP CONNECT over TLS.
        case https
        /// SOCKS 5, with an address.
        case socks5
        /// SOCKS 5, with a name.
        case socks5h

        fileprivate var defaultPort: UInt16 { self == .https ? 443 : 1080 }
        fileprivate var isSOCKS: Bool { self == .socks5 || self == .socks5h }
    }

    /// How it is asked for a connection.
    public let kind: Kind
    /// Where it is: a name in lower case, an IPv4 address, or an IPv6 address without brackets (`fe80::1%eth0`
    /// with its zone).
    public let host: String
    /// Its port, 1 through 65535.
    public let port: UInt16
    /// What to log in with.
    public let credentials: Credentials?

    /// Reads one of the forms above, or throws ``ProxyURLError``.
    public init(parsing text: String) throws(ProxyURLError) {
        guard !text.isEmpty else { throw .empty }
        guard !text.unicodeScalars.contains(where: { $0 == " " || $0.properties.generalCategory == .control }) else {
            throw .spaceOrControlCharacter
        }
        let (kind, rest) = try Self.kindAndRest(of: text)
        // RFC 3986 §3.2: the authority ends at the first of these.
        let authorityEnd = rest.utf8.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        let path = rest[authorityEnd...]
        // What looks like a path may be the rest of a password, and is not shown.
        guard !path.utf8.contains(UInt8(ascii: "@")) else { throw .unescapedCredentials }
        guard path.isEmpty || path == "/" else { throw .path }

        var hostAndPort = rest[..<authorityEnd]
        var credentials: Credentials?
        if let at = hostAndPort.utf8.lastIndex(of: UInt8(ascii: "@")) {
            credentials = try Self.credentials(parsing: hostAndPort[..<at], for: kind)
            hostAndPort = hostAndPort[hostAndPort.utf8.index(after: at)...]
        }
        let authority = try Self.authority(parsing: hostAndPort)
        self.kind = kind
        host = authority.zone.map { "\(authority.host)%\($0)" } ?? authority.host
        port = authority.port ?? kind.defaultPort
        self.credentials = credentials
    }

    /// Whether the address of the target has to be looked up here.
    public var needsTargetAddress: Bool { kind == .socks5 }

    /// Whether the connection to the proxy itself uses TLS.
    public var isSecure: Bool { kind == .https }
}

extension Proxy: CustomStringConvertible {
    /// The URL with its port, and without the user name and password.
    public var description: String {
        let parts = host.utf8.split(separator: UInt8(ascii: "%"), maxSplits: 1).map { String(Substring($0)) }
        let name = parts.joined(separator: "%25")
        return "\(kind.rawValue)://\(name.utf8.contains(ASCII.colon) ? "[\(name)]" : name):\(port)"
    }
}

// The parts of a URL.
extension Proxy {
    /// What stands before `://`, which is `http` if there is none, and what stands after it.
    private static func kindAndRest(of text: String) throws(ProxyURLError) -> (Kind, Substring) {
        guard let scheme = URLForm.scheme(of: text) else { return (.http, text[...]) }
        let rest = text.utf8.dropFirst(scheme.utf8.count + 1)
        guard rest.starts(with: "//".utf8) else {
            // Before a digit it is the name of a host, and what follows its port.
            let isPort = rest.first.map(ASCII.isDigit) == true
            guard Kind(rawValue: scheme) == nil || isPort else { throw .missingSlashes(scheme: scheme) }
            return (.http, text[...])
        }
        guard let kind = Kind(rawValue: scheme) else { throw .unsupportedScheme(scheme) }
        return (kind, Substring(rest.dropFirst(2)))
    }

    private static func credentials(
        parsing text: Substring, for kind: Kind
    ) throws(ProxyURLError) -> Credentials? {
        let credentials: Credentials?
        do {
            credentials = try WebSocketURL.parseUserInfo(text)
        } catch {
            if case .invalidCredentials(let error) = error { throw .invalidCredentials(error) }
            throw .unescapedCredentials
        }
        // RFC 1929 §2: each has from 1 to 255 bytes.
        if kind.isSOCKS, let credentials {
            let lengths = [credentials.user.utf8.count, credentials.password.utf8.count]
            guard lengths.allSatisfy((1...255).contains) else { throw .credentialsLength }
        }
        return credentials
    }

    private static func authority(parsing text: Substring) throws(ProxyURLError) -> HostAndPort {
        do {
            return try HostAndPort(parsing: text)
        } catch {
            if case .emptyHost = error { throw .emptyHost }
            throw .invalidHostOrPort(error)
        }
    }
}
