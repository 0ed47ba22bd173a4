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
    /// Further fields of the response.
    package var extraFields: [HeaderField]

    /// The response that accepts the request with these extensions.
    package func response(accepting extensions: [ExtensionOffer]) -> ResponseHead {
        // RFC 6455 §4.2.2: status 101, Upgrade, Connection, and Sec-WebSocket-Accept. RFC 8441 §5: over HTTP/2, status 200
        // without these fields.
        var fields = HTTPFields()
        if let key = request.fields.only(named: HandshakeKey.fieldName), request.version == .http1 {
            fields.append(HeaderField(wellFormedName: "Upgrade", value: "websocket"))
            fields.append(HeaderField(wellFormedName: "Connection", value: "Upgrade"))
            fields.append(HeaderField(wellFormedName: "Sec-WebSocket-Accept", bytes: HandshakeKey.accept(key: key)))
        }
        for field in furtherFields(extensions) { fields.append(field) }
        return ResponseHead(status: request.version == .http2 ? 200 : 101, fields: fields, version: request.version)
    }

    /// The bytes of the same response in HTTP/1.1. Every new connection needs them, and a list of fields would take a
    /// sixth of its instructions.
    func responseBytes(accepting extensions: [ExtensionOffer]) -> [UInt8] {
        var head: [UInt8] = []
        head.reserveCapacity(256)
        head += Self.responseStart
        if let key = request.fields.onlyBytes(named: HandshakeKey.fieldName) {
            HandshakeKey.appendAccept(key: key.span, to: &head)
        }
        head.appendLineEnd()
        for field in furtherFields(extensions) {
            head.append(field.name)
            head.append(": ")
            field.appendValue(to: &head)
            head.appendLineEnd()
        }
        head.appendLineEnd()
        return head
    }

    private static let responseStart = Array(
        """
        HTTP/1.1 101 Switching Protocols\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Accept: \

        """.utf8)

    /// The selected subprotocol, the further fields, and the extensions.
    private func furtherFields(_ extensions: [ExtensionOffer]) -> [HeaderField] {
        var fields = extraFields
        if let subprotocol {
            fields.insert(HeaderField(wellFormedName: ClientRequest.subprotocolFieldName, value: subprotocol), at: 0)
        }
        if !extensions.isEmpty {
            fields.append(
                HeaderField(wellFormedName: ExtensionHeader.fieldName, value: ExtensionHeader.value(of: extensions)))
        }
        return fields
    }
}
