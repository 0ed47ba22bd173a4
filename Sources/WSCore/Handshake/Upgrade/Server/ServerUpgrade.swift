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
    let key: String
    /// Further fields of the response.
    package var extraFields: [HeaderField]

    /// The bytes of the response that accepts the request with these extensions.
    package func responseBytes(accepting extensions: [ExtensionOffer]) -> [UInt8] {
        // RFC 6455 §4.2.2: status 101, Upgrade, Connection, Sec-WebSocket-Accept, and the selected subprotocol, if any.
        var head: [UInt8] = []
        head.reserveCapacity(256)
        head += "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n".utf8
        head += "Sec-WebSocket-Accept: ".utf8
        head += HandshakeKey.accept(key: key)
        head += "\r\n".utf8
        if let subprotocol { head += "\(ClientRequest.subprotocolFieldName): \(subprotocol)\r\n".utf8 }
        for field in extraFields { head += field.line.utf8 }
        if !extensions.isEmpty {
            head += "\(ExtensionHeader.fieldName): \(ExtensionHeader.value(of: extensions))\r\n".utf8
        }
        head += "\r\n".utf8
        return head
    }
}
