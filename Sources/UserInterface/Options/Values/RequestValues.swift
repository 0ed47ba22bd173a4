import CommandLine
import WSCore

/// One subprotocol, or several separated by commas.
package enum SubprotocolValue {
    /// Parses names. It rejects a URL, which follows curl's `-s`, a script, which follows wrk's, and a port, which follows
    /// websocat's.
    package static func parse(_ text: String) throws(ValueProblem) -> [String] {
        let quiet = "use --quiet to silence notices"
        if MisplacedValue.isURL(text) {
            throw .misplaced(MisplacedValue(kind: "a URL, not a subprotocol", remedy: quiet))
        }
        if MisplacedValue.areCurlSwitches(text) {
            throw .misplaced(
                MisplacedValue(kind: "part of curl's -sS", remedy: quiet))
        }
        if text.hasSuffix(".lua") || text.hasSuffix(".js") {
            throw .misplaced(
                MisplacedValue(kind: "a script, not a subprotocol", remedy: "use --message TEXT or --file FILE"))
        }
        if !text.isEmpty, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {
            throw .misplaced(
                MisplacedValue(kind: "a number, not a subprotocol", remedy: "use 'wsx listen \(text)' for a server"))
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        if parts.count == 2, let unit = parts[0].last, "smh".contains(unit), Int(parts[0].dropLast()) != nil {
            throw .misplaced(
                MisplacedValue(
                    kind: "a stage of k6, not a subprotocol", remedy: "use 'wsx bench --stages \(parts[1])@\(parts[0])'"
                ))
        }
        if SocketAddress(numeric: text, port: 0) != nil {
            let host = text.contains(":") ? "[\(text)]" : text
            throw .misplaced(
                MisplacedValue(
                    kind: "an address, not a subprotocol",
                    remedy: "use --source-ip \(text) to connect from it, or 'wsx listen \(host):PORT' for a server"))
        }
        if MisplacedValue.isListenAddress(text) {
            throw .misplaced(
                MisplacedValue(kind: "an address, not a subprotocol", remedy: "use 'wsx listen \(text)' for a server"))
        }
        return try NameList.parse(text)
    }
}

/// A user and password.
package enum LoginValue {
    /// Accepts any text but a URL and other switches, which follow websocat's `-u`.
    package static func parse(_ text: String) throws(ValueProblem) -> String {
        guard !MisplacedValue.isURL(text) else {
            throw .misplaced(MisplacedValue(kind: "a URL, not a user", remedy: "write the URL without an option"))
        }
        if !text.isEmpty, text.utf8.count <= 3, text.utf8.allSatisfy("ESU".utf8.contains) {
            throw .misplaced(
                MisplacedValue(
                    kind: "part of websocat's -uU, not a user",
                    remedy: "use --no-stdin to only receive, or --linger 0 to only send"))
        }
        return text
    }
}

/// The region and the service that a request is signed for: `[REGION:]SERVICE`.
package struct SignatureScope: Equatable, Sendable {
    /// As in `us-east-1`; nil: that of the environment.
    package let region: String?
    /// As in `execute-api`.
    package let service: String

    /// Parses a scope. `aws:amz:` before it, as in curl's notation, is ignored.
    package init(parsing text: String) throws(ValueProblem) {
        let prefix = "aws:amz:"
        // Not `aws:amz` alone, which curl accepts: a host other than those of AWS does not tell the service.
        let rest = "\(text):".hasPrefix(prefix) ? text.dropFirst(prefix.count) : text[...]
        let parts = rest.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        let areNames = parts.allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || "-_.".utf8.contains($0) }
        }
        guard areNames, 1...2 ~= parts.count, let service = parts.last else {
            throw .unusable(words: "expected REGION:SERVICE, such as us-east-1:execute-api, or SERVICE")
        }
        region = parts.count == 2 ? parts.first : nil
        self.service = service
    }
}

/// A header field: `Name: value`, `@FILE`, or `exec:COMMAND`.
package enum HeaderValue {
    /// Whether a value is the output of a program, and not a field with the name `exec`, which a space follows.
    package static func isProgram(_ text: String) -> Bool {
        guard let first = text.dropFirst(SecretReference.programPrefix.count).first else { return false }
        return SecretReference.isProgram(text) && first != " "
    }

    /// Accepts any text but one that begins with an equals sign, as in websocat's `-H='Name: value'`.
    package static func parse(_ text: String) throws(ValueProblem) -> String {
        guard !text.hasPrefix("=") else {
            throw .unusable(words: "an equals sign precedes the name; write -H 'Name: value'", hidesValue: true)
        }
        return text
    }
}

/// A cookie, or the name of a cookie file.
package enum CookieValue: Equatable {
    /// `name=value`, `@FILE`, `env:NAME`, or `exec:COMMAND`.
    case text(String)
    /// A file name without an equals sign, as in curl.
    case file(String)

    /// Accepts any text but a URL, which follows websocat's `-b`.
    package static func parse(_ text: String) throws(ValueProblem) -> CookieValue {
        let isReference = SecretReference.isReference(text)
        if MisplacedValue.isURL(text) || !isReference && WebsocatAddress(text) != nil {
            throw .misplaced(
                MisplacedValue(kind: "a URL, not a cookie", remedy: "use --binary to send binary messages"))
        }
        if MisplacedValue.areWebsocatSwitches(text) {
            throw .misplaced(
                MisplacedValue(kind: "part of websocat's -bE, not a cookie", remedy: "use --binary and --linger 0"))
        }
        guard !text.isEmpty else { throw .empty }
        let isText = text.utf8.contains(UInt8(ascii: "=")) || isReference
        return isText ? .text(text) : .file(text)
    }
}

/// A value that names the place of a secret: `@FILE`, `env:NAME`, or `exec:COMMAND`.
package enum SecretReference {
    /// Whether a value is a reference.
    package static func isReference(_ text: String) -> Bool {
        text.hasPrefix("@") || text.hasPrefix("env:") || isProgram(text)
    }

    /// Whether a value is the output of a program.
    package static func isProgram(_ text: String) -> Bool { text.hasPrefix(programPrefix) }

    package static let programPrefix = "exec:"
}

/// The origin of a web page: `https://app.example`, or `null`.
package enum OriginValue {
    /// Accepts an origin (RFC 6454 §6.2), or `*` if all origins can be allowed.
    package static func parse(_ text: String, allAllowed: Bool = false) throws(ValueProblem) -> String {
        if text == "*" {
            if allAllowed { return text }
            throw .misplaced(
                MisplacedValue(kind: "a server's setting", remedy: "write the origin of one page, or omit the option"))
        }
        if OriginPolicy.isOrigin(text) { return text }
        if OutputFormat(rawValue: text) != nil || ResultFormat(rawValue: text) != nil {
            throw .misplaced(MisplacedValue(kind: "an output format", remedy: "use --output \(text)"))
        }
        let rest = MisplacedValue.isURL(text) ? text.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2) : "".utf8[...]
        throw .notAnOrigin(allAllowed: allAllowed, isURL: rest.contains { "/?#@".utf8.contains($0) })
    }
}
