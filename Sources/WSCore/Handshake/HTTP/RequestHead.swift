/// The head of an HTTP/1 request.
public struct RequestHead: Equatable, Sendable {
    /// The method, such as `GET`.
    public let method: String
    /// The request target as it came: visible ASCII, with the query.
    public let target: String
    /// The header fields.
    public let fields: HTTPFields
    /// The minor version: 1 for HTTP/1.1.
    public let minorVersion: Int

    /// Takes the parts of a request's head.
    public init(method: String, target: String, fields: HTTPFields, minorVersion: Int = 1) {
        self.method = method
        self.target = target
        self.fields = fields
        self.minorVersion = minorVersion
    }

    /// The target's path, as it came (not percent-decoded), or nil when the target has none: `*`, `host:port`.
    public var path: String? {
        originForm.map { form in
            String(Substring(form.utf8.prefix { $0 != UInt8(ascii: "?") }))
        }
    }

    /// What follows the first `?` of the target.
    public var query: String? {
        guard let form = originForm, let mark = form.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        return String(form[form.utf8.index(after: mark)...])
    }

    /// The bytes of the path with its percent escapes decoded, which need not be text; nil when the target has none, or
    /// when an escape is malformed.
    public var decodedPathBytes: [UInt8]? {
        path.flatMap { try? PercentEncoding.decodeBytes($0) }
    }

    /// The path in the one form that all equivalent ones have (RFC 3986 §6.2.2); nil when the target has none, or when an
    /// escape is malformed.
    var normalizedPath: String? {
        path.flatMap { try? PercentEncoding.normalize($0) }
    }

    /// The host and port that the client has for the server: those of the target in absolute form, or else of Host. An IPv6
    /// address stands in brackets. nil: there are none that are valid.
    public var host: (name: String, port: UInt16?)? {
        guard let text = hostAsSent, let host = try? HostAndPort(parsing: text) else {
            return nil
        }
        return (host.isIPv6 ? "[\(host.host)]" : host.host, host.port)
    }

    /// The authority of a target in absolute form (`http://host:port/path`), which counts instead of Host (RFC 9112 §3.2.2).
    var authority: String? {
        absoluteForm.map { rest in String(Substring(rest.utf8.prefix(while: Self.isAuthority))) }
    }

    /// The host and port that the request is for, as they came.
    var hostAsSent: String? { authority ?? fields.first(named: "Host") }

    /// The path and query, whether the target has origin form (`/path`) or absolute form.
    private var originForm: String? {
        if target.utf8.first == UInt8(ascii: "/") { return target }
        guard let rest = absoluteForm else { return nil }
        let pathAndQuery = String(Substring(rest.utf8.drop(while: Self.isAuthority)))
        return pathAndQuery.utf8.first == UInt8(ascii: "/") ? pathAndQuery : "/" + pathAndQuery
    }

    /// What follows `http://` in a target of absolute form.
    private var absoluteForm: String? {
        for scheme in ["http://", "https://", "ws://", "wss://"]
        where ASCII.lowercased(target.prefix(scheme.utf8.count)) == scheme {
            return String(target.dropFirst(scheme.utf8.count))
        }
        return nil
    }

    private static func isAuthority(_ byte: UInt8) -> Bool {
        byte != UInt8(ascii: "/") && byte != UInt8(ascii: "?")
    }
}
