/// An accepted request and its response.
package struct ServerUpgrade: Equatable, Sendable {
    /// The client's request.
    package let request: RequestHead
    /// The client's identity, or `nil` if the server does not authenticate clients.
    package let login: Login?
    /// The selected subprotocol, or `nil`.
    package var subprotocol: String?
    /// The extensions that the client offers, in its order of preference.
    package let extensionOffers: [ExtensionOffer]
    /// Nil over HTTP/2.
    let key: String?
    /// Further fields of the response.
    package var extraFields: [HeaderField]

    /// The response that accepts the request with these extensions.
    package func response(accepting extensions: [ExtensionOffer]) -> ResponseHead {
        // RFC 6455 §4.2.2: status 101, Upgrade, Connection, Sec-WebSocket-Accept, and the selected subprotocol, if any.
        // RFC 8441 §5: over HTTP/2, status 200 without the first three.
        var fields = HTTPFields()
        if let key {
            fields.append(HeaderField(wellFormedName: "Upgrade", value: "websocket"))
            fields.append(HeaderField(wellFormedName: "Connection", value: "Upgrade"))
            fields.append(HeaderField(wellFormedName: "Sec-WebSocket-Accept", bytes: HandshakeKey.accept(key: key)))
        }
        if let subprotocol {
            fields.append(HeaderField(wellFormedName: ClientRequest.subprotocolFieldName, value: subprotocol))
        }
        for field in extraFields { fields.append(field) }
        if !extensions.isEmpty {
            let value = ExtensionHeader.value(of: extensions)
            fields.append(HeaderField(wellFormedName: ExtensionHeader.fieldName, value: value))
        }
        return ResponseHead(status: key == nil ? 200 : 101, fields: fields, version: request.version)
    }
}
