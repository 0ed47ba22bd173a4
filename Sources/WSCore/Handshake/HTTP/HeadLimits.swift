/// How large the head of a request or response may be.
public struct HeadLimits: Equatable, Sendable {
    /// The size of the whole head in bytes, with its start line and the empty line that ends it.
    public let maximumBytes: Int
    /// The number of header fields.
    public let maximumFields: Int

    /// Takes limits of 1 or more.
    public init(maximumBytes: Int, maximumFields: Int) {
        self.maximumBytes = maximumBytes
        self.maximumFields = maximumFields
    }

    /// What a client takes: 64 KiB and 128 fields; servers it talks to are few and set many cookies.
    public static let client = HeadLimits(maximumBytes: 64 << 10, maximumFields: 128)

    /// What a server takes: 16 KiB and 100 fields, as other servers do; anyone can connect and send a head.
    public static let server = HeadLimits(maximumBytes: 16 << 10, maximumFields: 100)
}
