import COpenSSL

/// OpenSSL's generator of unpredictable bytes, which the system seeds.
///
/// For many of them: 4 KiB take a sixth of the time in which the system gives them, but the generator takes 2 or 3 ms to get
/// ready. ``SecureRandom`` is the source for few.
public enum RandomGenerator {
    /// Fills a buffer.
    public static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        let bytes = buffer.assumingMemoryBound(to: UInt8.self)
        guard let base = bytes.baseAddress else { return }
        let result = RAND_bytes(base, CInt(bytes.count))
        precondition(result == 1, "the source of random bytes failed")
    }
}
