/// What a session accepts from its peer before it gives up on it.
public struct Limits: Equatable, Sendable {
    /// The largest message, in bytes as it is handed over: all of its fragments, decompressed (0 or more).
    public var maximumMessageBytes: Int
    /// The largest number of frames that one message may consist of (1 or more).
    public var maximumFragments: Int

    /// 131,072 fragments let a 64 MiB message travel in frames of 512 bytes, and bound what a peer can make
    /// us do with empty ones.
    public static let defaultMaximumFragments = 131_072

    /// The largest compressed message as it travels, in bytes. What does not compress grows a little: no more than this
    /// under any parameters (zlib's `deflateBound`). A peer cannot go on for ever with blocks that hold nothing.
    @usableFromInline
    internal var maximumCompressedBytes: Int {
        let (sum, overflows) = maximumMessageBytes.addingReportingOverflow(maximumMessageBytes / 4 + 1024)
        return overflows ? .max : sum
    }

    /// Makes limits; the defaults are those of a client.
    public init(maximumMessageBytes: Int = 64 << 20, maximumFragments: Int = Limits.defaultMaximumFragments) {
        self.maximumMessageBytes = maximumMessageBytes
        self.maximumFragments = maximumFragments
    }

    /// 64 MiB a message: the user chose the server.
    public static let client = Limits()
    /// 16 MiB a message: anyone may connect.
    public static let server = Limits(maximumMessageBytes: 16 << 20)
}
