/// What a client asks a server for in the opening handshake (RFC 6455 §4.1).
public struct ClientRequest: Sendable {
    /// What to ask for.
    public let url: WebSocketURL
    /// The subprotocols in the order of preference, with those that a Sec-WebSocket-Protocol field among the extra fields listed.
    public let subprotocols: [String]
    /// The extensions to offer, in the order of preference.
    public let extensionOffers: [ExtensionOffer]
    /// All fields but Sec-WebSocket-Key, in the order in which they are sent, Host first.
    public private(set) var fields: HTTPFields
    /// The number of redirects that have led here.
    public let redirectCount: Int

    /// The Cookie fields that the user gave; those of `fields` may hold stored cookies, too.
    private let ownCookies: [HeaderField]

    /// Takes the parts of a request, or throws ``ClientRequestError``.
    ///
    /// A field among `extraFields` wins over the parameter for the same field: Host over `host` and the URL's
    /// host, Origin over `origin`, User-Agent over `userAgent`, Authorization over `credentials` and the
    /// URL's user name and password. Names in a Sec-WebSocket-Protocol field count as subprotocols.
    public init(
        url: WebSocketURL,
        subprotocols: [String] = [],
        origin: String? = nil,
        host: String? = nil,
        userAgent: String? = nil,
        credentials: Credentials? = nil,
        extensionOffers: [ExtensionOffer] = [],
        extraFields: [HeaderField] = []
    ) throws(ClientRequestError) {
        let extra = HTTPFields(extraFields)
        try Self.check(extra)
        let subprotocols = subprotocols + extra.elements(named: Self.subprotocolFieldName)
        try Self.check(subprotocols: subprotocols)

        var fields = HTTPFields()
        func append(_ name: String, _ value: String?) throws(ClientRequestError) {
            guard let value = extra.first(named: name) ?? value else { return }
            do {
                fields.append(try HeaderField(name: name, value: value))
            } catch {
                throw .invalidField(error)
            }
        }
        // RFC 6455 §4.1: the request has Host, Upgrade, Connection, Sec-WebSocket-Key and Sec-WebSocket-Version.
        try append("Host", host ?? url.hostField)
        try append("Upgrade", "websocket")
        try append("Connection", "Upgrade")
        try append("Sec-WebSocket-Version", "13")
        try append("Origin", origin)
        if !subprotocols.isEmpty {
            let list = subprotocols.joined(separator: ", ")
            fields.append(HeaderField(wellFormedName: Self.subprotocolFieldName, value: list))
        }
        if !extensionOffers.isEmpty {
            try append(ExtensionHeader.fieldName, ExtensionHeader.value(of: extensionOffers))
        }
        try append("User-Agent", userAgent)
        try append("Authorization", (credentials ?? url.userInfo)?.basicAuthorization)
        for field in extra where !Self.singleFields.contains(where: field.isNamed) {
            if !field.isNamed(Self.subprotocolFieldName) { fields.append(field) }
        }
        self.url = url
        self.subprotocols = subprotocols
        self.extensionOffers = extensionOffers
        self.fields = fields
        redirectCount = 0
        ownCookies = fields.filter { $0.isNamed(Self.cookieFieldName) }
    }

    private init(
        _ request: ClientRequest, to url: WebSocketURL, fields: HTTPFields, ownCookies: [HeaderField],
        redirectCount: Int
    ) {
        self.url = url
        self.fields = fields
        self.ownCookies = ownCookies
        subprotocols = request.subprotocols
        extensionOffers = request.extensionOffers
        self.redirectCount = redirectCount
    }

    /// Whether the request carries a user name and password, or a token, for the server.
    public var hasCredentials: Bool { fields.contains(named: Self.authorizationFieldName) }

    /// The request to make when this one is redirected to `url`.
    ///
    /// What the user gave for the server stays with its origin: at another one all fields are gone that may give access
    /// to something (``HeaderField/isSecret``: Authorization, Cookie, Proxy-Authorization, keys, tokens and the like),
    /// whichever way they were given, and so is a Host of the user's. They do not come back when a further redirect leads back: no other origin decides what is asked for with the user's credentials.
    /// (curl 7.88 forgets `--user` so too, but sends fields given with `-H` and cookies again.) The user name
    /// and password of `url` are used where there is no Authorization. Stored cookies are never taken along: see
    /// ``withCookies(from:at:)``.
    public func redirected(to url: WebSocketURL) -> ClientRequest {
        addressed(to: url, redirectCount: redirectCount + 1)
    }

