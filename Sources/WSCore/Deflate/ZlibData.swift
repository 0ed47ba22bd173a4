import CZlib

/// Compresses and decompresses whole buffers in zlib format (RFC 1950), with header and checksum. Messages use raw
/// DEFLATE instead.
enum ZlibData {
    /// Compresses less than 2^32 bytes. Traps if memory is exhausted, as all allocations do.
    static func compress(_ bytes: RawSpan) -> [UInt8] {
        bytes.withUnsafeBytes { source in
            let bound = compressBound(uLong(source.count))
            return Array(unsafeUninitializedCapacity: Int(bound)) { target, initializedCount in
                var count = bound
                let result = CZlib.compress(
                    target.baseAddress, &count, source.bindMemory(to: UInt8.self).baseAddress, uLong(source.count))
                if result != Z_OK { endWithoutMemory() }
                initializedCount = Int(count)
            }
        }
    }

    /// Decompresses data. Returns nil if it is damaged or decompresses to more than `limitBytes`.
    static func decompress(_ bytes: RawSpan, limitBytes: Int) -> [UInt8]? {
        var isWhole = false
        let plain = bytes.withUnsafeBytes { source in
            [UInt8](unsafeUninitializedCapacity: limitBytes) { target, initializedCount in
                var count = uLong(limitBytes)
                let result = uncompress(
                    target.baseAddress, &count, source.bindMemory(to: UInt8.self).baseAddress, uLong(source.count))
                isWhole = result == Z_OK
                initializedCount = isWhole ? Int(count) : 0
            }
        }
        return isWhole ? plain : nil
    }
}
