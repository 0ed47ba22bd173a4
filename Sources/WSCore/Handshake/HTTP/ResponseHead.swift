/// The head of an HTTP response.
package struct ResponseHead: Equatable, Sendable {
    /// The status code, 100 through 999.
    package let status: Int
    /// The bytes of the reason phrase, which may be empty, and may not be UTF-8 (RFC 9112 §4: obs-text).
    let reasonBytes: [UInt8]
    /// The header fields.
    package let fields: HTTPFields
    /// The HTTP minor version, 1 for HTTP/1.1.
    package let minorVersion: Int
    /// The version of HTTP. In HTTP/2, there is no reason phrase.
    package let version: HTTPVersion

    /// Creates a response head.
    package init(status: Int, reason: String, fields: HTTPFields, minorVersion: Int = 1, version: HTTPVersion = .http1)
    {
        self.init(
            status: status, reasonBytes: Array(reason.utf8), fields: fields, minorVersion: minorVersion,
            version: version
        )
    }

    /// Creates a response head with a received reason phrase, which must be trimmed and free of control characters.
    init(
        status: Int, reasonBytes: [UInt8], fields: HTTPFields, minorVersion: Int = 1, version: HTTPVersion = .http1
    ) {
        self.status = status
        self.reasonBytes = reasonBytes
        self.fields = fields
        self.minorVersion = minorVersion
        self.version = version
    }

    /// Creates the head of a response to send, with the reason phrase of its status.
    init(status: Int, fields: HTTPFields, version: HTTPVersion = .http1) {
        self.init(status: status, reason: HTTPStatus.reason(of: status), fields: fields, version: version)
    }

    /// The reason phrase, which may be empty. Invalid UTF-8 is replaced with U+FFFD.
    package var reason: String { String(decoding: reasonBytes, as: UTF8.self) }

    /// The bytes of the head in HTTP/1.1.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        bytes.append("HTTP/1.1 \(status) ")
        bytes += reasonBytes
        bytes.appendLineEnd()
        fields.appendLines(to: &bytes)
        bytes.appendLineEnd()
        return bytes
    }
}
