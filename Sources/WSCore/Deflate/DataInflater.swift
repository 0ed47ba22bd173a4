import CZlib

/// Decompresses gzip (RFC 1952) or zlib (RFC 1950) data, whichever its header announces, or raw DEFLATE data (RFC 1951).
package final class DataInflater {
    /// Why data cannot be decompressed.
    package enum Failure: Error, Equatable {
        /// The data is not in the format, or its checksum is wrong.
        case corrupt
        /// The data ends early.
        case truncated
        /// This number of bytes follows the data.
        case trailing(byteCount: Int)
        /// The data decompresses to more than the limit.
        case tooBig(limitBytes: Int)
    }

    /// The form of compressed data.
    package enum Form {
        /// gzip or zlib.
        case wrapped
        /// DEFLATE without header and checksum. A flush may end it, too.
        case raw
    }

    private let stream: UnsafeMutablePointer<z_stream>
    /// Whether zlib has seen the end of the data and its checksum.
    private var isAtEnd = false
    /// The last bytes received, at most four.
    private var lastBytes: UInt32 = .max

    /// Creates a decompressor. Traps if memory is exhausted, as all allocations do.
    package init(_ form: Form = .wrapped) {
        stream = .makeStream()
        let result = form == .wrapped ? wsx_inflate_begin_wrapped(stream) : wsx_inflate_begin(stream, 15)
        if result != Z_OK { endWithoutMemory() }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Decompresses complete data, which may have several gzip members (RFC 1952 §2.2), and appends the result.
    /// - Parameter limitBytes: The maximum size of the output, including the bytes it contains already.
    /// - Throws: ``Failure``.
    package static func decompress(
        _ data: RawSpan, _ form: Form = .wrapped, into output: inout ByteBuffer, limitBytes: Int
    ) throws(Failure) {
        let inflater = DataInflater(form)
        if form == .raw {
            let isComplete = try inflater.receive(data, into: &output, limitBytes: limitBytes)
            guard isComplete else { throw .truncated }
            return
        }
        var rest = data
        repeat {
            // Another member begins with the magic number. Anything else does not belong to the data.
            guard !inflater.isAtEnd || isGzip(rest) else { throw .trailing(byteCount: rest.byteCount) }
            rest = rest.extracting(last: try inflater.inflate(rest, into: &output, limitBytes: limitBytes))
        } while !rest.isEmpty
        guard inflater.isAtEnd else { throw .truncated }
    }

    /// Decompresses a piece of a stream that spans messages, and appends the result.
    ///
    /// The sender ends each message with a flush (`Z_SYNC_FLUSH`), which ends with the bytes 00 00 FF FF. A message may
    /// come in several pieces. After the end of the compressed data, new data may follow with the next piece.
    /// - Parameter limitBytes: The maximum size of the output, including the bytes it contains already.
    /// - Returns: Whether a message ends with the piece.
    /// - Throws: ``Failure``. The stream cannot be continued.
    package func receive(
        _ piece: RawSpan, into output: inout ByteBuffer, limitBytes: Int
    ) throws(Failure) -> Bool {
        let restCount = try inflate(piece, into: &output, limitBytes: limitBytes)
        guard restCount == 0 else { throw .trailing(byteCount: restCount) }
        for index in max(0, piece.byteCount - 4)..<piece.byteCount {
            lastBytes = lastBytes << 8 | UInt32(piece.unsafeLoad(fromByteOffset: index, as: UInt8.self))
        }
        return isAtEnd || lastBytes == 0x0000_FFFF
    }

    /// Whether data begins like gzip.
    package static func isGzip(_ data: RawSpan) -> Bool {
        // RFC 1952 §2.3.1: the magic number, and the only defined method, DEFLATE.
        data.byteCount >= 3 && data.unsafeLoad(fromByteOffset: 0, as: UInt8.self) == 0x1F
            && data.unsafeLoad(fromByteOffset: 1, as: UInt8.self) == 0x8B
            && data.unsafeLoad(fromByteOffset: 2, as: UInt8.self) == 8
    }

    /// Whether data begins like zlib without a preset dictionary.
    package static func isZlib(_ data: RawSpan) -> Bool {
        guard data.byteCount >= 2 else { return false }
        let method = Int(data.unsafeLoad(fromByteOffset: 0, as: UInt8.self))
        let flags = Int(data.unsafeLoad(fromByteOffset: 1, as: UInt8.self))
        // RFC 1950 §2.2: DEFLATE, a window of at most 32 KiB, and a check of both bytes.
        return method & 0x0F == 8 && method >> 4 <= 7 && (method << 8 | flags) % 31 == 0 && flags & 0x20 == 0
    }

    /// zlib counts in 32 bits.
    private static let partBytes = 1 << 30

    /// Decompresses to the end of the input or of the data.
    /// - Returns: The number of input bytes behind the end of the data.
    private func inflate(
        _ input: RawSpan, into output: inout ByteBuffer, limitBytes: Int
    ) throws(Failure) -> Int {
        if isAtEnd, !input.isEmpty {
            inflateReset(stream)
            isAtEnd = false
        }
        var rest = input
        while !rest.isEmpty, !isAtEnd {
            let part = rest.extracting(first: Self.partBytes)
            let unusedCount = try part.withUnsafeBytes { (bytes) throws(Failure) in
                stream.setInput(bytes)
                repeat {
                    try inflateOnce(into: &output, limitBytes: limitBytes)
                } while !isAtEnd && (stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0)
                return Int(stream.pointee.avail_in)
            }
            rest = rest.extracting(droppingFirst: part.byteCount - unusedCount)
        }
        return rest.byteCount
    }

    /// Calls zlib with limited room. At the limit, an additional byte detects excess output.
    private func inflateOnce(into output: inout ByteBuffer, limitBytes: Int) throws(Failure) {
        let available = max(0, limitBytes - output.count)
        let room = min(available < .max ? available + 1 : available, max(output.freeBytes, 4096), Self.partBytes)
        stream.setOutput(output.reserve(room), count: room)
        let result = CZlib.inflate(stream, Z_SYNC_FLUSH)
        output.commit(room - Int(stream.pointee.avail_out))
        guard output.count <= limitBytes else { throw .tooBig(limitBytes: limitBytes) }
        switch result {
        // No progress was possible: the output of the previous call ended exactly with its room.
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: isAtEnd = true
        case Z_MEM_ERROR: endWithoutMemory()
        default: throw .corrupt
        }
    }
}