    /// The request to make when the user asks for another URL. What goes along is told at ``redirected(to:)``.
    public func addressed(to url: WebSocketURL) -> ClientRequest {
        addressed(to: url, redirectCount: 0)
    }

    private func addressed(to url: WebSocketURL, redirectCount: Int) -> ClientRequest {
        let isSameOrigin = url.isSameOrigin(as: self.url)
        let ownCookies = isSameOrigin ? ownCookies : []
        var fields = fields
        fields.remove(named: Self.cookieFieldName)
        if !isSameOrigin {
            fields.removeSecrets()
            fields.replaceFirst(with: HeaderField(wellFormedName: "Host", value: url.hostField))
        }
        if let userInfo = url.userInfo, !fields.contains(named: Self.authorizationFieldName) {
            fields.append(
                HeaderField(wellFormedName: Self.authorizationFieldName, value: userInfo.basicAuthorization))
        }
        for cookie in ownCookies { fields.append(cookie) }
        return ClientRequest(self, to: url, fields: fields, ownCookies: ownCookies, redirectCount: redirectCount)
    }

    /// The request with the cookies that a store holds for its URL, and no other stored ones.
    ///
    /// The user's own come first, and one of the user's stands for all stored ones of its name. `now` is the time in
    /// seconds since the beginning of 1970.
    public func withCookies(from store: CookieStore, at now: Int) -> ClientRequest {
        let own = ownCookies.map(\.value)
        let names = own.flatMap { value in
            value.utf8.split(separator: UInt8(ascii: ";")).map { pair in
                ASCII.trimmed(Substring(pair.prefix { $0 != UInt8(ascii: "=") }))
            }
        }
        let stored = store.pairs(for: url, excluding: names, at: now)
        var request = self
        request.fields.remove(named: Self.cookieFieldName)
        if stored.isEmpty {
            for cookie in ownCookies { request.fields.append(cookie) }
        } else {
            // RFC 6265 §5.4: a request has one Cookie field at most.
            let value = (own + stored).joined(separator: "; ")
            request.fields.append(HeaderField(wellFormedName: Self.cookieFieldName, value: value))
        }
        return request
    }

    /// The request with its key, ready to be sent.
    func head(key: String) -> [UInt8] {
        // RFC 6455 §4.1: GET, HTTP/1.1 or higher, and the resource name as target.
        var text = "GET \(url.requestTarget) HTTP/1.1\r\n"
        for field in fields { text += field.line }
        text += "Sec-WebSocket-Key: \(key)\r\n\r\n"
        return Array(text.utf8)
    }

    private static func check(_ extra: HTTPFields) throws(ClientRequestError) {
        for field in extra where reservedFields.contains(where: field.isNamed) {
            throw .reservedField(field.name)
        }
        for name in singleFields where extra.all(named: name).count > 1 {
            throw .repeatedField(name)
        }
    }

    private static func check(subprotocols: [String]) throws(ClientRequestError) {
        var seen: Set<String> = []
        for name in subprotocols {
            // RFC 6455 §4.1: subprotocols are tokens, and all are unique.
            guard ASCII.isToken(name) else { throw .invalidSubprotocol(name) }
            guard seen.insert(name).inserted else { throw .repeatedSubprotocol(name) }
        }
    }

    static let subprotocolFieldName = "Sec-WebSocket-Protocol"
    private static let authorizationFieldName = "Authorization"
    private static let cookieFieldName = "Cookie"
    /// Fields that the handshake sets, and those of a body, which it does not have.
    static let reservedFields = [
        "Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Accept",
        ExtensionHeader.fieldName, "Content-Length", "Transfer-Encoding",
    ]
    /// Fields with a default that an extra field replaces.
    private static let singleFields = ["Host", "Origin", "User-Agent", "Authorization"]
}
