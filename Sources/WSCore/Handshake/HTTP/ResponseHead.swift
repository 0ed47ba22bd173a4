/// The head of an HTTP/1 response.
package struct ResponseHead: Equatable, Sendable {
    /// The status code, 0 through 999.
    package let status: Int
    /// The reason phrase, which may be empty.
    package let reason: String
    /// The header fields.
    package let fields: HTTPFields
    /// The HTTP minor version, 1 for HTTP/1.1.
    package let minorVersion: Int

    /// Creates a response head.
    package init(status: Int, reason: String, fields: HTTPFields, minorVersion: Int = 1) {
        self.status = status
        self.reason = reason
        self.fields = fields
        self.minorVersion = minorVersion
    }
}
