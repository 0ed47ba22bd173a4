extension ClientHandshake {
    /// Checks a response with status 101 and returns the negotiated parameters.
    static func check(
        _ response: ResponseHead, answering request: ClientRequest, key: String
    ) throws(HandshakeError) -> ClientUpgrade {
        let fields = response.fields
        // RFC 9110 §7.8: HTTP/1.0 has no upgrade.
        guard response.minorVersion >= 1 else { throw .invalidResponse(.unsupportedVersion("HTTP/1.0")) }
        // RFC 6455 §4.1: Upgrade must be present and equal "websocket", ignoring case.
        guard fields.tokens(named: "Upgrade") == ["websocket"] else {
            throw .invalidUpgrade(values: fields.all(named: "Upgrade"))
        }
        // RFC 6455 §4.1: Connection must contain the token "upgrade", ignoring case.
        guard fields.contains(token: "upgrade", named: "Connection") else {
            throw .invalidConnection(values: fields.all(named: "Connection"))
        }
        try checkAccept(fields, key: key)
        return try negotiated(in: response, answering: request)
    }

    /// Returns the negotiated parameters of a response that accepts the WebSocket. Over HTTP/2, its status is 2xx, and there
    /// is no key (RFC 8441 §5).
    static func negotiated(
        in response: ResponseHead, answering request: ClientRequest
    ) throws(HandshakeError) -> ClientUpgrade {
        ClientUpgrade(
            response: response,
            subprotocol: try subprotocol(in: response.fields, requested: request.subprotocols),
            extensions: try extensions(in: response.fields, offered: request.extensionOffers))
    }

    private static func checkAccept(_ fields: HTTPFields, key: String) throws(HandshakeError) {
        let accepts = fields.all(named: "Sec-WebSocket-Accept")
        // RFC 6455 §11.3.3: the field must not appear more than once.
        guard accepts.count <= 1 else { throw .repeatedAccept }
        guard let accept = accepts.first else { throw .missingAccept }
        // RFC 6455 §4.1: the value must be the hash of the key, apart from surrounding white space. Compared byte by
        // byte: Swift treats canonically equivalent characters as equal, such as K and the Kelvin sign.
        guard Array(accept.utf8) == HandshakeKey.accept(key: key) else { throw .wrongAccept(accept) }
    }

    private static func subprotocol(in fields: HTTPFields, requested: [String]) throws(HandshakeError) -> String? {
        let values = fields.all(named: ClientRequest.subprotocolFieldName)
        // RFC 6455 §11.3.4: the field must not appear more than once in a response.
        guard values.count <= 1 else { throw .repeatedSubprotocol(values) }
        guard let value = values.first else { return nil }
        // RFC 6455 §4.1: the subprotocol must be one of those requested.
        guard requested.contains(where: { $0.utf8.elementsEqual(value.utf8) }) else {
            // RFC 6455 §4.2.2: the server selects a single subprotocol.
            let names = fields.elements(named: ClientRequest.subprotocolFieldName)
            throw names.count > 1 ? .repeatedSubprotocol(names) : .unrequestedSubprotocol(value)
        }
        return value
    }

    private static func extensions(
        in fields: HTTPFields, offered: [ExtensionOffer]
    ) throws(HandshakeError) -> [ExtensionOffer] {
        let accepted: [ExtensionOffer]
        do {
            accepted = try ExtensionHeader.parse(fields.all(named: ExtensionHeader.fieldName))
        } catch {
            throw .malformedExtensions(error.value)
        }
        for answer in accepted where !offered.contains(where: { $0.name.utf8.elementsEqual(answer.name.utf8) }) {
            // RFC 6455 §4.1: fail the connection if an extension was not offered.
            throw .unofferedExtension(answer.name)
        }
        return accepted
    }
}
