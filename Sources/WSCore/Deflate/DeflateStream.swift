import CZlib

/// Compresses messages as one stream, each of which may refer to those before.
final class DeflateStream: ZlibStream {
    let windowBits: Int
    private let stream: UnsafeMutablePointer<z_stream>

    /// Twice as fast as 6, zlib's default, for an eighth more output, with JSON of 250 bytes and more.
    private static let level: Int32 = 3
    /// zlib's default: 128 KiB beside the window's.
    private static let memoryLevel: Int32 = 8
    /// Input is given and output taken in pieces of this size, in bytes.
    private static let pieceBytes = 256 << 10
    /// What is kept of the history, in bytes, when a message is taken back: hashing all of it anew would take longer
    /// than compressing the message.
    private static let keptHistoryBytes = 4 << 10

    /// Makes a stream; traps when there is no memory, as all allocations do.
    init(windowBits: Int) {
        self.windowBits = windowBits
        stream = .makeStream()
        // zlib refuses 8 bits for raw DEFLATE. With 9 it refers back by 250 bytes at most, its window less the 262 bytes
        // that it looks ahead (MAX_DIST in deflate.h), and so never beyond a window of 8 bits.
        let result = wsx_deflate_begin(stream, Self.level, Int32(max(9, windowBits)), Self.memoryLevel)
        precondition(result == Z_OK, "zlib has no memory")
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    func reset() {
        deflateReset(stream)
    }

    /// Appends the compressed form of a message to an empty buffer, ``flushMarker`` included.
    ///
    /// - Parameters:
    ///   - payload: The message.
    ///   - output: What it is appended to.
    ///   - keepsHistory: Whether later messages may refer to this one and to those before.
    /// - Returns: Whether it is shorter than the message. If not, the message is forgotten, as the peer will not see it
    ///   in this stream, and what is in `output` is of no use.
    func compress(_ payload: RawSpan, into output: inout ByteBuffer, keepsHistory: Bool) -> Bool {
        payload.withUnsafeBytes { bytes in
            let limitBytes = bytes.count + flushMarker.count - 1
            var offset = 0
            while offset < bytes.count {
                let end = min(offset + Self.pieceBytes, bytes.count)
                stream.setInput(UnsafeRawBufferPointer(rebasing: bytes[offset..<end]))
                let isShort = deflate(
                    flush: end == bytes.count ? Z_SYNC_FLUSH : Z_NO_FLUSH, into: &output, limitBytes: limitBytes)
                let isPromising = offset > 0 || end == bytes.count || output.count < end / 8 * 7
                offset = end
                guard isShort, isPromising else {
                    if keepsHistory { forget(offset - Int(stream.pointee.avail_in)) } else { reset() }
                    return false
                }
            }
            if !keepsHistory { reset() }
            return true
        }
    }

    /// Compresses the input that is set; returns false as soon as the output passes the limit.
    private func deflate(flush: Int32, into output: inout ByteBuffer, limitBytes: Int) -> Bool {
        repeat {
            // More than six bytes, or zlib may mark the flush twice.
            let room = min(limitBytes - output.count + 16, Self.pieceBytes)
            stream.setOutput(output.reserve(room), count: room)
            _ = CZlib.deflate(stream, flush)
            output.commit(room - Int(stream.pointee.avail_out))
            guard output.count <= limitBytes else { return false }
        } while stream.pointee.avail_out == 0
        return true
    }

    /// Takes the last bytes that were compressed out of the history. The peer knows more of it than is then left, which
    /// does no harm: a stream may start afresh, with any part of the history, at any message.
    private func forget(_ byteCount: Int) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1 << 15) { history in
            var count: UInt32 = 0
            deflateGetDictionary(stream, history.baseAddress, &count)
            deflateReset(stream)
            let known = Int(count) - byteCount
            guard known > 0 else { return }
            let kept = history[..<known].suffix(Self.keptHistoryBytes)
            deflateSetDictionary(stream, UnsafeBufferPointer(rebasing: kept).baseAddress, UInt32(kept.count))
        }
    }
}
