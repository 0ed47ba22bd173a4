/// A client's request in the opening handshake (RFC 6455 §4.1), or before it.
package struct ClientRequest: Sendable {
    /// The purpose of a request.
    indirect enum Purpose {
        /// The upgrade to WebSocket.
        case upgrade
        /// A POST request without a body, whose response says where to connect, before this upgrade.
        case negotiation(before: ClientRequest)
        /// The request of a gateway's client that is not an upgrade, with this method.
        case forwarding(method: String)

        var isUpgrade: Bool { if case .upgrade = self { true } else { false } }
    }

    let purpose: Purpose
    /// The version of HTTP to speak. The server is known to speak it: there is no upgrade from one to the other.
    package let version: HTTPVersion
    /// The URL to request.
    package let url: WebSocketURL
    /// The requested subprotocols in order of preference, including those from a Sec-WebSocket-Protocol field in
    /// `extraFields`.
    package let subprotocols: [String]
    /// The extensions to offer, in order of preference.
    package let extensionOffers: [ExtensionOffer]
    /// All fields except Sec-WebSocket-Key in sending order, Host first.
    package private(set) var fields: HTTPFields
    /// The number of redirects that led to this request.
    package let redirectCount: Int
    /// The user name and password for the server; nil for none, or if the user gave an Authorization field.
    package private(set) var login: ClientLogin?
    /// The method for the user name and password of a URL.
    private let authentication: AuthenticationMethod

    /// The user's own Cookie fields. Those in `fields` may also contain stored cookies.
    private let ownCookies: [HeaderField]
    /// Whether the subprotocols go to other origins, too. Those that a user chose may be tokens.
    private let hasPublicSubprotocols: Bool
    /// Signs the request when it is sent; nil for no signature.
    private var signer: AWSSigner?

    /// Creates a request.
    ///
    /// A field in `extraFields` overrides the parameter for the same field: Host overrides `host` and the URL's host,
    /// Origin overrides `origin`, User-Agent overrides `userAgent`, and Authorization overrides `credentials` and the
    /// URL's user name and password. Names in a Sec-WebSocket-Protocol field are added to `subprotocols`.
    /// - Parameter hasPublicSubprotocols: Whether the subprotocols are the same for all users, and not tokens. Only
    ///   then do redirects to other origins keep them.
    /// - Parameter authentication: The method for `credentials` and the user name and password of URLs.
    /// - Parameter signer: Replaces any login.
    /// - Parameter version: The version of HTTP. Default: HTTP/1.1.
    /// - Throws: ``ClientRequestError`` if the parts do not form a valid request.
    package init(
        url: WebSocketURL,
        subprotocols: [String] = [],
        hasPublicSubprotocols: Bool = false,
        origin: String? = nil,
        host: String? = nil,
        userAgent: String? = nil,
        credentials: Credentials? = nil,
        authentication: AuthenticationMethod = .basic,
        signer: AWSSigner? = nil,
        extensionOffers: [ExtensionOffer] = [],
        extraFields: [HeaderField] = [],
        version: HTTPVersion = .http1
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
        // RFC 6455 §4.1: a request has Host, Upgrade, Connection, Sec-WebSocket-Key, and Sec-WebSocket-Version.
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
        let login = signer != nil ? nil : (credentials ?? url.userInfo).map { ClientLogin($0, by: authentication) }
        try append(Self.authorizationFieldName, login?.authorization)
        for field in extra where !Self.singleFields.contains(where: field.isNamed) {
            if !field.isNamed(Self.subprotocolFieldName) { fields.append(field) }
        }
        purpose = .upgrade
        self.version = version
        self.url = url
        self.subprotocols = subprotocols
        self.extensionOffers = extensionOffers
        self.fields = fields
        redirectCount = 0
        self.login = extra.contains(named: Self.authorizationFieldName) ? nil : login
        self.authentication = authentication
        ownCookies = fields.filter { $0.isNamed(Self.cookieFieldName) }
        self.hasPublicSubprotocols = hasPublicSubprotocols
        self.signer = signer
    }

    private init(
        _ request: ClientRequest, for purpose: Purpose? = nil, to url: WebSocketURL, fields: HTTPFields,
        ownCookies: [HeaderField], redirectCount: Int, login: ClientLogin?, signer: AWSSigner?
    ) {
        self.purpose = purpose ?? request.purpose
        version = request.version
        self.url = url
        self.fields = fields
        self.ownCookies = ownCookies
        hasPublicSubprotocols = request.hasPublicSubprotocols
        self.signer = signer
        subprotocols = fields.contains(named: Self.subprotocolFieldName) ? request.subprotocols : []
        extensionOffers = request.extensionOffers
        self.redirectCount = redirectCount
        self.login = login
        authentication = request.authentication
    }

    /// What the request tells the server about the user's login.
    var loginUse: ClientLogin.Use {
        if let authorization = fields.first(named: Self.authorizationFieldName) {
            return .sent(scheme: String(authorization.prefix { $0 != " " }))
        }
        return login.map { .withheld($0.method) } ?? .none
    }

    /// The request to send again after a response with status 401, with the answer to one of its challenges; nil if
    /// there is nothing to answer, or the answer was wrong.
    /// - Parameter random: At least 16 random bytes, different for each call.
    func answering(_ response: ResponseHead, random: [UInt8]) -> ClientRequest? {
        guard response.status == 401, var login else { return nil }
        let challenges = response.fields.all(named: "WWW-Authenticate")
        guard login.answer(challenges, method: method, target: url.requestTarget, random: random),
            let authorization = login.authorization
        else { return nil }
        var request = self
        request.login = login
        request.setAuthorization(authorization)
        return request
    }

    private mutating func setAuthorization(_ value: String) {
        fields.remove(named: Self.authorizationFieldName)
        fields.append(HeaderField(wellFormedName: Self.authorizationFieldName, value: value))
    }

    /// The request to make when this one is redirected to `url`.
    ///
    /// What the user gave stays with the origin it was given for. If the new URL may not receive its secrets
    /// (``WebSocketURL/mayReceiveSecrets(of:)``), the new request keeps only the fields of the handshake and those that
    /// merely describe the client (``HeaderField/isForAllOrigins``), however they were given. A list of secret names
    /// could never be complete. A further redirect back restores nothing: no other origin may choose requests that
    /// carry the user's credentials.
    ///
    /// The user name and password of `url` are used if there is no Authorization field. Stored cookies are always
    /// dropped; see ``withCookies(from:at:)``.
    /// - Parameter keepsSecrets: Whether all fields except the user's own Host and a signature go to every origin.
    package func redirected(to url: WebSocketURL, keepsSecrets: Bool = false) -> ClientRequest {
        addressed(to: url, keepsSecrets: keepsSecrets, redirectCount: redirectCount + 1)
    }

    /// The request to make when the user asks for another URL. Keeps the same fields as ``redirected(to:keepsSecrets:)``.
    package func addressed(to url: WebSocketURL) -> ClientRequest {
        addressed(to: url, keepsSecrets: false, redirectCount: 0)
    }

    func addressed(to url: WebSocketURL, keepsSecrets: Bool, redirectCount: Int) -> ClientRequest {
        let isSameOrigin = url.mayReceiveSecrets(of: self.url)
        let keepsAll = isSameOrigin || keepsSecrets
        let signer = isSameOrigin ? signer : nil
        let ownCookies = keepsAll ? ownCookies : []
        var fields = keepsAll ? fields : HTTPFields(fields.filter(goesToAllOrigins))
        fields.remove(named: Self.cookieFieldName)
        if !isSameOrigin {
            if self.signer != nil { for name in AWSSigner.fieldNames { fields.remove(named: name) } }
            fields.replaceFirst(with: HeaderField(wellFormedName: "Host", value: url.hostField))
        }
        var login = keepsAll ? self.login?.unanswered : nil
        // The answer to a challenge is for one request.
        if login?.waitsForChallenge ?? false { fields.remove(named: Self.authorizationFieldName) }
        if login == nil, signer == nil, let userInfo = url.userInfo,
            !fields.contains(named: Self.authorizationFieldName)
        {
            login = ClientLogin(userInfo, by: authentication)
            if let authorization = login?.authorization {
                fields.append(HeaderField(wellFormedName: Self.authorizationFieldName, value: authorization))
            }
        }
        for cookie in ownCookies { fields.append(cookie) }
        return ClientRequest(
            self, to: url, fields: fields, ownCookies: ownCookies, redirectCount: redirectCount, login: login,
            signer: signer)
    }

    private func goesToAllOrigins(_ field: HeaderField) -> Bool {
        if field.isNamed(Self.subprotocolFieldName) { return hasPublicSubprotocols }
        return field.isForAllOrigins || Self.handshakeFields.contains(where: field.isNamed)
    }

    /// The names of the user's fields that a request made after a redirect lacks, in order and without duplicates.
    /// Host is none of them: it always names the server.
    package func fieldsDropped(by next: ClientRequest) -> [String] {
        var names: [String] = []
        let waitsForChallenge = login?.waitsForChallenge ?? false
        for field in fields where !field.isNamed("Host") && !next.fields.contains(field) {
            if field.isNamed(Self.cookieFieldName), ownCookies.isEmpty { continue }
            if field.isNamed(Self.authorizationFieldName), waitsForChallenge { continue }
            if !names.contains(where: field.isNamed) { names.append(field.name) }
        }
        // A login that waits for a challenge may have no field yet.
        if waitsForChallenge, next.login?.credentials != login?.credentials {
            names.append(Self.authorizationFieldName)
        }
        return names
    }

    /// The POST request without a body that precedes this request, with the same fields except those of the upgrade.
    /// - Parameter url: A URL on the same server.
    package func negotiation(at url: WebSocketURL) -> ClientRequest {
        var fields = fields
        for name in Self.upgradeFields { fields.remove(named: name) }
        fields.append(HeaderField(wellFormedName: "Connection", value: "close"))
        // RFC 9110 §8.6: a request with a method that anticipates content states that it has none.
        fields.append(HeaderField(wellFormedName: "Content-Length", value: "0"))
        return ClientRequest(
            self, for: .negotiation(before: self), to: url, fields: fields, ownCookies: ownCookies,
            redirectCount: redirectCount, login: login, signer: signer)
    }

    /// The request that a gateway makes for its client, with the same fields except those of the upgrade.
    /// - Parameters:
    ///   - method: The client's method.
    ///   - ownFields: The fields that only this request has, such as that with the length of the body.
    package func forwarding(_ method: String, with ownFields: [HeaderField]) -> ClientRequest {
        var fields = fields
        for name in Self.upgradeFields { fields.remove(named: name) }
        fields.append(HeaderField(wellFormedName: "Connection", value: "close"))
        for field in ownFields { fields.append(field) }
        return ClientRequest(
            self, for: .forwarding(method: method), to: url, fields: fields, ownCookies: ownCookies,
            redirectCount: redirectCount, login: login, signer: signer)
    }

    /// Returns the request with this Authorization field in place of another, or of a signature.
    package func authorized(by token: BearerToken) -> ClientRequest {
        var request = self
        request.signer = nil
        request.login = nil
        request.setAuthorization(token.authorization)
        return request
    }

    /// Returns the request with the cookies stored for its URL, replacing any other stored cookies.
    ///
    /// The user's own cookies come first and replace stored cookies with the same name.
    /// - Parameters:
    ///   - store: The stored cookies.
    ///   - now: The current time, in seconds since 1970-01-01 00:00 UTC.
    package func withCookies(from store: CookieStore, at now: Int) -> ClientRequest {
        if store.count == 0, !fields.contains(named: Self.cookieFieldName) { return self }
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
            // RFC 6265 §5.4: a request has at most one Cookie field.
            let value = (own + stored).joined(separator: "; ")
            request.fields.append(HeaderField(wellFormedName: Self.cookieFieldName, value: value))
        }
        return request
    }

    /// Returns the request, signed if it has a signer. A new signature replaces an earlier one.
    ///
    /// The signature covers Host and the fields whose names begin with X-Amz. Proxies may change others.
    /// - Parameter now: The current time, in seconds since 1970-01-01 00:00 UTC. Servers accept a signature for five
    ///   minutes.
    package func signed(at now: Int) -> ClientRequest {
        guard let signer else { return self }
        let signedFields = fields.filter { field in
            field.isNamed("Host") || ASCII.lowercased(field.name).utf8.starts(with: "x-amz-".utf8)
        }
        var request = self
        for field in signer.fields(signing: method, url.requestTarget, signedFields, at: now) {
            request.fields.remove(named: field.name)
            request.fields.append(field)
        }
        return request
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
        let secrets = HeaderField.secretSubprotocols(in: subprotocols)
        for name in subprotocols {
            let shown = secrets.contains(name) ? SecretText.mask : name
            // RFC 6455 §4.1: subprotocols are tokens, and all are unique.
            guard ASCII.isToken(name) else { throw .invalidSubprotocol(shown) }
            guard seen.insert(name).inserted else { throw .repeatedSubprotocol(shown) }
        }
    }

    static let subprotocolFieldName = "Sec-WebSocket-Protocol"
    private static let authorizationFieldName = "Authorization"
    private static let cookieFieldName = "Cookie"
    /// Fields that the handshake sets, and those that describe a body, which it does not have.
    static let reservedFields = [
        "Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Accept",
        ExtensionHeader.fieldName, "Content-Length", "Transfer-Encoding",
    ]
    /// Fields that the handshake or a negotiation sets, in every request.
    private static let handshakeFields = [
        "Host", "Upgrade", "Connection", "Sec-WebSocket-Version", ExtensionHeader.fieldName, "Content-Length",
    ]
    /// Fields of the upgrade, which a negotiation lacks.
    private static let upgradeFields = [
        "Upgrade", "Connection", "Sec-WebSocket-Version", subprotocolFieldName, ExtensionHeader.fieldName,
    ]
    /// Fields with a default value that an extra field replaces.
    private static let singleFields = ["Host", "Origin", "User-Agent", "Authorization"]
}
