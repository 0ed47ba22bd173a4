/// The head of an HTTP response.
package struct ResponseHead: Equatable, Sendable {
    /// The status code, 100 through 999.
    package let status: Int
    /// The reason phrase, which may be empty.
    package let reason: String
    /// The header fields.
    package let fields: HTTPFields
    /// The HTTP minor version, 1 for HTTP/1.1.
    package let minorVersion: Int
    /// The version of HTTP. In HTTP/2, there is no reason phrase.
    package let version: HTTPVersion

    /// Creates a response head.
    package init(status: Int, reason: String, fields: HTTPFields, minorVersion: Int = 1, version: HTTPVersion = .http1)
    {
        self.status = status
        self.reason = reason
        self.fields = fields
        self.minorVersion = minorVersion
        self.version = version
    }

    /// Creates the head of a response to send, with the reason phrase of its status.
    init(status: Int, fields: HTTPFields, version: HTTPVersion = .http1) {
        self.init(status: status, reason: HTTPStatus.reason(of: status), fields: fields, version: version)
    }

    /// The bytes of the head in HTTP/1.1.
    var bytes: [UInt8] {
        var bytes = Array("HTTP/1.1 \(status) \(reason)\r\n".utf8)
        fields.appendLines(to: &bytes)
        bytes += "\r\n".utf8
        return bytes
    }
}
