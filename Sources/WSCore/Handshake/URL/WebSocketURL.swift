/// What to connect to and what to ask for there (RFC 6455 §3).
///
/// | form | means |
/// | --- | --- |
/// | `ws://host:port/path?query`, `http://…` | TCP, port 80 unless given |
/// | `wss://host:port/path?query`, `https://…` | TLS over TCP, port 443 unless given |
/// | `host`, `host:port/path` | the same with `ws://` before it |
/// | `:port/path` | `ws://localhost:port/path` |
/// | `ws+unix:/path/to.sock:/request` | a Unix domain socket; `/request` is `/` unless given |
/// | `echo:` | the echo server inside this process |
///
/// A host name of any script is turned into its ASCII form, which is what is looked up, sent and shown.
public struct WebSocketURL: Equatable, Sendable {
    /// Where a URL leads to.
    public enum Endpoint: Equatable, Sendable {
        /// A host, which is a name in lower case, an IPv4 address, or an IPv6 address without brackets
        /// (`fe80::1%eth0` with its zone), and a port from 1 through 65535.
        case tcp(host: String, port: UInt16)
        /// The path of a Unix domain socket.
        case unix(path: String)
        /// The echo server inside this process.
        case embeddedEcho
    }

    /// Whether the connection uses TLS: `wss` and `https`.
    public let isSecure: Bool
    /// Where to connect to.
    public let endpoint: Endpoint
    /// The path and query to ask for, percent-encoded: begins with `/`.
    public let requestTarget: String
    /// The user name and password that the URL carries, percent-decoded.
    public let userInfo: Credentials?

    /// Reads one of the forms above, or throws ``URLError``.
    public init(parsing text: String) throws(URLError) {
        try Self.checkCharacters(of: text)
        switch try URLForm(of: text) {
        case .tcp(let isSecure, let rest):
            try self.init(isSecure: isSecure, hierarchicalPart: rest)
        case .unix(let rest):
            try self.init(socketPathAndTarget: rest)
        case .echo:
            self.init(isSecure: false, endpoint: .embeddedEcho, requestTarget: "/", userInfo: nil)
        }
    }

    init(isSecure: Bool, endpoint: Endpoint, requestTarget: String, userInfo: Credentials?) {
        self.isSecure = isSecure
        self.endpoint = endpoint
        self.requestTarget = requestTarget
        self.userInfo = userInfo
    }

    /// The value of the Host field: without the default port and the zone of an IPv6 address, which means nothing elsewhere.
    public var hostField: String {
        guard case .tcp(let host, let port) = endpoint else { return "localhost" }
        // RFC 6874 §4: a zone does not leave the machine.
        let name = String(Substring(host.utf8.prefix { $0 != UInt8(ascii: "%") }))
        return Self.authority(host: name, port: port, isSecure: isSecure)
    }

    /// Whether both lead to the same server with the same protection, so that secrets for one may go to the other.
    public func isSameOrigin(as other: WebSocketURL) -> Bool {
        isSecure == other.isSecure && endpoint == other.endpoint
    }

    private static func authority(host: String, port: UInt16, isSecure: Bool) -> String {
        let host = host.utf8.contains(ASCII.colon) ? "[\(host)]" : host
        return port == defaultPort(isSecure: isSecure) ? host : "\(host):\(port)"
    }

    static func defaultPort(isSecure: Bool) -> UInt16 { isSecure ? 443 : 80 }
}

extension WebSocketURL: CustomStringConvertible {
    /// The canonical form, without the user name and password.
    public var description: String {
        switch endpoint {
        case .tcp(let host, let port):
            let parts = host.utf8.split(separator: UInt8(ascii: "%"), maxSplits: 1).map { String(Substring($0)) }
            let name = parts.joined(separator: "%25")
            return
                "\(isSecure ? "wss" : "ws")://\(Self.authority(host: name, port: port, isSecure: isSecure))\(requestTarget)"
        case .unix(let path):
            let encodedPath = PercentEncoding.encode(path.utf8) {
                ASCII.isUnreservedOrSubDelimiter($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "@")
            }
            // Of three slashes or more the first two would be read as those of an empty authority.
            let authority = encodedPath.utf8.starts(with: "///".utf8) ? "//" : ""
            return "ws+unix:\(authority)\(encodedPath):\(requestTarget)"
        case .embeddedEcho:
            return "echo:"
        }
    }
}

