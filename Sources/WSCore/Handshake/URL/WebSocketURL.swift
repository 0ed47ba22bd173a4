/// A WebSocket URL: the server to connect to and the resource to request (RFC 6455 §3).
///
/// | form | meaning |
/// | --- | --- |
/// | `ws://host:port/path?query`, `http://…` | TCP; default port 80 |
/// | `wss://host:port/path?query`, `https://…` | TLS over TCP; default port 443 |
/// | `host`, `host:port/path` | the same with `ws://` |
/// | `:port/path` | `ws://localhost:port/path` |
/// | `ws+unix:/path/to.sock:/request` | a Unix domain socket; `/request` defaults to `/` |
/// | `echo:` | the echo server inside this process |
///
/// An internationalized host name is converted to its ASCII form, which is resolved, sent, and shown.
package struct WebSocketURL: Equatable, Sendable {
    /// The server that a URL refers to.
    package enum Endpoint: Equatable, Sendable {
        /// A host and a port from 1 through 65535. The host is a name in lower case, an IPv4 address, or an IPv6
        /// address without brackets, possibly with a zone (`fe80::1%eth0`).
        case tcp(host: String, port: UInt16)
        /// The path of a Unix domain socket.
        case unix(path: String)
        /// The echo server inside this process.
        case embeddedEcho
    }

    /// Whether the connection uses TLS (`wss` and `https`).
    package let isSecure: Bool
    /// The server to connect to.
    package let endpoint: Endpoint
    /// The path and query to request, percent-encoded. Begins with `/`.
    package let requestTarget: String
    /// The user name and password in the URL, percent-decoded.
    package let userInfo: Credentials?
    /// The path and query to show, or `nil` for those of the request.
    private let shownForm: String?

    /// Parses one of the forms above.
    /// - Throws: ``URLError``.
    package init(parsing text: String) throws(URLError) {
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

    init(
        isSecure: Bool, endpoint: Endpoint, requestTarget: String, userInfo: Credentials?, shownForm: String? = nil
    ) {
        self.isSecure = isSecure
        self.endpoint = endpoint
        self.requestTarget = requestTarget
        self.userInfo = userInfo
        self.shownForm = shownForm
    }

    /// The same server with the path and query of a received request, unchanged.
    package func passing(_ target: String) -> WebSocketURL {
        WebSocketURL(isSecure: isSecure, endpoint: endpoint, requestTarget: target, userInfo: userInfo)
    }

    /// The same server with a changed path and query, in which characters that RFC 3986 does not allow are
    /// percent-encoded. The shown form changes in the same way.
    /// - Throws: ``URLError``.
    package func changingTarget(_ change: (String) -> String) throws(URLError) -> WebSocketURL {
        WebSocketURL(
            isSecure: isSecure, endpoint: endpoint, requestTarget: try Self.parseTarget(change(requestTarget)),
            userInfo: userInfo, shownForm: shownForm.map(change))
    }

    /// The same URL, with another text in place of its path and query where it is shown.
    package func showing(target: String) -> WebSocketURL {
        WebSocketURL(
            isSecure: isSecure, endpoint: endpoint, requestTarget: requestTarget, userInfo: userInfo, shownForm: target)
    }

    /// The URL with another query parameter. Its name and its value are percent-encoded. The value is a secret.
    package func adding(query name: String, _ value: String) -> WebSocketURL {
        let (name, value) = (Self.component(name), Self.component(value))
        let separator = requestTarget.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return WebSocketURL(
            isSecure: isSecure, endpoint: endpoint, requestTarget: "\(requestTarget)\(separator)\(name)=\(value)",
            userInfo: userInfo,
            shownForm: "\(shownForm ?? requestTarget)\(separator)\(name)=\(SecretText.mask)")
    }

    /// A text as one component of a URL: everything but unreserved characters is percent-encoded.
    package static func component(_ text: String) -> String {
        PercentEncoding.encode(text.utf8, where: PercentEncoding.isUnreserved)
    }

    /// Whether the server is on this machine.
    package var isLoopback: Bool {
        if case .tcp(let host, _) = endpoint { HostAndPort.isLoopback(host) } else { false }
    }

    /// The origin of pages on the server (RFC 6454 §6.2).
    /// - Parameter host: The host and port, as in the Host field.
    package func origin(host: String) -> String { (isSecure ? "https://" : "http://") + host }

    /// The value of the Host field: without a default port, without an IPv6 zone, and `localhost` for a Unix domain
    /// socket.
    package var hostField: String {
        guard case .tcp(let host, let port) = endpoint else { return "localhost" }
        // RFC 6874 §4: a zone must not leave the machine.
        let name = String(Substring(host.utf8.prefix { $0 != UInt8(ascii: "%") }))
        return Self.authority(host: name, port: port, isSecure: isSecure)
    }

    /// Whether both URLs lead to the same server with the same protection.
    package func isSameOrigin(as other: WebSocketURL) -> Bool {
        isSecure == other.isSecure && endpoint == other.endpoint
    }

    /// Whether secrets that were given for another URL may be sent to this one: it has the same origin, or it is
    /// `wss` and the other one `ws` on the same host, both with their default ports.
    package func mayReceiveSecrets(of other: WebSocketURL) -> Bool {
        if isSameOrigin(as: other) { return true }
        guard isSecure, !other.isSecure, case .tcp(let host, 443) = endpoint else { return false }
        return other.endpoint == .tcp(host: host, port: 80)
    }

    private static func authority(host: String, port: UInt16, isSecure: Bool) -> String {
        let host = host.utf8.contains(ASCII.colon) ? "[\(host)]" : host
        return port == defaultPort(isSecure: isSecure) ? host : "\(host):\(port)"
    }

    static func defaultPort(isSecure: Bool) -> UInt16 { isSecure ? 443 : 80 }
}

extension WebSocketURL: CustomStringConvertible {
    /// The canonical form of the URL, without user name and password, and with `•••` in place of other secrets: to show
    /// and to store, not to connect to.
    package var description: String { form(target: shownTarget) }

    /// ``description`` for a message in one line. A server may redirect to a URL as long as a response may be.
    package var shortDescription: String { escapingControls(description, longest: 200) }

    /// The canonical form of the URL, without user name and password. It may contain other secrets.
    package var text: String { form(target: requestTarget) }

    /// The path and query; `•••` replaces secrets.
    package var shownTarget: String { SecretQuery.masking(shownForm ?? requestTarget) }

    private func form(target: String) -> String {
        switch endpoint {
        case .tcp(let host, let port):
            let parts = host.utf8.split(separator: UInt8(ascii: "%"), maxSplits: 1).map { String(Substring($0)) }
            let name = parts.joined(separator: "%25")
            return
                "\(isSecure ? "wss" : "ws")://\(Self.authority(host: name, port: port, isSecure: isSecure))\(target)"
        case .unix(let path):
            let encodedPath = PercentEncoding.encode(path.utf8) {
                ASCII.isUnreservedOrSubDelimiter($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "@")
            }
            // Otherwise the first two of three or more slashes would be parsed as an empty authority.
            let authority = encodedPath.utf8.starts(with: "///".utf8) ? "//" : ""
            return "ws+unix:\(authority)\(encodedPath):\(target)"
        case .embeddedEcho:
            return "echo:"
        }
    }
}

// MARK: Parsing
extension WebSocketURL {
    private static func checkCharacters(of text: String) throws(URLError) {
        guard !text.isEmpty else { throw .empty }
        let ends = [text.utf8.first, text.utf8.last].compactMap(\.self)
        if ends.contains(where: " \t\r\n".utf8.contains) { throw .surroundingSpace }
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x20: throw .space
            case 0..<0x20, 0x7F...0x9F: throw .controlCharacter
            // RFC 6455 §3: fragment identifiers are meaningless in WebSocket URIs and must not be used.
            case 0x23: throw .fragment
            default: break
            }
        }
    }

    /// Parses the part after `ws://`: `[userinfo@]host[:port][/path][?query]`.
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

    /// Parses the host and port.
    private static func parseAuthority(_ text: Substring, rest: Substring) throws(URLError) -> HostAndPort {
        do throws(URLError) {
            return try HostAndPort(parsing: text, isInternational: true)
        } catch {
            // If an '@' follows, this may be the beginning of a password, which must not be shown.
            throw rest.utf8.contains(UInt8(ascii: "@")) ? .unescapedSlash : error
        }
    }

    /// Parses the part after `ws+unix:`: `path[:request]`.
    private init(socketPathAndTarget text: Substring) throws(URLError) {
        var path = Self.withoutEmptyAuthority(text)
        var target: Substring = ""
        // A request begins with a slash, so a colon in the path needs no escape unless a slash follows.
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

    /// Reduces `ws+unix:///path` to `ws+unix:/path`.
    private static func withoutEmptyAuthority(_ text: Substring) -> Substring {
        text.utf8.starts(with: "///".utf8) ? Substring(text.utf8.dropFirst(2)) : text
    }

    static func parseUserInfo(_ text: Substring) throws(URLError) -> Credentials? {
        // RFC 3986 §3.2.1: an '@' must be percent-encoded here. Programs differ in which '@' ends the user info.
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

    /// The request target for a path and query as typed. Characters that RFC 3986 does not allow are percent-encoded.
    static func parseTarget(_ text: some StringProtocol) throws(URLError) -> String {
        let encoded = try encodePathAndQuery(text)
        // RFC 6455 §3: the resource name is "/" if the path is empty.
        return encoded.utf8.first == UInt8(ascii: "/") ? encoded : "/" + encoded
    }

    /// Percent-encodes the characters that are not allowed in a path and query (RFC 3986 §3.3, §3.4).
    static func encodePathAndQuery(_ text: some StringProtocol) throws(URLError) -> String {
        try PercentEncoding.encode(keepingEscapesOf: text) { byte in
            ASCII.isUnreservedOrSubDelimiter(byte) || ":@/?".utf8.contains(byte)
        }
    }
}

extension Substring {
    /// The range of the first occurrence of two ASCII characters, from the first character up to the second.
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

extension WebSocketURL {
    /// A URL in text of a user or a peer, with `•••` in place of secrets. The text need not be a valid URL.
    package static func shown(_ text: String) -> String { SecretQuery.masking(withoutUserInfo(text)) }

    /// Whether a URL in text contains a secret: a password, or a parameter that is likely one. Placeholders are none.
    package static func containsSecret(_ text: String) -> Bool {
        !SecretQuery.values(in: text).isEmpty || (try? WebSocketURL(parsing: text))?.userInfo?.password.isEmpty == false
    }

    /// Replaces everything that may be a user name and password with `•••`. The text need not be a valid URL.
    ///
    /// That is everything between the scheme and the last `@`: a password that is not percent-encoded can contain any
    /// character.
    static func withoutUserInfo(_ text: String) -> String {
        guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else { return text }
        let scheme = URLForm.scheme(of: text).map { $0 + ":" } ?? ""
        let hasAuthority = text.utf8.dropFirst(scheme.utf8.count).starts(with: "//".utf8)
        return (hasAuthority ? scheme + "//" : "") + SecretText.mask + text[at...]
    }
}
