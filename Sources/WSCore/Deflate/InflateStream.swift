import CZlib

/// A decompression stream. A message may refer to earlier messages in the stream.
///
/// zlib detects most references beyond the negotiated window, but not those within the output of one call. A peer that
/// uses them violates RFC 7692 but harms only itself.
final class InflateStream: ZlibStream {
    let windowBits: Int
    private let stream: UnsafeMutablePointer<z_stream>
    /// Whether the input so far ended with a block marked as final.
    private var isAtFinalEnd = false

    /// Creates a stream. Traps if memory is exhausted, as all allocations do.
    init(windowBits: Int) {
        self.windowBits = windowBits
        stream = .makeStream()
        let result = wsx_inflate_begin(stream, Int32(windowBits))
        if result != Z_OK { endWithoutMemory() }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    static func pool(of memory: DeflateMemory) -> StreamPool<InflateStream> { memory.inflaters }

    func reset() {
        inflateReset(stream)
        isAtFinalEnd = false
    }

    /// Returns the history later messages may refer to: the last decompressed bytes, up to the window size. Nil if
    /// nothing has been decompressed.
    func savedHistory() -> InflateHistory? {
        var count: UInt32 = 0
        inflateGetDictionary(stream, nil, &count)
        guard count > 0 else { return nil }
        return InflateHistory(byteCount: Int(count)) { bytes in
            _ = inflateGetDictionary(stream, bytes.bindMemory(to: UInt8.self).baseAddress, &count)
        }
    }

    /// Resets the stream and restores a history.
    func restore(_ history: borrowing InflateHistory) {
        reset()
        history.withBytes { bytes in
            _ = inflateSetDictionary(stream, bytes.bindMemory(to: UInt8.self).baseAddress, UInt32(bytes.count))
        }
    }

    /// Decompresses a piece of a message, followed by the omitted flush marker if it is the last piece.
    func decompress(
        _ piece: RawSpan, isMessageEnd: Bool, into message: inout ByteBuffer, limitBytes: Int
    ) throws(ProtocolError) {
        var rest = piece
        while !rest.isEmpty {
            let part = rest.extracting(first: Self.partBytes)
            rest = rest.extracting(droppingFirst: Self.partBytes)
            try inflate(part, into: &message, limitBytes: limitBytes)
        }
        guard isMessageEnd else { return }
        // RFC 7692 §7.2.3.4: a final block must be followed by an empty octet. Some encoders omit the octet. The
        // message is complete and unambiguous without it.
        guard !isAtFinalEnd else {
            isAtFinalEnd = false
            return
        }
        // RFC 7692 §7.2.2: append the octets that the sender removed from the end of the message.
        try inflate(flushMarker.span.bytes, into: &message, limitBytes: limitBytes)
        guard isBetweenBlocksAndBytes else { throw .invalidCompressedData }
    }

    /// zlib counts in 32 bits.
    private static let partBytes = 1 << 30

    /// Whether zlib is at the end of a non-final block (128) with no unused bits in the last byte (0 to 7). A message
    /// that ended within the marker would leave bits for the next message.
    private var isBetweenBlocksAndBytes: Bool { stream.pointee.data_type == 128 }

    private func inflate(
        _ input: RawSpan, into message: inout ByteBuffer, limitBytes: Int
    ) throws(ProtocolError) {
        try input.withUnsafeBytes { (bytes) throws(ProtocolError) in
            stream.setInput(bytes)
            isAtFinalEnd = false
            while true {
                let result = try inflateOnce(into: &message, limitBytes: limitBytes)
                switch result {
                case Z_OK, Z_BUF_ERROR: break
                case Z_STREAM_END:
                    // The stream has ended for zlib, but more input may follow and refer to earlier output. This call
                    // restarts the stream and keeps the window.
                    inflateResetKeep(stream)
                    isAtFinalEnd = stream.pointee.avail_in == 0
                    if isAtFinalEnd { return }
                    continue
                case Z_MEM_ERROR: endWithoutMemory()
                default: throw .invalidCompressedData
                }
                // Remaining room indicates that all input has been processed.
                if stream.pointee.avail_in == 0, stream.pointee.avail_out > 0 { return }
            }
        }
    }

    /// Calls zlib with limited room. At the limit, a single extra byte detects excess output, which is never delivered.
    private func inflateOnce(into message: inout ByteBuffer, limitBytes: Int) throws(ProtocolError) -> Int32 {
        guard message.count < limitBytes else {
            var excess: UInt8 = 0
            return try withUnsafeMutableBytes(of: &excess) { (byte) throws(ProtocolError) in
                guard let address = byte.baseAddress else { return Z_BUF_ERROR }
                stream.setOutput(address, count: 1)
                let result = CZlib.inflate(stream, Z_SYNC_FLUSH)
                // RFC 6455 §10.4: limit the size of messages after decompression, not on the wire.
                guard stream.pointee.avail_out == 1 else { throw .messageTooBig(limit: limitBytes) }
                return result
            }
        }
        if message.freeBytes == 0 { grow(&message, limitBytes: limitBytes) }
        let room = min(message.freeBytes, limitBytes - message.count, Self.partBytes)
        stream.setOutput(message.reserve(room), count: room)
        let result = CZlib.inflate(stream, Z_SYNC_FLUSH)
        message.commit(room - Int(stream.pointee.avail_out))
        return result
    }

    /// Doubles a message's storage, but grows from at most half of the limit to the limit in one step. While bytes are
    /// copied, the used parts of old and new storage together stay within the limit.
    private func grow(_ message: inout ByteBuffer, limitBytes: Int) {
        let doubled = max(2 * message.storageBytes, 1024, 4 * Int(stream.pointee.avail_in))
        message.growStorage(to: doubled > limitBytes / 2 ? max(limitBytes, 1) : doubled)
    }
}

/// A copy of a decompression window, at most 32 KiB. Its block has only the bytes and their number: an array would take
/// 32 bytes more, for each idle connection.
struct InflateHistory: ~Copyable {
    private let block: UnsafeMutableRawPointer
    private static let headerBytes = MemoryLayout<UInt16>.size

    /// Allocates room for a history, which `fill` writes.
    init(byteCount: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
        let count = UInt16(clamping: byteCount)
        block = .allocate(byteCount: Self.headerBytes + Int(count), alignment: MemoryLayout<UInt16>.alignment)
        block.storeBytes(of: count, as: UInt16.self)
        fill(UnsafeMutableRawBufferPointer(start: block + Self.headerBytes, count: Int(count)))
    }

    deinit {
        block.deallocate()
    }

    /// Passes the bytes to `body`.
    borrowing func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        body(UnsafeRawBufferPointer(start: block + Self.headerBytes, count: Int(block.load(as: UInt16.self))))
    }
}
