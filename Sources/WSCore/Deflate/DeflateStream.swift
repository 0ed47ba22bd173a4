import CZlib

/// A compression stream. A message may refer to earlier messages in the stream.
final class DeflateStream: ZlibStream {
    let windowBits: Int
    private let stream: UnsafeMutablePointer<z_stream>

    /// Twice as fast as zlib's default of 6, for 12.5 % more output, measured with JSON messages of 250 bytes and more.
    private static let level: Int32 = 3
    /// zlib's default: 128 KiB in addition to the window.
    private static let memoryLevel: Int32 = 8
    /// The maximum size of a piece of input or output, in bytes.
    private static let pieceBytes = 256 << 10
    /// The history kept when a message is taken back, in bytes. Rehashing the whole history would take longer than
    /// compressing the message.
    private static let keptHistoryBytes = 4 << 10

    /// Creates a stream. Traps if memory is exhausted, as all allocations do.
    init(windowBits: Int) {
        self.windowBits = windowBits
        stream = .makeStream()
        // zlib rejects 8 bits for raw DEFLATE. With 9 bits, the maximum distance is 250 bytes: the window minus the 262
        // bytes of lookahead (MAX_DIST in deflate.h). That fits into an 8-bit window.
        let result = wsx_deflate_begin(stream, Self.level, Int32(max(9, windowBits)), Self.memoryLevel)
        precondition(result == Z_OK, "zlib has no memory")
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    static func pool(of memory: DeflateMemory) -> StreamPool<DeflateStream> { memory.deflaters }

    func reset() {
        deflateReset(stream)
    }

    /// Appends the compressed form of a message to an empty buffer, including ``flushMarker``.
    ///
    /// - Parameters:
    ///   - payload: The message.
    ///   - output: The buffer to append to.
    ///   - keepsHistory: Whether later messages may refer to this message and earlier ones.
    /// - Returns: Whether the compressed form is shorter than the message. If not, the message is removed from the
    ///   history, because the peer will not receive it in this stream, and `output` must be discarded.
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

    /// Compresses the current input. Returns false as soon as the output exceeds the limit.
    private func deflate(flush: Int32, into output: inout ByteBuffer, limitBytes: Int) -> Bool {
        repeat {
            // zlib needs more than six bytes, or it may write the flush marker twice.
            let room = min(limitBytes - output.count + 16, Self.pieceBytes)
            stream.setOutput(output.reserve(room), count: room)
            _ = CZlib.deflate(stream, flush)
            output.commit(room - Int(stream.pointee.avail_out))
            guard output.count <= limitBytes else { return false }
        } while stream.pointee.avail_out == 0
        return true
    }

    /// Removes the last bytes compressed from the history. The peer then keeps more history than this stream, which is
    /// harmless: a stream may restart with any part of the history at any message.
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
