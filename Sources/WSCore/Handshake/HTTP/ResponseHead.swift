/// The head of an HTTP/1 response.
public struct ResponseHead: Equatable, Sendable {
    /// The status code, 0 through 999.
    public let status: Int
    /// The reason phrase, which may be empty.
    public let reason: String
    /// The header fields.
    public let fields: HTTPFields
    /// The HTTP minor version, 1 for HTTP/1.1.
    public let minorVersion: Int

    /// Creates a response head.
    public init(status: Int, reason: String, fields: HTTPFields, minorVersion: Int = 1) {
        self.status = status
        self.reason = reason
        self.fields = fields
        self.minorVersion = minorVersion
    }
}