// The parts of a URL.
extension WebSocketURL {
    private static func checkCharacters(of text: String) throws(URLError) {
        guard !text.isEmpty else { throw .empty }
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x20: throw .space
            case 0..<0x20, 0x7F...0x9F: throw .controlCharacter
            // RFC 6455 §3: a fragment has no meaning in a WebSocket URI and must not be used.
            case 0x23: throw .fragment
            default: break
            }
        }
    }

    /// Reads what follows `ws://`: `[userinfo@]host[:port][/path][?query]`.
    init(isSecure: Bool, hierarchicalPart text: Substring) throws(URLError) {
        let authorityEnd =
            text.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? text.endIndex
        var hostAndPort = text[..<authorityEnd]
        var userInfo: Credentials?
        if let at = hostAndPort.utf8.lastIndex(of: UInt8(ascii: "@")) {
            userInfo = try Self.parseUserInfo(hostAndPort[..<at])
            hostAndPort = hostAndPort[hostAndPort.utf8.index(after: at)...]
        }
        let authority = try Self.parseAuthority(hostAndPort, rest: text[authorityEnd...])
        let host = authority.zone.map { "\(authority.host)%\($0)" } ?? authority.host
        self.init(
            isSecure: isSecure,
            endpoint: .tcp(host: host, port: authority.port ?? Self.defaultPort(isSecure: isSecure)),
            requestTarget: try Self.parseTarget(text[authorityEnd...]),
            userInfo: userInfo)
    }

    /// Reads the host and port before a path and query.
    private static func parseAuthority(_ text: Substring, rest: Substring) throws(URLError) -> HostAndPort {
        do throws(URLError) {
            return try HostAndPort(parsing: text, isInternational: true)
        } catch {
            // With an '@' later on, this may be the beginning of a password, which is not to be shown.
            throw rest.utf8.contains(UInt8(ascii: "@")) ? .unescapedSlash : error
        }
    }

    /// Reads what follows `ws+unix:`: `path[:request]`.
    private init(socketPathAndTarget text: Substring) throws(URLError) {
        var path = Self.withoutEmptyAuthority(text)
        var target: Substring = ""
        // A request begins with a slash, so that a colon in the path needs no escape unless a slash follows it.
        if let colon = path.firstRange(ofASCII: ":/") ?? path.firstRange(ofASCII: ":?") {
            target = path[colon.upperBound...]
            path = path[..<colon.lowerBound]
        } else if path.utf8.last == ASCII.colon {
            path = path[..<path.utf8.index(before: path.endIndex)]
        }
        let decodedPath = try PercentEncoding.decode(path)
        guard !decodedPath.isEmpty else { throw .emptySocketPath }
        guard !decodedPath.utf8.contains(where: ASCII.isControl) else { throw .controlCharacterInSocketPath }
        self.init(
            isSecure: false, endpoint: .unix(path: decodedPath),
            requestTarget: try Self.parseTarget(target), userInfo: nil)
    }

    /// `ws+unix:///path` means `ws+unix:/path`.
    private static func withoutEmptyAuthority(_ text: Substring) -> Substring {
        text.utf8.starts(with: "///".utf8) ? Substring(text.utf8.dropFirst(2)) : text
    }

    static func parseUserInfo(_ text: Substring) throws(URLError) -> Credentials? {
        // RFC 3986 §3.2.1: an '@' in it is percent-encoded. Programs differ in which one they split at.
        guard !text.utf8.contains(UInt8(ascii: "@")) else { throw .unescapedAtSign }
        guard !text.isEmpty else { return nil }
        let colon = text.utf8.firstIndex(of: ASCII.colon) ?? text.endIndex
        let user = try PercentEncoding.decode(text[..<colon])
        let password = try PercentEncoding.decode(Substring(text[colon...].utf8.dropFirst()))
        do {
            return try Credentials(user: user, password: password)
        } catch {
            throw .invalidCredentials(error)
        }
    }

    /// The request target for a path and query as typed; what RFC 3986 does not allow there is percent-encoded.
    static func parseTarget(_ text: some StringProtocol) throws(URLError) -> String {
        let encoded = try encodePathAndQuery(text)
        // RFC 6455 §3: the resource name begins with "/", even where the path is empty.
        return encoded.utf8.first == UInt8(ascii: "/") ? encoded : "/" + encoded
    }

    /// The text with everything percent-encoded that a path and query cannot contain (RFC 3986 §3.3, §3.4).
    static func encodePathAndQuery(_ text: some StringProtocol) throws(URLError) -> String {
        try PercentEncoding.encode(keepingEscapesOf: text) { byte in
            ASCII.isUnreservedOrSubDelimiter(byte) || ":@/?".utf8.contains(byte)
        }
    }
}

extension Substring {
    /// Where two ASCII characters first stand: the position between them and the positions around.
    func firstRange(ofASCII pair: StaticString) -> Range<Index>? {
        var index = startIndex
        let bytes = pair.withUTF8Buffer { Array($0) }
        while index < endIndex {
            let next = utf8.index(after: index)
            if utf8[index] == bytes[0], next < endIndex, utf8[next] == bytes[1] { return index..<next }
            index = next
        }
        return nil
    }
}
