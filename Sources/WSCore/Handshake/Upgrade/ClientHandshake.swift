/// The client's side of the opening handshake (RFC 6455 §4.1): a request goes out, a response comes in.
public struct ClientHandshake: Sendable {
    /// What a response has come to.
    public enum Progress: Equatable, Sendable {
        /// The response is not complete.
        case needsMore
        /// The connection is open; `consumedByteCount` bytes of this call belonged to the response, the rest are frames.
        case upgraded(ClientUpgrade, consumedByteCount: Int)
    }

    /// The number of interim responses, such as 100 Continue and 103 Early Hints, that are skipped.
    public static let maximumInterimResponses = ResponseReader.maximumInterimResponses

    private let request: ClientRequest
    private let key: String
    private var reader: ResponseReader
    private var failure: HandshakeError?

    /// Makes the handshake for a request.
    ///
    /// `nonce` is 16 random bytes, new ones for each connection. `limits` bound the response's head.
    public init(request: ClientRequest, nonce: [UInt8], limits: HeadLimits = .client) {
        // RFC 6455 §4.1: the nonce is a randomly selected 16-byte value.
        precondition(nonce.count == HandshakeKey.nonceByteCount)
        self.request = request
        self.key = HandshakeKey.key(nonce: nonce)
        reader = ResponseReader(.upgrade, limits: limits)
    }

    /// The request, to be sent once the connection stands.
    public var requestBytes: [UInt8] { request.head(key: key) }

    /// Takes bytes that the server sent.
    ///
    /// Throws ``HandshakeError``; a refusal once its body is complete, or as much of it as is shown.
    /// After an error the same error is thrown again.
    public mutating func receive(_ bytes: RawSpan) throws(HandshakeError) -> Progress {
        if let failure { throw failure }
        do {
            return try receiveUnfailed(bytes)
        } catch {
            failure = error
            throw error
        }
    }

    /// Takes note that the server closed the connection, which no handshake survives.
    public mutating func receiveEndOfStream() throws(HandshakeError) -> Never {
        let error = failure ?? HandshakeError(reader.failureAtEndOfStream)
        failure = error
        throw error
    }

    /// The refusal with what came of its body, once its head is there: what to show when time runs out before the end.
    public var partialRefusal: HandshakeError? { failure ?? reader.partialRefusal.map(HandshakeError.init) }

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
