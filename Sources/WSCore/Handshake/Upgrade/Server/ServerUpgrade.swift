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
        var fields = HTTPFields()
        forEachField(accepting: extensions) { fields.append(HeaderField(wellFormedName: $0, bytes: $1)) }
        return ResponseHead(status: key == nil ? 200 : 101, fields: fields, version: request.version)
    }

    /// The bytes of the same response in HTTP/1.1. Every new connection needs them, and a list of fields would take a
    /// sixth of its instructions.
    func responseBytes(accepting extensions: [ExtensionOffer]) -> [UInt8] {
        var head: [UInt8] = []
        head.reserveCapacity(256)
        head += "HTTP/1.1 101 Switching Protocols\r\n".utf8
        forEachField(accepting: extensions) { name, value in
            head += name.utf8
            head += ": ".utf8
            head += value
            head += "\r\n".utf8
        }
        head += "\r\n".utf8
        return head
    }

    private func forEachField(
        accepting extensions: [ExtensionOffer], _ body: (_ name: String, _ value: [UInt8]) -> Void
    ) {
        // RFC 6455 §4.2.2: status 101, Upgrade, Connection, Sec-WebSocket-Accept, and the selected subprotocol, if any.
        // RFC 8441 §5: over HTTP/2, status 200 without the first three.
        if let key {
            body("Upgrade", Array("websocket".utf8))
            body("Connection", Array("Upgrade".utf8))
            body("Sec-WebSocket-Accept", HandshakeKey.accept(key: key))
        }
        if let subprotocol { body(ClientRequest.subprotocolFieldName, Array(subprotocol.utf8)) }
        for field in extraFields { body(field.name, Array(field.valueBytes)) }
        if !extensions.isEmpty { body(ExtensionHeader.fieldName, Array(ExtensionHeader.value(of: extensions).utf8)) }
    }
}
