/// The bytes that the kernel has not yet accepted.
internal final class PendingWrite {
    var bytes = ByteBuffer()
    /// Shared bytes to write instead of ``bytes``, starting at an offset, or `nil`.
    var shared: (bytes: SharedBytes, offset: Int)?
    /// The number of bytes at the start of the write.
    var startBytes = 0
    /// The number of bytes that were lost because the write failed.
    var lostBytes = 0
    /// An error after which nothing more can be written, although the stream has not ended.
    var failure: IOError?
    /// The storage to keep after the write, in bytes.
    var keptStorageBytes = 0

    var count: Int {
        guard let shared else { return bytes.count }
        return shared.bytes.count - shared.offset
    }

    var storageBytes: Int { shared?.bytes.count ?? bytes.storageBytes }

    func withBytes<R>(_ body: (RawSpan) -> R) -> R {
        guard let shared else { return bytes.withReadableBytes { body($0) } }
        return shared.bytes.withBytes(from: shared.offset) { body($0) }
    }

    func consume(_ byteCount: Int) {
        guard let shared else { return bytes.consume(byteCount) }
        self.shared = byteCount == count ? nil : (shared.bytes, shared.offset + byteCount)
    }
}
