/// Reads the response to a request that switches the connection to another protocol.
///
///      receive ──► head ──┬─ accepted ──► returns the head; the bytes after it belong to the other protocol
///                   ▲     ├─ 1xx ───────► back to the next head
///                   └─────┘
///                         └─ other ─────► body ────► throws .refused
struct ResponseReader: Sendable {
    /// The purpose of the request, which determines the statuses that grant it.
    enum Purpose {
        /// RFC 6455 §4.1: statuses other than 101 are handled per HTTP.
        case upgrade
        /// RFC 9110 §9.3.6: any 2xx status opens the tunnel.
        case tunnel
    }

    /// The reason there is no accepted response.
    enum Failure: Error, Equatable {
        case closedBeforeResponse
        case incompleteResponse
        case notHTTP(preview: [UInt8])
        case invalidResponse(HTTPHeadError)
        case tooManyInterimResponses
        case refused(ResponseHead, body: [UInt8], bodyIsTruncated: Bool)
    }

    /// The maximum number of interim responses to skip, such as 100 Continue and 103 Early Hints.
    static let maximumInterimResponses = 8

    private let purpose: Purpose
    private let limits: HeadLimits
    private var parser: HTTPHeadParser
    private var interimResponseCount = 0
    private var refusal: ResponseHead?
    private var body: ResponseBody?
    /// Whether a refusal is thrown when its head is complete. Its body then begins after ``headByteCount`` bytes.
    private let omitsBody: Bool
    /// The number of bytes of the latest call up to the end of the head.
    private(set) var headByteCount = 0

    /// Creates a reader. `limits` apply separately to the head of the response and of each interim response.
    /// - Parameter omitsBody: Whether to throw a refusal without its body. Default: false.
    init(_ purpose: Purpose, limits: HeadLimits, omitsBody: Bool = false) {
        self.omitsBody = omitsBody
        self.purpose = purpose
        self.limits = limits
        parser = HTTPHeadParser(.response, limits: limits)
    }

    /// Receives bytes. Returns `nil` until the response is complete, and then the head of an accepted response and the
    /// number of these bytes up to its end.
    ///
    /// Do not call it again after an accepted response or an error.
    /// - Throws: ``Failure``. A refusal is thrown after its body is complete, or exceeds ``ResponseBody/maximumBytes``.
    mutating func receive(_ bytes: RawSpan) throws(Failure) -> (head: ResponseHead, consumedByteCount: Int)? {
        var offset = 0
        while body == nil {
            guard let headByteCount = try receiveHead(bytes.extracting(droppingFirst: offset)) else { return nil }
            offset += headByteCount
            guard let head = parser.responseHead else { return nil }
            if accepts(head) { return (head, offset) }
            try receiveOther(head)
        }
        headByteCount = offset
        if omitsBody, let currentRefusal { throw currentRefusal }
        body?.receive(bytes, from: offset)
        if body?.isComplete == true, let currentRefusal { throw currentRefusal }
        return nil
    }

    /// The error to report if the peer closes the connection at this point.
    var failureAtEndOfStream: Failure {
        let hasAnswered = parser.byteCount > 0 || interimResponseCount > 0
        return refusal(streamEnded: true) ?? (hasAnswered ? .incompleteResponse : .closedBeforeResponse)
    }

    /// The refusal with the body received so far, or `nil` before its head is complete.
    var partialRefusal: Failure? { refusal(streamEnded: false) }

    /// The refusal if no more bytes follow.
    private func refusal(streamEnded: Bool) -> Failure? {
        var copy = self
        copy.body?.finish(streamEnded: streamEnded)
        return copy.currentRefusal
    }

    private var currentRefusal: Failure? {
        guard let refusal, let body else { return nil }
        return .refused(refusal, body: body.content, bodyIsTruncated: body.isTruncated)
    }

    private func accepts(_ head: ResponseHead) -> Bool {
        switch purpose {
        case .upgrade: head.status == 101
        case .tunnel: (200...299).contains(head.status)
        }
    }

    private mutating func receiveHead(_ bytes: RawSpan) throws(Failure) -> Int? {
        do {
            return try parser.receive(bytes)
        } catch {
            if case .notHTTP(let preview) = error { throw .notHTTP(preview: preview) }
            throw .invalidResponse(error)
        }
    }

    /// Skips an interim response, or starts the body of a refusal.
    private mutating func receiveOther(_ head: ResponseHead) throws(Failure) {
        // RFC 9110 §15.2: a client must be able to parse interim responses before the final one. RFC 9110 §15.2.2: 101
        // is not among them, because another protocol follows it.
        guard (100...199).contains(head.status), head.status != 101 else {
            refusal = head
            body = ResponseBody(of: head)
            return
        }
        interimResponseCount += 1
        guard interimResponseCount <= Self.maximumInterimResponses else { throw .tooManyInterimResponses }
        parser = HTTPHeadParser(.response, limits: limits)
    }
}
