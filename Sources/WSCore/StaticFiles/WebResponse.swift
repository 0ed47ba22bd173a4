/// An answer of the server but for the 101: to a request that asks for no WebSocket, or to one that is refused.
public struct WebResponse {
    /// What follows the head.
    public enum Content {
        /// Nothing, of no length: the answer 304.
        case none
        case bytes([UInt8])
        /// This part of a file.
        case file(OpenFile, Range<Int>)
    }

    /// The status, 200 through 599.
    public let status: Int
    /// The fields besides Content-Length, Connection and Date.
    public private(set) var fields: [HeaderField]
    /// What follows the head, but for HEAD.
    public let content: Content

    /// Takes the parts of an answer.
    public init(status: Int, fields: [HeaderField], content: Content) {
        self.status = status
        self.fields = fields
        self.content = content
    }

    /// An answer of plain text; a line feed is added.
    init(status: Int = 200, text: String, fields: [HeaderField] = []) {
        let mediaType = HeaderField(wellFormedName: "Content-Type", value: "text/plain; charset=utf-8")
        self.init(status: status, fields: [mediaType] + fields, content: Self.line(text))
    }

    /// The answer that a refusal is.
    init(_ refusal: HandshakeRefusal) {
        // RFC 9110 §15.4.5: a 304 has no content.
        if refusal.status == 304 {
            self.init(status: 304, fields: refusal.fields, content: .none)
        } else if refusal.fields.contains(where: { $0.isNamed("Content-Type") }) {
            self.init(status: refusal.status, fields: refusal.fields, content: Self.line(refusal.reason))
        } else {
            self.init(status: refusal.status, text: refusal.reason, fields: refusal.fields)
        }
    }

    /// Adds the fields that all answers have, and others of the server's. The answer's own go before all others.
    mutating func complete(with extraFields: [HeaderField]) {
        for others in [Self.securityFields, extraFields, Self.defaultFields] {
            let own = fields
            fields += others.filter { other in !own.contains { $0.isNamed(other.name) } }
        }
    }

    /// The media type is what Content-Type says, whatever the content looks like.
    private static let securityFields = [HeaderField(wellFormedName: "X-Content-Type-Options", value: "nosniff")]

    /// A browser asks each time whether what it has is still good, and shows nothing of this server as a part of other
    /// sites' pages.
    private static let defaultFields = [
        HeaderField(wellFormedName: "Cache-Control", value: "no-cache"),
        HeaderField(wellFormedName: "Cross-Origin-Resource-Policy", value: "same-site"),
    ]

    private static func line(_ text: String) -> Content { .bytes(Array((text + "\n").utf8)) }

    /// The length of the content in bytes.
    public var contentByteCount: Int {
        switch content {
        case .none: 0
        case .bytes(let bytes): bytes.count
        case .file(_, let range): range.count
        }
    }

    /// The head of an answer after which the connection is closed, and the content unless that is a part of a file.
    /// - Parameters:
    ///   - method: The method of the request, HEAD being answered without content; nil: it did not come.
    ///   - time: The present moment.
    func bytes(answering method: String?, at time: WallTime) -> [UInt8] {
        var bytes = headBytes(at: time)
        // RFC 9110 §9.3.2: the answer to HEAD has no content.
        if method != "HEAD", case .bytes(let content) = content { bytes += content }
        return bytes
    }

    /// The head of an answer after which the connection is closed, written at a moment.
    func headBytes(at time: WallTime) -> [UInt8] {
        // RFC 9110 §7.8: who sends Upgrade lists it in Connection, too.
        let hasUpgrade = fields.contains { $0.isNamed("Upgrade") }
        var text = "HTTP/1.1 \(status) \(HTTPStatus.reason(of: status))\r\n"
        // RFC 9110 §6.6.1: a server with a clock sends Date.
        if !fields.contains(where: { $0.isNamed("Date") }) {
            text += "Date: \(HTTPDate.text(ofSeconds: time.seconds))\r\n"
        }
        for field in fields { text += field.line }
        if case .none = content {} else { text += "Content-Length: \(contentByteCount)\r\n" }
        text += "Connection: close\(hasUpgrade ? ", Upgrade" : "")\r\n\r\n"
        return Array(text.utf8)
    }
}
