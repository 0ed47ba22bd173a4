import CommandLine
import WSCore

/// A value that is clearly meant for another tool's option, as in curl's `-x PROXY` and `-s URL`.
///
/// Other tools give some letters another meaning. Without this check, the value would be sent to the server.
package struct MisplacedValue: Equatable {
    /// A description of the value: `a URL`.
    package let kind: String
    /// What to do instead.
    package let remedy: String

    /// Whether the text begins with a scheme and `://`.
    package static func isURL(_ text: some StringProtocol) -> Bool {
        let scheme = text.utf8.prefix { $0 != UInt8(ascii: ":") }
        return !scheme.isEmpty && scheme.allSatisfy(schemeBytes.contains)
            && text.utf8.dropFirst(scheme.count).starts(with: "://".utf8)
    }

    /// Whether the text is the URL of a WebSocket.
    package static func isWebSocketURL(_ text: String) -> Bool {
        isURL(text) && ["ws", "wss"].contains(text.prefix { $0 != ":" }.lowercased())
    }

    /// Whether the text is a method of HTTP, as HTTPie's first operand is.
    package static func isHTTPMethod(_ text: String) -> Bool {
        ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT"].contains(text.uppercased())
    }

    /// Whether the text is the rest of curl's `-sS`, `-fsSL`, and the like.
    package static func areCurlSwitches(_ text: String) -> Bool {
        text.utf8.count <= 4 && text.utf8.contains(UInt8(ascii: "S")) && text.utf8.allSatisfy("SLfks".utf8.contains)
    }

    /// Whether the text is the address of a proxy rather than a message.
    ///
    /// A URL with a password or without a path counts as one. A text without a scheme must have a port, and a password
    /// or an IP address, because a message may well be `room:42` or `mailto:me@example.com`.
    package static func isProxy(_ text: String) -> Bool {
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

    /// Whether the text is an address to listen on, with a port: `:8080`, `127.0.0.1:8080`.
    package static func isListenAddress(_ text: String) -> Bool {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return false }
        let port = text.utf8[colon...].dropFirst()
        return !port.isEmpty && port.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }

    /// Whether the text is the rest of websocat's `-bE` and the like.
    package static func areWebsocatSwitches(_ text: String) -> Bool {
        text.utf8.count <= 4 && text.utf8.contains(UInt8(ascii: "E"))
            && text.utf8.allSatisfy("1ESUknqtuv".utf8.contains)
    }

    /// A host and its port in one word: `localhost:8080` for `localhost 8080`, as nc takes them; nil: they are none.
    package static func address(host: String, port: String) -> String? {
        let isHost = host.utf8.allSatisfy {
            ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
        }
        guard isHost, Int(host) == nil, !host.isEmpty, let number = UInt16(port), number > 0 else { return nil }
        return "\(host):\(port)"
    }

    private static let schemeBytes = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-".utf8)
}

/// A message in JSON that takes the place of a URL or a command, as after curl's `--json`.
package enum JSONMessage {
    /// Whether the text is an object or an array rather than a URL, which may begin with a placeholder or with an IPv6
    /// address.
    package static func isBeginning(_ text: String) -> Bool {
        switch text.first {
        case "{": !text.hasPrefix("{{")
        case "[": text.dropFirst().first { $0 != " " }.map { "{[\"]-".contains($0) } ?? false || text.contains(",")
        default: false
        }
    }
}
