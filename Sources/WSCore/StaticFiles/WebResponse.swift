/// A response other than 101: to a request that does not ask for a WebSocket, or to a refused request.
package struct WebResponse {
    /// The content of a response.
    package enum Content {
        /// No content and no Content-Length, for status 304.
        case none
        /// These bytes.
        case bytes([UInt8])
        /// These bytes, which belong to a cache.
        case shared(SharedBytes)
        /// A range of a file.
        case file(OpenFile, Range<Int>)

        /// Appends a nonempty part of the content.
        /// - Parameter part: Positions in the page or file.
        /// - Returns: The number of bytes appended: 0 if the file has ended or cannot be read.
        func append(_ part: Range<Int>, to output: inout ByteBuffer) -> Int {
            switch self {
            case .none: return 0
            case .bytes(let bytes):
                output.append(bytes.span.bytes.extracting(part))
                return part.count
            case .shared(let bytes):
                bytes.withBytes { output.append($0.extracting(part)) }
                return part.count
            case .file(let file, _):
                return (try? file.read(into: &output, at: part.lowerBound, atMost: part.count)) ?? 0
            }
        }
    }

    /// The status, 200 through 599.
    package let status: Int
    /// The header fields except Content-Length, Connection, and Date.
    package private(set) var fields: [HeaderField]
    /// The content, which is not sent in response to HEAD.
    package let content: Content

    /// Creates a response.
    package init(status: Int, fields: [HeaderField], content: Content) {
        self.status = status
        self.fields = fields
        self.content = content
    }

    /// Creates a plain-text response. A line feed is appended to `text`.
    package init(status: Int = 200, text: String, fields: [HeaderField] = []) {
        let mediaType = HeaderField(wellFormedName: "Content-Type", value: "text/plain; charset=utf-8")
        self.init(status: status, fields: [mediaType] + fields, content: Self.line(text))
    }

    /// Creates the response for a refusal, whose fields include the server's own.
    init(refusing refusal: HandshakeRefusal) {
        self.init(refusal)
        complete(with: [])
    }

    /// Creates the response for a refusal.
    init(_ refusal: HandshakeRefusal) {
        // RFC 9110 §15.4.5: a 304 response has no content.
        if refusal.status == 304 {
            self.init(status: 304, fields: refusal.fields, content: .none)
        } else if refusal.fields.contains(where: { $0.isNamed("Content-Type") }) {
            self.init(status: refusal.status, fields: refusal.fields, content: Self.line(refusal.reason))
        } else {
            self.init(status: refusal.status, text: refusal.reason, fields: refusal.fields)
        }
    }

    /// Adds the fields common to all responses and the server's additional fields. The response's own fields take
    /// precedence.
    mutating func complete(with extraFields: [HeaderField]) {
        for others in [Self.securityFields, extraFields, Self.defaultFields] {
            let ownCount = fields.count
            for other in others where !fields[..<ownCount].contains(where: { $0.isNamed(other.name) }) {
                fields.append(other)
            }
        }
    }

    /// Browsers must not guess the media type from the content.
    private static let securityFields = [HeaderField(wellFormedName: "X-Content-Type-Options", value: "nosniff")]

    /// Browsers revalidate cached responses, and do not embed this server's content in pages of other sites.
    private static let defaultFields = [
        HeaderField(wellFormedName: "Cache-Control", value: "no-cache"),
        HeaderField(wellFormedName: "Cross-Origin-Resource-Policy", value: "same-site"),
    ]

    private static func line(_ text: String) -> Content { .bytes(Array((text + "\n").utf8)) }

    /// The length of the content in bytes.
    package var contentByteCount: Int { contentRange.count }

    /// The positions of the content in the page or file.
    var contentRange: Range<Int> {
        switch content {
        case .none: 0..<0
        case .bytes(let bytes): 0..<bytes.count
        case .shared(let bytes): 0..<bytes.count
        case .file(_, let range): range
        }
    }

    /// The number of bytes of a page that responses share, and that ``HeldMemory`` counts.
    var sharedByteCount: Int {
        if case .shared(let bytes) = content { bytes.count } else { 0 }
    }

    /// The bytes of the content of a refusal to send.
    /// - Parameter method: The method of the request; nil if no request arrived.
    func bytes(answering method: String?) -> [UInt8] {
        // RFC 9110 §9.3.2: the response to HEAD has no content.
        if method != "HEAD", case .bytes(let content) = content { content } else { [] }
    }

    /// The head with this Date. Over HTTP/1.1, the connection is closed after the response.
    func head(at time: WallTime) -> ResponseHead {
        // RFC 9110 §6.6.1: a server with a clock sends Date.
        var all = HTTPFields([HeaderField(wellFormedName: "Date", value: HTTPDate.text(ofSeconds: time.seconds))])
        for field in fields where !field.isNamed("Date") { all.append(field) }
        switch content {
        case .none: break
        case .bytes, .shared, .file:
            all.append(HeaderField(wellFormedName: "Content-Length", value: String(contentByteCount)))
        }
        // RFC 9110 §7.8: a sender of Upgrade also lists it in Connection.
        let hasUpgrade = fields.contains { $0.isNamed("Upgrade") }
        all.append(HeaderField(wellFormedName: "Connection", value: "close" + (hasUpgrade ? ", Upgrade" : "")))
        return ResponseHead(status: status, fields: all)
    }
}
