import CZlib

/// A compression stream. A message may refer to earlier messages in the stream.
final class DeflateStream: ZlibStream {
    let windowBits: Int
    private let stream: UnsafeMutablePointer<z_stream>

    /// The sizes of windows, in bits. With the largest one, ``level``, and ``memoryLevel``, a stream takes 120 KiB.
    ///
    /// Compared with level 3 and zlib's default sizes (15, 8; 280 KiB), messages of JSON and HTML become at most 13 %
    /// shorter or 1 % longer. With 50 streams used in turn, messages under 2 KiB take 0.7 to 0.9 times as long, because
    /// the streams fit into the processor's cache; larger ones take 0.85 to 1.15 times as long.
    private static let windowBitsRange = 9...14
    private static let level: Int32 = 4
    private static let memoryLevel: Int32 = 6
    /// The maximum size of a piece of input or output, in bytes.
    private static let pieceBytes = 256 << 10

    /// The size of the window to use, in bits, if the negotiated one has 8 to 15 bits.
    ///
    /// zlib rejects 8 bits for raw DEFLATE. With 9 bits, ``maximumDistance(windowBits:)`` is 250 bytes, which fits into an
    /// 8-bit window.
    static func windowBits(within negotiated: Int) -> Int {
        min(max(negotiated, windowBitsRange.lowerBound), windowBitsRange.upperBound)
    }

    /// The maximum distance of a repetition, in bytes: the window minus the lookahead (MAX_DIST in zlib's deflate.h).
    static func maximumDistance(windowBits: Int) -> Int { 1 << windowBits - 262 }

    /// Creates a stream for ``windowBits(within:)``. Traps if memory is exhausted, as all allocations do.
    init(windowBits: Int) {
        precondition(Self.windowBitsRange.contains(windowBits))
        self.windowBits = windowBits
        stream = .makeStream()
        let result = wsx_deflate_begin(stream, Self.level, Int32(windowBits), Self.memoryLevel)
        if result != Z_OK { endWithoutMemory() }
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
    /// - Returns: Whether the compressed form is shorter than the message. If not, the message is removed from the
    ///   history, because the peer will not receive it in this stream, and `output` must be discarded.
    func compress(_ payload: RawSpan, into output: inout ByteBuffer) -> Bool {
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
                    forget(offset - Int(stream.pointee.avail_in))
                    return false
                }
            }
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

    /// Copies the history that is kept, at most ``ShortDeflater/historyBytes``. Returns its size in bytes.
    func copyHistory(to target: UnsafeMutableRawBufferPointer) -> Int {
        withWindow { window in
            let history = window.suffix(ShortDeflater.historyBytes)
            target.copyBytes(from: history)
            return history.count
        }
    }

    /// Resets the stream and continues with a history.
    func restore(_ history: UnsafeRawBufferPointer) {
        deflateReset(stream)
        deflateSetDictionary(stream, history.bindMemory(to: UInt8.self).baseAddress, UInt32(history.count))
    }

    /// Removes the last bytes compressed from the history. The peer then keeps more history than this stream, which is
    /// harmless: a stream may restart with the end of the history, or without history, at any message.
    private func forget(_ byteCount: Int) {
        withWindow { window in
            restore(UnsafeRawBufferPointer(rebasing: window.dropLast(byteCount).suffix(ShortDeflater.historyBytes)))
        }
    }

    /// Passes a copy of the window to `body`.
    private func withWindow<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        withUnsafeTemporaryAllocation(byteCount: 1 << windowBits, alignment: 1) { window in
            var count: UInt32 = 0
            deflateGetDictionary(stream, window.bindMemory(to: UInt8.self).baseAddress, &count)
            return body(UnsafeRawBufferPointer(rebasing: window[..<Int(count)]))
        }
    }
}
