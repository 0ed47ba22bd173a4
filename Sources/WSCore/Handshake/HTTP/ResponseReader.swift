/// Reads the response that decides whether a connection goes over to another protocol.
///
///      receive ──► head ──┬─ accepted ──► its head, the bytes that follow are of the other protocol
///                   ▲     ├─ 1xx ───────► back to the next head
///                   └─────┘
///                         └─ other ─────► body ────► throws .refused
struct ResponseReader: Sendable {
    /// What the request was for, which decides the statuses that grant it.
    enum Purpose {
        /// RFC 6455 §4.1: any status but 101 is handled as HTTP says.
        case upgrade
        /// RFC 9110 §9.3.6: any 2xx status opens the tunnel.
        case tunnel
    }

    /// Why there is no accepted response.
    enum Failure: Error, Equatable {
        case closedBeforeResponse
        case incompleteResponse
        case notHTTP(preview: [UInt8])
        case invalidResponse(HTTPHeadError)
        case tooManyInterimResponses
        case refused(ResponseHead, body: [UInt8], bodyIsTruncated: Bool)
    }

    /// The number of interim responses, such as 100 Continue and 103 Early Hints, that are skipped.
    static let maximumInterimResponses = 8

    private let purpose: Purpose
    private let limits: HeadLimits
    private var parser: HTTPHeadParser
    private var interimResponseCount = 0
    private var refusal: ResponseHead?
    private var body: ResponseBody?

    /// Makes the reader of one response, whose head and those of interim ones each have `limits`.
    init(_ purpose: Purpose, limits: HeadLimits) {
        self.purpose = purpose
        self.limits = limits
        parser = HTTPHeadParser(.response, limits: limits)
    }

    /// Takes bytes; returns the head of an accepted response and how many of these bytes came before its end, or nil
    /// as long as the response is not complete.
    ///
    /// Throws a refusal once its body is complete, or as much of it as is shown. There is nothing to be read after an
    /// accepted response or an error.
    mutating func receive(_ bytes: RawSpan) throws(Failure) -> (head: ResponseHead, consumedByteCount: Int)? {
        var offset = 0
        while body == nil {
            guard let headByteCount = try receiveHead(bytes.extracting(droppingFirst: offset)) else { return nil }
            offset += headByteCount
            guard let head = parser.responseHead else { return nil }
            if accepts(head) { return (head, offset) }
            try receiveOther(head)
        }
        body?.receive(bytes, from: offset)
        if body?.isComplete == true, let currentRefusal { throw currentRefusal }
        return nil
    }

    /// What it means that the peer closed the connection here.
    var failureAtEndOfStream: Failure {
        let hasAnswered = parser.byteCount > 0 || interimResponseCount > 0
        return refusal(streamEnded: true) ?? (hasAnswered ? .incompleteResponse : .closedBeforeResponse)
    }

    /// The refusal with what came of its body, once its head is there.
    var partialRefusal: Failure? { refusal(streamEnded: false) }

    /// The refusal when no more bytes come.
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

    /// Skips an interim response, or begins with the body of a refusal.
    private mutating func receiveOther(_ head: ResponseHead) throws(Failure) {
        // RFC 9110 §15.2: a client must be able to parse interim responses before the final one.
        // RFC 9110 §15.2.2: 101 is not one of them, what follows is no HTTP.
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
