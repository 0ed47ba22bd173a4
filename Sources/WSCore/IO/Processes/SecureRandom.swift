import CSystem

/// The system's cryptographically secure random number generator.
package enum SecureRandom {
    /// Fills a buffer with random bytes.
    ///
    /// Terminates the process if the system cannot provide them: predictable masking keys and handshake keys would be
    /// worse.
    package static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let base = buffer.baseAddress, buffer.count > 0 else { return }
        let result = wsx_fill_randomly(base, buffer.count)
        guard result < 0 else { return }
        endProcess("the system's source of random bytes failed: \(IOError(code: result)); allow the call getrandom")
    }

    /// Returns `count` random bytes.
    package static func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        bytes.withUnsafeMutableBytes { fill($0) }
        return bytes
    }
}
