/// The limits a session enforces on incoming messages (RFC 6455 §10.4).
public struct Limits: Equatable, Sendable {
    /// The maximum size of a message in bytes, after reassembly and decompression (0 or more).
    public var maximumMessageBytes: Int
    /// The maximum number of frames in a message (1 or more).
    public var maximumFragments: Int

    /// The default for ``maximumFragments``: enough for a 64 MiB message in frames of 512 bytes. It bounds the work
    /// that empty fragments can cause.
    package static let defaultMaximumFragments = 131_072

    /// The maximum compressed size of a message, in bytes on the wire.
    ///
    /// Incompressible data grows by less than this margin with any parameters (zlib's `deflateBound`). The limit stops
    /// a peer that sends empty DEFLATE blocks forever.
    @usableFromInline
    internal static func maximumCompressedBytes(for maximumMessageBytes: Int) -> Int {
        let (sum, overflows) = maximumMessageBytes.addingReportingOverflow(maximumMessageBytes / 4 + 1024)
        return overflows ? .max : sum
    }

    /// Creates limits; the defaults are those of a client.
    package init(maximumMessageBytes: Int = 64 << 20, maximumFragments: Int = Limits.defaultMaximumFragments) {
        self.maximumMessageBytes = maximumMessageBytes
        self.maximumFragments = maximumFragments
    }

    /// The limits of a client: 64 MiB per message, because the user chose the server.
    package static let client = Limits()
    /// The limits of a server: 16 MiB per message, because anyone may connect.
    package static let server = Limits(maximumMessageBytes: 16 << 20)
}
