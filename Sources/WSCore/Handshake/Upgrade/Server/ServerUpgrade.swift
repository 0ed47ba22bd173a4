/// An accepted request and its response.
package struct ServerUpgrade: Equatable, Sendable {
    /// The client's request.
    package let request: RequestHead
    /// The client's identity, or `nil` if the server does not authenticate clients.
    package let login: Login?
    /// The selected subprotocol, or `nil`.
    package let subprotocol: String?
    /// The extensions that the client offers, in its order of preference.
    package let extensionOffers: [ExtensionOffer]
    private let fields: [HeaderField]

    init(
        request: RequestHead, login: Login?, key: String, subprotocol: String?,
        extensionOffers: [ExtensionOffer], extraFields: [HeaderField]
    ) {
        self.request = request
        self.login = login
        self.subprotocol = subprotocol
        self.extensionOffers = extensionOffers
        // RFC 6455 §4.2.2: Upgrade, Connection, Sec-WebSocket-Accept, and the selected subprotocol, if any.
        var fields = [
            HeaderField(wellFormedName: "Upgrade", value: "websocket"),
            HeaderField(wellFormedName: "Connection", value: "Upgrade"),
            HeaderField(wellFormedName: "Sec-WebSocket-Accept", value: HandshakeKey.accept(key: key)),
        ]
        if let subprotocol {
            fields.append(HeaderField(wellFormedName: ClientRequest.subprotocolFieldName, value: subprotocol))
        }
        self.fields = fields + extraFields
    }

    /// The bytes of the response that accepts the request with these extensions.
    package func responseBytes(accepting extensions: [ExtensionOffer]) -> [UInt8] {
        // RFC 6455 §4.2.2: the status is 101.
        var text = "HTTP/1.1 101 \(HTTPStatus.reason(of: 101))\r\n"
        for field in fields { text += field.line }
        if !extensions.isEmpty {
            text += "\(ExtensionHeader.fieldName): \(ExtensionHeader.value(of: extensions))\r\n"
        }
        text += "\r\n"
        return Array(text.utf8)
    }
}
