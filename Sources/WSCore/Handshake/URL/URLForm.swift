/// The form of a URL, and the text after its scheme.
enum URLForm {
    case tcp(isSecure: Bool, rest: Substring)
    case unix(rest: Substring)
    case echo

    /// Determines the form of a URL.
    /// - Throws: ``URLError``.
    init(of text: String) throws(URLError) {
        if text.utf8.first == ASCII.colon {
            self = .tcp(isSecure: false, rest: Substring(try Self.localhostForm(of: text)))
            return
        }
        guard let scheme = Self.scheme(of: text) else {
            if let scheme = Self.schemeWithoutColon(of: text) { throw .missingColon(scheme: scheme) }
            self = .tcp(isSecure: false, rest: text[...])
            return
        }
        let rest = text[text.utf8.index(text.startIndex, offsetBy: scheme.utf8.count + 1)...]
        if rest.utf8.starts(with: "//".utf8) {
            self = try Self.form(scheme: scheme, rest: rest)
        } else if scheme == "ws+unix" {
            self = .unix(rest: rest)
        } else if Self.isPortOrEnd(rest, afterScheme: scheme) || Self.hasUserInfo(text)
            || scheme.utf8.contains(UInt8(ascii: "."))
        {
            // `host:port`, `user:password@host`, or a host with an invalid port.
            self = .tcp(isSecure: false, rest: text[...])
        } else if scheme == "echo" {
            guard rest.isEmpty else { throw .echoWithAddress }
            self = .echo
        } else if Self.webSchemes[scheme] != nil {
            throw .missingSlashes(scheme: scheme)
        } else {
            throw .unknownScheme(scheme)
        }
    }

    /// Expands `:port/path` to `localhost:port/path`.
    private static func localhostForm(of text: String) throws(URLError) -> String {
        let next = text.utf8.dropFirst().first
        guard next != ASCII.colon else { throw .unbracketedIPv6Address }
        guard let next, next != UInt8(ascii: "/"), next != UInt8(ascii: "?") else { throw .emptyHost }
        return "localhost" + text
    }

    /// The text before the first colon in lower case, if it is a syntactically valid scheme (RFC 3986 §3.1).
    static func scheme(of text: String) -> String? {
        guard let colon = text.utf8.firstIndex(of: ASCII.colon), let first = text.utf8.first, ASCII.isLetter(first)
        else {
            return nil
        }
        let isScheme = text[..<colon].utf8.allSatisfy { byte in
            ASCII.isLetter(byte) || ASCII.isDigit(byte) || "+-.".utf8.contains(byte)
        }
        return isScheme ? ASCII.lowercased(text[..<colon]) : nil
    }

    /// The scheme at the beginning of `ws//host` and `ws;//host`. Hosts with these names are less likely than a mistake.
    private static func schemeWithoutColon(of text: String) -> String? {
        let name = text.utf8.prefix(while: ASCII.isLetter)
        let rest = text.utf8.dropFirst(name.count)
        guard rest.starts(with: "//".utf8) || rest.starts(with: ";//".utf8) else { return nil }
        let scheme = ASCII.lowercased(Substring(name))
        return webSchemes[scheme] == nil ? nil : scheme
    }

    /// The schemes followed by a host, and whether they use TLS.
    static let webSchemes = ["ws": false, "http": false, "wss": true, "https": true]

    private static func form(scheme: String, rest: Substring) throws(URLError) -> URLForm {
        if let isSecure = webSchemes[scheme] {
            let text = String(Substring(rest.utf8.dropFirst(2)))
            if let other = Self.scheme(of: text), webSchemes[other] != nil,
                text.utf8.dropFirst(other.utf8.count).starts(with: "://".utf8)
            {
                throw .repeatedScheme(other)
            }
            return .tcp(isSecure: isSecure, rest: Substring(rest.utf8.dropFirst(2)))
        }
        switch scheme {
        case "ws+unix": return .unix(rest: rest)
        case "echo": throw .echoWithAddress
        default: throw .unknownScheme(scheme)
        }
    }

    /// Whether the text after the colon is a port, possibly empty. If so, a host and not a scheme precedes the colon.
    private static func isPortOrEnd(_ rest: Substring, afterScheme scheme: String) -> Bool {
        guard let first = rest.utf8.first else { return webSchemes[scheme] == nil && scheme != "echo" }
        if ASCII.isDigit(first) { return true }
        let isEnd = first == UInt8(ascii: "/") || first == UInt8(ascii: "?")
        return isEnd && webSchemes[scheme] == nil && scheme != "echo" && !scheme.utf8.contains(UInt8(ascii: "+"))
    }

    private static func hasUserInfo(_ text: String) -> Bool {
        text.utf8.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }.contains(UInt8(ascii: "@"))
    }
}
