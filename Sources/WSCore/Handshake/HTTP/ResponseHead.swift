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
}
