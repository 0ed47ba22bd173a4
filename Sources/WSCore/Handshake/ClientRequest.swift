/// What a client asks a server for in the opening handshake (RFC 6455 §4.1).
public struct ClientRequest: Sendable {
    /// What to ask for.
    public let url: WebSocketURL
    /// The subprotocols in the order of preference, with those that a Sec-WebSocket-Protocol field among the extra fields listed.
    public let subprotocols: [String]
    /// The extensions to offer, in the order of preference.
    public let extensionOffers: [ExtensionOffer]
    /// All fields but Sec-WebSocket-Key, in the order in which they are sent, Host first.
    public let fields: HTTPFields

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
    /// Fields that the handshake sets, and those of a body, which it does not have.
    static let reservedFields = [
        "Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Accept",
        ExtensionHeader.fieldName, "Content-Length", "Transfer-Encoding",
    ]
    /// Fields with a default that an extra field replaces.
    private static let singleFields = ["Host", "Origin", "User-Agent", "Authorization"]
}
