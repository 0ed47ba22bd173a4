import CZlib

/// Decompresses messages as one stream, each of which may refer to those before.
///
/// zlib detects most references beyond the agreed window, but not those into the output of the same call. Such a peer
/// breaks RFC 7692 and harms only itself.
final class InflateStream: ZlibStream {
    let windowBits: Int
    private let stream: UnsafeMutablePointer<z_stream>
    /// Whether a block that is marked as the last ended with the input so far.
    private var isAtFinalEnd = false

    /// Makes a stream; traps when there is no memory, as all allocations do.
    init(windowBits: Int) {
        self.windowBits = windowBits
        stream = .makeStream()
        let result = wsx_inflate_begin(stream, Int32(windowBits))
        precondition(result == Z_OK, "zlib has no memory")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    func reset() {
        inflateReset(stream)
        isAtFinalEnd = false
    }

    /// What later messages may refer to: the last bytes that were decompressed, as many as the window has been filled with.
    var history: [UInt8] {
        get {
            var count: UInt32 = 0
            inflateGetDictionary(stream, nil, &count)
            return Array(unsafeUninitializedCapacity: Int(count)) { bytes, initializedCount in
                inflateGetDictionary(stream, bytes.baseAddress, &count)
                initializedCount = Int(count)
            }
        }
        set {
            inflateReset(stream)
            inflateSetDictionary(stream, newValue, UInt32(newValue.count))
        }
    }

    /// Decompresses a piece of a message, and with its last piece the marker that does not travel.
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
        // RFC 7692 §7.2.3.4: a block may be marked as the last; the sender then appends an empty octet. Some encoders
        // leave that octet out. The message is complete without it, and cannot mean anything else.
        guard !isAtFinalEnd else {
            isAtFinalEnd = false
            return
        }
        // RFC 7692 §7.2.2: the end of the message is followed by what the sender removed.
        try inflate(flushMarker.span.bytes, into: &message, limitBytes: limitBytes)
        guard isBetweenBlocksAndBytes else { throw .invalidCompressedData }
    }

    /// zlib counts in 32 bits.
    private static let partBytes = 1 << 30

    /// Whether zlib is at the end of a block that is not the last (128), with no bits left of the last byte (0 to 7): a
    /// message that ended within the marker would leave some to the next.
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
                    // zlib is through with the stream, but there may be more to come, which may refer to what came before:
                    // this goes back to the beginning and keeps the window.
                    inflateResetKeep(stream)
                    isAtFinalEnd = stream.pointee.avail_in == 0
                    if isAtFinalEnd { return }
                    continue
                case Z_MEM_ERROR: preconditionFailure("zlib has no memory")
                default: throw .invalidCompressedData
                }
                // With room left, all that could be made of the input has been made.
                if stream.pointee.avail_in == 0, stream.pointee.avail_out > 0 { return }
            }
        }
    }

    /// Calls zlib with some room, one byte beyond the limit at most, which never becomes part of the message.
    private func inflateOnce(into message: inout ByteBuffer, limitBytes: Int) throws(ProtocolError) -> Int32 {
        guard message.count < limitBytes else {
            var excess: UInt8 = 0
            return try withUnsafeMutableBytes(of: &excess) { (byte) throws(ProtocolError) in
                guard let address = byte.baseAddress else { return Z_BUF_ERROR }
                stream.setOutput(address, count: 1)
                let result = CZlib.inflate(stream, Z_SYNC_FLUSH)
                // RFC 6455 §10.4: an implementation must bound what it takes, which is what comes out, not what travelled.
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

    /// Doubles a message's storage, but goes from half of the limit to all of it in one step: while the bytes move, old
    /// and new storage together then hold no more than the limit.
    private func grow(_ message: inout ByteBuffer, limitBytes: Int) {
        let doubled = max(2 * message.storageBytes, 1024, 4 * Int(stream.pointee.avail_in))
        message.growStorage(to: doubled > limitBytes / 2 ? max(limitBytes, 1) : doubled)
    }
}
