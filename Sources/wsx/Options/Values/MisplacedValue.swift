import CommandLine
import WSCore

/// A value that is clearly meant for something else, as in curl's `-x PROXY` and `-s URL`.
///
/// Other tools give some letters another meaning. Without this check the value would be sent to the server.
struct MisplacedValue: Equatable {
    /// What the value is: `a URL`.
    let kind: String
    /// What to write instead.
    let remedy: String

    /// Whether the text begins with a scheme and `://`.
    static func isURL(_ text: some StringProtocol) -> Bool {
        let scheme = text.utf8.prefix { $0 != UInt8(ascii: ":") }
        return !scheme.isEmpty && scheme.allSatisfy(schemeBytes.contains)
            && text.utf8.dropFirst(scheme.count).starts(with: "://".utf8)
    }

    /// Whether the text is the rest of curl's `-sS`, `-fsSL` and the like.
    static func areCurlSwitches(_ text: String) -> Bool {
        text.utf8.count <= 4 && text.utf8.contains(UInt8(ascii: "S")) && text.utf8.allSatisfy("SLfks".utf8.contains)
    }

    /// Whether the text is the address of a proxy and not a message.
    ///
    /// A URL is one if it has a password or no path. Without a scheme it has a port, and a password or an IP address: a
    /// message can well be `room:42` or `mailto:me@example.com`.
    static func isProxy(_ text: String) -> Bool {
        if isURL(text), hasPassword(text) { return true }
        do throws(ProxyURLError) {
            let proxy = try Proxy(parsing: text)
            if isURL(text) { return true }
            let isAddress = proxy.host == "localhost" || SocketAddress(numeric: proxy.host, port: 0) != nil
            return text.hasSuffix(":\(proxy.port)") && (proxy.credentials != nil || isAddress)
        } catch {
            switch error {
            case .unsupportedScheme(let scheme): return scheme.hasPrefix("socks")
            case .unescapedCredentials, .invalidCredentials, .credentialsLength:
                // https://host/@name is the URL of a page.
                let start = text.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
                return isURL(text) && start.contains(UInt8(ascii: ":"))
            case .empty, .spaceOrControlCharacter, .missingSlashes, .path, .emptyHost, .invalidHostOrPort: return false
            }
        }
    }

    /// Whether a URL has `user:password@` before its first slash.
    private static func hasPassword(_ url: String) -> Bool {
        let authority = url.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
        guard let end = authority.lastIndex(of: UInt8(ascii: "@")) else { return false }
        return authority[..<end].contains(UInt8(ascii: ":"))
    }

    private static let schemeBytes = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-".utf8)
}
