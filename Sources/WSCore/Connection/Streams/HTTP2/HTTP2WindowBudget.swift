/// The bytes by which the windows of a server's streams may exceed their first size, together.
///
/// A window grows if its client uses it up within the round trip of a distant one. It takes at most a quarter of the bytes
/// that are left.
internal final class HTTP2WindowBudget {
    /// The number of bytes left.
    private(set) var freeBytes: Int

    init(byteCount: Int) {
        freeBytes = byteCount
    }

    /// Takes bytes for a larger window. Returns false if they are more than a quarter of what is left.
    func take(_ byteCount: Int) -> Bool {
        guard byteCount <= freeBytes / 4 else { return false }
        freeBytes -= byteCount
        return true
    }

    /// Returns the bytes of a window that is no longer used.
    func release(_ byteCount: Int) { freeBytes += byteCount }
}
