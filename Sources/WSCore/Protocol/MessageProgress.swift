/// The progress of an incoming message.
public struct MessageProgress: Equatable, Sendable {
    /// The number of payload bytes received so far, before decompression.
    public let bytes: Int
    /// The size of the whole message in bytes, before decompression; nil until the header of its last frame arrives.
    public let totalBytes: Int?
}
