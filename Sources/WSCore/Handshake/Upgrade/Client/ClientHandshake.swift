/// The client side of the opening handshake (RFC 6455 §4.1), without I/O: produces a request and consumes the response.
package struct ClientHandshake: Sendable {
    /// The result of receiving bytes.
    package enum Progress: Equatable, Sendable {
        /// The response is incomplete.
        case needsMore
        /// The connection is open. `consumedByteCount` bytes of this call belonged to the response; the rest are
        /// frames.
        case upgraded(ClientUpgrade, consumedByteCount: Int)
    }

    /// The maximum number of interim responses to skip, such as 100 Continue and 103 Early Hints.
    package static let maximumInterimResponses = ResponseReader.maximumInterimResponses

    private let request: ClientRequest
    private let key: String
    private var reader: ResponseReader
    private var failure: HandshakeError?

    /// Creates a handshake for a request.
    /// - Parameters:
    ///   - request: The request to send.
    ///   - nonce: 16 random bytes, different for each connection.
    ///   - limits: The limits for the response's head. Default: ``HeadLimits/client``.
    ///   - omitsBody: Whether to throw a refusal without its body. Default: false.
    package init(
        request: ClientRequest, nonce: [UInt8], limits: HeadLimits = .client, omitsBody: Bool = false
    ) {
        // RFC 6455 §4.1: the nonce is a randomly selected 16-byte value.
        precondition(nonce.count == HandshakeKey.nonceByteCount)
        self.request = request
        self.key = HandshakeKey.key(nonce: nonce)
        reader = ResponseReader(.upgrade, limits: limits, omitsBody: omitsBody)
    }

    /// The bytes of the request, to send as soon as the connection is established.
    package var requestBytes: [UInt8] { request.head(key: key) }

    /// The request to show: without the secrets of its URL, but with those of its fields.
    var shownRequest: String { request.shownHead(key: key) }

    /// Receives bytes from the server.
    /// - Throws: ``HandshakeError``. A refusal is thrown after its body is complete, or exceeds
    ///   ``ResponseBody/maximumBytes``. After an error, every call throws the same error.
    package mutating func receive(_ bytes: RawSpan) throws(HandshakeError) -> Progress {
        if let failure { throw failure }
        do {
            return try receiveUnfailed(bytes)
        } catch {
            failure = error
            throw error
        }
    }

    /// Ends the handshake because the server closed the connection. Always throws.
    package mutating func receiveEndOfStream() throws(HandshakeError) -> Never {
        let error = failure ?? HandshakeError(reader.failureAtEndOfStream)
        failure = error
        throw error
    }

    /// The number of bytes of the latest call up to the end of the head of a refusal.
    var headByteCount: Int { reader.headByteCount }

    /// The refusal with the body received so far, for a timeout before its end. `nil` before its head is complete.
    package var partialRefusal: HandshakeError? { failure ?? reader.partialRefusal.map(HandshakeError.init) }

    private mutating func receiveUnfailed(_ bytes: RawSpan) throws(HandshakeError) -> Progress {
        guard let response = try receiveResponse(bytes) else { return .needsMore }
        return .upgraded(
            try Self.check(response.head, answering: request, key: key),
            consumedByteCount: response.consumedByteCount)
    }

    private mutating func receiveResponse(
        _ bytes: RawSpan
    ) throws(HandshakeError) -> (head: ResponseHead, consumedByteCount: Int)? {
        do {
            return try reader.receive(bytes)
        } catch {
            throw HandshakeError(error)
        }
    }
}

extension HandshakeError {
    fileprivate init(_ failure: ResponseReader.Failure) {
        self =
            switch failure {
            case .closedBeforeResponse: .closedBeforeResponse
            case .incompleteResponse: .incompleteResponse
            case .notHTTP(let preview): .notHTTP(preview: preview)
            case .invalidResponse(let error): .invalidResponse(error)
            case .tooManyInterimResponses: .tooManyInterimResponses
            case .refused(let head, let body, let isTruncated):
                .refused(head, body: body, bodyIsTruncated: isTruncated)
            }
    }
}

/// The parameters that client and server negotiated in the opening handshake.
package struct ClientUpgrade: Equatable, Sendable {
    /// The server's response.
    package let response: ResponseHead
    /// The subprotocol that the server selected, or `nil`.
    package let subprotocol: String?
    /// The extensions that the server accepted. Their parameters have not been checked.
    package let extensions: [ExtensionOffer]
}
