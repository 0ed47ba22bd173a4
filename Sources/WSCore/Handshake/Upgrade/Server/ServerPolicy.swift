/// The requests that a server accepts, and the fields it adds to its responses. Shared by all handshakes of a server.
package final class ServerPolicy: Sendable {
    /// The supported subprotocols in order of preference.
    package let subprotocols: [String]
    /// The only subprotocol of some paths, or nil for none; the first match counts.
    private let pathSubprotocols: [PathSubprotocol]
    /// The pattern of accepted paths, normalized like ``RequestHead/normalizedPath``, or `nil` to accept any.
    package let path: String?
    private let paths: PathPattern?
    /// Paths, or nil for all, and their subprotocol.
    package typealias PathSubprotocol = (paths: PathPattern?, name: String?)
    /// Additional origins that may connect, besides the server's own and those of this machine. `*` allows all.
    package let allowedOrigins: [String]
    /// Whether ``OriginPolicy`` checks Origin and Host.
    package let checksHostAndOrigin: Bool
    /// The role of a server.
    package enum Role: Equatable, Sendable {
        /// Answers requests.
        case server
        /// Passes requests on to another server. Origin is also checked in those that are not upgrades, and only those that are
        /// upgrades (``RequestHead/isUpgrade``) are checked as such.
        case gateway
        /// Like a gateway, to any server that a client names; ``ServerPolicy/access`` is that of the proxy. Origin and the like
        /// are checked only for servers that get a login.
        case proxy
    }
    /// The role of the server.
    package let role: Role
    /// The servers that get a login from a gateway or proxy.
    let login: LoginScope
    /// Whether refusals name the option that allows an origin.
    package let hasOriginOption: Bool
    /// The credentials that the server accepts.
    package let access: AccessPolicy
    /// Additional fields of successful responses: upgrades, pages, and files.
    package let extraFields: [HeaderField]
    /// Whether clients connect with wss, for the hint shown to browsers.
    package let isSecure: Bool

    /// Creates a policy. By default, it accepts any path without authentication or a subprotocol.
    /// - Throws: ``ServerPolicyError`` if an argument is invalid.
    package init(
        subprotocols: [String] = [],
        pathSubprotocols: [PathSubprotocol] = [],
        path: String? = nil,
        allowedOrigins: [String] = [],
        checksHostAndOrigin: Bool = true,
        role: Role = .server,
        login: LoginScope = .none,
        hasOriginOption: Bool = true,
        access: AccessPolicy = .open,
        extraFields: [HeaderField] = [],
        isSecure: Bool = false
    ) throws(ServerPolicyError) {
        var seen: Set<String> = []
        for name in subprotocols {
            guard ASCII.isToken(name) else { throw .invalidSubprotocol(name) }
            guard seen.insert(name).inserted else { throw .repeatedSubprotocol(name) }
        }
        for origin in allowedOrigins where origin != "*" && origin != "null" {
            guard !origin.utf8.contains(UInt8(ascii: "*")) else { throw .originPattern(origin) }
            guard WebOrigin(parsing: origin) != nil else { throw .invalidOrigin(origin) }
        }
        let reservedFields = ClientRequest.reservedFields + [ClientRequest.subprotocolFieldName]
        for field in extraFields where reservedFields.contains(where: field.isNamed) {
            throw .reservedField(field.name)
        }
        self.path = try path.map(Self.normalized)
        paths = self.path.flatMap(PathPattern.init)
        self.subprotocols = subprotocols
        self.pathSubprotocols = pathSubprotocols
        self.allowedOrigins = allowedOrigins
        self.checksHostAndOrigin = checksHostAndOrigin
        self.role = role
        self.login = login
        self.hasOriginOption = hasOriginOption
        self.access = access
        self.extraFields = extraFields
        self.isSecure = isSecure
    }

    /// Whether requests go on to another server.
    var isGateway: Bool { role != .server }
    /// Whether clients name the servers.
    var isProxy: Bool { role == .proxy }

    /// The subprotocols that a request may choose from, in order of preference.
    func subprotocols(at request: RequestHead) -> [String] {
        let match = pathSubprotocols.first { entry in
            entry.paths.map { request.normalizedPath.map($0.matches) ?? false } ?? true
        }
        return match.map { [$0.name].compactMap(\.self) } ?? subprotocols
    }

    /// Whether the request's path accepts WebSocket connections.
    package func hasWebSockets(at request: RequestHead) -> Bool {
        paths.map { request.normalizedPath.map($0.matches) ?? false } ?? true
    }

    /// The WebSocket URL for the sender of a request. Safe to paste into a shell: an unsafe host is replaced with
    /// `HOST`.
    func url(for request: RequestHead) -> String {
        let scheme = isSecure ? "wss" : "ws"
        let host = request.hostAsSent ?? "HOST"
        return OriginPolicy.suggestion("\(scheme)://\(host)", otherwise: "\(scheme)://HOST") + (path ?? "/")
    }

    /// The path in the normalized form of request targets.
    private static func normalized(_ path: String) throws(ServerPolicyError) -> String {
        let isPath =
            path.utf8.first == UInt8(ascii: "/")
            && !path.utf8.contains { ASCII.isControl($0) || " ?#".utf8.contains($0) }
        guard isPath, let normalized = try? PercentEncoding.normalize(path) else { throw .invalidPath(path) }
        return normalized
    }
}

/// The reason a server's settings are invalid.
package enum ServerPolicyError: Error, Equatable, CustomStringConvertible {
    /// The name is not a token.
    case invalidSubprotocol(String)
    /// The subprotocol is given more than once.
    case repeatedSubprotocol(String)
    /// The path is not absolute, or contains a query, a fragment, a space, a control character, or a malformed escape.
    case invalidPath(String)
    /// The text is not an origin.
    case invalidOrigin(String)
    /// The origin contains an asterisk, so it would match no browser's origin.
    case originPattern(String)
    /// The handshake itself sets this response field.
    case reservedField(String)

    /// The reason and the remedy.
    package var description: String {
        switch self {
        case .invalidSubprotocol(let name):
            "\(quoted(name)) is not a subprotocol; use letters, digits, and hyphens, without spaces"
        case .repeatedSubprotocol(let name): "the subprotocol \(quoted(name)) is repeated; name it once"
        case .invalidPath(let path): "\(quoted(path)) is not a path; write one like /chat, without a query"
        case .invalidOrigin(let origin):
            "\(quoted(origin)) is not an origin; write https://HOST[:PORT] without a path, or *"
        case .originPattern(let origin):
            "\(quoted(origin)) would never match, because origins have no wildcards; list each origin, or use * for all"
        case .reservedField(let name): "the handshake itself sets the header \(quoted(name)); omit it"
        }
    }
}
