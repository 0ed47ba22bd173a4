import CZlib

/// Compresses complete data, as the opposite of ``DataInflater``.
package enum DataDeflater {
    /// The form of compressed data.
    package enum Form {
        /// RFC 1952.
        case gzip
        /// RFC 1950.
        case zlib
        /// DEFLATE without header and checksum (RFC 1951).
        case raw
    }

    private static let level: Int32 = 6
    /// zlib counts in 32 bits.
    private static let partBytes = 1 << 30

    /// Appends the compressed form of data. Traps if memory is exhausted, as all allocations do.
    package static func compress(_ data: RawSpan, _ form: Form, into output: inout ByteBuffer) {
        let stream = UnsafeMutablePointer<z_stream>.makeStream()
        defer {
            deflateEnd(stream)
            stream.deallocate()
        }
        let result =
            form == .raw
            ? wsx_deflate_begin(stream, level, 15, 8) : wsx_deflate_begin_wrapped(stream, level, form == .gzip ? 1 : 0)
        if result != Z_OK { endWithoutMemory() }
        var rest = data
        repeat {
            let part = rest.extracting(first: partBytes)
            rest = rest.extracting(droppingFirst: part.byteCount)
            part.withUnsafeBytes { bytes in
                stream.setInput(bytes)
                repeat {
                    let room = min(max(output.freeBytes, 4096), partBytes)
                    stream.setOutput(output.reserve(room), count: room)
                    _ = CZlib.deflate(stream, rest.isEmpty ? Z_FINISH : Z_NO_FLUSH)
                    output.commit(room - Int(stream.pointee.avail_out))
                } while stream.pointee.avail_out == 0
            }
        } while !rest.isEmpty
    }
}
