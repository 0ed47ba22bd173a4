import COpenSSL

/// OpenSSL's cryptographically secure random number generator, seeded by the system.
///
/// It is for large amounts: 4 KiB take a sixth of the system's time, but the first use takes 2 or 3 ms. For small
/// amounts, use ``SecureRandom``.
package enum RandomGenerator {
    /// Fills a buffer with random bytes. Terminates the process if the generator fails.
    package static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        let bytes = buffer.assumingMemoryBound(to: UInt8.self)
        guard let base = bytes.baseAddress else { return }
        let result = RAND_bytes(base, CInt(bytes.count))
        precondition(result == 1, "the source of random bytes failed")
    }
}
