/// Limits for the head of a request or response.
public struct HeadLimits: Equatable, Sendable {
    /// The maximum size of the head in bytes, including the start line and the final empty line.
    public let maximumBytes: Int
    /// The maximum number of header fields.
    public let maximumFields: Int

    /// Creates limits. Both must be at least 1.
    public init(maximumBytes: Int, maximumFields: Int) {
        self.maximumBytes = maximumBytes
        self.maximumFields = maximumFields
    }

    /// The default for clients: 64 KiB and 128 fields. A client knows its servers, and some set many cookies.
    public static let client = HeadLimits(maximumBytes: 64 << 10, maximumFields: 128)

    /// The default for servers: 16 KiB and 100 fields, as in other servers. Anyone can connect and send a head.
    public static let server = HeadLimits(maximumBytes: 16 << 10, maximumFields: 100)
}
