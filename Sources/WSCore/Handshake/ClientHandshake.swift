/// The client's side of the opening handshake (RFC 6455 §4.1): a request goes out, a response comes in.
///
///      receive ──► head ──┬─ 101 ────► checks ──► .upgraded, the bytes that follow are frames
///                   ▲     ├─ 1xx ────► back to the next head
///                   └─────┘
///                         └─ other ──► body ────► throws .refused
public struct ClientHandshake: Sendable {
    /// What a response has come to.
    public enum Progress: Equatable, Sendable {
        /// The response is not complete.
        case needsMore
        /// The connection is open; `consumedByteCount` bytes of this call belonged to the response, the rest are frames.
        case upgraded(ClientUpgrade, consumedByteCount: Int)
    }

    /// The number of interim responses, such as 100 Continue and 103 Early Hints, that are skipped.
    public static let maximumInterimResponses = 8

    private let request: ClientRequest
    private let key: String
    private let limits: HeadLimits
    private var parser: HTTPHeadParser
    private var interimResponseCount = 0
    private var refusal: ResponseHead?
    private var body: ResponseBody?
    private var failure: HandshakeError?

    /// Makes the handshake for a request.
    ///
    /// `nonce` is 16 random bytes, new ones for each connection. `limits` bound the response's head.
    public init(request: ClientRequest, nonce: [UInt8], limits: HeadLimits = .client) {
        // RFC 6455 §4.1: the nonce is a randomly selected 16-byte value.
        precondition(nonce.count == HandshakeKey.nonceByteCount)
        self.request = request
        self.key = HandshakeKey.key(nonce: nonce)
        self.limits = limits
        parser = HTTPHeadParser(.response, limits: limits)
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
        if let failure { throw failure }
        body?.finish(streamEnded: true)
        let hasAnswered = parser.byteCount > 0 || interimResponseCount > 0
        let error = currentRefusal ?? (hasAnswered ? .incompleteResponse : .closedBeforeResponse)
        failure = error
        throw error
    }

    /// The refusal with what came of its body, once its head is there: what to show when time runs out before the end.
    public var partialRefusal: HandshakeError? {
        if let failure { return failure }
        var copy = self
        copy.body?.finish(streamEnded: false)
        return copy.currentRefusal
    }

    private var currentRefusal: HandshakeError? {
        guard let refusal, let body else { return nil }
        return .refused(refusal, body: body.content, bodyIsTruncated: body.isTruncated)
    }

    private mutating func receiveUnfailed(_ bytes: RawSpan) throws(HandshakeError) -> Progress {
        var offset = 0
        while body == nil {
            guard let headByteCount = try receiveHead(bytes.extracting(droppingFirst: offset)) else {
                return .needsMore
            }
            offset += headByteCount
            guard let head = parser.responseHead else { return .needsMore }
            // RFC 6455 §4.1: any status but 101 is handled as HTTP says.
            if head.status == 101 {
                return .upgraded(try Self.check(head, answering: request, key: key), consumedByteCount: offset)
            }
            try receiveOther(head)
        }
        body?.receive(bytes, from: offset)
        if body?.isComplete == true, let currentRefusal { throw currentRefusal }
        return .needsMore
    }

    private mutating func receiveHead(_ bytes: RawSpan) throws(HandshakeError) -> Int? {
        do {
            return try parser.receive(bytes)
        } catch {
            if case .notHTTP(let preview) = error { throw .notHTTP(preview: preview) }
            throw .invalidResponse(error)
        }
    }

    /// Skips an interim response, or begins with the body of a refusal.
    private mutating func receiveOther(_ head: ResponseHead) throws(HandshakeError) {
        // RFC 9110 §15.2: a client must be able to parse interim responses before the final one.
        guard (100...199).contains(head.status) else {
            refusal = head
            body = ResponseBody(of: head)
            return
        }
        interimResponseCount += 1
        guard interimResponseCount <= Self.maximumInterimResponses else { throw .tooManyInterimResponses }
        parser = HTTPHeadParser(.response, limits: limits)
    }
}
