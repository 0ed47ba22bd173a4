/// The answer to a request that asks for no WebSocket.
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
    public var fields: [HeaderField]
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
        self.init(status: status, fields: [mediaType] + fields, content: .bytes(Array((text + "\n").utf8)))
    }

    /// The answer that a refusal is.
    init(_ refusal: HandshakeRefusal) {
        self.init(status: refusal.status, text: refusal.reason, fields: refusal.fields)
    }

    /// The length of the content in bytes.
    public var contentByteCount: Int {
        switch content {
        case .none: 0
        case .bytes(let bytes): bytes.count
        case .file(_, let range): range.count
        }
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
