/// Which requests a server accepts and what it adds to its answers.
public struct ServerPolicy: Sendable {
    /// The subprotocols that the server speaks, in its order of preference.
    public let subprotocols: [String]
    /// The only path that is accepted, as ``RequestHead/normalizedPath`` has it; nil accepts any.
    public let path: String?
    /// The origins that may connect besides the server's own and those of this machine; `*` stands for all.
    public let allowedOrigins: [String]
    /// Whether Origin and Host are checked by ``OriginPolicy``.
    public let checksHostAndOrigin: Bool
    /// Who may come in.
    public let access: AccessPolicy
    /// Fields that the answers to accepted requests have besides their own: upgrades, pages and files.
    public let extraFields: [HeaderField]
    /// Whether the server is reached with wss, for the hint that a browser sees.
    public let isSecure: Bool

    /// Takes the parts of a policy, or throws ``ServerPolicyError``; the default accepts any path without a subprotocol.
    public init(
        subprotocols: [String] = [],
        path: String? = nil,
        allowedOrigins: [String] = [],
        checksHostAndOrigin: Bool = true,
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
        self.subprotocols = subprotocols
        self.allowedOrigins = allowedOrigins
        self.checksHostAndOrigin = checksHostAndOrigin
        self.access = access
        self.extraFields = extraFields
        self.isSecure = isSecure
    }

    /// Whether a request is for a path at which there are WebSockets.
    func hasWebSockets(at request: RequestHead) -> Bool {
        path == nil || request.normalizedPath == path
    }

    /// The URL by which the sender of a request reaches the WebSockets, safe to paste into a shell: a host that is not
    /// becomes `HOST`.
    func url(for request: RequestHead) -> String {
        let scheme = isSecure ? "wss" : "ws"
        let host = request.hostAsSent ?? "HOST"
        return OriginPolicy.suggestion("\(scheme)://\(host)", otherwise: "\(scheme)://HOST") + (path ?? "/")
    }

    /// The path as it comes in a request target.
    private static func normalized(_ path: String) throws(ServerPolicyError) -> String {
        let isPath =
            path.utf8.first == UInt8(ascii: "/")
            && !path.utf8.contains { ASCII.isControl($0) || " ?#".utf8.contains($0) }
        guard isPath, let normalized = try? PercentEncoding.normalize(path) else { throw .invalidPath(path) }
        return normalized
    }
}
