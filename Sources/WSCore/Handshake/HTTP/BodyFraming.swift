/// Finds the end of a message's body (RFC 9112 §6.3).
struct BodyFraming: Equatable, Sendable {
    /// What determines the length.
    enum Length: Equatable {
        case none
        case bytes(Int)
        case chunked
        case untilEndOfStream
    }

    /// What determines the length, as the head says.
    let length: Length
    /// Whether the end was reached.
    private(set) var isComplete: Bool
    private var remainingBytes: Int
    private var chunkedDecoder = ChunkedDecoder()

    /// The framing of a message without a body.
    static let none = BodyFraming(.none)
    /// The framing of a body in the chunked coding.
    static let chunked = BodyFraming(.chunked)
    /// The framing of a body that ends with its stream.
    static let untilEndOfStream = BodyFraming(.untilEndOfStream)

    private init(_ length: Length) {
        self.length = length
        if case .bytes(let count) = length { remainingBytes = count } else { remainingBytes = 0 }
        isComplete = length == .none || length == .bytes(0)
    }

    /// Determines the framing of the body in a response that is shown, however faulty it is.
    init(of head: ResponseHead) {
        // RFC 9112 §6.3: without a valid length, the body extends to the end of the stream.
        self.init(Self.length(of: head, answering: "GET") ?? .untilEndOfStream)
    }

    /// Determines the framing of the body in a response that a gateway passes on; nil if the response must be discarded.
    /// - Parameter method: The method of the request.
    init?(passing head: ResponseHead, answering method: String) {
        // RFC 9112 §6.1: HTTP/1.0 has no transfer codings.
        guard let length = Self.length(of: head, answering: method),
            length != .chunked || head.minorVersion >= 1
        else { return nil }
        self.init(length)
    }

    /// Determines the framing of the body in a request; nil if another parser could read it differently.
    init?(of head: RequestHead) {
        let lengths = head.fields.all(named: "Content-Length")
        if head.fields.contains(named: "Transfer-Encoding") {
            // RFC 9112 §6.1, §6.3: both fields, other codings, and HTTP/1.0 are signs of request smuggling.
            guard lengths.isEmpty, head.minorVersion >= 1, head.fields.all(named: "Transfer-Encoding").count == 1,
                head.fields.tokens(named: "Transfer-Encoding") == ["chunked"]
            else { return nil }
            self.init(.chunked)
        } else if let text = lengths.first {
            guard lengths.count == 1, text.utf8.allSatisfy(ASCII.isDigit), let count = Int(text) else { return nil }
            self.init(.bytes(count))
        } else {
            self.init(.none)
        }
    }

    private static func length(of head: ResponseHead, answering method: String) -> Length? {
        // RFC 9112 §6.3: these responses have no content, whatever their fields claim.
        if method == "HEAD" || head.status < 200 || head.status == 204 || head.status == 304 { return Length.none }
        // RFC 9112 §6.3: Transfer-Encoding overrides Content-Length. RFC 9110 §10.1.4: a server uses no other coding than
        // chunked, because no request of ours has TE.
        guard head.fields.contains(named: "Transfer-Encoding") else { return length(statedIn: head.fields) }
        return head.fields.tokens(named: "Transfer-Encoding") == ["chunked"] ? .chunked : nil
    }

    /// RFC 9112 §6.3: several equal lengths are one, and others are an error.
    private static func length(statedIn fields: HTTPFields) -> Length? {
        guard fields.contains(named: "Content-Length") else { return .untilEndOfStream }
        let lengths = Set(fields.elements(named: "Content-Length"))
        guard lengths.count == 1, let digits = lengths.first, digits.utf8.allSatisfy(ASCII.isDigit),
            let count = Int(digits)
        else { return nil }
        return .bytes(count)
    }

    /// The length that the response to GET would have, stated in one to HEAD or with status 304 (RFC 9110 §8.6); nil if there
    /// is none.
    static func fieldWithoutContent(of head: ResponseHead) -> HeaderField? {
        // RFC 9112 §6.3: Transfer-Encoding overrides Content-Length.
        guard !head.fields.contains(named: "Transfer-Encoding"), case .bytes(let count) = length(statedIn: head.fields)
        else { return nil }
        return BodyFraming(.bytes(count)).field
    }

    /// The field that states the framing; nil if there is none.
    var field: HeaderField? {
        switch length {
        case .none, .untilEndOfStream: nil
        case .bytes(let count): HeaderField(wellFormedName: "Content-Length", value: "\(count)")
        case .chunked: HeaderField(wellFormedName: "Transfer-Encoding", value: "chunked")
        }
    }

    /// Classifies the next byte of an incomplete body.
    mutating func receive(_ byte: UInt8) -> ChunkedDecoder.Step {
        switch length {
        case .none: return .malformed
        case .untilEndOfStream: return .content
        case .bytes:
            remainingBytes -= 1
            isComplete = remainingBytes == 0
            return .content
        case .chunked:
            let step = chunkedDecoder.receive(byte)
            if case .end = step { isComplete = true }
            return step
        }
    }

    /// Counts the bytes that belong to the body, including its framing; nil if the framing is malformed.
    mutating func take(_ bytes: RawSpan) -> Int? {
        if isComplete { return 0 }
        switch length {
        case .none: return 0
        case .untilEndOfStream: return bytes.byteCount
        case .bytes:
            let count = min(remainingBytes, bytes.byteCount)
            remainingBytes -= count
            isComplete = remainingBytes == 0
            return count
        case .chunked:
            for offset in 0..<bytes.byteCount {
                switch receive(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)) {
                case .framing, .content, .trailer: break
                case .end: return offset + 1
                case .malformed: return nil
                }
            }
            return bytes.byteCount
        }
    }

    /// Passes the content without its framing to `consume`, in one or more parts. Returns false if the framing is malformed.
    /// - Parameter trailer: Receives the bytes of trailers, each with its line end. Default: they are ignored.
    mutating func takeContent(
        _ bytes: RawSpan, _ consume: (RawSpan) -> Void, trailer: (UInt8) -> Void = { _ in }
    ) -> Bool {
        var content = 0..<0
        var isValid = true
        for offset in 0..<bytes.byteCount where !isComplete && isValid {
            switch receive(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)) {
            case .content where content.upperBound == offset: content = content.lowerBound..<offset + 1
            case .content:
                consume(bytes.extracting(content))
                content = offset..<offset + 1
            case .trailer: trailer(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
            case .framing, .end: break
            case .malformed: isValid = false
            }
        }
        consume(bytes.extracting(content))
        return isValid
    }
}
