import WSCore

/// A value of the request with which a client has connected to a server.
///
///     {{path}}         the path in normalized form, without the query
///     {{query:NAME}}   a parameter of the query, percent-decoded; a plus sign is a blank
///     {{header:NAME}}  a header field, or several with this name joined by commas
///
/// A value that the request does not have is empty, or missing before filters, so that `default:` can replace it.
enum RequestValue: Equatable, Sendable {
    case path
    case query(String)
    case header(String)

    /// Parses a placeholder without its braces. Returns `nil` for another one.
    init?(_ text: String) {
        if text == "path" {
            self = .path
        } else if let name = Self.name(in: text, after: "query:") {
            self = .query(name)
        } else if let name = Self.name(in: text, after: "header:") {
            self = .header(name)
        } else {
            return nil
        }
    }

    private static func name(in text: String, after prefix: String) -> String? {
        let name = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : ""
        return name.isEmpty ? nil : name
    }

    /// Whether the name suggests that the value is a secret.
    var isSecret: Bool {
        switch self {
        case .path: false
        case .query(let name): SecretName.isSecret(name)
        case .header(let name): HeaderField.isSecret(name: name)
        }
    }

    /// Whether a request can have the value: names of fields are tokens, and `|` or a blank is a mistake around filters.
    var isPossible: Bool {
        switch self {
        case .path: true
        case .header(let name): (try? HeaderField(name: name, value: "")) != nil
        case .query(let name): !name.utf8.contains { $0.isBlank || $0 == UInt8(ascii: "|") }
        }
    }

    /// The value in a request, or `nil` if it does not have it.
    func text(in request: RequestHead) -> String? {
        switch self {
        case .path: request.normalizedPath
        case .header(let name):
            request.fields.contains(named: name) ? request.fields.all(named: name).joined(separator: ", ") : nil
        case .query(let name):
            (request.query ?? "").split(separator: "&").lazy.map { Self.parameter($0) }.first { $0.name == name }?.value
        }
    }

    /// Decodes a parameter as browsers encode forms. A malformed escape stays as it is.
    private static func parameter(_ text: Substring) -> (name: String, value: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { part in
            let text = String(part.map { $0 == "+" ? " " : $0 })
            return (try? PercentEncoding.decodeBytes(text)).map { String(decoding: $0, as: UTF8.self) } ?? text
        }
        return (parts[0], parts.count > 1 ? parts[1] : "")
    }
}
